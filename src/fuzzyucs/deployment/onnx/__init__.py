"""Fitted models as ONNX graphs, for runtimes without Python."""

from fuzzyucs.deployment.onnx.export import to_onnx

__all__ = ["to_onnx"]
