"""What the columns of a table hold: numbers or categories, and which of them are missing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.cli.tables.file import TableFile
from fuzzyucs.variables.frames import MOST_CATEGORIES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Decimal", "TableReader", "closest", "number_in"]

Decimal = Literal[".", ","]

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?", "-", "."})
LONGEST_MARKER = max(map(len, MISSING))
NEVER_LABELS = MISSING - {"-", "."}  # a class may well be called "-", beside "+"
MOST_QUANTITIES = 20  # different fractions that can still be labels of classes
N_NAMED = 5  # values in a message

_GROUPED = r"[1-9][0-9]{{0,2}}(?P<mark>[{marks}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
_SPACES = "'\u2019 \u00a0\u202f"
_DATE = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?"
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T].*)?"
    r"|[0-9]{1,2}[-/. ]+[A-Za-z]{3,9}\.?[-/, ]+[0-9]{2,4}"
    r"|[A-Za-z]{3,9}\.? [0-9]{1,2}(st|nd|rd|th)?,? [0-9]{4}"
    r"|[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[AaPp][Mm])?"
)


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = _GROUPED.format(marks=re.escape(thousands + _SPACES))
    point = re.escape(decimal)
    whole = rf"(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?"
    return re.compile(rf"[+-]?(?:{whole}|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")


_PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")  # what most numbers are, told quickly
_NUMBER = {".": _pattern(".", ","), ",": _pattern(",", ".")}
_NOISE = {
    ".": str.maketrans(dict.fromkeys("," + _SPACES)),
    ",": str.maketrans(dict.fromkeys("." + _SPACES) | {",": "."}),
}


def number_in(text: str, decimal: Decimal = ".") -> float | None:
    """Read a number as people write it.

    Parameters
    ----------
    text : str
        A cell.
    decimal : {".", ","}
        What stands before fractions. The other one may stand between thousands, as may spaces and
        apostrophes.

    Returns
    -------
    float or None
        None if it is no number.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.columns import number_in
    >>> number_in("1,234.5"), number_in("1.234,5", ","), number_in("1 234"), number_in("12,34")
    (1234.5, 1234.5, 1234.0, None)
    """
    if _PLAIN.fullmatch(text) and (decimal == "." or "." not in text):
        return float(text)
    text = text.replace("\u2212", "-")
    if _NUMBER[decimal].fullmatch(text) is None:
        return None
    return float(text.translate(_NOISE[decimal]))


def closest(name: str, names: Iterable[str]) -> str:
    """Return a question about what a name may be a misspelling of, or nothing.

    Parameters
    ----------
    name : str
        What was written.
    names : iterable of str
        What there is.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.tables.columns import closest
    >>> closest("Hight", ["age", "height"])
    "; did you mean 'height'?"
    """
    known = {other.casefold(): other for other in names}
    found = get_close_matches(name.casefold(), known, n=1)
    return f"; did you mean {known[found[0]]!r}?" if found else ""


class _ColumnError(ValueError):
    """A column cannot be used; problems of several columns are told together."""

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: its different texts, and which of them each row has.

    `codes` is -1 where nothing is known. Columns that are numbers already have no texts.
    """

    name: str
    cells: NDArray[Any]
    texts: list[str]
    codes: NDArray[np.intp]
    markers: dict[str, int]

    @classmethod
    def of(
        cls, name: str, cells: NDArray[Any], markers: Sequence[str], empty: frozenset[str]
    ) -> _Column:
        """Look at the cells, and tell which say that a value is missing."""
        if cells.dtype.kind == "f":
            told = [number for marker in markers if (number := number_in(marker)) is not None]
            nothing = np.isin(cells, told) | np.isnan(cells)
            counts = {"empty": int(nothing.sum())} if nothing.any() else {}
            values = np.where(nothing, np.nan, cells)
            return cls(name, values, [], np.where(nothing, -1, 0), counts)
        codes, texts = import_pandas().factorize(cells)
        means_missing = [
            text in markers or (len(text) <= LONGEST_MARKER and text.casefold() in empty)
            for text in texts
        ]
        size = np.bincount(codes, minlength=len(texts))
        counts = {
            texts[i] or "empty": int(size[i]) for i, missing in enumerate(means_missing) if missing
        }
        kept = [text for text, missing in zip(texts, means_missing, strict=True) if not missing]
        places = np.cumsum([not missing for missing in means_missing]) - 1
        places[np.array(means_missing, dtype=bool)] = -1
        return cls(name, cells, kept, places[codes], counts)

    @property
    def is_number(self) -> bool:
        """Whether the file itself says that the column holds numbers."""
        return self.cells.dtype.kind == "f"

    @property
    def n_known(self) -> int:
        return int((self.codes >= 0).sum())

    def first_row(self, text: str) -> int:
        """Return the first row with a text."""
        return int(np.flatnonzero(self.codes == self.texts.index(text))[0])

    def size(self) -> NDArray[np.intp]:
        """Return how many rows have each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def spread(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Give each row the number of its text."""
        return np.array([*values, np.nan])[self.codes]

    def as_texts(self) -> _Column:
        """Return the same with numbers written out, whole ones without a fraction."""
        if not self.is_number:
            return self
        numbers, inverse = np.unique(self.cells[self.codes >= 0], return_inverse=True)
        codes = np.full(len(self.cells), -1, dtype=np.intp)
        codes[self.codes >= 0] = inverse
        return _Column(
            self.name, np.empty(0, dtype=object), list(map(written, numbers)), codes, self.markers
        )


