"""Columns: how data frames become numbers. Categories are counted, numbers stay what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Categories", "Columns"]

MOST_CATEGORIES = 32  # as many as there can be terms

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Categories:
    """What a column without numbers may hold.

    Parameters
    ----------
    labels : tuple
        The values; their places stand for them.
    is_ordered : bool
        Whether they come in a meaningful order.
    """

    labels: tuple[Any, ...]
    is_ordered: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(str, self.labels))


@dataclass(frozen=True)
class Columns:
    """The columns of a data frame that hold categories.

    Parameters
    ----------
    categories : dict of int to Categories
        Those columns, by number. All others hold numbers.

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
    """

    categories: Mapping[int, Categories] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Look at training data: a pandas, polars or Arrow frame, or anything else.

        Parameters
        ----------
        X : frame or array-like
            Text, booleans and categories become `Categories`; ordered ones (and polars' Enum) keep
            their order. Dates and mixed columns are refused.

        Returns
        -------
        Columns
            Without categories if it is no frame.
        """
        found = {
            number: categories
            for number, column in enumerate(_columns(X))
            if (categories := column.categories()) is not None
        }
        return cls(found)

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
        columns = list(_columns(X))
        if not columns:
            return X
        values = np.empty((columns[0].n_rows, len(columns)))
        for number, column in enumerate(columns):
            known = self.categories.get(number)
            values[:, number] = column.numbers() if known is None else column.codes(known)
        return _like(X, values)

    def restored(self, X: Any, values: Array) -> Any:
        """Turn numbers back into a frame of the same kind as X, with categories as they were.

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
        for number in self.categories:
            labels = [self.label(number, value) for value in columns[number].tolist()]
            columns[number] = [None if isinstance(v, float) and np.isnan(v) else v for v in labels]
        return _frame(X, columns)

    def label(self, feature: int, value: float) -> Any:
        """Return what a number in a column stands for; numbers stand for themselves."""
        if feature not in self.categories or np.isnan(value):
            return value
        labels = self.categories[feature].labels
        place = int(value)
        return labels[place] if place == value and 0 <= place < len(labels) else value


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of a frame, whoever made it.

    `kind` is "number", "boolean", "category", "date" or "other"; `values` are floats of numbers and
    objects of everything else, None where nothing is known.
    """

    name: Any
    kind: str
    values: NDArray[Any]
    declared: tuple[Any, ...] | None = None  # categories that the column's type lists
    is_ordered: bool = False
    type_name: str = ""

    @property
    def n_rows(self) -> int:
        return len(self.values)

    def categories(self) -> Categories | None:
        """Return what the column holds if these are no numbers."""
        if self.kind == "number":
            return None
        self._refuse_dates()
        known = [value for value in self.values if value is not None]
        if self.kind == "boolean":
            return Categories((False, True))
        if self.kind == "category":
            declared = self.declared or ()
            seen = set(known)
            labels = declared if self.is_ordered else tuple(v for v in declared if v in seen)
            return self._checked(labels, self.is_ordered) if labels else None
        if all(isinstance(value, bool | np.bool_) for value in known) and known:
            return Categories((False, True))
        if self._as_numbers(known) is not None:
            return None
        if not all(isinstance(value, str) for value in known):
            kinds = sorted({type(value).__name__ for value in known})
            raise ValueError(
                f"column {self.name!r} must hold numbers or text, got a mixture of {kinds}"
            )
        return self._checked(tuple(sorted(set(known))), is_ordered=False)

    def _checked(self, labels: tuple[Any, ...], is_ordered: bool) -> Categories:
        if len(labels) > MOST_CATEGORIES:
            raise ValueError(
                f"column {self.name!r} has {len(labels)} categories, at most {MOST_CATEGORIES} are "
                "possible; group them, or leave the column out"
            )
        texts = [str(label) for label in labels]
        if len(set(texts)) < len(texts):
            raise ValueError(f"column {self.name!r} has categories that look alike: {texts}")
        return Categories(tuple(map(_plain, labels)), is_ordered)

    def numbers(self) -> Array:
        """Return the column as numbers."""
        if self.kind == "number":
            return self.values
        self._refuse_dates()
        known = [value for value in self.values if value is not None]
        numbers = self._as_numbers(known)
        if numbers is None:
            raise ValueError(
                f"column {self.name!r} must hold numbers as in the training data, got "
                f"{self.type_name} such as {known[0]!r}"
            )
        result = np.full(len(self.values), np.nan)
        result[[value is not None for value in self.values]] = numbers
        return result

    def codes(self, known: Categories) -> Array:
        """Return the places of the values among known categories, NaN for others."""
        places = {label: place for place, label in enumerate(known.labels)}
        is_text = all(isinstance(label, str) for label in known.labels)
        if self.kind == "number":
            if is_text and not np.isnan(self.values).all():
                shown = ", ".join(known.terms[:5]) + (", ..." if len(known.terms) > 5 else "")
                raise ValueError(
                    f"column {self.name!r} must hold categories as in the training data "
                    f"({shown}), got numbers"
                )
            values: list[Any] = [None if np.isnan(v) else v for v in self.values.tolist()]
        else:
            values = [None if v is None else _plain(v) for v in self.values]
        return np.array([places.get(value, np.nan) for value in values], dtype=float)

    def _as_numbers(self, known: Sequence[Any]) -> Array | None:
        try:
            return np.array(known, dtype=object).astype(np.float64)
        except (TypeError, ValueError):
            return None

    def _refuse_dates(self) -> None:
        dates = (date, datetime, time, timedelta, np.datetime64, np.timedelta64)
        first = next((value for value in self.values if value is not None), None)
        if self.kind == "date" or isinstance(first, dates):
            raise ValueError(
                f"column {self.name!r} must hold numbers or categories, got {self.type_name}; "
                "derive numbers from dates first, such as an age or a number of days"
            )


