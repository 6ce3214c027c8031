"""Weighted: rules whose evidence counts as often as it was found to help, and a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util import portable_math
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.ledger import evidence_entries
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.weighting import softmax
from fuzzyucs.rules.weighted import WeightedRuleSet

__all__ = ["Weighted"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Weighted(Decision):
    """Dempster's rule over rules with learned strengths; a prior turns plausibility into odds."""

    rules: WeightedRuleSet

    scheme: ClassVar[str] = "weighted"
    draws_ties: ClassVar[bool] = False

    def answer(self, positions: Array) -> Answer:
        """Return class indices, probabilities with the prior, and evidence without it."""
        rules = self.rules
        _, mass, log_agreement, logs = rules.freeze().dempster_shafer(
            positions, self.seed, rules.shares
        )
        probability = softmax(logs[:, :-1] + rules.prior)
        evidence = Evidence(
            rules.classes, mass[:, :-1], mass[:, -1], log_agreement, posterior=probability
        )
        return Answer(probability.argmax(axis=1), probability, evidence)

    def decide(self, positions: Array) -> NDArray[np.intp]:
        """Return the indices of the most probable classes."""
        best: NDArray[np.intp] = self.probabilities(positions).argmax(axis=1)
        return best

    def probabilities(self, positions: Array) -> Array:
        """Return the probabilities that follow from evidence and prior."""
        rules = self.rules
        logs: Array = rules.freeze().log_commonalities(positions, rules.shares)[:, :-1]
        return softmax(logs + rules.prior)

    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return what rules and the prior add to the log-odds."""
        entries = evidence_entries(self, record, positions, self.rules.shares)
        return [*entries, Entry("before any evidence", self.rules.prior, undecided=0.0)]

    def source_count(self) -> NDArray[np.uint32]:
        """Return how many sources each rule stands for: one."""
        return np.ones(len(self.rules), dtype=np.uint32)

    def completed(self, evidence: Evidence) -> Evidence:
        """Return evidence with the probabilities that follow from plausibilities and the prior."""
        with np.errstate(divide="ignore"):
            scores = portable_math.log(evidence.plausibility) + self.rules.prior
        return replace(evidence, posterior=softmax(scores))
