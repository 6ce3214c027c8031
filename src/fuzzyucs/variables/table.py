"""Table: training data or records in the types that their columns came in.

A number takes the bytes that its owner gave it, and a category one or two. Floats of 64 bits, which
most code computes with, exist for a column or for a block of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stored", "Table"]

MOST_VALUES = 2**18  # of a block of rows

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stored:
    """One column as it is stored.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Floats of 32 or 64 bits or whole numbers. NaN is a missing value.
    is_coded : bool
        Whether they are indices of categories: negative ones are missing values, too.
    """

    values: NDArray[Any]
    is_coded: bool = False

    @classmethod
    def of(cls, values: NDArray[Any]) -> Stored | None:
        """Store numbers of NumPy's types, without a copy if possible; None of others."""
        kind, size = values.dtype.kind, values.dtype.itemsize
        if kind == "b":
            return cls(values.view(np.uint8))
        if kind == "f" and size == 2:
            return cls(values.astype(np.float32))
        if not (kind in "iu" or (kind == "f" and size <= 8)):
            return None
        is_plain = values.dtype.isnative and values.flags.aligned
        if not (is_plain and all(stride % size == 0 for stride in values.strides)):
            values = values.astype(
                values.dtype.newbyteorder("=")
            )  # arrays that came over a network
        return cls(values)

    @classmethod
    def of_indices(cls, indices: Array, n_labels: int) -> Stored:
        """Store indices of categories, NaN where they are missing, in as few bytes as possible.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.table import Stored
        >>> Stored.of_indices(np.array([2.0, np.nan, 0.0]), 3)
        Stored(values=array([ 2, -1,  0], dtype=int8), is_coded=True)
        """
        known = np.where(np.isnan(indices), -1.0, indices)
        return cls(known.astype(np.min_scalar_type(-max(1, n_labels))), is_coded=True)

    @property
    def has_infinity(self) -> bool:
        """Whether a value is infinite."""
        return self.values.dtype.kind == "f" and bool(np.isinf(self.values).any())

    def floats(self, rows: slice = slice(None)) -> Array:
        """Return values of some rows as floats of 64 bits, NaN where they are missing."""
        values = self.values[rows]
        found = np.ascontiguousarray(values, dtype=np.float64)
        if self.is_coded and (values < 0).any():
            found[values < 0] = np.nan
        return found

    def are_missing(self) -> NDArray[np.bool_]:
        """Tell which values are missing."""
        if self.is_coded:
            return np.asarray(self.values < 0)
        if self.values.dtype.kind != "f":
            return np.zeros(len(self.values), dtype=bool)
        return np.asarray(np.isnan(self.values))


class Table:
    """Columns of numbers and of indices of categories.

    Parameters
    ----------
    columns : sequence of Stored
        At least one column, all of the same length.
    whole : ndarray of shape (n_rows, n_features), optional
        The same values as one array, if they are views of one.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.table import Stored, Table
    >>> size = Stored(np.array([1.5, np.nan, 2.0], dtype=np.float32))
    >>> colour = Stored(np.array([1, 0, -1], dtype=np.int8), is_coded=True)
    >>> table = Table([size, colour])
    >>> table.column(1)
    array([ 1.,  0., nan])
    >>> table.rows(slice(1, 3))
    array([[nan,  0.],
           [ 2., nan]])
    >>> Table.of(np.array([[1, 2], [3, 4]])).column(0)
    array([1., 3.])
    """

    def __init__(self, columns: Sequence[Stored], whole: NDArray[Any] | None = None) -> None:
        self.columns = list(columns)
        self._whole = whole

    @classmethod
    def of(cls, X: Table | NDArray[Any]) -> Table:
        """Take a table as it is, and an array of numbers without a copy.

        Parameters
        ----------
        X : Table or ndarray of shape (n_rows, n_features)
            Arrays of unusual types become floats of 64 bits.
        """
        if isinstance(X, Table):
            return X
        stored = Stored.of(X)
        whole = np.asarray(X, dtype=np.float64) if stored is None else stored.values
        return cls([Stored(column) for column in whole.T], whole)

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), self.n_features

    @property
    def has_infinity(self) -> bool:
        """Whether a value is infinite."""
        if self._whole is not None:
            return Stored(self._whole).has_infinity
        return any(column.has_infinity for column in self.columns)

    def column(self, feature: int) -> Array:
        """Return a column as floats of 64 bits, NaN where values are missing.

        They may be the stored values themselves: leave them as they are.
        """
        return self.columns[feature].floats()

    def rows(self, rows: slice = slice(None)) -> Array:
        """Return neighbouring rows as floats of 64 bits, which may be the stored ones."""
        if self._whole is not None:
            return np.ascontiguousarray(self._whole[rows], dtype=np.float64)
        found = np.empty((len(range(*rows.indices(len(self)))), self.n_features))
        for number, column in enumerate(self.columns):
            found[:, number] = column.floats(rows)
        return found

    def blocks(self) -> Iterator[slice]:
        """Divide the rows into blocks so small that their values may be floats for a moment."""
        step = max(1, MOST_VALUES // self.n_features)
        for first in range(0, len(self), step):
            yield slice(first, min(first + step, len(self)))

    def part(self, rows: slice) -> Table:
        """Return neighbouring rows, without a copy."""
        columns = [replace(column, values=column.values[rows]) for column in self.columns]
        return Table(columns, None if self._whole is None else self._whole[rows])

    def take(self, rows: NDArray[Any]) -> Table:
        """Return a copy of some rows, by number or as a mask."""
        return Table([replace(column, values=column.values[rows]) for column in self.columns])

    def without(self, features: Sequence[int]) -> Table:
        """Return the table with all values of some columns missing."""
        nothing = Stored(np.full(len(self), np.nan, dtype=np.float32))
        columns = [nothing if f in features else c for f, c in enumerate(self.columns)]
        return Table(columns) if features else self

    def copy(self) -> Table:
        """Return a copy, each column by itself."""
        copied = [np.empty(len(self), dtype=column.values.dtype) for column in self.columns]
        # By blocks: if the rows lie one after the other, a column is spread over all memory.
        for rows in self.blocks():
            for column, values in zip(self.columns, copied, strict=True):
                values[rows] = column.values[rows]
        pairs = zip(self.columns, copied, strict=True)
        return Table([replace(column, values=values) for column, values in pairs])

    @classmethod
    def joined(cls, tables: Sequence[Table]) -> Table:
        """Return a copy of the rows of several tables, one after the other.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.table import Table
        >>> parts = [Table.of(np.array([[1]], dtype=np.int8)), Table.of(np.array([[0.5]]))]
        >>> Table.joined(parts).rows()
        array([[1. ],
               [0.5]])
        """
        return cls(
            [
                replace(parts[0], values=np.concatenate([part.values for part in parts]))
                for parts in zip(*(table.columns for table in tables), strict=True)
            ]
        )
