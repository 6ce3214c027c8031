"""Constraining: what users ask of a model, checked and put in numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.checks import feature_number
from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.frames import Columns

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = [
    "constraints_of",
    "kept_constraints",
    "most_conditions",
    "price_of_rules",
    "refuse_nominal",
    "with_order",
]

INTERACTIONS = {"pairwise": 2, "no_interactions": 1}  # features of a rule, at most
SIGNS = (-1, 0, 1)


def constraints_of(clf: EvidentialRuleClassifier) -> Constraints | None:
    """Return what the parameters of a classifier ask of its model; None if they ask nothing.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        Knows its parameters, features and classes.
    """
    names = [str(name) for name in feature_names(clf)]
    asked = (
        *(clf.monotonic_cst, clf.interaction_cst, clf.apart_features),
        *(clf.unused_features, clf.feature_costs, clf.class_order),
    )
    if all(wish is None for wish in asked):
        return None
    monotonic = tuple(_per_feature(clf.monotonic_cst, names, "monotonic_cst", _sign))
    costs = tuple(_per_feature(clf.feature_costs, names, "feature_costs", _cost))
    unused = tuple(_features(clf.unused_features, names, "unused_features"))
    for feature in unused:
        for parameter, wish in (("monotonic_cst", monotonic), ("feature_costs", costs)):
            if wish and wish[feature]:
                raise ValueError(
                    f"{parameter} and unused_features contradict each other: both name "
                    f"{names[feature]!r}"
                )
    if len(unused) == len(names):
        raise ValueError("unused_features must leave at least one feature, got all of them")
    together: list[tuple[int, ...]] = []
    if clf.interaction_cst is not None and not isinstance(clf.interaction_cst, str):
        together = _sets(clf.interaction_cst, names, "interaction_cst", 1)
        rest = tuple(f for f in range(len(names)) if not any(f in group for group in together))
        together += [rest] if rest else []
    apart = [] if clf.apart_features is None else _sets(clf.apart_features, names, "apart_features")
    return Constraints(
        tuple(names),
        _class_order(clf, any(monotonic)),
        monotonic or (0,) * len(names),
        tuple(together),
        tuple(apart),
        unused,
        costs,
        float(clf.cost_weight) if costs else 0.0,
    )


def kept_constraints(clf: EvidentialRuleClassifier) -> Constraints | None:
    """Return what the model keeps to; None if nothing was asked of it."""
    check_is_fitted(clf, "rules_")
    return getattr(clf.rules_, "constraints", None)


def price_of_rules(clf: EvidentialRuleClassifier) -> float:
    """Return what all features cost that the rules ask for, each paid once."""
    constraints = kept_constraints(clf)
    return 0.0 if constraints is None else constraints.price(clf.rules_.asks)


def most_conditions(clf: EvidentialRuleClassifier) -> int | None:
    """Return how many conditions a rule may have; None if there is no other limit than usual."""
    limits = [clf.max_conditions] if isinstance(clf.max_conditions, Integral) else []
    if isinstance(clf.interaction_cst, str):
        limits.append(INTERACTIONS[clf.interaction_cst])
    return int(min(limits)) if limits else None


def refuse_nominal(constraints: Constraints, is_nominal: Sequence[bool]) -> None:
    """Refuse directions of features that have no order."""
    for name, sign, nominal in zip(
        constraints.feature_names, constraints.monotonic, is_nominal, strict=True
    ):
        if sign and nominal:
            raise ValueError(
                f"monotonic_cst names {name!r}, which is nominal: its values have no order"
            )


def with_order(
    partition: Any, names: Sequence[str], constraints: Constraints, columns: Columns
) -> dict[Any, Any]:
    """Let features with a direction have ordered terms, though they have but few values.

    Parameters
    ----------
    partition : str or mapping
        How terms divide the features.
    names : sequence of str
        Names of the features.
    constraints : Constraints
        Which of them have a direction.
    columns : Columns
        Features that hold categories, which have their order of themselves or none.
    """
    told: dict[Any, Any] = dict(partition) if isinstance(partition, Mapping) else {}
    way = "quantile" if isinstance(partition, Mapping) else partition
    known = {feature_number(key, names, "partition") for key in told}
    for feature in np.flatnonzero(constraints.monotonic).tolist():
        if feature not in known and feature not in columns.categories:
            told[feature] = way
    return told


def _class_order(clf: EvidentialRuleClassifier, matters: bool) -> tuple[int, ...]:
    labels = clf.classes_.tolist()
    if clf.class_order is None:
        if matters and len(labels) > 2 and not all(isinstance(label, Real) for label in labels):
            raise ValueError(
                f"monotonic_cst needs class_order, the {len(labels)} class labels from the lowest "
                f"to the highest: only numbers have an order of their own, got {labels[:10]}"
            )
        return tuple(range(len(labels)))
    order: list[Any] = np.asarray(clf.class_order, dtype=object).tolist()
    if len(order) != len(labels) or any(order.count(label) != 1 for label in labels):
        raise ValueError(
            f"class_order must have each of the class labels {labels[:10]} once, got {order[:10]}"
        )
    return tuple(labels.index(label) for label in order)


def _per_feature(wish: Any, names: Sequence[str], parameter: str, check: Any) -> list[Any]:
    """Return one number for each feature; nothing if none is wished."""
    if wish is None:
        return []
    if isinstance(wish, Mapping):
        found: list[Any] = [0] * len(names)
        told: set[int] = set()
        for key, value in wish.items():
            feature = feature_number(key, names, parameter)
            if feature in told:
                raise ValueError(f"{parameter} names {names[feature]!r} twice")
            told.add(feature)
            found[feature] = check(value, names[feature])
        return found
    values = np.asarray(wish, dtype=object)
    if isinstance(wish, str) or values.shape != (len(names),):
        raise ValueError(
            f"{parameter} must be a dict, or have one value for each of the {len(names)} features, "
            f"got {wish!r}"
        )
    return [check(value, name) for value, name in zip(values.tolist(), names, strict=True)]


def _sign(value: Any, name: str) -> int:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or value not in SIGNS:
        raise ValueError(f"monotonic_cst must be -1, 0 or 1 for {name!r}, got {value!r}")
    return int(value)


def _cost(value: Any, name: str) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0 <= value < np.inf:
        raise ValueError(f"feature_costs must be a number from 0 on for {name!r}, got {value!r}")
    return float(value)


def _features(wish: Any, names: Sequence[str], parameter: str) -> list[int]:
    if wish is None:
        return []
    if isinstance(wish, str) or not isinstance(wish, Iterable):
        raise ValueError(f"{parameter} must be a list of features, got {wish!r}")
    found = [feature_number(_plain(key), names, parameter) for key in wish]
    return sorted(set(found))


def _sets(wish: Any, names: Sequence[str], parameter: str, least: int = 2) -> list[tuple[int, ...]]:
    if isinstance(wish, str) or not isinstance(wish, Iterable):
        raise ValueError(f"{parameter} must be a list of sets of features, got {wish!r}")
    found = []
    for group in wish:
        features = tuple(_features(group, names, parameter))
        if len(features) < least:
            raise ValueError(
                f"{parameter} must have sets of {'two features' if least > 1 else 'a feature'} and "
                f"more, got {group!r}"
            )
        found.append(features)
    return found


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
