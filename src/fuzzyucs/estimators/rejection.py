"""RejectOption: a classifier that passes on the rows it is not sure of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    safe_indexing,
)
from fuzzyucs.estimators.lazy import refuse_dask
from fuzzyucs.estimators.validation import all_or_nothing, plain_labels
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.metrics import confidence_of, evidence_method, risk_coverage_curve

__all__ = ["RejectOption"]

Array = NDArray[np.float64]


def _delegates(name: str) -> Callable[[Any], bool]:
    """Return a check whether the classifier inside has a method."""

    def has_method(option: Any) -> bool:
        inside = getattr(option, "estimator_", option.estimator)
        if name == "predict_evidence":
            return evidence_method(inside) is not None
        return hasattr(inside, name)

    return has_method


# scikit-learn has no type hints, so mypy has to let its base classes and decorators pass.
class RejectOption(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that says nothing where it is not sure enough.

    It wraps any classifier with probabilities or evidence and finds the confidence from which on
    its predictions are accepted: so that few of them are wrong (`target_risk`), or so that most
    rows get one (`target_coverage`).

    Parameters
    ----------
    estimator : classifier
        One with ``predict_evidence`` or ``predict_proba``.
    target_risk : float, optional
        Greatest share of errors among accepted rows of the validation data, from 0 to below 1. The
        threshold is the one that accepts most rows.
    target_coverage : float, optional
        Share of rows of the validation data to accept, above 0; 1 accepts everything. If several
        rows have the confidence at the threshold, more are accepted. Give either a risk or a
        coverage.
    cv : int, splitter, iterable or "prefit", default=5
        Where validation data come from: as many stratified folds, any other splitter of
        scikit-learn, or splits. "prefit" takes the estimator as it is, fitted already, and all data
        given to `fit` for validation; they have to be new to the estimator.
    reject_label : label or "auto", default="auto"
        What to predict for a row that is not accepted; it must not be a class, and fit among them.
        "auto" is -1 if classes are numbers, and "rejected" if they are strings.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to all data; with "prefit", the one given.
    threshold_ : float
        Rows are accepted if their confidence is not less. Infinity rejects everything.
    coverage_ : float
        Share of the validation data that was accepted.
    risk_ : float
        Share of errors among them; NaN if there are none.
    reject_label_ : label
        What is predicted for a row that is not accepted.
    classes_ : ndarray of shape (n_classes,)
        Class labels, without `reject_label_`.
    n_features_in_ : int
        Number of features, if the classifier inside knows it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the classifier inside knows them.

    See Also
    --------
    fuzzyucs.metrics.risk_coverage_curve : All thresholds and what they give.
    fuzzyucs.plots.RiskCoverageDisplay : The same as a picture.

    Notes
    -----
    `risk_` is a little too low for new data, since the threshold is chosen where it looks best, and
    more so if few rows are accepted. Leave a margin where it matters.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs.estimators.rejection import RejectOption
    >>> cancer = load_breast_cancer()
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = RejectOption(GaussianNB(), target_risk=0.03).fit(X_train, y_train)
    >>> clf.risk_ <= 0.03, clf.coverage_ > 0.5
    (True, True)
    >>> sorted(set(clf.predict(X_test).tolist()))
    ['benign', 'malignant', 'rejected']
    >>> clf.score(X_test, y_test) > clf.estimator_.score(X_test, y_test)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "target_risk": [Interval(Real, 0, 1, closed="left"), None],
        "target_coverage": [Interval(Real, 0, 1, closed="right"), None],
        "cv": ["cv_object", StrOptions({"prefit"})],
        "reject_label": "no_validation",  # type: ignore[dict-item]  # checked with the classes
    }

    estimator_: Any
    threshold_: float
    coverage_: float
    risk_: float
    reject_label_: Any
    classes_: NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        target_risk: float | None = None,
        target_coverage: float | None = None,
        cv: int | Iterable[Any] | Any | Literal["prefit"] = 5,
        reject_label: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.target_risk = target_risk
        self.target_coverage = target_coverage
        self.cv = cv
        self.reject_label = reject_label

    # The classifier inside checks its own parameters.
    @fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the threshold on validation data, then fit the classifier to all data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; with ``cv="prefit"``, validation data.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            The estimator itself.
        """
        if (self.target_risk is None) == (self.target_coverage is None):
            raise ValueError(
                "exactly one of target_risk and target_coverage must be given, got "
                f"target_risk={self.target_risk!r} and target_coverage={self.target_coverage!r}"
            )
        if y is None:
            raise ValueError("RejectOption requires y to be passed, but the target y is None")
        X, y = indexable(X, y)
        labels = column_or_1d(plain_labels(y), warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        with all_or_nothing(self):
            self._fit(X, labels)
        return self

    def _fit(self, X: Any, y: NDArray[Any]) -> None:
        is_prefit = isinstance(self.cv, str)
        if is_prefit:
            check_is_fitted(self.estimator)
        # The label is checked first, since to fit can take long.
        known = getattr(self.estimator, "classes_", None) if is_prefit else None
        self.reject_label_ = _choose_label(
            self.reject_label, np.unique(y) if known is None else np.asarray(known)
        )
        if is_prefit:
            self.estimator_ = self.estimator
            validation = y, self.estimator.predict(X), confidence_of(self.estimator, X)
        else:
            validation = _validate_out_of_fold(self.estimator, self.cv, X, y)
            self.estimator_ = clone(self.estimator).fit(X, y)
        self._choose_threshold(*risk_coverage_curve(*validation))
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(y)))
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # an earlier fit may have had names
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _choose_threshold(self, coverage: Array, risk: Array, thresholds: Array) -> None:
        if self.target_risk is not None:
            fits = np.flatnonzero(risk <= self.target_risk)[-1:]
        else:
            fits = np.flatnonzero(coverage >= np.float64(self.target_coverage))[:1]
        if fits.size:
            self.coverage_, self.risk_ = float(coverage[fits[0]]), float(risk[fits[0]])
            self.threshold_ = float(thresholds[fits[0]])
        else:
            self.coverage_, self.risk_, self.threshold_ = 0.0, np.nan, np.inf
            warnings.warn(
                f"no threshold has a risk of at most {self.target_risk} on the validation data "
                f"(the least is {risk.min():.3g}); everything will be rejected",
                stacklevel=5,
            )
        if self.target_coverage == 1:
            self.threshold_ = -np.inf  # everything: also rows less sure than any seen so far

    def confidence(self, X: Any) -> Array:
        """Tell how sure the classifier is.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        refuse_dask(X)
        return confidence_of(self.estimator_, X)

    def accepts(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows are sure enough.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
        """
        accepted: NDArray[np.bool_] = self.confidence(X) >= self.threshold_
        return accepted

    def predict(self, X: Any) -> NDArray[Any]:
        """Classify the rows that are sure enough.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels, and `reject_label_` where a row is not accepted.
        """
        accepted = self.accepts(X)
        named = np.asarray(self.estimator_.predict(X))
        if named.dtype.kind == "U":  # room for the whole label
            named = named.astype(np.result_type(named.dtype, np.asarray(self.reject_label_).dtype))
        return np.where(accepted, named, np.asarray(self.reject_label_, dtype=named.dtype))

    @available_if(_delegates("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Estimate the probability of each class, also where a row is not accepted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, classes in the order of `classes_`.
        """
        check_is_fitted(self)
        probability: Array = self.estimator_.predict_proba(X)
        return probability

    @available_if(_delegates("predict_evidence"))  # type: ignore[untyped-decorator]
    def predict_evidence(self, X: Any) -> Evidence:
        """Return the evidence of the classifier inside, also where a row is not accepted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        Evidence
        """
        check_is_fitted(self)
        method = evidence_method(self.estimator_)
        assert method is not None  # else this method would not be there
        return method(X)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy among accepted rows.

        It says nothing about how many rows are accepted; see ``accepts(X).mean()``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        float
            NaN if no row is accepted.
        """
        accepted = self.accepts(X)
        if not accepted.any():
            return float("nan")
        named = np.asarray(self.estimator_.predict(X))
        weight = None if sample_weight is None else column_or_1d(sample_weight)[accepted]
        return float(
            accuracy_score(column_or_1d(y)[accepted], named[accepted], sample_weight=weight)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inside = get_tags(self.estimator)
        tags.input_tags.allow_nan = inside.input_tags.allow_nan
        tags.input_tags.sparse = inside.input_tags.sparse
        if inside.classifier_tags is not None:
            tags.classifier_tags.multi_class = inside.classifier_tags.multi_class
            tags.classifier_tags.poor_score = inside.classifier_tags.poor_score
        return tags


def _validate_out_of_fold(
    estimator: Any, cv: Any, X: Any, y: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], Array]:
    """Return labels, predictions and confidence of rows that were new to the classifier."""
    found = []
    for train, test in check_cv(cv, y, classifier=True).split(X, y):
        model = clone(estimator).fit(safe_indexing(X, train), y[train])
        new = safe_indexing(X, test)
        found.append((y[test], np.asarray(model.predict(new)), confidence_of(model, new)))
    truth, named, sure = (np.concatenate(part) for part in zip(*found, strict=True))
    return truth, named, sure


def _choose_label(label: Any, classes: NDArray[Any]) -> Any:
    """Return the label of rejected rows, after a check that it can stand among the classes."""
    kind = _kind_of(classes)
    if isinstance(label, str) and label == "auto":
        if kind not in ("strings", "integers", "numbers"):
            raise ValueError(
                f"no reject_label fits among classes of type {classes.dtype}; convert y"
            )
        label = "rejected" if kind == "strings" else -1
    if isinstance(label, np.generic):
        label = label.item()
    if not _fits(label, kind, classes.dtype):
        raise ValueError(
            f"reject_label {label!r} does not fit among {kind} of type {classes.dtype}; choose "
            "another one, or convert y"
        )
    if label in classes.tolist():
        raise ValueError(f"reject_label {label!r} is a class; choose another one")
    return label


def _kind_of(classes: NDArray[Any]) -> str:
    if classes.dtype.kind == "U" or all(isinstance(name, str) for name in classes.tolist()):
        return "strings"
    return {"i": "integers", "u": "integers", "f": "numbers", "O": "objects"}.get(
        classes.dtype.kind, "labels"
    )


def _fits(label: Any, kind: str, dtype: np.dtype[Any]) -> bool:
    if kind == "strings":
        return isinstance(label, str)
    if kind == "integers":
        limits = np.iinfo(dtype)
        is_integer = isinstance(label, Integral) and not isinstance(label, bool)
        return is_integer and limits.min <= int(label) <= limits.max
    if kind == "numbers":
        return isinstance(label, Real) and not isinstance(label, bool)
    return kind == "objects"
