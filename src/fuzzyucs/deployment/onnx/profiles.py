"""Rules with class profiles, base rates and verdicts, as nodes of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.numpy_model import (
    GREATEST_LOG,
    LEAST_CONTRADICTION,
    MOST_IGNORANCE,
    NO_EVIDENCE,
    REASONS,
    ROUNDING,
    VERDICTS,
)
from fuzzyucs.deployment.onnx.graph import IMPOSSIBLE, Array, Value
from fuzzyucs.deployment.onnx.matches import Matches
from fuzzyucs.deployment.onnx.missing import MissingValues

__all__ = ["profiled_outputs"]


def profiled_outputs(
    matches: Matches, labels: NDArray[Any], novelty: Value | None
) -> dict[str, Value]:
    """Return the outputs of a model with base rates, by name.

    Parameters
    ----------
    matches : Matches
        Degrees to which rules match.
    labels : ndarray of shape (n_classes,)
        Class labels.
    novelty : Value, optional
        Novelty of each row.

    Returns
    -------
    dict of str to Value
    """
    graph, model = matches.graph, matches.model
    rates = np.asarray(model.base_rates)[:, np.newaxis]
    degree = _expected(matches)
    shift = degree - model.rules.neutral[:, np.newaxis]
    shift = graph.where(graph("Abs", shift) >= ROUNDING, shift, 0.0)
    with np.errstate(divide="ignore"):
        log_rates = np.maximum(np.log(rates), IMPOSSIBLE)
    scores = model.rules.profile.T @ shift
    contradiction, moderation = _compared(matches, degree, shift, scores + log_rates)
    least = _least(matches, shift) * moderation
    mass, ignorance = _masses(matches, least, scores * moderation, log_rates)
    if novelty is not None:
        taken = novelty * novelty
        kept = 1.0 - taken
        mass, ignorance = mass * kept, taken + kept * ignorance
    probabilities = mass + graph.expand(ignorance, 0) * rates
    confidence = graph.max(probabilities, 0)
    verdict, reason = _verdict(matches, confidence, ignorance, contradiction, novelty)
    label = graph("ArgMax", probabilities, axis=0, keepdims=0)
    return {
        "label": graph("Gather", labels, label),
        "probabilities": graph("Transpose", probabilities, perm=[1, 0]),
        "mass": graph("Transpose", mass, perm=[1, 0]),
        "ignorance": ignorance,
        **({} if novelty is None else {"novelty": novelty}),
        "contradiction": contradiction,
        "verdict": graph("Gather", np.array(VERDICTS, dtype=object), verdict),
        "reason": graph("Gather", np.array(REASONS, dtype=object), reason),
    }


def _expected(matches: Matches) -> Value:
    """Return the degrees to which rules are expected to match."""
    graph, forest = matches.graph, matches.model.forest
    features, degree = matches.believed_features, matches.degree
    if forest is not None and features:
        missing = graph.number(graph.take(matches.positions.missing, features))
        (degree,) = graph.when(
            graph("ReduceSum", missing, keepdims=0) > 0.0,
            lambda: [MissingValues(matches, forest, features, missing).expected()],
            lambda: [matches.degree],
        )
    return degree


def _least(matches: Matches, shift: Value) -> Value:
    """Add up what each rule adds to the class that it favours least."""
    graph, profile = matches.graph, matches.rules.profile
    most, fewest = graph("Max", shift, 0.0), graph("Min", shift, 0.0)
    low, high = profile.min(axis=1)[np.newaxis], profile.max(axis=1)[np.newaxis]
    return graph("Add", low @ most, high @ fewest)


def _masses(matches: Matches, least: Value, scores: Value, log_rates: Array) -> tuple[Value, Value]:
    """Return the masses of classes, and of "I don't know" for each row."""
    graph, rates = matches.graph, np.asarray(matches.model.base_rates)[:, np.newaxis]
    best = _is_best(matches, scores + log_rates)
    top = graph.sum(graph.where(best, scores, 0.0), 0, keep=True)
    # Base rates as they are, and not from logarithms: without evidence, probabilities are they.
    odds = graph("Exp", graph("Min", scores - top, GREATEST_LOG)) * rates
    total = graph.sum(odds, 0, keep=True) / float(rates.sum())
    ignorance = graph("Min", graph("Exp", least - top) / total, 1.0)
    mass = graph("Max", odds / total - ignorance * rates, 0.0)
    return mass, graph("Squeeze", ignorance, np.array([0]))


def _compared(matches: Matches, degree: Value, shift: Value, whole: Value) -> tuple[Value, Value]:
    """Compare the two most probable classes: contradiction, and how many times evidence counts."""
    graph, profile = matches.graph, matches.rules.profile
    best = _is_best(matches, whole)
    others = graph.where(best, 10 * IMPOSSIBLE, whole)
    difference = graph.number(best) - graph.number(_is_best(matches, others))
    lead = profile @ difference
    parts = shift * lead
    sums, sizes = graph("Abs", graph.sum(parts, 0)), graph.sum(graph("Abs", parts), 0)
    contradiction = graph("Max", (sizes - sums) / (sizes + NO_EVIDENCE), 0.0)
    # What missing values leave open moderates all evidence.
    variance = graph.sum(degree * (matches.degree - degree) * lead * lead, 0, keep=True)
    variance = variance * float(matches.model.moderates)
    spread = graph("Max", variance, 0.0) * (np.pi / 8)
    moderation = graph("Reciprocal", graph("Sqrt", spread + 1.0))
    return contradiction, moderation


def _is_best(matches: Matches, scores: Value) -> Value:
    """Tell which class has the greatest score, the first of those that tie."""
    graph = matches.graph
    classes = np.arange(len(matches.model.classes))[:, np.newaxis]
    return graph("Equal", graph("ArgMax", scores, axis=0, keepdims=1), classes)


def _verdict(
    matches: Matches,
    confidence: Value,
    ignorance: Value,
    contradiction: Value,
    novelty: Value | None,
) -> tuple[Value, Value]:
    """Return the indices of what evidence amounts to, and of why it is no answer."""
    where = matches.graph.where
    is_open = ignorance > MOST_IGNORANCE
    is_sure = confidence >= matches.model.answer_threshold
    is_torn = contradiction >= LEAST_CONTRADICTION
    answer, torn, unknown = (np.array(k) for k in range(len(VERDICTS)))
    verdict = where(is_open, unknown, where(is_sure, answer, where(is_torn, torn, unknown)))
    why = {name: np.array(k) for k, name in enumerate(REASONS)}
    why_open = where(_lacks_values(matches), why["missing"], why["evidence"])
    if novelty is not None:
        # What novelty adds to the ignorance, beside what the rules leave open.
        why_open = where(novelty * novelty * 2.0 >= ignorance, why["novelty"], why_open)
    why_closed = where(is_torn, why["contradiction"], why["undecided"])
    return verdict, where(is_open, why_open, where(is_sure, why[""], why_closed))


def _lacks_values(matches: Matches) -> Value:
    """Tell for which rows rules ask for a missing value."""
    graph = matches.graph
    asked = np.flatnonzero(matches.rules.asks.any(axis=1))
    # Without conditions there is nothing to ask for, but there have to be as many rows.
    chosen = np.append(asked, 0)
    counted = np.append(np.ones(len(asked)), 0.0)[:, np.newaxis]
    missing = graph.number(graph.take(matches.positions.missing, chosen)) * counted
    return graph.sum(missing, 0) > 0.0
