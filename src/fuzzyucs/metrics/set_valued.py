"""Set-valued predictions: accuracy of answers that may name several classes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from fuzzyucs.metrics._checks import column_indices

__all__ = ["u65_score", "u80_score", "utility_discounted_accuracy"]

UTILITIES = {"u65": (-0.6, 1.6), "u80": (-1.2, 2.2)}  # a x^2 + b x


def utility_discounted_accuracy(
    y_true: ArrayLike,
    sets: ArrayLike,
    *,
    classes: ArrayLike,
    utility: Literal["u65", "u80"] = "u65",
) -> float:
    """Accuracy of predictions that may name several classes.

    A set of k classes that contains the true one has the accuracy x = 1 / k of a random choice from
    it. The utility of x is somewhat greater, because a set states its own uncertainty: two classes,
    one of them true, count as 0.65 with "u65" and as 0.8 with "u80". A set without the true class,
    also the empty set, counts as 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    sets : array-like of bool, shape (n_samples, n_classes)
        Classes in each set, as from ``Evidence.predict_set``.
    classes : array-like of shape (n_classes,)
        Labels of the columns.
    utility : {"u65", "u80"}, default="u65"
        -0.6 x^2 + 1.6 x or -1.2 x^2 + 2.2 x.

    Returns
    -------
    float
        Mean utility, from 0 to 1.

    References
    ----------
    .. [1] M. Zaffalon, G. Corani, D. Mauá, "Evaluating credal classifiers by utility-discounted
       predictive accuracy", International Journal of Approximate Reasoning 53(8), 2012.

    Examples
    --------
    >>> from fuzzyucs.metrics import utility_discounted_accuracy
    >>> sets = [[True, True, False], [False, True, False]]
    >>> utility_discounted_accuracy(["a", "c"], sets, classes=["a", "b", "c"])
    0.325
    >>> utility_discounted_accuracy(["a", "c"], sets, classes=["a", "b", "c"], utility="u80")
    0.4
    """
    if utility not in UTILITIES:
        raise ValueError(f"utility must be one of {list(UTILITIES)}, got {utility!r}")
    labels = column_or_1d(classes)
    named = np.asarray(sets)
    truth = column_or_1d(y_true)
    if named.dtype != np.bool_ or named.shape != (len(truth), len(labels)):
        raise ValueError(
            f"sets must hold bool in the shape (n_samples, n_classes) = "
            f"{(len(truth), len(labels))}, got {named.dtype} in the shape {named.shape}"
        )
    hit = named[np.arange(len(truth)), column_indices(truth, labels)]
    x = hit / np.maximum(named.sum(axis=1), 1)
    a, b = UTILITIES[utility]
    return float(np.mean(a * x**2 + b * x))


def u65_score(y_true: ArrayLike, sets: ArrayLike, *, classes: ArrayLike) -> float:
    """Return the `utility_discounted_accuracy` with "u65".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    sets : array-like of bool, shape (n_samples, n_classes)
        Classes in each set.
    classes : array-like of shape (n_classes,)
        Labels of the columns.

    Returns
    -------
    float

    Examples
    --------
    >>> from fuzzyucs.metrics import u65_score
    >>> u65_score([0], [[True, True]], classes=[0, 1])
    0.65
    """
    return utility_discounted_accuracy(y_true, sets, classes=classes, utility="u65")


def u80_score(y_true: ArrayLike, sets: ArrayLike, *, classes: ArrayLike) -> float:
    """Return the `utility_discounted_accuracy` with "u80".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    sets : array-like of bool, shape (n_samples, n_classes)
        Classes in each set.
    classes : array-like of shape (n_classes,)
        Labels of the columns.

    Returns
    -------
    float

    Examples
    --------
    >>> from fuzzyucs.metrics import u80_score
    >>> u80_score([0], [[True, True]], classes=[0, 1])
    0.8
    """
    return utility_discounted_accuracy(y_true, sets, classes=classes, utility="u80")
