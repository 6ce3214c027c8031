"""Fitted rules: data, wording, conditions, editing and quality."""

from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.rules.rule_set import EvolvedRuleSet, RuleSet
from fuzzyucs.rules.weighted import WeightedRuleSet

__all__ = ["Constraints", "EvolvedRuleSet", "ProfiledRuleSet", "RuleSet", "WeightedRuleSet"]
