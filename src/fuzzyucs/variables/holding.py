"""Which conditions hold: yes or no, as their texts say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.borders import Borders
from fuzzyucs.variables.coding import accepted_terms

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["holds"]


def holds(
    partition: LinguisticPartition, conditions: NDArray[np.uint64], X: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell for which rows every condition of a rule holds, as its text says.

    A condition holds where its terms are at least half true: up to, from or between the numbers
    that `describe_plain` tells, borders included; of categories, for those it lists. So
    "size is at most medium (<= 5)" holds for 5 and less. For training values this is the same
    as a membership of at least one half. A missing value fulfils no condition, and neither does a
    category that is not known. Terms that are no neighbours hold where one run of them does.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Sets of terms, as in `RuleSet`. A rule that asks nothing holds for every row.
    X : ndarray of shape (n_samples, n_features)
        Values in the units of the training data.

    Returns
    -------
    ndarray of bool of shape (n_samples, n_rules)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> partition.describe_plain(0, 0b00111)
    'size is at most medium (<= 5)'
    >>> rules = np.array([[0b00111], [0b11000]], dtype=np.uint64)
    >>> partition.holds(rules, np.array([[4.0], [5.0], [5.1], [np.nan]]))
    array([[ True, False],
           [ True,  True],
           [False,  True],
           [False, False]])
    """
    for name, table in (("conditions", conditions), ("X", X)):
        if table.ndim != 2 or table.shape[1] != partition.n_features:
            raise ValueError(
                f"{name} must have {partition.n_features} columns, one for each feature, got an "
                f"array of shape {table.shape}"
            )
    asked = ~partition.dont_cares(conditions)
    held = np.ones((len(conditions), len(X)), dtype=bool)
    for feature in np.flatnonzero(asked.any(axis=0)).tolist():
        places, are_both = _places(partition, feature, X[:, feature])
        sets, which = np.unique(conditions[:, feature], return_inverse=True)
        for index, terms in enumerate(sets.tolist()):
            rules = np.flatnonzero((which == index) & asked[:, feature])
            if not rules.size:
                continue
            truth = _accepted(terms, are_both).take(places)
            for rule in rules.tolist():  # indexing by an array would copy rows to and fro
                held[rule] &= truth
    return held.T


def _places(
    partition: LinguisticPartition, feature: int, x: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Locate values: 2 t within term t, 2 t + 1 between t and t + 1, and -1 if missing.

    Also tell of each pair of neighbours whether values between belong to both of them or to none.
    """
    if partition.has_numbers(feature):
        borders = partition.numbered_borders(feature)
    else:
        x = partition.only(feature).positions(x[:, np.newaxis])[:, 0]
        halves = np.arange(int(partition.n_terms[feature]) - 1, dtype=np.float64) + 0.5
        borders = Borders(halves, halves)
    above = np.searchsorted(borders.at_most, x, "left")
    places = above + np.searchsorted(borders.at_least, x, "right")
    places[np.isnan(x)] = -1
    return places, borders.at_least <= borders.at_most


def _accepted(terms: int, are_both: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell for each place whether a set of terms holds there; at the end, for missing values."""
    is_in = accepted_terms(terms, len(are_both) + 1)
    accepted = np.zeros(2 * len(is_in), dtype=bool)
    accepted[:-1:2] = is_in
    accepted[1:-1:2] = np.where(are_both, is_in[:-1] | is_in[1:], is_in[:-1] & is_in[1:])
    return accepted
