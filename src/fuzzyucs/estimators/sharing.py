"""Sharing: rows that several machines hold in parts, and sums over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core

__all__ = ["Sharing", "exact_weights"]

MANTISSA = 52  # bits of a double

Array = NDArray[np.float64]
Sums = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sharing:
    """How sums over the rows of one machine become sums over all rows.

    Parameters
    ----------
    n_rows : int
        Number of rows of all machines.
    greatest_weight : float
        Greatest weight of a row of any machine.
    add_others : callable or None
        Gets sums over the rows of one machine, and returns those over all rows. None if one
        machine has all rows.
    has_unit_weights : bool
        Whether every row of any machine has weight 1.

    Examples
    --------
    Two machines with the same rows.

    >>> import numpy as np
    >>> from fuzzyucs.estimators.sharing import Sharing
    >>> sharing = Sharing(8, 1.0, lambda sums: 2 * sums)
    >>> sharing.counts(np.array([[3, 1]]))
    array([[6, 2]])
    >>> sharing.weights(np.array([0.5, 1.25]))
    array([1. , 2.5])
    """

    n_rows: int
    greatest_weight: float
    add_others: Callable[[Sums], Sums] | None
    has_unit_weights: bool = False

    @cached_property
    def native(self) -> _core.SharedRows:
        """The same for the native engine."""
        return _core.SharedRows(self.n_rows, self.greatest_weight, self.add_others)

    def counts(self, counts: NDArray[Any]) -> Sums:
        """Return numbers of all rows, from those of one machine."""
        whole = np.ascontiguousarray(counts, dtype=np.int64)
        if self.add_others is None:
            return whole
        return self.add_others(whole.ravel()).reshape(whole.shape)

    def weights(self, sums: Array) -> Array:
        """Return sums of exact weights over all rows, from those of one machine."""
        unit = weight_unit(self.n_rows, self.greatest_weight)
        total: Array = self.counts(np.rint(sums / unit)) * np.float64(unit)
        return total


def weight_unit(n_rows: int, greatest: float) -> float:
    """Return a number so large that sums of its multiples, one for each row, are exact."""
    return float(2.0 ** (np.frexp(greatest)[1] - (MANTISSA - int(n_rows).bit_length())))


def exact_weights(weight: Array, n_rows: int, greatest: float) -> Array:
    """Round weights so that their sums are exact, whatever the order of the rows.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        Positive weights of some rows.
    n_rows : int
        Number of all rows.
    greatest : float
        Greatest weight of them.

    Returns
    -------
    ndarray of shape (n_samples,)
        Positive multiples of a power of 2, which is so small that rounding does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.sharing import exact_weights
    >>> exact_weights(np.array([1.0, 0.75]), 10**9, 1.0)
    array([1.  , 0.75])
    >>> float(exact_weights(np.array([0.1]), 10**9, 1.0)[0])
    0.09999990463256836
    """
    unit = weight_unit(n_rows, greatest)
    found: Array = np.maximum(np.rint(weight / unit), 1.0) * unit
    return found
