"""Model files: fitted classifiers as JSON, without pickle."""

from fuzzyucs.deployment.model_file.save_load import VERSION, load, save

__all__ = ["VERSION", "load", "save"]
