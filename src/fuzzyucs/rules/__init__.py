"""Fitted rules: data, wording, conditions, editing and quality."""

from fuzzyucs.rules.rule_set import EvolvedRuleSet, RuleSet
from fuzzyucs.rules.weighted import WeightedRuleSet

__all__ = ["EvolvedRuleSet", "RuleSet", "WeightedRuleSet"]
