"""Fitted rules: data, wording, conditions, editing and quality."""

from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.rules.expert_report import ExpertFinding, ExpertReport
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.rules.rule_set import EvolvedRuleSet, RuleSet
from fuzzyucs.rules.weighted import WeightedRuleSet

__all__ = [
    "Constraints",
    "EvolvedRuleSet",
    "ExpertFinding",
    "ExpertReport",
    "ProfiledRuleSet",
    "RuleSet",
    "WeightedRuleSet",
]
