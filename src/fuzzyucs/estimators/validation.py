"""Checks of what estimators are given, and small tools that all of them share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.class_weight import compute_sample_weight

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.sklearn_compat import array_of_sample_weight, feature_names, safe_indexing
from fuzzyucs.estimators.file_training import in_memory
from fuzzyucs.estimators.lazy import refuse_dask
from fuzzyucs.rules.rule_set import RuleSet

__all__ = [
    "all_or_nothing",
    "check_classes",
    "check_replacement",
    "check_row_weights",
    "check_sample_weight",
    "class_indices",
    "class_weights",
    "draw_seed",
    "is_text",
    "more_classes",
    "one_row",
    "plain_labels",
    "row_weights",
    "rows_that_count",
    "warn_of_light_rows",
]

GREATEST_MEAN_WEIGHT = 1e9
MAX_CLASS_WEIGHT = 1e9  # far beyond any use, and sums over all rows stay exact enough
LEAST_ROW_WEIGHT = 1e-100  # of the row that counts most: its parts are normal numbers
LIGHT = 0.1  # mean weight of rows below which weights may be why there is no rule


def plain_labels(y: Any) -> Any:
    """Refuse missing class labels; whole numbers and truth values stay what they are.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels. What else is wrong with them is not noticed here.

    Returns
    -------
    array-like
        An array in place of a series of pandas' nullable types, which scikit-learn would turn into
        floats.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.estimators.validation import plain_labels
    >>> plain_labels(pd.Series([2, 1], dtype="Int64"))
    array([2, 1])
    >>> plain_labels(["yes", None])
    Traceback (most recent call last):
    ValueError: y must have a label in each row, but row 1 has none
    """
    refuse_dask(y, "y")
    if y is None or hasattr(y, "columns"):
        return y
    missing = np.flatnonzero(_are_missing(y))
    if missing.size:
        raise ValueError(f"y must have a label in each row, but row {missing[0]} has none")
    dtype: Any = getattr(y, "dtype", None)
    is_nullable = hasattr(dtype, "numpy_dtype") and getattr(dtype, "kind", "O") in "biu"
    return y.to_numpy(dtype=dtype.numpy_dtype) if is_nullable else y


def _are_missing(y: Any) -> NDArray[np.bool_]:
    if hasattr(y, "isna"):
        return np.asarray(y.isna(), dtype=bool)
    values = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
    if values.dtype.kind in "fmM":
        return np.asarray(values != values)  # true of NaN and NaT alone
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    nothing = ("NAType", "NaTType", "NoneType")  # by name, since pandas need not be there
    return np.array(
        [
            type(value).__name__ in nothing or (isinstance(value, float) and np.isnan(value))
            for value in values.ravel().tolist()
        ],
        dtype=bool,
    )


def one_row(estimator: BaseEstimator, X: Any) -> Any:
    """Turn a record, whatever it comes in, into a table with one row."""
    refuse_dask(X)
    if isinstance(X, Mapping):
        names = feature_names(estimator)
        absent = [name for name in names if name not in X]
        if absent:
            raise ValueError(f"the record lacks the features {absent[:10]}")
        values = [[X[name] for name in names]]
        has_names = hasattr(estimator, "feature_names_in_")
        return import_pandas().DataFrame(values, columns=names) if has_names else values
    if hasattr(X, "columns"):
        return X
    if X is None or np.ndim(X) == 0:
        raise ValueError(
            "a record must be a row of a data frame, a dict or a sequence with a value for each "
            f"feature, got {X!r}"
        )
    if np.ndim(X) != 1:
        return X
    if hasattr(X, "to_frame") and hasattr(X, "index"):  # a row of a pandas frame
        return X.to_frame().T
    array = np.asarray(X)
    if array.dtype.kind == "U":
        raise ValueError(
            "a record with text must be a dict or a row of a data frame, so that its features have "
            f"names, got {X!r}"
        )
    return np.reshape(array, (1, -1))


def check_sample_weight(
    sample_weight: Any, X: Any, *, is_part: bool = False
) -> NDArray[np.float64]:
    """Check how much each row counts.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), float or None
        Weights from 0 on, not all of them 0; a number, or None for 1, holds for all rows.
    X : array-like of shape (n_samples, n_features)
        The rows.
    is_part : bool, default False
        Whether there are other rows, so that the weights of these may all be 0.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from fuzzyucs.estimators.validation import check_sample_weight
    >>> check_sample_weight([1, 0], [[3.5], [4.5]])
    array([1., 0.])
    >>> check_sample_weight([1, -1], [[3.5], [4.5]])
    Traceback (most recent call last):
    ValueError: sample_weight must not be negative, got -1.0
    """
    if is_part and not np.any(np.asarray(sample_weight)):
        return np.zeros(len(X))
    try:
        weight: NDArray[np.float64] = array_of_sample_weight(sample_weight, X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if "sample_weight" in str(error):
            raise
        raise type(error)(f"sample_weight cannot be used: {error}") from error
    if not np.isfinite(weight).all():  # scikit-learn checks arrays, but not single numbers
        raise ValueError("sample_weight must be finite, got NaN or infinity")
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}")
    if not weight.any():
        raise ValueError("sample_weight must not be zero in all rows")
    if (weight / len(weight)).sum() > GREATEST_MEAN_WEIGHT:
        raise ValueError(
            f"sample_weight must be at most {GREATEST_MEAN_WEIGHT:.0e} on average, got up to "
            f"{weight.max():.3g}"
        )
    return weight


def rows_that_count(
    X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Check sample weights, and leave out the rows of weight 0 before anything is learned.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data of any kind, not checked yet.
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), float or None
        How much each row counts.

    Returns
    -------
    X, y : array-like
        The rows of positive weight.
    weight : ndarray of shape (n_rows,) or None
        Their weights; None if `sample_weight` is None.
    """
    X, y, sample_weight = in_memory(X, y, sample_weight)
    if sample_weight is None:
        return X, y, None
    weight = check_sample_weight(sample_weight, X)
    if y is None or weight.all():
        return X, y, weight
    check_consistent_length(X, y)
    rows = np.flatnonzero(weight)
    return safe_indexing(X, rows), safe_indexing(y, rows), weight[rows]


