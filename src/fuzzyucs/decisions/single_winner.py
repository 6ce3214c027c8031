"""SingleWinner: the class of the rule with the greatest degree times fitness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.dempster_shafer import believe
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.vote import vote_entries

__all__ = ["SingleWinner"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class SingleWinner(Decision):
    """The rule with the greatest degree times fitness decides alone."""

    scheme: ClassVar[str] = "swin"
    unit: ClassVar[str] = "votes"

    def answer(self, positions: Array) -> Answer:
        """Return class indices, pignistic probabilities of the winners, and evidence."""
        classes, winner, degree = self.rules.freeze().single_winner(positions, self.seed)
        probability = self._pignistic(winner, degree)
        evidence = replace(believe(self, positions)[1], posterior=probability)
        return Answer(classes, probability, evidence)

    def decide(self, positions: Array) -> NDArray[np.uint32]:
        """Return the indices of the winners' classes."""
        classes: NDArray[np.uint32] = self.rules.freeze().predict(
            positions, _core.Scheme.swin, self.seed
        )
        return classes

    def probabilities(self, positions: Array) -> Array:
        """Return the pignistic probabilities of the winners' own belief masses."""
        return self._pignistic(*self.rules.freeze().winners(positions, self.seed))

    def _pignistic(self, winner: NDArray[np.int64], degree: Array) -> Array:
        n_classes = len(self.rules.classes)
        mass = np.zeros((len(winner), n_classes))
        found = winner >= 0
        mass[found] = self.rules.weights[winner[found]] * degree[found, np.newaxis]
        probability: Array = mass + (1 - degree[:, np.newaxis]) / n_classes
        return probability

    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return the vote of the winner."""
        degrees = self.rules.freeze().membership(positions)[0]
        winner = self.rules.freeze().winners(positions, self.seed)[0][0]
        votes = degrees * self.rules.fitness
        shown = np.where(np.arange(len(self.rules)) == winner, degrees, 0.0)
        return vote_entries(self, votes, shown, record, positions)
