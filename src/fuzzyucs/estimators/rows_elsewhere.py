"""RowsElsewhere: training data that are not in one table in memory, and sums over all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.parts import Whole
from fuzzyucs.estimators.sharing import exact_weights

__all__ = ["RowsElsewhere"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


class RowsElsewhere(ABC):
    """Rows in parts, with those methods of `TrainingData` that add up something over all rows.

    Parameters
    ----------
    whole : Whole
        What is to be known of all rows.
    """

    def __init__(self, whole: Whole) -> None:
        self.whole = whole

    @abstractmethod
    def _sum(self, name: str, *arguments: Any) -> Any:
        """Return what a method or property of `TrainingData` says of all rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.whole.n_rows

    @property
    def has_unit_weights(self) -> bool:
        """Whether every row has weight 1."""
        return self.whole.has_unit_weights

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels."""
        return self.whole.classes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.whole.classes)

    @property
    def class_rows(self) -> Counts:
        """Number of rows of each class."""
        return self.whole.class_rows

    @cached_property
    def class_weight(self) -> Array:
        """Sum of the weights of each class."""
        whole = self.whole
        if whole.is_weighted:
            found: Array = self._sum("class_weight")
            return found
        weights = exact_weights(whole.class_factors, whole.n_rows, whole.greatest_weight)
        return whole.class_rows * weights

    @property
    def base_rates(self) -> Array:
        """Shares of the classes, by weight."""
        rates: Array = self.class_weight / self.class_weight.sum()
        return rates

    def count_copies(self, hashes: NDArray[np.uint64]) -> Counts:
        """Return how many rows have each of some hashes, which ascend."""
        if not len(hashes):
            return np.empty(0, dtype=np.int64)
        found: Counts = self._sum("count_copies", hashes)
        return found

    def known_sums(self, *arguments: Any) -> Array:
        """Do the same as `TrainingData.known_sums`."""
        found: Array = self._sum("known_sums", *arguments)
        return found

    def class_sums(self, *arguments: Any) -> Array:
        """Do the same as `TrainingData.class_sums`."""
        found: Array = self._sum("class_sums", *arguments)
        return found

    def count_applies(self, *arguments: Any) -> NDArray[Any]:
        """Do the same as `TrainingData.count_applies`."""
        found: NDArray[Any] = self._sum("count_applies", *arguments)
        return found
