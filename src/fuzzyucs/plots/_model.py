"""What displays need to know of a model: the rules that decide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.rules import RuleSet

__all__ = ["deciding_rules"]


def deciding_rules(estimator: Any) -> tuple[RuleSet, NDArray[np.intp]]:
    """Return the rules that decide, and their indices in `rules_` or `weighted_rules_`."""
    # The class is asked, because the property of an estimator that is not fitted raises an error.
    if not hasattr(type(estimator), "decision"):
        raise TypeError(f"rules are needed, which {type(estimator).__name__} lacks")
    decision = estimator.decision
    return decision.rules, decision.rule_indices
