"""How far rules match, as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fuzzyucs.deployment.numpy_model import NumpyModel, Rules
from fuzzyucs.deployment.onnx.graph import Graph, Value
from fuzzyucs.deployment.onnx.positions import Positions

__all__ = ["Conditions", "Matches"]


class Conditions:
    """Different conditions on some features, padded to equally many for each feature.

    The last condition of each feature accepts everything.

    Attributes
    ----------
    index : ndarray of shape (n_conditions + 1,)
        Index of each condition of the rules in what `holding` returns; conditions on other
        features, and the last one, have that of a condition that accepts everything.
    """

    def __init__(self, rules: Rules, features: Sequence[int], n_terms: int) -> None:
        own = [np.flatnonzero(rules.feature == feature) for feature in features]
        n = 1 + max(len(indices) for indices in own)
        self.size = len(own) * n
        self.accepted = np.zeros((len(own), n, n_terms))
        self.accepts_all = np.zeros((len(own), n, 1))
        self.accepts_all[:, -1] = 1.0
        self.index = np.full(len(rules.conditions) + 1, self.size - 1)
        for k, indices in enumerate(own):
            self.accepted[k, : len(indices)] = rules.accepted[indices, :n_terms]
            self.index[indices] = k * n + np.arange(len(indices))

    def holding(self, graph: Graph, terms: Value, n_rows: Value) -> Value:
        """Return the degrees to which conditions hold, given memberships in terms."""
        found = graph("Min", self.accepted @ terms + self.accepts_all, 1.0)
        shape = graph("Concat", np.array([self.size]), n_rows, axis=0)
        return graph("Reshape", found, shape, allowzero=1)


class Matches:
    """Degrees to which rules match, and what follows for the commonalities.

    Attributes
    ----------
    terms : Value
        Memberships in the terms of each feature, of linguistic rules.
    degree : Value
        Degrees: rules, rows. Missing values match everything.
    """

    terms: Value

    def __init__(self, graph: Graph, model: NumpyModel, values: Value) -> None:
        self.graph, self.model, self.rules = graph, model, model.rules
        self.n_rows = graph("Shape", values, start=1, end=2)
        if model.variables is not model.features:
            values = graph.take(values, model.feature_of_view)
        self.positions = Positions(graph, model.variables, values)
        self.degree = self._intervals() if self.rules.are_intervals else self._term_sets()

    @cached_property
    def rule_logs(self) -> Value:
        """What each rule adds to the logarithms of commonalities: classes, rules, rows.

        The last are those of "I don't know".
        """
        factors = self.rules.factors[:, :, np.newaxis]
        possible = (1.0 - self.degree) + self.degree * factors
        return self.graph.log(possible) * self.rules.strength[:, np.newaxis]

    @cached_property
    def believed_features(self) -> list[int]:
        """Features of rules' conditions about whose missing values the forest knows something."""
        if self.model.forest is None:
            return []
        return [
            f
            for f, feature in enumerate(self.model.variables)
            if feature.get("believed") and self.rules.asks[f].any()
        ]

    def _intervals(self) -> Value:
        graph, rules, positions = self.graph, self.rules, self.positions
        # An interval over the whole range accepts everything.
        feature = np.append(rules.feature, 0)
        lower, upper = np.vstack([rules.bounds, [0.0, 1.0]]).T[:, :, np.newaxis]
        position = graph.take(positions.position, feature)
        inside = (position >= lower) & ~(position > upper)
        holding = graph.number(inside | graph.take(positions.missing, feature))
        return graph.product(holding, rules.asked)

    def _term_sets(self) -> Value:
        graph, rules, positions = self.graph, self.rules, self.positions
        n_terms = rules.accepted.shape[1]
        missing = graph.expand(positions.missing, 1)
        self.terms = positions.terms(n_terms)
        conditions = Conditions(rules, range(len(self.model.variables)), n_terms)
        accepted = graph.where(missing, 1.0, self.terms)
        holding = conditions.holding(graph, accepted, self.n_rows)
        # A tiny vote counts where there is no other; tiny evidence has no effect.
        keeps_tiny = self.model.scheme in ("vote", "swin")
        return graph.product(holding, conditions.index[rules.asked], keeps_tiny=keeps_tiny)
