"""Candidate configurations of a search for rules, which compete on held-out data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.growth import GrowthTask
from fuzzyucs.estimators.search import FEW_ROWS, SearchTask
from fuzzyucs.variables.codes import FineTerms
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import Beliefs, LinguisticPartition
from fuzzyucs.variables.partitioning import Nominal, Partition, Way

__all__ = ["MANY_ROWS", "candidate_growth", "candidate_partitions", "candidate_searches"]

MOST_THREADS = 64  # of one growth: more have too little to do
MANY_ROWS = 1500  # from which on rules are grown by histograms alone

Array = NDArray[np.float64]


def candidate_partitions(
    X: Array,
    names: Sequence[str],
    *,
    partition: Partition | Literal["auto"],
    n_terms: int | ArrayLike | Literal["auto"],
    nominal_features: Nominal,
    columns: Columns,
) -> list[LinguisticPartition]:
    """Return the usual linguistic variables, and others if they are worth a trial.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training data.
    names : sequence of str
        Names of the features.
    partition, n_terms, nominal_features
        Parameters of `EvidentialRuleClassifier`.
    columns : Columns
        Which columns hold categories.

    Returns
    -------
    list of LinguisticPartition
    """
    is_open = isinstance(partition, Mapping) or partition == "auto"
    ways: tuple[Way, ...] = ("quantile",)
    if is_open and isinstance(n_terms, str):
        ways = ("quantile", "values")
    found = [
        LinguisticPartition.of(
            X,
            names,
            partition=way if partition == "auto" else partition,
            otherwise=way,
            n_terms=n_terms,
            nominal_features=nominal_features,
            columns=columns,
            groups_rest=True,
        )
        for way in ways
    ]
    is_same = all(
        np.array_equal(found[0].peaks(feature), found[-1].peaks(feature), equal_nan=True)
        for feature in range(X.shape[1])
    )
    return found[:1] if is_same else found


def candidate_searches(
    X: Array,
    labels: NDArray[np.uint32],
    sample_weight: Array,
    classes: NDArray[Any],
    partitions: Sequence[LinguisticPartition],
    max_conditions: int | Literal["auto"] | None,
    missing: Beliefs,
) -> dict[str, SearchTask]:
    """Return searches that differ in variables or in the number of conditions.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training data.
    labels : ndarray of shape (n_samples,)
        Indices of the classes.
    sample_weight : ndarray of shape (n_samples,)
        How much each row counts.
    classes : ndarray of shape (n_classes,)
        Class labels.
    partitions : sequence of LinguisticPartition
        The usual variables first.
    max_conditions : int, None or "auto"
        Parameter of `EvidentialRuleClassifier`.
    missing : {"belief", "mean"}
        Parameter of `EvidentialRuleClassifier`.

    Returns
    -------
    dict of str to SearchTask
        By name; the usual one comes first and has no name.
    """
    has_gaps = bool(np.isnan(X).any())

    def task(variables: LinguisticPartition, most: int | None) -> SearchTask:
        settings = _core.SearchSettings()
        if most is not None:
            settings.max_conditions = int(most)
        # Without gaps the search needs no beliefs: the winner alone learns them, later.
        known = variables.with_beliefs(X, missing) if has_gaps else variables
        return SearchTask(known, classes, X, labels, sample_weight, settings)

    limit = None if max_conditions == "auto" else max_conditions
    usual, *others = partitions
    tasks = {"": task(usual, limit)}
    for variables in others:
        tasks["a term per value"] = task(variables, limit)
    if max_conditions == "auto" and len(X) < FEW_ROWS and len(tasks[""].usable) > 1:
        tasks["single conditions"] = task(usual, 1)
    return tasks


def candidate_growth(
    X: Array,
    labels: NDArray[np.uint32],
    sample_weight: Array,
    classes: NDArray[Any],
    usual: LinguisticPartition,
    max_conditions: int | Literal["auto"] | None,
    *,
    keep: bool,
    n_jobs: int | None,
) -> GrowthTask:
    """Return growth by histograms.

    Parameters
    ----------
    X, labels, sample_weight, classes, max_conditions
        As in `candidate_searches`.
    usual : LinguisticPartition
        Variables with few terms.
    keep : bool
        Whether to keep their terms, because a user wants them.
    n_jobs : int, optional
        Number of threads, as joblib counts them.

    Returns
    -------
    GrowthTask
    """
    settings = _core.SearchSettings()
    if max_conditions is not None and not isinstance(max_conditions, str):
        settings.max_conditions = int(max_conditions)
    fine = FineTerms(usual, X, keep=keep)
    n_threads = min(effective_n_jobs(n_jobs), MOST_THREADS)
    return GrowthTask(fine, classes, X, labels, sample_weight, settings, n_threads)
