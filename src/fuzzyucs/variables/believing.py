"""Beliefs about missing values, and the degrees to which rules match with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.forest import TermForest

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["Beliefs", "degrees", "with_beliefs"]

Beliefs = Literal["belief", "mean"]


def with_beliefs(
    partition: LinguisticPartition,
    X: NDArray[np.float64],
    kind: Beliefs = "belief",
    most_missing: float = 1.0,
) -> LinguisticPartition:
    """Learn what known values tell about missing ones.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training data.
    kind : {"belief", "mean"}
        Whether known values of a record tell something about its missing ones, or terms are as
        probable as in all training data.
    most_missing : float
        Missing values of features that are missing in a greater share of the training data
        match everything.

    Returns
    -------
    LinguisticPartition
    """
    n_terms = partition.n_varied_terms
    is_believed = (np.isnan(X).mean(axis=0) <= most_missing) & (n_terms > 0)
    make = TermForest.grow if kind == "belief" else TermForest.independent
    return replace(partition, forest=make(partition.positions(X), n_terms), is_believed=is_believed)


def degrees(
    partition: LinguisticPartition, conditions: NDArray[np.uint32], positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the degrees to which rules match.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    positions : ndarray of shape (n_samples, n_features)
        Where values lie among the terms.

    Returns
    -------
    ndarray of shape (n_samples, n_rules)
    """
    n = len(conditions)
    nothing = np.zeros(n)
    rules = partition.freeze(
        np.ascontiguousarray(conditions),
        np.zeros((n, 1)),
        nothing,
        nothing,
        nothing,
        np.zeros(n, dtype=np.uint32),
    )
    degrees: NDArray[np.float64] = rules.membership(np.ascontiguousarray(positions))
    return degrees