def _plain(value: Any) -> Any:
    """Return a scalar of NumPy as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _columns(X: Any) -> Iterator[_Column]:
    module = type(X).__module__.partition(".")[0]
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        yield from (_of_pandas(name, X.iloc[:, i]) for i, name in enumerate(X.columns))
    elif module == "polars" and hasattr(X, "get_columns"):
        yield from map(_of_polars, X.get_columns())
    elif module == "pyarrow" and hasattr(X, "column_names"):
        for i, name in enumerate(X.column_names):
            yield _of_arrow(name, X.column(i))


def _of_pandas(name: Any, column: Any) -> _Column:
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    text = str(dtype)
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        declared = tuple(dtype.categories.tolist())
        values = _objects(column.astype(object))
        return _Column(name, "category", values, declared, bool(dtype.ordered), text)
    if kind in "iuf":
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return _Column(name, "number", numbers, type_name=text)
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds {text}")
    names = {"b": "boolean", "M": "date", "m": "date"}
    return _Column(name, names.get(kind, "other"), _objects(column), type_name=text)


def _objects(column: Any) -> NDArray[Any]:
    """Return the values of a pandas column as objects, None where nothing is known."""
    values = column.to_numpy(dtype=object).copy()
    values[column.isna().to_numpy()] = None
    return np.asarray(values)


def _of_polars(column: Any) -> _Column:
    dtype = column.dtype
    name, text = column.name, str(dtype)
    if dtype.is_numeric():
        numbers = column.cast(float, strict=False).to_numpy()
        return _Column(name, "number", np.array(numbers, dtype=np.float64), type_name=text)
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    kind = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if kind == "Enum":
        return _Column(name, "category", values, tuple(dtype.categories), True, text)
    found = "boolean" if kind == "Boolean" else "date" if dtype.is_temporal() else "other"
    return _Column(name, found, values, type_name=text)


def _of_arrow(name: str, column: Any) -> _Column:
    import pyarrow as pa

    dtype, text = column.type, str(column.type)
    if pa.types.is_dictionary(dtype):
        plain = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        plain = plain.unify_dictionaries() if hasattr(plain, "unify_dictionaries") else plain
        chunks = plain.chunks if hasattr(plain, "chunks") else [plain]
        declared = tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
        return _Column(name, "category", _listed(column), declared, bool(dtype.ordered), text)
    if pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype):
        listed = [np.nan if value is None else float(value) for value in column.to_pylist()]
        return _Column(name, "number", np.array(listed, dtype=np.float64), type_name=text)
    is_boolean, is_date = pa.types.is_boolean(dtype), pa.types.is_temporal(dtype)
    kind = "boolean" if is_boolean else "date" if is_date else "other"
    return _Column(name, kind, _listed(column), type_name=text)


def _listed(column: Any) -> NDArray[Any]:
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist()
    return values


def _like(X: Any, values: Array) -> Any:
    """Return numbers in a frame of the same kind, with the same names and index."""
    if hasattr(X, "iloc"):
        return type(X)(values, columns=X.columns, index=X.index)
    return _frame(X, list(np.ascontiguousarray(values.T)))


def _frame(X: Any, columns: Sequence[Any]) -> Any:
    """Return columns in a frame of the same kind and with the same names."""
    if hasattr(X, "iloc"):
        frame = type(X)(dict(enumerate(columns)))
        frame.columns = X.columns
        return frame
    if hasattr(X, "get_columns"):
        return type(X)(dict(zip(X.columns, columns, strict=True)))
    import pyarrow as pa

    return pa.Table.from_arrays([pa.array(column) for column in columns], names=X.column_names)
