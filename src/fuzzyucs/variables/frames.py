"""Data frames: their columns become numbers, categories their indices, and dates seconds.

The type of a column decides what it holds. Values are inspected only where the type leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr
from fuzzyucs.variables.columns import (
    Categories,
    CategoryColumn,
    Column,
    ColumnError,
    NumberColumn,
    as_numbers,
    clock_refused,
    indices_of,
    plain,
    refuse_dates,
)
from fuzzyucs.variables.more_categories import with_more
from fuzzyucs.variables.object_arrays import objects_in
from fuzzyucs.variables.table import Stored, Table
from fuzzyucs.variables.time_columns import (
    times_of_arrow,
    times_of_objects,
    times_of_pandas,
    times_of_polars,
)
from fuzzyucs.variables.times import TimeScale

__all__ = ["Categories", "Columns"]

# Of polars, those that NumPy has as well.
PLAIN_TYPES = {f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)}
PLAIN_TYPES |= {"Float32", "Float64"}
FEW_VALUES = 2**16  # that may as well be floats of 64 bits

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """The columns of a data frame that hold categories, dates or durations.

    Parameters
    ----------
    categories : dict of int to Categories
        Columns that hold categories, by number.
    times : dict of int to TimeScale
        Columns that hold dates or durations. All others hold numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.variables.frames import Columns
    >>> frame = pd.DataFrame({"size": [1.5, None, 2.0], "colour": ["red", "blue", None]})
    >>> columns = Columns.of(frame)
    >>> columns.categories[1].labels
    ('blue', 'red')
    >>> columns.numbers(frame).to_numpy()
    array([[1.5, 1. ],
           [nan, 0. ],
           [2. , nan]])
    >>> days = pd.DataFrame({"day": pd.to_datetime(["2013-05-12", None])})
    >>> Columns.of(days).times
    {0: TimeScale(kind='date', unit='day', zone=None)}
    """

    categories: Mapping[int, Categories] = field(default_factory=dict)
    times: Mapping[int, TimeScale] = field(default_factory=dict)

    def __repr__(self) -> str:
        kinds = f"{len(self.categories)} of categories", f"{len(self.times)} of dates or durations"
        return short_repr(self, *kinds)

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Find out what training data hold: a pandas, polars or Arrow frame, or anything else.

        Parameters
        ----------
        X : frame or array-like
            Text, booleans and categories become `Categories`; ordered ones (and polars' Enum) keep
            their order. Dates and durations become `TimeScale`. Times of day and mixed columns are
            refused.

        Returns
        -------
        Columns
            Without categories and dates if it is no frame.
        """
        categories, times = {}, {}
        for number, column in enumerate(_columns(X)):
            if (scale := column.time_scale()) is not None:
                times[number] = scale
            elif (found := column.categories()) is not None:
                categories[number] = found
        return cls(categories, times)

    def numbers(self, X: Any) -> Any:
        """Turn a frame into a frame of the same kind that holds numbers.

        Parameters
        ----------
        X : frame or array-like
            Data. Categories that are not known become NaN.

        Returns
        -------
        frame or array-like
            What is no frame stays as it is.
        """
        values = self.values(X)
        return X if values is X else _like(X, values)

    def values(self, X: Any) -> Any:
        """Turn a frame into an array of numbers.

        Parameters
        ----------
        X : frame or array-like
            Data. Categories that are not known become NaN.

        Returns
        -------
        ndarray or array-like
            What is no frame stays as it is.
        """
        if self._are_plain_numbers(X):
            return X.to_numpy(dtype=np.float64)
        table = self.table(X)
        return X if table is None else table.rows()

    def table(self, X: Any) -> Table | None:
        """Turn a frame into a table of numbers in the types of its columns.

        Parameters
        ----------
        X : frame or array-like
            Data. Categories that are not known are missing.

        Returns
        -------
        Table or None
            None if it is no frame.
        """
        if self._are_plain_numbers(X) and X.size <= FEW_VALUES:  # which is faster
            return Table.of(X.to_numpy(dtype=np.float64))
        # One column after the other, since each may need a moment's memory.
        columns = [self._stored(number, column) for number, column in enumerate(_columns(X))]
        return Table(columns) if columns else None

    def _are_plain_numbers(self, X: Any) -> bool:
        return not self.categories and not self.times and _holds_plain_numbers(X)

    def _stored(self, number: int, column: Column) -> Stored:
        if (known := self.categories.get(number)) is not None:
            return Stored.of_indices(column.indices(known), len(known.labels))
        if (scale := self.times.get(number)) is not None:
            return Stored(column.seconds(scale))
        return column.stored_numbers()

    def unseen(self, X: Any) -> dict[int, Any]:
        """Find the categories in the first row of a frame that are not known.

        Parameters
        ----------
        X : frame or array-like
            Data.

        Returns
        -------
        dict of int to object
            By number of the column. Missing values are none.

        Examples
        --------
        >>> import pandas as pd
        >>> from fuzzyucs.variables.frames import Columns
        >>> columns = Columns.of(pd.DataFrame({"colour": ["red", "blue"]}))
        >>> columns.unseen(pd.DataFrame({"colour": ["green"]}))
        {0: 'green'}
        """
        if not self.categories:
            return {}
        found = {}
        for number, column in enumerate(_columns(X)):
            known = self.categories.get(number)
            value = None if known is None else column.first()
            if known is not None and value is not None and value not in known.labels:
                found[number] = value
        return found

    def with_more(self, X: Any) -> Columns:
        """Learn the categories of a further batch.

        Parameters
        ----------
        X : frame or array-like
            More training data.

        Returns
        -------
        Columns
            These themselves if the batch has no other categories.
        """
        more = {
            number: with_more(name, self.categories[number], found)
            for number, name, found in self._found(X)
        }
        is_same = all(more[number] is self.categories[number] for number in more)
        return self if is_same else Columns({**self.categories, **more}, self.times)

    def unknown(self, X: Any) -> dict[Any, list[Any]]:
        """Return the categories of a further batch that are not known, by name of the column."""
        return {
            name: new
            for number, name, found in self._found(X)
            if (new := [x for x in found.labels if x not in self.categories[number].labels])
        }

    def _found(self, X: Any) -> Iterator[tuple[int, Any, Categories]]:
        for number, column in enumerate(_columns(X) if self.categories else ()):
            found = column.more_categories() if number in self.categories else None
            if found is not None:
                yield number, column.name, found

    def restored(self, X: Any, values: Array) -> Any:
        """Turn numbers back into a frame of the same kind as X, with categories and dates.

        Parameters
        ----------
        X : frame or array-like
            Tells the kind and the names.
        values : ndarray of shape (n_samples, n_features)
            Numbers.

        Returns
        -------
        frame or ndarray
        """
        if not any(True for _ in _columns(X)):
            return values
        columns: list[Any] = list(np.ascontiguousarray(values.T))
        for number in (*self.categories, *self.times):
            labels = [self.label(number, value) for value in columns[number].tolist()]
            columns[number] = [None if isinstance(v, float) and np.isnan(v) else v for v in labels]
        return _frame(X, columns)

    def label(self, feature: int, value: float) -> Any:
        """Return what a number in a column stands for; numbers stand for themselves."""
        if np.isnan(value):
            return value
        if feature in self.times:
            return self.times[feature].label(value)
        if feature not in self.categories:
            return value
        labels = self.categories[feature].labels
        index = int(value)
        return labels[index] if index == value and 0 <= index < len(labels) else value

    def number(self, feature: int, label: Any) -> float:
        """Return the number that stands for a category or a date; the opposite of `label`."""
        if isinstance(label, float):
            return label
        if feature in self.times:
            return self.times[feature].number(label)
        if feature in self.categories:
            return float(self.categories[feature].labels.index(label))
        return float(label)


