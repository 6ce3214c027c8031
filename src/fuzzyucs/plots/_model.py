"""What displays need to know of a model: the rules that decide, their importance, checked data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.plots._style import Array
from fuzzyucs.rules import RuleSet

__all__ = ["checked_table", "deciding_rules", "has_evidence", "importance"]


def deciding_rules(estimator: Any) -> tuple[RuleSet, NDArray[np.intp]]:
    """Return the rules that decide, and their indices in `rules_` or `weighted_rules_`."""
    # The class is asked, because the property of an estimator that is not fitted raises an error.
    if not hasattr(type(estimator), "deciding_rules"):
        raise TypeError(f"rules are needed, which {type(estimator).__name__} lacks")
    check_is_fitted(estimator, "rules_")
    if hasattr(estimator, "decision"):
        return estimator.decision.rules, estimator.decision.rule_indices
    # Interim: goes as soon as every estimator has `decision`.
    rules: RuleSet = estimator.deciding_rules
    if has_evidence(rules):
        return rules, np.arange(len(rules))
    least_experience = getattr(estimator, "inference_experience", -1.0)
    return rules, np.flatnonzero(estimator.rules_.experience > least_experience)


def has_evidence(rules: RuleSet) -> bool:
    """Tell whether it is known what each rule contributed on the training data."""
    return hasattr(rules, "evidence")


def importance(rules: RuleSet) -> Array:
    """Return the evidence of rules or, if it is not known, their votes when they match fully."""
    if hasattr(rules, "evidence"):
        evidence: Array = rules.evidence
        return evidence
    votes: Array = np.maximum(rules.fitness, 0.0) * rules.numerosity
    return votes


def checked_table(estimator: Any, X: Any) -> Array:
    """Return data as a table of numbers with the features of an estimator."""
    # Interim: goes as soon as `check_data` is public and can do without class labels.
    table: Array = estimator._checked(X)
    return table
