"""Settings that must be made before anything is imported, and what is left to do at the end."""

import gc
import os

# Lets scikit-learn run its check of array API input instead of skipping it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")


def pytest_unconfigure() -> None:
    """Remove the hook that Hypothesis adds to the garbage collector.

    It keeps fitted models of parametrised tests alive until the interpreter has ended, which
    nanobind then reports as leaks.
    """
    gc.callbacks.clear()
