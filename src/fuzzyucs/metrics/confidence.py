"""Confidence of any classifier: its answers, how certain they are, and the evidence behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from fuzzyucs.evidence.evidence import Evidence

__all__ = ["answers_of", "confidence_of", "evidence_method"]

Array = NDArray[np.float64]


def evidence_method(estimator: Any) -> Callable[[Any], Evidence] | None:
    """Return the method by which an estimator gives evidence.

    scikit-learn's pipelines and searches hide methods that scikit-learn does not know. This
    function looks inside them.

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
    """Return the confidence of a classifier in each of its predictions.

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
        Greater values mean more certain predictions.

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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    >>> print(clf.predict(X[70:71]), answers_of(clf, X[70:71]))
    ['rejected'] ['virginica']
    """
    inside = estimator.estimator_ if hasattr(estimator, "reject_label_") else estimator
    answers: NDArray[Any] = inside.predict(X)
    return answers