def check_classes(
    estimator: BaseEstimator, classes: NDArray[Any], most: int, *, among: str = "", least: int = 2
) -> NDArray[Any]:
    """Refuse fewer than two classes (among some rows), and more than a classifier can handle."""
    name = type(estimator).__name__
    if len(classes) < least:
        raise ValueError(
            f"{name} needs at least 2 classes, got only one class{among}: {classes.tolist()}"
        )
    if len(classes) > most:
        raise ValueError(
            f"{name} handles at most {most:,} classes, got {len(classes):,}; is the target an "
            "identifier or a quantity?"
        )
    return classes


def class_indices(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the indices of class labels, which have to be known."""
    if is_text(y) == is_text(classes):
        indices = np.searchsorted(classes, y)
        indices[indices == len(classes)] = 0
        if bool((classes[indices] == y).all()):
            return indices.astype(np.uint32)
    unknown = np.setdiff1d(y, classes)
    if unknown.size:
        raise ValueError(
            f"y contains labels that are not in classes: {unknown.tolist()[:10]}; "
            f"known classes are {classes.tolist()[:10]}"
        )
    return np.searchsorted(classes, y).astype(np.uint32)


def is_text(labels: NDArray[Any]) -> bool:
    """Tell whether class labels are text, and no numbers."""
    return labels.dtype.kind not in "biuf"


def more_classes(
    known: NDArray[Any] | None, y: NDArray[Any], given: Any = None
) -> NDArray[Any] | None:
    """Return all classes in ascending order if there are others than those known.

    Parameters
    ----------
    known : ndarray of shape (n_classes,) or None
        Classes so far.
    y : ndarray of shape (n_samples,)
        Class labels of a batch.
    given : array-like, optional
        More classes that may occur.

    Returns
    -------
    ndarray or None

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.validation import more_classes
    >>> more_classes(np.array(["b", "c"]), np.array(["c", "a"]))
    array(['a', 'b', 'c'], dtype='<U1')
    >>> more_classes(np.array([1, 2]), np.array([2, 2])) is None
    True
    """
    found = [np.unique(y)]
    if given is not None:
        found.append(np.unique(np.asarray(plain_labels(given))))
    if known is not None:
        found.append(known)
    if len({is_text(labels) for labels in found}) > 1:
        names = [labels.tolist()[:10] for labels in reversed(found)]
        raise ValueError(f"y must have labels of one kind, numbers or text, got {names}")
    every = np.unique(np.concatenate(found))
    return every if known is None or len(every) > len(known) else None


def class_weights(class_weight: Any, y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return how much rows count by their classes, which is checked."""
    labels = classes.tolist()
    if isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in labels]
        # Labels besides all classes do no harm: part of the data may lack a class.
        if unknown and any(label not in class_weight for label in labels):
            raise ValueError(
                f"class_weight must have labels of the classes {labels[:10]}, got {unknown[:10]}"
            )
        if not all(isinstance(value, Real) for value in class_weight.values()):
            raise ValueError(f"class_weight must hold numbers, got {class_weight!r}")
        if any(abs(value) > MAX_CLASS_WEIGHT for value in class_weight.values()):
            raise _bad_class_weight(class_weight)  # whole numbers may be too large for a float
    weight: NDArray[np.float64] = compute_sample_weight(class_weight, y).astype(float)
    # Of NaN, both comparisons are false.
    if not (weight.min() >= 0 and 0 < weight.max() <= MAX_CLASS_WEIGHT):
        raise _bad_class_weight(class_weight)
    return weight


