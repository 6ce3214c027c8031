"""Small parts of a model file: tempering, penalty, path of sizes, gaps that depend on the class."""

from __future__ import annotations

from typing import Any

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.part import ROUNDING, Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.evidence.tempering import GREATEST as MAX_TEMPERATURE
from fuzzyucs.evidence.tempering import Tempering

__all__ = ["INFORMATIVE_GAPS", "PATH", "PENALTY", "TEMPERING"]

MAX_SIZES = 1000  # far more than a search tries
MAX_RULES = 1e9


def _write_tempering(clf: Any) -> Json:
    return {"temperature": clf.tempering_.temperature, "discount": clf.tempering_.discount}


def _read_tempering(node: Node, _: Any) -> Attributes:
    fields = node.fields(["temperature", "discount"])
    temperature = fields["temperature"].number(1.0, MAX_TEMPERATURE * (1 + ROUNDING))
    return {"tempering_": Tempering(temperature, fields["discount"].number(0.0, 1.0))}


def _write_penalty(clf: Any) -> Json:
    return float(clf.penalty_)


def _read_penalty(node: Node, _: Any) -> Attributes:
    penalty = node.number(0.0)
    if penalty == 0:
        node.refuse("a number above 0")
    return {"penalty_": penalty}


def _write_path(clf: Any) -> Json:
    return {name: values.tolist() for name, values in clf.path_.items()}


def _read_path(node: Node, clf: Any) -> Attributes:
    fields = node.fields(["n_rules", "accuracy", "log_loss", "penalty"])
    penalty = fields["penalty"].numbers(range(1, MAX_SIZES + 1), 0.0)
    if not hasattr(clf, "penalty_"):
        raise ValueError("it must have the key 'penalty'")
    if clf.penalty_ not in penalty:
        fields["penalty"].refuse("an array with the penalty of the model")
    path = {
        "n_rules": fields["n_rules"].numbers(len(penalty), 0.0, MAX_RULES),
        "accuracy": fields["accuracy"].numbers(len(penalty), -ROUNDING, 1.0 + ROUNDING),
        "log_loss": fields["log_loss"].numbers(len(penalty), -ROUNDING),
        "penalty": penalty,
    }
    return {"path_": path}


def _write_gaps(clf: Any) -> Json:
    return list(clf.informative_gaps_)


def _read_gaps(node: Node, clf: Any) -> Attributes:
    known = set(feature_names(clf))
    found = []
    for item in node.items(range(clf.n_features_in_ + 1)):
        if item.text() not in known:
            item.refuse("the name of a feature")
        found.append(item.text())
    return {"informative_gaps_": found}


TEMPERING = Part(("tempering_",), _write_tempering, _read_tempering)
PENALTY = Part(("penalty_",), _write_penalty, _read_penalty)
PATH = Part(("path_",), _write_path, _read_path)
INFORMATIVE_GAPS = Part(("informative_gaps_",), _write_gaps, _read_gaps)
