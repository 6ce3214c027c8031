"""Vote: the class with the greatest sum of votes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.dempster_shafer import believe
from fuzzyucs.decisions.entry import Entry

__all__ = ["Vote", "vote_entries", "vote_shares"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Vote(Decision):
    """Rules that match vote for their class with degree times fitness times numerosity."""

    scheme: ClassVar[str] = "vote"
    unit: ClassVar[str] = "votes"

    def answer(self, positions: Array) -> Answer:
        """Return class indices, shares of the votes, and evidence by Dempster's rule."""
        classes, votes = self.rules.freeze().vote(positions, self.seed)
        probability = vote_shares(votes)
        evidence = replace(believe(self, positions)[1], posterior=probability)
        return Answer(classes, probability, evidence)

    def decide(self, positions: Array) -> NDArray[np.uint32]:
        """Return the indices of the classes with the most votes."""
        classes: NDArray[np.uint32] = self.rules.freeze().predict(
            positions, _core.Scheme.vote, self.seed
        )
        return classes

    def probabilities(self, positions: Array) -> Array:
        """Return the shares of the votes."""
        return vote_shares(self.rules.freeze().votes(positions))

    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return the votes of rules."""
        degrees = self.rules.freeze().membership(positions)[0]
        votes = degrees * self.rules.fitness * self.rules.numerosity
        return vote_entries(self, votes, degrees, record, positions)


def vote_entries(
    decision: Decision, votes: Array, degrees: Array, record: Array, positions: Array
) -> list[Entry]:
    """Return the votes of rules that match, each for the class of the rule.

    Parameters
    ----------
    decision : Decision
        Whose rules vote.
    votes, degrees : ndarray of shape (n_rules,)
        Votes of the rules, and the degrees to which they match; 0 leaves a rule out.
    record, positions
        As in `Decision.entries`.

    Returns
    -------
    list of Entry
    """
    own_class = np.eye(len(decision.rules.classes))[decision.rules.consequent]
    return decision.rule_entries(votes[:, np.newaxis] * own_class, degrees, record, positions)


def vote_shares(votes: Array) -> Array:
    """Return the shares of the positive votes; without any, equal shares of the best classes.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Sums of votes.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.decisions.vote import vote_shares
    >>> vote_shares(np.array([[3.0, 1.0], [-1.0, -2.0], [0.0, 0.0]]))
    array([[0.75, 0.25],
           [1.  , 0.  ],
           [0.5 , 0.5 ]])
    """
    shares = np.maximum(votes, 0.0)
    undecided = shares.sum(axis=1) == 0
    best = votes == votes.max(axis=1, keepdims=True)
    shares[undecided] = best[undecided]
    # Scaling first, because a sum of tiny votes may have no inverse.
    shares /= shares.max(axis=1, keepdims=True)
    result: Array = shares / shares.sum(axis=1, keepdims=True)
    return result