def written(value: float) -> str:
    """Write a number, whole ones without a fraction."""
    return f"{value:.0f}" if float(value).is_integer() else repr(float(value))


@dataclass
class TableReader:
    r"""Turns the columns of a table into what classifiers take, and keeps account of it.

    Parameters
    ----------
    table : TableFile
        The table.
    markers : sequence of str
        What means a missing value, besides an empty cell, NA, N/A, NaN, null, ?, - and a point.
    decimal : {".", ","}, optional
        What stands before fractions. By default it is found by looking at all cells.

    Attributes
    ----------
    notes : list of str
        What was decided so far, in words.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzyucs.cli.tables.columns import TableReader
    >>> from fuzzyucs.cli.tables.file import read_table
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

    def summary(self) -> str:
        """Return what was found in the file and what was decided, in a few lines."""
        table = self.table
        head = f"{table.name}: {table.n_rows:,} rows, {len(table.columns)} columns"
        return "\n  ".join([", ".join([head, *table.remarks]), *self.notes])

    # Data to learn from

    def training_data(
        self, target: str, *, nominal: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> tuple[pd.DataFrame, NDArray[Any]]:
        """Tell features and labels.

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
            Columns of floats and of categories.
        y : ndarray of shape (n_rows,)
            Labels: whole numbers, or text.
        """
        labels = self.labels(target)
        unused = {*self._named("--drop", drop), target}
        names = [name for name in self.table.columns if name not in unused]
        if not names:
            raise ValueError(
                f"{self.table.name} has no column besides {target!r} to learn from; if there are "
                "several, name what separates them: --sep"
            )
        chosen = set(self._named("--nominal", nominal))
        columns = {name: self._column(name) for name in names}
        decimal = self._decimal([c for name, c in columns.items() if name not in chosen])
        found = self._gather(
            columns.values(),
            lambda column: (
                self._categories(column) if column.name in chosen else self._guess(column, decimal)
            ),
        )
        self._tell_kinds(found)
        self._tell_missing(columns.values())
        if len(unused) > 1:
            self.notes.append(f"left out: {_listed(sorted(unused - {target}))}")
        if decimal == ",":
            self.notes.append("decimal comma")
        return import_pandas().DataFrame(found), labels

    def _guess(self, column: _Column, decimal: Decimal) -> Any:
        """Tell what a column holds, from all of its rows."""
        if column.is_number or not column.texts:
            return self._finite(column, column.cells if column.is_number else column.spread([]))
        numbers = [number_in(text, decimal) for text in column.texts]
        words = [t for t, number in zip(column.texts, numbers, strict=True) if number is None]
        if not words:
            return self._finite(column, column.spread([float(n) for n in numbers if n is not None]))
        dates = [text for text in words if _DATE.fullmatch(text)]
        if 2 * len(dates) > len(column.texts):
            raise _ColumnError(
                f"column {column.name!r} holds dates or times such as {dates[0]!r}; derive numbers "
                "from them first, such as an age or a number of days, or leave the column out",
                column.name,
            )
        size = dict(zip(column.texts, column.size().tolist(), strict=True))
        if 2 * sum(size[word] for word in words) < column.n_known:
            raise self._stray(column, words, "--nominal")
        return self._categories(column)

    def _finite(self, column: _Column, values: NDArray[np.float64]) -> NDArray[np.float64]:
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise _ColumnError(
                f"column {column.name!r}, {self.table.place(int(infinite[0]))}: expected a finite "
                "number"
            )
        return values

    def _stray(self, column: _Column, words: Sequence[str], otherwise: str = "") -> _ColumnError:
        """Complain about words among numbers."""
        row = column.first_row(words[0])
        others = "" if len(words) == 1 else f" (elsewhere {_listed(words[1:])})"
        codes = f", and if the column holds codes: {otherwise} {_shell(column.name)}"
        return _ColumnError(
            f"column {column.name!r}, {self.table.place(row)}: expected a number, got "
            f"{words[0]!r}{others}; if that means a missing value: --missing-marker "
            f"{_shell(words[0])}{codes if otherwise else ''}"
        )

    def _categories(self, column: _Column) -> Any:
        column = column.as_texts()
        n_texts, n_known = len(column.texts), column.n_known
        name = column.name
        if n_texts == 1 and n_known > 1:
            text = f"column {name!r} holds {column.texts[0]!r} in every row, which teaches nothing"
            raise _ColumnError(text, name)
        if n_texts == n_known and n_texts > 2:
            text = f"column {name!r} holds a different text in every row, such as "
            raise _ColumnError(f"{text}{column.texts[0]!r}, which teaches nothing", name)
        if n_texts > MOST_CATEGORIES:
            text = f"column {name!r} holds {n_texts} different texts, at most {MOST_CATEGORIES} are"
            examples = _listed(column.texts)
            raise _ColumnError(f"{text} possible ({examples}); group them or leave them out", name)
        order = np.argsort(column.texts)
        return self._categorical(column, [column.texts[i] for i in order])

    def _categorical(self, column: _Column, categories: Sequence[Any]) -> Any:
        """Return a column of known categories; others are missing."""
        places = {str(category): i for i, category in enumerate(categories)}
        codes = [places.get(text, places.get(_canonical(text), -1)) for text in column.texts]
        return import_pandas().Categorical.from_codes(
            np.array([*codes, -1], dtype=np.intp)[column.codes], categories=list(categories)
        )

    # Data to ask a model about

    def features_for(self, features: Mapping[str, Sequence[Any] | None]) -> pd.DataFrame:
        """Find the columns that a model asks for.

        Parameters
        ----------
        features : mapping of str to sequence or None
            Names of the model's features; for those that hold categories the ones it knows, for
            others None.

        Returns
        -------
        pandas.DataFrame of shape (n_rows, n_features)
            Unknown categories are missing values.
        """
        self._check_names(features)
        columns = {name: self._column(name) for name in features}
        numeric = [column for name, column in columns.items() if features[name] is None]
        decimal = self._decimal(numeric)

        def read(column: _Column) -> Any:
            labels = features[column.name]
            return self._numbers(column, decimal) if labels is None else self._known(column, labels)

        found = self._gather(columns.values(), read)
        self._tell_missing(columns.values())
        unused = [name for name in self.table.columns if name not in features]
        if unused:
            self.notes.append(f"not asked for by the model: {_listed(unused)}")
        if decimal == ",":
            self.notes.append("decimal comma")
        return import_pandas().DataFrame(found)

    def _check_names(self, features: Iterable[str]) -> None:
        names = list(self.table.columns)
        features = list(features)
        absent = [name for name in features if name not in names]
        if not absent:
            return
        others = [name for name in names if name not in features]
        hints = [f"{name!r}{closest(name, others)}" for name in absent[:N_NAMED]]
        more = f" and {len(absent) - N_NAMED} more" if len(absent) > N_NAMED else ""
        raise ValueError(
            f"{self.table.name} lacks columns that the model asks for: {', '.join(hints)}{more}"
            f"\n  columns besides: {_listed(others) if others else 'none'}"
        )

    def _numbers(self, column: _Column, decimal: Decimal) -> NDArray[np.float64]:
        """Read a column that has to hold numbers."""
        if column.is_number:
            return self._finite(column, column.cells)
        numbers = [number_in(text, decimal) for text in column.texts]
        words = [t for t, number in zip(column.texts, numbers, strict=True) if number is None]
        if words:
            raise self._stray(column, words)
        return self._finite(column, column.spread([float(n) for n in numbers if n is not None]))

    def _known(self, column: _Column, labels: Sequence[Any]) -> Any:
        column, categories = column.as_texts(), list(map(str, labels))
        size = dict(zip(column.texts, column.size().tolist(), strict=True))
        unknown = [
            f"{text} {size[text]}"
            for text in column.texts
            if text not in categories and _canonical(text) not in categories
        ]
        if unknown:
            shown = ", ".join(unknown[:N_NAMED]) + (", ..." if len(unknown) > N_NAMED else "")
            self.notes.append(f"unknown to the model, hence missing: {column.name!r} ({shown})")
        return self._categorical(column, labels)

    # Labels

    def labels(self, target: str) -> NDArray[Any]:
        """Read the column that holds classes.

        Parameters
        ----------
        target : str
            Name of the column.

        Returns
        -------
        ndarray of shape (n_rows,)
            Whole numbers if all labels are, otherwise text.
        """
        column = self._labelled(target)
        numbers = [number_in(text, self.decimal or ".") for text in column.texts]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return np.array(column.texts)[column.codes]
        if all(number.is_integer() and abs(number) < 2**53 for number in known):
            return np.array(known).astype(np.int64)[column.codes]
        if len(known) > MOST_QUANTITIES:
            raise ValueError(
                f"--target: {target!r} in {self.table.name} holds {len(known)} different numbers "
                f"such as {column.texts[0]}: a quantity, not a class; make classes of it first"
            )
        return np.array(column.texts)[column.codes]

    def labels_for(self, target: str, classes: NDArray[Any]) -> NDArray[Any]:
        """Read the column that holds classes as a model knows them.

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
        column = self._labelled(target)
        known = {str(label): i for i, label in enumerate(classes.tolist())}
        places = [known.get(text, known.get(_canonical(text), -1)) for text in column.texts]
        if -1 in places:
            text = column.texts[places.index(-1)]
            raise ValueError(
                f"{self.table.name}: column {target!r}, {self.table.place(column.first_row(text))}:"
                f" expected a class that the model knows ({_listed(list(known))}), got {text!r}"
            )
        labels: NDArray[Any] = classes[np.array(places)[column.codes]]
        return labels

    def _labelled(self, target: str) -> _Column:
        """Return the column of labels, of which none may be missing."""
        (name,) = self._named("--target", [target])
        cells = self.table.columns[name]
        column = _Column.of(name, cells, self.markers, NEVER_LABELS).as_texts()
        unlabelled = np.flatnonzero(column.codes < 0)
        if len(unlabelled):
            raise ValueError(
                f"--target: {len(unlabelled)} rows of {self.table.name} have no {name!r}, the "
                f"first is {self.table.place(int(unlabelled[0]))}; leave them out first"
            )
        return column

    # What all of these need

    def _named(self, option: str, wanted: Sequence[str]) -> list[str]:
        """Return the columns that an option names, one by one or with commas between them."""
        names = self.table.columns
        found = []
        for entry in wanted:
            for name in [entry] if entry in names else entry.split(","):
                if name.strip() not in names:
                    raise ValueError(
                        f"{option}: {self.table.name} has no column {name.strip()!r}"
                        f"{closest(name, names)}\n  it has {_listed(list(names), 20)}"
                    )
                found.append(name.strip())
        return found

    def _column(self, name: str) -> _Column:
        return _Column.of(name, self.table.columns[name], self.markers, MISSING)

    def _gather(self, columns: Iterable[_Column], read: Callable[[_Column], Any]) -> dict[str, Any]:
        """Read columns, and tell what is wrong with all of them at once."""
        found: dict[str, Any] = {}
        problems: list[_ColumnError] = []
        for column in columns:
            try:
                found[column.name] = read(column)
            except _ColumnError as problem:
                problems.append(problem)
        if problems:
            lines = [str(problem) for problem in problems[: 2 * N_NAMED]]
            if len(problems) > len(lines):
                lines.append(f"and {len(problems) - len(lines)} more columns")
            drop = [f"--drop {_shell(problem.advice)}" for problem in problems if problem.advice]
            if drop:
                lines.append(f"to leave out: {' '.join(drop)}")
            raise ValueError("\n  ".join([f"{self.table.name}:", *lines]))
        return found

    def _decimal(self, columns: Sequence[_Column]) -> Decimal:
        """Tell whether fractions have a point or a comma, from columns that hold mostly numbers."""
        if self.decimal is not None:
            return self.decimal
        texts = (text for column in columns for text in column.texts)
        if self.table.separator == "," and not any("," in text for text in texts):
            return "."
        votes: dict[str, _Column] = {}
        for column in columns:
            votes.setdefault(_vote(column), column)
        if "." in votes and "," in votes:
            raise ValueError(
                f"{self.table.name}: fractions seem to have a point in column "
                f"{votes['.'].name!r} and a comma in column {votes[','].name!r}; name the right "
                "one: --decimal"
            )
        if "," in votes:
            return ","
        # Between commas, fractions have points unless something speaks against it.
        if "." not in votes and "either" in votes and self.table.separator != ",":
            column = votes["either"]
            text = next(t for t in column.texts if number_in(t) != number_in(t, ","))
            raise ValueError(
                f"{self.table.name}: column {column.name!r}: {text!r} could be a fraction or "
                "thousands; name what stands before fractions: --decimal . or --decimal ,"
            )
        return "."

    def _tell_kinds(self, found: Mapping[str, Any]) -> None:
        nominal = [
            f"{name!r} ({_short(values.categories.tolist())})"
            for name, values in found.items()
            if hasattr(values, "categories")
        ]
        if nominal:
            self.notes.append(f"nominal: {', '.join(nominal)}")
        numbers = {n: v for n, v in found.items() if not hasattr(v, "categories")}
        counters = [
            name
            for name, values in numbers.items()
            if len(values) > 2 and (np.diff(values) == 1).all()
        ]
        if counters:
            drop = " ".join(f"--drop {_shell(name)}" for name in counters)
            self.notes.append(f"{_listed(counters)} counts the rows; if it says no more: {drop}")

    def _tell_missing(self, columns: Iterable[_Column]) -> None:
        told = []
        for column in columns:
            total = sum(column.markers.values())
            if total == self.table.n_rows:
                told.append(f"{column.name!r} all")
            elif total:
                kinds = ", ".join(f"{text} {count}" for text, count in column.markers.items())
                told.append(f"{column.name!r} {total} ({kinds})")
        if told:
            self.notes.append(f"missing: {', '.join(told)}")


def _vote(column: _Column) -> str:
    """Return what a column has before fractions: ".", ",", "either" or "" if it has none."""
    if column.is_number:
        return ""
    readings = [(number_in(text), number_in(text, ",")) for text in column.texts]
    n_point = sum(point is not None for point, _ in readings)
    n_comma = sum(comma is not None for _, comma in readings)
    if 2 * max(n_point, n_comma) <= len(readings) or not readings:
        return ""
    if n_point != n_comma:
        return "." if n_point > n_comma else ","
    return "either" if any(point != comma for point, comma in readings) else ""


def _canonical(text: str) -> str:
    """Write a number in the one way that categories and labels have; leave text alone."""
    number = number_in(text)
    return text if number is None else written(number)


def _listed(names: Sequence[str], most: int = N_NAMED) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown + (f", ... ({len(names)})" if len(names) > most else "")


def _short(texts: Sequence[str]) -> str:
    return ", ".join(texts) if len(texts) <= N_NAMED else f"{len(texts)} values"


def _shell(text: str) -> str:
    """Quote a text for the shell, if it needs that."""
    return shlex.quote(text)
