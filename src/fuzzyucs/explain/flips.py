"""Flips: the smallest changes of single values that would change an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import class_names
from fuzzyucs.explain.grid import TINY, Grid
from fuzzyucs.variables.variables import Variables

__all__ = ["Flip", "changed_rows", "find_flips", "values_to_try"]

N_BISECTIONS = 40
MOST_VALUES = 4_000_000  # held in memory at a time
WHY_NONE = {
    "contradiction": "rules contradict each other",
    "undecided": "too uncertain",
    "evidence": "too little evidence",
    "missing": "too little evidence",
    "novelty": "unlike anything seen",
}

Array = NDArray[np.float64]
Predict = Callable[[Array], NDArray[Any]]
NO_GRID = Grid()


@dataclass(frozen=True)
class Flip:
    """A change of one value that gives another answer.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : float, category, datetime or timedelta
        The value of the record; NaN if it is missing.
    other : float, category, datetime or timedelta
        The nearest value that gives another answer; NaN if it is that the value is missing.
    label : object
        That answer; where there is none, the most probable class.
    distance : float
        How far it is, in ranges of the feature; 1 for another category, infinite if a value is
        missing before or after the change.
    text : str
        The change in words.
    kind : {"change", "known", "missing"}
        Whether a value becomes another one, becomes known, or becomes missing.
    reason : str
        Why there is no answer then, as in `Evidence.reason`; empty if there is one.
    """

    feature: str
    value: Any
    other: Any
    label: Any
    distance: float
    text: str
    kind: str = "change"
    reason: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether the change gives another answer, and not none."""
        return not self.reason

    def __str__(self) -> str:
        if self.is_answer:
            return f"{self.text} gives {class_names([self.label])[0]}"
        return f"{self.text} gives no answer: {WHY_NONE[self.reason]}"


def find_flips(
    variables: Variables,
    record: Array,
    features: NDArray[np.intp],
    predict: Predict,
    own: Any = None,
    conditions: Mapping[int, NDArray[Any]] | None = None,
    others: Mapping[int, Array] | None = None,
    grid: Grid = NO_GRID,
) -> list[Flip]:
    """Find for each feature the nearest value that gives another answer.

    Values are tried in small steps over the range of a feature (16 between any two peaks of terms,
    256 for plain numbers, every category), and the first that changes the answer is narrowed down.
    All values lie within that range, wherever the record's value lies.

    Parameters
    ----------
    variables : Variables
        The features.
    record : ndarray of shape (n_features,)
        The record. Features without a value are left out.
    features : ndarray of int
        Which features to try.
    predict : callable
        Turns records into answers.
    own : object, optional
        The answer of the record, if it is known already.
    conditions : mapping of int to ndarray, optional
        The conditions on each feature that answers depend on. Values between which none of them
        changes are not tried.
    others : mapping of int to ndarray, optional
        Further values of features with an order to try, ascending.
    grid : Grid
        Values that features can have: on it are those that are tried, and those that are found.

    Returns
    -------
    list of Flip
        At most one for each feature, the smallest change first.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.explain.flips import find_flips
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0, 0.0], [8.0, 1.0]]), 5, ["a", "b"])
    >>> def is_large(X):
    ...     return X[:, 0] + X[:, 1] > 5
    >>> for flip in find_flips(partition, np.array([4.5, 0.0]), np.arange(2), is_large):
    ...     print(flip)
    a 4.5 -> 5.001 gives True
    b 0 -> 0.501 gives True
    """
    if own is None:
        own = predict(record[np.newaxis])[0]
    tries = {
        feature: values_to_try(variables, feature, conditions, others, grid)
        for feature in features.tolist()
        if not np.isnan(record[feature])
    }
    brackets = _find_brackets(variables, record, tries, own, predict, grid)
    if not len(brackets.feature):
        return []

    def answers(values: Array, rows: NDArray[np.intp]) -> NDArray[Any]:
        changed = np.tile(record, (len(rows), 1))
        changed[np.arange(len(rows)), brackets.feature[rows]] = values[rows]
        return predict(changed)

    far = _narrow(brackets, lambda values, rows: answers(values, rows) != own)
    labels = answers(far, np.arange(len(far)))
    best: dict[int, Flip] = {}
    for feature, other, label in zip(brackets.feature.tolist(), far.tolist(), labels, strict=True):
        value = float(record[feature])
        flip = Flip(
            variables.feature_names[feature],
            variables.columns.label(feature, value),
            variables.columns.label(feature, other),
            label,
            _distance(variables, feature, value, other),
            variables.describe_change(feature, value, other),
        )
        if feature not in best or flip.distance < best[feature].distance:
            best[feature] = flip
    return sorted(best.values(), key=lambda flip: flip.distance)


