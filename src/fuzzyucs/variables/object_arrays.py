"""Arrays of objects: tables with text that come without a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["objects_in"]


def objects_in(X: Any) -> NDArray[Any] | None:
    """Return the cells of an array or a list of rows that holds text.

    Pipelines pass such arrays on: a `ColumnTransformer` that lets columns of text through, or
    bagging, which makes an array of a data frame.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Anything.

    Returns
    -------
    ndarray of object of shape (n_samples, n_features), or None
        None where values are missing. None instead of the array if nothing in it is text, or if it
        has no rows and columns.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.object_arrays import objects_in
    >>> objects_in([["red", 1.5], ["blue", float("nan")]])
    array([['red', 1.5],
           ['blue', None]], dtype=object)
    >>> objects_in(np.ones((2, 2))) is None
    True
    """
    if isinstance(X, list | tuple):
        if not any(isinstance(v, str) for row in X if isinstance(row, list | tuple) for v in row):
            return None
        try:
            X = np.array(X, dtype=object)
        except ValueError:  # rows of different lengths
            return None
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not X.size or X.dtype.kind not in "OU":
        return None
    if X.dtype.kind == "O" and not any(isinstance(value, str) for value in X.flat):
        return None
    cells = X.astype(object)  # a copy
    cells[cells != cells] = None  # NaN alone is not equal to itself
    return cells
