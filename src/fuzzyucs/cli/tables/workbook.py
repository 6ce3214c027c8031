"""Tables in workbooks of Excel."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from fuzzyucs.cli.tables.unpacking import CELL_BYTES, most_bytes, too_large
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
        _check_size(name, data)
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        filled = {
            own.title: rows
            for own in book.worksheets
            if (rows := _rows(name, own)) or own.title == sheet
        }
    except TooLargeError as problem:
        raise problem.error from None
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


class TooLargeError(Exception):
    """A sheet is too large; openpyxl's own errors are of all kinds."""

    def __init__(self, error: ValueError) -> None:
        super().__init__(str(error))
        self.error = error


def _check_size(name: str, data: bytes) -> None:
    """Refuse workbooks whose members are too large; no more of a member is read than it says."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > most_bytes():
            raise TooLargeError(too_large(name, f"{most_bytes():,} bytes once it is unpacked"))


def _rows(name: str, sheet: Any) -> list[list[Any]]:
    """Return the rows of a sheet that have values, up to the last of them."""
    sheet.reset_dimensions()  # a file may say that it has more rows and columns than it has
    found, n_cells, most = [], 0, most_bytes() // CELL_BYTES
    for cells in sheet.iter_rows(values_only=True):
        row = [_value(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        n_cells += len(row)
        if n_cells > most:
            raise TooLargeError(too_large(name, f"{most:,} cells"))
        if row:
            found.append(row)
    return found


def _value(cell: Any) -> Any:
    text = cell.strip() if isinstance(cell, str) else cell
    return None if text == "" else text