def values_to_try(
    variables: Variables,
    feature: int,
    conditions: Mapping[int, NDArray[Any]] | None = None,
    others: Mapping[int, Array] | None = None,
    grid: Grid = NO_GRID,
) -> Array:
    """Return the values of a feature to try, as `find_flips` takes its parameters."""
    # Rounded values may be told apart by conditions that the others are not.
    asked = None if feature in grid else (conditions or {}).get(feature)
    values = variables.values_to_try(feature, asked)
    if variables.is_coded(feature) or not variables.has_order(feature):
        return values
    if others is not None:
        values = np.union1d(values, others.get(feature, values))
    return grid.values(feature, values) if feature in grid else values


def changed_rows(record: Array, features: list[int], tries: Mapping[int, Array]) -> Array:
    """Return the record with each of the values to try, one after the other."""
    sizes = [len(tries[feature]) for feature in features]
    rows = np.tile(record, (sum(sizes), 1))
    values = np.concatenate([tries[feature] for feature in features])
    rows[np.arange(len(rows)), np.repeat(features, sizes)] = values
    return rows


@dataclass(frozen=True)
class _Brackets:
    """Pairs of values of a feature, the nearer with the record's answer, the other with another.

    `factor` is the number by which a value is multiplied before it is rounded to a whole number,
    NaN if it is not rounded; `is_above` tells whether the values are above the record's. Dates are
    rounded as `variables` do it. Values stay between `low` and `high`, and those of features
    `on_grid` are whole numbers divided by the factor.
    """

    variables: Variables

    feature: NDArray[np.intp]
    near: Array
    far: Array
    factor: Array
    is_above: NDArray[np.bool_]
    low: Array
    high: Array
    on_grid: NDArray[np.bool_]

    def rounded(self, values: Array) -> Array:
        """Round away from the record's value; values without a factor stay."""
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = values * self.factor
            steps = np.where(self.is_above, np.ceil(scaled), np.floor(scaled))
            result: Array = np.where(np.isfinite(steps), steps / self.factor, values)
        times = self.variables.columns.times
        for row, feature in enumerate(self.feature.tolist()):
            if feature in times:
                up = bool(self.is_above[row])
                result[row] = self.variables.round_time(feature, float(values[row]), up=up)
        is_inside = (self.low <= result) & (result <= self.high)
        return np.where(is_inside, result, values)


