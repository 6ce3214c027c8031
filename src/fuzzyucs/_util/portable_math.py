"""Exponentials and logarithms with the same bits on every machine.

Those of NumPy are computed in other ways on processors with other vectors, and may differ in their
last bits. Whatever probabilities and evidence follow from is computed with these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core

__all__ = ["exp", "expm1", "log", "log1p", "power"]

Array = NDArray[np.float64]


def _of_all(function: Callable[[Array], Any], x: ArrayLike) -> Array:
    numbers = np.asarray(x, dtype=np.float64)
    found: Array = function(np.ascontiguousarray(numbers).ravel()).reshape(numbers.shape)
    return found


def exp(x: ArrayLike) -> Array:
    """Return e^x; infinity beyond the largest float, 0 below -708.

    Examples
    --------
    >>> from fuzzyucs._util import portable_math
    >>> portable_math.exp([0.0, 1.0])
    array([1.        , 2.71828183])
    """
    return _of_all(_core.exp, x)


def log(x: ArrayLike) -> Array:
    """Return natural logarithms; that of 0 is minus infinity, without a warning."""
    return _of_all(_core.log, x)


def log1p(x: ArrayLike) -> Array:
    """Return log(1 + x), exact near 0, too."""
    return _of_all(_core.log1p, x)


def expm1(x: ArrayLike) -> Array:
    """Return e^x - 1, exact near 0, too."""
    return _of_all(_core.expm1, x)


def power(base: ArrayLike, exponent: float) -> Array:
    """Return powers of numbers that are not negative.

    Examples
    --------
    >>> from fuzzyucs._util import portable_math
    >>> portable_math.power([0.0, 4.0], 0.5)
    array([0., 2.])
    """
    return exp(exponent * log(base))
