"""Weighing: the profiles of rules on all training data, and which of the rules to keep."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.expert_evidence import ExpertEvidence
from fuzzyucs.estimators.growth import RELAXED, tolerance
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.evidence.profiles import neutral_degrees
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.coding import complements, every_terms
from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["CONDITION_COST", "Weighing"]

CONDITION_COST = 0.6  # how much a condition adds to the penalty of a rule
LEAST_ENTRY = 1e-3  # of the profile of a rule worth keeping
NEGLIGIBLE = 0.01  # share of the evidence that the weakest rules may carry together to be dropped

Array = NDArray[np.float64]


class Weighing:
    """Rules of one model on its training data.

    Parameters
    ----------
    data : TrainingData
        The rows.
    variables : LinguisticPartition
        The features, with beliefs about missing values.
    answer_threshold : float
        Least probability of an answer.
    constraints : Constraints, optional
        What rules have to keep to.
    beside : ExpertEvidence, optional
        Experts' rules, beside which these are weighed.
    """

    def __init__(
        self,
        data: TrainingData,
        variables: LinguisticPartition,
        answer_threshold: float = 1.0,
        constraints: Constraints | None = None,
        beside: ExpertEvidence | None = None,
    ) -> None:
        self.data = data
        self.variables = variables
        self.answer_threshold = answer_threshold
        self.constraints = constraints
        self.beside = beside

    @cached_property
    def every_term(self) -> NDArray[np.uint64]:
        """The condition on each feature that accepts all values."""
        return every_terms(self.variables.n_terms)

    def cost(self, conditions: NDArray[np.uint64]) -> Array:
        """Return by how much the penalty of each rule is multiplied."""
        n_conditions = (conditions != self.every_term).sum(axis=1)
        cost: Array = 1 + CONDITION_COST * n_conditions
        return cost

    def finish(
        self,
        conditions: NDArray[np.uint64],
        profile: Array,
        penalty: float,
        max_rules: int | None,
        last_penalty: float | None = None,
    ) -> ProfiledRuleSet:
        """Weigh rules that were grown, and keep those that carry evidence.

        Parameters
        ----------
        conditions : ndarray of shape (n_rules, n_features)
            The rules.
        profile : ndarray of shape (n_rules, n_classes)
            What they say, about.
        penalty : float
            The penalty of a rule.
        max_rules : int, optional
            Greatest number of rules.
        last_penalty : float, optional
            The penalty once rules are chosen, if that is another one.

        Returns
        -------
        ProfiledRuleSet
        """
        turned = self.turned(conditions)
        # The opposite of a rule says the opposite.
        is_same = (turned == conditions).all(axis=1)[:, np.newaxis]
        conditions, first = np.unique(turned, axis=0, return_index=True)
        profile = np.where(is_same, profile, -profile)[first]
        applies = self._applies(conditions).sum(axis=1)
        kept = (applies > 0) & (applies < self.data.n_rows)
        rules = self.weigh(conditions[kept], penalty, profile[kept], is_last=False)
        stronger = np.cumsum(rules.evidence) - rules.evidence  # evidence of the rules before
        rules = rules[stronger < (1 - NEGLIGIBLE) * rules.evidence.sum()][:max_rules]
        kept = np.ones(len(rules), dtype=bool)
        last = RELAXED * (penalty if last_penalty is None else last_penalty)
        while True:
            rules = self.weigh(rules.conditions[kept], last, rules.profile[kept])
            if (kept := self._are_borne_out(rules)).all():
                return rules

    def _are_borne_out(self, rules: ProfiledRuleSet) -> NDArray[np.bool_]:
        """Tell whether the rows bear out what the texts of rules say, as they are weighted."""
        applies = self._applies(rules.conditions, weighted=True)
        return rules.are_borne_out(applies, self.data.class_weight)

    def turned(self, conditions: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Replace rules of one condition that apply to most rows by those that apply to the rest.

        They say the same with the opposite profile, and are easier to read where a class is rare:
        "very large THEN ill" rather than "at most large THEN well".
        """
        turned, are_ends = complements(conditions, self.variables.n_terms)
        is_asked = conditions != self.every_term
        # Terms at one end of the range, or any of a feature without order.
        can_turn = (~is_asked | are_ends | self.variables.is_nominal).all(axis=1)
        matched, known = (sums.sum(axis=1) for sums in self._known_sums(conditions))
        turns = (is_asked.sum(axis=1) == 1) & can_turn & (matched > known / 2)
        found: NDArray[np.uint64] = np.where(turns[:, np.newaxis], turned, conditions)
        return found

    def weigh(
        self,
        conditions: NDArray[np.uint64],
        penalty: float,
        start: Array | None = None,
        *,
        is_last: bool = True,
    ) -> ProfiledRuleSet:
        """Find the profiles of rules, and keep the rules that say something."""
        variables, data = self.variables, self.data
        neutral = self._neutral(conditions)
        profile = data.fit_profiles(
            variables,
            conditions,
            neutral,
            penalty * self.cost(conditions),
            start,
            None
            if self.constraints is None
            else self.constraints.directions(variables, conditions),
            tolerance(data.n_rows, data.n_classes, is_last=is_last),
            **({} if self.beside is None else {"offset": self.beside.scores}),
        )
        kept = np.flatnonzero(np.abs(profile).max(axis=1, initial=0.0) > LEAST_ENTRY)
        known, shift = self._class_sums(conditions)
        return ProfiledRuleSet.of(
            variables,
            data.classes,
            conditions[kept],
            profile=profile[kept],
            neutral=neutral[kept],
            evidence=(shift * np.ptp(profile, axis=1))[kept],
            class_experience=known[kept],
            applies=self._applies(conditions[kept]).astype(np.int64),
            base_rates=data.base_rates,
            class_rows=data.class_rows,
            answer_threshold=self.answer_threshold,
            constraints=self.constraints,
        )

    def _applies(self, conditions: NDArray[np.uint64], *, weighted: bool = False) -> NDArray[Any]:
        """Return how many rows of each class the texts of rules are true of, or their weight."""
        weighted = weighted and not self.data.has_unit_weights
        kind = "weight" if weighted else "rows"
        found = self._once(
            kind, conditions, lambda new: self.data.count_applies(self.variables, new, weighted)
        )
        return found.reshape(len(conditions), self.data.n_classes)

    def _once(
        self,
        kind: str,
        conditions: NDArray[np.uint64],
        count: Callable[[NDArray[np.uint64]], NDArray[Any]],
    ) -> NDArray[Any]:
        """Return what a function counts of each rule, and count no rule twice."""
        known = self._counted.setdefault(kind, {})
        new = conditions[[c.tobytes() not in known for c in conditions]]
        if len(new):
            known.update((c.tobytes(), n) for c, n in zip(new, count(new), strict=True))
        return np.array([known[c.tobytes()] for c in conditions])

    @cached_property
    def _counted(self) -> dict[str, dict[bytes, NDArray[Any]]]:
        return {}

    def _neutral(self, conditions: NDArray[np.uint64]) -> Array:
        """Return the degrees at which rules say nothing, by rows that lack nothing they ask for.

        The same rules match a record of which nothing is known to these degrees, to the last bit.
        """
        nothing = np.full((1, len(self.every_term)), np.nan)
        variables = self.variables
        matched, known = self._known_sums(conditions)
        by_chance = variables.rule_degrees(conditions).membership(nothing)[0]
        neutral = np.where(known.any(axis=1), neutral_degrees(matched, known), by_chance)
        expected: Array = variables.degrees(conditions, nothing, neutral)[0]
        return expected

    def _class_sums(self, conditions: NDArray[np.uint64]) -> tuple[Array, Array]:
        """Return how much rules match of each class, and how far that is from neutral."""
        data, variables = self.data, self.variables
        found = self._once(
            "matched", conditions, lambda new: data.class_sums(variables, new, self._neutral(new))
        ).reshape(-1, data.n_classes + 1)
        return found[:, :-1], found[:, -1]

    def _known_sums(self, conditions: NDArray[np.uint64]) -> tuple[Array, Array]:
        """Return how much of each class lacks nothing that rules ask for: what matches, and all."""
        found = self._once(
            "known", conditions, lambda new: self.data.known_sums(self.variables, new)
        )
        sums = found.reshape(len(conditions), 2, self.data.n_classes)
        matched, known = np.moveaxis(sums, 1, 0)
        return matched, known

    def fuse(self, models: list[ProfiledRuleSet]) -> ProfiledRuleSet:
        """Average the evidence of several models: rules that they share become one."""
        if len(models) == 1:
            return models[0]
        stacked = np.concatenate([model.conditions for model in models])
        conditions, first, index = np.unique(
            stacked, axis=0, return_index=True, return_inverse=True
        )
        index = index.ravel()

        def averaged(name: str) -> Array:
            parts = np.concatenate([getattr(model, name) for model in models])
            sums = np.zeros((len(conditions), *parts.shape[1:]))
            np.add.at(sums, index, parts)
            return sums / len(models)

        def shared(name: str) -> Any:
            return np.concatenate([getattr(model, name) for model in models])[first]

        return ProfiledRuleSet.of(
            self.variables,
            self.data.classes,
            conditions,
            profile=averaged("profile"),
            neutral=shared("neutral"),
            evidence=averaged("evidence"),
            class_experience=shared("class_experience"),
            applies=shared("applies"),
            base_rates=self.data.base_rates,
            class_rows=self.data.class_rows,
            answer_threshold=self.answer_threshold,
            constraints=self.constraints,
        )
