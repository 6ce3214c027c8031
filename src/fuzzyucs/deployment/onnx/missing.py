"""Rules that ask for missing values, as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from fuzzyucs.deployment.numpy_model import Forest, entropy, softmax
from fuzzyucs.deployment.onnx.graph import IMPOSSIBLE, POSSIBLE, TINY, Array, Value
from fuzzyucs.deployment.onnx.matches import Conditions, Matches

__all__ = ["MissingValues"]


class MissingValues:
    """Rules that ask for missing values about which the forest knows something.

    Rules whose first missing value is the same are combined for each term that it may have, and
    the results are averaged.

    Parameters
    ----------
    matches : Matches
        Degrees to which rules match if missing values match everything.
    forest : Forest
        What known values tell about missing ones.
    features : list of int
        The features whose missing values are treated so. Arrays have a row for each of them.
    missing : Value
        1 where they are missing, else 0.
    """

    def __init__(
        self, matches: Matches, forest: Forest, features: list[int], missing: Value
    ) -> None:
        self.matches, self.graph, self.rules = matches, matches.graph, matches.rules
        self.forest, self.features, self.missing = forest, features, missing
        self.n_terms = self.rules.accepted.shape[1]
        self.belief = self._beliefs()
        conditions = Conditions(self.rules, features, self.n_terms)
        is_missing = self.graph.expand(missing, 1) > 0.0
        believed = self.graph.where(is_missing, self.belief, 1.0)
        self.fitting = conditions.holding(self.graph, believed, matches.n_rows)
        self.asked = conditions.index[self.rules.asked]
        self.nothing = conditions.size - 1

    def _beliefs(self) -> Value:
        """Return the probabilities of terms, given known neighbours: features, terms, rows."""
        graph, forest = self.graph, self.forest
        own = np.full((len(self.features), self.n_terms, 1), IMPOSSIBLE)
        edges, tables = [], []
        for k, feature in enumerate(self.features):
            marginal = forest.marginal[feature]
            own[k, : len(marginal), 0] = np.log(marginal)
            for other, table in forest.neighbours(feature):
                ratio = np.ones((self.n_terms, self.n_terms))
                expected = np.outer(marginal, forest.marginal[other])
                ratio[: len(marginal), : len(table)] = table.T / expected
                edges.append((k, other))
                tables.append(ratio)
        alone = graph.expand(self.missing * 0.0, 1) + own
        if not edges:
            return graph("Softmax", alone, axis=1)
        targets, sources = np.array(edges).T
        likelihood = graph("Log", np.array(tables) @ graph.take(self.matches.terms, sources))
        unknown = graph.expand(graph.take(self.matches.positions.missing, sources), 1)
        from_known = graph.where(unknown, 0.0, likelihood)
        together = (np.arange(len(own))[:, np.newaxis] == targets).astype(float)
        by_term = together @ graph("Transpose", from_known, perm=[1, 0, 2])
        return graph("Softmax", alone + graph("Transpose", by_term, perm=[1, 0, 2]), axis=1)

    def combined(self) -> list[Value]:
        """Combine all rules.

        Returns
        -------
        list of Value
            Logarithms of commonalities, the same if a prior normalises, and degrees that are
            discounted by the probability that missing values fit.
        """
        graph, rules = self.graph, self.rules
        asks = rules.asks[self.features].T.astype(float)
        is_certain = 1.0 - graph("Min", asks @ self.missing, 1.0)
        logs = graph.sum(self.matches.rule_logs * is_certain, 1)
        model = self.matches.model
        priors = [None, softmax(model.prior)] if model.is_weighted else [None]
        totals = [logs for _ in priors]
        for index in range(len(self.features)):
            missing = graph.take(self.missing, [index])
            is_any = graph("ReduceSum", missing, keepdims=0) > 0.0
            totals = graph.when(
                is_any,
                partial(self._add, index, missing, totals, priors),
                partial(list, totals),
            )
        return [totals[0], totals[-1], self.expected()]

    def expected(self) -> Value:
        """Return degrees, discounted by the probability that missing values fit."""
        graph, rules = self.graph, self.rules
        fits = graph.product(self.fitting, self.asked)
        if self.matches.model.is_profiled:
            is_open = rules.asks[self.features].T.astype(float) @ self.missing > 0.0
            together = graph("Min", fits * rules.dependence[:, np.newaxis], 1.0)
            fits = graph.where(is_open, together, 1.0)
        return self.matches.degree * fits

    def _add(
        self,
        index: int,
        missing: Value,
        totals: Sequence[Value],
        priors: Sequence[Array | None],
    ) -> list[Value]:
        """Add what the rules say whose first missing value is that of one feature."""
        graph = self.graph
        marginal = self.forest.marginal[self.features[index]]
        belief = graph.take(graph.take(self.belief, index), np.arange(len(marginal)))
        known = graph("Log", graph("Max", belief, TINY))
        vagueness = (belief * known) / -float(entropy(marginal))
        vagueness = graph("Min", graph.sum(vagueness, 0, keep=True), 1.0)
        logs = self._logs_by_term(index, missing, len(marginal))
        found = []
        for total, prior in zip(totals, priors, strict=True):
            mean = graph.sum(self._normalised(logs, prior) * belief, 1)
            if prior is None:
                mean = vagueness + (1.0 - vagueness) * mean
            found.append(total + graph.log(mean) * missing)
        return found

    def _logs_by_term(self, index: int, missing: Value, n_terms: int) -> Value:
        graph, rules = self.graph, self.rules
        feature = self.features[index]
        asking = np.flatnonzero(rules.asks[feature])
        counts = missing
        earlier = rules.asks[self.features[:index]][:, asking].T.astype(float)
        if earlier.any():
            absent = earlier @ graph.take(self.missing, np.arange(index))
            counts = missing * (1.0 - graph("Min", absent, 1.0))
        logs = graph.take(self.matches.rule_logs, asking, axis=1)
        asked = rules.asked[:, asking]
        is_own = np.append(rules.feature == feature, False)[asked]
        others = np.where(is_own, self.nothing, self.asked[:, asking])
        others = others[(others != self.nothing).any(axis=1)]
        if len(others):
            fits = graph.product(self.fitting, others)
            discounted = graph.log((1.0 - fits) + fits * graph("Exp", logs))
            logs = graph.where(fits >= 1.0, logs, discounted)
        own = asked[is_own.argmax(axis=0), np.arange(len(asking))]
        accepted = rules.accepted[own, :n_terms].T.astype(float)
        return graph("MatMul", accepted, logs * counts)

    def _normalised(self, logs: Value, prior: Array | None) -> Value:
        """Normalise by Dempster's rule, or by the expectation of a prior."""
        graph = self.graph
        greatest = graph.max(logs, 0, keep=True)
        is_possible = greatest > POSSIBLE
        commonality = graph("Exp", logs - graph.where(is_possible, greatest, 0.0))
        classes, theta = graph.split_last(commonality)
        if prior is None:
            total = graph.sum(graph("Max", classes - theta, 0.0), 0, keep=True) + theta
        else:
            total = graph.sum(classes * prior[:, np.newaxis, np.newaxis], 0, keep=True)
        return graph.where(is_possible, commonality / graph("Max", total, TINY), 1.0)
