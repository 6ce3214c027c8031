"""Files in place of tables in memory: records to classify."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from fuzzyucs._util.optional import import_pyarrow
from fuzzyucs.estimators.checked_tables import compact_table
from fuzzyucs.variables.batches import Batch, Batches, encoded
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table

__all__ = ["FileRecords"]

N_NAMED = 10  # columns in a message


class FileRecords:
    """The records of a file: tables of some rows at a time, checked as `predict` checks them.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted classifier. Of the columns of the file, it takes its features.
    columns : Columns
        What its features hold.
    source : path, pyarrow.dataset.Dataset or Batches
        The file.
    target, sample_weight : str, optional
        Columns with labels and weights, if they are wanted.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        columns: Columns,
        source: Any,
        target: str | None = None,
        sample_weight: str | None = None,
    ) -> None:
        self.estimator = estimator
        self.columns = columns
        self.batches = Batches(source, target, sample_weight)
        self._has_names = hasattr(estimator, "feature_names_in_")
        self.names = self._features()

    def __iter__(self) -> Iterator[Table]:
        for batch in self.labelled():
            yield batch.table

    def labelled(self) -> Iterator[Batch]:
        """Read records with their labels and weights.

        Yields
        ------
        Batch
        """
        batches, pa = self.batches, import_pyarrow()
        others = [n for n in (batches.target, batches.sample_weight) if n is not None]
        first = 0
        for frame in batches.frames([*self.names, *others]):
            features = encoded(frame.select(self.names), self.columns)
            try:
                X: Any = pa.Table.from_batches([features])
                if not self._has_names:
                    X = self.columns.values(X)
                table = compact_table(self.estimator, self.columns, X)
            except ValueError as problem:
                raise ValueError(f"{batches.name}, from row {first} on: {problem}") from problem
            yield Batch(table, batches.labels(frame, first), batches.weights(frame))
            first += len(frame)
        if not first:
            raise ValueError(f"{batches.name} has no rows")

    def rows(self) -> NDArray[np.float64]:
        """Refuse to be one array."""
        raise ValueError(f"this needs data in memory, got the file {self.batches.name}")

    def _features(self) -> list[str]:
        """Return the columns that the estimator asks for."""
        n_features = self.estimator.n_features_in_
        present = self.batches.names
        if not self._has_names:
            if len(present) != n_features:
                raise ValueError(
                    f"the model knows its {n_features} features by their order only, but "
                    f"{self.batches.name} has {len(present)} columns"
                )
            return present
        wanted: list[str] = self.estimator.feature_names_in_.tolist()
        absent = [name for name in wanted if name not in self.batches.schema.names]
        if absent:
            more = f" and {len(absent) - N_NAMED} more" if len(absent) > N_NAMED else ""
            raise ValueError(
                f"{self.batches.name} lacks columns that the model asks for: "
                f"{', '.join(map(repr, absent[:N_NAMED]))}{more}"
            )
        return wanted
