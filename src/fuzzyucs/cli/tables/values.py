"""Columns of values that have a type of their own, as JSON and workbooks have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.tables.numbers import written

__all__ = ["cells_of_values"]


def cells_of_values(
    values: Sequence[Any], refused: Callable[[int, Any], ValueError]
) -> NDArray[Any]:
    """Return a column as `TableFile` has it.

    Parameters
    ----------
    values : sequence
        Numbers, texts, true and false, dates; None is a missing value.
    refused : callable
        Makes the error about a value of another type, from its row and itself.

    Returns
    -------
    ndarray of shape (n_rows,)
        Floats if all known values are numbers, otherwise texts.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.values import cells_of_values
    >>> cells_of_values([1, None, 2.5], refused=TypeError)
    array([1. , nan, 2.5])
    >>> cells_of_values([1, "a", True, None], refused=TypeError)
    array(['1', 'a', 'true', ''], dtype=object)
    """
    known = [value for value in values if value is not None]
    if known and all(type(value) in (int, float) for value in known):
        return np.array([np.nan if value is None else float(value) for value in values])
    cells = np.full(len(values), "", dtype=object)
    for row, value in enumerate(values):
        cells[row] = _text(value)
        if cells[row] is None:
            raise refused(row, value)
    return cells


def _text(value: Any) -> str | None:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return written(float(value))
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return value.date().isoformat()
    return None if isinstance(value, dict | list) else str(value).strip()
