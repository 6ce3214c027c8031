"""Conditions as whole numbers: sets of terms, or runs of many terms.

Of up to 64 terms a condition is any set: bit t stands for term t. Of more terms it is a run of
neighbours: the lowest byte is the first of them, the next byte the last. What else the library does
with conditions goes through these functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_FINE_TERMS",
    "MAX_TERMS",
    "accepted_terms",
    "are_conditions",
    "as_condition",
    "as_run",
    "changes",
    "complements",
    "every_term",
    "every_terms",
    "is_fine",
    "runs",
]

MAX_TERMS = 64  # of which any set is a condition
MAX_FINE_TERMS = 255  # of which runs are

Conditions = NDArray[np.uint64]


def is_fine(n_terms: int) -> bool:
    """Tell whether a feature has so many terms that only runs of them are conditions."""
    return n_terms > MAX_TERMS


def every_term(n_terms: int) -> int:
    """Return the condition that accepts every term.

    Examples
    --------
    >>> from fuzzyucs.variables.coding import every_term
    >>> every_term(3), hex(every_term(200))
    (7, '0xc700')
    """
    return (n_terms - 1) << 8 if is_fine(n_terms) else (1 << n_terms) - 1


def every_terms(n_terms: ArrayLike) -> Conditions:
    """Return the conditions that accept every term, of several features."""
    return np.array([every_term(n) for n in np.asarray(n_terms).tolist()], dtype=np.uint64)


def accepted_terms(condition: int, n_terms: int) -> NDArray[np.bool_]:
    """Tell which terms a condition accepts.

    Examples
    --------
    >>> from fuzzyucs.variables.coding import accepted_terms
    >>> accepted_terms(0b110, 3)
    array([False,  True,  True])
    >>> accepted_terms(20 | 40 << 8, 100).nonzero()[0][[0, -1]].tolist()
    [20, 40]
    """
    code = int(condition)
    if is_fine(n_terms):
        terms = np.arange(n_terms)
        return np.asarray((terms >= code & 255) & (terms <= code >> 8))
    return np.array([code >> term & 1 == 1 for term in range(n_terms)], dtype=bool)


def as_run(first: int, last: int, n_terms: int) -> int:
    """Return the condition that accepts all terms from one to another.

    Parameters
    ----------
    first, last : int
        The first and the last term, both included.
    n_terms : int
        Number of terms of the feature.

    Returns
    -------
    int

    Examples
    --------
    >>> from fuzzyucs.variables.coding import as_run
    >>> bin(as_run(1, 2, 5)), as_run(1, 2, 100) == 1 | 2 << 8
    ('0b110', True)
    """
    if not 0 <= first <= last < n_terms:
        raise ValueError(f"first and last must be terms of {n_terms}, got {first} and {last}")
    if is_fine(n_terms):
        return int(first) | int(last) << 8
    return (1 << int(last) + 1) - (1 << int(first))


def as_condition(accepted: Sequence[bool] | NDArray[np.bool_]) -> int:
    """Return the condition that accepts some terms; of more than 64, these must be neighbours.

    Examples
    --------
    >>> from fuzzyucs.variables.coding import as_condition
    >>> bin(as_condition([True, False, True]))
    '0b101'
    """
    terms, n_terms = np.flatnonzero(accepted).tolist(), len(accepted)
    if not terms:
        raise ValueError("accepted must have at least one term")
    if not is_fine(n_terms):
        return sum(1 << term for term in terms)
    if len(terms) != terms[-1] - terms[0] + 1:
        raise ValueError(f"accepted must be neighbouring terms, of which there are {n_terms}")
    return as_run(terms[0], terms[-1], n_terms)


def runs(condition: int, n_terms: int) -> list[tuple[int, int]]:
    """Return the first and the last term of each run of neighbours that a condition accepts.

    Examples
    --------
    >>> from fuzzyucs.variables.coding import runs
    >>> runs(0b1011, 5), runs(20 | 40 << 8, 100)
    ([(0, 1), (3, 3)], [(20, 40)])
    """
    code = int(condition)
    if is_fine(n_terms):
        return [(code & 255, code >> 8)]
    found = []
    while code:
        low = code & -code
        run = code & ~(code + low)
        found.append((low.bit_length() - 1, run.bit_length() - 1))
        code ^= run
    return found


def complements(
    conditions: NDArray[Any], n_terms: NDArray[np.uint32]
) -> tuple[Conditions, NDArray[np.bool_]]:
    """Return the conditions that accept all other terms, and whether these are neighbours.

    Parameters
    ----------
    conditions : ndarray of shape (n_rules, n_features)
        Conditions, not all of which need to have a complement.
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature.

    Returns
    -------
    others : ndarray of shape (n_rules, n_features)
        Complements. Of more than 64 terms a run inside has none: it is returned itself, as are
        conditions that accept everything.
    are_ends : ndarray of bool of shape (n_rules, n_features)
        Whether a condition accepts one end of the range and not the other.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.coding import complements
    >>> complements(np.array([[0b001, 9 << 8]]), np.array([3, 100]))[0].tolist()
    [[6, 25354]]
    >>> 25354 == 10 | 99 << 8
    True
    """
    code, n = conditions.astype(np.uint64), n_terms.astype(np.uint64)
    one, eight, byte = np.uint64(1), np.uint64(8), np.uint64(255)
    every, last = every_terms(n_terms), n - one
    first, final = code & byte, code >> eight
    fine = n > MAX_TERMS
    shift = np.where(fine, np.uint64(0), last)
    is_low = np.where(fine, first == 0, code & one == one)
    is_high = np.where(fine, final == last, code >> shift & one == one)
    are_ends: NDArray[np.bool_] = is_low != is_high
    run = np.where(is_low, final + one | last << eight, (first - one) << eight)
    others = np.where(fine, np.where(are_ends, run, code), every & ~code)
    return np.where(code == every, code, others), are_ends


def changes(conditions: NDArray[Any], n_terms: int) -> NDArray[np.bool_]:
    """Tell between which neighbouring terms some of the conditions on a feature change.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.coding import changes
    >>> changes(np.array([0b0011, 0b0111]), 4)
    array([False,  True,  True])
    """
    code = conditions.astype(np.uint64)
    if not is_fine(n_terms):
        change = int(np.bitwise_or.reduce(code ^ (code >> np.uint64(1))))
        return accepted_terms(change, n_terms)[:-1]
    first, last = (code & np.uint64(255)).astype(np.intp), (code >> np.uint64(8)).astype(np.intp)
    borders = np.concatenate([first - 1, last])
    return np.isin(np.arange(n_terms - 1), borders)


def are_conditions(conditions: NDArray[Any], n_terms: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell which numbers are conditions: they accept something, and no term that does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.coding import are_conditions
    >>> are_conditions(np.array([[7, 99 << 8], [8, 100 << 8]]), np.array([3, 100]))
    array([[ True,  True],
           [False, False]])
    """
    code = conditions.astype(np.uint64)
    first, last = code & np.uint64(255), code >> np.uint64(8)
    are_runs = (first <= last) & (last < n_terms)
    are_sets = (code > 0) & (code <= every_terms(n_terms))
    found: NDArray[np.bool_] = np.where(n_terms > MAX_TERMS, are_runs, are_sets)
    return found
