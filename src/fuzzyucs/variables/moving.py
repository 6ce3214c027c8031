"""Ranges of features that are declared beforehand, or that widen while a stream goes on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.checks import feature_number

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition
    from fuzzyucs.variables.variables import Variables

__all__ = [
    "RangeChange",
    "declared_ranges",
    "first_beyond",
    "has_moved",
    "movable_features",
    "range_changes",
    "rewrite_terms",
    "widen",
    "with_declared_ranges",
    "with_range_of_terms",
]

MARGIN = 0.1

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RangeChange:
    """The range of a feature has widened.

    Attributes
    ----------
    time : int
        Number of training steps before the change.
    feature : str
        Name of the feature.
    old, new : tuple of float
        Least and greatest value, before and after; NaN if there was no value before.
    """

    time: int
    feature: str
    old: tuple[float, float]
    new: tuple[float, float]


def declared_ranges(ranges: Any, variables: Variables) -> dict[int, tuple[float, float]]:
    """Check ranges that a user declares.

    Parameters
    ----------
    ranges : mapping or array-like of shape (n_features, 2)
        Least and greatest value of some features, by name or number, or of all.
    variables : Variables
        The features.

    Returns
    -------
    dict of int to tuple of float

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.moving import declared_ranges
    >>> variables = LinguisticPartition.uniform(np.array([[3.0, 1.0]]), 5, ["age", "size"])
    >>> declared_ranges({"age": (0, 120)}, variables)
    {0: (0.0, 120.0)}
    >>> declared_ranges({"age": (120, 0)}, variables)
    Traceback (most recent call last):
    ValueError: ranges must have a least and a greater greatest number for 'age', got (120, 0)
    """
    names = variables.feature_names
    if isinstance(ranges, Mapping):
        pairs = [(feature_number(key, names, "ranges"), pair) for key, pair in ranges.items()]
    else:
        given = list(ranges)
        if len(given) != len(names):
            raise ValueError(
                f"ranges must have a pair of numbers for each of the {len(names)} features, or be "
                f"a dict of some of them, got {len(given)}"
            )
        pairs = list(enumerate(given))
    found: dict[int, tuple[float, float]] = {}
    for feature, pair in pairs:
        if feature in found:
            raise ValueError(f"ranges names the feature {names[feature]!r} twice")
        if variables.is_coded(feature):
            raise ValueError(f"ranges has numbers for {names[feature]!r}, which holds categories")
        found[feature] = _checked_pair(pair, names[feature])
    return found


def _checked_pair(pair: Any, name: str) -> tuple[float, float]:
    ends = list(pair) if isinstance(pair, Sequence | np.ndarray) else []
    if len(ends) == 2 and all(isinstance(end, Real) for end in ends):
        low, high = float(ends[0]), float(ends[1])
        if math.isfinite(low) and math.isfinite(high) and low < high:
            return low, high
    raise ValueError(
        f"ranges must have a least and a greater greatest number for {name!r}, got {pair!r}"
    )


def with_declared_ranges(variables: Variables, ranges: Any) -> Variables:
    """Return variables that reach over declared ranges in place of those of the data.

    Parameters
    ----------
    variables : Variables
        Features as found in data.
    ranges : mapping or array-like
        As in `declared_ranges`.

    Returns
    -------
    Variables
    """
    minimum, maximum = variables.minimum.copy(), variables.maximum.copy()
    for feature, ends in declared_ranges(ranges, variables).items():
        minimum[feature], maximum[feature] = ends
    return variables.with_range(minimum, maximum)


def with_range_of_terms(
    partition: LinguisticPartition, minimum: Array, maximum: Array
) -> LinguisticPartition:
    """Return the variables with other ranges: evenly spread terms move, others stay.

    Parameters
    ----------
    minimum, maximum : ndarray of shape (n_features,)
        The ranges.

    Returns
    -------
    LinguisticPartition
    """
    borders = {f: known for f, known in partition.borders.items() if f in partition.special}
    return replace(partition, minimum=minimum, maximum=maximum, borders=borders)


def widen(
    variables: Variables, movable: NDArray[np.bool_], record: Array, margin: float = MARGIN
) -> Variables | None:
    """Widen the ranges of features so that they hold the values of a record.

    Parameters
    ----------
    variables : Variables
        The features.
    movable : ndarray of shape (n_features,)
        Which of them have ranges that move.
    record : ndarray of shape (n_features,)
        Values; NaN where one is missing.
    margin : float
        Share of its new width by which a range ends beyond a value that exceeds it, so that few of
        many records that follow widen it again.

    Returns
    -------
    Variables or None
        None if the ranges hold the values already. Of a feature without any value before, the
        range is that value alone.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.moving import widen
    >>> variables = LinguisticPartition.uniform(np.array([[0.0], [1.0]]), 5, ["size"])
    >>> widened = widen(variables, np.array([True]), np.array([1.8]))
    >>> widened.minimum, widened.maximum
    (array([0.]), array([2.]))
    >>> widen(widened, np.array([True]), np.array([1.9])) is None
    True
    """
    low, high = variables.minimum, variables.maximum
    # Comparisons with NaN are false.
    is_first = movable & np.isnan(low) & ~np.isnan(record)
    is_below, is_above = movable & (record < low), movable & (record > high)
    if not (is_first | is_below | is_above).any():
        return None
    share = margin / (1 - margin)
    with np.errstate(over="ignore", invalid="ignore"):
        lower = np.clip(record - share * (high - record), -_LARGEST, _LARGEST)
        upper = np.clip(record + share * (record - low), -_LARGEST, _LARGEST)
    minimum = np.where(is_first, record, np.where(is_below, lower, low))
    maximum = np.where(is_first, record, np.where(is_above, upper, high))
    return variables.with_range(minimum, maximum)


def first_beyond(variables: Variables, movable: NDArray[np.bool_], X: Array) -> int | None:
    """Return the first row with a value for which a range has to widen; None if there is none."""
    low, high = variables.minimum, variables.maximum
    beyond = (low > X) | (high < X) | (np.isnan(low) & ~np.isnan(X))
    rows = (beyond & movable).any(axis=1)
    return int(rows.argmax()) if rows.any() else None


def has_moved(new: Variables, old: Variables) -> NDArray[np.bool_]:
    """Tell which features have another range, in place of one or of none."""
    same = (old.minimum == new.minimum) & (old.maximum == new.maximum)
    moved: NDArray[np.bool_] = ~(same | np.isnan(new.minimum))
    return moved


def range_changes(old: Variables, new: Variables, time: int) -> list[RangeChange]:
    """Return which ranges differ between variables, and how."""
    return [
        RangeChange(time, new.feature_names[feature], _ends(old, feature), _ends(new, feature))
        for feature in np.flatnonzero(has_moved(new, old)).tolist()
    ]


def _ends(variables: Variables, feature: int) -> tuple[float, float]:
    return float(variables.minimum[feature]), float(variables.maximum[feature])


_LARGEST = float(np.finfo(np.float64).max)


def movable_features(partition: LinguisticPartition) -> NDArray[np.bool_]:
    """Tell which features have terms that are spread evenly over their range."""
    return np.array([f not in partition.special for f in range(partition.n_features)])


def rewrite_terms(
    partition: LinguisticPartition, conditions: NDArray[np.uint64], old: LinguisticPartition
) -> NDArray[np.uint64]:
    """Say with these terms what conditions said with the terms of other ranges.

    A condition accepts a term if it accepted the value at the peak of that term to 0.5 or more.
    A condition too narrow for any term gets the one nearest to the middle of what it accepted.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions on the terms of `old`.
    old : LinguisticPartition
        The variables with the ranges that they had.

    Returns
    -------
    ndarray of shape (n_rules, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> old = LinguisticPartition.uniform(np.array([[0.0], [4.0]]), 5, ["size"])
    >>> new = old.with_range(np.array([0.0]), np.array([8.0]))  # peaks at 0, 2, 4, 6, 8
    >>> [f"{c:05b}" for c in new.rewrite(np.array([[0b11000], [0b00011]], dtype="u8"), old)[:, 0]]
    ['11100', '00001']
    """
    rewritten = np.array(conditions, dtype=np.uint64)
    for feature in np.flatnonzero(has_moved(partition, old) & partition.movable).tolist():
        column = np.ascontiguousarray(rewritten[:, feature])
        rewritten[:, feature] = _core.moved_conditions(
            column, _ends(old, feature), _ends(partition, feature), int(old.n_terms[feature])
        )
    return rewritten
