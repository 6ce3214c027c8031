"""Kinds of records: how often answers were right for complete, incomplete and strange ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.support import Support
from fuzzyucs.variables import Variables

__all__ = ["KINDS", "NOTABLE", "kinds_of_records"]

KINDS = ("complete", "incomplete", "strange")
NOTABLE = 0.1  # novelty from which on a record is strange

Array = NDArray[np.float64]


def kinds_of_records(
    X: Array, novelty: Array | None, support: Support | None, variables: Variables
) -> NDArray[np.intp]:
    """Tell which records are complete, which lack values, and which are strange.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Records.
    novelty : ndarray of shape (n_samples,), optional
        Their novelty.
    support : Support, optional
        What the training data look like.
    variables : Variables
        The features, whose ranges tell what lies outside if there is no support.

    Returns
    -------
    ndarray of shape (n_samples,)
        Indices of `KINDS`. Strange are records with a value outside of the training data or with a
        novelty of a tenth or more, whether values are missing or not.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import IntervalVariables
    >>> from fuzzyucs.report.kinds import kinds_of_records
    >>> variables = IntervalVariables.of(np.array([[0.0, 0.0], [1.0, 1.0]]), ["a", "b"])
    >>> X = np.array([[0.5, 1.0], [0.5, np.nan], [2.0, np.nan]])
    >>> kinds_of_records(X, None, None, variables)
    array([0, 1, 2])
    """
    if support is not None:
        is_strange: NDArray[np.bool_] = np.asarray(support.known.total_excess(X) > 0)
    else:
        numbers = [
            f
            for f in range(variables.n_features)
            if variables.has_order(f) and not variables.is_coded(f)
        ]
        low, high = variables.minimum[numbers], variables.maximum[numbers]
        is_strange = np.asarray(((X[:, numbers] < low) | (X[:, numbers] > high)).any(axis=1))
    if novelty is not None:
        is_strange = np.asarray(is_strange | (novelty >= NOTABLE))
    is_missing = np.isnan(X).any(axis=1)
    return np.where(is_strange, 2, np.where(is_missing, 1, 0))
