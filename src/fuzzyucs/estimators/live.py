"""LiveLearner: a native learner that stays between calls; its rules are exported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.presenting import Learner
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.variables import Variables

__all__ = ["LearnerState", "LiveLearner"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LearnerState:
    """What a learner needs besides its rules to go on where it was.

    Attributes
    ----------
    seed : int
        Of the learner, and of ties when it decides.
    time : int
        Number of training steps so far.
    random_state : tuple of int
        State of the native random generator.
    """

    seed: int
    time: int
    random_state: tuple[int, ...]


@dataclass(eq=False)
class LiveLearner:
    """A native learner and what it is about.

    Parameters
    ----------
    learner : LinguisticLearner or IntervalLearner
        The native learner.
    variables : Variables
        The features.
    classes : ndarray of shape (n_classes,)
        Class labels.
    seed : int
        Of the learner.
    parameters : mapping
        Values of the estimator's parameters when the learner was made.
    events : tuple of int
        How many rules were covered, subsumed and evolved so far.
    """

    learner: Learner
    variables: Variables
    classes: NDArray[Any]
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[int, int, int] = (0, 0, 0)

    def copy(self) -> LiveLearner:
        """Return another learner in the same state."""
        return LiveLearner(
            self.learner.copy(),
            self.variables,
            self.classes,
            self.seed,
            self.parameters,
            self.events,
        )

    def restore(self, rules: EvolvedRuleSet, state: LearnerState) -> None:
        """Give a learner without rules the rules and the state of another."""
        arrays = {name: getattr(rules, name) for name in EvolvedRuleSet.array_names()}
        self.learner.restore_rules(**arrays)
        self.learner.time, self.learner.rng_state = state.time, list(state.random_state)

    def train(self, X: Array, labels: NDArray[np.uint32]) -> None:
        """Present rows once, in their order.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Values in the units of the data.
        labels : ndarray of shape (n_samples,)
            Class indices.
        """
        learner = self.learner
        before = learner.n_covered, learner.n_subsumed, learner.n_evolved
        learner.train_in_order(self.variables.positions(X), labels)
        after = learner.n_covered, learner.n_subsumed, learner.n_evolved
        covered, subsumed, evolved = (
            total + new - old for total, old, new in zip(self.events, before, after, strict=True)
        )
        self.events = covered, subsumed, evolved
        self.forget_exports()

    def forget_exports(self) -> None:
        """Export anew when rules or state are asked for: the learner has changed."""
        self.__dict__.pop("rules", None)
        self.__dict__.pop("state", None)

    @cached_property
    def rules(self) -> EvolvedRuleSet:
        """The rules as they are."""
        return EvolvedRuleSet(self.variables, self.classes, **self.learner.export_rules())

    @cached_property
    def state(self) -> LearnerState:
        """What it takes to go on, besides the rules."""
        return LearnerState(self.seed, self.learner.time, tuple(self.learner.rng_state))
