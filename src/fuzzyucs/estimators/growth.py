"""Growth of rules by histograms among fine terms: the search for tables of any size."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.search import PRECISION, SearchTask
from fuzzyucs.evidence.weighting import folds, softmax
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.codes import Codes, FineTerms
from fuzzyucs.variables.linguistic import Beliefs
from fuzzyucs.variables.merging import merge_terms

__all__ = ["GrowthTask"]

MANY_ROWS = 5000  # from which on a fifth of the rows is held out once
CONDITION_COST = 0.6  # how much a condition adds to the penalty of a rule
PENALTIES = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125)
RULES = 60  # to grow with each of the penalties, at most

Array = NDArray[np.float64]


class GrowthTask(SearchTask):
    """Training data as codes of fine terms, in which rules are grown.

    Parameters
    ----------
    fine : FineTerms
        The fine terms of the features.
    classes, X, labels, sample_weight, settings
        As in `SearchTask`.
    n_threads : int
        Of a growth that has the machine for itself. It does not change the result.
    """

    path: ClassVar = tuple((penalty, RULES) for penalty in PENALTIES)
    allowance: ClassVar = 1.0
    relaxed = 0.8
    negligible = 0.01

    def __init__(
        self,
        fine: FineTerms,
        classes: NDArray[Any],
        X: Array,
        labels: NDArray[np.uint32],
        sample_weight: Array,
        settings: _core.SearchSettings,
        n_threads: int = 1,
    ) -> None:
        settings.condition_cost = CONDITION_COST
        super().__init__(fine.usual, classes, X, labels, sample_weight, settings)
        self.fine = fine
        self.n_threads = n_threads
        self.missing: Beliefs = "belief"

    @cached_property
    def usable(self) -> NDArray[np.intp]:
        """Features with two terms and more."""
        counts = [len(feature.variable.terms) for feature in self.fine.features]
        return np.flatnonzero(np.array(counts) > 1)

    @cached_property
    def codes(self) -> Codes:
        """The training data: a row for each usable feature."""
        return np.ascontiguousarray(self.fine.codes(self.X)[self.usable])

    @property
    def is_alone(self) -> bool:
        """Whether growths come one after the other; otherwise threads share the folds."""
        return len(self.labels) >= MANY_ROWS

    def folds(self, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Divide the rows for cross-validation; of many rows, hold out a fifth once."""
        if self.is_alone:
            return folds(self.labels, seed, 5)[:1]
        return super().folds(seed)

    def search(self, rows: NDArray[np.intp], seed: int) -> _core.RuleGrowth | None:  # noqa: ARG002
        """Begin to grow rules in some of the rows."""
        if not len(self.usable):
            return None
        features = [self.fine.features[f] for f in self.usable.tolist()]
        return _core.RuleGrowth(
            np.ascontiguousarray(self.codes[:, rows]),
            np.array([len(f.variable.terms) for f in features], dtype=np.uint32),
            np.array([f.variable.is_nominal for f in features]),
            np.array([f.steps for f in features], dtype=np.uint32),
            self.labels[rows],
            self.sample_weight[rows],
            len(self.classes),
            self.settings,
            np.concatenate([f.shares for f in features]),
            self.n_threads if self.is_alone else 1,
        )

    def descend(
        self,
        search: Any,
        penalty: float,
        rounds: int,
        test: NDArray[np.intp],
    ) -> tuple[NDArray[np.uint64], Array]:
        """Go on with a lower penalty; return rules in use and probabilities of held-out rows."""
        if search is None:
            return np.empty((0, 0), np.uint64), np.tile(self.base_rates, (len(test), 1))
        self._grow(search, penalty, rounds)
        found, _, _ = search.rules()
        return found, softmax(search.scores(np.ascontiguousarray(self.codes[:, test])))

    def _grow(self, search: _core.RuleGrowth, penalty: float, rounds: int) -> None:
        search.set_penalty(penalty)
        search.grow(rounds)
        search.settle(PRECISION * len(self.labels), 30, self.relaxed)

    def believe(self, missing: Beliefs) -> None:
        """Remember what a missing value shall mean."""
        self.missing = missing

    def finish(
        self,
        pool: list[NDArray[np.uint64]],
        penalty: float,
        max_rules: int | None,
        start: Array | None = None,
    ) -> ProfiledRuleSet:
        """Grow rules anew in all rows, merge terms that they do not tell apart, and weigh them."""
        del pool, start  # rules of parts of the rows
        search = self.search(np.arange(len(self.labels)), 0)
        found, profile = np.empty((0, 0), np.uint64), np.empty((0, len(self.classes)))
        if search is not None:
            for price, rounds in self.path:
                self._grow(search, max(price, penalty), rounds)
                if price <= penalty:
                    break
            found, profile, _ = search.rules()
        variables, conditions = merge_terms(self.fine, self._accepted(found), self.X)
        task = SearchTask(
            variables.with_beliefs(self.X, self.missing),
            self.classes,
            self.X,
            self.labels,
            self.sample_weight,
            self.settings,
        )
        task.answer_threshold = self.answer_threshold
        task.relaxed, task.negligible = self.relaxed, self.negligible
        return task.finish([conditions], penalty, max_rules, profile)

    def _accepted(self, words: NDArray[np.uint64]) -> list[NDArray[np.bool_]]:
        """Return for each feature which of its fine terms each rule accepts."""
        n_rules, accepted = len(words), []
        place = {feature: i for i, feature in enumerate(self.usable.tolist())}
        for number, feature in enumerate(self.fine.features):
            n_terms = len(feature.variable.terms)
            sets = np.ones((n_rules, n_terms), dtype=bool)
            if number in place and n_rules:
                own = words.reshape(n_rules, -1, 4)[:, place[number]]
                bits = np.unpackbits(own.view(np.uint8), axis=1, bitorder="little")
                is_asked = own.any(axis=1)
                sets[is_asked] = bits[is_asked, :n_terms].astype(bool)
            accepted.append(sets)
        return accepted
