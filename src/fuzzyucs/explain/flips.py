"""Flips: the smallest changes of single values that would change an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.variables import Variables

__all__ = ["Flip", "find_flips"]

N_BISECTIONS = 40
MOST_VALUES = 4_000_000  # held in memory at a time

Array = NDArray[np.float64]
Predict = Callable[[Array], NDArray[Any]]


@dataclass(frozen=True)
class Flip:
    """A change of one value that gives another answer.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : float or category
        The value of the record.
    other : float or category
        The nearest value that gives another answer.
    label : object
        That answer.
    distance : float
        How far it is, in ranges of the feature; 1 for another category.
    text : str
        The change in words.
    """

    feature: str
    value: Any
    other: Any
    label: Any
    distance: float
    text: str

    def __str__(self) -> str:
        return f"{self.text} gives {self.label}"


def find_flips(
    variables: Variables, record: Array, features: NDArray[np.intp], predict: Predict
) -> list[Flip]:
    """Find for each feature the nearest value that gives another answer.

    Values are tried in small steps over the range of a feature (16 between any two peaks of terms,
    256 for plain numbers, every category), and the first that changes the answer is narrowed down.

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
    own = predict(record[np.newaxis])[0]
    brackets: list[tuple[int, float, float]] = []
    wanted = [f for f in features.tolist() if not np.isnan(record[f])]
    tries = {feature: variables.values_to_try(feature) for feature in wanted}
    step = max(1, MOST_VALUES // (len(record) * max(map(len, tries.values()), default=1)))
    for first in range(0, len(wanted), step):
        some = wanted[first : first + step]
        labels = predict(np.concatenate([_changed(record, f, tries[f]) for f in some]))
        ends = np.cumsum([len(tries[f]) for f in some])[:-1]
        for feature, found in zip(some, np.split(labels, ends), strict=True):
            is_other = found != own
            if variables.has_order(feature) and not variables.is_coded(feature):
                brackets += [
                    (feature, near, far)
                    for near, far in _brackets(tries[feature], is_other, record[feature])
                ]
            else:
                far_values = tries[feature][is_other]
                brackets += [(feature, value, value) for value in far_values.tolist()]
    if not brackets:
        return []
    places = np.array([feature for feature, _, _ in brackets])
    near = np.array([value for _, value, _ in brackets])
    far = np.array([value for _, _, value in brackets])

    def answers(values: Array) -> NDArray[Any]:
        rows = np.tile(record, (len(values), 1))
        rows[np.arange(len(values)), places] = values
        return predict(rows)

    for _ in range(N_BISECTIONS):
        middle = near / 2 + far / 2
        is_other = answers(middle) != own
        far, near = np.where(is_other, middle, far), np.where(is_other, near, middle)
    # Numbers that people can read, if they do as well.
    rounded = np.array(
        [
            _rounded(variables, f, float(v), float(record[f]))
            for f, v in zip(places, far, strict=True)
        ]
    )
    labels = answers(rounded)
    far = np.where(labels != own, rounded, far)
    labels = answers(far)
    best: dict[int, Flip] = {}
    for feature, other, label in zip(places.tolist(), far.tolist(), labels, strict=True):
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


def _changed(record: Array, feature: int, values: Array) -> Array:
    rows = np.tile(record, (len(values), 1))
    rows[:, feature] = values
    return rows


def _brackets(values: Array, is_other: NDArray[np.bool_], own: float) -> list[tuple[float, float]]:
    """Return the nearest other values above and below, each with one before it that is not."""
    above = np.flatnonzero(is_other & (values > own))[:1]
    below = np.flatnonzero(is_other & (values < own))[-1:]
    found = []
    for place, near in [*((k, k - 1) for k in above), *((k, k + 1) for k in below)]:
        inside = 0 <= near < len(values) and bool(
            values[near] > own if values[place] > own else values[near] < own
        )
        found.append((float(values[near]) if inside else own, float(values[place])))
    return found


def _rounded(variables: Variables, feature: int, value: float, own: float) -> float:
    """Round away from the record's value, to a thousandth of the range or finer."""
    width = _width(variables, feature)
    if not (variables.has_order(feature) and 0 < width < np.inf):
        return value
    digits = 3 - int(np.floor(np.log10(width)))
    if not -300 < digits < 300:
        return value
    factor = 10.0**digits
    steps = np.ceil(value * factor) if value > own else np.floor(value * factor)
    return float(steps / factor) if np.isfinite(steps) else value


def _width(variables: Variables, feature: int) -> float:
    """Return the range, which may be infinite."""
    return 2 * float(variables.maximum[feature] / 2 - variables.minimum[feature] / 2)


def _distance(variables: Variables, feature: int, value: float, other: float) -> float:
    if not variables.has_order(feature):
        return 1.0
    half = float(variables.maximum[feature] / 2 - variables.minimum[feature] / 2)
    return abs(other / 2 - value / 2) / half if half > 0 else np.inf
