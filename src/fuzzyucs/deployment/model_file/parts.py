"""The parts of a model file: what estimators have learned, as JSON and back.

What the engine takes for granted is checked here: shapes and ranges of arrays, peaks that ascend,
sets of terms that exist, forests without cycles, probabilities that sum to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in

from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.evidential import EvidentialRuleClassifier
from fuzzyucs.estimators.online import MAX_POPULATION
from fuzzyucs.estimators.ucs import UCSClassifier
from fuzzyucs.evidence.support import Known, Support
from fuzzyucs.evidence.tempering import GREATEST as HOTTEST
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.rules import EvolvedRuleSet, RuleSet, WeightedRuleSet
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import MOST_CATEGORIES, Categories, Columns
from fuzzyucs.variables.intervals import CONTINUOUS, FINEST, RELIABLE, IntervalVariables
from fuzzyucs.variables.linguistic import MAX_TERMS, LinguisticPartition, LinguisticVariable
from fuzzyucs.variables.variables import Variables

__all__ = ["PARTS", "Part"]

MAX_STEPS = 2**39  # numerosity times a time stamp has to fit into 64 bits
MAX_COUNT = 2**53  # whole numbers beyond are no doubles
MAX_EXPERIENCE = 1e300  # what is counted may be weighted
ROUNDING = 1e-6  # how far sums of many numbers may be from what they should be
LEAST_PROBABILITY = 1e-15  # of a term; a table with 2^32 rows has none below 1e-11
LEAST_PAIR = 1e-45
GREATEST_PRIOR = 1e6
GREATEST_SURPRISE = 1e4  # no probability is small enough for more
GREATEST_SCORE = 1e15
LEAST_TAIL = 1e-3

Json = Any
Attributes = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A part of the fitted state: how it is written, and how it is read.

    Parameters
    ----------
    attributes : tuple of str
        The attributes of an estimator that it holds. Without the first there is nothing to write.
    write : callable
        Takes the estimator.
    read : callable
        Takes what was written and an estimator that has all parts before this one.
    """

    attributes: tuple[str, ...]
    write: Callable[[Any], Json]
    read: Callable[[Node, Any], Attributes]


def _written_columns(clf: Any) -> Json:
    return [
        {
            "feature": int(feature),
            "labels": _plain_labels(categories.labels),
            "is_ordered": categories.is_ordered,
        }
        for feature, categories in sorted(clf.columns_.categories.items())
    ]


def _plain_labels(labels: tuple[Any, ...]) -> list[Json]:
    for label in labels:
        if not isinstance(label, str | bool | int | float):
            raise ValueError(
                "a model file holds categories that are strings, numbers, or true and false; these "
                f"are of type {type(label).__name__}"
            )
    return list(labels)


def _read_columns(node: Node, clf: Any) -> Attributes:
    found: dict[int, Categories] = {}
    for item in node.items():
        fields = item.fields(["feature", "labels", "is_ordered"])
        feature = fields["feature"].integer(0, clf.n_features_in_ - 1)
        if feature <= next(reversed(found), -1):
            fields["feature"].refuse("more than the one before it")
        items = fields["labels"].items(range(1, MOST_CATEGORIES + 1))
        known = Categories(tuple(i.scalar() for i in items), fields["is_ordered"].flag())
        if min(len(set(known.labels)), len(set(known.terms))) < len(known.labels):
            fields["labels"].refuse("an array of different labels")
        found[feature] = known
    return {"columns_": Columns(found)}


# Variables


def _feature_names(clf: RuleClassifier) -> tuple[str, ...]:
    return tuple(map(str, _check_feature_names_in(clf)))


def _written_variables(variables: Variables, clf: RuleClassifier) -> Json:
    if tuple(variables.feature_names) != _feature_names(clf):
        raise ValueError("a model file has no place for two names of a feature")
    if isinstance(variables, LinguisticPartition):
        return _written_partition(variables)
    assert isinstance(variables, IntervalVariables)
    columns = (variables.minimum, variables.maximum, variables.decimals.tolist())
    return {
        "features": [
            {"minimum": _number_or_none(low), "maximum": _number_or_none(high), "decimals": digits}
            for low, high, digits in zip(*columns, strict=True)
        ]
    }


