"""Novelty of records, as nodes of an ONNX graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.numpy_model import Support
from fuzzyucs.deployment.onnx.graph import TINY, Array, Graph, Value, padded
from fuzzyucs.deployment.onnx.positions import Positions

__all__ = ["Novelty"]


class Novelty:
    """How unlike the training data records are.

    Parameters
    ----------
    graph : Graph
        Where nodes are added.
    support : Support
        The model of what training data look like.
    values : Value
        The data, transposed.
    """

    def __init__(self, graph: Graph, support: Support, values: Value) -> None:
        self.graph, self.support = graph, support
        self.positions = Positions(graph, support.features, values)

    def value(self) -> Value:
        """Return the novelty of each row."""
        graph, support = self.graph, self.support
        counted = np.flatnonzero(support.forest.n_terms)
        score = self._excess() * support.outside
        if len(counted):
            known = 1.0 - graph.number(graph.take(self.positions.missing, counted))
            n_known = graph("Max", graph.sum(known, 0), 1.0)
            stretch = graph("Sqrt", graph("Div", len(counted), n_known))
            score = graph.sum((self._surprise(counted) * known), 0) * stretch + score
        return self._curve(score)

    def _curve(self, score: Value) -> Value:
        """Turn scores into novelty: a curve with knots, and a tail beyond the last one."""
        graph, support = self.graph, self.support
        widths, steps = np.diff(support.scores), np.diff(support.levels)
        passed = (score - support.scores[:-1, np.newaxis]) / np.maximum(widths, TINY)[:, np.newaxis]
        inside = graph.clip(passed, 0.0, 1.0) * steps[:, np.newaxis]
        beyond = graph("Max", score - support.scores[-1], 0.0) / support.tail
        rest = graph("Exp", 0.0 - beyond) * (1 - support.levels[-1] ** support.exponent)
        further = graph("Pow", 1.0 - rest, 1 / support.exponent)
        return graph.where(beyond > 0.0, further, graph.sum(inside, 0) + support.levels[0])

    def _surprise(self, counted: NDArray[np.int64]) -> Value:
        """Return how much more surprising values are than typical ones, given their parent's."""
        graph, forest = self.graph, self.support.forest
        n_terms = max(forest.n_terms)
        ends = np.cumsum(forest.n_terms)[:-1]
        scale = padded([s for s in np.split(self.support.scale, ends) if len(s)], 0.0)
        marginal = padded([forest.marginal[f] for f in counted], 0.0)
        terms = graph.take(self.positions.terms(n_terms), counted) * scale
        plain = graph("Log", graph.sum(terms * marginal, 1))
        surprise = 0.0 - plain
        parents = np.array(forest.parent)[counted]
        children = np.flatnonzero(parents >= 0)
        typical = self.support.typical[counted][:, np.newaxis]
        alone = self.support.typical_alone[counted][:, np.newaxis]
        if not len(children):
            return surprise - typical
        tables = np.zeros((len(children), n_terms, n_terms))
        for table, child in zip(tables, children, strict=True):
            pairs = forest.joint[int(counted[child])].T
            table[: pairs.shape[0], : pairs.shape[1]] = pairs
        own = np.searchsorted(counted, parents[children])
        both = graph.sum((tables @ graph.take(terms, own)) * graph.take(terms, children), 1)
        given = graph.take(plain, own) - graph("Log", both)
        is_alone = graph.take(self.positions.missing, parents[children])
        by_itself = graph.take(surprise, children) - alone[children]
        given = graph.where(is_alone, by_itself, given - typical[children])
        roots = np.flatnonzero(parents < 0)
        found = graph("Concat", graph.take(surprise, roots) - typical[roots], given, axis=0)
        return graph.take(found, np.argsort(np.concatenate([roots, children])))

    def _excess(self) -> Value:
        """Add up how far values lie outside of what the training data had."""
        graph, support = self.graph, self.support
        halves, width = self.positions.halves, support.maximum / 2 - support.minimum / 2
        low, high = support.minimum[:, np.newaxis] / 2, support.maximum[:, np.newaxis] / 2
        is_listed = np.isin(np.arange(len(width)), list(support.values))
        listed, varied, constant = (
            np.flatnonzero(mask)
            for mask in (is_listed, ~is_listed & (width > 0), ~is_listed & (width == 0))
        )
        found = [graph.sum(halves * 0.0, 0, keep=True)]
        if len(varied):
            beyond = self._beyond(varied, low[varied], high[varied])
            found.append(self._clipped(varied, beyond / width[varied, np.newaxis]))
        if len(constant):
            beyond = self._beyond(constant, low[constant], high[constant])
            share = beyond * 2.0 / (np.abs(support.minimum[constant, np.newaxis]) + 1)
            changed = graph("Max", share, support.changed)
            found.append(self._clipped(constant, graph.where(beyond > 0.0, changed, 0.0)))
        if len(listed):
            known = [support.values[feature] / 2 for feature in listed.tolist()]
            step = np.array([[max(np.diff(values).min(), TINY)] for values in known])
            half = graph.expand(graph.take(halves, listed), 1)
            distance = graph("Abs", half - padded(known, np.inf))
            nearest = graph("ReduceMin", distance, axes=[1], keepdims=0)
            found.append(self._clipped(listed, nearest / step))
        return graph.sum(graph("Concat", *found, axis=0), 0)

    def _beyond(self, own: NDArray[np.int64], low: Array, high: Array) -> Value:
        half = self.graph.take(self.positions.halves, own)
        return self.graph("Max", low - half, half - high)

    def _clipped(self, own: NDArray[np.int64], excess: Value) -> Value:
        clipped = self.graph.clip(excess, 0.0, self.support.furthest)
        return self.graph.where(self.graph.take(self.positions.is_nan, own), 0.0, clipped)
