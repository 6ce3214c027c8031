"""Checks of what users pass, with messages that name what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["feature_number", "refuse_dates", "select_rows"]


def refuse_dates(X: Any) -> None:
    """Refuse an array of dates, though it could be converted: a missing date would be a number."""
    if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M"):
        raise ValueError(
            f"X must hold numbers, got {X.dtype}; dates and durations may be columns of a frame"
        )


def select_rows(n_rows: int, key: Any) -> NDArray[np.intp]:
    """Return the rows that an index, a slice, a mask or a list of indices selects."""
    rows = np.arange(n_rows)[key]
    if rows.ndim > 1:
        raise IndexError(f"expected an index, a slice, a mask or a list of indices, got {key!r}")
    return np.atleast_1d(rows)


def feature_number(key: Any, names: Sequence[str], parameter: str) -> int:
    """Return the number of a feature that is given by name or number."""
    if isinstance(key, str):
        if key in names:
            return list(names).index(key)
    elif isinstance(key, Integral) and not isinstance(key, bool) and int(key) in range(len(names)):
        return int(key)
    shown = f"{list(names[:10])}{', ...' if len(names) > 10 else ''}"
    raise ValueError(
        f"{parameter} must name features by name or number, got {key!r}; features are {shown}"
    )
