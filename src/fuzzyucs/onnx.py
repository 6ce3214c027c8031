"""Another name of `fuzzyucs.deployment.onnx`."""

from fuzzyucs.deployment.onnx import to_onnx

__all__ = ["to_onnx"]
