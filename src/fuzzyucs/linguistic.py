"""Linguistic variables: how a table of numbers becomes words such as *small* and *large*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs.variables import Inference, Variables, ranges

__all__ = ["MAX_TERMS", "LinguisticPartition", "term_names"]

MAX_TERMS = 32

_NAMES = {
    2: ("low", "high"),
    3: ("small", "medium", "large"),
    4: ("very small", "small", "large", "very large"),
    5: ("very small", "small", "medium", "large", "very large"),
    6: ("very small", "small", "fairly small", "fairly large", "large", "very large"),
    7: ("very small", "small", "fairly small", "medium", "fairly large", "large", "very large"),
}


@cache
def term_names(n_terms: int) -> tuple[str, ...]:
    """Return the words for the terms of a variable, from the smallest to the largest.

    Parameters
    ----------
    n_terms : int
        Number of terms. From eight on, words give way to ranks.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from fuzzyucs.linguistic import term_names
    >>> term_names(3)
    ('small', 'medium', 'large')
    >>> term_names(9)[0]
    'level 1 of 9'
    """
    if n_terms in _NAMES:
        return _NAMES[n_terms]
    return tuple(f"level {rank} of {n_terms}" for rank in range(1, n_terms + 1))


@dataclass(frozen=True, eq=False)
class LinguisticPartition(Variables):
    """The linguistic variables of a table, one per feature.

    Each feature has triangular terms whose peaks divide its training range evenly; neighbours
    cross at 0.5, so that the memberships of a value always sum to 1.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature, in its own units. NaN where every training value was missing.
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> partition.peaks(0)
    array([0., 2., 4., 6., 8.])
    >>> partition.positions(np.array([[3.0], [np.nan], [99.0]]))
    array([[1.5],
           [nan],
           [4. ]])
    """

    n_terms: NDArray[np.uint32]

    @classmethod
    def uniform(
        cls,
        X: NDArray[np.float64],
        n_terms: int | ArrayLike,
        feature_names: Sequence[str],
    ) -> LinguisticPartition:
        """Divide the range of each column of ``X`` evenly.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training data. NaN is ignored.
        n_terms : int or array-like of shape (n_features,)
            Number of terms, for all features or for each.
        feature_names : sequence of str
            Names of the columns.

        Returns
        -------
        LinguisticPartition
        """
        minimum, maximum = ranges(X)
        counts = _check_n_terms(n_terms, X.shape[1])
        return cls(tuple(map(str, feature_names)), minimum, maximum, counts)

    def positions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values among the terms.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Values in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            0 is the peak of the first term, 1 of the second, and so on. Values beyond the training
            range are clipped, a constant feature lies in the middle, and NaN stays NaN.
        """
        positions = self.scale(X)
        positions *= self.n_terms - 1.0
        return positions

    def peaks(self, feature: int) -> NDArray[np.float64]:
        """Return the values at which the terms of a feature are fully true, in its own units."""
        steps = np.linspace(0.0, 1.0, int(self.n_terms[feature]))
        low, high = self.minimum[feature], self.maximum[feature]
        peaks: NDArray[np.float64] = low * (1.0 - steps) + high * steps
        return peaks

    def describe(self, feature: int, condition: int) -> str:
        """Put a set of terms into words; bit t of the condition stands for term t.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.linguistic import LinguisticPartition
        >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
        >>> partition.describe(0, 0b011)
        'size is {small, medium}'
        >>> partition.describe(0, 0b100)
        'size is large'
        """
        words = self.words(feature, condition)
        listed = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
        return f"{self.feature_names[feature]} is {listed}"

    def words(self, feature: int, condition: int) -> list[str]:
        """Return the names of the terms in a set."""
        names = term_names(int(self.n_terms[feature]))
        return [name for term, name in enumerate(names) if int(condition) >> term & 1]

    def is_dont_care(self, feature: int, condition: int) -> bool:
        """Tell whether a set holds all terms, and so says nothing about the feature."""
        return int(condition) == (1 << int(self.n_terms[feature])) - 1

    def feature_as_dict(self, feature: int) -> dict[str, Any]:
        """Return name, range and terms of a feature."""
        terms = list(term_names(int(self.n_terms[feature])))
        return super().feature_as_dict(feature) | {"terms": terms}

    def condition_as_dict(self, feature: int, condition: int) -> dict[str, Any]:
        """Return the feature and the terms accepted."""
        return {"feature": feature, "terms": self.words(feature, condition)}

    def freeze(
        self,
        conditions: NDArray[np.uint32],
        weights: NDArray[np.float64],
        fitness: NDArray[np.float64],
        numerosity: NDArray[np.uint32],
        consequent: NDArray[np.uint32],
    ) -> Inference:
        """Prepare rules for fast inference."""
        return _core.LinguisticInference(
            self.n_terms, conditions, weights, fitness, numerosity, consequent
        )


def _check_n_terms(n_terms: int | ArrayLike, n_features: int) -> NDArray[np.uint32]:
    if isinstance(n_terms, Integral):
        counts = np.full(n_features, int(n_terms))
    else:
        counts = np.asarray(n_terms)
        if counts.shape != (n_features,) or counts.dtype.kind not in "iu":
            raise ValueError(
                f"n_terms must be an integer or one integer for each of the {n_features} features, "
                f"got {n_terms!r}"
            )
    if counts.min() < 2 or counts.max() > MAX_TERMS:
        raise ValueError(f"n_terms must lie between 2 and {MAX_TERMS}, got {n_terms!r}")
    return counts.astype(np.uint32)
