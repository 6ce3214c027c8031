"""Checks of tables that estimators are given, which become numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import validate_data

from fuzzyucs._util.checks import refuse_dates
from fuzzyucs.estimators.lazy import refuse_dask
from fuzzyucs.estimators.validation import plain_labels
from fuzzyucs.variables.clear_errors import clear_errors, names_of
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Stored, Table

__all__ = [
    "check_names",
    "compact_table",
    "compact_training_data",
    "plain_batch",
    "table_of_numbers",
]


def table_of_numbers(
    estimator: BaseEstimator, columns: Columns, X: Any, y: Any = None, *, reset: bool
) -> Any:
    """Check data and turn them into floats of 64 bits; categories become codes.

    Parameters
    ----------
    estimator : BaseEstimator
        Whose data they are. With `reset`, it learns the number and the names of the features.
    columns : Columns
        Which columns hold categories.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,), optional
        Class labels.
    reset : bool
        Whether these are training data.

    Returns
    -------
    ndarray, or tuple of ndarray
        X, and y if it is given.
    """
    _check_names(X)
    refuse_dates(X)
    checks = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
    if not reset and hasattr(X, "columns"):
        # Names first: columns in another order would seem to hold other things.
        validate_data(estimator, X, reset=False, skip_check_array=True)
    with clear_errors(X, columns):
        if not reset and y is None and hasattr(X, "columns"):
            return check_array(columns.values(X), **checks, estimator=estimator, input_name="X")
        labels = {} if y is None and not reset else {"y": plain_labels(y)}
        return validate_data(estimator, columns.numbers(X), **labels, reset=reset, **checks)


def plain_batch(
    estimator: BaseEstimator, columns: Columns, X: Any, y: Any
) -> tuple[NDArray[np.float64], NDArray[Any]] | None:
    """Return a further batch as it is if a glance shows that it needs no more checks.

    Parameters
    ----------
    estimator, columns, X, y
        As in `table_of_numbers`.

    Returns
    -------
    X, y : ndarray
        None if something about them has to be looked at, or to be refused.
    """
    if not (type(X) is np.ndarray and type(y) is np.ndarray and X.ndim == 2 and y.ndim == 1):
        return None
    is_plain = (
        X.dtype == np.float64
        and X.flags.c_contiguous
        and 0 < len(X) == len(y)
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
        and not (columns.categories or columns.times)
        and y.dtype.kind in "biuU"
        and not np.isinf(X).any()
    )
    return (X, y) if is_plain else None


def compact_training_data(
    estimator: BaseEstimator, columns: Columns, X: Any, y: Any, *, reset: bool
) -> tuple[Table, NDArray[Any]]:
    """Check training data as `table_of_numbers` does, and leave columns in their types.

    Parameters
    ----------
    estimator, columns, X, y, reset
        As in `table_of_numbers`.

    Returns
    -------
    table : Table
        What is neither a frame nor an array of numbers has become floats of 64 bits.
    y : ndarray of shape (n_samples,)
        Class labels.
    """
    table = None if y is None else _compact(estimator, columns, X, reset=reset)
    if table is None:
        numbers, labels = table_of_numbers(estimator, columns, X, y, reset=reset)
        return Table.of(numbers), labels
    # The number of rows is all that scikit-learn has to know of the table to check the labels.
    rows = np.zeros((len(table), 1), dtype=np.int8)
    _, labels = check_X_y(rows, plain_labels(y), estimator=estimator)
    return table, labels


def check_names(estimator: BaseEstimator, columns: Columns, X: Any) -> None:
    """Check the names of a further batch before categories are looked for in its columns.

    Parameters
    ----------
    estimator, columns, X
        As in `table_of_numbers`.
    """
    if columns.categories and hasattr(X, "columns"):
        _check_names(X)
        validate_data(estimator, _with_names(X), reset=False, skip_check_array=True)


def compact_table(estimator: BaseEstimator, columns: Columns, X: Any) -> Table:
    """Check records as `table_of_numbers` does, and leave columns in their types.

    Parameters
    ----------
    estimator, columns, X
        As in `table_of_numbers`.

    Returns
    -------
    Table
    """
    table = _compact(estimator, columns, X, reset=False)
    if table is None:
        return Table.of(table_of_numbers(estimator, columns, X, reset=False))
    return table


def _compact(estimator: BaseEstimator, columns: Columns, X: Any, *, reset: bool) -> Table | None:
    """Return a table that scikit-learn would accept; None if it has to look, or to complain."""
    _check_names(X)
    refuse_dates(X)
    is_frame = hasattr(X, "columns")
    if is_frame and not reset:
        # Names first: columns in another order would seem to hold other things.
        validate_data(estimator, X, reset=False, skip_check_array=True)
    if is_frame:
        table = columns.table(X)
    else:
        is_array = type(X) in (np.ndarray, np.memmap) and X.ndim == 2 and X.size
        table = Table.of(X) if is_array and Stored.of(X) is not None else None
    if table is None or not len(table) or table.has_infinity:
        return None
    if reset or not is_frame:
        validate_data(estimator, _with_names(X), reset=reset, skip_check_array=True)
    return table


def _with_names(X: Any) -> Any:
    """Return a frame whose names scikit-learn can read: it knows tables of Arrow, not batches."""
    if type(X).__name__ != "RecordBatch":
        return X
    import pyarrow as pa

    return pa.Table.from_batches([X])


def _check_names(X: Any) -> None:
    """Refuse frames without columns, with two of the same name, or whose data are elsewhere."""
    refuse_dask(X)
    if hasattr(X, "collect"):
        raise TypeError(f"X must be in memory, got a {type(X).__name__}; call its collect() first")
    names = names_of(X)
    if hasattr(X, "columns") and not names:
        raise ValueError("X must have at least one column, got a frame with 0 features")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"X must have columns of different names, got {twice[0]!r} more than once")
