"""Fitted rules: data, wording, conditions, editing and quality."""

from fuzzyucs.rules.rule_set import EvolvedRuleSet, RuleSet, WeightedRuleSet

__all__ = ["EvolvedRuleSet", "RuleSet", "WeightedRuleSet"]
