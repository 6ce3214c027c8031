"""The parts of scikit-learn that are not public, in one place.

A new version of scikit-learn that renames one of them breaks this file and no other.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.multiclass import _check_partial_fit_first_call as is_first_partial_fit
from sklearn.utils.validation import _check_feature_names_in
from sklearn.utils.validation import _check_sample_weight as array_of_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "array_of_sample_weight",
    "feature_names",
    "fit_context",
    "is_first_partial_fit",
    "parameter_names",
    "safe_indexing",
    "validate_parameters",
]


def feature_names(estimator: BaseEstimator) -> tuple[str, ...]:
    """Return the names of the features; ``x0``, ``x1``, ... if the training data had none."""
    return tuple(map(str, _check_feature_names_in(estimator)))


def parameter_names(estimator: type[BaseEstimator]) -> list[str]:
    """Return the names of the parameters of an estimator class."""
    names: list[str] = estimator._get_param_names()
    return names


def validate_parameters(estimator: BaseEstimator, names: tuple[str, ...] | None = None) -> None:
    """Check the values of all parameters, or of some, against their constraints."""
    if names is None:
        estimator._validate_params()
        return
    validate_parameter_constraints(
        {name: estimator._parameter_constraints[name] for name in names},
        {name: getattr(estimator, name) for name in names},
        caller_name=type(estimator).__name__,
    )
