"""Optional packages, imported when they are first needed."""

from __future__ import annotations

from typing import Any

__all__ = ["import_matplotlib", "import_pandas", "import_pyarrow"]


def import_matplotlib() -> Any:
    """Return matplotlib.pyplot, or explain how to get it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a plot needs matplotlib: pip install matplotlib") from error
    return pyplot


def import_pandas() -> Any:
    """Return pandas, or explain how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("a data frame needs pandas: pip install pandas") from error
    return pandas


def import_pyarrow() -> Any:
    """Return pyarrow, or explain how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            "a file of Parquet or Arrow needs pyarrow: pip install pyarrow"
        ) from error
    return pyarrow
