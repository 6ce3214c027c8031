"""Forests of dependences between features in a model file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.model_file.part import ROUNDING, Json
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.forest import TermForest, count_groups
from fuzzyucs.variables.linguistic import MAX_FINE_TERMS, LinguisticPartition

__all__ = ["read_forest", "written_forest"]

LEAST_PROBABILITY = 1e-15  # of a term; a table with 2^32 rows has none below 1e-11
LEAST_PAIR = 1e-45


def written_forest(forest: TermForest) -> Json:
    """Return a forest as JSON has it."""
    return {
        "n_terms": forest.n_terms.tolist(),
        "parent": forest.parent.tolist(),
        "marginal": forest.marginal.tolist(),
        "joint": forest.joint.tolist(),
    }


def read_forest(
    node: Node, partition: LinguisticPartition, left_out: NDArray[np.bool_] | None = None
) -> TermForest:
    """Read a forest over the terms of a partition, in which some features may have no part."""
    fields = node.fields(["n_terms", "parent", "marginal", "joint"])
    n_features = partition.n_features
    n_terms = fields["n_terms"].integers(n_features, 0, MAX_FINE_TERMS, np.uint32)
    expected = partition.n_varied_terms
    if left_out is not None:
        expected = np.where(left_out, 0, expected).astype(np.uint32)
    if (n_terms != expected).any():
        wrong = int(np.argmax(n_terms != expected))
        count = Node(int(n_terms[wrong]), f"{fields['n_terms'].path}[{wrong}]")
        count.refuse(f"{expected[wrong]}, as the variable has terms if it varied")
    parent = fields["parent"].integers(n_features, -1, n_features - 1, np.int32)
    _check_parents(fields["parent"], parent, n_terms)
    marginal = fields["marginal"].numbers(int(n_terms.sum()), LEAST_PROBABILITY, 1.0)
    has_parent = parent >= 0
    n_groups = count_groups(n_terms).astype(np.int64)
    sizes = n_groups[has_parent] * n_groups[parent[has_parent]]
    joint = fields["joint"].numbers(int(sizes.sum()), LEAST_PAIR, 1.0)
    _check_sums(fields["marginal"], marginal, n_terms[n_terms > 0])
    _check_sums(fields["joint"], joint, sizes)
    return TermForest(n_terms, parent, marginal, joint)


def _check_parents(node: Node, parent: NDArray[np.int32], n_terms: NDArray[np.uint32]) -> None:
    """Check that features that take part depend on such features, without cycles."""
    parents: list[int] = parent.tolist()
    for feature, other in enumerate(parents):
        if other >= 0 and not (n_terms[feature] > 0 and n_terms[other] > 0):
            Node(other, f"{node.path}[{feature}]").refuse("-1 for features that never varied")
    is_rooted = [False] * len(parents)
    for first in range(len(parents)):
        path, feature = set(), first
        while feature >= 0 and not is_rooted[feature]:
            if feature in path:
                Node(parents[feature], f"{node.path}[{feature}]").refuse("no descendant")
            path.add(feature)
            feature = parents[feature]
        for feature in path:
            is_rooted[feature] = True


def _check_sums(node: Node, probabilities: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
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
