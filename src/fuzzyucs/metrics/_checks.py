"""Checks of labels, predictions and probabilities that all metrics share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

__all__ = ["check_predictions", "check_probabilities", "check_weight", "column_indices"]

Array = NDArray[np.float64]


def check_predictions(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.bool_], Array]:
    """Return whether predictions are wrong, and their confidence."""
    truth, named = column_or_1d(y_true), column_or_1d(y_pred)
    confident: Array = np.asarray(column_or_1d(confidence), dtype=float)
    check_consistent_length(truth, named, confident)
    if not len(confident):
        raise ValueError("at least one row is needed, got none")
    if np.isnan(confident).any():
        raise ValueError("confidence must be a number everywhere, got NaN")
    _check_types(truth, named, "y_pred")
    wrong: NDArray[np.bool_] = truth != named
    return wrong, confident


def check_probabilities(
    y_true: ArrayLike, y_prob: ArrayLike, classes: ArrayLike | None
) -> tuple[NDArray[np.bool_], Array]:
    """Return whether the most probable classes are right, and their probabilities."""
    truth = column_or_1d(y_true)
    prob = np.asarray(y_prob, dtype=float)
    check_consistent_length(truth, prob)
    labels = np.unique(truth) if classes is None else column_or_1d(classes)
    if prob.ndim != 2 or prob.shape[1] != len(labels) or not len(prob):
        raise ValueError(
            f"y_prob must have a row for each label and a column for each of the {len(labels)} "
            f"classes, got shape {prob.shape}"
        )
    # Probabilities in single precision sum to 1 only roughly.
    in_range = bool(np.all((prob >= -1e-6) & (prob <= 1 + 1e-6)))
    if not in_range or not np.allclose(prob.sum(axis=1), 1, rtol=0, atol=1e-4):
        raise ValueError("y_prob must hold probabilities: from 0 to 1, with rows that sum to 1")
    right: NDArray[np.bool_] = prob.argmax(axis=1) == column_indices(truth, labels)
    return right, prob.max(axis=1)


def check_weight(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    if sample_weight is None:
        return np.ones(n_rows)
    weight: Array = np.asarray(column_or_1d(sample_weight), dtype=float)
    if len(weight) != n_rows or not np.isfinite(weight).all() or weight.min() < 0:
        raise ValueError("sample_weight must hold a finite number from 0 on for each row")
    if not weight.any():
        raise ValueError("sample_weight must not be 0 everywhere")
    return weight


def column_indices(truth: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the column index of each true label; the labels of columns need not be sorted."""
    _check_types(truth, labels, "classes")
    order = np.argsort(labels, kind="stable")
    if len(np.unique(labels)) != len(labels):
        raise ValueError(f"classes must be different, got {labels.tolist()[:10]}")
    unknown = np.setdiff1d(truth, labels)
    if unknown.size:
        raise ValueError(
            f"y_true contains labels that are not in classes: {unknown.tolist()[:10]}; "
            f"classes are {labels.tolist()[:10]}"
        )
    indices: NDArray[np.intp] = order[np.searchsorted(labels, truth, sorter=order)]
    return indices


def _check_types(truth: NDArray[Any], others: NDArray[Any], name: str) -> None:
    """Refuse strings beside numbers, since NumPy would turn numbers into strings."""
    kinds = {truth.dtype.kind, others.dtype.kind}
    if "U" in kinds and kinds & set("biufc"):
        raise ValueError(
            f"y_true and {name} must have labels of the same type, got {truth.dtype} and "
            f"{others.dtype}"
        )
