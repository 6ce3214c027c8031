"""Tables in workbooks of Excel."""

from __future__ import annotations

import io
from typing import Any

from fuzzyucs.cli.tables.wording import listed

__all__ = ["read_sheet"]


def read_sheet(name: str, data: bytes, sheet: str | None) -> tuple[list[list[Any]], str]:
    """Read the rows of one sheet.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
        What it holds.
    sheet : str, optional
        Name of the sheet; by default the only one that has cells.

    Returns
    -------
    rows : list of list
        Cells, the names of the columns first, None where they are empty. Formulas have the values
        that Excel saved.
    sheet : str
        The sheet that was read.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ImportError("a workbook of Excel needs openpyxl: pip install openpyxl") from None
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        filled = {
            own.title: rows for own in book.worksheets if (rows := _rows(own)) or own.title == sheet
        }
    except Exception as problem:  # openpyxl lets errors of many kinds through
        raise ValueError(f"{name} is no workbook that can be read: {problem}") from problem
    if sheet is not None and sheet not in filled:
        raise ValueError(f"{name} has no sheet {sheet!r}; it has {listed(list(filled))}")
    if sheet is None and len(filled) != 1:
        if not filled:
            raise ValueError(f"{name} is empty; expected a row of column names and rows")
        raise ValueError(
            f"{name} has several sheets: {listed(list(filled))}; name one of them, such as "
            f"'{name}#{next(iter(filled))}'"
        )
    chosen = next(iter(filled)) if sheet is None else sheet
    return filled[chosen], chosen


def _rows(sheet: Any) -> list[list[Any]]:
    """Return the rows of a sheet that have values."""
    rows = [[_value(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    return [row for row in rows if any(value is not None for value in row)]


def _value(cell: Any) -> Any:
    text = cell.strip() if isinstance(cell, str) else cell
    return None if text == "" else text
