"""Logarithms of probabilities, by the names that scikit-learn gives them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["LogScores"]

LEAST = float(np.finfo(np.float64).tiny)  # probability in log-odds, so that they are finite


class _HasProbabilities(Protocol):
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...


class LogScores:
    """Adds ``predict_log_proba`` and ``decision_function`` to a classifier with probabilities."""

    def predict_log_proba(self: _HasProbabilities, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Negative infinity where a probability is 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from fuzzyucs import EvidentialRuleClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = EvidentialRuleClassifier().fit(X, y)
        >>> clf.predict_log_proba(X[:1]).shape
        (1, 3)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self: _HasProbabilities, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second of two classes, or the logarithms of more.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data. Of a collection, the result is lazy.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) if there are more than two
            Of two classes: positive where ``classes_[1]`` is more probable. Of more: logarithms of
            `predict_proba`. Finite: probabilities count as at least the least normal number.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_breast_cancer
        >>> from fuzzyucs import EvidentialRuleClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> clf = EvidentialRuleClassifier().fit(X, y)
        >>> bool(((clf.decision_function(X) > 0) == clf.predict(X)).all())
        True
        """
        log = np.log(self.predict_proba(X).clip(LEAST))
        scores: NDArray[np.float64] = log[:, 1] - log[:, 0] if log.shape[1] == 2 else log
        return scores
