"""Base rates: how probable classes are without evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.estimators.sizes import copy_with_sizes

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["NO_BASE_RATES", "BaseRates", "check_base_rates", "with_base_rates"]

NO_BASE_RATES = "a model that version 0.1.0 saved has no base rates; fit it anew"

BaseRates = ArrayLike | Mapping[Any, float] | Literal["train", "equal"]


def check_base_rates(base_rates: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return base rates in the order of the classes; None if they are those of the training data.

    Parameters
    ----------
    base_rates : {"train", "equal"}, array-like of shape (n_classes,) or mapping
        Shares of the classes, in their order or by label; "equal" gives all the same.
    classes : ndarray of shape (n_classes,)
        Class labels.
    """
    if isinstance(base_rates, str) and base_rates == "train":
        return None
    labels = classes.tolist()
    if isinstance(base_rates, str) and base_rates == "equal":
        return np.full(len(labels), 1 / len(labels))
    if isinstance(base_rates, Mapping):
        unknown = [label for label in base_rates if label not in labels]
        absent = [label for label in labels if label not in base_rates]
        if unknown or absent:
            raise ValueError(
                f"base_rates must have a share for each of the classes {labels[:10]}, got "
                f"{list(base_rates)[:10]}"
            )
        base_rates = [base_rates[label] for label in labels]
    try:
        rates = np.asarray(base_rates, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"base_rates must be shares of the {len(labels)} classes or 'equal', got {base_rates!r}"
        ) from None
    # Of NaN, comparisons are false.
    is_right = rates.shape == classes.shape and (rates >= 0).all()
    if not (is_right and abs(rates.sum() - 1) <= 1e-6):
        raise ValueError(
            f"base_rates must be shares of the {len(labels)} classes, none negative, that "
            f"sum to 1, got {rates.tolist()}"
        )
    # Rounding is not made up for: base rates are kept as they were given.
    return rates.copy() if abs(rates.sum() - 1) < 1e-12 else np.asarray(rates / rates.sum())


def with_base_rates(
    clf: EvidentialRuleClassifier, base_rates: BaseRates
) -> EvidentialRuleClassifier:
    """Return a copy for a place where classes are more or less frequent than in training.

    Parameters
    ----------
    base_rates : array-like of shape (n_classes,), dict or "equal"
        How probable classes are there without evidence, in the order of `classes_` or by
        label; they sum to 1. "equal" makes all classes equally probable: what is rare in the
        training data is then found as readily as what is frequent, with more false alarms
        (balanced accuracy).

    Returns
    -------
    EvidentialRuleClassifier
        A fitted copy with the same rules. A `fit` of it uses these base rates as well.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> cancer = load_breast_cancer()
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> rare = clf.with_base_rates({"benign": 0.99, "malignant": 0.01})
    >>> bool((rare.predict_proba(X)[:, 1] <= clf.predict_proba(X)[:, 1]).all())
    True
    >>> clf.with_base_rates("equal").base_rates_
    array([0.5, 0.5])
    """
    check_is_fitted(clf, "rules_")
    if clf.form_ < 2:
        raise ValueError(f"with_base_rates: {NO_BASE_RATES}")
    rates = check_base_rates(base_rates, clf.classes_)
    if rates is None:
        raise ValueError("base_rates must be shares of the classes or 'equal', got 'train'")
    model = copy_with_sizes(clf)
    model.base_rates = base_rates
    model.rules_ = clf.rules_.with_base_rates(rates)
    return model
