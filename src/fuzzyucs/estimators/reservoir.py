"""Reservoir: training data of many calls in bounded memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.more_categories import recoded
from fuzzyucs.variables.table import Table

__all__ = ["Reservoir"]

MOST_ROWS = 2**18  # that are kept

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reservoir:
    """Rows of all calls so far, as long as there is room, and a sample of them from then on.

    Which rows stay follows from their values: those with the least hashes. Rows that stay stand for
    those of their class that went: together, they keep the weight of the class.

    Parameters
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_kept,)
        Class labels.
    weight : ndarray of shape (n_kept,)
        Sample weights.
    n_rows : int
        Number of rows of all calls.
    class_weight : ndarray of shape (n_classes,), optional
        Sum of the weights of each class in all calls; None if all rows are here.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.reservoir import Reservoir
    >>> from fuzzyucs.variables.table import Table
    >>> X = Table.of(np.arange(100.0)[:, np.newaxis])
    >>> y = np.repeat([0, 1], [90, 10])
    >>> some = Reservoir(X, y, np.ones(100), 100).bounded(np.array([0, 1]), 20)
    >>> len(some.y), float(some.weights(np.array([0, 1])).sum().round(9))
    (20, 100.0)
    """

    table: Table
    y: NDArray[Any]
    weight: Array
    n_rows: int
    class_weight: Array | None = None

    @classmethod
    def of(cls, table: Table, y: NDArray[Any], weight: Array | None) -> Reservoir:
        """Take a copy of the rows of a call, since their owner may change them."""
        return cls(table.copy(), y.copy(), np.ones(len(y)) if weight is None else weight, len(y))

    def recoded(self, before: Columns, now: Columns) -> Reservoir:
        """Return the rows with indices among more categories."""
        if now is before:
            return self
        return replace(self, table=recoded(self.table, before.categories, now.categories))

    def with_batch(self, batch: Reservoir, classes: NDArray[Any]) -> Reservoir:
        """Return the rows together with those of another call."""
        table = Table.joined([self.table, batch.table])
        total = self.class_weight
        if total is not None:
            total = total + batch._sums(classes)
        return Reservoir(
            table,
            np.concatenate([self.y, batch.y]),
            np.concatenate([self.weight, batch.weight]),
            self.n_rows + batch.n_rows,
            total,
        )

    def bounded(self, classes: NDArray[Any], most: int | None = None) -> Reservoir:
        """Return no more rows than there is room for."""
        most = MOST_ROWS if most is None else most
        if len(self.y) <= most:
            return self
        labels = np.searchsorted(classes, self.y).astype(np.uint32)
        hashes = TrainingData(classes, self.table, labels, self.weight).hashes
        kept = np.sort(np.argsort(hashes, kind="stable")[:most])
        return replace(
            self,
            table=self.table.take(kept),
            y=self.y[kept],
            weight=self.weight[kept],
            class_weight=self._sums(classes) if self.class_weight is None else self.class_weight,
        )

    def weights(self, classes: NDArray[Any]) -> Array:
        """Return how much each row counts, for itself and for those that it stands for."""
        if self.class_weight is None:
            return self.weight
        kept = self._sums(classes)
        factor = np.divide(self.class_weight, kept, out=np.ones(len(classes)), where=kept > 0)
        found: Array = self.weight * factor[np.searchsorted(classes, self.y)]
        return found

    def warn(self, before: Reservoir | None, *, stacklevel: int) -> None:
        """Say once what was given up, when rows go for the first time."""
        if len(self.y) < self.n_rows and (before is None or len(before.y) == before.n_rows):
            warnings.warn(
                f"partial_fit keeps {len(self.y):,} of the {self.n_rows:,} rows that it has seen, "
                "chosen by their values, and lets them stand for the others: rules that few rows "
                "bear out may be missed from now on, and the counts in texts are those of rows "
                "that were kept",
                UserWarning,
                stacklevel=stacklevel,
            )

    def _sums(self, classes: NDArray[Any]) -> Array:
        labels = np.searchsorted(classes, self.y)
        return np.asarray(np.bincount(labels, self.weight, len(classes)), dtype=np.float64)