def _holds_plain_numbers(X: Any) -> bool:
    """Tell whether X is a pandas frame whose columns are all of NumPy's types for numbers."""
    return (
        hasattr(X, "iloc")
        and hasattr(X, "columns")
        and all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes)
    )


@dataclass(frozen=True, eq=False)
class _ObjectColumn(Column):
    """A column whose type does not say what it holds: booleans, text, or anything.

    `values` are objects, None where they are missing.
    """

    values: NDArray[Any]
    type_name: str

    @property
    def n_rows(self) -> int:
        return len(self.values)

    def first(self) -> Any:
        return plain(self.values[0]) if len(self.values) else None

    def categories(self) -> Categories | None:
        refuse_dates(self.name, self.values)
        known = self._known()
        if all(isinstance(value, bool | np.bool_) for value in known) and known:
            return Categories((False, True))
        if as_numbers(known) is not None:
            return None
        if not all(isinstance(value, str) for value in known):
            kinds = sorted({type(value).__name__ for value in known})
            got = kinds[0] if len(kinds) == 1 else f"a mixture of {', '.join(kinds)}"
            raise ColumnError(
                self.name, f"must hold numbers, text, dates or durations alone, got {got}"
            )
        return Categories.of(self.name, sorted(set(known)))

    def more_categories(self) -> Categories | None:
        known = self._known()
        if known and all(isinstance(value, str) for value in known):  # numbers as text, too
            return Categories.of(self.name, sorted(set(known)))
        return self.categories()

    def numbers(self) -> Array:
        refuse_dates(self.name, self.values)
        known = self._known()
        numbers = as_numbers(known)
        if numbers is None:
            raise ColumnError(
                self.name,
                f"must hold numbers as in the training data, got {self.type_name} such as "
                f"{known[0]!r}",
            )
        result = np.full(len(self.values), np.nan)
        result[[value is not None for value in self.values]] = numbers
        return result

    def indices(self, known: Categories) -> Array:
        return indices_of(map(plain, self.values), known)

    def _known(self) -> list[Any]:
        return [value for value in self.values if value is not None]

    def _known_example(self) -> Any:
        return plain(next(iter(self._known()), None))


