"""Decisions of the schemes "ds", "vote", "swin" and "weighted", as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fuzzyucs.deployment.onnx.graph import IMPOSSIBLE, POSSIBLE, Value
from fuzzyucs.deployment.onnx.matches import Matches
from fuzzyucs.deployment.onnx.missing import MissingValues

__all__ = ["Answer", "answer"]


class Answer(NamedTuple):
    """What rules say; arrays have a row for each class, a column for each row of data."""

    label: Value  # index of the predicted class
    probabilities: Value
    mass: Value
    ignorance: Value


class _Combined(NamedTuple):
    """Rules that match, combined."""

    logs: Value  # logarithms of commonalities
    logs_with_prior: Value  # the same if a prior normalises, where values are missing
    degree: Value  # degrees, discounted by the probability that missing values fit
    mass: Value
    ignorance: Value


Scheme = Callable[[Matches, _Combined], tuple[Value, Value]]


def answer(matches: Matches) -> Answer:
    """Decide by the scheme of the model.

    Parameters
    ----------
    matches : Matches
        Degrees to which rules match.

    Returns
    -------
    Answer
    """
    logs, logs_with_prior, degree = _combine(matches)
    mass, ignorance = _masses(matches, logs)
    combined = _Combined(logs, logs_with_prior, degree, mass, ignorance)
    index, probabilities = SCHEMES[matches.model.scheme](matches, combined)
    return Answer(index, probabilities, mass, ignorance)


def _combine(matches: Matches) -> tuple[Value, Value, Value]:
    graph, model = matches.graph, matches.model
    plain = graph.sum(matches.rule_logs, 1)
    believed, forest = matches.believed_features, model.forest
    if forest is None or not believed:
        return plain, plain, matches.degree
    missing = graph.number(graph.take(matches.positions.missing, believed))
    is_any = graph("ReduceSum", missing, keepdims=0) > 0.0
    logs, with_prior, degree = graph.when(
        is_any,
        lambda: MissingValues(matches, forest, believed, missing).combined(),
        lambda: [plain, plain, matches.degree],
    )
    return logs, with_prior, degree


def _masses(matches: Matches, logs: Value) -> tuple[Value, Value]:
    graph, model = matches.graph, matches.model
    logs = logs / model.temperature
    greatest = graph.max(graph.split_last(logs)[0], 0, keep=True)
    is_possible = greatest > POSSIBLE
    commonality = graph("Exp", logs - graph.where(is_possible, greatest, 0.0))
    classes, theta = graph.split_last(commonality)
    theta = graph.where(is_possible, theta, 1.0)
    mass = graph("Max", classes - theta, 0.0)
    whole = graph.sum(mass, 0, keep=True) + theta
    kept = 1 - model.discount
    return mass / whole * kept, theta / whole * kept + model.discount


def _best(matches: Matches, scores: Value) -> Value:
    """Return the index of the class with the greatest score, the first of those that tie."""
    return matches.graph("ArgMax", scores, axis=0, keepdims=0)


def _weighted(matches: Matches, combined: _Combined) -> tuple[Value, Value]:
    graph = matches.graph
    prior = matches.model.prior[:, np.newaxis]
    scores = graph.split_last(combined.logs_with_prior)[0] + prior
    probabilities = graph("Softmax", scores, axis=0)
    return _best(matches, scores), probabilities


def _dempster_shafer(matches: Matches, combined: _Combined) -> tuple[Value, Value]:
    graph = matches.graph
    scores = graph("Max", graph.split_last(combined.logs)[0], POSSIBLE)
    probabilities = combined.mass + combined.ignorance / len(matches.model.classes)
    return _best(matches, scores), probabilities


def _vote(matches: Matches, combined: _Combined) -> tuple[Value, Value]:
    """Give each class the share of its positive votes; without any, the best classes share."""
    graph, rules = matches.graph, matches.rules
    own = np.arange(len(matches.model.classes))[:, np.newaxis] == rules.consequent
    votes = np.where(own, rules.fitness * rules.strength, 0.0) @ combined.degree
    positive = graph("Max", votes, 0.0)
    best = graph.number(votes >= graph.max(votes, 0, keep=True))
    shares = graph.where(graph.max(positive, 0, keep=True) > 0.0, positive, best)
    shares = shares / graph.max(shares, 0, keep=True)
    shares = shares / graph.sum(shares, 0, keep=True)
    return _best(matches, votes), shares


def _single_winner(matches: Matches, combined: _Combined) -> tuple[Value, Value]:
    graph, rules = matches.graph, matches.rules
    score = combined.degree * rules.fitness[:, np.newaxis]
    is_match = matches.degree > 0.0
    score = graph.where(is_match, score, IMPOSSIBLE)
    winner = graph("ArgMax", score, axis=0, keepdims=1)
    degree = graph("GatherElements", combined.degree, winner, axis=0)
    degree = degree * graph.max(graph.number(is_match), 0, keep=True)
    winner = graph("Squeeze", winner, np.array([0]))
    weights = graph("Gather", rules.weights.T.copy(), winner, axis=1)
    probabilities = weights * degree + (1.0 - degree) / len(matches.model.classes)
    # Where no rule matches, all classes tie, so the first wins.
    index = graph.where(
        graph.max(graph.number(is_match), 0) > 0.0,
        graph("Gather", rules.consequent.astype(np.int64), winner),
        np.array(0),
    )
    return index, probabilities


SCHEMES: dict[str, Scheme] = {
    "ds": _dempster_shafer,
    "vote": _vote,
    "swin": _single_winner,
    "weighted": _weighted,
}
