"""Choosing the question to ask about one record."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.evidence.support import Support
from fuzzyucs.evidence.verdict_words import Verdict
from fuzzyucs.explain.explaining import record_verdict
from fuzzyucs.questions.asking import Asked, ask, rank
from fuzzyucs.questions.next_question import Candidate, NextQuestion, Reply
from fuzzyucs.questions.replies import reply_text
from fuzzyucs.questions.uncertainty import Uncertainty
from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["choose_question"]

Array = NDArray[np.float64]


def choose_question(
    decision: Decision,
    support: Support | None,
    record: Array,
    uncertainty: Uncertainty,
    prices: Array | None = None,
    unseen: Mapping[int, Any] | None = None,
) -> NextQuestion:
    """Choose the question to ask about a record.

    Parameters
    ----------
    decision : Decision
        How the model decides: by rules with profiles.
    support : Support, optional
        What the training data look like.
    record : ndarray of shape (n_features,)
        The record; categories as numbers.
    uncertainty : Uncertainty
        What is to be reduced.
    prices : ndarray of shape (n_features,), optional
        What questions cost; by default all the same. Of an infinite price, nothing is asked.
    unseen : mapping of int to object, optional
        Categories that were not seen in training, by feature; the record has NaN there.

    Returns
    -------
    NextQuestion
    """
    is_missing = np.isnan(record)
    is_missing[list(unseen or {})] = False
    each = np.ones(len(record)) if prices is None else prices
    is_open = is_missing & np.isfinite(each)
    asked = ask(decision, support, record[np.newaxis], is_open[np.newaxis])
    reduction, second = asked.reduction(uncertainty)[0], asked.reduction(Uncertainty())[0]
    partition: Any = decision.rules.variables  # a LinguisticPartition
    names = partition.table_variables.feature_names
    candidates = [
        Candidate(names[feature], float(reduction[feature]), float(each[feature]))
        for feature in rank(reduction, each, second).tolist()
    ]
    evidence = asked.evidence
    return NextQuestion(
        evidence=evidence,
        # Models with base rates have verdicts.
        verdict=cast(Verdict, record_verdict(decision, record, evidence, support, unseen)),
        uncertainty=uncertainty,
        left=float(uncertainty.of(evidence)[0]),
        candidates=candidates,
        n_idle=int((is_open & ~asked.is_asked[0]).sum()),
        n_priceless=int((is_missing & ~is_open).sum()),
        has_prices=bool((each[is_open] != 1).any()),
        replier=partial(_replies, partition, asked, uncertainty),
    )


def _replies(
    partition: LinguisticPartition, asked: Asked, uncertainty: Uncertainty, name: str
) -> list[Reply]:
    """Return the replies to the question about a feature."""
    columns = partition.table_variables
    feature = columns.feature_names.index(name)
    chosen = np.flatnonzero(asked.replies.feature == feature)
    evidence, replies = asked.replied[chosen], asked.replies
    left = uncertainty.of(evidence)
    return [
        Reply(
            text=reply_text(partition, int(replies.view[index]), int(replies.term[index])),
            value=columns.columns.label(feature, float(replies.value[index])),
            probability=float(replies.probability[index]),
            verdict=str(evidence.verdict[k]),
            reason=str(evidence.reason[k]),
            label=evidence.classes[evidence.probability[k].argmax()],
            class_probability=evidence.probability[k],
            ignorance=float(evidence.ignorance[k]),
            uncertainty=float(left[k]),
        )
        for k, index in enumerate(chosen.tolist())
    ]
