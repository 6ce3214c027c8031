"""Another name of `fuzzyucs.deployment.description`."""

from fuzzyucs.deployment.description import model_data

__all__ = ["model_data"]
