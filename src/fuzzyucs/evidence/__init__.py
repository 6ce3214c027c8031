"""Belief masses: what evidence is, and how it is combined, weighted, calibrated and discounted."""

from fuzzyucs.evidence.evidence import Evidence

__all__ = ["Evidence"]
