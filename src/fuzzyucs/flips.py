"""Another name of `fuzzyucs.explain.flips`."""

from fuzzyucs.explain.flips import Flip, find_flips

__all__ = ["Flip", "find_flips"]
