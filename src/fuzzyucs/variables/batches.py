"""Batches: a table in a file that is read some rows at a time, as often as needed.

The memory that this takes does not depend on the number of rows: a batch holds at most
`BATCH_BYTES`, and one or two batches exist at a time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pyarrow
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.sizes import bytes_in
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.arrow_files import dataset_of, name_of, scan
from fuzzyucs.variables.columns import ColumnError
from fuzzyucs.variables.excerpts import Excerpt
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table

__all__ = ["BATCH_BYTES", "Batch", "Batches", "is_source"]

BATCH_BYTES = 2**19  # of the values of a batch
TEXT_BYTES = 32  # of a text, for lack of better knowledge
MOST_TEXTS = 2**20  # different ones in a column
N_NAMED = 20  # columns in a message


def is_source(X: Any) -> bool:
    """Tell whether data are not in memory: a path, a dataset of Arrow, or `Batches`.

    Parameters
    ----------
    X : object
        What an estimator is given as data.

    Returns
    -------
    bool

    Examples
    --------
    >>> from fuzzyucs.variables.batches import is_source
    >>> is_source("big.parquet"), is_source([[1.0]])
    (True, False)
    """
    if isinstance(X, str | PathLike | Batches):
        return True
    module = type(X).__module__
    return module.startswith("pyarrow") and hasattr(X, "scanner") and hasattr(X, "get_fragments")


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a table.

    Attributes
    ----------
    table : Table
        Values of the features, in compact types.
    labels : ndarray of shape (n_rows,) or None
        Class labels, if the table has a target.
    weights : ndarray of shape (n_rows,) or None
        Sample weights, if the table has them.
    """

    table: Table
    labels: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        size = f"{counted(len(self.table), 'row', 'rows')}", f"{self.table.n_features} features"
        return short_repr(self, *size)


