"""Growth of rules by histograms among fine terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.searching import SearchSettings, SearchStage, advance, begin_search
from fuzzyucs.estimators.training import Rows, TrainingData, deal
from fuzzyucs.evidence.weighting import softmax
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.codes import Codes, FineFeature, FineTerms

__all__ = ["MANY_ROWS", "RELAXED", "VERY_MANY_ROWS", "Grown", "Growth", "tolerance"]

RELAXED = 0.9  # share of the penalty that is left once rules are chosen
PRECISION = 3e-5  # of the mean log-likelihood, when profiles are fitted
# The same in many rows, where it takes longer: of the last profiles, and while rules are chosen.
LAST_PRECISION = 3e-4
ROUGH = 1e-3
MOST_SWEEPS = 30
FEW_SWEEPS = 5  # of many classes
MANY_CLASSES = 100  # beyond which penalties fall in greater steps, and profiles are less precise
FOLDS = ((500, 6), (3500, 4))  # how many are worth their time below some numbers of rows
FEW_FOLDS = 3  # above
MANY_ROWS = 5000  # from which on a fifth of the rows tells enough, and the others give good rules
LEAST_PARTS = 5  # of which each of several models lacks another one
VERY_MANY_ROWS = 20_000  # from which on a tenth tells enough

Array = NDArray[np.float64]


def tolerance(n_rows: int, n_classes: int, *, is_last: bool = False) -> float:
    """Return by how much the log-likelihood may be less than the greatest one."""
    precision = PRECISION
    if n_rows >= MANY_ROWS:
        precision = LAST_PRECISION if is_last else ROUGH
    return precision * max(1.0, n_classes / MANY_CLASSES) * n_rows


class Search(Protocol):
    """A search for rules, wherever the rows are."""

    @property
    def n_rules(self) -> int:
        """Number of rules, known without a copy of them."""

    def rules(self) -> tuple[NDArray[np.uint64], Array, Array]:
        """Return sets of terms, profiles and neutral degrees."""

    def scores(self, codes: Codes) -> Array:
        """Return logarithms of odds of all classes for other rows."""


class Grown(NamedTuple):
    """Rules that were grown.

    Attributes
    ----------
    accepted : list of ndarray of shape (n_rules, n_terms)
        For each feature, which of its fine terms each rule accepts.
    profile : ndarray of shape (n_rules, n_classes)
        What they say about each class.
    """

    accepted: list[NDArray[np.bool_]]
    profile: Array

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.profile)


class Growth:
    """Rules grown in a table of codes.

    Parameters
    ----------
    data : TrainingData
        The rows.
    fine : FineTerms
        The fine terms of the features.
    settings : SearchSettings
        Parameters of the search. Growths that share the machine have one thread each.
    constraints : Constraints, optional
        What rules have to keep to.
    """

    def __init__(
        self,
        data: TrainingData,
        fine: FineTerms,
        settings: SearchSettings,
        constraints: Constraints | None = None,
    ) -> None:
        self.data = data
        self.fine = fine
        self.constraints = constraints
        self._asked = settings

    @cached_property
    def settings(self) -> SearchSettings:
        """Settings of the search, about features that may be used."""
        return self._asked.constrained(self.constraints).of_features(self.usable.tolist())

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return self.data.n_rows

    @cached_property
    def usable(self) -> Rows:
        """Features with two terms and more: others cannot tell anything. Some must not."""
        usable = np.array([len(f.variable.terms) > 1 for f in self.fine.features], dtype=bool)
        if self.constraints is not None:
            usable[list(self.constraints.unused)] = False
        return np.flatnonzero(usable)

    @cached_property
    def codes(self) -> Codes:
        """The training data: a row for each usable feature."""
        codes = self.fine.codes
        return codes if len(self.usable) == len(codes) else codes[self.usable]

    @property
    def usable_features(self) -> list[FineFeature]:
        """The fine terms of usable features."""
        return [self.fine.features[f] for f in self.usable.tolist()]

    @property
    def has_many_classes(self) -> bool:
        """Whether each step takes so long that fewer have to do."""
        return self.data.n_classes > MANY_CLASSES

    @property
    def is_alone(self) -> bool:
        """Whether growths come one after the other; otherwise threads share the folds."""
        return self.n_rows >= MANY_ROWS

    def folds(self) -> list[tuple[Rows, Rows]]:
        """Divide the rows for cross-validation; of many rows, some are held out once.

        How they are divided depends on their values alone: nothing is left to chance.
        """
        n = self.n_rows
        if self.is_alone:
            return deal(self.data, 10 if n >= VERY_MANY_ROWS else 5)[:1]
        return deal(self.data, next((k for below, k in FOLDS if n < below), FEW_FOLDS))

    def begin(self, rows: Rows) -> Search | None:
        """Begin to grow rules in some of the rows; without usable features there are none."""
        if not len(self.usable):
            return None
        data, alone = self.data, replace(self.settings, n_threads=1)
        return begin_search(
            self.usable_features,
            self.codes[:, rows],
            data.labels[rows],
            data.sample_weight[rows],
            data.n_classes,
            self.settings if self.is_alone else alone,
        )

    def parts(self, n_models: int) -> list[Rows]:
        """Return the rows that each of several models grows in; of one, all."""
        if n_models == 1:
            return [np.arange(len(self.data.labels))]
        return [train for train, _ in deal(self.data, max(n_models, LEAST_PARTS))[:n_models]]

    def advance(self, search: Search | None, penalty: float, most: int) -> int:
        """Grow with a lower penalty; return how many rules there are."""
        if search is None:
            return 0
        stage = SearchStage(
            penalty,
            most,
            tolerance(self.n_rows, self.data.n_classes),
            FEW_SWEEPS if self.has_many_classes else MOST_SWEEPS,
            1.0 if self.is_alone else RELAXED,
        )
        self._advance(search, stage)
        return search.n_rules

    def _advance(self, search: Any, stage: SearchStage) -> None:
        advance(search, stage)

    def fee(self, search: Search | None) -> float:
        """Return what the features of the rules cost, as a part of the mean log-loss."""
        if search is None or self.constraints is None or not self.settings.fees:
            return 0.0
        words, _, _ = search.rules()
        is_asked = words.reshape(len(words), len(self.usable), 4).any(axis=(0, 2))
        return float(np.asarray(self.settings.fees)[is_asked].sum())

    def state(self, search: Any) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        return tuple(search.state())

    def go_on(self, search: Any, state: tuple[Any, ...]) -> None:
        """Go on with a search where another one was."""
        search.go_on_from(*state)

    def probabilities(self, search: Search | None, rows: Rows) -> Array:
        """Return what the rules say about some rows."""
        if search is None:
            return np.tile(self.data.base_rates, (len(rows), 1))
        return softmax(search.scores(np.ascontiguousarray(self.codes[:, rows])))

    def grow(self, path: Sequence[tuple[float, int]], rows: Rows) -> list[Grown]:
        """Grow rules in some rows, along a path of penalties; return what there is after each."""
        search = self.begin(rows)
        found = []
        for penalty, most in path:
            self.advance(search, penalty, most)
            found.append(self.grown(search))
        return found

    def grown(self, search: Search | None) -> Grown:
        """Return the rules that there are at present."""
        if search is None:
            words, profile = np.empty((0, 0), np.uint64), np.empty((0, self.data.n_classes))
        else:
            words, profile, _ = search.rules()
        return Grown(self._accepted(words), profile)

    def _accepted(self, words: NDArray[np.uint64]) -> list[NDArray[np.bool_]]:
        """Return for each feature which of its fine terms each rule accepts."""
        n_rules = len(words)
        # Features that no rule asks for, nearly all of very many, share what they accept.
        everything = {
            n: np.ones((n_rules, n), dtype=bool)
            for n in {len(feature.variable.terms) for feature in self.fine.features}
        }
        accepted = [everything[len(feature.variable.terms)] for feature in self.fine.features]
        if n_rules:
            sets = words.reshape(n_rules, -1, 4)
            for place in np.flatnonzero(sets.any(axis=(0, 2))).tolist():
                own, number = sets[:, place], int(self.usable[place])
                bits = np.unpackbits(own.view(np.uint8), axis=1, bitorder="little")
                is_asked, found = own.any(axis=1), accepted[number].copy()
                found[is_asked] = bits[is_asked, : found.shape[1]].astype(bool)
                accepted[number] = found
        return accepted
