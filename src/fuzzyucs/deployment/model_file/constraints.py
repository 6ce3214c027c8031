"""Constraints in a model file."""

from __future__ import annotations

from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.variables import Variables

__all__ = ["read_constraints"]

KEYS = ("class_order", "monotonic", "together", "apart", "unused", "costs", "cost_weight")
MOST_SETS = 2**16
GREATEST_COST = 1e300


def read_constraints(node: Node, variables: Variables, n_classes: int) -> Constraints:
    """Read what a model keeps to.

    Parameters
    ----------
    node : Node
        The object.
    variables : Variables
        The features.
    n_classes : int
        Number of classes.
    """
    fields, n = node.fields(KEYS), variables.n_features
    order = tuple(item.integer(0, n_classes - 1) for item in fields["class_order"].items(n_classes))
    if len(set(order)) < n_classes:
        fields["class_order"].refuse("an array with each class once")
    monotonic = tuple(item.integer(-1, 1) for item in fields["monotonic"].items(n))
    costs = fields["costs"].numbers(range(n + 1), 0.0, GREATEST_COST)
    if len(costs) not in (0, n):
        fields["costs"].refuse("an array with one number for each feature, or none")
    return Constraints(
        tuple(map(str, variables.feature_names)),
        order,
        monotonic,
        _sets(fields["together"], n),
        _sets(fields["apart"], n),
        _features(fields["unused"], n),
        tuple(costs.tolist()),
        fields["cost_weight"].number(0.0, GREATEST_COST),
    )


def _sets(node: Node, n_features: int) -> tuple[tuple[int, ...], ...]:
    return tuple(_features(item, n_features) for item in node.items(range(MOST_SETS)))


def _features(node: Node, n_features: int) -> tuple[int, ...]:
    found = tuple(item.integer(0, n_features - 1) for item in node.items(range(n_features + 1)))
    if len(set(found)) < len(found):
        node.refuse("an array of different features")
    return found
