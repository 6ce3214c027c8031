"""Presenting: which rows an online learner sees in an epoch, and how often.

Such a learner sees one example at a time, so a sample weight can only mean how often it sees it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.variables import Variables

__all__ = [
    "Learner",
    "TrainingRows",
    "absolute_weight",
    "draw_counts",
    "draw_rows",
    "relative_weight",
]

MOST_PRESENTATIONS = 10_000_000  # of one call of partial_fit, unless it has more rows

Array = NDArray[np.float64]
Learner = _core.LinguisticLearner | _core.IntervalLearner


def relative_weight(weight: Array | None) -> Array | None:
    """Return how often to present rows so that an epoch has as many steps as there are rows.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,) or None
        Positive sample weights.

    Returns
    -------
    ndarray of shape (n_samples,) or None
        The weights divided by their mean; None, which is once each, if all are the same.
    """
    if weight is None or weight.min() == weight.max():
        return None
    relative: Array = weight / weight.mean()
    return relative


def absolute_weight(weight: Array | None) -> Array | None:
    """Return how often to present the rows of a batch, which has to compare with other batches.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,) or None
        Positive sample weights.

    Returns
    -------
    ndarray of shape (n_samples,) or None
        The weights themselves; None, which is once each, if all are 1.
    """
    if weight is None or (weight == 1).all():
        return None
    if weight.sum() > max(MOST_PRESENTATIONS, len(weight)):
        raise ValueError(
            f"sample_weight sums to {weight.sum():.3g}, and partial_fit presents a row as often as "
            f"its weight says: divide the weights by a constant, so that they sum to at most "
            f"{MOST_PRESENTATIONS:,}"
        )
    return weight


def draw_counts(weight: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw whole numbers that are the weights on average, and whose sum varies by less than one.

    Systematic resampling: each number is its weight rounded down or up. Rows are shuffled before,
    since neighbours exclude each other.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        Numbers from 0 on.
    rng : Generator
        Where to draw from.

    Returns
    -------
    ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.presenting import draw_counts
    >>> weight = np.array([3.0, 0.5, 0.5, 2.5, 0.5])
    >>> counts = draw_counts(weight, np.random.default_rng(0))
    >>> counts[0], counts.sum()
    (np.int64(3), np.int64(7))
    """
    whole = np.floor(weight)
    order = rng.permutation(len(weight))
    ends = np.cumsum((weight - whole)[order]) + rng.random()
    counts = whole.astype(np.intp)
    counts[order] += np.diff(np.floor(ends), prepend=0.0).astype(np.intp)
    return counts


@dataclass(frozen=True)
class TrainingRows:
    """Training data as an online learner sees them.

    Attributes
    ----------
    positions : ndarray of shape (n_samples, n_features)
        Positions of the features.
    labels : ndarray of shape (n_samples,)
        Class indices.
    weight : ndarray of shape (n_samples,) or None
        How often to present each row in an epoch, on average; None is once.
    """

    positions: Array
    labels: NDArray[np.uint32]
    weight: Array | None

    @classmethod
    def of(
        cls, variables: Variables, X: Array, labels: NDArray[np.uint32], weight: Array | None
    ) -> TrainingRows:
        """Locate values on their variables."""
        return cls(variables.positions(X), labels, weight)

    def __getitem__(self, rows: NDArray[np.intp]) -> TrainingRows:
        weight = None if self.weight is None else self.weight[rows]
        positions = np.ascontiguousarray(self.positions[rows])
        return TrainingRows(positions, self.labels[rows], weight)

    def present_to(self, learner: Learner, *, shuffle: bool = True) -> None:
        """Train a learner for an epoch.

        Parameters
        ----------
        learner : LinguisticLearner or IntervalLearner
            Its random generator also decides about fractions of weights.
        shuffle : bool
            Whether to present the rows in random order.
        """
        drawn = self if self.weight is None else self[draw_rows(self.weight, learner)]
        present = learner.train_epoch if shuffle else learner.train_in_order
        present(drawn.positions, drawn.labels)


def draw_rows(weight: Array, learner: Learner) -> NDArray[np.intp]:
    """Return the rows to present, each as often as it is to be presented.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        How often to present each row, on average.
    learner : LinguisticLearner or IntervalLearner
        Its random generator decides about fractions.

    Returns
    -------
    ndarray of int
        Indices of rows, in ascending order.
    """
    if (weight % 1 == 0).all():
        counts = weight.astype(np.intp)
    else:
        rng = np.random.default_rng(list(learner.rng_state))
        counts = draw_counts(weight, rng)
        # The learner's generator goes on even if nothing is presented: the next batch must not
        # draw the same.
        learner.rng_state = rng.integers(2**64, size=4, dtype=np.uint64).tolist()
    return np.repeat(np.arange(len(counts)), counts)
