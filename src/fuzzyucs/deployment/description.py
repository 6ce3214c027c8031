"""Description of a fitted model as plain data: what evaluation needs, and what people read.

What a saved file holds is the description of a model; `evaluation_data` derives from it what
evaluators in NumPy, ONNX and JavaScript need. Here the same is done with a model in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.kinds import KINDS
from fuzzyucs.deployment.numpy_model import (
    FORMAT,
    PARAMETERS,
    VERSIONS,
    NumpyModel,
    evaluation_data,
)

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["constraint_texts", "describe", "model_data", "to_numpy"]


# Parts of a file that evaluation needs. Columns are written here, since their labels may be such
# that no file can hold them.
EVALUATED = ("rule_set", "weighted_rule_set", "learner", "tempering", "support")


OLDER_FORM = (
    "Older form, as version 0.1.0 saved it: rules are silent where they do not match, and a fitted "
    "prior takes the place of base rates, so probabilities do not follow from beliefs. A new fit "
    "gives the present form."
)


def describe(clf: RuleClassifier) -> dict[str, Any]:
    """Describe a fitted classifier.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.

    Returns
    -------
    dict
        What `fuzzyucs.deployment.numpy_model.evaluation_data` returns, every number with all its
        digits, and besides what people read: the condition of each rule as ``text`` (and, if that
        names only some of many categories, as ``full_text``), the names of the ``terms`` of each
        feature (numbers if there are many), as ``constraints`` sentences about what the model keeps
        to, as ``broken`` which of its rules do not, as ``price`` what its features cost, and as
        ``older_form`` what a model that version 0.1.0 saved is, else None. JSON can hold it,
        whatever the labels are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.description import describe
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> data = describe(EvidentialRuleClassifier(random_state=0).fit(X, y))
    >>> data["scheme"], data["features"][2]["name"], len(data["rules"]) > 3
    ('profile', 'petal length (cm)', True)
    >>> data["rules"][0]["text"]
    'petal length (cm) is ...'
    >>> data["form"], data["base_rates"]
    (2, [0.333..., 0.333..., 0.333...])
    """
    data = evaluation_data(_document(clf))
    rules = clf.deciding_rules
    for index, rule in enumerate(data["rules"]):
        rule["text"] = rules.condition(index)
        full = rules.condition(index, full=True)
        if full != rule["text"]:
            rule["full_text"] = full
    data["older_form"] = OLDER_FORM if data["form"] == 1 else None
    names = rules.variables.table_variables.feature_names
    data |= constraint_texts(rules, names, data["classes"])
    _name_terms(data["features"], rules.variables.table_variables)
    if data["views"] is not None:
        _name_terms(data["views"], rules.variables)
    if data["support"] is not None:
        _name_terms(data["support"]["features"], clf.support_.partition)
    return data


def constraint_texts(
    rules: Any, features: Sequence[str], classes: Sequence[str]
) -> dict[str, list[str] | str]:
    """Say what a model keeps to, and whether it does.

    Parameters
    ----------
    rules : RuleSet
        Its rules.
    features, classes : sequence of str
        Names to use in the texts.

    Returns
    -------
    dict
        ``constraints``, ``broken`` and ``price`` as in `describe`.
    """
    constraints = getattr(rules, "constraints", None)
    if constraints is None:
        return {"constraints": [], "broken": [], "price": ""}
    constraints = replace(constraints, feature_names=tuple(features))
    return {
        "constraints": constraints.sentences(classes),
        "broken": constraints.broken(rules),
        "price": constraints.price_text(rules.asks),
    }


model_data = describe


def to_numpy(clf: RuleClassifier) -> NumpyModel:
    """Return a fitted classifier as a model that predicts with NumPy alone.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.

    Returns
    -------
    NumpyModel
        Its labels are those of the classifier, also those that no file can hold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.description import to_numpy
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> bool((to_numpy(clf).predict(X) == clf.predict(X)).all())
    True
    """
    model = NumpyModel(describe(clf))
    model.classes = clf.classes_
    return model


def _document(clf: Any) -> dict[str, Any]:
    """Return what a file would hold, as far as evaluation needs it, with labels as text."""
    name = _kind(clf)
    check_is_fitted(clf, "rules_")
    return {
        **KINDS[name].write(clf, EVALUATED),
        "format": FORMAT,
        "version": VERSIONS[FORMAT],
        "estimator": name,
        "parameters": {key: getattr(clf, key) for key in PARAMETERS[name] if hasattr(clf, key)},
        "classes": {"dtype": "object", "labels": [str(label) for label in clf.classes_]},
        "n_features": clf.n_features_in_,
        "feature_names": feature_names(clf),
        "columns": [
            {"feature": feature, "labels": categories.terms}
            for feature, categories in clf.columns_.categories.items()
        ]
        + [
            {"feature": feature, "time": scale.as_dict()}
            for feature, scale in clf.columns_.times.items()
        ],
    }


def _kind(clf: Any) -> str:
    """Return the name of the kind that an estimator is of; it may be a subclass."""
    names = {kind.estimator: name for name, kind in KINDS.items()}
    for base in type(clf).__mro__:
        if base in names:
            return names[base]
    raise TypeError(f"clf must be a classifier of fuzzyucs, got {type(clf).__name__}")


def _name_terms(features: list[dict[str, Any]], variables: Any) -> None:
    """Add the names of terms, which only linguistic variables have."""
    for index, feature in enumerate(features):
        if "n_terms" in feature:
            feature["terms"] = variables.term_texts(index)
