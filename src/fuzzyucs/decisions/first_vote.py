"""FirstVote: a vote whose ties go to the first class, as in the article's program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Answer
from fuzzyucs.decisions.vote import Vote

__all__ = ["FirstVote"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class FirstVote(Vote):
    """Of the classes with the most votes the first is the answer.

    Votes may be negative, so that classes without rules can be ahead of all others, with 0 votes
    each. Without any votes the class is drawn.
    """

    def answer(self, positions: Array) -> Answer:
        """Return class indices, shares of the votes, and evidence by Dempster's rule."""
        found = super().answer(positions)
        return Answer(self.decide(positions), found.probability, found.evidence)

    def decide(self, positions: Array) -> NDArray[np.uint32]:
        """Return the indices of the first classes with the most votes."""
        drawn, votes = self.rules.freeze().vote(positions, self.seed)
        classes: NDArray[np.uint32] = np.where(
            votes.any(axis=1), votes.argmax(axis=1), drawn
        ).astype(np.uint32)
        return classes
