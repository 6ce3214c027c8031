"""fuse: models of several sites become one, without their data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import listed
from fuzzyucs.estimators.base_rates import BaseRates, check_base_rates
from fuzzyucs.estimators.evidential import EvidentialRuleClassifier
from fuzzyucs.fusion.alignment import align
from fuzzyucs.fusion.held_out import weights_by_likelihood
from fuzzyucs.fusion.members import (
    Member,
    check_classes,
    check_forms,
    check_names,
    read_members,
    reliabilities,
)
from fuzzyucs.fusion.merging import fused_rules
from fuzzyucs.fusion.novelty import pooled_support
from fuzzyucs.rules.fused import FusedRuleSet

__all__ = ["estimate_reliability", "fuse"]

FUSED_FORM = 3
# Parameters of constraints, to which a fused model does not keep.
CONSTRAINING = (
    *("monotonic_cst", "class_order", "interaction_cst", "apart_features", "unused_features"),
    *("feature_costs", "cost_weight"),
)

Array = NDArray[np.float64]


def fuse(
    models: Any,
    reliability: Any = None,
    base_rates: BaseRates | None = None,
    *,
    X: Any = None,
    y: Any = None,
) -> EvidentialRuleClassifier:
    """Make one model of several: of different hospitals, features or years, without their data.

    All rules are kept, and match every record as they did. What the sources say is added up, each
    with a weight: source s of n_s records counts ``r_s (n_s + 15) / (n + 15)`` times, n being the
    records of all. Sources of many records are averaged by these; small ones say less than they
    could, because of the penalty that kept their rules few, and count somewhat more often. Rules
    with the same condition at several sources become one: the rows behind it are added up.

    Parameters
    ----------
    models : sequence or dict of EvidentialRuleClassifier or path
        Fitted models, or files that `save` wrote. The keys of a dict name the sources in texts;
        files without names are called by theirs, other models "model 1", "model 2" and so on.
    reliability : array-like of shape (n_models,) or dict, optional
        How far to rely on each source; by default 1 for all. 0 leaves a source out; r takes its
        commonalities to the power r, as discounting does. `estimate_reliability` finds numbers on
        held-out data, which may be more than 1.
    base_rates : {"train", "equal"}, array-like of shape (n_classes,) or dict, optional
        How probable classes are without evidence. By default, and by "train", those of the sources,
        weighted by their records.
    X, y : array-like, optional
        Held-out data of the place where the model will be used. The reliability is estimated on
        them, instead of given.

    Returns
    -------
    EvidentialRuleClassifier
        A model like any other. Its rules, a `fuzzyucs.rules.fused.FusedRuleSet`, name their
        sources. Records may have the features of all models; what a model does not know of, it
        does not ask for.

    Raises
    ------
    ValueError
        If models have other classes, or mean something else by a column.

    Warns
    -----
    UserWarning
        If models keep to constraints: the fused model does not.

    Examples
    --------
    >>> import fuzzyucs
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> cancer = load_breast_cancer(as_frame=True)
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> sites = {
    ...     f"hospital {name}": EvidentialRuleClassifier().fit(X[start:300:3], y[start:300:3])
    ...     for start, name in enumerate("ABC")
    ... }
    >>> together = fuzzyucs.fuse(sites)
    >>> together.score(X[300:], y[300:]) > 0.9
    True
    >>> together.rules_.sources[0].name, len(together.rules_.sources)
    ('hospital A', 3)
    >>> print(together.rules_[:1].to_text())
    IF ... THEN ... ([hospital ...] applies to ... of 100; ...)
    Without evidence: ...
    """
    members = read_members(models)
    if (X is None) != (y is None):
        raise ValueError("X and y must be given together, or neither of them")
    if X is not None:
        if reliability is not None:
            raise ValueError("reliability must be None if it is estimated on X and y")
        reliability = estimate_reliability(models, X, y)
    found = _fused(members, reliabilities(reliability, members), base_rates)
    constrained = [m.name for m in members if m.rules.constraints is not None]
    if constrained:
        warnings.warn(
            f"constraints do not carry over: the fused model keeps to none, though "
            f"{listed(list(map(repr, constrained)))} {'do' if len(constrained) > 1 else 'does'}",
            stacklevel=2,
        )
    return found


def estimate_reliability(models: Any, X: Any, y: Any) -> Array:
    """Find how far to rely on each of several models, on held-out data.

    What the sources say about the rows is multiplied by non-negative numbers, one for each source,
    that maximise the likelihood with a penalty for their distance from 1: a convex problem.

    Parameters
    ----------
    models : sequence or dict of EvidentialRuleClassifier or path
        As in `fuse`.
    X : array-like of shape (n_samples, n_features)
        Data that none of the models was fitted to.
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_models,)
        For the parameter `reliability` of `fuse`. 0 for a source that is better left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.fusion import estimate_reliability
    >>> X, y = load_iris(return_X_y=True)
    >>> good = EvidentialRuleClassifier().fit(X[::3], y[::3])
    >>> confused = EvidentialRuleClassifier().fit(X[1::3], (y[1::3] + 1) % 3)
    >>> found = estimate_reliability([good, confused], X[2::3], y[2::3])
    >>> bool(found[0] > 1), bool(found[1] < 0.1)
    (True, True)
    """
    members = read_members(models)
    is_used = np.ones(len(members), dtype=bool)
    while True:
        # Without those that turn out to be worth nothing, the others count more often.
        model = _fused(members, is_used.astype(float), None, merges=False)
        table, labels = model.check_data(X, y)
        rules: Any = model.rules_
        found = weights_by_likelihood(rules, table, labels, is_used)
        if not ((found == 0) & is_used).any():
            return found
        is_used &= found > 0
        if not is_used.any():
            return np.ones(len(members))


def _fused(
    members: list[Member],
    reliability: Array,
    base_rates: BaseRates | None,
    *,
    merges: bool = True,
) -> EvidentialRuleClassifier:
    """Put models together."""
    classes = check_classes(members)
    check_names(members)
    form, alignment = check_forms(members), align(members)
    model: Any = EvidentialRuleClassifier(**_parameters(members))
    model.base_rates = "train" if base_rates is None else base_rates
    model.classes_, model.columns_ = classes, alignment.table.columns
    model.n_features_in_ = alignment.table.n_features
    if members[0].has_names:
        model.feature_names_in_ = np.array(alignment.table.feature_names, dtype=object)
    rates = check_base_rates(model.base_rates, classes)
    rules: FusedRuleSet = fused_rules(members, alignment, reliability, merges=merges)
    model.rules_ = rules if rates is None else rules.with_base_rates(rates)
    model.form_ = FUSED_FORM
    model.penalty_ = max(member.model.penalty_ for member in members)
    gaps = [name for m in members for name in getattr(m.model, "informative_gaps_", [])]
    model.informative_gaps_ = list(dict.fromkeys(gaps))
    support = pooled_support(members, alignment, reliability > 0)
    model.support = None if support is None else "auto"
    if support is not None:
        model.support_ = support
    if form:
        model.table_form_ = form
    fitted: EvidentialRuleClassifier = model
    return fitted


def _parameters(members: list[Member]) -> dict[str, Any]:
    """Return parameters that the models have in common; of others, the default.

    A model has no parameters of constraints, to which it does not keep.
    """
    given = [member.model.get_params(deep=False) for member in members]
    defaults = EvidentialRuleClassifier().get_params(deep=False)
    return {
        name: given[0][name]
        if name not in CONSTRAINING and all(_equal(p[name], given[0][name]) for p in given)
        else default
        for name, default in defaults.items()
    }


def _equal(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and repr(one) == repr(other))
