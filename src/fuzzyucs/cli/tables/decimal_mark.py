"""Whether fractions have a point or a comma, found in all columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.numbers import Decimal, number_in
from fuzzyucs.cli.tables.units import split_unit

__all__ = ["find_decimal"]


def find_decimal(table: TableFile, columns: Sequence[Cells]) -> Decimal:
    """Find the decimal mark in columns that hold mostly numbers.

    Parameters
    ----------
    table : TableFile
        The table.
    columns : sequence of Cells
        Those of its columns that may hold numbers.

    Returns
    -------
    {".", ","}

    Raises
    ------
    ValueError
        If columns contradict each other, or all numbers could be read in both ways.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.cells import Cells
    >>> from fuzzyucs.cli.tables.decimal_mark import find_decimal
    >>> from fuzzyucs.cli.tables.file import TableFile
    >>> heights = np.array(["1,65", "1,73"], dtype=object)
    >>> table = TableFile("people.csv", {"height": heights}, separator=";")
    >>> find_decimal(table, [Cells.of("height", heights, markers=())])
    ','
    """
    texts = (text for column in columns for text in column.texts)
    if table.separator == "," and not any("," in text for text in texts):
        return "."
    votes: dict[str, Cells] = {}
    for column in columns:
        votes.setdefault(_vote(column), column)
    if "." in votes and "," in votes:
        raise ValueError(
            f"{table.name}: fractions seem to have a point in column {votes['.'].name!r} and a "
            f"comma in column {votes[','].name!r}; name the right one: --decimal"
        )
    if "," in votes:
        return ","
    # Between commas, fractions have points unless the data contradict it.
    if "." not in votes and "either" in votes and table.separator != ",":
        column = votes["either"]
        text = next(text for text in column.texts if _number(text, ".") != _number(text, ","))
        raise ValueError(
            f"{table.name}: column {column.name!r}: {text!r} could be a fraction or thousands; "
            "name the decimal mark: --decimal . or --decimal ,"
        )
    return "."


def _vote(column: Cells) -> str:
    """Return what a column has before fractions: ".", ",", "either" or "" if it has none."""
    readings = [(_number(text, "."), _number(text, ",")) for text in column.texts]
    n_point = sum(point is not None for point, _ in readings)
    n_comma = sum(comma is not None for _, comma in readings)
    if 2 * max(n_point, n_comma) <= len(readings) or not readings:
        return ""
    if n_point != n_comma:
        return "." if n_point > n_comma else ","
    return "either" if any(point != comma for point, comma in readings) else ""


def _number(text: str, decimal: Decimal) -> float | None:
    """Return a number that may have a unit."""
    number = number_in(text, decimal)
    if number is None and (found := split_unit(text, decimal)):
        return found[0]
    return number
