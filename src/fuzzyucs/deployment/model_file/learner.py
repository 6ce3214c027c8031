"""State of the evolutionary learner in a model file, and how the ranges of features moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.rules import MAX_STEPS
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.estimators.live import LearnerState
from fuzzyucs.estimators.streaming import MOST_CHANGES
from fuzzyucs.variables.moving import RangeChange

__all__ = ["LEARNER", "RANGE_CHANGES"]


def _write(clf: Any) -> Json:
    state: LearnerState = clf.learner_state_
    return {
        "seed": str(state.seed),
        "time": state.time,
        "random_state": [str(word) for word in state.random_state],
    }


def _read(node: Node, _clf: Any) -> Attributes:
    fields = node.fields(["seed", "time", "random_state"])
    words = [item.word() for item in fields["random_state"].items(4)]
    if not any(words):
        fields["random_state"].refuse("an array of numbers that are not all 0")
    time = fields["time"].integer(0, MAX_STEPS)
    return {"learner_state_": LearnerState(fields["seed"].word(), time, tuple(words))}


def _write_changes(clf: Any) -> Json:
    return [
        {
            "time": change.time,
            "feature": change.feature,
            "old": None if np.isnan(change.old).any() else list(change.old),
            "new": list(change.new),
        }
        for change in clf.range_changes_
    ]


def _read_changes(node: Node, clf: Any) -> Attributes:
    names = feature_names(clf)
    found = []
    for item in node.items(range(MOST_CHANGES + 1)):
        fields = item.fields(["time", "feature", "old", "new"])
        old = fields["old"]
        found.append(
            RangeChange(
                fields["time"].integer(0, MAX_STEPS),
                fields["feature"].choice(names),
                (np.nan, np.nan) if old.value is None else _read_range(old),
                _read_range(fields["new"]),
            )
        )
    return {"range_changes_": tuple(found)}


def _read_range(node: Node) -> tuple[float, float]:
    low, high = node.numbers(2).tolist()
    if low > high:
        node.refuse("an array of two ascending numbers")
    return low, high


LEARNER = Part(("learner_state_",), _write, _read)
RANGE_CHANGES = Part(("range_changes_",), _write_changes, _read_changes)
