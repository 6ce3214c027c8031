"""Uncertainty: what a question is meant to reduce, as one number for each record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.evidence import Evidence

__all__ = ["DEFAULT", "MEASURES", "Uncertainty", "entropy"]

Array = NDArray[np.float64]

# By what they are called in sentences.
MEASURES = {
    "information": "entropy",
    "entropy": "entropy",
    "ignorance": "ignorance",
    "error": "expected error",
    "brier": "expected Brier score",
    "loss": "expected loss",
}
DEFAULT = "information"


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What a question is meant to reduce.

    Parameters
    ----------
    measure : {"information", "entropy", "ignorance", "error", "brier", "loss"}
        "information" and "entropy": the entropy of the probabilities of the classes, in bits.
        "ignorance": the mass of "I don't know". "error": the probability that the most probable
        class is wrong. "brier": the Brier score that is expected if the probabilities are right,
        1 - sum of squares. "loss": the least expected loss of an action.
    losses : ndarray of shape (n_actions, n_classes), optional
        What each action costs if each class is true, as in `Evidence.decide`; for "loss".

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> from fuzzyucs.questions.uncertainty import Uncertainty
    >>> mass, half = np.array([[0.5, 0.0]]), np.array([0.5])
    >>> rates = np.array([0.5, 0.5])
    >>> evidence = Evidence(np.array([0, 1]), mass, half, np.zeros(1), base_rates=rates)
    >>> [Uncertainty(name).of(evidence).round(3).tolist() for name in ("entropy", "ignorance")]
    [[0.811], [0.5]]
    >>> [Uncertainty(name).of(evidence).round(3).tolist() for name in ("error", "brier")]
    [[0.25], [0.375]]
    >>> Uncertainty("loss", np.array([[0.0, 10.0], [1.0, 0.0]])).of(evidence)
    array([0.75])
    """

    measure: str = DEFAULT
    losses: Array | None = None

    @property
    def name(self) -> str:
        """What it is called in sentences."""
        return MEASURES[self.measure]

    @property
    def is_information(self) -> bool:
        """Whether it is meant to be reduced by what the replies tell apart."""
        return self.measure == "information"

    @property
    def unit(self) -> str:
        """What stands behind its numbers."""
        return " bits" if self.name == "entropy" else ""

    def of(self, evidence: Evidence) -> Array:
        """Return the uncertainty that evidence leaves.

        Parameters
        ----------
        evidence : Evidence
            Of any number of records.

        Returns
        -------
        ndarray of shape (n_records,)
        """
        p: Any = evidence.probability
        if self.measure == "ignorance":
            return evidence.ignorance
        if self.measure == "error":
            return np.asarray(1.0 - p.max(axis=1))
        if self.measure == "brier":
            return np.asarray(1.0 - (p**2).sum(axis=1))
        if self.measure == "loss" and self.losses is not None:
            return np.asarray((p @ self.losses.T).min(axis=1))
        return entropy(p)


def entropy(probability: Array) -> Array:
    """Return the entropy of probabilities, in bits.

    Parameters
    ----------
    probability : ndarray of shape (n, n_classes)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.questions.uncertainty import entropy
    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([1., 0.])
    """
    logs = np.log2(probability, out=np.zeros_like(probability), where=probability > 0)
    return np.asarray(0.0 - (probability * logs).sum(axis=1))
