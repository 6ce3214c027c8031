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
from fuzzyucs.variables.moving import widen

__all__ = ["StreamFeature", "grown_amounts", "grown_conditions", "grown_features", "partition_of"]

MARGIN = 0.02  # of a range beyond a value that widens it; resolution counts more than few changes

Array = NDArray[np.float64]


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
    """Return features that know all keys, categories and numbers of a record.

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
        New ones come last, in the order of their keys.

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
        elif key in ranges:
            low, high = ranges[key]
            found.append(StreamFeature(key, n_terms, float(low), float(high), moves=False))
        else:
            is_flag = isinstance(record[key], bool | np.bool_)
            found.append(StreamFeature(key, 2 if is_flag else n_terms))
    found = [
        feature
        if _is_missing(record.get(feature.key))
        else _with_category(feature, record[feature.key])
        for feature in found
    ]
    return _widened(found, record)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _with_category(feature: StreamFeature, value: Any) -> StreamFeature:
    if feature.categories is None:
        if isinstance(value, str) or not (isinstance(value, Real) or hasattr(value, "__float__")):
            raise ValueError(f"x must have numbers for {feature.key!r}, as before, got {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"x must have finite numbers for {feature.key!r}, got {value!r}")
        return feature
    if not isinstance(value, str):
        raise ValueError(f"x must have text for {feature.key!r}, as before, got {value!r}")
    if value in feature.categories or len(feature.categories) == MAX_TERMS:
        return feature
    return replace(feature, categories=(*feature.categories, value))


def _widened(features: list[StreamFeature], record: Mapping[Any, Any]) -> list[StreamFeature]:
    if not features:
        return features
    values = [
        math.nan
        if feature.categories is not None or _is_missing(record.get(feature.key))
        else float(record[feature.key])
        for feature in features
    ]
    movable = np.array([feature.moves and feature.categories is None for feature in features])
    variables = widen(partition_of(features), movable, np.array(values), MARGIN)
    if variables is None:
        return features
    return [
        replace(feature, minimum=float(low), maximum=float(high)) if moves else feature
        for feature, low, high, moves in zip(
            features, variables.minimum, variables.maximum, movable, strict=True
        )
    ]


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
    if n_old:
        # Categories apart, whose number of terms may differ.
        before = [replace(o, categories=n.categories) for o, n in zip(old, new, strict=False)]
        grown[:, :n_old] = partition_of(new[:n_old]).rewrite(conditions, partition_of(before))
    for number, feature in enumerate(new):
        every = every_term(feature.n_terms)
        if number >= n_old:
            grown[:, number] = every
        elif feature.n_terms > old[number].n_terms:
            asks_nothing = conditions[:, number] == every_term(old[number].n_terms)
            grown[asks_nothing, number] = every
    return grown


def grown_amounts(
    amounts: Array, old: Sequence[StreamFeature], new: Sequence[StreamFeature], n_classes: int
) -> Array:
    """Return amounts of a profile for features and classes that have become more.

    Parameters
    ----------
    amounts : ndarray of shape (n_rows, n_old_classes)
        A row for the rule without conditions, for each term of the features as they were, and for
        each evolved rule.
    old, new : sequence of StreamFeature
        The features before and after.
    n_classes : int
        Number of classes; new ones come last.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        What the terms of a feature say of its values stays the same at the peaks of new terms.
        Nothing is said of new classes, by new terms or new features.
    """
    n_terms = sum(feature.n_terms for feature in old)
    first, terms, rules = np.split(amounts, [1, 1 + n_terms])
    parts, begin = [first], 0
    for before, after in zip(old, new, strict=False):
        rows = terms[begin : begin + before.n_terms]
        begin += before.n_terms
        if after.categories is not None:
            rows = np.pad(rows, ((0, after.n_terms - before.n_terms), (0, 0)))
        elif (before.minimum, before.maximum) != (after.minimum, after.maximum):
            peaks = partition_of([after]).peaks(0)[:, np.newaxis]
            place = partition_of([before]).positions(peaks)[:, 0]
            segment = np.minimum(np.nan_to_num(place).astype(np.intp), before.n_terms - 2)
            share = (np.nan_to_num(place) - segment)[:, np.newaxis]
            rows = rows[segment] * (1 - share) + rows[segment + 1] * share
        parts.append(rows)
    n_new = sum(feature.n_terms for feature in new[len(old) :])
    parts += [np.zeros((n_new, amounts.shape[1])), rules]
    every: Array = np.pad(np.concatenate(parts), ((0, 0), (0, n_classes - amounts.shape[1])))
    return every
