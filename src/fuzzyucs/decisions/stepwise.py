"""StepwiseDempsterShafer: Dempster's rule by the arithmetic of the article's program."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Answer
from fuzzyucs.decisions.dempster_shafer import DempsterShafer
from fuzzyucs.evidence.evidence import Evidence

__all__ = ["StepwiseDempsterShafer"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class StepwiseDempsterShafer(DempsterShafer):
    """Sources are combined one after the other, and masses are normalised after each.

    Where the next source contradicts all others so much that the conflict rounds to 1, all mass is
    lost: the evidence is full ignorance, and the class is drawn.
    """

    def answer(self, positions: Array) -> Answer:
        """Return class indices, pignistic probabilities and evidence of records."""
        classes, mass, log_agreement = self.rules.freeze().stepwise(positions, self.seed)
        evidence = Evidence(self.rules.classes, mass[:, :-1], mass[:, -1], log_agreement)
        probability = evidence.pignistic
        return Answer(classes, probability, replace(evidence, posterior=probability))

    def decide(self, positions: Array) -> NDArray[np.uint32]:
        """Return the indices of the classes with the greatest belief."""
        classes: NDArray[np.uint32] = self.rules.freeze().stepwise(positions, self.seed)[0]
        return classes
