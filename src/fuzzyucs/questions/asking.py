"""What questions about records are expected to leave open."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.novelty import answer_records
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Support
from fuzzyucs.questions.replies import Replies, askable_features, possible_replies, views_to_ask_in
from fuzzyucs.questions.uncertainty import Uncertainty, entropy

__all__ = ["Asked", "ask", "rank"]

MOST_VALUES = 2_000_000  # of records with a reply, held in memory at a time
DIGITS = 10  # of reductions that are told apart

Array = NDArray[np.float64]


class Asked(NamedTuple):
    """What questions about records are expected to leave open.

    Attributes
    ----------
    evidence : Evidence
        What the model says of the records now.
    is_asked : ndarray of shape (n_records, n_features)
        Which values may be asked for.
    replies : Replies
        What may be replied.
    replied : Evidence
        What the model says after each reply.
    """

    evidence: Evidence
    is_asked: NDArray[np.bool_]
    replies: Replies
    replied: Evidence

    def reduction(self, uncertainty: Uncertainty) -> Array:
        """Return by how much each question is expected to reduce the uncertainty.

        Parameters
        ----------
        uncertainty : Uncertainty
            What is to be reduced.

        Returns
        -------
        ndarray of shape (n_records, n_features)
            The uncertainty now, less the mean over the replies; NaN where nothing is asked. Of
            "information", what counts as now is the mean of what would be said after the replies.
        """
        reduction = np.full(self.is_asked.shape, np.nan)
        first = np.flatnonzero(self.replies.term == 0)  # replies to a question follow each other
        if not len(first):
            return reduction
        record, share = self.replies.record[first], self.replies.probability
        left = np.add.reduceat(share * uncertainty.of(self.replied), first)
        if uncertainty.is_information:
            mean = np.add.reduceat(share[:, np.newaxis] * self.replied.probability, first, axis=0)
            now = entropy(mean)
        else:
            now = uncertainty.of(self.evidence)[record]
        reduction[record, self.replies.feature[first]] = now - left
        return reduction


def ask(
    decision: Decision,
    support: Support | None,
    records: Array,
    is_open: NDArray[np.bool_] | None = None,
) -> Asked:
    """Find what may be replied to questions about records, and what the model would say then.

    Parameters
    ----------
    decision : Decision
        How the model decides: by rules with profiles.
    support : Support, optional
        What the training data look like.
    records : ndarray of shape (n_records, n_features)
        Records with missing values.
    is_open : ndarray of shape (n_records, n_features), optional
        Which missing values may be asked for; by default all that could change what rules say.

    Returns
    -------
    Asked
    """
    rules = decision.rules
    partition: Any = rules.variables  # a LinguisticPartition
    positions = partition.positions(records)
    is_missing = np.isnan(records) if is_open is None else np.isnan(records) & is_open
    asks, is_unknown = np.asarray(rules.asks.any(axis=0)), np.isnan(positions)
    is_asked = partition.by_feature(askable_features(partition, asks, is_unknown)) & is_missing
    replies = possible_replies(partition, positions, is_asked, views_to_ask_in(rules))
    n, step = len(replies.term), max(1, MOST_VALUES // records.shape[1])
    parts = []
    for first in range(0, n, step):
        some = slice(first, first + step)
        rows = records[replies.record[some]]
        rows[np.arange(len(rows)), replies.feature[some]] = replies.value[some]
        parts.append(answer_records(decision, support, rows).evidence)
    evidence = answer_records(decision, support, records).evidence
    replied = Evidence.join(parts) if parts else evidence[:0]
    return Asked(evidence, is_asked, replies, replied)


def rank(reduction: Array, prices: Array, others: Array | None = None) -> NDArray[np.intp]:
    """Order questions about one record, the most useful first.

    Parameters
    ----------
    reduction : ndarray of shape (n_features,)
        By how much each question is expected to reduce the uncertainty; NaN where nothing is asked.
    prices : ndarray of shape (n_features,)
        What each question costs.
    others : ndarray of shape (n_features,), optional
        Reductions of another uncertainty, which decide among questions that are equally useful.

    Returns
    -------
    ndarray of int
        Indices of the features that are asked for. The greatest reduction per price comes first;
        questions that are expected to reduce nothing come last, whatever they cost.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.questions.asking import rank
    >>> rank(np.array([0.4, np.nan, 0.3, -0.1, 0.0]), np.array([2.0, 1.0, 1.0, 9.0, 1.0]))
    array([2, 0, 4, 3])
    """
    keys = [_worth(reduction, prices)]
    if others is not None:
        keys.append(_worth(others, prices))
    order = np.lexsort([np.arange(len(reduction)), *(-key for key in reversed(keys))])
    return order[~np.isnan(reduction[order])]


def _worth(reduction: Array, prices: Array) -> Array:
    """Return reductions per price, in which rounding makes no difference."""
    worth = np.where(reduction > 0, reduction / prices, reduction).round(DIGITS)
    return np.asarray(np.where(np.isnan(worth), -np.inf, worth), dtype=float)