class Batches:
    """A table that is read in batches of rows, any number of times.

    Parameters
    ----------
    source : path, pyarrow.dataset.Dataset or Batches
        A file of Parquet, Arrow (Feather) or CSV, a folder of Parquet files, whose hive partitions
        (``year=2013/``) are columns, or a dataset of Arrow. `Batches` give what they are made of.
    target : str, optional
        The column that holds the class.
    sample_weight : str, optional
        The column that holds how much each row counts.
    drop : sequence of str
        Columns to leave out.
    memory : int or str, optional
        Greatest memory that training may take, such as "1GB".
    batch_bytes : int, optional
        About how many bytes the values of a batch may have; 512 KiB by default.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from fuzzyucs.variables.batches import Batches
    >>> path = Path(tempfile.mkdtemp()) / "cars.parquet"
    >>> cars = {"price": [9.5, None, 7.0], "colour": ["red", "blue", "red"], "y": [1, 0, 1]}
    >>> pq.write_table(pa.table(cars), path)
    >>> batches = Batches(path, "y")
    >>> batches.names, batches.n_rows
    (['price', 'colour'], 3)
    >>> columns = batches.columns()
    >>> columns.categories[1].labels
    ('blue', 'red')
    >>> for batch in batches.tables(columns):
    ...     print(batch.table.rows(), batch.labels)
    [[9.5 1. ]
     [nan 0. ]
     [7.  1. ]] [1 0 1]
    """

    source: Any
    target: str | None
    sample_weight: str | None
    drop: list[str]
    memory: int | None
    batch_bytes: int
    _dataset: Any

    def __init__(
        self,
        source: Any,
        target: str | None = None,
        sample_weight: str | None = None,
        *,
        drop: Sequence[str] = (),
        memory: int | str | None = None,
        batch_bytes: int | None = None,
    ) -> None:
        dataset: Any = None
        if isinstance(source, Batches):
            target = source.target if target is None else target
            # What a CSV file holds takes a pass to find, and depends on the target.
            dataset = source._dataset if source.target == target else None
            sample_weight = source.sample_weight if sample_weight is None else sample_weight
            drop = [*source.drop, *drop]
            memory = source.memory if memory is None else memory
            batch_bytes = source.batch_bytes if batch_bytes is None else batch_bytes
            source = source.source
        self.source = Path(source) if isinstance(source, str | PathLike) else source
        self.target = target
        self.sample_weight = sample_weight
        self.drop = list(drop)
        self.memory = None if memory is None else bytes_in(memory, "memory")
        n_bytes = BATCH_BYTES if batch_bytes is None else batch_bytes
        self.batch_bytes = bytes_in(n_bytes, "batch_bytes")
        self._dataset = dataset_of(self.source, target) if dataset is None else dataset
        self._check_names()

    def __repr__(self) -> str:
        features = counted(len(self.names), "feature", "features")
        return short_repr(self, some([self.name]), f"{features} ({some(self.names)})")

    @property
    def name(self) -> str:
        """Name of the file or of the dataset, for messages."""
        return name_of(self.source)

    @property
    def schema(self) -> Any:
        """Names and types of all columns, as Arrow has them."""
        return self._dataset.schema

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        others = {self.target, self.sample_weight, *self.drop}
        names = [name for name in self.schema.names if name not in others]
        # Numbers of rows, which pandas writes beside the columns of a frame.
        return [name for name in names if not re.fullmatch(r"__index_level_\d+__", name)]

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._dataset.count_rows())

    def row_bytes(self, names: Sequence[str] | None = None) -> int:
        """Return about how many bytes a row has in memory.

        Parameters
        ----------
        names : sequence of str, optional
            Columns; by default the features.

        Returns
        -------
        int
        """
        return sum(_width(self.schema.field(n).type) for n in (names or self.names))

    def frames(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        """Read columns batch by batch.

        Parameters
        ----------
        names : sequence of str, optional
            Columns, in the order wanted; by default the features.

        Yields
        ------
        pyarrow.RecordBatch
            With at least one row.
        """
        chosen = self.names if names is None else list(names)
        n_rows = max(1, self.batch_bytes // max(1, self.row_bytes(chosen)))
        for batch in scan(self.source, self._dataset, chosen, n_rows):
            for first in range(0, len(batch), n_rows):
                yield batch.slice(first, n_rows)

    def columns(self) -> Columns:
        """Tell what the features hold.

        Returns
        -------
        Columns
            The same as of the whole table in memory. Only columns that are neither numbers nor
            booleans are read for that.
        """
        names = self.names
        decided = [name for name in names if _is_decided(self.schema.field(name).type)]
        others = [name for name in names if name not in decided]
        found = [(decided, Columns.of(self.schema.empty_table().select(decided)))]
        if others:
            found.append((others, self._excerpt(others).columns()))
        categories, times = {}, {}
        for chosen, columns in found:
            for i, name in enumerate(chosen):
                if i in columns.categories:
                    categories[names.index(name)] = columns.categories[i]
                elif i in columns.times:
                    times[names.index(name)] = columns.times[i]
        return Columns(dict(sorted(categories.items())), dict(sorted(times.items())))

    def _excerpt(self, names: Sequence[str]) -> Excerpt:
        """Return the values that decide what columns hold."""
        excerpt = Excerpt.of(self.schema.empty_table().select(names))
        for frame in self.frames(names):
            excerpt = Excerpt.joined([excerpt, Excerpt.of(frame)])
            for name, values in zip(names, excerpt.values, strict=True):
                if len(values) > MOST_TEXTS:
                    raise ColumnError(
                        name,
                        f"of {self.name} holds more than {MOST_TEXTS:,} different values without "
                        "being a number; leave it out, or group them first",
                    )
        return excerpt

    def tables(self, columns: Columns, names: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read features, labels and weights batch by batch.

        Parameters
        ----------
        columns : Columns
            What the features hold.
        names : sequence of str, optional
            The features, in the order wanted; by default all.

        Yields
        ------
        Batch
        """
        chosen = self.names if names is None else list(names)
        others = [name for name in (self.target, self.sample_weight) if name is not None]
        first = 0
        for frame in self.frames([*chosen, *others]):
            table = columns.table(encoded(frame.select(chosen), columns))
            assert table is not None
            yield Batch(table, self.labels(frame, first), self.weights(frame))
            first += len(frame)

    def labels(self, frame: Any, first: int = 0) -> NDArray[Any] | None:
        """Return the class labels of a batch.

        Parameters
        ----------
        frame : pyarrow.RecordBatch
            Rows, with the target.
        first : int
            Number of its first row, for messages.

        Returns
        -------
        ndarray of shape (n_rows,) or None
            None if the table has no target.
        """
        if self.target is None:
            return None
        column = frame.column(self.target)
        if column.null_count or (column.type == "double" and column.is_nan().to_numpy(False).any()):
            missing = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
            row = first + int(np.argmax(missing))
            raise ValueError(
                f"{self.name}: column {self.target!r} must have a label in each row, but row {row} "
                "has none"
            )
        if hasattr(column, "dictionary"):
            column = column.dictionary_decode()
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype == object:
            values = np.array(values.tolist())
        return np.asarray(values)

    def weights(self, frame: Any) -> NDArray[np.float64] | None:
        """Return the sample weights of a batch.

        Parameters
        ----------
        frame : pyarrow.RecordBatch
            Rows, with the weights.

        Returns
        -------
        ndarray of shape (n_rows,) or None
            None if the table has none. Missing ones are NaN.
        """
        if self.sample_weight is None:
            return None
        values = frame.column(self.sample_weight).to_numpy(zero_copy_only=False)
        if values.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.name}: column {self.sample_weight!r} must hold sample weights, got text"
            )
        return np.asarray(values, dtype=np.float64)

    def _check_names(self) -> None:
        names = self.schema.names
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ValueError(f"{self.name} has more than one column {twice[0]!r}")
        wanted = [("target", self.target), ("sample_weight", self.sample_weight)]
        for parameter, name in [*wanted, *(("drop", name) for name in self.drop)]:
            if name is not None and name not in names:
                more = ", ..." if len(names) > N_NAMED else ""
                raise ValueError(
                    f"{parameter} must name a column of {self.name}, got {name!r}; it has "
                    f"{', '.join(map(repr, names[:N_NAMED]))}{more}"
                )
        if self.target is not None and self.target == self.sample_weight:
            raise ValueError(f"target and sample_weight must differ, got {self.target!r} twice")
        if not self.names:
            raise ValueError(f"{self.name} must have a column besides target and sample_weight")


def encoded(frame: Any, columns: Columns) -> Any:
    """Return a batch with the texts of categories as indices, which are read faster.

    Parameters
    ----------
    frame : pyarrow.RecordBatch
        The features.
    columns : Columns
        What they hold.

    Returns
    -------
    pyarrow.RecordBatch
    """
    pa = import_pyarrow()
    arrays = [
        array.dictionary_encode()
        if number in columns.categories and _is_text(array.type)
        else array
        for number, array in enumerate(frame.columns)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=frame.schema.names)


def _is_text(dtype: Any) -> bool:
    return str(dtype) in ("string", "large_string", "string_view")


def _is_decided(dtype: Any) -> bool:
    """Tell whether a type alone says what a column holds."""
    types = import_pyarrow().types
    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype))


def _width(dtype: Any) -> int:
    """Return about how many bytes a value takes."""
    try:
        return max(1, int(dtype.bit_width) // 8)
    except ValueError:
        return TEXT_BYTES
