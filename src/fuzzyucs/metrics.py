"""How good doubt is: whether a classifier knows when it is wrong.

All functions take plain arrays, so they judge any classifier; the scorers at the end can be handed
to scikit-learn as ``scoring=``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d

from fuzzyucs.evidence.evidence import Evidence

__all__ = [
    "area_under_risk_coverage",
    "calibration_error",
    "confidence_of",
    "error_rejection_curve",
    "evidence_method",
    "neg_calibration_error_scorer",
    "neg_risk_coverage_scorer",
    "reliability_curve",
    "risk_coverage_curve",
    "u65_score",
    "u65_scorer",
    "u80_score",
    "u80_scorer",
    "utility_discounted_accuracy",
]

Array = NDArray[np.float64]

UTILITIES = {"u65": (-0.6, 1.6), "u80": (-1.2, 2.2)}  # a x^2 + b x


# What an estimator says about its own doubt


def evidence_method(estimator: Any) -> Callable[[Any], Evidence] | None:
    """Find how an estimator gives evidence.

    scikit-learn's pipelines and searches hide methods that scikit-learn does not know. This looks
    inside them.

    Parameters
    ----------
    estimator : classifier
        Of any kind.

    Returns
    -------
    callable or None
        Takes data and returns `Evidence`. None if the estimator has no ``predict_evidence``.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.metrics import evidence_method
    >>> evidence_method(DummyClassifier()) is None
    True
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5
    >>> model = make_pipeline(StandardScaler(), EvidentialRuleClassifier(random_state=0)).fit(X, y)
    >>> evidence_method(model)(X)
    <Evidence: 20 inputs, 2 classes, mean ignorance ...>
    """
    if hasattr(estimator, "predict_evidence"):
        method: Callable[[Any], Evidence] = estimator.predict_evidence
        return method
    if hasattr(estimator, "best_estimator_"):
        return evidence_method(estimator.best_estimator_)
    if not isinstance(estimator, Pipeline) or not estimator.steps:
        return None
    last = evidence_method(estimator.steps[-1][1])
    if last is None or len(estimator) == 1:
        return last
    return lambda X: last(estimator[:-1].transform(X))


def confidence_of(estimator: Any, X: Any) -> Array:
    """Tell how sure a classifier is of each of its predictions.

    Parameters
    ----------
    estimator : fitted classifier
        One with ``predict_evidence``, also as last step of a pipeline: the confidence of its
        evidence, which novelty lowers. Else one with ``predict_proba``: the greatest probability.
    X : array-like of shape (n_samples, n_features)
        Data.

    Returns
    -------
    ndarray of shape (n_samples,)
        The greater, the surer.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fuzzyucs.metrics import confidence_of
    >>> clf = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> confidence_of(clf, [[1.5], [3.0]]).round(2)
    array([0.5 , 0.81])
    """
    method = evidence_method(estimator)
    if method is not None:
        return method(X).confidence
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"confidence needs predict_evidence or predict_proba, {type(estimator).__name__} has "
            "neither"
        )
    confidence: Array = np.asarray(estimator.predict_proba(X), dtype=float).max(axis=1)
    return confidence


# Confidence that tells right from wrong


def answers_of(estimator: Any, X: Any) -> NDArray[Any]:
    """Return what a classifier would answer, also where a `RejectOption` would not.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Data.

    Returns
    -------
    ndarray of shape (n_samples,)
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs import RejectOption
    >>> from fuzzyucs.metrics import answers_of
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    >>> clf.predict(X[70:71]), answers_of(clf, X[70:71])
    (array([-1]), array([2]))
    """
    inside = estimator.estimator_ if hasattr(estimator, "reject_label_") else estimator
    answers: NDArray[Any] = inside.predict(X)
    return answers


def risk_coverage_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """Error rate among accepted rows as ever less confident ones are accepted.

    Rows of equal confidence are accepted together, so there is one point for each distinct
    confidence and the order of the rows does not matter.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    confidence : array-like of shape (n_samples,)
        How sure the predictions are (`confidence_of`); only its order counts.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. Rows of weight 0 are left out.

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
    wrong, sure = _check_predictions(y_true, y_pred, confidence)
    weight = _check_weight(sample_weight, len(wrong))
    wrong, sure, weight = wrong[weight > 0], sure[weight > 0], weight[weight > 0]
    thresholds, group = np.unique(sure, return_inverse=True)
    accepted = _sums_from_the_top(group, weight)
    failed = _sums_from_the_top(group, weight * wrong)
    return accepted / accepted[-1], failed / accepted, thresholds[::-1]


def area_under_risk_coverage(y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike) -> float:
    """Mean error rate over all coverages; the less, the better doubt tells right from wrong.

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
        How sure the predictions are (`confidence_of`); only its order counts.

    Returns
    -------
    float
        From 0, if all is right, to 1, if all is wrong.

    Examples
    --------
    >>> from fuzzyucs.metrics import area_under_risk_coverage
    >>> area_under_risk_coverage([0, 1, 0, 1], [0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6])  # 0, 0, 1/3, 1/4
    0.1458...
    >>> area_under_risk_coverage([0, 1, 0, 1], [0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5])
    0.25
    """
    wrong, sure = _check_predictions(y_true, y_pred, confidence)
    _, group, size = np.unique(sure, return_inverse=True, return_counts=True)
    share = np.bincount(group, wrong) / size
    expected = share[np.sort(group)[::-1]]
    return float(np.mean(np.cumsum(expected) / np.arange(1, len(expected) + 1)))


def error_rejection_curve(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[Array, Array]:
    """Error rate among the remaining rows as ever more of the least confident are rejected.

    The complement of `risk_coverage_curve`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    confidence : array-like of shape (n_samples,)
        How sure the predictions are (`confidence_of`); only its order counts.

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


# Sets of classes


def utility_discounted_accuracy(
    y_true: ArrayLike,
    sets: ArrayLike,
    *,
    classes: ArrayLike,
    utility: Literal["u65", "u80"] = "u65",
) -> float:
    """Accuracy of predictions that may name several classes.

    A set with the true class among k counts as x = 1 / k, what a random choice from it would be
    worth, and somewhat more for its honesty: "u65" counts two classes, one of them true, as 0.65
    and "u80" as 0.8. A set without the true class, also the empty set, counts as 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    sets : array-like of bool, shape (n_samples, n_classes)
        Which classes are named, as from ``Evidence.predict_set``.
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
    hit = named[np.arange(len(truth)), _numbered(truth, labels)]
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
        Which classes are named.
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
        Which classes are named.
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


# Probabilities that can be taken at their word


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
        Bins of equal width from 0 to 1, each with its right border, or bins of equally many rows.
        Rows of equal confidence always share a bin, so the latter can differ in size.

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
    right, confidence = _check_probabilities(y_true, y_prob, classes)
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
        Bins of equal width, or of equally many rows (`reliability_curve`). The latter is also
        called the adaptive calibration error.
    norm : {"l1", "max"}, default="l1"
        Mean distance, each bin counting with its rows (expected calibration error), or the greatest
        of all bins (maximum calibration error).

    Returns
    -------
    float
        From 0, confidence can be taken at its word, to 1.

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


# Scorers: greater is better


def neg_risk_coverage_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score by minus the `area_under_risk_coverage`.

    Parameters
    ----------
    estimator : fitted classifier
        One that `confidence_of` takes.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        True labels.

    Returns
    -------
    float
        The greater, the better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs.metrics import neg_risk_coverage_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> bool((cross_val_score(GaussianNB(), X, y, scoring=neg_risk_coverage_scorer) <= 0).all())
    True
    """
    return -area_under_risk_coverage(y, answers_of(estimator, X), confidence_of(estimator, X))


def neg_calibration_error_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score by minus the `calibration_error` of ``predict_proba``, with ten bins of equal width.

    Parameters
    ----------
    estimator : fitted classifier
        One with ``predict_proba`` and ``classes_``.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        True labels.

    Returns
    -------
    float
        The greater, the better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs.metrics import neg_calibration_error_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> -0.1 < neg_calibration_error_scorer(GaussianNB().fit(X, y), X, y) < 0
    True
    """
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"a calibration error needs predict_proba, which {type(estimator).__name__} lacks"
        )
    return -calibration_error(y, estimator.predict_proba(X), classes=estimator.classes_)


