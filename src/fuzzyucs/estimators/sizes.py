"""Sizes of a model: what more rules are worth, and models with fewer."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.estimators.stage import Stage
from fuzzyucs.rules.expert_report import assess_table

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["copy_with_sizes", "size_path", "with_size"]


def size_path(stages: Sequence[Stage]) -> dict[str, NDArray[np.float64]]:
    """Return what models of growing size said about held-out rows."""
    names = ("n_rules", "accuracy", "log_loss", "penalty")
    return {name: np.array([getattr(stage, name) for stage in stages]) for name in names}


def copy_with_sizes(clf: EvidentialRuleClassifier) -> EvidentialRuleClassifier:
    """Return a copy that has the same rules of all sizes, if there are any.

    Copies of other kinds leave training data behind.
    """
    model = copy.copy(clf)
    if "_grown" in clf.__dict__:
        model._grown = clf._grown
    return model


def with_size(clf: EvidentialRuleClassifier, n_rules: int) -> EvidentialRuleClassifier:
    """Return a copy with fewer rules.

    They were found on the way to those of this model, and are weighed anew; nothing is searched.
    `path_` tells what to expect of a size.

    Parameters
    ----------
    n_rules : int
        Greatest number of rules. Those of experts are kept, and come besides.

    Returns
    -------
    EvidentialRuleClassifier
        A fitted copy. If the model has no more rules than that, the copy has the same. Its
        `max_rules` is that number, so that a `fit` of it has no more rules, either.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> cancer = load_breast_cancer()
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> len(clf.with_size(5).rules_)
    5
    """
    check_is_fitted(clf, "rules_")
    if isinstance(n_rules, bool) or not isinstance(n_rules, Integral) or n_rules < 1:
        raise ValueError(f"n_rules must be a whole number from 1 on, got {n_rules!r}")
    model = copy_with_sizes(clf)
    model.max_rules = int(n_rules)
    n_learned = len(clf.rules_) - (clf.rules_.is_expert.sum() if clf.form_ > 1 else 0)
    if n_learned <= n_rules:
        return model
    if clf.n_models > 1:
        raise ValueError("with_size needs a single model; this one fuses several (n_models)")
    if "_grown" not in clf.__dict__:
        raise ValueError(
            "with_size cannot go on with a model that was saved or copied: its training data "
            "stayed behind; choose the size before you save it"
        )
    model.rules_ = clf._grown.finish(model.max_rules).with_base_rates(clf.base_rates_)
    if "expert_report_" in clf.__dict__:
        data = clf._grown.data
        model.expert_report_ = assess_table(model.rules_, data.table, data.labels)
    return model
