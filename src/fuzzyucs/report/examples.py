"""Example records in the page, which has none unless they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["check_number", "chosen_rows", "example_records"]

MOST_EXAMPLES = 1000  # more would make the page large, and the menu useless


def check_number(examples: Any, n_rows: int) -> int:
    """Check how many example records are wanted.

    Parameters
    ----------
    examples : int
        The number.
    n_rows : int
        Number of rows to choose from.

    Returns
    -------
    int
        The same.
    """
    most = min(n_rows, MOST_EXAMPLES)
    if not 1 <= examples <= most:
        raise ValueError(f"examples must be a number of records from 1 to {most}, got {examples}")
    return int(examples)


def chosen_rows(labels: NDArray[np.integer[Any]], number: int) -> NDArray[np.intp]:
    """Choose rows such that classes take turns, each with rows from all over the table.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Index of the class of each row.
    number : int
        How many rows to choose.

    Returns
    -------
    ndarray of shape (number,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.report.examples import chosen_rows
    >>> chosen_rows(np.array([0, 0, 0, 0, 1, 1]), 3)
    array([0, 4, 2])
    """
    own = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    wanted = [0] * len(own)
    turn = 0
    while sum(wanted) < number:
        wanted[turn] += wanted[turn] < len(own[turn])
        turn = (turn + 1) % len(own)
    spread = [
        rows[np.arange(n) * len(rows) // max(n, 1)] for rows, n in zip(own, wanted, strict=True)
    ]
    rounds = [rows[k] for k in range(max(wanted)) for rows in spread if k < len(rows)]
    return np.array(rounds, dtype=np.intp)


def example_records(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    examples: Any,
    class_names: Sequence[str],
    row_numbers: Sequence[int] | NDArray[np.intp] | None = None,
) -> list[dict[str, Any]]:
    """Return example records as the page takes them.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Data to choose from.
    y : array-like of shape (n_samples,)
        Their class labels.
    examples : int or array-like of shape (n_examples, n_features), optional
        How many rows of ``X`` to choose, or the records themselves.
    class_names : sequence of str
        Texts for the classes.
    row_numbers : sequence of int, optional
        By which numbers to name rows of ``X``; see `fuzzyucs.report.write_report`.

    Returns
    -------
    list of dict
        ``name`` and ``record`` of each: numbers as conditions of rules refer to, None where a value
        is missing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.report.examples import example_records
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> example_records(clf, X, y, 2, ["setosa", "versicolor", "virginica"])[1]
    {'name': 'Row 51, true class versicolor', 'record': [7.0, 3.2, 4.7, 1.4]}
    """
    if examples is None:
        return []
    if isinstance(examples, Integral) and not isinstance(examples, bool):
        table, labels = clf.check_data(X, y)
        known = _row_labels(X, len(labels)) if row_numbers is None else list(row_numbers)
        is_numbered = all(isinstance(label, Integral) for label in known)
        rows = np.sort(chosen_rows(labels, check_number(examples, len(labels))))
        if is_numbered:
            rows = rows[np.argsort([known[row] for row in rows], kind="stable")]
        before = "Row " if is_numbered else ""
        named = [name.removeprefix("class ") for name in class_names]
        names = [f"{before}{known[row]}, true class {named[labels[row]]}" for row in rows]
        return _as_data(names, table[rows])
    if np.ndim(examples) != 2:
        raise ValueError(
            f"examples must be a number of records, or a table of them, got {examples!r}"
        )
    return _as_data(_names(examples), clf.check_table(examples))


def _row_labels(X: Any, n_rows: int) -> list[Any]:
    """Return the labels of a data frame's index, or numbers from 1 if it only counts from 0."""
    index = getattr(X, "index", None)
    labels = list(range(n_rows)) if index is None or callable(index) else list(index)
    return list(range(1, n_rows + 1)) if labels == list(range(n_rows)) else labels


def _names(table: Any) -> list[str]:
    """Name records by the index of a data frame if that is of text, else by numbers."""
    index = getattr(table, "index", None)
    labels = list(index) if index is not None and not callable(index) else []
    if labels and all(isinstance(label, str) for label in labels):
        return labels
    return [f"Record {number}" for number in range(1, len(table) + 1)]


def _as_data(names: Sequence[str], table: NDArray[np.float64]) -> list[dict[str, Any]]:
    return [
        {"name": name, "record": [None if np.isnan(value) else value for value in row]}
        for name, row in zip(names, table.tolist(), strict=True)
    ]
