"""Where values lie among the terms of linguistic variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["ordered_terms", "positions"]


def positions(partition: LinguisticPartition, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Locate values among the terms.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Values in the units of the training data.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        0 is where the first term is fully true, 1 the second, and so on. Values beyond the training
        range are clipped, a constant feature lies in the middle, and NaN stays NaN.
    """
    found = _core.locate(np.ascontiguousarray(X), *partition.ordered_terms)
    even = [feature for feature in range(partition.n_features) if feature not in partition.special]
    if even:
        found[:, even] = (partition.scale(X) * (partition.n_terms - 1.0))[:, even]
    for feature in np.flatnonzero(partition.is_nominal).tolist():
        found[:, feature] = partition.special[feature].positions(X[:, feature])
    return found


def ordered_terms(
    partition: LinguisticPartition,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint32]]:
    """Peaks and ends that are neither even nor nominal, and where those of each feature begin."""
    ordered = {f: known for f, known in partition.special.items() if not known.is_nominal}
    sizes = [len(ordered[f].peaks) if f in ordered else 0 for f in range(partition.n_features)]
    peaks, ends = (
        np.concatenate([np.empty(0), *(getattr(ordered[f], name) for f in sorted(ordered))])
        for name in ("peaks", "ends")
    )
    return peaks, ends, np.cumsum([0, *sizes], dtype=np.uint32)
