"""Training data of the flagship, as its parts share them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.table import Table

__all__ = ["TrainingData", "deal"]

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits like chance


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows with their classes and weights.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    table : Table
        The rows.
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    sample_weight : ndarray of shape (n_samples,)
        How much each row counts.
    """

    classes: NDArray[Any]
    table: Table
    labels: NDArray[np.uint32]
    sample_weight: Array

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """Number of rows of each class."""
        return np.bincount(self.labels, minlength=self.n_classes)

    @cached_property
    def class_weight(self) -> Array:
        """Sum of the weights of each class."""
        weight: Any = np.bincount(self.labels, self.sample_weight, minlength=self.n_classes)
        return np.asarray(weight, dtype=np.float64)

    @property
    def base_rates(self) -> Array:
        """Shares of the classes, by weight."""
        rates: Array = self.class_weight / self.class_weight.sum()
        return rates


def deal(data: TrainingData, n_parts: int) -> list[tuple[Rows, Rows]]:
    """Divide rows for cross-validation, each class as evenly as it goes.

    What part a row is in depends on its values, not on where it stands in the table.

    Parameters
    ----------
    data : TrainingData
        The rows.
    n_parts : int
        Number of parts, if there are as many rows.

    Returns
    -------
    list of (train, test) pairs of indices
        A single row is in both.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.training import TrainingData, deal
    >>> from fuzzyucs.variables.table import Table
    >>> table = Table.of(np.arange(6.0)[:, np.newaxis])
    >>> labels = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint32)
    >>> data = TrainingData(np.array(["a", "b"]), table, labels, np.ones(6))
    >>> [np.bincount(labels[test]).tolist() for _, test in deal(data, 2)]
    [[2, 1], [2, 1]]
    """
    # Dealt out like cards, class by class: also classes with fewer rows than there are parts.
    order = np.lexsort((_hashes(data), data.labels))
    if len(order) == 1:
        return [(order, order)]
    dealt = np.empty(len(order), dtype=int)
    dealt[order] = np.arange(len(order)) % n_parts
    parts = [(np.flatnonzero(dealt != k), np.flatnonzero(dealt == k)) for k in range(n_parts)]
    return [(train, test) for train, test in parts if len(train) and len(test)]


def _hashes(data: TrainingData) -> NDArray[np.uint64]:
    """Return numbers like chance that depend on the values of rows."""
    hashes = np.zeros(len(data.labels), dtype=np.uint64)
    for number in range(data.table.n_features + 1):
        is_last = number == data.table.n_features
        column = data.sample_weight if is_last else data.table.column(number)
        # Zeros have a sign, and missing values come in many forms: each counts as one.
        bits = np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
        hashes = (hashes ^ bits) * MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes
