"""What model files need of estimators that has no public name yet, in one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["LEARNER_ATTRIBUTES", "LearnerState", "check_parameters", "most_classes"]

LEARNER_ATTRIBUTES = ("_learner_state", "_seed")


@dataclass(frozen=True)
class LearnerState:
    """State of the evolutionary learner, from which `partial_fit` goes on.

    Attributes
    ----------
    seed : int
        Seed of the learner, and of draws between classes that tie.
    time : int
        Training steps so far.
    random_state : list of int
        State of the random generator: four words of 64 bits.
    """

    seed: int
    time: int
    random_state: list[int]

    @classmethod
    def of(cls, clf: Any) -> LearnerState:
        """Return the state that a fitted estimator has."""
        time, random_state = clf._learner_state
        return cls(int(clf._seed), int(time), list(random_state))

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of an estimator with this state."""
        return {"_seed": self.seed, "_learner_state": (self.time, self.random_state)}


def check_parameters(clf: Any) -> None:
    """Raise a ValueError if a parameter of an estimator is not valid."""
    clf._validate_params()


def most_classes(clf: Any) -> int:
    """Return how many classes an estimator can have."""
    return int(clf._max_classes)
