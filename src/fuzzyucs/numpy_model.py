"""Another name of `fuzzyucs.deployment.numpy_model`."""

from fuzzyucs.deployment.numpy_model import Beliefs, NumpyModel, evaluation_data

__all__ = ["Beliefs", "NumpyModel", "evaluation_data"]
