"""EvolvedRulesClassifier: what classifiers by evolved rules keep, and how they decide by it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.live import LearnerState, LiveLearner
from fuzzyucs.estimators.presenting import TrainingRows
from fuzzyucs.rules.rule_set import EvolvedRuleSet, RuleSet

__all__ = ["EvolvedRulesClassifier"]


class EvolvedRulesClassifier(RuleClassifier):
    """A classifier with rules that evolve, in a learner that may be alive between calls."""

    _live: LiveLearner

    @property
    def rules_match_everything(self) -> bool:
        """Whether rules match every record fully, whatever their conditions are."""
        return False

    # The rules are exported when they are asked for. What is set by hand takes their place.

    @property
    def rules_(self) -> EvolvedRuleSet:
        """The evolved rules."""
        rules: EvolvedRuleSet = self._learned("rules_", "rules")
        return rules

    @rules_.setter
    def rules_(self, rules: RuleSet) -> None:
        if "_live" in vars(self) or "learner_state_" in vars(self):
            self.__dict__["learner_state_"] = self.learner_state_
            self.__dict__.pop("_live", None)
        self.__dict__["rules_"] = rules

    @property
    def learner_state_(self) -> LearnerState:
        """What the learner needs besides its rules to go on."""
        state: LearnerState = self._learned("learner_state_", "state")
        return state

    @learner_state_.setter
    def learner_state_(self, state: LearnerState) -> None:
        if "_live" in vars(self):
            self.__dict__["rules_"] = self.rules_
            self.__dict__.pop("_live")
        self.__dict__["learner_state_"] = state

    def _learned(self, name: str, part: str) -> Any:
        if "_live" in vars(self):
            return getattr(self._live, part)
        if name not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return vars(self)[name]

    def __getstate__(self) -> dict[str, Any]:
        """Return what to copy or to pickle: rules in place of a live learner."""
        state = dict(super().__getstate__())
        if "_live" in state:
            del state["_live"]
            state |= {"rules_": self.rules_, "learner_state_": self.learner_state_}
        return state

    def _accuracy(self, rows: TrainingRows) -> float:
        return float(np.mean(self.decision.decide(rows.positions) == rows.labels))

    def _decision_of(self, way: type[Decision], least_experience: float, **more: Any) -> Decision:
        """Decide by evolved rules with more than some experience."""
        check_is_fitted(self, "rules_")
        rules = self.rules_.experienced(least_experience)
        if self.rules_match_everything:
            rules = rules.without_conditions()
        indices = np.flatnonzero(self.rules_.experience > least_experience)
        return way(rules, indices, self.learner_state_.seed, **more)
