"""Parts of training data: partitions on a cluster, or batches of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.sharing import Sharing, exact_weights
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.validation import check_row_weights, class_weights
from fuzzyucs.variables.table import Table

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["Glance", "Part", "Whole", "whole_of"]


class Part(NamedTuple):
    """A checked partition of the training data.

    Attributes
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_samples,)
        Class labels.
    weight : ndarray of shape (n_samples,)
        Sample weights, all of them positive.
    """

    table: Table
    y: NDArray[Any]
    weight: NDArray[np.float64]

    def that_count(self) -> Part:
        """Return the rows of positive weight."""
        if (counts := self.weight > 0).all():
            return self
        return Part(self.table.take(counts), self.y[counts], self.weight[counts])

    @classmethod
    def joined(cls, parts: Sequence[Part]) -> Part:
        """Return several parts as one."""
        return cls(
            Table.joined([part.table for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )


class Whole(NamedTuple):
    """What every machine has to know of all rows.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    class_factors : ndarray of shape (n_classes,)
        By how much the weights of rows of each class are multiplied.
    class_rows : ndarray of shape (n_classes,)
        Number of rows of each class that count.
    greatest_weight : float
        Greatest weight of a row.
    is_weighted : bool
        Whether there are sample weights.
    """

    classes: NDArray[Any]
    class_factors: NDArray[np.float64]
    class_rows: NDArray[np.int64]
    greatest_weight: float
    is_weighted: bool

    @property
    def has_unit_weights(self) -> bool:
        """Whether every row has weight 1."""
        return not self.is_weighted and bool((self.class_factors == 1).all())

    @property
    def n_rows(self) -> int:
        """Number of rows that count."""
        return int(self.class_rows.sum())

    def sharing(self, add_others: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Sharing:
        """Return how sums of a part become those over all rows."""
        return Sharing(self.n_rows, self.greatest_weight, add_others, self.has_unit_weights)

    def data(self, part: Part, sharing: Sharing | None = None) -> TrainingData:
        """Return the rows of a partition that count as training data."""
        labels = np.searchsorted(self.classes, part.y).astype(np.uint32)
        weight, table = part.weight * self.class_factors[labels], part.table
        if not (counts := weight > 0).all():
            table, labels, weight = table.take(counts), labels[counts], weight[counts]
        exact = exact_weights(weight, self.n_rows, self.greatest_weight)
        return TrainingData(self.classes, table, labels, exact, sharing)


class Glance(NamedTuple):
    """What is to be known of a part before all others.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    labels : ndarray of shape (n_labels,)
        Class labels that occur.
    counts : ndarray of shape (n_labels,)
        Number of rows of each.
    greatest : ndarray of shape (n_labels,)
        Greatest weight of a row of each.
    """

    n_rows: int
    labels: NDArray[Any]
    counts: NDArray[np.int64]
    greatest: NDArray[np.float64]

    @classmethod
    def of(cls, part: Part) -> Glance:
        """Look at the labels and weights of a part."""
        labels, number, counts = np.unique(part.y, return_inverse=True, return_counts=True)
        greatest = np.zeros(len(labels))
        np.maximum.at(greatest, number, part.weight)
        return cls(len(part.y), labels, counts, greatest)


def whole_of(
    clf: EvidentialRuleClassifier, glances: Sequence[Glance], *, is_weighted: bool
) -> Whole:
    """Find out what every part has to know of all rows.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        It learns the classes, and knows how much rows of each count.
    glances : sequence of Glance
        One for each part.
    is_weighted : bool
        Whether there are sample weights.

    Returns
    -------
    Whole
    """
    if is_weighted and not any(glance.n_rows for glance in glances):
        raise ValueError("sample_weight must not be zero in all rows")
    classes = np.unique(np.concatenate([glance.labels for glance in glances]))
    clf.classes_ = clf._check_classes(classes, glances if is_weighted else None)
    counts = np.zeros(len(classes), dtype=np.int64)
    greatest = np.zeros(len(classes))
    for glance in glances:
        place = np.searchsorted(classes, glance.labels)
        counts[place] += glance.counts
        greatest[place] = np.maximum(greatest[place], glance.greatest)
    if isinstance(clf.class_weight, str):  # "balanced"
        factors = counts.sum() / (len(classes) * counts)
    else:
        factors = class_weights(clf.class_weight, classes, classes)
    counting = np.where(factors > 0, counts, 0)
    greatest_weight = float((greatest * factors).max())
    check_row_weights(greatest_weight)
    return Whole(classes, factors, counting, greatest_weight, is_weighted)
