"""What is said of rules that experts stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.claims import as_reliability

if TYPE_CHECKING:
    from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = [
    "conclusion_of",
    "origin",
    "present_reliability",
    "shown_reliability",
    "stated_as_dict",
]


def shown_reliability(reliability: float) -> str:
    """Write a reliability in few digits, and never as 1, or as 0 if there is some.

    Examples
    --------
    >>> from fuzzyucs.rules.expert_wording import shown_reliability
    >>> [shown_reliability(r) for r in (0.8, 0.655, 0.9999, 1e-6)]
    ['0.8', '0.66', 'above 0.99', 'below 0.01']
    """
    if reliability < 0.005:
        return "below 0.01"
    if reliability > 0.995:
        return "above 0.99"
    return f"{reliability:.2f}".rstrip("0")


def present_reliability(rules: ProfiledRuleSet) -> NDArray[np.float64]:
    """Return the reliability of each rule as it is in the model: the mass on what it says."""
    return as_reliability(rules.log_odds)


def origin(rules: ProfiledRuleSet, rule: int, end: str = "; ") -> str:
    """Tell of an expert's rule that it is one, and how reliable; nothing of a learned one."""
    if not rules.is_expert[rule]:
        return ""
    said = f"expert's rule, reliability {rules.reliability[rule]:.2g}"
    if rules.class_rows.sum():
        said += f", with the data {shown_reliability(present_reliability(rules)[rule])}"
    return said + end


def conclusion_of(rules: ProfiledRuleSet, rule: int) -> str:
    """Say what a rule concludes, and to how many records of each class it applies."""
    if not rules.class_rows.sum():
        return f"{rules.label(rule)} ({origin(rules, rule, end='')})"
    return f"{rules.label(rule)} ({origin(rules, rule)}{rules.applies_to(rule)})"


def stated_as_dict(rules: ProfiledRuleSet, rule: int) -> dict[str, Any]:
    """Return what an expert stated as JSON has it; nothing of a learned rule."""
    if not rules.is_expert[rule]:
        return {}
    stated = {"reliability": rules.reliability[rule], "worth": rules.worth[rule]}
    return {"expert": {name: float(value) for name, value in stated.items()}}
