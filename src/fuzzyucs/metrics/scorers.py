"""Scorers for scikit-learn's ``scoring=``; greater is better."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import ArrayLike

from fuzzyucs.metrics.calibration import calibration_error
from fuzzyucs.metrics.confidence import answers_of, confidence_of, evidence_method
from fuzzyucs.metrics.risk_coverage import area_under_risk_coverage
from fuzzyucs.metrics.set_valued import utility_discounted_accuracy

__all__ = [
    "neg_calibration_error_scorer",
    "neg_risk_coverage_scorer",
    "u65_scorer",
    "u80_scorer",
]


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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
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
