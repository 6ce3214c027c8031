"""Excerpts: the few values that decide what the columns of a table hold, found part by part.

A table may come in parts: batches of a file, or partitions on several machines. What a column holds
is decided from all rows, but few of them matter: each text once, of numbers one, of dates one for
each unit. The excerpts of all parts, one below the other, say the same as the whole table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.clear_errors import names_of
from fuzzyucs.variables.columns import CategoryColumn, Column, ColumnError
from fuzzyucs.variables.frames import Columns, _columns
from fuzzyucs.variables.time_columns import TimeColumn, times_of_objects
from fuzzyucs.variables.times import SIZES

__all__ = ["Excerpt", "merged_columns"]

TELLING = "biufcmM"  # kinds of pandas' types that say what a column holds


@dataclass(frozen=True, eq=False)
class Excerpt:
    """The values of a part of a table that decide what its columns hold.

    Parameters
    ----------
    library : {"pandas", "polars", "pyarrow"}
        What the part was a frame of.
    names : tuple
        Names of the columns.
    values : tuple
        For each column, a series or an array of that library with some of its values.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.variables.excerpts import Excerpt
    >>> part = pd.DataFrame({"size": [1.5, 2.0, 2.5], "colour": ["red", "blue", "red"]})
    >>> [series.tolist() for series in Excerpt.of(part).values]
    [[1.5], ['red', 'blue']]
    """

    library: str
    names: tuple[Any, ...]
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        columns = counted(len(self.names), "column", "columns")
        return short_repr(self, f"{columns} of {self.library} ({some(self.names)})")

    @classmethod
    def of(cls, X: Any) -> Excerpt:
        """Take the excerpt of a part of a table.

        Parameters
        ----------
        X : frame
            A frame of pandas or polars, or a table or a batch of records of Arrow.

        Returns
        -------
        Excerpt
            Small, and with pickle as it is.
        """
        library = "pandas" if hasattr(X, "iloc") else type(X).__module__.partition(".")[0]
        if library not in ("pandas", "polars", "pyarrow") or not hasattr(X, "columns"):
            raise TypeError(
                f"a part of a table must be a frame of pandas, polars or Arrow, got {type(X)}"
            )
        names = tuple(names_of(X))
        raw = (_raw(library, X, i) for i in range(len(names)))
        pairs = zip(names, raw, strict=True)
        return cls(library, names, tuple(_excerpt(library, name, values) for name, values in pairs))

    @classmethod
    def joined(cls, parts: Iterable[Excerpt]) -> Excerpt:
        """Return the excerpt of several parts together.

        Parameters
        ----------
        parts : iterable of Excerpt
            At least one, in the order of the rows, all with the same columns.

        Returns
        -------
        Excerpt

        Raises
        ------
        ColumnError
            If the types of a column do not go together.
        """
        parts = list(parts)
        if not parts:
            raise ValueError("a table must have at least one part, got none")
        library, names = parts[0].library, parts[0].names
        for part in parts:
            if part.library != library or part.names != names:
                raise ValueError(
                    f"all parts of a table must be frames of {library} with the columns "
                    f"{list(names)}, got one of {part.library} with {list(part.names)}"
                )
        if len(parts) == 1:
            return parts[0]
        values = []
        for i, name in enumerate(names):
            column = [part.values[i] for part in parts]
            # A part without rows says something only if all are such.
            column = [values for values in column if len(values)] or column[:1]
            together = _JOIN[library](name, column) if len(column) > 1 else column[0]
            values.append(_excerpt(library, name, together))
        return cls(library, names, tuple(values))

    def columns(self) -> Columns:
        """Tell what the columns hold.

        Returns
        -------
        Columns
            What `Columns.of` returns for the whole table.
        """
        categories, times = {}, {}
        for number, (name, values) in enumerate(zip(self.names, self.values, strict=True)):
            found = Columns.of(_frame_of(self.library, name, values))
            if 0 in found.categories:
                categories[number] = found.categories[0]
            elif 0 in found.times:
                times[number] = found.times[0]
        return Columns(categories, times)


def merged_columns(parts: Iterable[Excerpt]) -> Columns:
    """Tell what the columns of a table hold that comes in parts.

    Parameters
    ----------
    parts : iterable of Excerpt
        The excerpts of its parts, in the order of the rows.

    Returns
    -------
    Columns
        The same as `Columns.of` of the whole table. Categories of unordered columns whose parts
        have different ones are those of all parts, in the order in which they appear.

    Raises
    ------
    ColumnError
        If a column cannot be used, as by `Columns.of`, or if the types or the ordered categories of
        its parts do not go together.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.variables.excerpts import Excerpt, merged_columns
    >>> parts = pd.DataFrame({"colour": ["red", "1"]}), pd.DataFrame({"colour": ["2", "blue"]})
    >>> merged_columns(map(Excerpt.of, parts)).categories[0].labels
    ('1', '2', 'blue', 'red')
    """
    return Excerpt.joined(parts).columns()


def _raw(library: str, X: Any, number: int) -> Any:
    """Return a column of a frame as the library has it."""
    if library == "pandas":
        return X.iloc[:, number]
    return X.to_series(number) if library == "polars" else X.column(number)


def _frame_of(library: str, name: Any, values: Any) -> Any:
    """Return a frame with one column."""
    if library == "pandas":
        return values.to_frame(name)
    if library == "polars":
        return values.alias(name).to_frame()
    import pyarrow as pa

    return pa.table({name: values})


def _excerpt(library: str, name: Any, values: Any) -> Any:
    """Return the values of a column that decide what it holds."""
    if _is_text(library, values):
        if library == "pandas":
            return values.drop_duplicates().reset_index(drop=True)
        return values.unique(maintain_order=True) if library == "polars" else values.unique()
    if _are_objects(library, values):
        rows = _rows_of_objects(values)
    else:
        (column,) = _columns(_frame_of(library, name, values))
        rows = _rows_of(column, np.flatnonzero(_are_known(library, values)))
    if not len(rows):
        rows = np.arange(min(1, len(values)))  # one that is missing says that there are rows
    if library == "pandas":
        return values.iloc[rows].reset_index(drop=True)
    return values[rows] if library == "polars" else values.take(rows)


def _is_text(library: str, values: Any) -> bool:
    """Tell whether the type of a column says that it holds text alone."""
    dtype = values.type if library == "pyarrow" else values.dtype
    if library == "pandas":
        # Columns of pandas' type for objects may hold anything.
        return type(dtype).__name__ == "StringDtype"
    return str(dtype) in ("String", "Categorical", "string", "large_string", "string_view")


def _are_objects(library: str, values: Any) -> bool:
    """Tell whether the type of a column leaves open what it holds, as pandas' type does."""
    if library != "pandas" or hasattr(values.dtype, "categories"):
        return False
    return getattr(values.dtype, "kind", "O") not in TELLING


