"""Checks of what users hand in, with words that name the culprit."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_columns", "feature_number", "select_rows"]


def check_columns(X: Any) -> None:
    """Refuse a table with columns that are not numbers, and name the first.

    Dates are refused although they could be converted: a missing date would become a number. Only
    tables with columns are looked at; anything else is left to scikit-learn.
    """
    if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M"):
        raise ValueError(f"X must hold numbers, got {X.dtype}; convert dates to numbers first")
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    for i, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        # pandas tells numbers by their kind, polars by a method; all other columns are tried.
        is_number = getattr(dtype, "kind", "") in ("i", "u", "f", "b")
        if is_number or getattr(dtype, "is_numeric", bool)():
            continue
        values = np.asarray(X.iloc[:, i] if hasattr(X, "iloc") else X[:, i])
        if values.dtype.kind not in "mM":
            try:
                values.astype(np.float64)
                continue
            except (TypeError, ValueError):
                pass
        raise ValueError(
            f"column {name!r} must hold numbers, got {dtype}; "
            "encode categories and convert dates first"
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
