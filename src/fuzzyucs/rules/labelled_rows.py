"""LabelledRows: data with classes, and the degrees to which rules match them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from fuzzyucs._util.checks import refuse_dates
from fuzzyucs.variables.clear_errors import clear_errors
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.variables import Inference, Variables

__all__ = ["LabelledRows", "count_applies"]

MOST_DEGREES = 2_000_000  # held in memory at a time
MOST_TRUTHS = 10_000_000

Array = NDArray[np.float64]


class LabelledRows:
    """Data with classes, as positions and class indices.

    Parameters
    ----------
    variables : Variables
        The features that conditions refer to.
    classes : ndarray of shape (n_classes,)
        Class labels.
    X : array-like of shape (n_samples, n_features)
        Data in the units of the training data.
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    """

    def __init__(
        self,
        variables: Variables,
        classes: NDArray[Any],
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.table = _checked(X, variables)
        self.positions = variables.positions(self.table)
        self.labels = _numbered(y, classes)
        self.n_classes = len(classes)
        check_consistent_length(self.positions, self.labels)
        self.weight = _weights(sample_weight, len(self.labels))

    def degrees(self, rules: Inference, n_rules: int) -> Iterator[tuple[slice, Array]]:
        """Yield degrees to which rules match, for some rows at a time."""
        step = max(1, MOST_DEGREES // max(1, n_rules))
        for first in range(0, len(self.labels), step):
            rows = slice(first, first + step)
            yield rows, rules.membership(self.positions[rows])

    def class_experience(self, rules: Inference, n_rules: int) -> Array:
        """Return the sums of the degrees to which rows of each class match each rule."""
        known = np.zeros((n_rules, self.n_classes))
        for rows, degrees in self.degrees(rules, n_rules):
            counted = degrees * self.weight[rows, np.newaxis]
            for label in range(self.n_classes):
                known[:, label] += counted[self.labels[rows] == label].sum(axis=0)
        return known

    def count_applies(
        self, variables: LinguisticPartition, conditions: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return how many rows of each class the texts of rules are true of."""
        return count_applies(variables, conditions, self.table, self.labels, self.n_classes)

    def count_matched(self, rules: Inference, n_rules: int) -> NDArray[np.int64]:
        """Return how many rows match each rule at least half."""
        count = np.zeros(n_rules, dtype=np.int64)
        for _, degrees in self.degrees(rules, n_rules):
            count += (degrees >= 0.5).sum(axis=0)
        return count


def count_applies(
    variables: LinguisticPartition,
    conditions: NDArray[np.uint64],
    X: Array | Table,
    labels: NDArray[Any],
    n_classes: int,
    weight: Array | None = None,
) -> NDArray[Any]:
    """Return how many rows of each class the texts of rules are true of.

    Parameters
    ----------
    variables : LinguisticPartition
        The features that conditions refer to.
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    X : ndarray of shape (n_samples, n_features) or Table
        Rows.
    labels : ndarray of shape (n_samples,)
        Indices of their classes.
    n_classes : int
        Number of classes.
    weight : ndarray of shape (n_samples,), optional
        How much each row counts; by default once.

    Returns
    -------
    ndarray of shape (n_rules, n_classes)
        Whole numbers, or sums of weights.
    """
    table = Table.of(X)
    counts = np.zeros((len(conditions), n_classes), dtype=np.int64 if weight is None else float)
    step = max(1, MOST_TRUTHS // max(1, len(conditions)))
    for first in range(0, len(table), step):
        rows = slice(first, first + step)
        holds = variables.holds(conditions, table.part(rows))
        for label in range(n_classes):
            of_class = np.flatnonzero(labels[rows] == label)
            if weight is None:
                truths = holds.T.take(of_class, axis=1)
                own = (np.count_nonzero(truth) for truth in truths)
                counts[:, label] += np.fromiter(own, dtype=np.int64, count=len(truths))
            else:
                counts[:, label] += weight[rows][of_class] @ holds[of_class]
    return counts


def _checked(X: Any, variables: Variables) -> Array:
    refuse_dates(X)
    variables = variables.table_variables
    names = variables.feature_names
    columns = [str(name) for name in getattr(X, "columns", [])]
    has_names = names != tuple(f"x{i}" for i in range(len(names)))
    if columns and has_names and columns != list(names):
        raise ValueError(f"X must have the columns {list(names)[:10]}, got {columns[:10]}")
    with clear_errors(X, variables.columns):
        numbers = variables.columns.numbers(X)
        checked: Array = check_array(
            numbers, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
    if checked.shape[1] != len(names):
        raise ValueError(f"X must have {len(names)} features, got {checked.shape[1]}")
    return checked


def _weights(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    """Return how much each row counts, which is checked."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must hold numbers") from None
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold a number for each of the {n_rows} rows, got shape "
            f"{weight.shape}"
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must hold finite numbers from 0 on")
    return weight


def _numbered(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the numbers of class labels that have to be known."""
    number = {label: i for i, label in enumerate(classes.tolist())}
    labels = column_or_1d(y).tolist()
    unknown = [label for label in labels if label not in number]
    if unknown:
        raise ValueError(
            f"y contains labels that are not in classes: {list(dict.fromkeys(unknown))[:10]}; "
            f"known classes are {classes.tolist()[:10]}"
        )
    return np.array([number[label] for label in labels], dtype=np.intp)