def _are_known(library: str, values: Any) -> NDArray[np.bool_]:
    """Tell which values are not missing."""
    if library == "pyarrow":
        return np.asarray(values.is_valid().to_numpy(zero_copy_only=False))
    known = values.notna() if library == "pandas" else values.is_not_null()
    return np.asarray(known.to_numpy(), dtype=bool)


def _rows_of_objects(values: Any) -> NDArray[np.intp]:
    """Return the first row of each text, of each type of other values, and of each kind of date."""
    found: dict[Any, int] = {}
    objects = values.to_numpy(dtype=object)
    for row in np.flatnonzero(_are_known("pandas", values)).tolist():
        found.setdefault(_said_by(objects[row]), row)
    return np.array(list(found.values()), dtype=np.intp)


def _said_by(value: Any) -> Any:
    """Return what is equal for values that say the same about their column."""
    kind = type(value).__name__
    if isinstance(value, str | bytes):
        return kind, value
    if isinstance(value, date | timedelta | np.datetime64 | np.timedelta64):
        zone = getattr(value, "tzinfo", None)
        times = times_of_objects(None, [value])
        assert times is not None
        units = [_unit(int(ticks[0])) for ticks in (times.ticks, times.wall)]
        # An offset of a zone is its own in summer and in winter.
        offset = value.utcoffset() if isinstance(value, datetime) else None
        return kind, str(zone), str(offset), *units
    return kind


def _unit(ticks: int) -> str:
    return next(unit for unit, size in SIZES.items() if not ticks % size)


def _rows_of(column: Column, known: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return rows of a column whose type says what it holds, given those that are not missing."""
    if isinstance(column, CategoryColumn):
        codes, rows = np.unique(column.codes, return_index=True)
        return np.sort(rows[codes >= 0])
    found = set(known[:1].tolist())
    if isinstance(column, TimeColumn):
        for ticks in (column.ticks[known], column.wall[known]):
            for size in SIZES.values():
                uneven = np.flatnonzero(ticks % size)
                found |= set(known[uneven[:1]].tolist())
    return np.array(sorted(found), dtype=np.intp)


def _join_pandas(name: Any, parts: Sequence[Any]) -> Any:
    pandas = import_pandas()
    types = [part.dtype for part in parts]
    if all(hasattr(dtype, "categories") for dtype in types) and any(
        dtype != types[0] for dtype in types
    ):
        if any(dtype.ordered for dtype in types):
            raise _orders_differ(name, *_first_two([list(dtype.categories) for dtype in types]))
        if len({dtype.categories.dtype for dtype in types}) == 1:
            return pandas.Series(pandas.api.types.union_categoricals(parts))
    return pandas.concat(parts, ignore_index=True)


def _join_polars(name: Any, parts: Sequence[Any]) -> Any:
    import polars as pl

    # Numbers may be of several types, and nothing of any; polars would turn dates into text, too.
    known = [part.dtype for part in parts if part.dtype != pl.Null]
    if any(dtype != known[0] for dtype in known) and not all(d.is_numeric() for d in known):
        raise _types_differ(name, known)
    frames = [part.alias("").to_frame() for part in parts]
    return pl.concat(frames, how="vertical_relaxed").to_series().alias(name)


def _join_arrow(name: Any, parts: Sequence[Any]) -> Any:
    import pyarrow as pa

    if all(pa.types.is_dictionary(part.type) and part.type.ordered for part in parts):
        labels = [
            chunk.dictionary.to_pylist()
            for part in parts
            for chunk in (part.chunks if hasattr(part, "chunks") else [part])
        ]
        if any(own != labels[0] for own in labels):
            raise _orders_differ(name, *_first_two(labels))
    tables = [pa.table({"": part}) for part in parts]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as problem:
        raise _types_differ(name, [part.type for part in parts]) from problem


_JOIN = {"pandas": _join_pandas, "polars": _join_polars, "pyarrow": _join_arrow}


def _first_two(values: Sequence[Any]) -> tuple[Any, Any]:
    """Return the first value and the first that differs from it."""
    return values[0], next(value for value in values if value != values[0])


def _orders_differ(name: Any, first: Any, other: Any) -> ColumnError:
    return ColumnError(
        name, f"must have the same ordered categories in all parts, got {first} and {other}"
    )


def _types_differ(name: Any, types: Sequence[Any]) -> ColumnError:
    first, other = _first_two([str(dtype) for dtype in types])
    return ColumnError(name, f"must have one type in all parts, got {first} and {other}")
