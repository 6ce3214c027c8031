"""How an explanation of one record is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.novelty import answer_records
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Support
from fuzzyucs.evidence.verdict_words import Verdict, put_into_words
from fuzzyucs.explain.flips import NO_GRID, Flip, find_flips
from fuzzyucs.explain.grid import Grid
from fuzzyucs.explain.ledger import Explanation
from fuzzyucs.explain.missing_flips import flips_if_known, flips_if_missing
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.variables.precision import CONTINUOUS
from fuzzyucs.variables.sketching import Sketch, sketch
from fuzzyucs.variables.variables import Variables

__all__ = ["explain_record", "record_verdict", "sketch_rule"]

NO_ANSWER = -1  # instead of the index of a class
MOST_TRIED = 1000  # features; of more, those that rules ask for and the most unusual ones
N_UNUSUAL = 20
NOT_SEEN = -1.0  # the number of a category that was not seen in training, in texts alone

Array = NDArray[np.float64]


def explain_record(
    decision: Decision,
    record: Array,
    support: Support | None,
    unseen: Mapping[int, Any] | None = None,
) -> Explanation:
    """Explain how a record is classified.

    Parameters
    ----------
    decision : Decision
        How the model decides.
    record : ndarray of shape (n_features,)
        The record; categories as numbers.
    support : Support, optional
        What the training data look like.
    unseen : mapping of int to object, optional
        Categories that were not seen in training, by feature; the record has NaN there.

    Returns
    -------
    Explanation
    """
    unseen = unseen or {}
    rules, rows = decision.rules, record[np.newaxis]
    variables = rules.variables.table_variables
    positions, of_columns = rules.variables.positions(rows), variables.positions(rows)[0]
    answer = answer_records(decision, support, rows)
    evidence = answer.evidence
    reasons = [] if support is None else support.reasons(record)
    not_seen = _names_not_seen(variables, record, of_columns, unseen)
    # Values that are none of a nominal feature's: rules cannot tell them from missing ones.
    told = record.copy()
    told[list(unseen)] = NOT_SEEN
    verdict = record_verdict(decision, record, evidence, support, unseen)
    own = int(answer.labels[0])
    if decision.novelty_decides:
        flips = _flips_of_verdict(decision, record, support)
    else:
        flips = _flips(decision, record, own, _grid(support, variables))
    return Explanation(
        rules.classes,
        {
            name: unseen.get(feature, variables.columns.label(feature, value))
            for feature, (name, value) in enumerate(
                zip(variables.feature_names, record.tolist(), strict=True)
            )
        },
        decision.entries(told, positions),
        decision.unit,
        answer.probability[0],
        evidence,
        own,
        reasons,
        [_told(replace(flip, label=rules.classes[flip.label]), not_seen) for flip in flips],
        verdict,
        not_seen,
        partial(sketch_rule, decision, told, positions[0]),
        has_data=any(rules.model_as_dict().get("class_rows", [1])),
    )


def record_verdict(
    decision: Decision,
    record: Array,
    evidence: Evidence,
    support: Support | None,
    unseen: Mapping[int, Any] | None = None,
) -> Verdict | None:
    """Say what the evidence about a record amounts to.

    Parameters
    ----------
    decision, record, support, unseen
        As in `explain_record`.
    evidence : Evidence
        What the model says of the record.

    Returns
    -------
    Verdict or None
        None if the model has no base rates.
    """
    if evidence.base_rates is None:
        return None
    rules, variables = decision.rules, decision.rules.variables.table_variables
    positions = variables.positions(record[np.newaxis])[0]
    outside = {} if support is None else support.outside(record)
    for feature, value in (unseen or {}).items():
        name = variables.feature_names[feature]
        outside[name] = f"{name} {value} was never seen"
    return put_into_words(
        evidence,
        missing=_missing_by_importance(rules, positions),
        unusual=[] if support is None else [r.sentence for r in support.reasons(record)],
        unseen=_names_not_seen(variables, record, positions, unseen or {}),
        outside=outside,
    )


def _names_not_seen(
    variables: Variables, record: Array, positions: Array, unseen: Mapping[int, Any]
) -> list[str]:
    """Return the features whose value is known, but was not seen in training."""
    is_known = ~np.isnan(record)
    is_known[list(unseen)] = True
    found = np.flatnonzero(np.isnan(positions) & is_known)
    return [variables.feature_names[feature] for feature in found.tolist()]


def sketch_rule(
    decision: Decision, record: Array, positions: Array, rule: int
) -> tuple[list[Sketch], int]:
    """Return what pictures of a rule show.

    Parameters
    ----------
    decision : Decision
        How the model decides.
    record, positions : ndarray of shape (n_features,)
        Values of the record, and where they lie on their variables.
    rule : int
        Index of the rule, as entries have it.

    Returns
    -------
    list of Sketch
        One for each condition.
    int
        Index of the class that the rule speaks for, or else against.
    """
    rules, own = decision.rules, int(np.flatnonzero(decision.rule_indices == rule)[0])
    values = record[rules.variables.feature_of_view]
    sketches = [
        sketch(rules.variables, f, rules.conditions[own][f], float(values[f]), float(positions[f]))
        for f in rules.asked_features[own]
    ]
    return sketches, int(rules.named_class[own])


def _told(flip: Flip, not_seen: Sequence[str]) -> Flip:
    """Say of a value that was not seen in training that it was not, and not that it is missing."""
    if flip.feature not in not_seen:
        return flip
    return replace(flip, text=flip.text.replace("(missing)", "(not seen in training)", 1))


def _missing_by_importance(rules: RuleSet, positions: Array) -> list[str]:
    """Return the missing values that rules ask for, those first whose rules have most evidence."""
    asked = rules.asked_columns
    evidence = rules.carried_evidence() @ asked
    missing = np.flatnonzero(np.isnan(positions) & asked.any(axis=0))
    order = missing[np.argsort(-evidence[missing], kind="stable")]
    names = rules.variables.table_variables.feature_names
    return [names[feature] for feature in order.tolist()]


def _flips_of_verdict(decision: Decision, record: Array, support: Support | None) -> list[Flip]:
    """Find the smallest changes of what is known, and what is missing or may be.

    What changes is the answer of the verdict: it may become another one, or none, or come to be.
    Every rule speaks, and every value counts for the novelty.
    """
    rules, variables = decision.rules, decision.rules.variables.table_variables

    def outcome(rows: Array) -> NDArray[Any]:
        answer = answer_records(decision, support, rows)
        return np.where(answer.evidence.verdict == "answer", answer.labels, NO_ANSWER)

    every = _features_to_try(rules, record, support)
    own, features, conditions, others = outcome(record[np.newaxis])[0], every, None, None
    if support is not None:
        others = {f: support.partition.values_to_try(f) for f in every.tolist()}
    elif not np.isnan(record).any():
        features = np.flatnonzero(rules.asked_columns.any(axis=0))
        if variables is rules.variables:
            conditions = {f: rules.conditions[rules.asks[:, f], f] for f in features.tolist()}

    def other_class(rows: Array) -> NDArray[Any]:
        found = outcome(rows)
        return np.where(found == NO_ANSWER, own, found)

    grid = _grid(support, variables)
    changes = find_flips(variables, record, features, outcome, own, conditions, others, grid)
    place = {name: f for f, name in enumerate(variables.feature_names)}
    if own != NO_ANSWER:
        # Behind values without an answer there may be some with another one.
        behind = sorted(place[flip.feature] for flip in changes if flip.label == NO_ANSWER)
        some = np.array(behind, dtype=np.intp)
        changes += find_flips(variables, record, some, other_class, own, conditions, others, grid)
        changes.sort(key=lambda flip: (flip.distance, place[flip.feature]))
    strange = {} if support is None else support.outside(record)
    lost = flips_if_missing(variables, record, outcome, own, every)
    flips = [
        *(flip for flip in lost if flip.feature in strange),  # the value itself is the problem
        *changes,
        *flips_if_known(variables, record, outcome, own, others, every, grid),
        *(flip for flip in lost if flip.feature not in strange),
    ]
    if not flips:
        return flips
    rows = np.tile(record, (len(flips), 1))
    for row, flip in zip(rows, flips, strict=True):
        feature = place[flip.feature]
        row[feature] = variables.columns.number(feature, flip.other)
    answer = answer_records(decision, support, rows)
    return [
        replace(flip, label=int(label), reason=str(reason))
        for flip, label, reason in zip(flips, answer.labels, answer.evidence.reason, strict=True)
    ]


def _grid(support: Support | None, variables: Variables) -> Grid:
    """Return the values that features can have, as far as the training data tell."""
    if support is None or support.known.decimals is None:
        return NO_GRID
    own = [
        variables.has_order(f) and not variables.is_coded(f) for f in range(variables.n_features)
    ]
    return Grid(np.where(own, support.known.decimals, CONTINUOUS))


def _features_to_try(rules: RuleSet, record: Array, support: Support | None) -> NDArray[np.intp]:
    """Return the features whose values are changed: all, unless there are too many."""
    if len(record) <= MOST_TRIED:
        return np.arange(len(record))
    is_tried = np.asarray(rules.asked_columns.any(axis=0))
    if support is not None:
        parts = support.parts(record[np.newaxis])[0]
        is_tried[np.argsort(-parts, kind="stable")[:N_UNUSUAL]] = True
    return np.flatnonzero(is_tried)


def _flips(decision: Decision, record: Array, own: int, grid: Grid) -> list[Flip]:
    """Find the smallest changes that would change the prediction."""
    rules, variables = decision.rules, decision.rules.variables
    conditions = None
    if np.isnan(record).any():
        # A value that no rule asks for may still tell something about missing ones.
        features = _features_to_try(rules, record, None)
    elif decision.draws_ties:
        # Where classes tie, every change of a value draws again.
        features = np.flatnonzero(rules.asks.any(axis=0))
    else:
        involved = _involved(rules, record)
        features = np.flatnonzero(involved.any(axis=1))
        conditions = {f: rules.conditions[involved[f], f] for f in features.tolist()}
    return find_flips(
        variables,
        record,
        features,
        lambda rows: decision.decide(variables.positions(rows)),
        own,
        conditions,
        grid=grid,
    )


def _involved(rules: RuleSet, record: Array) -> NDArray[np.bool_]:
    """Tell which rules can match if the value of a feature changes; (n_features, n_rules).

    The others ask nothing of the feature, or fail because of another value.
    """
    left_open = np.where(np.eye(len(record), dtype=bool), np.nan, record)
    positions = rules.variables.positions(left_open)
    matches = rules.without_beliefs().freeze().membership(positions) > 0
    involved: NDArray[np.bool_] = matches & rules.asks.T
    return involved
