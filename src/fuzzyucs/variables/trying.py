"""Values of a feature to try, where answers may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.coding import changes, is_fine

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["Steps", "values_to_try"]

N_STEPS = 16  # to try between two terms
N_FINE_STEPS = 4  # if there are more than 64

# Values, and between which terms each of them lies: 0 stands for the first and the second, -1 for
# values at which a term is fully true.
Steps = tuple[NDArray[np.float64], NDArray[np.intp]]


def values_to_try(
    partition: LinguisticPartition, feature: int, conditions: NDArray[Any] | None = None
) -> NDArray[np.float64]:
    """Return the values of a nominal feature, else steps between its terms.

    Parameters
    ----------
    feature : int
        Index of the feature.
    conditions : ndarray, optional
        Conditions on the feature; values between which all of them are constant are left out.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
    >>> len(partition.values_to_try(0)), len(partition.values_to_try(0, np.array([0b011])))
    (33, 18)
    """
    if partition.is_listed(feature):
        return partition.listed_values(feature)
    known = partition.steps
    if feature not in known:
        known[feature] = _steps_between(partition.peaks(feature), partition.ends(feature))
    values, segments = known[feature]
    if conditions is None:
        return values
    return values[(segments < 0) | changes(conditions, int(partition.n_terms[feature]))[segments]]


def _steps_between(peaks: NDArray[np.float64], ends: NDArray[np.float64]) -> Steps:
    """Return values in small steps from the first peak to the last end; of a constant, none."""
    if not peaks[0] < ends[-1]:
        return np.empty(0), np.empty(0, dtype=np.intp)
    n_steps = N_FINE_STEPS if is_fine(len(peaks)) else N_STEPS
    steps = np.linspace(0.0, 1.0, n_steps, endpoint=False)[1:]
    between = ends[:-1, np.newaxis] * (1.0 - steps) + peaks[1:, np.newaxis] * steps
    knots = np.union1d(peaks, ends)
    segments = np.repeat(np.arange(len(peaks) - 1), len(steps))
    values = np.concatenate([knots, between.ravel()])
    order = np.argsort(values, kind="stable")
    return values[order], np.concatenate([np.full(len(knots), -1), segments])[order]
