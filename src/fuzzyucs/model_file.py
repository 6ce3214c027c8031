"""Another name of `fuzzyucs.deployment.model_file`."""

from fuzzyucs.deployment.model_file import VERSION, load, save

__all__ = ["VERSION", "load", "save"]
