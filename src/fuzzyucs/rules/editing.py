"""Rules sorted, filtered, dropped, changed and merged. Methods of `RuleSet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import feature_number, select_rows

if TYPE_CHECKING:
    from fuzzyucs.rules.rule_set import RuleSet

    R = TypeVar("R", bound=RuleSet)

__all__ = ["drop", "edit", "experienced", "filter_rules", "merge", "sort", "view_of"]

MOST_SELECTIONS = 4  # by experience, kept for the next call
TOLERANCE = 1e-12  # between weights that count as equal


def sort(rules: R, by: str = "numerosity", *, ascending: bool = False) -> R:
    """Return the rules in the order of one of their quantities.

    Parameters
    ----------
    by : {"numerosity", "experience", "fitness", "consequent", "weight", "conditions", ...}
        The quantity: any array with a number for each rule, the weight of the class that a rule
        predicts, or the number of its conditions. Equal rules keep their order.
    ascending : bool
        Whether the least come first.

    Returns
    -------
    RuleSet
    """
    values = _quantity(rules, by, "by")
    return rules[np.argsort(values if ascending else -values, kind="stable")]


def _quantity(rules: RuleSet, name: str, parameter: str) -> NDArray[np.float64]:
    """Return a number for each rule."""
    names = [name for name in rules.array_names() if getattr(rules, name).ndim == 1]
    if name in names:
        values: NDArray[np.float64] = getattr(rules, name).astype(float)
        return values
    if name == "weight":
        return rules.of_own_class(rules.weights)
    if name == "conditions":
        counts: NDArray[np.float64] = rules.asks.sum(axis=1).astype(float)
        return counts
    choices = [*names, "weight", "conditions"]
    raise ValueError(f"{parameter} must be one of {choices}, got {name!r}")


def filter_rules(
    rules: R,
    *,
    feature: Any = None,
    label: Any = None,
    text: str | None = None,
    least: Mapping[str, float] | None = None,
) -> R:
    """Return the rules that fulfil all that is asked of them.

    Parameters
    ----------
    feature : str, int or sequence of them, optional
        Name or number of a feature that rules ask something of; of several, all of them.
    label : optional
        Label of the class that rules predict.
    text : str, optional
        What the sentences of rules contain, in small or capital letters.
    least : mapping of str to float, optional
        Least values of quantities, which have names as in `sort`: ``{"experience": 10}``.

    Returns
    -------
    RuleSet

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> rules = EvidentialRuleClassifier(random_state=0).fit(X, y).rules_
    >>> print(rules.filter(feature="petal width (cm)", label="setosa", least={"weight": 0.9}))
    <ProfiledRuleSet: ...>
    """
    kept = np.ones(len(rules), dtype=bool)
    for key in _several(feature):
        names = rules.variables.table_variables.feature_names
        kept &= rules.asked_columns[:, feature_number(key, names, "feature")]
    if label is not None:
        labels = rules.classes.tolist()
        if label not in labels:
            raise ValueError(f"label must be one of {labels[:10]}, got {label!r}")
        kept &= rules.consequent == labels.index(label)
    for name, value in (least or {}).items():
        kept &= _quantity(rules, name, "least") >= value
    if text is not None:
        sought = text.casefold()
        found = [sought in rules.sentence(rule).casefold() for rule in range(len(rules))]
        kept &= np.array(found, dtype=bool)
    return rules[kept]


def drop(rule_set: R, rules: Any) -> R:
    """Return the other rules.

    Parameters
    ----------
    rules : int, slice, mask or sequence of int
        Indices of the rules to leave out.

    Returns
    -------
    RuleSet
    """
    return rule_set[np.delete(np.arange(len(rule_set)), _indices(rule_set, rules))]


def _indices(rule_set: RuleSet, rules: Any) -> NDArray[np.intp]:
    try:
        return select_rows(len(rule_set), rules)
    except IndexError as error:
        raise IndexError(
            f"rules must be indices of the {len(rule_set)} rules, a slice or a mask, got {rules!r}"
        ) from error


def edit(rules: R, rule: int, conditions: Mapping[Any, Any]) -> R:
    """Return the rules with other conditions in one of them.

    Its statistics stay what they were until `assess` finds them anew.

    Parameters
    ----------
    rule : int
        Index of the rule.
    conditions : mapping
        What it is to ask of features, by name or number; features that are not mentioned keep
        their conditions. Linguistic: names of terms, or values of a nominal feature. Intervals:
        the least and the greatest value in the feature's own units, or None for no bound; there
        is none at the edge of the training data, either. None asks nothing of a feature.

    Returns
    -------
    RuleSet

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> wish = {"petal width (cm)": ["very small", "small"], "sepal width (cm)": None}
    >>> edited = clf.rules_.edit(0, wish).assess(X, y)
    >>> "petal width (cm) is at most small" in edited.condition(0)
    True
    >>> clf.with_rules(edited).score(X, y) > 0.9
    True
    """
    index = _indices(rules, rule)
    if len(index) != 1:
        raise IndexError(f"rule must be the index of one rule, got {rule!r}")
    changed = rules.conditions.copy()
    for key, wanted in conditions.items():
        names = rules.variables.table_variables.feature_names
        feature = rules.view_of(index[0], feature_number(key, names, "conditions"))
        changed[index[0], feature] = rules.variables.parse_condition(feature, wanted)
    return rules.with_conditions(changed)


def view_of(rules: RuleSet, rule: int, column: int) -> int:  # noqa: ARG001  # for rules with views
    """Return the index of the condition that a rule has on a column.

    Parameters
    ----------
    rule, column : int
        Indices of the rule and of the column.

    Returns
    -------
    int
    """
    return column


def experienced(rules: R, least_experience: float) -> R:
    """Return the rules with more than some experience; the same object for the same limit.

    Parameters
    ----------
    least_experience : float
        Rules with this experience or less stay out.

    Returns
    -------
    RuleSet
    """
    if least_experience < 0:
        return rules
    known = rules._selections
    if least_experience not in known:
        if len(known) >= MOST_SELECTIONS:
            known.clear()
        known[least_experience] = rules[rules.experience > least_experience]
    return known[least_experience]


def merge(rules: R, least_experience: float = 10.0) -> R:
    """Return the rules with equivalent ones made one, which decide the same.

    Rules are equivalent if they match the same data to the same degrees, predict the same class
    and have the same weights and fitness. What was counted for each (numerosity, strength, profile,
    evidence) is added up; all else is that of the most experienced of them, the time stamp that
    of the latest. The rule stands where the first of them stood. Where values are missing, a rule
    with a profile counts somewhat less than two that say half of it each.

    Parameters
    ----------
    least_experience : float
        The `inference_experience` of the classifier: rules with so much or less take no part in
        decisions, and are not merged with others.

    Returns
    -------
    RuleSet
    """
    groups = _equivalent(rules, least_experience)
    best = [max(group, key=lambda rule: rules.experience[rule]) for group in groups]
    arrays: dict[str, Any] = {}
    summed = {"numerosity", "strength", "profile", "evidence", "time_stamp"}
    for name in summed & set(rules.array_names()):
        array = getattr(rules, name)
        parts = (array[group] for group in groups)
        together = [part.max() if name == "time_stamp" else part.sum(axis=0) for part in parts]
        shape = (len(groups), *array.shape[1:])
        arrays[name] = np.array(together, dtype=array.dtype).reshape(shape)
    return replace(rules[np.array(best, dtype=np.intp)], **arrays)


def _equivalent(rules: RuleSet, least_experience: float) -> list[list[int]]:
    """Group the indices of rules that say the same."""
    says = np.column_stack([rules.weights, rules.fitness, rules.rule_ignorance])
    conditions = rules.variables.canonical(rules.conditions)
    alike: dict[tuple[Any, ...], list[list[int]]] = {}
    for rule, condition in enumerate(conditions):
        takes_part = bool(rules.experience[rule] > least_experience)
        apart = rule if rules.is_expert[rule] else None
        key = (condition.tobytes(), int(rules.consequent[rule]), takes_part, apart)
        groups = alike.setdefault(key, [])
        for group in groups:
            if np.abs(says[rule] - says[group[0]]).max() <= TOLERANCE:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return sorted(group for groups in alike.values() for group in groups)


def _several(wanted: Any) -> Iterable[Any]:
    if wanted is None:
        return []
    is_single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
    return [wanted] if is_single else wanted
