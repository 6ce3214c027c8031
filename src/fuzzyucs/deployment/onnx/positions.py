"""Positions of values on their variables, as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fuzzyucs.deployment.onnx.graph import Array, Graph, Value, padded

__all__ = ["Positions"]


class Positions:
    """Where values lie on their variables; arrays have a row for each feature.

    Parameters
    ----------
    graph : Graph
        Where nodes are added.
    features : sequence of mappings
        The features, as `fuzzyucs.deployment.numpy_model.evaluation_data` describes them.
    values : Value
        The data, transposed.

    Attributes
    ----------
    position : Value
        Positions; any number where they are missing.
    missing : Value
        Whether a position is missing, also because the value is unknown to a nominal feature.
    is_nan : Value
        Whether a value itself is missing.
    halves : Value
        Half of each value; differences of halves cannot exceed the largest double.
    """

    def __init__(self, graph: Graph, features: Sequence[Mapping[str, Any]], values: Value) -> None:
        self.graph, self.features = graph, features
        self.is_nan = graph("IsNaN", values)
        self.values = graph.where(self.is_nan, 0.0, values)
        self.halves = self.values * 0.5
        methods = [("ordered", self._ordered), ("nearest", self._nearest), ("exact", self._exact)]
        indices, found, missing = [], [], []
        for kind, method in methods:
            own = [f for f, feature in enumerate(features) if _method(feature) == kind]
            if own:
                position, is_known = method(own)
                is_nan = graph.take(self.is_nan, own)
                indices += own
                found.append(position)
                missing.append(is_nan if is_known is None else is_nan | ~is_known)
        order = np.argsort(indices)
        self.position = graph.take(graph("Concat", *found, axis=0), order)
        self.missing = graph.take(graph("Concat", *missing, axis=0), order)

    def terms(self, n_terms: int) -> Value:
        """Return the memberships in the terms of each feature: features, terms, rows."""
        position = self.graph.expand(self.position, 1)
        peaks = np.arange(n_terms, dtype=float)[:, np.newaxis]
        # In this form rounding does not turn a tiny membership into 0.
        nearer = self.graph("Min", position - (peaks - 1), (peaks + 1) - position)
        return self.graph("Max", self.graph("Min", nearer, 1.0), 0.0)

    def _ordered(self, own: list[int]) -> tuple[Value, None]:
        """Add up the share that a value has passed of each segment between two terms."""
        segments = [_segments(self.features[f]) for f in own]
        low, width, steps, start = (
            padded([segment[k] for segment in segments], fill)
            for k, fill in enumerate((0.0, 1.0, 0.0, 0.0))
        )
        passed = (self._column(self.halves, own) - low) / width
        steps_passed = self.graph.clip(passed, 0.0, 1.0) * steps
        return self.graph.sum(steps_passed, 1) + start[:, 0], None

    def _nearest(self, own: list[int]) -> tuple[Value, None]:
        """Go on to each value of a nominal feature that is nearer than the one below it."""
        peaks = [np.array(self.features[f]["peaks"]) / 2 for f in own]
        below, above = (padded([p[k] for p in peaks], np.inf) for k in (np.s_[:-1], np.s_[1:]))
        groups = [_groups(self.features[f]) for f in own]
        steps = padded([np.diff(g) for g in groups], 0.0)
        half = self._column(self.halves, own)
        is_nearer = half - below >= above - half
        passed = self.graph.number(is_nearer) * steps
        return self.graph.sum(passed, 1) + np.array([[g[0]] for g in groups]), None

    def _exact(self, own: list[int]) -> tuple[Value, Value]:
        """Find the values of a nominal feature; others count as missing."""
        peaks = padded([np.array(self.features[f]["peaks"]) for f in own], np.nan)
        graph = self.graph
        equal = graph.number(graph("Equal", self._column(self.values, own), peaks))
        group = equal * padded([_groups(self.features[f]) for f in own], 0.0)
        return graph.sum(group, 1), graph.sum(equal, 1) > 0.0

    def _column(self, x: Value, own: list[int]) -> Value:
        return self.graph.expand(self.graph.take(x, own), 1)


def _method(feature: Mapping[str, Any]) -> str:
    """Return how positions on a feature are computed."""
    if feature["kind"] != "nominal":
        return "ordered"
    return "nearest" if feature["nearest"] else "exact"


def _groups(feature: Mapping[str, Any]) -> Array:
    """Return to which term each value of a nominal feature belongs."""
    return np.array(feature.get("groups", range(len(feature["peaks"]))), dtype=float)


def _segments(feature: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
    """Return where segments between terms begin, half their widths, terms passed, and the start."""
    if feature["kind"] == "peaks":
        peaks = np.array(feature["peaks"]) / 2
        ends = np.array(feature.get("ends", feature["peaks"])) / 2
        return ends[:-1], peaks[1:] - ends[:-1], np.ones(len(peaks) - 1), np.zeros(1)
    last = feature["n_terms"] - 1.0 if feature["kind"] == "even" else 1.0
    if feature["minimum"] is None or not feature["maximum"] / 2 > feature["minimum"] / 2:
        return np.empty(0), np.empty(0), np.empty(0), np.array([0.5 * last])
    low, high = np.array([feature["minimum"]]) / 2, np.array([feature["maximum"]]) / 2
    return low, high - low, np.array([last]), np.zeros(1)
