"""Grid: the values of features whose training data are whole numbers or have few digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["TINY", "Grid"]

MOST_TRIED = 256  # values of a feature that are all tried
TINY = 1e-6  # steps, by which a value on the grid may seem to be off it

Array = NDArray[np.float64]


class Grid:
    """Values with a number of digits after the decimal point, for some features.

    Parameters
    ----------
    decimals : ndarray of shape (n_features,), optional
        That number for each feature; negative where any value is possible.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.explain.grid import Grid
    >>> grid = Grid(np.array([0, 1, -1]))
    >>> grid.values(0, np.array([17.0, 18.25, 20.0]))
    array([17., 18., 19., 20.])
    >>> 2 in grid
    False
    """

    def __init__(self, decimals: NDArray[np.int64] | None = None) -> None:
        known = [] if decimals is None else decimals.tolist()
        self.factors = {f: 10.0**digits for f, digits in enumerate(known) if digits >= 0}

    def __contains__(self, feature: int) -> bool:
        return feature in self.factors

    def values(self, feature: int, values: Array) -> Array:
        """Return values to try: all between the least and the greatest, or if they are many, some.

        Parameters
        ----------
        feature : int
            Index of a feature on the grid.
        values : ndarray
            Values to try if there was no grid, ascending.

        Returns
        -------
        ndarray
        """
        if not len(values):
            return values
        factor = self.factors[feature]
        first, last = np.ceil(values[0] * factor - TINY), np.floor(values[-1] * factor + TINY)
        if last - first < MOST_TRIED:
            steps = np.arange(first, last + 1)
        else:
            steps = np.unique(np.clip(np.floor(values * factor + 0.5), first, last))
        result: Array = steps / factor
        return result
