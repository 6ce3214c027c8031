"""Another name of `fuzzyucs.evidence.support`."""

from fuzzyucs.evidence.support import Reason, Support

__all__ = ["Reason", "Support"]
