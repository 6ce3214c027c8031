"""Interim: `answer` and `by_importance`, until estimators and rule sets offer them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzzyucs.estimators.base import RuleClassifier
    from fuzzyucs.evidence.evidence import Evidence
    from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["Answer", "answer", "by_importance"]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model says about rows."""

    labels: NDArray[Any]
    probability: NDArray[Any]
    evidence: Evidence


def answer(clf: RuleClassifier, X: Any) -> Answer:
    """Return what ``clf.answer(X)`` will return from a single inference."""
    if hasattr(clf, "answer"):
        found: Answer = clf.answer(X)
        return found
    return Answer(clf.predict(X), clf.predict_proba(X), clf.predict_evidence(X))


def by_importance(rules: RuleSet) -> RuleSet:
    """Return what ``rules.by_importance()`` will return: the weightiest rules first."""
    if hasattr(rules, "by_importance"):
        found: RuleSet = rules.by_importance()
        return found
    return rules if hasattr(rules, "strength") else rules.sort("numerosity")
