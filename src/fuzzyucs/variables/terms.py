"""Terms: the words of one linguistic variable, and where each of them is fully true."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core

__all__ = [
    "MAX_TERMS",
    "LinguisticVariable",
    "accepted_terms",
    "are_names",
    "is_in_turn",
    "term_names",
]

MAX_TERMS = 64

_NAMES = {
    2: ("low", "high"),
    3: ("small", "medium", "large"),
    4: ("very small", "small", "large", "very large"),
    5: ("very small", "small", "medium", "large", "very large"),
    6: ("very small", "small", "fairly small", "fairly large", "large", "very large"),
    7: ("very small", "small", "fairly small", "medium", "fairly large", "large", "very large"),
    8: (
        *("extremely small", "very small", "small", "fairly small"),
        *("fairly large", "large", "very large", "extremely large"),
    ),
    9: (
        *("extremely small", "very small", "small", "fairly small", "medium"),
        *("fairly large", "large", "very large", "extremely large"),
    ),
}


@cache
def term_names(n_terms: int) -> tuple[str, ...]:
    """Return the words for the terms of a variable, from the smallest to the largest.

    Parameters
    ----------
    n_terms : int
        Number of terms. From ten on, words give way to ranks.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from fuzzyucs.variables.terms import term_names
    >>> term_names(3)
    ('small', 'medium', 'large')
    >>> term_names(10)[0]
    'level 1 of 10'
    """
    if n_terms in _NAMES:
        return _NAMES[n_terms]
    return tuple(f"level {rank} of {n_terms}" for rank in range(1, n_terms + 1))


def are_names(terms: tuple[str, ...]) -> bool:
    """Tell whether terms have names that mean something, and not ranks.

    Examples
    --------
    >>> from fuzzyucs.variables.terms import are_names, term_names
    >>> are_names(term_names(9)), are_names(term_names(10))
    (True, False)
    """
    return len(terms) in _NAMES or terms != term_names(len(terms))


def accepted_terms(condition: int, n_terms: int) -> NDArray[np.bool_]:
    """Tell which terms are in a set; bit t of the condition stands for term t.

    Examples
    --------
    >>> from fuzzyucs.variables.terms import accepted_terms
    >>> accepted_terms(0b110, 3)
    array([False,  True,  True])
    """
    terms = int(condition)
    return np.array([terms >> term & 1 == 1 for term in range(n_terms)], dtype=bool)


def is_in_turn(peaks: NDArray[np.float64], ends: NDArray[np.float64]) -> bool:
    """Tell whether each end lies from its peak to below the next peak."""
    return bool((peaks <= ends).all() and (ends[:-1] < peaks[1:]).all())


@dataclass(frozen=True, eq=False)
class LinguisticVariable:
    """The terms of one feature where they are not spread evenly.

    Parameters
    ----------
    peaks : ndarray of shape (n_terms,)
        Ascending values from which on the terms are fully true. Of a nominal feature: its values,
        each of which is a term.
    terms : tuple of str
        Names of the terms.
    is_nominal : bool
        Whether the terms are crisp and without order.
    takes_nearest : bool
        Whether a value that is none of a nominal feature's counts as the nearest of them. Otherwise
        it counts as missing.
    ends : ndarray of shape (n_terms,), optional
        Values up to which the terms are fully true; between the end of one and the peak of the
        next, one term gives way to the other. By default the peaks.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.terms import LinguisticVariable
    >>> glucose = LinguisticVariable(np.array([90.0, 110.0, 180.0]), ("normal", "elevated", "high"))
    >>> glucose.positions(np.array([60.0, 100.0, 110.0, 145.0, np.nan]))
    array([0. , 0.5, 1. , 1.5, nan])
    >>> age = LinguisticVariable(
    ...     np.array([18.0, 45.0]), ("young", "old"), ends=np.array([35.0, 90.0])
    ... )
    >>> age.positions(np.array([18.0, 35.0, 40.0, 45.0, 70.0]))
    array([0. , 0. , 0.5, 1. , 1. ])
    """

    peaks: NDArray[np.float64]
    terms: tuple[str, ...]
    is_nominal: bool = False
    takes_nearest: bool = False
    ends: NDArray[np.float64] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.ends is None:
            object.__setattr__(self, "ends", self.peaks)
        elif self.is_nominal and not np.array_equal(self.ends, self.peaks):
            raise ValueError("ends must be None for a nominal feature, whose terms are values")
        elif self.ends.shape != self.peaks.shape or not is_in_turn(self.peaks, self.ends):
            raise ValueError(
                "ends must ascend with the peaks, each from its peak to below the next one, got "
                f"{self.ends!r} for {self.peaks!r}"
            )

    @property
    def has_plateaus(self) -> bool:
        """Whether some term is fully true at more than one value."""
        return bool((self.ends > self.peaks).any())

    def positions(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values among the terms: 0 is the first one, 1 the second, and so on.

        Values beyond the outermost terms count as these; NaN stays NaN.
        """
        if not self.is_nominal:
            column = np.ascontiguousarray(x)[:, np.newaxis]
            first = np.array([0, len(self.peaks)], dtype=np.uint32)
            return _core.locate(column, self.peaks, self.ends, first)[:, 0]
        index = np.searchsorted(self.peaks, x).clip(max=len(self.peaks) - 1)
        if self.takes_nearest:
            below = np.maximum(index - 1, 0)
            is_below = x / 2 - self.peaks[below] / 2 < self.peaks[index] / 2 - x / 2
            index = np.where(is_below, below, index)
            return np.where(np.isnan(x), np.nan, index.astype(float))
        return np.where(self.peaks[index] == x, index.astype(float), np.nan)
