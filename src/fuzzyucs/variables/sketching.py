"""What a condition accepts, and where a value lies, for small pictures of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fuzzyucs.variables.coding import accepted_terms

if TYPE_CHECKING:
    from fuzzyucs.variables.intervals import IntervalVariables
    from fuzzyucs.variables.linguistic import LinguisticPartition
    from fuzzyucs.variables.variables import Variables

__all__ = ["Sketch", "accepted_categories", "interval_outline", "sketch", "term_outline"]

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Sketch:
    """A condition on one feature, as a picture shows it.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : str
        The record's value, or "missing".
    place : float or None
        Where it lies, from 0, the least value of the training data, to 1, the greatest. It may lie
        outside. Of categories, their number. None if it is missing or was not seen in training.
    ends : tuple of str
        The least and the greatest value; empty without order.
    outline : list of tuple of float
        Places and the degrees to which values there fulfil the condition, between which it changes
        evenly; empty without order.
    categories : list of tuple of str and bool
        Categories without order, and whether the condition accepts them.
    """

    feature: str
    value: str
    place: float | None
    ends: tuple[str, str] | tuple[()]
    outline: Points
    categories: list[tuple[str, bool]]


def sketch(
    variables: Variables, feature: int, condition: Any, value: float, position: float
) -> Sketch:
    """Return what a picture of a condition shows.

    Parameters
    ----------
    variables : Variables
        The features.
    feature : int
        Index of the feature.
    condition : int or pair of float
        What is asked of it.
    value, position : float
        The record's value, and where it lies on its variable.

    Returns
    -------
    Sketch

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.sketching import sketch
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
    >>> found = sketch(partition, 0, 0b011, 6.0, 1.5)
    >>> found.outline, found.place, found.ends
    ([(0.0, 1.0), (0.5, 1.0), (1.0, 0.0)], 0.75, ('0', '8'))
    """
    name = variables.feature_names[feature]
    is_known = not np.isnan(position)
    text = variables.write(feature, value) if is_known else "missing"
    if not is_known and not np.isnan(value):
        text = "not seen in training"
    if not variables.has_order(feature):
        accepted = variables.accepted_categories(feature, condition)
        names = [name for name, _ in accepted]
        place = float(names.index(text)) if text in names else None
        return Sketch(name, text, place, (), [], accepted)
    outline = variables.outline(feature, condition)
    low, high = outline[0][0], outline[-1][0]

    def located(x: float) -> float:
        return (x / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.5

    places: Points = []
    for x, degree in outline:
        point = (located(x), degree)
        if point not in places:
            places.append(point)
    ends = (_end(variables, feature, low), _end(variables, feature, high, is_end=True))
    return Sketch(name, text, located(value) if is_known else None, ends, places, [])


def _end(variables: Variables, feature: int, value: float, *, is_end: bool = False) -> str:
    """Write an end of a range; a number with few digits, as there is little room."""
    is_number = not variables.is_coded(feature) and feature not in variables.columns.times
    shown = float(f"{value:.4g}") if is_number else value
    return variables.write(feature, shown, is_end=is_end)


def term_outline(partition: LinguisticPartition, feature: int, condition: int) -> Points:
    """Return values of a feature and the degrees to which they fulfil a condition.

    Parameters
    ----------
    feature : int
        Index of a feature with order.
    condition : int
        A set of terms.

    Returns
    -------
    list of tuple of float
        Between the values, degrees change evenly.
    """
    peaks, ends = partition.peaks(feature), partition.ends(feature)
    accepted = accepted_terms(condition, int(partition.n_terms[feature])).astype(float)
    points: Points = []
    for start, end, degree in zip(
        peaks.tolist(), ends.tolist(), accepted[: len(peaks)].tolist(), strict=True
    ):
        points += [(start, degree), (end, degree)]
    low = min(float(partition.minimum[feature]), points[0][0])
    high = max(float(partition.maximum[feature]), points[-1][0])
    return [(low, points[0][1]), *points, (high, points[-1][1])]


def interval_outline(variables: IntervalVariables, feature: int, condition: ArrayLike) -> Points:
    """Return values of a feature, and whether they fulfil a condition.

    Parameters
    ----------
    feature : int
        Index of the feature.
    condition : pair of float
        Bounds, as in `RuleSet`.

    Returns
    -------
    list of tuple of float

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import IntervalVariables
    >>> IntervalVariables.of(np.array([[0.0], [8.0]]), ["size"]).outline(0, (0.25, 1.0))
    [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (8.0, 1.0), (8.0, 0.0)]
    """
    low, high = float(variables.minimum[feature]), float(variables.maximum[feature])
    lower, upper = (
        low * (1 - share) + high * share for share in np.sort(np.asarray(condition)).tolist()
    )
    points = [(low, 0.0), (lower, 0.0), (lower, 1.0), (upper, 1.0), (upper, 0.0), (high, 0.0)]
    return list(dict.fromkeys(points))


def accepted_categories(
    partition: LinguisticPartition, feature: int, condition: int
) -> list[tuple[str, bool]]:
    """Return the categories of a feature without order, and whether a condition accepts them.

    Parameters
    ----------
    feature : int
        Index of the feature.
    condition : int
        A set of terms.

    Returns
    -------
    list of tuple of str and bool
    """
    accepted = set(partition.words(feature, condition))
    values = partition.listed_values(feature).tolist()
    names = [partition.value_name(feature, value) for value in values]
    return [(name, name in accepted) for name in names]