@dataclass(frozen=True, eq=False)
class _BooleanColumn(_ObjectColumn):
    """A column whose type is boolean, though it may hold only one value, or none."""

    def categories(self) -> Categories:
        return Categories((False, True))


@dataclass(frozen=True, eq=False)
class _ClockColumn(_ObjectColumn):
    """A column whose type is a time of day."""

    def categories(self) -> Categories:
        raise clock_refused(self.name, next(iter(self._known()), self.type_name))

    def numbers(self) -> Array:
        raise clock_refused(self.name, next(iter(self._known()), self.type_name))


def _columns(X: Any) -> Iterator[Column]:
    module = type(X).__module__.partition(".")[0]
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        yield from (_of_pandas(name, X.iloc[:, i]) for i, name in enumerate(X.columns))
    elif module == "polars" and hasattr(X, "get_columns"):
        yield from map(_of_polars, X.get_columns())
    elif module == "pyarrow" and hasattr(X, "column_names"):
        for i, name in enumerate(X.column_names):
            yield _of_arrow(name, X.column(i))
    elif (cells := objects_in(X)) is not None:
        yield from (_untyped(i, column, "text", False) for i, column in enumerate(cells.T))


def _untyped(name: Any, values: NDArray[Any], type_name: str, is_boolean: bool) -> Column:
    if is_boolean:
        return _BooleanColumn(name, values, type_name)
    return times_of_objects(name, values) or _ObjectColumn(name, values, type_name)


