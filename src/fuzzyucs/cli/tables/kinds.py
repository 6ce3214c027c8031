"""What the columns of a table hold: decided here and nowhere else.

In training that is numbers or categories. A model that learned from dates or durations of a data
frame finds these, too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.numbers import Decimal, canonical, number_in
from fuzzyucs.cli.tables.wording import N_NAMED, listed
from fuzzyucs.variables.columns import (
    CategoryColumn,
    Column,
    ColumnError,
    NumberColumn,
    clock_refused,
    dates_refused,
)
from fuzzyucs.variables.time_columns import TimeColumn
from fuzzyucs.variables.times import TimeScale

__all__ = ["ColumnReader", "read_all"]

_DATE = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T].*)?"
    r"|[0-9]{1,2}[-/. ]+[A-Za-z]{3,9}\.?[-/, ]+[0-9]{2,4}"
    r"|[A-Za-z]{3,9}\.? [0-9]{1,2}(st|nd|rd|th)?,? [0-9]{4}"
)
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
        if not words:
            return self._finite(cells, numbers)
        for pattern, refused in ((_DATE, dates_refused), (_CLOCK, clock_refused)):
            found = [text for text in words if pattern.fullmatch(text)]
            if 2 * len(found) > len(cells.texts):
                raise refused(cells.name, found[0])
        size = cells.size
        if 2 * sum(size[word] for word in words) < cells.n_known:
            raise self._stray(cells, words, "--nominal")
        return self.categories(cells)

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
                cells.name, f"holds {first!r} in every row: it carries no information"
            )
        if n_texts == cells.n_known and n_texts > 2:
            raise ColumnError(
                cells.name,
                f"holds a different text in every row, such as {first!r}: it carries no "
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
        numbers = [number_in(text, self.decimal) for text in cells.texts]
        words = _without_number(cells.texts, numbers)
        if words:
            raise self._stray(cells, words)
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

    def _stray(self, cells: Cells, words: Sequence[str], otherwise: str = "") -> _CellError:
        """Return the error about words among numbers."""
        row = cells.first_row(words[0])
        others = "" if len(words) == 1 else f" (elsewhere {listed(words[1:])})"
        codes = f", and if the column holds codes: {otherwise} {shlex.quote(cells.name)}"
        return _CellError(
            f"column {cells.name!r}, {self.table.location(row)}: expected a number, got "
            f"{words[0]!r}{others}; if that means a missing value: --missing-marker "
            f"{shlex.quote(words[0])}{codes if otherwise else ''}"
        )


def read_all(
    table: TableFile, columns: Iterable[Cells], read: Callable[[Cells], Column]
) -> list[Column]:
    """Read columns, and report what is wrong with all of them at once.

    Parameters
    ----------
    table : TableFile
        The table, for messages.
    columns : iterable of Cells
        Its columns.
    read : callable
        Reads one of them.

    Returns
    -------
    list of Column
    """
    found: list[Column] = []
    problems: list[ValueError] = []
    for cells in columns:
        try:
            found.append(read(cells))
        except (ColumnError, _CellError) as problem:
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
        lines.append(f"to leave out: {' '.join(drop)}")
    raise ValueError("\n  ".join([f"{table.name}:", *lines]))


def _without_number(texts: Sequence[str], numbers: Sequence[float | None]) -> list[str]:
    return [text for text, number in zip(texts, numbers, strict=True) if number is None]


def _categorical(cells: Cells, labels: Sequence[Any]) -> CategoryColumn:
    """Return a column of known categories; all other texts are missing values."""
    index = {str(label): i for i, label in enumerate(labels)}
    found = [index.get(text, index.get(canonical(text), -1)) for text in cells.texts]
    codes: NDArray[np.intp] = np.array([*found, -1], dtype=np.intp)[cells.codes]
    return CategoryColumn(cells.name, tuple(labels), codes)
