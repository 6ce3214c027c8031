"""Optional packages, imported when they are first needed."""

from __future__ import annotations

from typing import Any

__all__ = ["import_matplotlib", "import_pandas"]


def import_matplotlib() -> Any:
    """Return matplotlib.pyplot, or explain how to get it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a plot needs matplotlib: pip install 'fuzzyucs[plot]'") from error
    return pyplot


def import_pandas() -> Any:
    """Return pandas, or explain how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("a data frame needs pandas: pip install pandas") from error
    return pandas
