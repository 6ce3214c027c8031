"""Fitted models outside of the library: model files, NumPy alone, ONNX."""
