"""Metrics that are computed from the answers in a store."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.experiment.outcome import Answer

LEAST_PROBABILITY = 1e-3

__all__ = [
    "METRICS",
    "accuracy",
    "balanced_accuracy",
    "ignorance",
    "macro_f1",
    "published_ignorance",
]

Labels = NDArray[np.int64]


def accuracy(answer: Answer, truth: Labels) -> float:
    """Return the share of correct answers in percent.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.metrics import accuracy
    >>> from fuzzyucs.experiment.outcome import Answer
    >>> accuracy(Answer(np.array([0, 1, 1, 0])), np.array([0, 1, 1, 1]))
    75.0
    """
    return float(100 * np.mean(answer.labels == truth))


def macro_f1(answer: Answer, truth: Labels) -> float:
    """Return the mean F1 score in percent over the classes that occur in truth or answers.

    A class without a correct answer counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.metrics import macro_f1
    >>> from fuzzyucs.experiment.outcome import Answer
    >>> round(macro_f1(Answer(np.array([0, 1, 1, 2])), np.array([0, 1, 1, 1])), 2)
    60.0
    """
    n_classes = int(max(answer.labels.max(), truth.max())) + 1
    answered = np.bincount(answer.labels, minlength=n_classes)
    true = np.bincount(truth, minlength=n_classes)
    correct = np.bincount(truth[answer.labels == truth], minlength=n_classes)
    occurs = answered + true > 0
    return float(100 * np.mean(2 * correct[occurs] / (answered + true)[occurs]))


def balanced_accuracy(answer: Answer, truth: Labels) -> float:
    """Return the mean over classes of the share of a class that is recognised, in percent.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.metrics import balanced_accuracy
    >>> from fuzzyucs.experiment.outcome import Answer
    >>> round(balanced_accuracy(Answer(np.array([0, 1, 1, 0])), np.array([0, 1, 1, 1])), 2)
    83.33
    """
    true = np.bincount(truth)
    correct = np.bincount(truth[answer.labels == truth], minlength=len(true))
    return float(100 * np.mean(correct[true > 0] / true[true > 0]))


def log_loss(answer: Answer, truth: Labels) -> float:
    """Return the mean of -log p(true class); "I don't know" is shared equally among the classes.

    Probabilities below 0.001 count as 0.001 for all systems, because the loss would be infinite
    where all trees of a forest agree on a wrong class.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.metrics import log_loss
    >>> from fuzzyucs.experiment.outcome import Answer
    >>> round(log_loss(Answer(np.array([0]), np.array([[0.5, 0.5]])), np.array([1])), 4)
    0.6931
    """
    if answer.mass is None:
        return math.nan
    n_classes = int(max(answer.mass.shape[1], truth.max() + 1))
    p = np.zeros((len(truth), n_classes))
    p[:, : answer.mass.shape[1]] = answer.mass
    if answer.ignorance is not None:
        p += answer.ignorance[:, np.newaxis] / n_classes
    return float(-np.log(np.maximum(p[np.arange(len(truth)), truth], LEAST_PROBABILITY)).mean())


def ignorance(answer: Answer, truth: Labels) -> float:  # noqa: ARG001
    """Return the mean belief mass of "I don't know", by exact arithmetic."""
    if answer.ignorance is None:
        return math.nan
    return float(answer.ignorance.mean())


def published_ignorance(answer: Answer, truth: Labels) -> float:  # noqa: ARG001
    """Return the mean belief mass of "I don't know" as the article's arithmetic computes it.

    A program that multiplies masses without normalising them, in double precision, treats the
    conflict K as total as soon as 1 - (1 - K) rounds to 1, and then reports full ignorance. That
    happens when the masses without conflict sum to at most 2^-54.
    """
    if answer.ignorance is None or answer.log_agreement is None:
        return math.nan
    lost = answer.log_agreement <= math.log(2.0**-54)
    return float(np.where(lost, 1.0, answer.ignorance).mean())


METRICS: dict[str, Callable[[Answer, Labels], float]] = {
    "accuracy": accuracy,
    "macro_f1": macro_f1,
    "balanced_accuracy": balanced_accuracy,
    "log_loss": log_loss,
    "ignorance": ignorance,
    "idk_mass": published_ignorance,
}
