"""Linguistic variables in a model file, with sets of terms as conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.columns import MOST_LABELS
from fuzzyucs.deployment.model_file.forest import read_forest, written_forest
from fuzzyucs.deployment.model_file.part import Json, is_ascending
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.deployment.model_file.variables import (
    ArrayReader,
    VariablesFormat,
    number_or_none,
    read_ranges,
)
from fuzzyucs.variables.borders import Borders
from fuzzyucs.variables.coding import (
    MAX_FINE_TERMS,
    MAX_TERMS,
    are_conditions,
    every_term,
    is_fine,
)
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Categories, Columns
from fuzzyucs.variables.linguistic import LinguisticPartition, LinguisticVariable
from fuzzyucs.variables.terms import is_in_turn

__all__ = [
    "LinguisticFormat",
    "read_beliefs",
    "read_features",
    "written_beliefs",
    "written_feature",
]


class LinguisticFormat(VariablesFormat):
    """How a `LinguisticPartition` is written and read."""

    def _written(self, variables: LinguisticPartition) -> Json:
        features = [written_feature(variables, f) for f in range(variables.n_features)]
        return {"features": features} | written_beliefs(variables)

    def read(self, node: Node, clf: Any) -> LinguisticPartition:
        """Read variables; names and categories are those of the classifier."""
        fields = node.fields(["features"], ["beliefs"])
        items = list(fields["features"].items(clf.n_features_in_))
        partition = read_features(items, feature_names(clf), clf.columns_)
        if "beliefs" not in fields:
            return partition
        forest, is_believed = read_beliefs(fields["beliefs"], partition)
        return replace(partition, forest=forest, is_believed=is_believed)

    def condition_reader(self, n_features: int) -> ArrayReader:
        """Return how the conditions of a rule are read: a set of terms for each feature."""
        most = 2**MAX_TERMS - 1
        return (
            lambda node: node.integers(n_features, 0, most, np.uint64),
            np.uint64,
            (n_features,),
        )

    def check_conditions(
        self, node: Node, conditions: NDArray[Any], variables: LinguisticPartition
    ) -> None:
        """Refuse conditions that accept nothing, or terms that do not exist."""
        is_wrong = ~are_conditions(conditions, variables.n_terms)
        if is_wrong.any():
            rule, feature = np.argwhere(is_wrong)[0].tolist()
            path = f"{node.path}[{rule}].conditions[{feature}]"
            wrong = Node(int(conditions[rule, feature]), path)
            wrong.refuse(_range_of_conditions(int(variables.n_terms[feature])))


def _range_of_conditions(n_terms: int) -> str:
    if is_fine(n_terms):
        return f"a run of {n_terms} terms, first + 256 * last with first <= last < {n_terms}"
    return f"a set of {n_terms} terms, from 1 to {every_term(n_terms)}"


def written_beliefs(variables: LinguisticPartition) -> dict[str, Json]:
    """Return what known values tell about missing ones as JSON has it, under its key."""
    if variables.forest is None or variables.is_believed is None:
        return {}
    forest = written_forest(variables.forest)
    return {"beliefs": {"is_believed": variables.is_believed.tolist(), "forest": forest}}


def written_feature(partition: LinguisticPartition, feature: int) -> dict[str, Json]:
    """Return a variable as JSON has it."""
    known: dict[str, Json] = {
        "minimum": number_or_none(partition.minimum[feature]),
        "maximum": number_or_none(partition.maximum[feature]),
        "n_terms": int(partition.n_terms[feature]),
    }
    if feature in partition.special:
        variable = partition.special[feature]
        special: dict[str, Json] = {
            "peaks": variable.peaks.tolist(),
            "terms": list(variable.terms),
            "is_nominal": variable.is_nominal,
            "takes_nearest": variable.takes_nearest,
        }
        if variable.has_plateaus:
            special["ends"] = variable.ends.tolist()
        if variable.members is not None:
            special["groups"] = variable.groups.tolist()
        if variable.counts is not None:
            special["counts"] = variable.counts.tolist()
        known["special"] = special
    if feature in partition.borders:
        written: Any = partition.borders[feature].as_dict()
        known["borders"] = written
    return known


def read_features(
    items: list[Node], names: tuple[str, ...], columns: Columns
) -> LinguisticPartition:
    """Read variables, one after the other."""
    features = [
        item.fields(["minimum", "maximum", "n_terms"], ["special", "borders"]) for item in items
    ]
    minimum, maximum = read_ranges(features)
    counts = [
        f["n_terms"].integer(2, MAX_FINE_TERMS if "special" in f else MAX_TERMS) for f in features
    ]
    n_terms = np.array(counts, dtype=np.uint32)
    special = {
        index: _read_special(feature["special"], feature["n_terms"])
        for index, feature in enumerate(features)
        if "special" in feature
    }
    for index, variable in special.items():
        if len(variable.peaks) == 1 and maximum[index] > minimum[index]:
            features[index]["special"].refuse("with more than one peak, since the feature varies")
    _check_categories(items, special, columns)
    partition = LinguisticPartition(names, minimum, maximum, n_terms, special, columns=columns)
    borders = {
        index: _read_borders(feature["borders"], partition, index)
        for index, feature in enumerate(features)
        if "borders" in feature
    }
    return replace(partition, borders=borders)


def _read_borders(node: Node, partition: LinguisticPartition, feature: int) -> Borders:
    if not partition.has_numbers(feature):
        node.refuse("absent, since the feature has no numbers between terms")
    fields = node.fields(["at_most", "at_least"])
    n_borders = len(partition.peaks(feature)) - 1
    at_most, at_least = (fields[name].numbers(n_borders) for name in ("at_most", "at_least"))
    for name, numbers in (("at_most", at_most), ("at_least", at_least)):
        if (np.diff(numbers) < 0).any():
            fields[name].refuse("an array of numbers that do not fall")
    return Borders(at_most, at_least)


def _read_special(node: Node, n_terms: Node) -> LinguisticVariable:
    fields = node.fields(
        ["peaks", "terms", "is_nominal", "takes_nearest"], ["ends", "groups", "counts"]
    )
    is_nominal, takes_nearest = fields["is_nominal"].flag(), fields["takes_nearest"].flag()
    if takes_nearest and not is_nominal:
        fields["takes_nearest"].refuse("false unless the feature is nominal")
    most = MOST_LABELS if "groups" in fields else MAX_TERMS if is_nominal else MAX_FINE_TERMS
    peaks = fields["peaks"].numbers(range(1, most + 1))
    if not is_ascending(peaks):
        fields["peaks"].refuse("an array of ascending numbers")
    members = None
    if "groups" in fields:
        members = _read_groups(fields["groups"], peaks, is_nominal)
    n_named, what = (len(peaks), "peaks") if members is None else (len(members), "groups")
    if n_terms.value != max(2, n_named):
        n_terms.refuse(f"{max(2, n_named)}, as there are {what}")
    terms = tuple(item.text() for item in fields["terms"].items(n_named))
    counts = None
    if "counts" in fields:
        counts = fields["counts"].integers(len(peaks), 0, 2**53, np.int64)
    ends = _read_ends(fields["ends"], peaks, is_nominal) if "ends" in fields else peaks
    return LinguisticVariable(peaks, terms, is_nominal, takes_nearest, ends, members, counts)


def _read_groups(
    node: Node, peaks: NDArray[np.float64], is_nominal: bool
) -> tuple[tuple[float, ...], ...]:
    if not is_nominal:
        node.refuse("absent unless the feature is nominal")
    groups = node.integers(len(peaks), 0, MAX_TERMS - 1, np.intp)
    if not np.bincount(groups).all():
        node.refuse("an array in which no group is left out")
    return tuple(tuple(peaks[groups == term].tolist()) for term in range(groups.max() + 1))


def _read_ends(node: Node, peaks: NDArray[np.float64], is_nominal: bool) -> NDArray[np.float64]:
    if is_nominal:
        node.refuse("absent for a nominal feature")
    ends = node.numbers(len(peaks))
    if not is_in_turn(peaks, ends):
        node.refuse("an array of numbers, each from its peak to below the next one")
    return ends


def _check_categories(
    items: list[Node], special: dict[int, LinguisticVariable], columns: Columns
) -> None:
    """Check that columns with categories have these as terms."""
    for feature, categories in columns.categories.items():
        variable = special.get(feature)
        if variable is None or not _has_categories(variable, categories):
            items[feature].refuse("special, with the categories of the column as terms")


def _has_categories(variable: LinguisticVariable, categories: Categories) -> bool:
    """Tell whether terms are the categories of a column, groups or runs of them."""
    codes = list(range(len(categories.labels)))
    if variable.is_nominal == categories.is_ordered:
        return False
    if variable.members is not None:  # categories without a term are unknown
        return bool(np.isin(variable.peaks, codes).all())
    if variable.has_plateaus:
        starts = np.append(variable.peaks, len(codes))
        return starts[0] == 0 and bool((variable.ends + 1 == starts[1:]).all())
    return variable.terms == categories.terms and variable.peaks.tolist() == codes


def read_beliefs(
    node: Node, partition: LinguisticPartition
) -> tuple[TermForest, NDArray[np.bool_]]:
    """Read what known values tell about missing ones."""
    fields = node.fields(["is_believed", "forest"])
    forest = read_forest(fields["forest"], partition)
    items = list(fields["is_believed"].items(partition.n_features))
    is_believed = np.array([item.flag() for item in items])
    wrong = np.flatnonzero(is_believed & (forest.n_terms == 0))
    if wrong.size:
        items[wrong[0]].refuse("false for a feature that never varied")
    return forest, is_believed
