"""How an explanation of one record is put together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.evidence.support import Support
from fuzzyucs.explain.flips import Flip, find_flips
from fuzzyucs.explain.ledger import Explanation
from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["explain_record"]

Array = NDArray[np.float64]


def explain_record(decision: Decision, record: Array, support: Support | None) -> Explanation:
    """Explain how a record is classified.

    Parameters
    ----------
    decision : Decision
        How the model decides.
    record : ndarray of shape (n_features,)
        The record; categories as numbers.
    support : Support, optional
        What the training data look like.

    Returns
    -------
    Explanation
    """
    rules, rows = decision.rules, record[np.newaxis]
    variables = rules.variables
    positions = variables.positions(rows)
    answer = decision.answer(positions)
    evidence, reasons = answer.evidence, []
    if support is not None:
        parts = support.parts(rows)
        evidence = evidence.discount(support.novelty_of(parts))
        reasons = support.reasons(record, parts=parts[0])
    return Explanation(
        rules.classes,
        {
            name: variables.columns.label(feature, value)
            for feature, (name, value) in enumerate(
                zip(variables.feature_names, record.tolist(), strict=True)
            )
        },
        decision.entries(record, positions),
        decision.unit,
        answer.probability[0],
        evidence,
        int(answer.labels[0]),
        reasons,
        _flips(decision, record, answer.labels[0]),
    )


def _flips(decision: Decision, record: Array, own: Any) -> list[Flip]:
    """Find the smallest changes that would change the prediction."""
    rules, variables = decision.rules, decision.rules.variables
    conditions = None
    if np.isnan(record).any():
        # A value that no rule asks for may still tell something about missing ones.
        features = np.arange(len(record))
    elif decision.draws_ties:
        # Where classes tie, every change of a value draws again.
        features = np.flatnonzero(rules.asks.any(axis=0))
    else:
        involved = _involved(rules, record)
        features = np.flatnonzero(involved.any(axis=1))
        conditions = {f: rules.conditions[involved[f], f] for f in features.tolist()}
    flips = find_flips(
        variables,
        record,
        features,
        lambda rows: decision.decide(variables.positions(rows)),
        own,
        conditions,
    )
    return [replace(flip, label=rules.classes[flip.label]) for flip in flips]


def _involved(rules: RuleSet, record: Array) -> NDArray[np.bool_]:
    """Tell which rules can match if the value of a feature changes; (n_features, n_rules).

    The others ask nothing of the feature, or fail because of another value.
    """
    left_open = np.where(np.eye(len(record), dtype=bool), np.nan, record)
    positions = rules.variables.positions(left_open)
    matches = rules.without_beliefs().freeze().membership(positions) > 0
    involved: NDArray[np.bool_] = matches & rules.asks.T
    return involved
