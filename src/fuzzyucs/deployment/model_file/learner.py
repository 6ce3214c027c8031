"""State of the evolutionary learner in a model file."""

from __future__ import annotations

from typing import Any

from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.rules import MAX_STEPS
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.estimators.online import LearnerState

__all__ = ["LEARNER"]


def _write(clf: Any) -> Json:
    state: LearnerState = clf.learner_state_
    return {
        "seed": str(state.seed),
        "time": state.time,
        "random_state": [str(word) for word in state.random_state],
    }


def _read(node: Node, _: Any) -> Attributes:
    fields = node.fields(["seed", "time", "random_state"])
    words = [item.word() for item in fields["random_state"].items(4)]
    if not any(words):
        fields["random_state"].refuse("an array of numbers that are not all 0")
    time = fields["time"].integer(0, MAX_STEPS)
    return {"learner_state_": LearnerState(fields["seed"].word(), time, tuple(words))}


LEARNER = Part(("learner_state_",), _write, _read)
