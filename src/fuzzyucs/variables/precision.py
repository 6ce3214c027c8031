"""Precision of data: how many digits after the decimal point a column has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONTINUOUS", "FINEST", "RELIABLE", "count_decimals"]

FINEST = 10_000  # fractions with more steps in their range count as continuous
RELIABLE = 15  # decimal digits of a double
CONTINUOUS = -1


def count_decimals(
    X: NDArray[np.float64], minimum: NDArray[np.float64], maximum: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Count the digits after the decimal point in each column, unless they are too many.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Data. NaN is ignored.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each column.

    Returns
    -------
    ndarray of shape (n_features,)
        0 for whole numbers; -1 if fractions are finer than a ten-thousandth of the range.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.precision import count_decimals
    >>> X = np.array([[1.0, 0.5, 1 / 3], [4.0, 2.25, 2 / 3]])
    >>> count_decimals(X, X.min(axis=0), X.max(axis=0))
    array([ 0,  2, -1])
    """
    half_width = maximum / 2 - minimum / 2
    largest = np.maximum(np.abs(minimum), np.abs(maximum))
    result = np.full(X.shape[1], CONTINUOUS)
    for digits in range(RELIABLE):
        factor = 10.0**digits
        with np.errstate(over="ignore"):
            few = (half_width * factor <= FINEST / 2) | (digits == 0)
            reliable = largest * factor <= 10.0**RELIABLE
        columns = np.flatnonzero(few & reliable & (result == CONTINUOUS))
        if not columns.size:
            break
        columns = columns[_have_decimals(X[:100, columns], digits)]
        columns = columns[_have_decimals(X[:, columns], digits)]
        result[columns] = digits
    return result


def _have_decimals(X: NDArray[np.float64], digits: int) -> NDArray[np.bool_]:
    """Tell for each column whether no value has more digits after the decimal point."""
    rounded = np.round(X, digits)
    with np.errstate(over="ignore"):
        single = rounded.astype(np.float32)  # what 5.1 becomes in single precision has one, too
    exact = (rounded == X) | (single == X) | np.isnan(X)
    return np.asarray(exact.all(axis=0))