def _of_pandas(name: Any, column: Any) -> Column:
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        codes = column.cat.codes.to_numpy(dtype=np.intp)
        return CategoryColumn(name, tuple(dtype.categories.tolist()), codes, bool(dtype.ordered))
    if kind in "iuf":
        return NumberColumn(name, _pandas_numbers(column))
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds {dtype}")
    if kind in "mM":
        return times_of_pandas(name, column)
    values = column.to_numpy(dtype=object).copy()
    values[column.isna().to_numpy()] = None
    return _untyped(name, values, str(dtype), kind == "b")


def _pandas_numbers(column: Any) -> NDArray[Any]:
    """Return numbers in their own type if NumPy has it, else in a type of floats with room."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return np.asarray(column.to_numpy())
    own = np.dtype(getattr(dtype, "numpy_dtype", np.float64))
    if column.isna().any():
        own = np.promote_types(own, np.float32)
    return np.asarray(column.to_numpy(dtype=own, na_value=np.nan))


def _of_polars(column: Any) -> Column:
    dtype, name = column.dtype, column.name
    if dtype.is_numeric():
        has_gaps = dtype.is_integer() and column.null_count() > 0
        numbers = (
            column
            if str(dtype) in PLAIN_TYPES and not has_gaps
            else column.cast(float, strict=False)
        )
        return NumberColumn(name, numbers.to_numpy())
    type_name = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if type_name == "Enum":
        codes = column.to_physical().cast(int).fill_null(-1).to_numpy()
        return CategoryColumn(name, tuple(dtype.categories), codes.astype(np.intp), True)
    if type_name in ("Date", "Datetime", "Duration"):
        return times_of_polars(column)
    values = _objects(column.to_list())
    if type_name == "Time":
        return _ClockColumn(name, values, str(dtype))
    return _untyped(name, values, str(dtype), type_name == "Boolean")


def _of_arrow(name: str, column: Any) -> Column:
    import pyarrow as pa

    dtype = column.type
    if pa.types.is_dictionary(dtype):
        return _of_dictionary(name, column, bool(dtype.ordered))
    if pa.types.is_integer(dtype) or pa.types.is_floating(dtype):
        return NumberColumn(name, column.to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(dtype):
        listed = [np.nan if value is None else float(value) for value in column.to_pylist()]
        return NumberColumn(name, np.array(listed, dtype=np.float64))
    if pa.types.is_temporal(dtype) and not pa.types.is_time(dtype) and "interval" not in str(dtype):
        return times_of_arrow(name, column)
    values = _objects(column.to_pylist())
    if pa.types.is_time(dtype):
        return _ClockColumn(name, values, str(dtype))
    return _untyped(name, values, str(dtype), pa.types.is_boolean(dtype))


def _of_dictionary(name: str, column: Any, is_ordered: bool) -> CategoryColumn:
    """Read an Arrow column of categories, which may come in chunks with their own dictionaries."""
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries()
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    labels = tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    joined = np.concatenate([np.empty(0, dtype=np.intp), *codes]).astype(np.intp)
    joined[np.isin(joined, [i for i, label in enumerate(labels) if label is None])] = -1
    return CategoryColumn(name, labels, joined, is_ordered)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _like(X: Any, values: Array) -> Any:
    """Return numbers in a frame of the same kind, with the same names and index."""
    if hasattr(X, "iloc"):
        return type(X)(values, columns=X.columns, index=X.index)
    if isinstance(X, np.ndarray | list | tuple):
        return values
    return _frame(X, list(np.ascontiguousarray(values.T)))


def _frame(X: Any, columns: Sequence[Any]) -> Any:
    """Return columns in a frame of the same kind and with the same names."""
    if hasattr(X, "iloc"):
        frame = type(X)(dict(enumerate(columns)))
        frame.columns = X.columns
        return frame
    if hasattr(X, "get_columns"):
        return type(X)(dict(zip(X.columns, columns, strict=True)))
    if isinstance(X, np.ndarray | list | tuple):
        return np.column_stack([_objects(column) for column in columns])
    import pyarrow as pa

    return pa.Table.from_arrays([pa.array(column) for column in columns], names=X.column_names)
