"""LinguisticRuleLearner: how linguistic rules are learned, and what follows their evolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.concluding import cross_validated_tempering, weigh_rules
from fuzzyucs.estimators.live import LiveLearner
from fuzzyucs.estimators.online import RuleLearner
from fuzzyucs.estimators.presenting import TrainingRows
from fuzzyucs.estimators.streaming import BELIEFS_STAY
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.rules.weighted import WeightedRuleSet
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import Nominal, Partition

__all__ = ["LinguisticRuleLearner"]

SELDOM_MISSING = 0.01  # share of missing values up to which beliefs are asked for


class LinguisticRuleLearner(RuleLearner):
    """A classifier that evolves linguistic rules, and may weigh or temper their evidence."""

    inference: Literal["ds", "vote", "swin", "weighted"]
    compact: bool
    n_terms: int | ArrayLike | Literal["auto"]
    partition: Partition
    nominal_features: Nominal
    missing: Literal["match", "belief"]
    calibrate: bool
    fitness_threshold: float
    inference_experience: float
    fitness_range: Literal["signed", "unsigned"]
    experience_update: Literal["membership", "count"]
    as_published: bool
    weighted_rules_: WeightedRuleSet
    tempering_: Tempering

    @property
    def rules_match_everything(self) -> bool:
        """Whether rules match every record fully, as in the article's Appendix B."""
        return self.as_published and self.experience_update == "count"

    def _find_variables(self, X: NDArray[np.float64], names: Sequence[str]) -> LinguisticPartition:
        variables = LinguisticPartition.of(
            X,
            names,
            partition=self.partition,
            n_terms=self.n_terms,
            nominal_features=self.nominal_features,
            columns=self.columns_,
        )
        if self.missing != "belief":
            return variables
        return variables.with_beliefs(X, most_missing=SELDOM_MISSING)

    def _new_learner(self, variables: Any, seed: int) -> _core.LinguisticLearner:
        settings = self._settings(
            fitness_threshold=self.fitness_threshold,
            signed_fitness=self.fitness_range == "signed",
            membership_experience=self.experience_update == "membership",
        )
        return _core.LinguisticLearner(variables.n_terms, len(self.classes_), settings, seed)

    def _begin(self, X: NDArray[np.float64]) -> LiveLearner:
        if self.missing == "belief" and self.ranges == "moving":
            raise ValueError(BELIEFS_STAY)
        self.__dict__.pop("tempering_", None)
        return super()._begin(X)

    def _snapshot(self) -> Self:
        model = super()._snapshot()
        model.calibrate = False  # tempering comes last, too
        if model.inference == "weighted":
            model.inference = "ds"  # weights come last
        return model

    def _conclude(self, rows: Callable[[], TrainingRows], epochs: int) -> None:
        if not self.calibrate:
            self.__dict__.pop("tempering_", None)
        elif self.inference != "weighted" and not hasattr(self, "tempering_"):
            self.tempering_ = self._find_tempering(rows(), epochs)
        self.__dict__.pop("weighted_rules_", None)
        if self.inference == "weighted":
            self._learn_weights(rows())

    def _find_tempering(self, rows: TrainingRows, epochs: int) -> Tempering:
        seed, variables = self.learner_state_.seed, self.rules_.variables
        return cross_validated_tempering(
            self.rules_,
            lambda: self._new_learner(variables, seed),
            rows,
            epochs=epochs,
            least_experience=self.inference_experience,
            seed=seed % 2**63,
        )

    def _look_ahead(self, live: LiveLearner, rows: Callable[[], TrainingRows]) -> None:
        """Rules that have not seen a batch yet tell how sure they may be of it."""
        if self.calibrate and self.inference != "weighted":
            rules, batch = live.rules.experienced(self.inference_experience), rows()
            logs = rules.freeze().log_commonalities(batch.positions)
            self.tempering_ = Tempering.fit(logs, batch.labels, batch.weight)

    def _learn_weights(self, rows: TrainingRows) -> None:
        rules = self.rules_.experienced(self.inference_experience)
        seed = self.learner_state_.seed % 2**63
        self.weighted_rules_, kept = weigh_rules(rules, rows, seed)
        if self.compact:
            self.rules_ = rules[kept]
