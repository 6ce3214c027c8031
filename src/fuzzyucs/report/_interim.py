"""Interim: `answer` and `check_data`, until estimators offer them; then this file goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.evidence import Evidence

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["Answer", "answer", "check_data"]


class Answer(NamedTuple):
    """Labels, probabilities and evidence of the same rows."""

    labels: NDArray[Any]
    probability: NDArray[np.float64]
    evidence: Evidence


def answer(clf: RuleClassifier, X: Any) -> Answer:
    """Return everything that a classifier says about rows."""
    if hasattr(clf, "answer"):
        found: Answer = clf.answer(X)
        return found
    return Answer(clf.predict(X), clf.predict_proba(X), clf.predict_evidence(X))


def check_data(
    clf: RuleClassifier, X: Any, y: Any
) -> tuple[NDArray[np.float64], NDArray[np.integer[Any]]]:
    """Return data as a table of numbers, and the indices of their classes."""
    if hasattr(clf, "check_data"):
        table, indices = clf.check_data(X, y)
        return table, indices
    table, truth = clf._validate(X, y, reset=False)
    return table, clf._numbered(truth)
