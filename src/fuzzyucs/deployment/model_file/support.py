"""Support in a model file: the model of what training data look like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.model_file.forest import read_forest, written_forest
from fuzzyucs.deployment.model_file.linguistic import LinguisticFormat
from fuzzyucs.deployment.model_file.part import Attributes, Json, Part, is_ascending
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.deployment.model_file.variables import number_or_none, read_ranges
from fuzzyucs.evidence.known_values import Known
from fuzzyucs.evidence.support import Support
from fuzzyucs.variables.precision import CONTINUOUS, RELIABLE

__all__ = ["SUPPORT"]

GREATEST_SURPRISE = 1e4  # no probability is small enough for more
GREATEST_SCORE = 1e15
LEAST_TAIL = 1e-3
OPTIONAL = ["typical_alone", "decimals"]  # version 0.1.0 did not know them
VARIABLES = LinguisticFormat()


def _write(clf: Any) -> Json:
    support: Support = clf.support_
    known = support.known
    values = [known.values.get(feature) for feature in range(len(known.minimum))]
    alone = support.typical_alone
    return {
        "variables": VARIABLES.write(support.partition, clf),
        "forest": written_forest(support.forest),
        "minimum": [number_or_none(value) for value in known.minimum],
        "maximum": [number_or_none(value) for value in known.maximum],
        "values": [None if array is None else array.tolist() for array in values],
        **({} if known.decimals is None else {"decimals": known.decimals.tolist()}),
        "typical": support.typical.tolist(),
        **({} if alone is None else {"typical_alone": alone.tolist()}),
        "scores": support.scores.tolist(),
        "levels": support.levels.tolist(),
        "tail": float(support.tail),
    }


def _read(node: Node, clf: Any) -> Attributes:
    names = ["variables", "forest", "minimum", "maximum", "values", "typical"]
    fields = node.fields([*names, "scores", "levels", "tail"], OPTIONAL)
    partition = VARIABLES.read(fields["variables"], clf)
    scores = fields["scores"].numbers(None, -GREATEST_SCORE, GREATEST_SCORE)
    if len(scores) == 0 or (np.diff(scores) < 0).any():
        fields["scores"].refuse("an array of numbers that do not fall")
    levels = fields["levels"].numbers(len(scores), 0.0, 1.0)
    if (np.diff(levels) < 0).any():
        fields["levels"].refuse("an array of numbers that do not fall")
    limits = -GREATEST_SURPRISE, GREATEST_SURPRISE
    alone = None
    if "typical_alone" in fields:
        alone = fields["typical_alone"].numbers(clf.n_features_in_, *limits)
    known = _read_known(fields, clf.n_features_in_)
    support = Support(
        partition,
        read_forest(fields["forest"], partition, np.isnan(known.minimum)),
        known,
        fields["typical"].numbers(clf.n_features_in_, *limits),
        scores,
        levels,
        fields["tail"].number(LEAST_TAIL, GREATEST_SCORE),
        alone,
    )
    return {"support_": support}


def _read_known(fields: dict[str, Node], n_features: int) -> Known:
    columns = zip(*(fields[name].items(n_features) for name in ("minimum", "maximum")), strict=True)
    minimum, maximum = read_ranges([{"minimum": low, "maximum": high} for low, high in columns])
    values = {
        feature: _read_ascending(item)
        for feature, item in enumerate(fields["values"].items(n_features))
        if item.value is not None
    }
    decimals = None
    if "decimals" in fields:
        digits = [
            item.integer(CONTINUOUS, RELIABLE) for item in fields["decimals"].items(n_features)
        ]
        decimals = np.array(digits, dtype=np.int64)
    return Known(minimum, maximum, values, decimals)


def _read_ascending(node: Node) -> NDArray[np.float64]:
    values = node.numbers(None)
    if len(values) < 2 or not is_ascending(values):
        node.refuse("null or an array of at least 2 ascending numbers")
    return values


SUPPORT = Part(("support_",), _write, _read)
