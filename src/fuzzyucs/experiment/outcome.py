"""Outcome of a job: the answers of a system, the size of its model, and the time it took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Answer", "Labels", "Outcome", "Table", "by_class", "stopwatch"]

Table = NDArray[np.float64]
Labels = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Answer:
    """Answers of a trained system for the rows of a split.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Classes.
    mass : ndarray of shape (n, n_classes), optional
        Belief masses or probabilities of the classes, if the system has any.
    ignorance, log_agreement : ndarray of shape (n,), optional
        As in `fuzzyucs.Evidence`.
    seconds : float
        CPU time.
    """

    labels: Labels
    mass: Table | None = None
    ignorance: Table | None = None
    log_agreement: Table | None = None
    seconds: float = float("nan")


@dataclass
class Outcome:
    """Outcome of a job.

    Attributes
    ----------
    answers : dict
        An `Answer` for every (name of the way to decide, split).
    sizes : dict
        Complexity of the model, e.g. ``macro_rules``.
    seconds : float
        CPU time of the training.
    """

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    seconds: float = float("nan")


class _Watch:
    seconds = float("nan")


@contextmanager
def stopwatch() -> Iterator[_Watch]:
    """Measure CPU time: ``with stopwatch() as watch: ...``, then ``watch.seconds``."""
    watch, start = _Watch(), time.process_time()
    yield watch
    watch.seconds = time.process_time() - start


def by_class(mass: Table, classes: Labels) -> Table:
    """Give every class the column of its number, even if the training data do not contain it.

    Parameters
    ----------
    mass : ndarray of shape (n, n_known_classes)
    classes : ndarray of shape (n_known_classes,)
        The class of each column.

    Returns
    -------
    ndarray of shape (n, greatest class + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.outcome import by_class
    >>> by_class(np.array([[0.25, 0.75]]), np.array([0, 2]))
    array([[0.25, 0.  , 0.75]])
    """
    wide = np.zeros((len(mass), int(classes.max()) + 1))
    wide[:, classes] = mass
    return wide
