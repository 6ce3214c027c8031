"""A fitted model as plain data, with all that a page needs to compute predictions by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence import support as support_module
from fuzzyucs.evidence.support import Support
from fuzzyucs.rules import RuleSet, WeightedRuleSet
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.variables import Variables

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["model_data"]


def model_data(clf: RuleClassifier) -> dict[str, Any]:
    """Describe a fitted classifier.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted one.

    Returns
    -------
    dict
        What JSON can hold; every number with all its digits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.description import model_data
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> data = model_data(EvidentialRuleClassifier(random_state=0).fit(X, y))
    >>> data["scheme"], data["features"][2]["name"], len(data["rules"]) > 3
    ('weighted', 'petal length (cm)', True)
    """
    rules = clf._deciding_rules()
    is_weighted = isinstance(rules, WeightedRuleSet)
    is_tempered = getattr(clf, "calibrate", False) and not is_weighted
    tempering = getattr(clf, "tempering_", None) if is_tempered else None
    return {
        "scheme": "weighted" if is_weighted else clf._scheme_name(),
        "seed": str(getattr(clf, "_seed", 0) % 2**64),  # too large for a number in JavaScript
        "classes": [str(label) for label in clf.classes_],
        "features": variables_data(rules.variables),
        "rules": _rules(rules),
        "prior": rules.prior.tolist() if isinstance(rules, WeightedRuleSet) else None,
        "temperature": None if tempering is None else tempering.temperature,
        "discount": None if tempering is None else tempering.discount,
        "forest": _forest_of(rules.variables),
        "support": _support(clf.support_) if clf.support is not None else None,
    }


def variables_data(variables: Variables) -> list[dict[str, Any]]:
    """Describe how values of each feature become positions."""
    return [_feature(variables, feature) for feature in range(variables.n_features)]


def _feature(variables: Variables, feature: int) -> dict[str, Any]:
    known: dict[str, Any] = {
        "name": variables.feature_names[feature],
        "minimum": _number(variables.minimum[feature]),
        "maximum": _number(variables.maximum[feature]),
    }
    if variables.is_coded(feature):
        known["labels"] = list(variables.columns.categories[feature].terms)
    if isinstance(variables, IntervalVariables):
        return known | {"kind": "number", "decimals": int(variables.decimals[feature])}
    assert isinstance(variables, LinguisticPartition)
    known["n_terms"] = int(variables.n_terms[feature])
    known["terms"] = list(variables.terms(feature))
    if variables.is_believed is not None:
        known["believed"] = bool(variables.is_believed[feature])
    if feature not in variables.special:
        return known | {"kind": "even"}
    variable = variables.special[feature]
    known["peaks"] = variable.peaks.tolist()
    if variable.is_nominal:
        return known | {"kind": "nominal", "nearest": variable.takes_nearest}
    return known | {"kind": "peaks"}


def _rules(rules: RuleSet) -> list[dict[str, Any]]:
    strength, doubt = rules._strength_and_doubt(np.ones(len(rules), dtype=bool))
    return [
        {
            "if": _conditions(rules, rule),
            "text": rules.condition(rule),
            "weights": rules.weights[rule].tolist(),
            "strength": float(strength[rule]),
            "doubt": float(doubt[rule]),
            "fitness": float(rules.fitness[rule]),
            "class": int(rules.consequent[rule]),
            "experience": float(rules.experience[rule]),
        }
        for rule in range(len(rules))
    ]


def _conditions(rules: RuleSet, rule: int) -> list[list[float]]:
    """Return what a rule asks: features with a set of terms as bits, or with two bounds."""
    found: list[list[float]] = []
    for feature in np.flatnonzero(rules.asks[rule]).tolist():
        condition = rules.conditions[rule][feature]
        if isinstance(rules.variables, LinguisticPartition):
            found.append([feature, int(condition)])
        else:
            found.append([feature, float(min(condition)), float(max(condition))])
    return found


def _forest_of(variables: Variables) -> dict[str, Any] | None:
    if not isinstance(variables, LinguisticPartition) or variables.forest is None:
        return None
    return _forest(variables.forest)


def _forest(forest: TermForest) -> dict[str, Any]:
    return {
        "n_terms": forest.n_terms.tolist(),
        "parent": forest.parent.tolist(),
        "marginal": forest.marginal.tolist(),
        "joint": forest.joint.tolist(),
    }


def _support(support: Support) -> dict[str, Any]:
    known = support.known
    return {
        "features": variables_data(support.partition),
        "forest": _forest(support.forest),
        "scale": support.scale.tolist(),
        "minimum": _numbers(known.minimum),
        "maximum": _numbers(known.maximum),
        "values": {str(feature): values.tolist() for feature, values in known.values.items()},
        "typical": support.typical.tolist(),
        "scores": support.scores.tolist(),
        "levels": support.levels.tolist(),
        "tail": support.tail,
        "exponent": support_module.EXPONENT,
        "outside": support_module.OUTSIDE,
        "furthest": support_module.FURTHEST,
        "changed": support_module.CHANGED,
    }


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
