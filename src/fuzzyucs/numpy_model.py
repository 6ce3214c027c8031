"""Another name of `fuzzyucs.deployment.numpy_model`."""

from fuzzyucs.deployment.numpy_model import Beliefs, NumpyModel

__all__ = ["Beliefs", "NumpyModel"]
