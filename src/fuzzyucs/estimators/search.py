"""Search for rules with evidence weights in the folds of a table, and weigh what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.evidence.weighting import (
    LEAST_STRENGTH,
    EvidenceWeights,
    fit_weights,
    folds,
    held_out_loss,
)
from fuzzyucs.rules.weighted import WeightedRuleSet
from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["SearchTask"]

FEW_ROWS = 500  # up to which six folds are worth their time, and chance looks like a pattern
MANY_ROWS = 5000  # from which on three folds do

Array = NDArray[np.float64]


class SearchTask:
    """Training data in the form that the search needs, and its settings.

    Parameters
    ----------
    variables : LinguisticPartition
        The features.
    classes : ndarray of shape (n_classes,)
        Class labels.
    positions : ndarray of shape (n_samples, n_features)
        Where values lie on their variables.
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
        positions: Array,
        labels: NDArray[np.uint32],
        sample_weight: Array,
        settings: _core.SearchSettings,
    ) -> None:
        self.variables = variables
        self.classes = classes
        self.positions = positions
        self.labels = labels
        self.sample_weight = sample_weight
        self.settings = settings
        # Features without a difference cannot tell anything.
        known = np.where(np.isnan(positions), np.inf, positions).min(axis=0)
        self.usable = np.flatnonzero(
            np.where(np.isnan(positions), -np.inf, positions).max(axis=0) > known
        )
        self.columns = np.ascontiguousarray(positions[:, self.usable])
        self.every_term = np.array([(1 << int(n)) - 1 for n in variables.n_terms], dtype=np.uint32)

    def folds(self, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Divide the rows for cross-validation."""
        n_rows = len(self.labels)
        return folds(self.labels, seed, 6 if n_rows < FEW_ROWS else 4 if n_rows < MANY_ROWS else 3)

    def search(self, rows: NDArray[np.intp], seed: int) -> _core.RuleSearch | None:
        """Begin a search in some of the rows; without usable features there is none."""
        if not len(self.usable):
            return None
        return _core.RuleSearch(
            self.columns[rows],
            self.variables.n_terms[self.usable],
            self.variables.is_nominal[self.usable],
            self.labels[rows],
            self.sample_weight[rows],
            len(self.classes),
            self.settings,
            seed % 2**64,
        )

    def descend(
        self,
        search: _core.RuleSearch | None,
        penalty: float,
        rounds: int,
        test: NDArray[np.intp],
    ) -> tuple[NDArray[np.uint32], float]:
        """Go on with a lower penalty; return the rules in use and their loss on held-out rows."""
        if search is None:
            return np.empty((0, len(self.every_term)), np.uint32), 0.0
        search.set_penalty(penalty)
        for _ in range(rounds):
            search.search()
        search.settle(1e-3, 100)
        loss = held_out_loss(
            search.scores(self.columns[test]), self.labels[test], self.sample_weight[test]
        )
        found, _ = search.rules()
        conditions = np.tile(self.every_term, (len(found), 1))
        conditions[:, self.usable] = np.where(found == 0, conditions[:, self.usable], found)
        return conditions, loss

    def cost(self, conditions: NDArray[np.uint32]) -> Array:
        """Return by how much the penalty of each rule is multiplied."""
        n_conditions = (conditions != self.every_term).sum(axis=1)
        cost: Array = 1 + self.settings.condition_cost * n_conditions
        return cost

    def finish(
        self, pool: list[NDArray[np.uint32]], penalty: float, max_rules: int | None
    ) -> WeightedRuleSet:
        """Weigh all rules that were found, on all data, and keep those in use."""
        conditions = np.unique(np.concatenate(pool), axis=0)
        found, evidence = self.weigh(conditions, penalty)
        keep = np.flatnonzero(found.strength > LEAST_STRENGTH)
        if max_rules is not None and len(keep) > max_rules:
            keep = np.sort(keep[np.argsort(-evidence[keep], kind="stable")[:max_rules]])
            conditions = conditions[keep]
            found, evidence = self.weigh(conditions, penalty)
            keep = np.flatnonzero(found.strength > LEAST_STRENGTH)
        return self.rule_set(
            conditions[keep],
            found.strength[keep],
            found.class_experience[keep],
            evidence[keep],
            found.prior,
        )

    def weigh(
        self, conditions: NDArray[np.uint32], penalty: float
    ) -> tuple[EvidenceWeights, Array]:
        """Find the strength of rules and the evidence they carry."""
        degrees = self.degrees(conditions)
        found = fit_weights(
            degrees,
            self.labels,
            len(self.classes),
            penalty=penalty * self.cost(conditions),
            sample_weight=self.sample_weight,
            doubt=self.settings.doubt,
            ridge=self.settings.ridge,
        )
        return found, found.evidence(degrees, self.sample_weight)

    def degrees(self, conditions: NDArray[np.uint32]) -> Array:
        """Return the degrees to which rules match the rows."""
        n = len(conditions)
        rules = self.rule_set(
            conditions,
            np.ones(n),
            np.zeros((n, len(self.classes))),
            np.zeros(n),
            np.zeros(len(self.classes)),
        )
        degrees: Array = rules.freeze().membership(self.positions)
        return degrees

    def rule_set(
        self,
        conditions: NDArray[np.uint32],
        strength: Array,
        class_experience: Array,
        evidence: Array,
        prior: Array,
    ) -> WeightedRuleSet:
        """Put rules together, those with most evidence first."""
        return WeightedRuleSet.of(
            self.variables,
            self.classes,
            conditions,
            strength=strength,
            evidence=evidence,
            class_experience=class_experience,
            prior=prior,
            doubt=self.settings.doubt,
        )

    def fuse(self, models: list[WeightedRuleSet]) -> WeightedRuleSet:
        """Average the evidence of several models: rules that they share become one."""
        if len(models) == 1:
            return models[0]
        n = len(models)
        stacked = np.concatenate([model.conditions for model in models])
        conditions, first, index = np.unique(
            stacked, axis=0, return_index=True, return_inverse=True
        )
        index = index.ravel()
        known = np.concatenate([model.class_experience for model in models])
        strength, evidence = np.zeros(len(conditions)), np.zeros(len(conditions))
        np.add.at(strength, index, np.concatenate([model.strength for model in models]) / n)
        np.add.at(evidence, index, np.concatenate([model.evidence for model in models]) / n)
        return self.rule_set(
            conditions,
            strength,
            known[first],
            evidence,
            np.mean([model.prior for model in models], axis=0),
        )
