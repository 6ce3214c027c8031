"""Beliefs about missing values, and the degrees to which rules match with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.locating import Located
from fuzzyucs.variables.table import Table

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition
    from fuzzyucs.variables.variables import Inference

__all__ = ["Beliefs", "degrees", "dependence", "freeze", "rule_degrees", "with_beliefs"]

Beliefs = Literal["belief", "mean"]


def with_beliefs(
    partition: LinguisticPartition,
    X: NDArray[np.float64] | Table,
    kind: Beliefs = "belief",
    most_missing: float = 1.0,
    alone: NDArray[np.bool_] | None = None,
) -> LinguisticPartition:
    """Learn what known values tell about missing ones.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or Table
        Training data.
    kind : {"belief", "mean"}
        Whether known values of a record tell something about its missing ones, or terms are as
        probable as in all training data.
    most_missing : float
        Missing values of features that are missing in a greater share of the training data
        match everything.
    alone : ndarray of shape (n_features,), optional
        Features that tell nothing about others, nor others about them.

    Returns
    -------
    LinguisticPartition
    """
    table, n_terms = Table.of(X), partition.n_varied_terms
    missing = np.array([column.are_missing().mean() for column in table.columns])
    is_believed = (missing <= most_missing) & (n_terms > 0)
    located = Located(table, partition.positions)
    if kind == "mean":
        forest = TermForest.independent(located, n_terms)
    elif alone is None or not alone.any():
        forest = TermForest.grow(located, n_terms)
    else:
        forest = TermForest.grow_without(located, n_terms, alone)
    return replace(partition, forest=forest, is_believed=is_believed)


def degrees(
    partition: LinguisticPartition,
    conditions: NDArray[np.uint64],
    positions: NDArray[np.float64],
    mean: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the degrees to which rules match.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    positions : ndarray of shape (n_samples, n_features)
        Where values lie among the terms.
    mean : ndarray of shape (n_rules,), optional
        Degrees to which the rules match on average. They count where values are missing; by
        default, conditions are as if they were independent.

    Returns
    -------
    ndarray of shape (n_samples, n_rules)
    """
    together = None if mean is None else dependence(partition, conditions, mean)
    rules = partition.rule_degrees(conditions, together)
    return rules.membership(np.ascontiguousarray(positions))


def rule_degrees(
    partition: LinguisticPartition,
    conditions: NDArray[np.uint64],
    dependence: NDArray[np.float64] | None = None,
) -> _core.RuleDegrees:
    """Prepare conditions, to find the degrees to which rules match many rows.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    dependence : ndarray of shape (n_rules,), optional
        How many times more often than by chance they hold together; by default once.

    Returns
    -------
    RuleDegrees
        The native object, which works on positions.
    """
    return _core.RuleDegrees(
        partition.n_terms,
        np.ascontiguousarray(conditions),
        None if partition.forest is None else partition.forest.native,
        partition.is_believed,
        dependence,
    )


def dependence(
    partition: LinguisticPartition, conditions: NDArray[np.uint64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Tell how many times more often than by chance the conditions of rules hold together.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    mean : ndarray of shape (n_rules,)
        Degrees to which the rules match on average.

    Returns
    -------
    ndarray of shape (n_rules,)
    """
    nothing = np.full((1, partition.n_features), np.nan)
    by_chance = partition.rule_degrees(conditions).membership(nothing)[0]
    ratio: NDArray[np.float64] = mean / np.maximum(by_chance, np.finfo(float).tiny)
    return ratio


def freeze(
    partition: LinguisticPartition,
    conditions: NDArray[np.uint64],
    weights: NDArray[np.float64],
    fitness: NDArray[np.float64],
    strength: NDArray[np.float64],
    ignorance: NDArray[np.float64],
    consequent: NDArray[np.uint32],
) -> Inference:
    """Prepare rules for fast inference."""
    return _core.LinguisticInference(
        partition.n_terms,
        conditions,
        weights,
        fitness,
        strength,
        ignorance,
        consequent,
        None if partition.forest is None else partition.forest.native,
        partition.is_believed,
    )
