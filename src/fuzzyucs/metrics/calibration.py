"""Calibration: whether predicted probabilities agree with observed frequencies."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs.metrics._checks import check_probabilities

__all__ = ["calibration_error", "reliability_curve"]

Array = NDArray[np.float64]


def reliability_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> tuple[Array, Array, Array]:
    """Accuracy and mean confidence of the most probable class, in bins of confidence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Predicted probabilities.
    classes : array-like of shape (n_classes,), optional
        Labels of the columns; by default the sorted labels in `y_true`, if they are as many.
    n_bins : int, default=10
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width from 0 to 1, each including its right border, or bins with equal
        numbers of rows. Rows of equal confidence always share a bin, so the latter can differ in
        size.

    Returns
    -------
    accuracy : ndarray of shape (n_filled_bins,)
        Share of rows whose most probable class is the true one; empty bins are left out.
    confidence : ndarray of shape (n_filled_bins,)
        Mean probability of the most probable class.
    share : ndarray of shape (n_filled_bins,)
        Share of all rows that lie in the bin.

    Examples
    --------
    >>> from fuzzyucs.metrics import reliability_curve
    >>> reliability_curve([0, 1, 1, 0], [[0.9, 0.1], [0.1, 0.9], [0.3, 0.7], [0.3, 0.7]])
    (array([0.5, 1. ]), array([0.7, 0.9]), array([0.5, 0.5]))
    """
    right, confidence = check_probabilities(y_true, y_prob, classes)
    if not isinstance(n_bins, int | np.integer) or isinstance(n_bins, bool) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number from 1 on, got {n_bins!r}")
    parts = np.arange(1, n_bins)
    if strategy == "quantile":
        # Borders are values of rows: between equal values, rounding would decide.
        borders = np.sort(confidence)[parts * (len(confidence) - 1) // n_bins]
    elif strategy == "uniform":
        borders = parts / n_bins
    else:
        raise ValueError(f"strategy must be 'uniform' or 'quantile', got {strategy!r}")
    bins = np.searchsorted(borders, confidence)
    size = np.bincount(bins, minlength=n_bins)
    filled = size > 0
    accuracy = np.bincount(bins, right, n_bins)[filled] / size[filled]
    mean = np.bincount(bins, confidence, n_bins)[filled] / size[filled]
    return accuracy, mean, size[filled] / len(right)


def calibration_error(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    norm: Literal["l1", "max"] = "l1",
) -> float:
    """Distance between confidence and accuracy of the most probable class, in bins.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Predicted probabilities.
    classes : array-like of shape (n_classes,), optional
        Labels of the columns; by default the sorted labels in `y_true`, if they are as many.
    n_bins : int, default=10
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or with equal numbers of rows (`reliability_curve`). The latter is
        also called the adaptive calibration error.
    norm : {"l1", "max"}, default="l1"
        Mean distance, weighted by the number of rows in each bin (expected calibration error), or
        the greatest distance of all bins (maximum calibration error).

    Returns
    -------
    float
        From 0 (confidence equals accuracy in every bin) to 1.

    Examples
    --------
    >>> from fuzzyucs.metrics import calibration_error
    >>> y, prob = [0, 1, 1, 0], [[0.9, 0.1], [0.1, 0.9], [0.3, 0.7], [0.3, 0.7]]
    >>> round(calibration_error(y, prob), 6)
    0.15
    >>> round(calibration_error(y, prob, norm="max"), 6)
    0.2
    """
    if norm not in ("l1", "max"):
        raise ValueError(f"norm must be 'l1' or 'max', got {norm!r}")
    accuracy, confidence, share = reliability_curve(
        y_true, y_prob, classes=classes, n_bins=n_bins, strategy=strategy
    )
    distance = np.abs(accuracy - confidence)
    return float(distance.max() if norm == "max" else share @ distance)
