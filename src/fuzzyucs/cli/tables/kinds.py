"""What the columns of a table hold: decided here and nowhere else.

In training that is numbers or categories. A model that learned from dates or durations of a data
frame finds these, too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.date_parts import ISO, NotADateError, parts_of
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.numbers import Decimal, canonical, number_in
from fuzzyucs.cli.tables.units import common_unit, same_unit, split_unit
from fuzzyucs.cli.tables.wording import N_NAMED, listed, quotable, quoted
from fuzzyucs.variables.columns import (
    CategoryColumn,
    Column,
    ColumnError,
    NumberColumn,
    clock_refused,
)
from fuzzyucs.variables.table_form import DateForm
from fuzzyucs.variables.time_columns import TimeColumn
from fuzzyucs.variables.times import TimeScale

__all__ = ["ColumnReader", "read_all"]

_DATE = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T].*)?"
    r"|[0-9]{1,2}[-/. ]+[A-Za-z]{3,9}\.?[-/, ]+[0-9]{2,4}"
    r"|[A-Za-z]{3,9}\.? [0-9]{1,2}(st|nd|rd|th)?,? [0-9]{4}"
)
_CODE = re.compile(r"0[0-9]+")  # postcodes, for example: numbers have no zeros at the beginning
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[AaPp][Mm])?")


class _CellError(ValueError):
    """A cell that cannot be used, in a column that otherwise could be."""


@dataclass(frozen=True)
class ColumnReader:
    """Decides what columns of a table hold, and reads them.

    Parameters
    ----------
    table : TableFile
        The table, for messages.
    decimal : {".", ","}
        Its decimal mark.
    units : dict of str to str
        Units of numbers, by column: those that a model knows, or those found in training data.
    codes : list of str
        Columns of codes with zeros at the beginning, which are categories.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.cells import Cells
    >>> from fuzzyucs.cli.tables.file import TableFile
    >>> from fuzzyucs.cli.tables.kinds import ColumnReader
    >>> colours = np.array(["red", "blue", "?", "red"], dtype=object)
    >>> reader = ColumnReader(TableFile("cars.csv", {"colour": colours}), ".")
    >>> column = reader.decided(Cells.of("colour", colours, markers=()))
    >>> column.labels, column.codes
    (('blue', 'red'), array([ 1,  0, -1,  1]))
    """

    table: TableFile
    decimal: Decimal
    units: dict[str, str] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)

    def decided(self, cells: Cells) -> Column:
        """Decide what a column of training data holds, from all of its rows.

        Parameters
        ----------
        cells : Cells
            The column.

        Returns
        -------
        NumberColumn or CategoryColumn
        """
        numbers = [number_in(text, self.decimal) for text in cells.texts]
        words = _without_number(cells.texts, numbers)
        if not words and any(_CODE.fullmatch(text) for text in cells.texts):
            self.codes.append(cells.name)
            return self.categories(cells)
        if not words:
            return self._finite(cells, numbers)
        if self.are_dates(cells):
            raise ColumnError(
                cells.name,
                f"holds dates such as {quoted(words[0])}; --dates makes year, month, weekday and "
                "days of them",
            )
        clock = [text for text in words if _CLOCK.fullmatch(text)]
        if 2 * len(clock) > len(cells.texts):
            raise clock_refused(cells.name, clock[0])
        unit = None
        if (measured := common_unit(cells.texts, self.decimal)) is not None:
            numbers, unit = measured
            words = _without_number(cells.texts, numbers)
        if unit is not None and not words:
            self.units[cells.name] = unit
            return self._finite(cells, numbers)
        size = cells.size
        if 2 * sum(size[word] for word in words) < cells.n_known:
            raise self._stray(cells, words, "--nominal", unit)
        return self.categories(cells)

    def are_dates(self, cells: Cells) -> bool:
        """Tell whether most texts of a column look like dates.

        Parameters
        ----------
        cells : Cells
            The column.

        Returns
        -------
        bool
        """
        found = [
            text
            for text in cells.texts
            if _DATE.fullmatch(text) and number_in(text, self.decimal) is None
        ]
        return 2 * len(found) > len(cells.texts)

    def date_parts(self, cells: Cells, form: DateForm) -> dict[str, Column]:
        """Read a column of dates and make features of it.

        Parameters
        ----------
        cells : Cells
            The column.
        form : DateForm
            How it is read.

        Returns
        -------
        dict of str to Column
            As `parts_of` returns them.
        """
        cells = cells.as_texts()
        try:
            return parts_of(cells, form)
        except NotADateError as problem:
            text = problem.text
            place = self.table.location(cells.first_row(text))
            style = "2013-05-12" if form.style == ISO else f"in training ({form.style})"
            raise _CellError(
                f"column {cells.name!r}, {place}: expected a date as {style}, got {quoted(text)}"
            ) from None

    def ordered(self, cells: Cells, labels: Sequence[str]) -> CategoryColumn:
        """Read a column of training data as categories in an order.

        Parameters
        ----------
        cells : Cells
            The column.
        labels : sequence of str
            The categories, from the least to the greatest.

        Returns
        -------
        CategoryColumn
        """
        cells = cells.as_texts()
        others = [text for text in cells.texts if text not in labels]
        if others:
            place = self.table.location(cells.first_row(others[0]))
            raise _CellError(
                f"column {cells.name!r}, {place}: --ordered does not name {listed(others)}"
            )
        return replace(_categorical(cells, labels), is_ordered=True)

    def categories(self, cells: Cells) -> CategoryColumn:
        """Read a column of training data as categories.

        Parameters
        ----------
        cells : Cells
            The column.

        Returns
        -------
        CategoryColumn
        """
        cells = cells.as_texts()
        n_texts, first = len(cells.texts), next(iter(cells.texts), "")
        if n_texts == 1 and cells.n_known > 1:
            raise ColumnError(
                cells.name, f"holds {quoted(first)} in every row: it carries no information"
            )
        if n_texts == cells.n_known and n_texts > 2:
            raise ColumnError(
                cells.name,
                f"holds a different text in every row, such as {quoted(first)}: it carries no "
                "information about others",
            )
        column = _categorical(cells, sorted(cells.texts))
        column.categories()  # so that what cannot be learned is refused now
        return column

    def numbers(self, cells: Cells) -> NumberColumn:
        """Read a column that a model asks numbers of.

        Parameters
        ----------
        cells : Cells
            The column.

        Returns
        -------
        NumberColumn
        """
        unit = self.units.get(cells.name)
        numbers = [number_in(text, self.decimal) for text in cells.texts]
        if unit is not None:
            numbers = [
                self._in_unit(text, unit) if number is None else number
                for text, number in zip(cells.texts, numbers, strict=True)
            ]
        words = _without_number(cells.texts, numbers)
        if words:
            raise self._stray(cells, words, unit=unit)
        return self._finite(cells, numbers)

    def times(self, cells: Cells, scale: TimeScale) -> TimeColumn:
        """Read a column that a model asks dates or durations of.

        Parameters
        ----------
        cells : Cells
            The column.
        scale : TimeScale
            How they are read: dates as 2013-05-12 or 2013-05-12 14:30, durations as 3 days 4 hours.

        Returns
        -------
        TimeColumn
        """
        cells = cells.as_texts()
        seconds = []
        for text in cells.texts:
            try:
                seconds.append(scale.read(text.strip()))
            except ValueError as problem:
                place = self.table.location(cells.first_row(text))
                raise _CellError(f"column {cells.name!r}, {place}: {problem}") from None
        return TimeColumn.of_seconds(cells.name, scale, cells.spread(seconds))

    def known(self, cells: Cells, labels: Sequence[Any]) -> CategoryColumn:
        """Read a column that a model asks categories of; those that it does not know are missing.

        Parameters
        ----------
        cells : Cells
            The column.
        labels : sequence
            The categories that the model knows.

        Returns
        -------
        CategoryColumn
        """
        return _categorical(cells.as_texts(), labels)

    def _in_unit(self, text: str, unit: str) -> float | None:
        """Return a number with a unit, None if it has another."""
        found = split_unit(text, self.decimal)
        return found[0] if found is not None and same_unit(found[1], unit) else None

    def _finite(self, cells: Cells, numbers: Sequence[float | None]) -> NumberColumn:
        values = cells.numbers
        if values is None:
            values = cells.spread([float(number) for number in numbers if number is not None])
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise _CellError(
                f"column {cells.name!r}, {self.table.location(int(infinite[0]))}: expected a "
                "finite number"
            )
        return NumberColumn(cells.name, values)

    def _stray(
        self, cells: Cells, words: Sequence[str], otherwise: str = "", unit: str | None = None
    ) -> _CellError:
        """Return the error about words among numbers."""
        row = cells.first_row(words[0])
        others = "" if len(words) == 1 else f" (elsewhere {listed(words[1:])})"
        codes = f", and if the column holds codes: {otherwise} {shlex.quote(cells.name)}"
        return _CellError(
            f"column {cells.name!r}, {self.table.location(row)}: expected a number"
            f"{f' in {unit}' if unit else ''}, got {quoted(words[0])}{others}; if that means a "
            f"missing value: --missing-marker {quotable(words[0])}{codes if otherwise else ''}"
        )


def read_all(
    table: TableFile,
    columns: Iterable[Cells],
    read: Callable[[Cells], Sequence[Column]],
    unusable: list[str] | None = None,
) -> list[Column]:
    """Read columns, and report what is wrong with all of them at once.

    Parameters
    ----------
    table : TableFile
        The table, for messages.
    columns : iterable of Cells
        Its columns.
    read : callable
        Reads one of them, as one or more.
    unusable : list of str, optional
        If given, columns that cannot be used are left out, and added to it.

    Returns
    -------
    list of Column
    """
    found: list[Column] = []
    problems: list[ValueError] = []
    for cells in columns:
        try:
            found += read(cells)
        except ColumnError as problem:
            if unusable is None:
                problems.append(problem)
            else:
                unusable.append(cells.name)
        except _CellError as problem:
            problems.append(problem)
    if not problems:
        return found
    lines = [str(problem) for problem in problems[: 2 * N_NAMED]]
    if len(problems) > len(lines):
        lines.append(f"and {len(problems) - len(lines)} more columns")
    drop = [
        f"--drop {shlex.quote(problem.column)}"
        for problem in problems
        if isinstance(problem, ColumnError)
    ]
    if drop:
        lines.append(f"to leave out: {' '.join(drop)}, or all of these: --drop-unusable")
    raise ValueError("\n  ".join([f"{table.name}:", *lines]))


def _without_number(texts: Sequence[str], numbers: Sequence[float | None]) -> list[str]:
    return [text for text, number in zip(texts, numbers, strict=True) if number is None]


def _categorical(cells: Cells, labels: Sequence[Any]) -> CategoryColumn:
    """Return a column of known categories; all other texts are missing values."""
    index = {str(label): i for i, label in enumerate(labels)}
    found = [index.get(text, index.get(canonical(text), -1)) for text in cells.texts]
    codes: NDArray[np.intp] = np.array([*found, -1], dtype=np.intp)[cells.codes]
    return CategoryColumn(cells.name, tuple(labels), codes)
