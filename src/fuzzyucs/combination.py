"""Another name of `fuzzyucs.evidence.combination`."""

from fuzzyucs.evidence.combination import RULES, combine

__all__ = ["RULES", "combine"]
