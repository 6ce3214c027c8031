"""Flips where a value is missing: what would change the answer if it were known, or were lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.explain.flips import (
    MOST_VALUES,
    N_BISECTIONS,
    NO_GRID,
    Array,
    Flip,
    Predict,
    changed_rows,
    values_to_try,
)
from fuzzyucs.explain.grid import Grid
from fuzzyucs.variables.variables import Variables

__all__ = ["flips_if_known", "flips_if_missing"]

DIGITS = 4  # of a value that divides answers


def flips_if_missing(
    variables: Variables,
    record: Array,
    predict: Predict,
    own: Any,
    features: NDArray[np.intp] | None = None,
) -> list[Flip]:
    """Find the values without which the answer would be another one.

    Parameters
    ----------
    variables : Variables
        The features.
    record : ndarray of shape (n_features,)
        The record.
    predict : callable
        Turns records into answers.
    own : object
        The answer of the record.
    features : ndarray of int, optional
        Which features to try; by default all.

    Returns
    -------
    list of Flip
        In the order of the features.
    """
    tried = np.arange(len(record)) if features is None else features
    known = tried[~np.isnan(record[tried])]
    rows = np.tile(record, (len(known), 1))
    rows[np.arange(len(known)), known] = np.nan
    labels = predict(rows) if len(known) else np.empty(0)
    return [
        Flip(
            variables.feature_names[feature],
            variables.columns.label(feature, record[feature]),
            np.nan,
            label,
            np.inf,
            f"{_value(variables, feature, record[feature])} -> (missing)",
            "missing",
        )
        for feature, label in zip(known.tolist(), labels, strict=True)
        if label != own
    ]


def flips_if_known(
    variables: Variables,
    record: Array,
    predict: Predict,
    own: Any,
    others: Mapping[int, Array] | None = None,
    features: NDArray[np.intp] | None = None,
    grid: Grid = NO_GRID,
) -> list[Flip]:
    """Find the missing values that would change the answer if they were known.

    Parameters
    ----------
    variables : Variables
        The features.
    record : ndarray of shape (n_features,)
        The record.
    predict : callable
        Turns records into answers.
    own : object
        The answer of the record.
    others : mapping of int to ndarray, optional
        Further values of features with an order to try, ascending.
    features : ndarray of int, optional
        Which features to try; by default all.
    grid : Grid
        Values that features can have: only these are tried and told.

    Returns
    -------
    list of Flip
        At most one for each feature, those first of which the most values change the answer. Of
        several stretches of values the longest is told.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.explain.missing_flips import flips_if_known
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0, 0.0], [8.0, 1.0]]), 5, ["a", "b"])
    >>> def is_large(X):
    ...     return X[:, 0] > 5.5
    >>> for flip in flips_if_known(partition, np.array([np.nan, 0.0]), is_large, False):
    ...     print(flip)
    a (missing) -> at least 5.501 gives True
    """
    found = []
    tried = np.arange(len(record)) if features is None else features
    for feature in tried[np.isnan(record[tried])].tolist():
        values = values_to_try(variables, feature, None, others, grid)
        if not len(values):
            continue
        step = max(1, MOST_VALUES // len(record))
        labels = np.concatenate(
            [
                predict(changed_rows(record, [feature], {feature: values[first : first + step]}))
                for first in range(0, len(values), step)
            ]
        )
        if (labels != own).any():
            flip = _longest(variables, record, feature, values, labels, predict, own, grid)
            found.append((float((labels != own).mean()), flip))
    return [flip for _, flip in sorted(found, key=lambda pair: -pair[0])]


def _longest(
    variables: Variables,
    record: Array,
    feature: int,
    values: Array,
    labels: NDArray[Any],
    predict: Predict,
    own: Any,
    grid: Grid,
) -> Flip:
    """Return the longest stretch of values with another answer as a flip."""
    if variables.is_coded(feature) or not variables.has_order(feature):
        index = int(np.flatnonzero(labels != own)[0])
        name = variables.feature_names[feature]
        text = f"{name} (missing) -> {variables.write(feature, values[index])}"
        return _known(variables, feature, float(values[index]), labels[index], text)
    starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    ends = np.append(starts[1:], len(labels)) - 1
    others = [k for k in range(len(starts)) if labels[starts[k]] != own]
    best = max(others, key=lambda k: values[ends[k]] - values[starts[k]])
    first, last = int(starts[best]), int(ends[best])
    label = labels[first]

    def is_inside(value: float) -> bool:
        row = changed_rows(record, [feature], {feature: np.array([value])})
        return bool(predict(row)[0] == label)

    def border(inside: int, outside: int) -> float:
        """Return a value that gives the same answer as one inside, as near to the outside."""
        far, near = float(values[inside]), float(values[outside])
        if feature in grid:
            return _border_on_grid(far, near, grid.factors[feature], is_inside)
        for _ in range(N_BISECTIONS):
            middle = near / 2 + far / 2
            if is_inside(middle):
                far = middle
            else:
                near = middle
        end = float(values[first + last - inside])
        return _short(variables, record, feature, far, end, label, predict)

    low = border(first, first - 1) if first > 0 else None
    high = border(last, last + 1) if last < len(values) - 1 else None
    text = f"{variables.feature_names[feature]} (missing) -> "
    edge = float(values[first])
    if low is not None and high is not None:
        edge, text = low, text + f"{variables.write(feature, low)} to "
        text += variables.write(feature, high, is_end=True)
    elif low is not None:
        edge, text = low, text + f"at least {variables.write(feature, low)}"
    elif high is not None:
        edge, text = high, text + f"at most {variables.write(feature, high, is_end=True)}"
    else:
        text += "any value"
    return _known(variables, feature, edge, label, text)


def _border_on_grid(
    far: float, near: float, factor: float, is_inside: Callable[[float], bool]
) -> float:
    inside, outside = round(far * factor), round(near * factor)
    while abs(inside - outside) > 1:
        middle = (inside + outside) // 2
        if is_inside(middle / factor):
            inside = middle
        else:
            outside = middle
    return inside / factor


def _short(
    variables: Variables,
    record: Array,
    feature: int,
    value: float,
    end: float,
    label: Any,
    predict: Predict,
) -> float:
    """Return a number with few digits between a border and the end, if it has the same answer."""
    size = max(abs(value), abs(end))
    if feature in variables.columns.times:
        rounded = variables.round_time(feature, value, up=end >= value)
    elif 1e-300 < size < 1e300:
        scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(size)))
        rounded = float((np.floor if end < value else np.ceil)(value * scale) / scale)
    else:
        return value
    if not min(value, end) <= rounded <= max(value, end):
        return value
    row = changed_rows(record, [feature], {feature: np.array([rounded])})
    return rounded if predict(row)[0] == label else value


def _known(variables: Variables, feature: int, other: float, label: Any, text: str) -> Flip:
    name = variables.feature_names[feature]
    shown = variables.columns.label(feature, other)
    return Flip(name, np.nan, shown, label, np.inf, text, "known")


def _value(variables: Variables, feature: int, value: float) -> str:
    return f"{variables.feature_names[feature]} {variables.write(feature, value)}"
