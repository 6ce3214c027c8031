"""Problems whose uncertainty is known: overlapping classes, and words instead of numbers.

The article asks for benchmarks with overlapping features and inherent linguistic uncertainty. These
draw classes from probabilities that they return, so that accuracies can be compared with the best
that is possible, and probabilities and beliefs with the true ones.
"""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_scalar

__all__ = ["Problem", "make_linguistic", "make_overlapping"]

Array = NDArray[np.float64]
N_TERMS = 3
"""Small, medium and large, with peaks at 0, 0.5 and 1."""


class Problem(NamedTuple):
    """A table whose class probabilities are known.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Values from 0 to 1.
    y : ndarray of shape (n_samples,)
        Classes, whole numbers from 0.
    probability : ndarray of shape (n_samples, n_classes)
        The probabilities from which the classes were drawn.
    """

    X: Array
    y: NDArray[np.int64]
    probability: Array

    @property
    def least_error(self) -> float:
        """The share of wrong answers that is expected of the best classifier on these rows."""
        return float(1 - self.probability.max(axis=1).mean())


def make_overlapping(
    n_samples: int = 1000,
    *,
    n_informative: int = 2,
    n_noise: int = 2,
    overlap: float = 0.5,
    random_state: int = 0,
) -> Problem:
    """Draw two classes that overlap to a known degree.

    Each informative feature says 1 with a probability that rises from 0 to 1 over a zone of width
    `overlap` in the middle of its range. The class is whether an odd number of them say 1, so that
    no feature helps without the others. The error of the best classifier is expected to be
    ``(1 - (1 - overlap / 2) ** n_informative) / 2``.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_informative, n_noise : int, default=2
        Numbers of features that decide about the class, and of others, which come last.
    overlap : float, default=0.5
        From 0, classes with sharp boundaries, to 1, where every value is doubtful.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Problem

    Examples
    --------
    >>> from fuzzyucs.experiment.known_problems import make_overlapping
    >>> problem = make_overlapping(2000, n_informative=1, overlap=0.4)
    >>> problem.X.shape, round(problem.least_error, 2)  # 0.1 is expected
    ((2000, 3), 0.1)
    """
    _check_at_least(1, n_samples=n_samples, n_informative=n_informative)
    _check_at_least(0, n_noise=n_noise)
    _check_share("overlap", overlap)
    rng = check_random_state(random_state)
    X = rng.random_sample((n_samples, n_informative + n_noise))
    says_one = _rise(X[:, :n_informative], overlap)
    odd = (1 - np.prod(1 - 2 * says_one, axis=1)) / 2
    probability = np.column_stack([1 - odd, odd])
    return Problem(X, (rng.random_sample(n_samples) < odd).astype(np.int64), probability)


def make_linguistic(
    n_samples: int = 1000,
    *,
    n_noise: int = 2,
    vagueness: float = 1.0,
    spoken: float = 0.0,
    random_state: int = 0,
) -> Problem:
    """Draw a problem that is stated in words: small, medium and large.

    Two features are each called small (0), medium (1) or large (2), with their degrees of
    membership as probabilities, and the class is the sum of the two modulo 3. Nine linguistic rules
    describe it, and doubt lies where words overlap. Some values may be words themselves: then the
    peak of the word is all that is recorded.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_noise : int, default=2
        Number of features that have no influence, which come last.
    vagueness : float, default=1.0
        How far words overlap: from 0, sharp boundaries halfway between peaks, to 1, degrees that
        fall all the way from one peak to the next.
    spoken : float, default=0.0
        Share of values that are recorded as words.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Problem

    Examples
    --------
    >>> from fuzzyucs.experiment.known_problems import make_linguistic
    >>> make_linguistic(500, vagueness=0).least_error
    0.0
    >>> X = make_linguistic(500, spoken=1).X
    >>> sorted(set(X.ravel().tolist()))
    [0.0, 0.5, 1.0]
    """
    _check_at_least(1, n_samples=n_samples)
    _check_at_least(0, n_noise=n_noise)
    _check_share("vagueness", vagueness)
    _check_share("spoken", spoken)
    rng = check_random_state(random_state)
    X = rng.random_sample((n_samples, 2 + n_noise))
    limits = _degrees(X, vagueness).cumsum(axis=2)[:, :, :-1]
    words = (rng.random_sample(X.shape)[:, :, np.newaxis] >= limits).sum(axis=2)
    is_spoken = rng.random_sample(X.shape) < spoken
    X = np.where(is_spoken, words / (N_TERMS - 1), X)
    # At its peak a word has degree 1, so that these are the probabilities given what is recorded.
    degrees = _degrees(X[:, :2], vagueness)
    probability = np.zeros((n_samples, N_TERMS))
    for first in range(N_TERMS):
        for second in range(N_TERMS):
            probability[:, (first + second) % N_TERMS] += (
                degrees[:, 0, first] * degrees[:, 1, second]
            )
    y = words[:, :2].sum(axis=1) % N_TERMS
    return Problem(X, y.astype(np.int64), probability)


def _rise(X: Array, width: float) -> Array:
    """Return a degree that rises from 0 to 1 over a zone of this width around 0.5."""
    if width == 0:
        return (X >= 0.5).astype(np.float64)
    rise: Array = np.clip((X - 0.5) / width + 0.5, 0.0, 1.0)
    return rise


def _degrees(X: Array, vagueness: float) -> Array:
    """Return the degrees of small, medium and large along the last axis; they sum to 1."""
    lower, upper = np.clip(2 * X, 0, 1), np.clip(2 * X - 1, 0, 1)
    is_not_small, is_large = _rise(lower, vagueness), _rise(upper, vagueness)
    return np.stack([1 - is_not_small, is_not_small - is_large, is_large], axis=-1)


def _check_at_least(least: int, **sizes: int) -> None:
    for name, size in sizes.items():
        check_scalar(size, name, Integral, min_val=least)


def _check_share(name: str, share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {share!r}")
