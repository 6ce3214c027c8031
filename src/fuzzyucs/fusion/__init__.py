"""Fusion: models of several sites become one, without their data."""

from fuzzyucs.fusion.fuse import estimate_reliability, fuse

__all__ = ["estimate_reliability", "fuse"]
