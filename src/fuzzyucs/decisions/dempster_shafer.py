"""DempsterShafer: the article's scheme, the class with the greatest belief."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.ledger import evidence_entries
from fuzzyucs.evidence.evidence import Evidence

__all__ = ["DempsterShafer", "believe"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DempsterShafer(Decision):
    """Every micro-rule is a source, and Dempster's rule combines them.

    A micro-rule that matches to the degree mu gives the mass mu * v to the classes, v being its
    weights, and 1 - mu to "I don't know".
    """

    scheme: ClassVar[str] = "ds"

    def answer(self, positions: Array) -> Answer:
        """Return class indices, pignistic probabilities and evidence of records."""
        classes, evidence = believe(self, positions)
        probability = evidence.pignistic
        return Answer(classes, probability, replace(evidence, posterior=probability))

    def decide(self, positions: Array) -> NDArray[np.uint32]:
        """Return the indices of the classes with the greatest belief."""
        classes: NDArray[np.uint32] = self.rules.freeze().predict(
            positions, _core.Scheme.ds, self.seed
        )
        return classes

    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return what rules add to the log-odds."""
        entries = evidence_entries(self, record, positions)
        if self.tempering is None:
            return entries
        return [entry.divided(self.tempering.temperature) for entry in entries]


def believe(decision: Decision, positions: Array) -> tuple[NDArray[np.uint32], Evidence]:
    """Combine the rules by Dempster's rule, tempered if the decision is.

    Parameters
    ----------
    decision : Decision
        Whose rules to combine.
    positions : ndarray of shape (n_samples, n_features)
        Positions of records.

    Returns
    -------
    classes : ndarray of shape (n_samples,)
        Indices of the classes with the greatest belief, ties drawn.
    evidence : Evidence
    """
    classes, mass, log_agreement, logs = decision.rules.freeze().dempster_shafer(
        positions, decision.seed
    )
    labels = decision.rules.classes
    if decision.tempering is not None:
        return classes, Evidence(labels, *decision.tempering.apply(logs))
    return classes, Evidence(labels, mass[:, :-1], mass[:, -1], log_agreement)
