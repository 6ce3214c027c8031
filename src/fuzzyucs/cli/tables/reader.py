"""From a table in a file to the data frame and the labels that classifiers take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.tables.cells import NEVER_LABELS, Cells
from fuzzyucs.cli.tables.choices import Choices
from fuzzyucs.cli.tables.date_parts import find_style, first_date
from fuzzyucs.cli.tables.decimal_mark import find_decimal
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.cli.tables.identifiers import identifiers
from fuzzyucs.cli.tables.kinds import ColumnReader, read_all
from fuzzyucs.cli.tables.labels import known_labels, labels_in
from fuzzyucs.cli.tables.markers import check_markers, markers_of
from fuzzyucs.cli.tables.notes import notes_on
from fuzzyucs.cli.tables.numbers import Decimal, written
from fuzzyucs.cli.tables.tally import Tally
from fuzzyucs.cli.tables.wording import N_NAMED, listed
from fuzzyucs.variables.columns import Column
from fuzzyucs.variables.frame_of import frame_of
from fuzzyucs.variables.table_form import DateForm, TableForm
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableReader"]

DEFAULT = Choices()
PLAIN = TableForm()


@dataclass
class TableReader:
    r"""Turns the columns of a table into the input of classifiers, and records how.

    Parameters
    ----------
    table : TableFile
        The table.
    markers : sequence of str
        Markers of missing values, besides an empty cell, NA, N/A, NaN, null, ?, - and a point;
        "column=text" is one for a column alone.
    decimal : {".", ","}, optional
        The decimal mark. By default it is detected from all cells.
    notes : list of str
        What was decided so far, in words.
    tally : Tally
        What was counted so far; pieces of one table share it.
    form : TableForm
        How training data were read.
    target : str, optional
        The column that holds the class, if it was asked for.

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
    form: TableForm = PLAIN
    target: str | None = None

    def summary(self) -> str:
        """Return what was found in the file and what was decided, in a few lines."""
        table = self.table
        n_rows = max(table.n_rows, self.tally.n_rows)
        rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
        columns = "1 column" if len(table.names) == 1 else f"{len(table.names)} columns"
        head = f"{table.name}: {rows}, {columns}"
        return "\n  ".join([", ".join([head, *table.remarks]), *self.notes])

    def skip_unlabelled(self, target: str) -> None:
        """Leave out rows without a class.

        Parameters
        ----------
        target : str
            The column that holds the class.
        """
        cells = self._target(target)
        kept = np.flatnonzero(cells.codes >= 0)
        n_left = self.table.n_rows - len(kept)
        if not len(kept):
            raise ValueError(f"--target: no row of {self.table.name} has a {cells.name!r}")
        if n_left:
            self.table = self.table.take(kept)
            rows = "1 row" if n_left == 1 else f"{n_left:,} rows"
            self.notes.append(f"left out: {rows} without {cells.name!r}")

    def training_data(
        self, target: str, choices: Choices = DEFAULT
    ) -> tuple[pd.DataFrame, NDArray[Any]]:
        """Return features and labels to learn from.

        Parameters
        ----------
        target : str
            The column that holds the class.
        choices : Choices
            What is said about other columns.

        Returns
        -------
        X : pandas.DataFrame of shape (n_rows, n_features)
            Columns of type float64 and category. `form` tells how they were read.
        y : ndarray of shape (n_rows,)
            Labels: whole numbers, or text.
        """
        check_markers(self.markers, self.table)
        labels = labels_in(self.table, self._target(target), self.decimal or ".")
        unused = {*self._named("--drop", choices.drop), target}
        names = [name for name in self.table.columns if name not in unused]
        if not names:
            raise ValueError(
                f"{self.table.name} has no column besides {target!r} to learn from; if there are "
                "several, name their separator: --sep"
            )
        kinds = self._chosen(choices, target)
        columns = [self._cells(name) for name in names]
        reader = self._reader([cells for cells in columns if cells.name not in kinds])
        dates: dict[str, DateForm] = {}

        def read(cells: Cells) -> Sequence[Column]:
            kind = kinds.get(cells.name)
            if kind == "date" or (kind is None and choices.dates and reader.are_dates(cells)):
                style = find_style(cells, choices.date_order)
                form = dates[cells.name] = DateForm(style, first_date(cells, style))
                return _varied(reader.date_parts(cells, form).values())
            if kind == "ordered":
                return [reader.ordered(cells, choices.ordered[cells.name])]
            if kind == "category":
                return [reader.categories(cells)]
            return [reader.numbers(cells) if kind == "number" else reader.decided(cells)]

        unusable: list[str] | None = [] if choices.drop_unusable else None
        found = read_all(self.table, columns, read, unusable)
        if unusable is not None:
            numbered = identifiers(found)
            found = [column for column in found if column.name not in numbered]
            unusable += numbered
        if not found:
            raise ValueError(f"{self.table.name} has no column that can be learned from")
        self.form = TableForm(tuple(self.markers), dict(reader.units), dates, target)
        self.notes += notes_on(found, reader, self.form)
        self.tally.add_rows(self.table.n_rows, columns)
        self.notes += self.tally.missing_notes()
        if len(unused) > 1:
            self.notes.append(f"left out: {listed(sorted(unused - {target}))}")
        if unusable:
            self.notes.append(f"left out, because they cannot be used: {listed(unusable, 20)}")
        self._note_decimal(reader)
        return frame_of(found), labels

    def features_for(
        self,
        features: Mapping[str, Sequence[Any] | TimeScale | None],
        form: TableForm = PLAIN,
    ) -> pd.DataFrame:
        """Return the columns that a model asks for.

        Parameters
        ----------
        features : mapping of str to sequence, TimeScale or None
            Names of the model's features; for those that hold categories the ones it knows, for
            dates and durations how they are read, for others None.
        form : TableForm
            How the table was read that the model learned from.

        Returns
        -------
        pandas.DataFrame of shape (n_rows, n_features)
            Columns of type float64, category, datetime64 and timedelta64; unknown categories are
            missing values.
        """
        asked = form.columns_for(features)
        _check_names(self.table, asked)
        self.markers = tuple(dict.fromkeys([*self.markers, *form.markers]))
        columns = [self._cells(name) for name in asked]
        numeric = [
            cells
            for cells in columns
            if cells.name not in form.dates and features.get(cells.name) is None
        ]
        reader = self._reader(numeric, dict(form.units))
        self.decimal = reader.decimal  # of all further pieces

        def read(cells: Cells) -> Sequence[Column]:
            if cells.name in form.dates:
                parts = reader.date_parts(cells, form.dates[cells.name]).values()
                return [column for column in parts if column.name in features]
            labels = features[cells.name]
            if labels is None:
                return [reader.numbers(cells)]
            if isinstance(labels, TimeScale):
                return [reader.times(cells, labels)]
            self.tally.add_unknown(cells.as_texts(), labels)
            return [reader.known(cells, labels)]

        found = {column.name: column for column in read_all(self.table, columns, read)}
        self.tally.add_rows(self.table.n_rows, columns)
        self.notes += [*self.tally.unknown_notes(), *self.tally.missing_notes()]
        used = {*asked, self.target, form.target}
        unused = [name for name in self.table.names if name not in used]
        if unused:
            self.notes.append(f"not asked for by the model: {listed(unused)}")
        self._note_decimal(reader)
        return frame_of([found[name] for name in features])

    def kept(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return columns as they are, to write them beside answers.

        Parameters
        ----------
        names : sequence of str
            What the option ``--keep`` names.

        Returns
        -------
        dict of str to ndarray of shape (n_rows,)
            Texts; whole numbers where the file itself says that they are numbers.
        """
        found = {}
        for name in self._named("--keep", names):
            cells = self.table.columns[name]
            if cells.dtype.kind == "f":
                is_whole = bool(np.isfinite(cells).all() and (cells == np.round(cells)).all())
                cells = (
                    cells.astype(np.int64)
                    if is_whole and np.abs(cells).max(initial=0) < 2**53
                    else np.array(["" if np.isnan(v) else written(v) for v in cells], dtype=object)
                )
            found[name] = cells
        return found

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
        return Cells.of(name, self.table.columns[name], markers_of(self.markers, name))

    def _target(self, target: str) -> Cells:
        (name,) = self._named("--target", [target])
        self.target = name
        return Cells.of(
            name, self.table.columns[name], markers_of(self.markers, name), NEVER_LABELS
        )

    def _reader(
        self, numeric: Sequence[Cells], units: dict[str, str] | None = None
    ) -> ColumnReader:
        decimal = self.decimal or find_decimal(self.table, numeric)
        return ColumnReader(self.table, decimal, units or {})

    def _chosen(self, choices: Choices, target: str) -> dict[str, str]:
        """Return what is said about columns, by their names."""
        found: dict[str, str] = {}
        said = [
            ("--nominal", name, "category") for name in self._named("--nominal", choices.nominal)
        ]
        for option, kinds in (
            ("--type", choices.types),
            ("--ordered", dict.fromkeys(choices.ordered, "ordered")),
        ):
            for name, kind in kinds.items():
                (column,) = self._named(option, [name])
                said.append((option, column, kind))
        for option, name, kind in said:
            if name == target:
                raise ValueError(f"{option}: {name!r} is the target, which holds classes")
            if found.get(name, kind) != kind:
                raise ValueError(f"{option}: {name!r} cannot be {kind} and {found[name]}")
            found[name] = kind
        return found

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

    def _note_decimal(self, reader: ColumnReader) -> None:
        if reader.decimal == ",":
            self.notes.append("decimal comma")


def _varied(columns: Iterable[Column]) -> list[Column]:
    """Return the columns that do not hold the same in all rows."""
    return [column for column in columns if len(np.unique(_known(column))) > 1]


def _known(column: Column) -> NDArray[np.float64]:
    """Return the known values of a column, as numbers."""
    categories = column.categories()
    values = column.numbers() if categories is None else column.indices(categories)
    return values[~np.isnan(values)]


def _check_names(table: TableFile, features: Iterable[str]) -> None:
    names = list(table.names)
    features = list(features)
    absent = [name for name in features if name not in names]
    if not absent:
        return
    others = [name for name in names if name not in features]
    hints = [f"{name!r}{closest(name, others)}" for name in absent[:N_NAMED]]
    more = f" and {len(absent) - N_NAMED} more" if len(absent) > N_NAMED else ""
    raise ValueError(
        f"{table.name} lacks columns that the model asks for: {', '.join(hints)}{more}"
        f"\n  columns besides: {listed(others) if others else 'none'}"
    )