def _read_variables(node: Node, clf: Any) -> Variables:
    if isinstance(clf, UCSClassifier):
        return _read_intervals(node, clf)
    return _read_partition(node, clf)


def _read_intervals(node: Node, clf: Any) -> IntervalVariables:
    items = node.fields(["features"])["features"].items(clf.n_features_in_)
    features = [item.fields(["minimum", "maximum", "decimals"]) for item in items]
    minimum, maximum = _read_ranges(features)
    decimals = np.array([f["decimals"].integer(CONTINUOUS, RELIABLE) for f in features])
    # Bounds are put into words by looking for the nearest number with so many digits. More than a
    # double has would take for ever.
    factor = 10.0 ** np.maximum(decimals, 0)
    with np.errstate(over="ignore"):
        reliable = np.maximum(abs(minimum), abs(maximum)) * factor <= 10.0**RELIABLE
        few = (maximum / 2 - minimum / 2) * factor <= FINEST / 2
    possible = (reliable & (few | (decimals == 0))) | (decimals == CONTINUOUS) | np.isnan(minimum)
    if not possible.all():
        wrong = features[int(np.argmin(possible))]
        wrong["decimals"].refuse("so few that they make a difference in the range")
    names = _feature_names(clf)
    return IntervalVariables(names, minimum, maximum, decimals, columns=clf.columns_)


