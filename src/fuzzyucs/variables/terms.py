"""Terms: the words of one linguistic variable, and where each of them is fully true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.borders import write_number

__all__ = [
    "LinguisticVariable",
    "are_names",
    "is_in_turn",
    "rank_names",
    "short_list",
    "term_names",
]

FEW_NAMES = 4  # that a text lists in full
N_NAMED = 3  # of more

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
    return rank_names(n_terms)


@cache
def rank_names(n_terms: int) -> tuple[str, ...]:
    """Return names of terms that have no words: texts tell their numbers instead.

    Examples
    --------
    >>> from fuzzyucs.variables.terms import are_names, rank_names
    >>> rank_names(2), are_names(rank_names(2))
    (('level 1 of 2', 'level 2 of 2'), False)
    """
    return tuple(f"level {rank} of {n_terms}" for rank in range(1, n_terms + 1))


def are_names(terms: tuple[str, ...]) -> bool:
    """Tell whether terms have names that mean something, and not ranks.

    Examples
    --------
    >>> from fuzzyucs.variables.terms import are_names, term_names
    >>> are_names(term_names(9)), are_names(term_names(10))
    (True, False)
    """
    return terms != rank_names(len(terms))


def short_list(names: Sequence[str], last: str) -> str:
    """List a few names, or the first three of many and how many more there are.

    Parameters
    ----------
    names : sequence of str
        Names.
    last : str
        What stands between the names of a list that is not cut short.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.variables.terms import short_list
    >>> short_list(["CA", "NJ"], " or "), short_list(["a", "b", "c", "d", "e", "f"], ", ")
    ('CA or NJ', 'a, b, c and 3 more')
    """
    if len(names) <= FEW_NAMES:
        return last.join(names)
    return f"{', '.join(names[:N_NAMED])} and {len(names) - N_NAMED} more"


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
        each of which is a term unless it has groups.
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
    members : tuple of tuple of float, optional
        Of a nominal feature: for each term the values that belong to it, as in `of_groups`. By
        default each value is a term.
    counts : ndarray of shape (n_values,), optional
        How often each value of a nominal feature occurred. Texts name frequent ones first.

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
    ends: NDArray[np.float64] = None  # type: ignore[assignment]  # filled in below
    members: tuple[tuple[float, ...], ...] | None = None
    counts: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        words = ("category", "categories") if self.is_nominal else ("term", "terms")
        return short_repr(self, f"{counted(len(self.terms), *words)} ({some(self.terms)})")

    def __post_init__(self) -> None:
        if self.members is not None:
            self._check_members(self.members)
        if self.ends is None:
            object.__setattr__(self, "ends", self.peaks)
        elif self.is_nominal and not np.array_equal(self.ends, self.peaks):
            raise ValueError("ends must be None for a nominal feature, whose terms are values")
        elif self.ends.shape != self.peaks.shape or not is_in_turn(self.peaks, self.ends):
            raise ValueError(
                "ends must ascend with the peaks, each from its peak to below the next one, got "
                f"{self.ends!r} for {self.peaks!r}"
            )

    def _check_members(self, members: tuple[tuple[float, ...], ...]) -> None:
        if not self.is_nominal:
            raise ValueError("members must be None unless the feature is nominal")
        if not members or not all(members):
            raise ValueError(f"members must have at least one value for each term, got {members!r}")
        values = sorted(value for group in members for value in group)
        if values != self.peaks.tolist():
            raise ValueError("members must have each of the peaks once, and nothing else")
        if len(members) != len(self.terms):
            raise ValueError(f"terms must be {len(members)}, as members, got {len(self.terms)}")

    @classmethod
    def of_groups(
        cls,
        groups: Sequence[Sequence[float]],
        names: Sequence[str] | None = None,
        counts: Mapping[float, int] | None = None,
    ) -> LinguisticVariable:
        """Make a nominal variable whose terms are groups of values.

        Parameters
        ----------
        groups : sequence of sequences of float
            For each term the values that belong to it, such as codes of categories. Values that
            belong to none are unknown.
        names : sequence of str, optional
            Names of the categories, by code; by default values are told as numbers.
        counts : mapping of float to int, optional
            How often the values occurred.

        Returns
        -------
        LinguisticVariable

        Examples
        --------
        >>> from fuzzyucs.variables.terms import LinguisticVariable
        >>> state = LinguisticVariable.of_groups([[0, 2], [1]], ["CA", "NJ", "TX"])
        >>> state.terms, state.positions(np.array([0.0, 1.0, 2.0, 3.0]))
        (('CA or TX', 'NJ'), array([ 0.,  1.,  0., nan]))
        """
        members = tuple(tuple(sorted(map(float, group))) for group in groups)
        peaks = np.array(sorted(value for group in members for value in group))
        known = None if counts is None else np.array([counts.get(v, 0) for v in peaks.tolist()])

        def name(value: float) -> str:
            return write_number(value) if names is None else names[int(value)]

        def often(value: float) -> int:
            return 0 if counts is None else -counts.get(value, 0)

        ordered = [sorted(m, key=often) if len(m) > FEW_NAMES else m for m in members]
        terms = tuple(short_list(list(map(name, group)), " or ") for group in ordered)
        return cls(peaks, terms, is_nominal=True, members=members, counts=known)

    @cached_property
    def groups(self) -> NDArray[np.intp]:
        """To which term each value of a nominal feature belongs."""
        if self.members is None:
            return np.arange(len(self.peaks))
        place = {value: term for term, group in enumerate(self.members) for value in group}
        return np.array([place[value] for value in self.peaks.tolist()])

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
            return np.where(np.isnan(x), np.nan, self.groups[index].astype(float))
        return np.where(self.peaks[index] == x, self.groups[index].astype(float), np.nan)