def _bad_class_weight(class_weight: Any) -> ValueError:
    return ValueError(
        f"class_weight must hold numbers from 0 to {MAX_CLASS_WEIGHT:g}, not all of them 0, "
        f"got {class_weight!r}"
    )


def row_weights(
    sample_weight: NDArray[np.float64], class_weight: Any, y: NDArray[Any], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return how much rows count by themselves and by their classes, which is checked."""
    weight: NDArray[np.float64] = sample_weight * class_weights(class_weight, y, classes)
    check_row_weights(float(weight.max()))
    return weight


def check_row_weights(greatest: float) -> None:
    """Refuse weights of rows that are too small for exact sums.

    Parameters
    ----------
    greatest : float
        Greatest product of a sample weight and the weight of its class.

    Examples
    --------
    >>> from fuzzyucs.estimators.validation import check_row_weights
    >>> check_row_weights(1e-300)
    Traceback (most recent call last):
    ValueError: sample_weight times class_weight must be at least 1e-100 in some row, got at most
    1e-300
    """
    if greatest < LEAST_ROW_WEIGHT:
        raise ValueError(
            f"sample_weight times class_weight must be at least {LEAST_ROW_WEIGHT:g} in some row, "
            f"got at most {greatest:.3g}"
        )


def warn_of_light_rows(n_rules: int, total: float, n_rows: int, *, stacklevel: int) -> None:
    """Tell if no rule was found, perhaps because rows hardly count.

    Parameters
    ----------
    n_rules : int
        Number of rules that were found.
    total : float
        Sum of the weights of all rows.
    n_rows : int
        Number of rows.
    stacklevel : int
        Whose line the warning names.
    """
    if n_rules == 0 and total < LIGHT * n_rows:
        warnings.warn(
            f"no rule was found, and a row counts {total / n_rows:.3g} on average by sample_weight "
            "and class_weight: weights are numbers of rows, which must outweigh the penalty of a "
            "rule; divide them by their mean",
            UserWarning,
            stacklevel=stacklevel,
        )


def check_replacement(rules: Any, present: RuleSet) -> None:
    """Refuse rules that cannot replace others."""
    kind = type(present)
    if not isinstance(rules, kind):
        raise TypeError(f"rules must be of type {kind.__name__}, got {type(rules).__name__}")
    if not np.array_equal(rules.classes, present.classes):
        raise ValueError(
            f"rules must have the classes {present.classes.tolist()[:10]}, "
            f"got {rules.classes.tolist()[:10]}"
        )
    known, given = (
        [variables.feature_as_dict(i) for i in range(variables.n_features)]
        for variables in (present.variables, rules.variables)
    )
    if type(rules.variables) is not type(present.variables) or known != given:
        raise ValueError(
            "rules must be about the features of this classifier, with the same ranges and terms; "
            f"got rules about {list(rules.variables.feature_names[:10])}"
        )


def draw_seed(random_state: Any) -> int:
    """Draw a 64-bit seed: None takes entropy from the system, not from NumPy's global state."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**64, dtype=np.uint64))
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**64, dtype=np.uint64))


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Undo all changes to an estimator if the block fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
