"""Counts of answers, by the class that is answered and by the true one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["answer_statistics", "answers_by_class"]

Indices = NDArray[np.integer[Any]]


def answer_statistics(
    verdict: NDArray[np.str_], best: Indices, right: NDArray[np.bool_], n_classes: int
) -> list[list[int]]:
    """Count how often each class is the answer, and how often it is the true one then.

    Parameters
    ----------
    verdict : ndarray of shape (n_samples,)
        As in `Evidence`.
    best : ndarray of shape (n_samples,)
        Index of the most probable class.
    right : ndarray of shape (n_samples,)
        Whether it is the true one.
    n_classes : int
        Number of classes.

    Returns
    -------
    list of list of int
        Of each class, the number of answers and of right ones.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.report.answers import answer_statistics
    >>> verdicts, best = np.array(["answer", "torn", "answer"]), np.array([1, 0, 1])
    >>> answer_statistics(verdicts, best, np.array([True, True, False]), 2)
    [[0, 0], [2, 1]]
    """
    is_answer = verdict == "answer"
    given = np.bincount(best[is_answer], minlength=n_classes)
    of_right = np.bincount(best[is_answer & right], minlength=n_classes)
    counts: list[list[int]] = np.column_stack([given, of_right]).tolist()
    return counts


def answers_by_class(
    verdict: NDArray[np.str_], best: Indices, labels: Indices, n_classes: int
) -> list[list[int]]:
    """Count answers by the true class: a confusion matrix of answers alone.

    Parameters
    ----------
    verdict : ndarray of shape (n_samples,)
        As in `Evidence`.
    best, labels : ndarray of shape (n_samples,)
        Index of the most probable class, and of the true one.
    n_classes : int
        Number of classes.

    Returns
    -------
    list of list of int
        Of each true class, the number of rows with each class as the answer, and with no answer.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.report.answers import answers_by_class
    >>> verdicts, best = np.array(["answer", "torn", "answer"]), np.array([1, 0, 1])
    >>> answers_by_class(verdicts, best, np.array([1, 0, 0]), 2)
    [[0, 1, 1], [0, 1, 0]]
    """
    said = np.where(verdict == "answer", best, n_classes)
    cells = labels.astype(np.intp) * (n_classes + 1) + said
    counts = np.bincount(cells, minlength=n_classes * (n_classes + 1))
    found: list[list[int]] = counts.reshape(n_classes, n_classes + 1).tolist()
    return found
