"""Experts' rules in a fit: a prior of which data decide how much of it stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.growth import Grown, Growth
from fuzzyucs.estimators.searching import SearchSettings
from fuzzyucs.estimators.training import Rows, TrainingData
from fuzzyucs.evidence.claims import Claims, fit_strengths
from fuzzyucs.evidence.weighting import softmax
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.rules.grammar import Statement
from fuzzyucs.variables.codes import Codes, FineTerms
from fuzzyucs.variables.coding import as_condition, every_terms
from fuzzyucs.variables.demands import Premises
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.locating import Located
from fuzzyucs.variables.table import Table

__all__ = ["ExpertGrowth", "ExpertRules", "claims_of", "degrees_of", "log_rates"]

Array = NDArray[np.float64]


def claims_of(statements: Sequence[Statement]) -> Claims:
    """Return what rules state about their classes."""
    return Claims(
        np.array([s.label for s in statements], dtype=np.intp),
        np.array([s.is_against for s in statements], dtype=bool),
        np.array([s.reliability for s in statements]),
        np.array([s.worth for s in statements]),
    )


def log_rates(class_weight: Array) -> Array:
    """Return logarithms of the shares of classes; one without rows counts as half a row."""
    weight = np.where(class_weight > 0, class_weight, 0.5)
    return np.asarray(np.log(weight / weight.sum()))


@dataclass(frozen=True, eq=False)
class ExpertRules:
    """Rules that experts stated, for a table.

    Parameters
    ----------
    claims : Claims
        What they state.
    premises : Premises
        Their conditions.
    """

    claims: Claims
    premises: Premises

    def accepted(self, fine: FineTerms) -> list[NDArray[np.bool_]]:
        """Return for each feature which of its fine terms each rule accepts."""
        return self.premises.accepted(fine)

    def fine_degrees(self, fine: FineTerms, table: Table) -> Array:
        """Return the degrees to which the rules match rows, by fine terms."""
        usual, variables = fine.usual, [feature.variable for feature in fine.features]
        n_terms = np.array([max(2, len(v.terms)) for v in variables], dtype=np.uint32)
        partition = LinguisticPartition(
            usual.feature_names,
            usual.minimum,
            usual.maximum,
            n_terms,
            dict(enumerate(variables)),
            columns=usual.columns,
        )
        conditions = np.tile(every_terms(n_terms), (len(self.claims), 1))
        for feature, sets in enumerate(self.accepted(fine)):
            for rule in np.flatnonzero(~sets.all(axis=1)).tolist():
                accepted = np.zeros(int(n_terms[feature]), dtype=bool)
                accepted[: sets.shape[1]] = sets[rule]
                conditions[rule, feature] = as_condition(accepted)
        return degrees_of(partition, conditions, table)

    def fit(self, degrees: Array, data: TrainingData) -> Array:
        """Find how strong the rules are, by what they are worth and by the rows."""
        return fit_strengths(
            self.claims,
            degrees,
            data.labels,
            log_rates(data.class_weight),
            sample_weight=data.sample_weight,
        )

    def scores(self, degrees: Array, strength: Array, n_classes: int) -> Array:
        """Return what the rules say about each class."""
        return self.claims.scores(degrees, strength, n_classes)


def degrees_of(
    variables: LinguisticPartition, conditions: NDArray[np.uint64], table: Table
) -> Array:
    """Return the degrees to which rules match that are silent where a value is missing.

    Parameters
    ----------
    variables : LinguisticPartition
        The features.
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of rules.
    table : Table
        Rows.

    Returns
    -------
    ndarray of shape (n_samples, n_rules)
    """
    rules = variables.without_beliefs().rule_degrees(conditions)
    asks = ~variables.dont_cares(conditions)
    found = np.empty((len(table), len(conditions)))
    for rows, positions in Located(table, variables.positions):
        is_silent = np.isnan(positions).astype(float) @ asks.T.astype(float) > 0
        found[rows] = np.where(is_silent, 0.0, rules.membership(np.ascontiguousarray(positions)))
    return found


class Guided(NamedTuple):
    """A search beside experts' rules, which are as strong as the rows of the search say."""

    search: Any
    strength: Array


class ExpertGrowth(Growth):
    """Rules grown where experts' rules leave most to be said.

    Parameters
    ----------
    data, fine, settings
        As of `Growth`.
    experts : ExpertRules
        The experts' rules.
    constraints : Constraints, optional
        What learned rules have to keep to.
    """

    def __init__(
        self,
        data: TrainingData,
        fine: FineTerms,
        settings: SearchSettings,
        experts: ExpertRules,
        constraints: Constraints | None = None,
    ) -> None:
        super().__init__(data, fine, settings, constraints)
        self.experts = experts
        self.degrees = experts.fine_degrees(fine, data.table)

    def _scores(self, guided: Guided, rows: Rows) -> Array:
        return self.experts.scores(self.degrees[rows], guided.strength, self.data.n_classes)

    def begin(self, rows: Rows) -> Any:
        """Begin to grow rules beside those of the experts."""
        strength = self.experts.fit(self.degrees[rows], self.data.take(rows))
        guided = Guided(super().begin(rows), strength)
        if guided.search is not None:
            guided.search.set_offset(np.ascontiguousarray(self._scores(guided, rows)))
        return guided

    def advance(self, search: Any, penalty: float, most: int) -> int:
        """Grow with a lower penalty; return how many rules there are."""
        return super().advance(search.search, penalty, most)

    def state(self, search: Any) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        return super().state(search.search)

    def go_on(self, search: Any, state: tuple[Any, ...]) -> None:
        """Go on with a search where another one was."""
        super().go_on(search.search, state)

    def probabilities(self, search: Any, rows: Rows) -> Array:
        """Return what the rules, those of the experts included, say about some rows."""
        if search.search is None:
            scores = np.tile(log_rates(self.data.class_weight), (len(rows), 1))
        else:
            codes: Codes = np.ascontiguousarray(self.codes[:, rows])
            scores = search.search.scores(codes)
        return softmax(scores + self._scores(search, rows))

    def grown(self, search: Any) -> Grown:
        """Return the rules that there are at present, without those of the experts."""
        return super().grown(search.search)
