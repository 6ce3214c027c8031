"""The answer to records: what rules say, less what novelty takes back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.evidence.support import Support

__all__ = ["answer_records"]


def answer_records(decision: Decision, support: Support | None, X: NDArray[np.float64]) -> Answer:
    """Return class indices, probabilities and evidence of records.

    Parameters
    ----------
    decision : Decision
        How the model decides.
    support : Support, optional
        What the training data look like. Novelty takes back a part of the evidence. Where base
        rates say what ignorance is worth, probabilities and class indices follow from what is left.
    X : ndarray of shape (n_samples, n_features)
        Records, as numbers.

    Returns
    -------
    Answer
    """
    positions = decision.rules.variables.positions(X)
    if support is not None and decision.novelty_decides:
        evidence = decision.evidence(positions).discount(support.novelty(X))
        return Answer(evidence.probability.argmax(axis=1), evidence.probability, evidence)
    answer = decision.answer(positions)
    if support is None:
        return answer
    evidence = answer.evidence.discount(support.novelty(X))
    return Answer(answer.labels, answer.probability, evidence)
