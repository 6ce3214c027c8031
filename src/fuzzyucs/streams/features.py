"""Features of a stream: which there are, what their values are, and how both become more."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.coding import MAX_TERMS, every_term
from fuzzyucs.variables.linguistic import LinguisticPartition, LinguisticVariable

__all__ = [
    "MARGIN",
    "StreamFeature",
    "check_label",
    "fixed_rules",
    "grown_amounts",
    "grown_conditions",
    "grown_features",
    "partition_of",
]

MARGIN = 0.02  # of a range beyond a value that widens it; resolution counts more than few changes

Array = NDArray[np.float64]
FixedRule = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class StreamFeature:
    """A feature as far as the stream has shown it.

    Parameters
    ----------
    key : hashable
        Its key in records.
    n_terms : int
        Number of its linguistic terms.
    minimum, maximum : float
        Range of its numbers; NaN before the first one.
    moves : bool
        Whether the range widens; otherwise it is declared.
    categories : tuple of str, optional
        Its values if it holds text, each of which is a term.
    """

    key: Hashable
    n_terms: int
    minimum: float = math.nan
    maximum: float = math.nan
    moves: bool = True
    categories: tuple[str, ...] | None = None
    terms: Mapping[str, float] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.categories is not None:
            terms = {category: float(term) for term, category in enumerate(self.categories)}
            object.__setattr__(self, "terms", terms)
            object.__setattr__(self, "n_terms", max(2, len(self.categories)))

    def add_to(self, reader: _core.RecordReader) -> None:
        """Add the feature to a reader of records."""
        ends = self.minimum, self.maximum
        reader.add(self.key, self.terms, *ends, self.n_terms, self.moves)


def partition_of(features: Sequence[StreamFeature]) -> LinguisticPartition:
    """Return the linguistic variables of features."""
    nominal = {
        number: LinguisticVariable(
            np.arange(len(feature.categories), dtype=float), feature.categories, is_nominal=True
        )
        for number, feature in enumerate(features)
        if feature.categories is not None
    }
    return LinguisticPartition(
        tuple(str(feature.key) for feature in features),
        np.array([feature.minimum for feature in features], dtype=float),
        np.array([feature.maximum for feature in features], dtype=float),
        np.array([feature.n_terms for feature in features], dtype=np.uint32),
        nominal,
    )


def grown_features(
    features: Sequence[StreamFeature],
    record: Mapping[Any, Any],
    n_terms: int,
    ranges: Mapping[Any, tuple[float, float]],
) -> list[StreamFeature]:
    """Return features that know all keys and categories of a record.

    Parameters
    ----------
    features : sequence of StreamFeature
        Features so far.
    record : mapping
        Values by key.
    n_terms : int
        Number of terms of a new feature of numbers.
    ranges : mapping
        Declared ranges, by key.

    Returns
    -------
    list of StreamFeature
        New ones come last, in the order of their keys; those of numbers have no range yet.

    Examples
    --------
    >>> from fuzzyucs.streams.features import grown_features
    >>> first = grown_features([], {"size": 3, "colour": "red"}, 5, {})
    >>> grown_features(first, {"colour": "blue", "size": 3}, 5, {})[0].categories
    ('red', 'blue')
    >>> grown_features(first, {"colour": 2.5}, 5, {})
    Traceback (most recent call last):
    ValueError: x must have text for 'colour', as before, got 2.5
    """
    known = [feature.key for feature in features]
    new = [key for key, value in record.items() if key not in known and not _is_missing(value)]
    found = [*features]
    for key in sorted(new, key=lambda key: (type(key).__name__, str(key))):
        if isinstance(record[key], str):
            found.append(StreamFeature(key, 2, categories=()))
        elif not _is_number(record[key]):
            raise ValueError(f"x must have a number or text for {key!r}, got {record[key]!r}")
        elif key in ranges:
            low, high = ranges[key]
            found.append(StreamFeature(key, n_terms, float(low), float(high), moves=False))
        else:
            is_flag = isinstance(record[key], bool | np.bool_)
            found.append(StreamFeature(key, 2 if is_flag else n_terms))
    return [
        feature
        if _is_missing(record.get(feature.key))
        else _with_value(feature, record[feature.key])
        for feature in found
    ]


def check_label(y: Any) -> None:
    """Refuse what cannot be a class."""
    try:
        hash(y)
    except TypeError:
        raise ValueError(f"y must be hashable, got {y!r}") from None
    if _is_missing(y):
        raise ValueError(f"y must be a class, got {y!r}")


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and value != value)


def _with_value(feature: StreamFeature, value: Any) -> StreamFeature:
    """Check a value, and return a feature that has it if it is a category."""
    if feature.categories is None:
        if not _is_number(value):
            raise ValueError(f"x must have numbers for {feature.key!r}, as before, got {value!r}")
        if not math.isfinite(_as_float(value)):
            shown = value if isinstance(value, float) else "one that is too large for a float"
            raise ValueError(f"x must have finite numbers for {feature.key!r}, got {shown}")
        return feature
    if not isinstance(value, str):
        raise ValueError(f"x must have text for {feature.key!r}, as before, got {value!r}")
    if value in feature.categories or len(feature.categories) == MAX_TERMS:
        return feature
    return replace(feature, categories=(*feature.categories, value))


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _is_number(value: Any) -> bool:
    """Tell whether something has a value as a float; text has none, even if it looks like it."""
    try:
        return not isinstance(value, str | bytes) and not math.isnan(_as_float(value))
    except (TypeError, ValueError):
        return False


def grown_conditions(
    conditions: NDArray[np.uint64],
    old: Sequence[StreamFeature],
    new: Sequence[StreamFeature],
) -> NDArray[np.uint64]:
    """Return conditions of rules on features that have become more, or have more values.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_old_features)
        Conditions on the features as they were.
    old, new : sequence of StreamFeature
        The features before and after.

    Returns
    -------
    ndarray of shape (n_rules, n_features)
        Rules ask nothing of new features, and reject a new category unless they accepted all.
    """
    grown = np.empty((len(conditions), len(new)), dtype=np.uint64)
    n_old = len(old)
    grown[:, :n_old] = conditions
    for number, feature in enumerate(new):
        every = every_term(feature.n_terms)
        if number >= n_old:
            grown[:, number] = every
        elif feature.n_terms > old[number].n_terms:
            asks_nothing = conditions[:, number] == every_term(old[number].n_terms)
            grown[asks_nothing, number] = every
    return grown


def fixed_rules(features: Sequence[StreamFeature], has_pairs: bool) -> list[FixedRule]:
    """Return the rules that are not evolved, as the native profiles order them.

    Parameters
    ----------
    features : sequence of StreamFeature
        The features.
    has_pairs : bool
        Whether pairs of terms of two features are rules, too.

    Returns
    -------
    list of tuple
        The conditions of each rule: pairs of a feature and a term, by number.

    Examples
    --------
    >>> from fuzzyucs.streams.features import StreamFeature, fixed_rules
    >>> features = [StreamFeature("a", 2), StreamFeature("b", 2)]
    >>> fixed_rules(features, True)[:6]
    [(), ((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),), ((1, 0), (0, 0))]
    """
    terms = [[(f, t) for t in range(feature.n_terms)] for f, feature in enumerate(features)]
    rules: list[FixedRule] = [(), *((term,) for own in terms for term in own)]
    if has_pairs:
        rules += [
            (term, other)
            for f, own in enumerate(terms)
            for before in terms[:f]
            for term in own
            for other in before
        ]
    return rules


def grown_amounts(
    amounts: Array, old: Sequence[FixedRule], new: Sequence[FixedRule], n_classes: int
) -> Array:
    """Return amounts of profiles for fixed rules and classes that have become more.

    Parameters
    ----------
    amounts : ndarray of shape (n_steps, n_rows, n_old_classes)
        Rows for the fixed rules as they were, and for evolved rules.
    old, new : sequence of tuple
        The fixed rules before and after.
    n_classes : int
        Number of classes; new ones come last.

    Returns
    -------
    ndarray of shape (n_steps, n_rows, n_classes)
        Nothing is said of new classes, or by new rules.
    """
    n_steps, n_rows, n_old_classes = amounts.shape
    grown = np.zeros((n_steps, len(new) + n_rows - len(old), n_classes))
    row_of = {rule: row for row, rule in enumerate(new)}
    grown[:, [row_of[rule] for rule in old], :n_old_classes] = amounts[:, : len(old)]
    grown[:, len(new) :, :n_old_classes] = amounts[:, len(old) :]
    return grown
