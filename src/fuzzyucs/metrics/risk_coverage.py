"""Risk and coverage: whether confidence separates right from wrong answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs.metrics._checks import check_predictions, check_weight

__all__ = ["area_under_risk_coverage", "error_rejection_curve", "risk_coverage_curve"]

Array = NDArray[np.float64]


def risk_coverage_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """Error rate among accepted rows for each threshold on confidence.

    Rows of equal confidence are accepted together, so there is one point for each distinct
    confidence and the order of the rows does not matter.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    confidence : array-like of shape (n_samples,)
        Confidence of the predictions (`confidence_of`); only its order matters.
    sample_weight : array-like of shape (n_samples,), optional
        Sample weights. Rows of weight 0 are left out.

    Returns
    -------
    coverage : ndarray of shape (n_thresholds,)
        Share of accepted rows, increasing up to 1.
    risk : ndarray of shape (n_thresholds,)
        Error rate among the accepted rows.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing; accepted are rows whose confidence is not less.

    Examples
    --------
    >>> from fuzzyucs.metrics import risk_coverage_curve
    >>> coverage, risk, thresholds = risk_coverage_curve(
    ...     ["a", "b", "a", "b"], ["a", "b", "b", "b"], [0.9, 0.8, 0.6, 0.6]
    ... )
    >>> coverage, risk, thresholds
    (array([0.25, 0.5 , 1.  ]), array([0.  , 0.  , 0.25]), array([0.9, 0.8, 0.6]))
    """
    wrong, confident = check_predictions(y_true, y_pred, confidence)
    weight = check_weight(sample_weight, len(wrong))
    wrong, confident, weight = wrong[weight > 0], confident[weight > 0], weight[weight > 0]
    thresholds, group = np.unique(confident, return_inverse=True)
    accepted = _sums_from_the_last(group, weight)
    failed = _sums_from_the_last(group, weight * wrong)
    return accepted / accepted[-1], failed / accepted, thresholds[::-1]


def area_under_risk_coverage(y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike) -> float:
    """Mean error rate over all coverages; less is better: confidence separates right from wrong.

    It is the mean over k = 1, ..., n of the error rate among the k most confident of n rows. Where
    the k-th row ties with others, the expected error rate counts if the rows of the tie came in
    random order: with t rows of equal confidence, e of them wrong, each counts as e / t errors. The
    order of the rows hence does not matter, and equal confidence everywhere gives the error rate.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    confidence : array-like of shape (n_samples,)
        Confidence of the predictions (`confidence_of`); only its order matters.

    Returns
    -------
    float
        From 0 (all predictions right) to 1 (all wrong).

    Examples
    --------
    >>> from fuzzyucs.metrics import area_under_risk_coverage
    >>> area_under_risk_coverage([0, 1, 0, 1], [0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6])  # 0, 0, 1/3, 1/4
    0.1458...
    >>> area_under_risk_coverage([0, 1, 0, 1], [0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5])
    0.25
    """
    wrong, confident = check_predictions(y_true, y_pred, confidence)
    _, group, size = np.unique(confident, return_inverse=True, return_counts=True)
    share = np.bincount(group, wrong) / size
    expected = share[np.sort(group)[::-1]]
    return float(np.mean(np.cumsum(expected) / np.arange(1, len(expected) + 1)))


def error_rejection_curve(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[Array, Array]:
    """Error rate among the remaining rows when the least confident ones are rejected.

    The complement of `risk_coverage_curve`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    confidence : array-like of shape (n_samples,)
        Confidence of the predictions (`confidence_of`); only its order matters.

    Returns
    -------
    rejection : ndarray of shape (n_thresholds,)
        Share of rejected rows, increasing from 0.
    error : ndarray of shape (n_thresholds,)
        Error rate among the others.

    Examples
    --------
    >>> from fuzzyucs.metrics import error_rejection_curve
    >>> error_rejection_curve([0, 1, 0, 1], [0, 1, 1, 1], [0.9, 0.8, 0.6, 0.6])
    (array([0.  , 0.5 , 0.75]), array([0.25, 0.  , 0.  ]))
    """
    coverage, risk, _ = risk_coverage_curve(y_true, y_pred, confidence)
    return 1 - coverage[::-1], risk[::-1]


def _sums_from_the_last(group: NDArray[np.intp], values: Array) -> Array:
    """Return the sums of values over the last group, the last two groups, and so on."""
    sums: Array = np.cumsum(np.bincount(group, values)[::-1])
    return sums