def _read_ranges(features: list[dict[str, Node]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the range of each feature; null if it is not known."""
    minimum, maximum = (
        np.array([_read_number_or_none(feature[name]) for feature in features])
        for name in ("minimum", "maximum")
    )
    is_range = (minimum <= maximum) | (np.isnan(minimum) & np.isnan(maximum))
    if not is_range.all():
        wrong = features[int(np.argmin(is_range))]
        wrong["maximum"].refuse("null if the minimum is, else not less than it")
    return minimum, maximum


def _written_partition(partition: LinguisticPartition) -> Json:
    features = []
    for feature in range(partition.n_features):
        known: dict[str, Json] = {
            "minimum": _number_or_none(partition.minimum[feature]),
            "maximum": _number_or_none(partition.maximum[feature]),
            "n_terms": int(partition.n_terms[feature]),
        }
        if feature in partition.special:
            known["special"] = _written_special(partition.special[feature])
        features.append(known)
    found: dict[str, Json] = {"features": features}
    if partition.forest is not None and partition.is_believed is not None:
        forest = _written_forest(partition.forest)
        found["beliefs"] = {"is_believed": partition.is_believed.tolist(), "forest": forest}
    return found


def _read_partition(node: Node, clf: Any) -> LinguisticPartition:
    fields = node.fields(["features"], ["beliefs"])
    items = list(fields["features"].items(clf.n_features_in_))
    features = [item.fields(["minimum", "maximum", "n_terms"], ["special"]) for item in items]
    minimum, maximum = _read_ranges(features)
    n_terms = np.array([f["n_terms"].integer(2, MAX_TERMS) for f in features], dtype=np.uint32)
    special = {
        number: _read_special(feature["special"], feature["n_terms"])
        for number, feature in enumerate(features)
        if "special" in feature
    }
    for number, variable in special.items():
        if len(variable.peaks) == 1 and maximum[number] > minimum[number]:
            features[number]["special"].refuse("with more than one peak, since the feature varies")
    _check_categories(items, special, clf.columns_)
    names, columns = _feature_names(clf), clf.columns_
    partition = LinguisticPartition(names, minimum, maximum, n_terms, special, columns=columns)
    if "beliefs" not in fields:
        return partition
    forest, is_believed = _read_beliefs(fields["beliefs"], partition)
    return replace(partition, forest=forest, is_believed=is_believed)


def _check_categories(
    items: list[Node], special: dict[int, LinguisticVariable], columns: Columns
) -> None:
    """Check that the terms of columns with categories are these."""
    for feature, categories in columns.categories.items():
        variable = special.get(feature)
        expected = categories.terms, not categories.is_ordered
        if (
            variable is None
            or (variable.terms, variable.is_nominal) != expected
            or variable.peaks.tolist() != list(range(len(categories.labels)))
        ):
            items[feature].refuse("special, with the categories of the column as terms")


def _written_special(variable: LinguisticVariable) -> Json:
    return {
        "peaks": variable.peaks.tolist(),
        "terms": list(variable.terms),
        "is_nominal": variable.is_nominal,
        "takes_nearest": variable.takes_nearest,
    }


def _read_special(node: Node, n_terms: Node) -> LinguisticVariable:
    fields = node.fields(["peaks", "terms", "is_nominal", "takes_nearest"])
    is_nominal, takes_nearest = fields["is_nominal"].flag(), fields["takes_nearest"].flag()
    if takes_nearest and not is_nominal:
        fields["takes_nearest"].refuse("false unless the feature is nominal")
    peaks = fields["peaks"].numbers(range(1, MAX_TERMS + 1))
    if not _is_ascending(peaks):
        fields["peaks"].refuse("an array of ascending numbers")
    if n_terms.value != max(2, len(peaks)):
        n_terms.refuse(f"{max(2, len(peaks))}, as there are peaks")
    terms = tuple(item.text() for item in fields["terms"].items(len(peaks)))
    return LinguisticVariable(peaks, terms, is_nominal, takes_nearest)


def _is_ascending(values: NDArray[Any]) -> bool:
    return bool((values[1:] > values[:-1]).all())


def _read_beliefs(
    node: Node, partition: LinguisticPartition
) -> tuple[TermForest, NDArray[np.bool_]]:
    fields = node.fields(["is_believed", "forest"])
    forest = _read_forest(fields["forest"], partition)
    items = list(fields["is_believed"].items(partition.n_features))
    is_believed = np.array([item.flag() for item in items])
    wrong = np.flatnonzero(is_believed & (forest.n_terms == 0))
    if wrong.size:
        items[wrong[0]].refuse("false for a feature that never varied")
    return forest, is_believed


# Forests


def _written_forest(forest: TermForest) -> Json:
    return {
        "n_terms": forest.n_terms.tolist(),
        "parent": forest.parent.tolist(),
        "marginal": forest.marginal.tolist(),
        "joint": forest.joint.tolist(),
    }


def _read_forest(node: Node, partition: LinguisticPartition) -> TermForest:
    fields = node.fields(["n_terms", "parent", "marginal", "joint"])
    n_features = partition.n_features
    n_terms = fields["n_terms"].integers(n_features, 0, MAX_TERMS, np.uint32)
    expected = partition.n_varied_terms
    if (n_terms != expected).any():
        wrong = int(np.argmax(n_terms != expected))
        number = Node(int(n_terms[wrong]), f"{fields['n_terms'].path}[{wrong}]")
        number.refuse(f"{expected[wrong]}, as the variable has terms if it varied")
    parent = fields["parent"].integers(n_features, -1, n_features - 1, np.int32)
    _check_parents(fields["parent"], parent, n_terms)
    marginal = fields["marginal"].numbers(int(n_terms.sum()), LEAST_PROBABILITY, 1.0)
    has_parent = parent >= 0
    sizes = n_terms[has_parent].astype(np.int64) * n_terms[parent[has_parent]]
    joint = fields["joint"].numbers(int(sizes.sum()), LEAST_PAIR, 1.0)
    _check_sums(fields["marginal"], marginal, n_terms[n_terms > 0])
    _check_sums(fields["joint"], joint, sizes)
    return TermForest(n_terms, parent, marginal, joint)


def _check_parents(node: Node, parent: NDArray[np.int32], n_terms: NDArray[np.uint32]) -> None:
    for feature, number in enumerate(parent.tolist()):
        if number >= 0 and not (n_terms[feature] > 0 and n_terms[number] > 0):
            Node(number, f"{node.path}[{feature}]").refuse("-1 for features that never varied")
    parents = parent.tolist()
    is_rooted = [False] * len(parents)
    for first in range(len(parents)):
        way, feature = set(), first
        while feature >= 0 and not is_rooted[feature]:
            if feature in way:
                Node(parents[feature], f"{node.path}[{feature}]").refuse("no descendant")
            way.add(feature)
            feature = parents[feature]
        for feature in way:
            is_rooted[feature] = True


def _check_sums(node: Node, probabilities: NDArray[Any], sizes: NDArray[Any]) -> None:
    """Check that tables of probabilities, one after the other, sum to 1."""
    if len(sizes) == 0:
        return
    first = np.cumsum([0, *sizes[:-1]])
    sums = np.add.reduceat(probabilities, first)
    wrong = np.flatnonzero(np.abs(sums - 1) > ROUNDING)
    if wrong.size:
        raise ValueError(
            f"{node.path} must have probabilities that sum to 1 from [{first[wrong[0]]}] on, got "
            f"{sums[wrong[0]]:g}"
        )


# Rules


def _written_rule_set(clf: Any) -> Json:
    return _written_rules(clf.rules_, clf, _written_variables(clf.rules_.variables, clf))


def _read_rule_set(node: Node, clf: Any) -> Attributes:
    kind = WeightedRuleSet if isinstance(clf, EvidentialRuleClassifier) else EvolvedRuleSet
    return {"rules_": _read_rules(node, clf, kind, None)}


def _written_weighted_rule_set(clf: Any) -> Json:
    variables = _written_variables(clf.weighted_rules_.variables, clf)
    is_same = variables == _written_variables(clf.rules_.variables, clf)
    return _written_rules(clf.weighted_rules_, clf, None if is_same else variables)


def _read_weighted_rule_set(node: Node, clf: Any) -> Attributes:
    found = _read_rules(node, clf, WeightedRuleSet, clf.rules_.variables)
    return {"weighted_rules_": found}


def _written_rules(rules: RuleSet, clf: RuleClassifier, variables: Json) -> Json:
    if rules.classes.tolist() != clf.classes_.tolist():
        raise ValueError("the rules must have the classes of the classifier")
    found: dict[str, Json] = {} if variables is None else {"variables": variables}
    if isinstance(rules, WeightedRuleSet):
        found |= {"prior": rules.prior.tolist(), "doubt": float(rules.doubt)}
    arrays = {name: getattr(rules, name).tolist() for name in rules.array_names()}
    rows = zip(*arrays.values(), strict=True)
    return found | {"rules": [dict(zip(arrays, row, strict=True)) for row in rows]}


def _read_rules(node: Node, clf: Any, kind: type[RuleSet], variables: Variables | None) -> RuleSet:
    """Read rules; those that have no variables of their own have the given ones."""
    needs = ["rules"] if variables is not None else ["variables", "rules"]
    common: dict[str, Any] = {}
    if kind is WeightedRuleSet:
        fields = node.fields(["prior", "doubt", *needs], ["variables"])
        limits = -GREATEST_PRIOR, GREATEST_PRIOR
        common["prior"] = fields["prior"].numbers(len(clf.classes_), *limits)
        common["doubt"] = fields["doubt"].number(ROUNDING, MAX_EXPERIENCE)
    else:
        fields = node.fields(needs, ["variables"])
    if "variables" in fields:
        variables = _read_variables(fields["variables"], clf)
    assert variables is not None
    arrays = _read_arrays(fields["rules"], variables, len(clf.classes_), kind)
    _check_statistics(fields["rules"], arrays, common.get("doubt", 0.0))
    return kind(variables, clf.classes_, **(arrays | common))


def _read_arrays(
    node: Node, variables: Variables, n_classes: int, kind: type[RuleSet]
) -> dict[str, NDArray[Any]]:
    readers = _readers(variables, n_classes)
    names = kind.array_names()
    values: dict[str, list[Any]] = {name: [] for name in names}
    for item in node.items():
        for name, field in item.fields(names).items():
            values[name].append(readers[name][0](field))
    arrays = {}
    for name in names:
        _, dtype, shape = readers[name]
        arrays[name] = np.array(values[name], dtype=dtype).reshape(len(values[name]), *shape)
    if isinstance(variables, LinguisticPartition):
        _check_terms(node, arrays["conditions"], variables.n_terms)
    if int(arrays["numerosity"].sum(dtype=np.uint64)) > MAX_POPULATION + 1:
        raise ValueError(f"{node.path} must stand for at most {MAX_POPULATION + 1} micro-rules")
    return arrays


Reader = tuple[Callable[[Node], Any], Any, tuple[int, ...]]


def _readers(variables: Variables, n_classes: int) -> dict[str, Reader]:
    """Tell how to read each array of rules, of what type it is, and the shape of an entry."""
    n = variables.n_features
    most = MAX_POPULATION + 1
    is_linguistic = isinstance(variables, LinguisticPartition)
    return {
        "conditions": (
            (lambda node: node.integers(n, 1, 2**MAX_TERMS - 1, np.uint32), np.uint32, (n,))
            if is_linguistic
            else (lambda node: node.pairs(n, 0.0, 1.0), np.float64, (n, 2))
        ),
        "weights": (lambda node: node.numbers(n_classes, 0.0, 1.0), np.float64, (n_classes,)),
        "class_experience": (
            lambda node: node.numbers(n_classes, 0.0, MAX_EXPERIENCE),
            np.float64,
            (n_classes,),
        ),
        "experience": (lambda node: node.number(0.0, MAX_EXPERIENCE), np.float64, ()),
        "fitness": (lambda node: node.number(-1.0, 1.0), np.float64, ()),
        "numerosity": (lambda node: node.integer(1, most), np.uint32, ()),
        "consequent": (lambda node: node.integer(0, n_classes - 1), np.uint32, ()),
        "set_size": (lambda node: node.number(math.nextafter(0.5, 1.0), most), np.float64, ()),
        "set_count": (lambda node: node.integer(0, MAX_COUNT), np.uint64, ()),
        "time_stamp": (lambda node: node.integer(0, MAX_STEPS), np.int64, ()),
        "strength": (lambda node: node.number(0.0, most), np.float64, ()),
        "evidence": (lambda node: node.number(0.0), np.float64, ()),
    }


def _check_terms(node: Node, conditions: NDArray[np.uint32], n_terms: NDArray[np.uint32]) -> None:
    every = (1 << n_terms.astype(np.uint64)) - 1
    is_wrong = conditions > every
    if is_wrong.any():
        rule, feature = np.argwhere(is_wrong)[0].tolist()
        wrong = Node(int(conditions[rule, feature]), f"{node.path}[{rule}].conditions[{feature}]")
        wrong.refuse(f"a set of {n_terms[feature]} terms, at most {every[feature]}")


def _check_statistics(node: Node, arrays: dict[str, NDArray[Any]], doubt: float) -> None:
    """Check that experience is that with all classes, and weights are shares of it."""
    known, experience = arrays["class_experience"], arrays["experience"]
    difference = known.sum(axis=1) - experience
    _no_rule(node, abs(difference) > ROUNDING * experience, "experience", "that with all classes")
    exceeds = known > experience[:, np.newaxis]
    _no_rule(node, exceeds, "class_experience", "at most the experience")
    whole = (experience + doubt)[:, np.newaxis]
    is_heir = whole == 0  # a rule without experience has inherited its weights
    weights = arrays["weights"]
    inherited = weights.sum(axis=1, keepdims=True) - 1
    off = np.where(is_heir, inherited, weights - known / (whole + is_heir))
    _no_rule(node, abs(off) > ROUNDING, "weights", "shares of the experience")


def _no_rule(node: Node, is_wrong: NDArray[np.bool_], name: str, expected: str) -> None:
    """Refuse the first rule with anything wrong."""
    if is_wrong.any():
        rule = int(np.argwhere(is_wrong)[0, 0])
        raise ValueError(f"{node.path}[{rule}].{name} must be {expected}")


# What else there is


def _written_learner(clf: Any) -> Json:
    time, state = clf._learner_state
    return {
        "seed": str(clf._seed),
        "time": int(time),
        "random_state": [str(word) for word in state],
    }


def _read_learner(node: Node, _: Any) -> Attributes:
    fields = node.fields(["seed", "time", "random_state"])
    state = [item.word() for item in fields["random_state"].items(4)]
    if not any(state):
        fields["random_state"].refuse("an array of numbers that are not all 0")
    time = fields["time"].integer(0, MAX_STEPS)
    return {"_seed": fields["seed"].word(), "_learner_state": (time, state)}


def _written_tempering(clf: Any) -> Json:
    return {"temperature": clf.tempering_.temperature, "discount": clf.tempering_.discount}


def _read_tempering(node: Node, _: Any) -> Attributes:
    fields = node.fields(["temperature", "discount"])
    temperature = fields["temperature"].number(1.0, HOTTEST * (1 + ROUNDING))
    return {"tempering_": Tempering(temperature, fields["discount"].number(0.0, 1.0))}


def _written_penalty(clf: Any) -> Json:
    return float(clf.penalty_)


def _read_penalty(node: Node, _: Any) -> Attributes:
    penalty = node.number(0.0)
    if penalty == 0:
        node.refuse("a number above 0")
    return {"penalty_": penalty}


def _written_support(clf: Any) -> Json:
    support: Support = clf.support_
    known = support.known
    values = [known.values.get(feature) for feature in range(len(known.minimum))]
    return {
        "variables": _written_variables(support.partition, clf),
        "forest": _written_forest(support.forest),
        "minimum": [_number_or_none(value) for value in known.minimum],
        "maximum": [_number_or_none(value) for value in known.maximum],
        "values": [None if array is None else array.tolist() for array in values],
        "typical": support.typical.tolist(),
        "scores": support.scores.tolist(),
        "levels": support.levels.tolist(),
        "tail": float(support.tail),
    }


def _read_support(node: Node, clf: Any) -> Attributes:
    names = ["variables", "forest", "minimum", "maximum", "values", "typical"]
    fields = node.fields([*names, "scores", "levels", "tail"])
    partition = _read_partition(fields["variables"], clf)
    scores = fields["scores"].numbers(None, -GREATEST_SCORE, GREATEST_SCORE)
    if len(scores) == 0 or (np.diff(scores) < 0).any():
        fields["scores"].refuse("an array of numbers that do not fall")
    levels = fields["levels"].numbers(len(scores), 0.0, 1.0)
    if (np.diff(levels) < 0).any():
        fields["levels"].refuse("an array of numbers that do not fall")
    limits = -GREATEST_SURPRISE, GREATEST_SURPRISE
    support = Support(
        partition,
        _read_forest(fields["forest"], partition),
        _read_known(fields, clf.n_features_in_),
        fields["typical"].numbers(clf.n_features_in_, *limits),
        scores,
        levels,
        fields["tail"].number(LEAST_TAIL, GREATEST_SCORE),
    )
    return {"support_": support}


def _read_known(fields: dict[str, Node], n_features: int) -> Known:
    columns = zip(*(fields[name].items(n_features) for name in ("minimum", "maximum")), strict=True)
    minimum, maximum = _read_ranges([{"minimum": low, "maximum": high} for low, high in columns])
    values = {
        feature: _read_ascending(item)
        for feature, item in enumerate(fields["values"].items(n_features))
        if item.value is not None
    }
    return Known(minimum, maximum, values)


def _read_ascending(node: Node) -> NDArray[np.float64]:
    values = node.numbers(None)
    if len(values) < 2 or not _is_ascending(values):
        node.refuse("null or an array of at least 2 ascending numbers")
    return values


def _number_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _read_number_or_none(node: Node) -> float:
    return np.nan if node.value is None else node.number()


# What else an estimator learns needs a line here, and its name among the parts of its kind.
PARTS = {
    "columns": Part(("columns_",), _written_columns, _read_columns),
    "rule_set": Part(("rules_",), _written_rule_set, _read_rule_set),
    "learner": Part(("_learner_state", "_seed"), _written_learner, _read_learner),
    "weighted_rule_set": Part(
        ("weighted_rules_",), _written_weighted_rule_set, _read_weighted_rule_set
    ),
    "tempering": Part(("tempering_",), _written_tempering, _read_tempering),
    "penalty": Part(("penalty_",), _written_penalty, _read_penalty),
    "support": Part(("support_",), _written_support, _read_support),
}
