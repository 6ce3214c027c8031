"""Names that the page shows: texts for features and classes, and units of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.checks import feature_number
from fuzzyucs._util.wording import class_names, closest
from fuzzyucs.deployment.description import constraint_texts
from fuzzyucs.rules.wording import condition_texts
from fuzzyucs.variables import Variables

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier
    from fuzzyucs.rules import RuleSet

__all__ = ["Naming", "is_number", "kind_of", "name_model", "read_naming", "with_unit"]

# A number at the end of a condition. What stands before it tells it from a name such as "level 3".
LAST_NUMBER = re.compile(
    r"((?:\b(?:is|to|or|and|not|of|most|least)|[<>=,]) |\{)(-?\d[\d.e+-]*)([)}]?)$"
)


@dataclass(frozen=True)
class Naming:
    """What the page calls features and classes.

    Parameters
    ----------
    features : tuple of str
        A text for each feature.
    classes : tuple of str
        A text for each class.
    units : dict of int to str
        Units of features, by their index.
    """

    features: tuple[str, ...]
    classes: tuple[str, ...]
    units: dict[int, str] = field(default_factory=dict)


def read_naming(
    clf: RuleClassifier,
    units: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
) -> Naming:
    """Check units and texts, and find the features and classes that they are for.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.
    units : mapping, optional
        Units by feature, which is given by name or number.
    labels : mapping, optional
        Texts by class label, or by the name of a feature.

    Returns
    -------
    Naming

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.report.naming import read_naming
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    >>> naming = read_naming(clf, units={"x3": "cm"}, labels={0: "setosa", "x3": "petal width"})
    >>> naming.classes, naming.features, naming.units
    (('setosa', 'class 1', 'class 2'), ('x0', 'x1', 'x2', 'petal width'), {3: 'cm'})
    """
    variables = clf.deciding_rules.variables.table_variables
    names, classes = variables.feature_names, clf.classes_.tolist()
    texts = _texts("labels", labels)
    shown_features, shown_classes = list(names), class_names(classes)
    for key, text in texts.items():
        is_class, is_feature = key in classes, isinstance(key, str) and key in names
        if is_class and is_feature:
            raise ValueError(
                f"labels: {key!r} names both a class and a feature; rename one of them"
            )
        if is_class:
            shown_classes[classes.index(key)] = text
        elif is_feature:
            shown_features[names.index(key)] = text
        else:
            same = [f"; did you mean {label!r}?" for label in classes if str(label) == str(key)]
            hint = same[0] if same else closest(str(key), [*map(str, classes), *names])
            raise ValueError(f"labels: {key!r} is neither a class nor a feature{hint}")
    _check_distinct("classes", shown_classes)
    _check_distinct("features", shown_features)
    return Naming(tuple(shown_features), tuple(shown_classes), _read_units(variables, units))


def _texts(parameter: str, given: Mapping[Any, str] | None) -> Mapping[Any, str]:
    """Check that texts are texts."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{parameter} must be a dict, got {type(given).__name__}")
    for key, text in given.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{parameter}: {key!r} must have a text, got {text!r}")
    return given


def _check_distinct(what: str, shown: Sequence[str]) -> None:
    """Refuse texts that do not tell features or classes apart."""
    doubles = [text for i, text in enumerate(shown) if text in shown[:i]]
    if doubles:
        raise ValueError(f"labels: two {what} would be shown as {doubles[0]!r}")


def _read_units(variables: Variables, units: Mapping[Any, str] | None) -> dict[int, str]:
    """Return units by the index of the feature; only numbers have them."""
    names, found = variables.feature_names, {}
    for key, unit in _texts("units", units).items():
        if isinstance(key, str) and key not in names:
            raise ValueError(f"units: there is no feature {key!r}{closest(key, names)}")
        feature = feature_number(key, names, "units")
        if not is_number(variables, feature):
            raise ValueError(f"units: {names[feature]!r} holds {kind_of(variables, feature)}")
        if feature in found:
            raise ValueError(f"units: {names[feature]!r} is named twice")
        found[feature] = unit.strip()
    return found


def is_number(variables: Variables, feature: int) -> bool:
    """Tell whether the values of a feature are numbers, if only codes or two of them."""
    return not variables.is_coded(feature) and feature not in variables.columns.times


def kind_of(variables: Variables, feature: int) -> str:
    """Say what a feature holds instead of numbers."""
    is_time = feature in variables.columns.times
    return "dates or durations, not numbers" if is_time else "categories, not numbers"


def name_model(model: dict[str, Any], rules: RuleSet, naming: Naming) -> dict[str, Any]:
    """Let the description of a model have the names that the page shows.

    Parameters
    ----------
    model : dict
        What `fuzzyucs.deployment.description.describe` returns. It is changed.
    rules : RuleSet
        The rules that it describes.
    naming : Naming
        The names.

    Returns
    -------
    dict
        The same. A feature with another name keeps its own as ``column``; one with a unit has it
        as ``unit``.
    """
    variables = rules.variables.table_variables
    model["classes"] = list(naming.classes)
    model |= constraint_texts(rules, naming.features, naming.classes)
    for index, (feature, name) in enumerate(zip(model["features"], naming.features, strict=True)):
        if name != feature["name"]:
            feature |= {"name": name, "column": feature["name"]}
        if index in naming.units:
            feature["unit"] = naming.units[index]
    if not naming.units and naming.features == variables.feature_names:
        return model
    named = replace(rules, variables=rules.variables.renamed(naming.features))
    for index, rule in enumerate(model["rules"]):
        rule["texts"] = _condition_texts(named, index, naming.units, full=False)
        rule["text"] = " AND ".join(rule["texts"]) or rule["text"]
        if "full_text" in rule:
            rule["full_text"] = " AND ".join(
                _condition_texts(named, index, naming.units, full=True)
            )
    return model


def _condition_texts(
    rules: RuleSet, rule: int, units: Mapping[int, str], *, full: bool
) -> list[str]:
    """Put each condition of a rule into words, with units."""
    texts = condition_texts(rules, rule, full=full)
    asked = rules.variables.feature_of_view[rules.asked_features[rule]]
    return [
        with_unit(text, units.get(int(feature), ""))
        for text, feature in zip(texts, asked, strict=True)
    ]


def with_unit(condition: str, unit: str) -> str:
    """Add the unit of a feature to a condition on it that ends with a number.

    Parameters
    ----------
    condition : str
        A condition in words.
    unit : str
        The unit; may be empty.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.report.naming import with_unit
    >>> with_unit("age is at most medium (<= 49)", "years")
    'age is at most medium (<= 49 years)'
    >>> with_unit("17 <= age <= 49", "years"), with_unit("age is 5 to 12 or at least 80", "years")
    ('17 <= age <= 49 years', 'age is 5 to 12 or at least 80 years')
    >>> with_unit("age is small", "years")
    'age is small'
    """
    if not unit:
        return condition
    return LAST_NUMBER.sub(lambda found: f"{found[1]}{found[2]} {unit}{found[3]}", condition)
