"""What changes of values may change: the answer, or that there is none."""

from typing import Any

from numpy.typing import NDArray

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.explain.flips import Flip

__all__ = ["outcome_of", "outcomes"]


def outcomes(clf: Any, X: Any) -> NDArray[Any]:
    """Return the answers to records; None where a verdict is no answer."""
    labels = clf.predict(X).astype(object)
    if isinstance(clf, EvidentialRuleClassifier):
        labels[clf.predict_evidence(X).verdict != "answer"] = None
    return labels


def outcome_of(flip: Flip) -> Any:
    """Return what a flip says that it gives."""
    return flip.label if flip.is_answer else None