def u65_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score by the `u65_score` of the sets that the evidence leaves possible.

    Parameters
    ----------
    estimator : fitted classifier
        One with ``predict_evidence``, also as last step of a pipeline.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        True labels.

    Returns
    -------
    float
        The greater, the better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.metrics import u65_scorer, u80_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> 0.5 < u65_scorer(clf, X, y) <= u80_scorer(clf, X, y) <= 1
    True
    """
    return _score_sets(estimator, X, y, "u65")


def u80_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score by the `u80_score` of the sets that the evidence leaves possible.

    Parameters
    ----------
    estimator : fitted classifier
        One with ``predict_evidence``, also as last step of a pipeline.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        True labels.

    Returns
    -------
    float
        The greater, the better.

    Examples
    --------
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.metrics import u80_scorer
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5
    >>> u80_scorer(EvidentialRuleClassifier(random_state=0).fit(X, y), X, y) >= 0.8
    True
    """
    return _score_sets(estimator, X, y, "u80")


def _score_sets(estimator: Any, X: Any, y: ArrayLike, utility: Literal["u65", "u80"]) -> float:
    method = evidence_method(estimator)
    if method is None:
        raise TypeError(
            f"{utility} needs sets of classes from predict_evidence, which "
            f"{type(estimator).__name__} lacks"
        )
    evidence = method(X)
    return utility_discounted_accuracy(
        y, evidence.predict_set(), classes=evidence.classes, utility=utility
    )


# Checks and small steps


def _check_probabilities(
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
    right: NDArray[np.bool_] = prob.argmax(axis=1) == _numbered(truth, labels)
    return right, prob.max(axis=1)


def _check_predictions(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.bool_], Array]:
    """Return whether predictions are wrong, and how sure they are."""
    truth, named = column_or_1d(y_true), column_or_1d(y_pred)
    sure: Array = np.asarray(column_or_1d(confidence), dtype=float)
    check_consistent_length(truth, named, sure)
    if not len(sure):
        raise ValueError("at least one row is needed, got none")
    if np.isnan(sure).any():
        raise ValueError("confidence must be a number everywhere, got NaN")
    _check_types(truth, named, "y_pred")
    wrong: NDArray[np.bool_] = truth != named
    return wrong, sure


def _check_types(truth: NDArray[Any], others: NDArray[Any], name: str) -> None:
    """Refuse strings beside numbers, since NumPy would turn numbers into strings."""
    kinds = {truth.dtype.kind, others.dtype.kind}
    if "U" in kinds and kinds & set("biufc"):
        raise ValueError(
            f"y_true and {name} must have labels of the same type, got {truth.dtype} and "
            f"{others.dtype}"
        )


def _check_weight(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    if sample_weight is None:
        return np.ones(n_rows)
    weight: Array = np.asarray(column_or_1d(sample_weight), dtype=float)
    if len(weight) != n_rows or not np.isfinite(weight).all() or weight.min() < 0:
        raise ValueError("sample_weight must hold a finite number from 0 on for each row")
    if not weight.any():
        raise ValueError("sample_weight must not be 0 everywhere")
    return weight


def _numbered(truth: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the columns of true labels; labels need not be sorted."""
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
    numbers: NDArray[np.intp] = order[np.searchsorted(labels, truth, sorter=order)]
    return numbers


def _sums_from_the_top(group: NDArray[np.intp], values: Array) -> Array:
    """Sum up values of the last group, of the last two, and so on."""
    sums: Array = np.cumsum(np.bincount(group, values)[::-1])
    return sums