def _find_brackets(
    variables: Variables,
    record: Array,
    tries: Mapping[int, Array],
    own: Any,
    predict: Predict,
    grid: Grid,
) -> _Brackets:
    """Try values of each feature; return the nearest with another answer, above and below."""
    found: list[tuple[int, float, float]] = []
    wanted = [f for f in tries if len(tries[f])]  # a constant has no other values
    longest = max((len(tries[f]) for f in wanted), default=1)
    step = max(1, MOST_VALUES // (len(record) * longest))
    for first in range(0, len(wanted), step):
        some = wanted[first : first + step]
        sizes = [len(tries[f]) for f in some]
        labels, ends = predict(changed_rows(record, some, tries)), np.cumsum(sizes)[:-1]
        for feature, answers in zip(some, np.split(labels, ends), strict=True):
            is_other = answers != own
            if not is_other.any():
                continue
            if variables.has_order(feature) and not variables.is_coded(feature):
                found += [
                    (feature, near, far)
                    for near, far in _neighbours(tries[feature], is_other, record[feature])
                ]
            else:
                far_values = tries[feature][is_other]
                found += [(feature, value, value) for value in far_values.tolist()]
    features = np.array([feature for feature, _, _ in found], dtype=np.intp)
    near, far = np.array([pair for _, *pair in found]).reshape(-1, 2).T
    return _Brackets(
        variables,
        features,
        near,
        far,
        np.array([grid.factors.get(f, _rounding_factor(variables, f)) for f in features.tolist()]),
        far > record[features],
        np.array([tries[feature].min() for feature in features.tolist()]),
        np.array([tries[feature].max() for feature in features.tolist()]),
        np.array([f in grid for f in features.tolist()], dtype=bool),
    )


def _narrow(
    brackets: _Brackets, is_other: Callable[[Array, NDArray[np.intp]], NDArray[np.bool_]]
) -> Array:
    """Return values with another answer, as near as possible: round numbers if they do as well.

    Bisection of a bracket pauses when both of its ends round to the same number, which settles
    what the result rounds to; it goes on if that number turns out to have the record's answer.
    """
    near, far = _narrow_on_grid(brackets, is_other)

    def bisect(is_open: NDArray[np.bool_]) -> None:
        rows = np.flatnonzero(is_open)
        middle = near / 2 + far / 2
        other = rows[is_other(middle, rows)]
        own = np.setdiff1d(rows, other, assume_unique=True)
        far[other], near[own] = middle[other], middle[own]

    is_open = (brackets.near != brackets.far) & ~brackets.on_grid
    n_steps = np.zeros(len(far), dtype=int)
    is_rounding = np.isfinite(brackets.factor)
    while is_open.any():
        bisect(is_open)
        n_steps[is_open] += 1
        is_settled = is_rounding & (brackets.rounded(near) == brackets.rounded(far))
        is_open &= ~is_settled & (n_steps < N_BISECTIONS)
    rounded = brackets.rounded(far)
    is_round = is_other(rounded, np.arange(len(far)))
    for step in range(N_BISECTIONS):
        is_open = ~is_round & (n_steps <= step) & (brackets.near != brackets.far)
        is_open &= ~brackets.on_grid
        if is_open.any():
            bisect(is_open)
    return np.where(is_round & ~brackets.on_grid, rounded, far)


def _narrow_on_grid(
    brackets: _Brackets, is_other: Callable[[Array, NDArray[np.intp]], NDArray[np.bool_]]
) -> tuple[Array, Array]:
    """Return the ends of brackets; those on the grid become neighbours on it."""
    near, far, rows = brackets.near.copy(), brackets.far.copy(), np.flatnonzero(brackets.on_grid)
    factor, is_above = brackets.factor[rows], brackets.is_above[rows]
    steps = np.round(far[rows] * factor)
    last = near[rows] * factor
    before = np.where(is_above, np.floor(last + TINY), np.ceil(last - TINY))
    while len(open_ := np.flatnonzero(np.abs(steps - before) > 1)):
        middle, trial = np.floor((steps[open_] + before[open_]) / 2), far.copy()
        trial[rows[open_]] = middle / factor[open_]
        is_far = is_other(trial, rows[open_])
        steps[open_[is_far]], before[open_[~is_far]] = middle[is_far], middle[~is_far]
    far[rows] = steps / factor
    return near, far


def _neighbours(
    values: Array, is_other: NDArray[np.bool_], own: float
) -> list[tuple[float, float]]:
    """Return the nearest other values above and below, each with one before it that is not."""
    above = np.flatnonzero(is_other & (values > own))[:1]
    below = np.flatnonzero(is_other & (values < own))[-1:]
    found = []
    for index, near in [*((k, k - 1) for k in above), *((k, k + 1) for k in below)]:
        inside = 0 <= near < len(values) and bool(
            values[near] > own if values[index] > own else values[near] < own
        )
        border = float(np.clip(own, values[0], values[-1]))
        found.append((float(values[near]) if inside else border, float(values[index])))
    return found


def _rounding_factor(variables: Variables, feature: int) -> float:
    """Return what makes whole numbers of values to a thousandth of the range or finer."""
    width = _width(variables, feature)
    if not (variables.has_order(feature) and 0 < width < np.inf):
        return np.nan
    digits = 3 - int(np.floor(np.log10(width)))
    return 10.0**digits if -300 < digits < 300 else np.nan


def _width(variables: Variables, feature: int) -> float:
    """Return the range, which may be infinite."""
    return 2 * float(variables.maximum[feature] / 2 - variables.minimum[feature] / 2)


def _distance(variables: Variables, feature: int, value: float, other: float) -> float:
    if not variables.has_order(feature):
        return 1.0
    half = float(variables.maximum[feature] / 2 - variables.minimum[feature] / 2)
    return abs(other / 2 - value / 2) / half if half > 0 else np.inf
