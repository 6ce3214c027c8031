"""What displays ask of a model: its features, and the rules that decide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.plots._style import Array
from fuzzyucs.rules import RuleSet, WeightedRuleSet

__all__ = ["deciding_rules", "importance"]


def deciding_rules(estimator: Any) -> tuple[RuleSet, NDArray[np.intp]]:
    """Return the rules that decide, and their places in `rules_` or `weighted_rules_`."""
    if not isinstance(estimator, RuleClassifier):
        raise TypeError(f"rules are needed, which {type(estimator).__name__} lacks")
    estimator._check_fitted()
    rules = estimator._deciding_rules()
    if isinstance(rules, WeightedRuleSet):
        return rules, np.arange(len(rules))
    return rules, np.flatnonzero(estimator.rules_.experience > estimator._least_experience())


def importance(rules: RuleSet) -> Array:
    """Return what rules are worth: their evidence, or else their votes when they match fully."""
    if isinstance(rules, WeightedRuleSet):
        return rules.evidence
    votes: Array = np.maximum(rules.fitness, 0.0) * rules.numerosity
    return votes
