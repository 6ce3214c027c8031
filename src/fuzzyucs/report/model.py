"""Another name of `fuzzyucs.deployment.description`."""

from fuzzyucs.deployment.description import describe, model_data

__all__ = ["describe", "model_data"]
