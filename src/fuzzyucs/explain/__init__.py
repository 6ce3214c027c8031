"""Explanations of single predictions: the ledger, and the smallest changes of an answer."""

from fuzzyucs.decisions.entry import Entry
from fuzzyucs.explain.flips import Flip, find_flips
from fuzzyucs.explain.ledger import Explanation

__all__ = ["Entry", "Explanation", "Flip", "find_flips"]
