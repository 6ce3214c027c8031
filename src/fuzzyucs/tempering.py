"""Another name of `fuzzyucs.evidence.tempering`."""

from fuzzyucs.evidence.tempering import Tempering, temper

__all__ = ["Tempering", "temper"]
