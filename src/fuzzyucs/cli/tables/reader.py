"""From a table in a file to the data frame and the labels that classifiers take."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.tables.cells import NEVER_LABELS, Cells
from fuzzyucs.cli.tables.decimal_mark import find_decimal
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.kinds import ColumnReader, read_all
from fuzzyucs.cli.tables.labels import known_labels, labels_in
from fuzzyucs.cli.tables.numbers import Decimal
from fuzzyucs.cli.tables.tally import Tally
from fuzzyucs.cli.tables.wording import N_NAMED, listed, short
from fuzzyucs.variables.columns import Column
from fuzzyucs.variables.frames import frame_of
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableReader"]


@dataclass
class TableReader:
    r"""Turns the columns of a table into the input of classifiers, and records how.

    Parameters
    ----------
    table : TableFile
        The table.
    markers : sequence of str
        Markers of missing values, besides an empty cell, NA, N/A, NaN, null, ?, - and a point.
    decimal : {".", ","}, optional
        The decimal mark. By default it is detected from all cells.
    notes : list of str
        What was decided so far, in words.
    tally : Tally
        What was counted so far; pieces of one table share it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzyucs.cli.tables.file import read_table
    >>> from fuzzyucs.cli.tables.reader import TableReader
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("height;sex;ill\n1,65;f;yes\n?;m;no\n1,73;f;no\n")
    >>> reader = TableReader(read_table(path))
    >>> X, y = reader.training_data("ill")
    >>> X["height"].tolist(), X["sex"].tolist(), y.tolist()
    ([1.65, nan, 1.73], ['f', 'm', 'f'], ['yes', 'no', 'no'])
    >>> print("\n".join(reader.notes))
    nominal: 'sex' (f, m)
    missing: 'height' 1 (? 1)
    decimal comma
    """

    table: TableFile
    markers: Sequence[str] = ()
    decimal: Decimal | None = None
    notes: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def summary(self) -> str:
        """Return what was found in the file and what was decided, in a few lines."""
        table = self.table
        n_rows = max(table.n_rows, self.tally.n_rows)
        rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
        columns = "1 column" if len(table.names) == 1 else f"{len(table.names)} columns"
        head = f"{table.name}: {rows}, {columns}"
        return "\n  ".join([", ".join([head, *table.remarks]), *self.notes])

    def training_data(
        self, target: str, *, nominal: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> tuple[pd.DataFrame, NDArray[Any]]:
        """Return features and labels to learn from.

        Parameters
        ----------
        target : str
            The column that holds the class.
        nominal : sequence of str
            Columns whose values have no order, though they may be numbers.
        drop : sequence of str
            Columns to leave out.

        Returns
        -------
        X : pandas.DataFrame of shape (n_rows, n_features)
            Columns of type float64 and category.
        y : ndarray of shape (n_rows,)
            Labels: whole numbers, or text.
        """
        labels = labels_in(self.table, self._target(target), self.decimal or ".")
        unused = {*self._named("--drop", drop), target}
        names = [name for name in self.table.columns if name not in unused]
        if not names:
            raise ValueError(
                f"{self.table.name} has no column besides {target!r} to learn from; if there are "
                "several, name their separator: --sep"
            )
        chosen = set(self._named("--nominal", nominal))
        columns = [self._cells(name) for name in names]
        reader = self._reader([cells for cells in columns if cells.name not in chosen])
        found = read_all(
            self.table,
            columns,
            lambda cells: (
                reader.categories(cells) if cells.name in chosen else reader.decided(cells)
            ),
        )
        self._note_kinds(found)
        self.tally.add_rows(self.table.n_rows, columns)
        self.notes += self.tally.missing_notes()
        if len(unused) > 1:
            self.notes.append(f"left out: {listed(sorted(unused - {target}))}")
        self._note_decimal(reader)
        return frame_of(found), labels

    def features_for(
        self, features: Mapping[str, Sequence[Any] | TimeScale | None]
    ) -> pd.DataFrame:
        """Return the columns that a model asks for.

        Parameters
        ----------
        features : mapping of str to sequence, TimeScale or None
            Names of the model's features; for those that hold categories the ones it knows, for
            dates and durations how they are read, for others None.

        Returns
        -------
        pandas.DataFrame of shape (n_rows, n_features)
            Columns of type float64, category, datetime64 and timedelta64; unknown categories are
            missing values.
        """
        self._check_names(features)
        columns = [self._cells(name) for name in features]
        reader = self._reader([cells for cells in columns if features[cells.name] is None])
        self.decimal = reader.decimal  # of all further pieces

        def read(cells: Cells) -> Column:
            labels = features[cells.name]
            if labels is None:
                return reader.numbers(cells)
            if isinstance(labels, TimeScale):
                return reader.times(cells, labels)
            self.tally.add_unknown(cells.as_texts(), labels)
            return reader.known(cells, labels)

        found = read_all(self.table, columns, read)
        self.tally.add_rows(self.table.n_rows, columns)
        self.notes += [*self.tally.unknown_notes(), *self.tally.missing_notes()]
        unused = [name for name in self.table.names if name not in features]
        if unused:
            self.notes.append(f"not asked for by the model: {listed(unused)}")
        self._note_decimal(reader)
        return frame_of(found)

    def labels_for(self, target: str, classes: NDArray[Any]) -> NDArray[Any]:
        """Return the labels of a table that a model is measured on.

        Parameters
        ----------
        target : str
            Name of the column.
        classes : ndarray of shape (n_classes,)
            Labels that the model knows.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return known_labels(self.table, self._target(target), classes)

    def _cells(self, name: str) -> Cells:
        return Cells.of(name, self.table.columns[name], self.markers)

    def _target(self, target: str) -> Cells:
        (name,) = self._named("--target", [target])
        return Cells.of(name, self.table.columns[name], self.markers, NEVER_LABELS)

    def _reader(self, numeric: Sequence[Cells]) -> ColumnReader:
        return ColumnReader(self.table, self.decimal or find_decimal(self.table, numeric))

    def _named(self, option: str, wanted: Sequence[str]) -> list[str]:
        """Return the columns that an option names, one by one or with commas between them."""
        names = self.table.names
        found = []
        for entry in wanted:
            for name in [entry] if entry in names else entry.split(","):
                if name.strip() not in names:
                    raise ValueError(
                        f"{option}: {self.table.name} has no column {name.strip()!r}"
                        f"{closest(name, names)}\n  it has {listed(list(names), 20)}"
                    )
                found.append(name.strip())
        return found

    def _check_names(self, features: Iterable[str]) -> None:
        names = list(self.table.names)
        features = list(features)
        absent = [name for name in features if name not in names]
        if not absent:
            return
        others = [name for name in names if name not in features]
        hints = [f"{name!r}{closest(name, others)}" for name in absent[:N_NAMED]]
        more = f" and {len(absent) - N_NAMED} more" if len(absent) > N_NAMED else ""
        raise ValueError(
            f"{self.table.name} lacks columns that the model asks for: {', '.join(hints)}{more}"
            f"\n  columns besides: {listed(others) if others else 'none'}"
        )

    def _note_kinds(self, columns: Sequence[Column]) -> None:
        nominal, counters = [], []
        for column in columns:
            categories = column.categories()
            if categories is not None:
                nominal.append(f"{column.name!r} ({short(categories.terms)})")
            elif column.n_rows > 2 and (np.diff(column.numbers()) == 1).all():
                counters.append(column.name)
        if nominal:
            self.notes.append(f"nominal: {', '.join(nominal)}")
        if counters:
            drop = " ".join(f"--drop {shlex.quote(name)}" for name in counters)
            self.notes.append(
                f"{listed(counters)} counts the rows; if it carries no other information: {drop}"
            )

    def _note_decimal(self, reader: ColumnReader) -> None:
        if reader.decimal == ",":
            self.notes.append("decimal comma")
