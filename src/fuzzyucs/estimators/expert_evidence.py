"""ExpertEvidence: experts' rules in the terms of a model, as strong as its data leave them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.experts import ExpertRules, degrees_of
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["ExpertEvidence"]

Array = NDArray[np.float64]


class ExpertEvidence:
    """Experts' rules in the terms of a model, on its training data.

    Their strengths come first, by the prior and the data alone; learned rules are weighed beside
    them. If all were weighed together, learned rules could make up for an expert's rule that the
    data contradict, and it would keep its reliability.

    Parameters
    ----------
    data : TrainingData
        The rows.
    variables : LinguisticPartition
        The features, with beliefs about missing values.
    experts : ExpertRules
        The rules.
    conditions : ndarray of shape (n_rules, n_features)
        Their conditions.

    Attributes
    ----------
    strength : ndarray of shape (n_rules,)
        How strong they are.
    scores : ndarray of shape (n_samples, n_classes)
        What they say about each class, row by row.
    """

    def __init__(
        self,
        data: TrainingData,
        variables: LinguisticPartition,
        experts: ExpertRules,
        conditions: NDArray[np.uint64],
    ) -> None:
        self.data, self.variables = data, variables
        self.experts, self.conditions = experts, conditions
        degrees = degrees_of(variables, conditions, data.table)
        self.strength = experts.fit(degrees, data)
        self.scores = experts.scores(degrees, self.strength, data.n_classes)

    def added_to(self, rules: ProfiledRuleSet) -> ProfiledRuleSet:
        """Return learned rules together with the experts' ones."""
        data, variables, claims = self.data, self.variables, self.experts.claims
        neutral = np.zeros(len(claims))
        sums = data.class_sums(variables, self.conditions, neutral)
        own = ProfiledRuleSet.of(
            variables,
            data.classes,
            self.conditions,
            profile=claims.profiles(self.strength, data.n_classes),
            neutral=neutral,
            evidence=sums[:, -1] * self.strength,
            class_experience=sums[:, :-1],
            applies=data.count_applies(variables, self.conditions, False).astype(np.int64),
            base_rates=rules.base_rates,
            class_rows=rules.class_rows,
            answer_threshold=rules.answer_threshold,
            reliability=claims.reliability,
            worth=claims.worth,
        )
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(rules, name), getattr(own, name)])
            for name in rules.array_names()
        }
        return replace(rules, **parts).sort("evidence")
