"""Known: the values that features had in training data, and how far others lie outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.precision import CONTINUOUS, count_decimals
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.variables import ranges

__all__ = ["Known", "decimals_of"]

FURTHEST = 1e6  # ranges outside; more makes no difference
CHANGED = 0.5  # least distance, in ranges, of a feature that used to be constant

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Known:
    """The values that features had in training data.

    Attributes
    ----------
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature; NaN if no value was known, or if it does not matter.
    values : dict of int to ndarray
        All values of the nominal features.
    decimals : ndarray of shape (n_features,), optional
        Digits after the decimal point of the values of each feature; -1 where there is no such
        number. Support that version 0.1.0 saved lacks it.
    """

    minimum: Array
    maximum: Array
    values: dict[int, Array]
    decimals: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        return short_repr(self, counted(len(self.minimum), "feature", "features"))

    @classmethod
    def of(cls, table: Table, nominal: NDArray[np.intp], left_out: NDArray[np.bool_]) -> Known:
        """Collect the values of training data, but those of features that are left out."""
        values = {f: _values(table.column(f)) for f in nominal.tolist() if not left_out[f]}
        minimum, maximum = (np.where(left_out, np.nan, ends) for ends in ranges(table))
        return cls(minimum, maximum, {f: v for f, v in values.items() if len(v) > 1})

    def excess(self, X: Array) -> Array:
        """Return how far values lie outside, in ranges of their features; 0 inside.

        A value of a nominal feature is as far out as its distance to the nearest known value, in
        the smallest distances of known values. A feature that used to be constant is at least half
        a range out as soon as it changes. Without any known value nothing lies outside.
        """
        excess: Array = np.zeros(X.shape)
        outside = np.nonzero((self.minimum > X) | (self.maximum < X))  # few values, as a rule
        x, low, high = X[outside], self.minimum[outside[1]], self.maximum[outside[1]]
        # Halves, because the difference of two doubles may exceed the largest one.
        beyond = np.maximum(low / 2 - x / 2, x / 2 - high / 2)
        width = high / 2 - low / 2
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            changed = np.maximum(CHANGED, 2 * beyond / (np.abs(low) + 1))
            excess[outside] = np.where(width > 0, beyond / width, changed)
            for feature, values in self.values.items():
                excess[:, feature] = np.nan_to_num(_distance(X[:, feature], values), nan=0.0)
        np.clip(excess, 0.0, FURTHEST, out=excess)
        return excess

    def total_excess(self, X: Array) -> Array:
        """Return the sum of what `excess` tells of each record."""
        total: Array = np.zeros(len(X))
        # Few records, as a rule, have values outside.
        is_outside = _core.rows_outside(X, self.minimum, self.maximum)
        for feature, values in self.values.items():
            is_outside |= ~np.isin(X[:, feature], values)
        total[is_outside] = self.excess(X[is_outside]).sum(axis=1)
        return total


def decimals_of(table: Table, known: Known, features: Iterable[int]) -> NDArray[np.int64]:
    """Count the digits after the decimal point of all values of features.

    Parameters
    ----------
    table : Table
        Training data.
    known : Known
        Their values.
    features : iterable of int
        Which features hold numbers.

    Returns
    -------
    ndarray of shape (n_features,)
        -1 for other features, for those whose values have too many digits, and for those of single
        precision whose values are no such numbers, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.known_values import Known, decimals_of
    >>> from fuzzyucs.variables.table import Table
    >>> table = Table.of(np.array([[18.0, 36.6, 1 / 3], [71.0, np.nan, 2 / 3]]))
    >>> known = Known.of(table, np.empty(0, dtype=int), np.zeros(3, dtype=bool))
    >>> decimals_of(table, known, range(3))
    array([ 0,  1, -1])
    """
    found = np.full(table.n_features, CONTINUOUS)
    for feature in features:
        x = table.column(feature)[:, np.newaxis]
        (digits,) = count_decimals(x, known.minimum[[feature]], known.maximum[[feature]]).tolist()
        if digits != CONTINUOUS and ((np.round(x, digits) == x) | np.isnan(x)).all():
            found[feature] = digits
    return found


def _values(x: Array) -> Array:
    """Return the different values of a column."""
    return np.unique(x[~np.isnan(x)])


def _distance(x: Array, values: Array) -> Array:
    """Return the distance to the nearest value, in the smallest distances of values."""
    index = np.searchsorted(values, x).clip(1, len(values) - 1)
    # Halves, because the difference of two doubles may exceed the largest one.
    x, values = x / 2, values / 2
    nearest = np.minimum(np.abs(x - values[index - 1]), np.abs(x - values[index]))
    distance: Array = nearest / max(np.diff(values).min(), np.finfo(float).tiny)
    return distance
