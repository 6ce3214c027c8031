"""How often values of features occur in each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["add_class_counts", "bars_of"]

MOST_CLASSES = 30  # of which pictures show counts; of more, they show all rows together

Array = NDArray[np.float64]


def bars_of(known: Array, edges: Array) -> NDArray[np.intp]:
    """Return the bar of a histogram to which each value belongs.

    Parameters
    ----------
    known : ndarray
        Values without NaN.
    edges : ndarray of shape (n_bars + 1,)
        Edges of the bars.

    Returns
    -------
    ndarray of the shape of ``known``

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.report.class_counts import bars_of
    >>> bars_of(np.array([0.0, 1.0, 1.5, 2.0]), np.array([0.0, 1.0, 2.0]))
    array([0, 1, 1, 1])
    """
    found = np.searchsorted(edges, known, side="right") - 1
    return np.clip(found, 0, len(edges) - 2)


def add_class_counts(
    statistics: list[dict[str, Any]],
    X: Array,
    labels: NDArray[np.integer[Any]],
    n_classes: int,
) -> list[dict[str, Any]]:
    """Add counts of each class to the statistics of features.

    Parameters
    ----------
    statistics : list of dict
        What `feature_statistics` returns. It is changed.
    X : ndarray of shape (n_samples, n_features)
        Data.
    labels : ndarray of shape (n_samples,)
        Indices of the true classes.
    n_classes : int
        Number of classes.

    Returns
    -------
    list of dict
        The same, with ``class_counts``: for each class, a count for each bar. Of more than
        30 classes there is a single list, with all rows.
    """
    groups, n_groups = (labels, n_classes) if n_classes <= MOST_CLASSES else (np.zeros_like(labels), 1)
    for feature, known in enumerate(statistics):
        x = X[:, feature]
        is_known = np.isfinite(x)
        edges = np.array(known["edges"], dtype=float)
        n_bars = len(known["counts"])
        is_listed = len(edges) == n_bars
        values = x[is_known]
        bars = np.searchsorted(edges, values) if is_listed else bars_of(values, edges)
        # Values that the model does not know are in no bar.
        fits = edges[np.minimum(bars, n_bars - 1)] == values if is_listed and n_bars else bars >= 0
        cells = groups[is_known][fits].astype(np.intp) * n_bars + bars[fits]
        counts = np.bincount(cells, minlength=n_groups * n_bars)
        known["class_counts"] = counts.reshape(n_groups, n_bars).tolist()
    return statistics
