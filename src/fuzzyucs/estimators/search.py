"""Search for rules with class profiles in the folds of a table, and weigh what was found."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.evidence.profiles import fit_profiles
from fuzzyucs.evidence.verdict import least_confidence
from fuzzyucs.evidence.weighting import folds, held_out_losses, softmax
from fuzzyucs.rules.labelled_rows import count_applies
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.coding import complements, every_terms
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.linguistic import Beliefs, LinguisticPartition

__all__ = ["SearchTask"]

FEW_ROWS = 500  # up to which six folds are worth their time, and chance looks like a pattern
MANY_ROWS = 5000  # from which on three folds do
PRECISION = 3e-5  # of the mean log-likelihood, when profiles are fitted
LEAST_ENTRY = 1e-3  # of the profile of a rule worth keeping
RELAXED = 0.6  # share of the penalty that is left once rules are chosen
PENALTIES = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
ROUNDS = (2, 3, 3, 4, 4, 4, 4, 4, 4)  # of search, for each of the penalties
NEGLIGIBLE = 0.03  # share of the evidence that the weakest rules may carry together to be dropped

Array = NDArray[np.float64]


class SearchTask:
    """Training data in the form that the search needs, and its settings.

    Parameters
    ----------
    variables : LinguisticPartition
        The features, with beliefs about missing values.
    classes : ndarray of shape (n_classes,)
        Class labels.
    X : ndarray of shape (n_samples, n_features)
        Training data.
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    sample_weight : ndarray of shape (n_samples,)
        How much each row counts.
    settings : _core.SearchSettings
        Parameters of the search.
    """

    def __init__(
        self,
        variables: LinguisticPartition,
        classes: NDArray[Any],
        X: Array,
        labels: NDArray[np.uint32],
        sample_weight: Array,
        settings: _core.SearchSettings,
    ) -> None:
        self.variables = variables
        self.classes = classes
        self.X = X
        self.labels = labels
        self.sample_weight = sample_weight
        self.settings = settings
        self.class_rows = np.bincount(labels, minlength=len(classes))
        weight = np.bincount(labels, sample_weight, minlength=len(classes))
        self.base_rates: Array = weight / weight.sum()
        self.answer_threshold = 1.0

    @cached_property
    def positions(self) -> Array:
        """Where the training data lie among the terms."""
        return self.variables.positions(self.X)

    @cached_property
    def usable(self) -> NDArray[np.intp]:
        """Features with a difference: others cannot tell anything."""
        is_missing = np.isnan(self.positions)
        least = np.where(is_missing, np.inf, self.positions).min(axis=0)
        greatest = np.where(is_missing, -np.inf, self.positions).max(axis=0)
        return np.flatnonzero(greatest > least)

    @cached_property
    def columns(self) -> Array:
        """The positions of usable features."""
        return np.ascontiguousarray(self.positions[:, self.usable])

    @cached_property
    def every_term(self) -> NDArray[np.uint64]:
        """The condition on each feature that accepts all values."""
        return every_terms(self.variables.n_terms)

    path: ClassVar = tuple(zip(PENALTIES, ROUNDS, strict=True))
    allowance: ClassVar = 0.0  # standard errors by which a smaller model may be worse
    relaxed = RELAXED
    negligible = NEGLIGIBLE

    def folds(self, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Divide the rows for cross-validation."""
        n_rows = len(self.labels)
        return folds(self.labels, seed, 6 if n_rows < FEW_ROWS else 4 if n_rows < MANY_ROWS else 3)

    def search(self, rows: NDArray[np.intp], seed: int) -> Any:
        """Begin a search in some of the rows; without usable features there is none."""
        if not len(self.usable):
            return None
        columns = self.columns[rows]
        gaps, beliefs = self._beliefs
        return _core.RuleSearch(
            columns,
            self.variables.n_terms[self.usable],
            self.variables.is_nominal[self.usable],
            self.labels[rows],
            self.sample_weight[rows],
            len(self.classes),
            self.settings,
            seed % 2**64,
            np.concatenate(self._shares),
            beliefs[gaps[rows][gaps[rows] >= 0]],
        )

    @cached_property
    def _shares(self) -> list[Array]:
        """How probable the terms of usable features are."""
        forest = TermForest.independent(self.columns, self.variables.n_terms[self.usable])
        return forest.marginals()

    @cached_property
    def _beliefs(self) -> tuple[NDArray[np.intp], Array]:
        """Indices of the rows with missing values among them, else -1, and beliefs about them."""
        has_gap = np.isnan(self.columns).any(axis=1)
        gaps = np.where(has_gap, np.cumsum(has_gap) - 1, -1)
        width = int(self.variables.n_terms[self.usable].sum())
        if self.variables.forest is None or not has_gap.any():
            return gaps, np.empty((int(has_gap.sum()), width))
        forest = self.variables.forest
        everything = forest.native.believe(np.ascontiguousarray(self.positions[has_gap]))
        first = np.cumsum([0, *forest.n_terms])
        wanted = [everything[:, first[f] : first[f + 1]] for f in self.usable.tolist()]
        return gaps, np.ascontiguousarray(np.hstack(wanted))

    def believe(self, missing: Beliefs) -> None:
        """Learn what known values tell about missing ones, if that was not needed before."""
        if self.variables.forest is None:
            self.variables = self.variables.with_beliefs(self.X, missing)

    def descend(
        self,
        search: Any,
        penalty: float,
        rounds: int,
        test: NDArray[np.intp],
    ) -> tuple[NDArray[np.uint64], Array]:
        """Go on with a lower penalty; return rules in use and probabilities of held-out rows."""
        if search is None:
            rates = np.tile(self.base_rates, (len(test), 1))
            return np.empty((0, len(self.every_term)), np.uint64), rates
        search.set_penalty(penalty)
        for _ in range(rounds):
            search.search()
        search.settle(PRECISION * len(self.labels), 100, self.relaxed)
        found, profile, mean = search.rules()
        conditions = np.tile(self.every_term, (len(found), 1))
        conditions[:, self.usable] = np.where(found == 0, conditions[:, self.usable], found)
        shift = self.variables.degrees(conditions, self.positions[test], mean) - mean
        return conditions, softmax(search.log_shares() + shift @ profile)

    def losses(self, probability: Array, rows: NDArray[np.intp]) -> Array:
        """Return log-loss and errors of some rows, by their weights."""
        return held_out_losses(probability, self.labels[rows], self.sample_weight[rows])

    def set_answer_threshold(self, probability: Array, rows: NDArray[np.intp]) -> None:
        """Find from which probability on answers are right often enough, on held-out rows."""
        is_right = probability.argmax(axis=1) == self.labels[rows]
        self.answer_threshold = least_confidence(probability.max(axis=1), is_right)

    def cost(self, conditions: NDArray[np.uint64]) -> Array:
        """Return by how much the penalty of each rule is multiplied."""
        n_conditions = (conditions != self.every_term).sum(axis=1)
        cost: Array = 1 + self.settings.condition_cost * n_conditions
        return cost

    def finish(
        self,
        pool: list[NDArray[np.uint64]],
        penalty: float,
        max_rules: int | None,
        start: Array | None = None,
    ) -> ProfiledRuleSet:
        """Weigh all rules that were found, on all data, and keep those that carry evidence."""
        turned = self.turned(found := np.concatenate(pool))
        conditions, first = np.unique(turned, axis=0, return_index=True)
        if start is not None:
            # The opposite of a rule says the opposite.
            is_same = (turned == found).all(axis=1)[:, np.newaxis]
            start = np.where(is_same, start, -start)[first]
        applies = count_applies(
            self.variables, conditions, self.X, self.labels, len(self.classes)
        ).sum(axis=1)
        kept = (applies > 0) & (applies < len(self.labels))
        rules = self.weigh(conditions[kept], penalty, None if start is None else start[kept])
        stronger = np.cumsum(rules.evidence) - rules.evidence  # evidence of the rules before
        rules = rules[stronger < (1 - self.negligible) * rules.evidence.sum()][:max_rules]
        rules = self.weigh(rules.conditions, penalty * self.relaxed, rules.profile)
        while not (kept := self._are_borne_out(rules)).all():
            rules = self.weigh(rules.conditions[kept], penalty * self.relaxed, rules.profile[kept])
        return rules

    def _are_borne_out(self, rules: ProfiledRuleSet) -> NDArray[np.bool_]:
        """Tell whether the rows bear out what the texts of rules say, as they are weighted."""
        weight = np.zeros((len(self.labels), len(self.classes)))
        weight[np.arange(len(self.labels)), self.labels] = self.sample_weight
        holds = self.variables.holds(rules.conditions, self.X)
        return rules.are_borne_out(holds.T.astype(float) @ weight, weight.sum(axis=0))

    def turned(self, conditions: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Replace rules of one condition that apply to most rows by those that apply to the rest.

        They say the same with the opposite profile, and are easier to read where a class is rare:
        "very large THEN ill" rather than "at most large THEN well".
        """
        turned, are_ends = complements(conditions, self.variables.n_terms)
        is_asked = conditions != self.every_term
        # Terms at one end of the range, or any of a feature without order.
        can_turn = (~is_asked | are_ends | self.variables.is_nominal).all(axis=1)
        turns = (is_asked.sum(axis=1) == 1) & can_turn & (self._mean(conditions) > 0.5)
        found: NDArray[np.uint64] = np.where(turns[:, np.newaxis], turned, conditions)
        return found

    def weigh(
        self, conditions: NDArray[np.uint64], penalty: float, start: Array | None = None
    ) -> ProfiledRuleSet:
        """Find the profiles of rules, and keep the rules that say something."""
        variables = self.variables
        mean = self._mean(conditions)
        degrees = variables.degrees(conditions, self.positions, mean)
        found = fit_profiles(
            degrees,
            self.labels,
            len(self.classes),
            penalty=penalty * self.cost(conditions),
            mean=mean,
            sample_weight=self.sample_weight,
            start=start,
            tolerance=PRECISION * len(self.labels),
        )
        kept = np.flatnonzero(np.abs(found.profile).max(axis=1, initial=0.0) > LEAST_ENTRY)
        profile, degrees = found.profile[kept], degrees[:, kept]
        shift = np.abs(degrees - mean[kept]).sum(axis=0)
        return ProfiledRuleSet.of(
            variables,
            self.classes,
            conditions[kept],
            profile=profile,
            mean=mean[kept],
            evidence=shift * np.ptp(profile, axis=1),
            class_experience=_by_class(degrees, self.labels, len(self.classes)),
            applies=count_applies(
                variables, conditions[kept], self.X, self.labels, len(self.classes)
            ),
            base_rates=self.base_rates,
            class_rows=self.class_rows,
            answer_threshold=self.answer_threshold,
        )

    def _mean(self, conditions: NDArray[np.uint64]) -> Array:
        """Return the mean degrees to which rules match the rows that lack nothing they ask for.

        The same rules match a record of which nothing is known to these degrees, to the last bit.
        """
        asks = conditions != self.every_term
        lacks = np.isnan(self.positions).astype(float) @ asks.T > 0
        weight = self.sample_weight[:, np.newaxis] * ~lacks
        nothing = np.full((1, len(self.every_term)), np.nan)
        variables, total = self.variables, weight.sum(axis=0)
        known = (variables.degrees(conditions, self.positions) * weight).sum(axis=0)
        by_chance = variables.degrees(conditions, nothing)[0]
        mean = np.where(total > 0, known / np.where(total > 0, total, 1.0), by_chance)
        expected: Array = variables.degrees(conditions, nothing, np.minimum(mean, 1.0))[0]
        return expected

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
            self.classes,
            conditions,
            profile=averaged("profile"),
            mean=shared("mean"),
            evidence=averaged("evidence"),
            class_experience=shared("class_experience"),
            applies=shared("applies"),
            base_rates=self.base_rates,
            class_rows=self.class_rows,
            answer_threshold=self.answer_threshold,
        )


def _by_class(degrees: Array, labels: NDArray[np.uint32], n_classes: int) -> Array:
    """Return the sums of the degrees of each rule in the rows of each class."""
    sums = [degrees[labels == label].sum(axis=0) for label in range(n_classes)]
    return np.stack(sums, axis=1)
