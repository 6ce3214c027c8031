"""Training data of the flagship, as its parts share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.row_sample import LeftOut, RowSample, RowSketch, sketched
from fuzzyucs.estimators.searching import SearchSettings, SearchStage, advance, begin_search
from fuzzyucs.estimators.sharing import Sharing
from fuzzyucs.evidence.profiles import fit_rule_profiles
from fuzzyucs.rules.constraints import Directions
from fuzzyucs.rules.labelled_rows import count_applies
from fuzzyucs.variables.codes import FineFeature, encode
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table import Table

__all__ = ["TrainingData", "deal"]

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits like chance


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows with their classes and weights, and sums over them.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    table : Table
        The rows.
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    sample_weight : ndarray of shape (n_samples,)
        How much each row counts.
    sharing : Sharing, optional
        If these are the rows of one of several machines: how sums become those over all rows. All
        machines ask for the same sums in the same order.
    """

    classes: NDArray[Any]
    table: Table
    labels: NDArray[np.uint32]
    sample_weight: Array
    sharing: Sharing | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_rows(self) -> int:
        """Number of rows, those of other machines included."""
        return len(self.labels) if self.sharing is None else self.sharing.n_rows

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """Number of rows of each class."""
        counts = np.bincount(self.labels, minlength=self.n_classes)
        return counts if self.sharing is None else self.sharing.counts(counts)

    @cached_property
    def class_weight(self) -> Array:
        """Sum of the weights of each class."""
        sums: Any = np.bincount(self.labels, self.sample_weight, minlength=self.n_classes)
        weight = np.asarray(sums, dtype=np.float64)
        return weight if self.sharing is None else self.sharing.weights(weight)

    @property
    def base_rates(self) -> Array:
        """Shares of the classes, by weight."""
        rates: Array = self.class_weight / self.class_weight.sum()
        return rates

    def take(self, rows: NDArray[Any]) -> TrainingData:
        """Return a copy of some rows, by number or as a mask."""
        return TrainingData(
            self.classes, self.table.take(rows), self.labels[rows], self.sample_weight[rows]
        )

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """Numbers like chance that depend on the values of rows, their weights and classes."""
        return _mixed(_hashes(self), self.labels.astype(np.uint64))

    def count_copies(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many rows have each of some hashes, which ascend."""
        place = np.searchsorted(hashes, self.hashes).clip(0, max(len(hashes) - 1, 0))
        found = place[hashes[place] == self.hashes] if len(hashes) else place[:0]
        counts = np.bincount(found, minlength=len(hashes))
        return counts if self.sharing is None else self.sharing.counts(counts)

    def known_sums(
        self, variables: LinguisticPartition, conditions: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """Return how much of each class lacks nothing that rules ask for: what matches, and all.

        Parameters
        ----------
        variables : LinguisticPartition
            The features.
        conditions : ndarray of shape (n_rules, n_features)
            Conditions of rules.

        Returns
        -------
        ndarray of shape (n_rules, 2, n_classes)
        """
        rules, rows = variables.rule_degrees(conditions), variables.stored_rows(self.table)
        about = self.labels, self.n_classes, self.sample_weight, self._shared
        return np.stack(rules.known_sums(rows, *about), axis=1)

    def class_sums(
        self, variables: LinguisticPartition, conditions: NDArray[np.uint64], neutral: Array
    ) -> Array:
        """Return how much rules match of each class, and how far that is from neutral.

        Parameters
        ----------
        variables, conditions
            As in `known_sums`.
        neutral : ndarray of shape (n_rules,)
            Degrees at which rules say nothing.

        Returns
        -------
        ndarray of shape (n_rules, n_classes + 1)
        """
        rules = variables.rule_degrees(conditions, variables.dependence(conditions, neutral))
        rows = variables.stored_rows(self.table)
        sums = rules.class_sums(rows, self.labels, self.n_classes, neutral, self._shared)
        return np.column_stack(sums)

    def count_applies(
        self, variables: LinguisticPartition, conditions: NDArray[np.uint64], weighted: bool
    ) -> NDArray[Any]:
        """Return how many rows of each class the texts of rules are true of, or their weight."""
        weight = self.sample_weight if weighted else None
        about = self.table, self.labels, self.n_classes, weight
        counts = count_applies(variables, conditions, *about)
        if self.sharing is None:
            return counts
        return self.sharing.weights(counts) if weighted else self.sharing.counts(counts)

    def fit_profiles(
        self,
        variables: LinguisticPartition,
        conditions: NDArray[np.uint64],
        neutral: Array,
        penalty: Array,
        start: Array | None,
        directions: Directions | None,
        tolerance: float,
        offset: Array | None = None,
    ) -> Array:
        """Find the class profiles of rules.

        Parameters
        ----------
        variables, conditions, neutral
            As in `class_sums`.
        penalty : ndarray of shape (n_rules,)
            Penalty of each rule.
        start : ndarray of shape (n_rules, n_classes), optional
            Profiles to begin with.
        directions : Directions, optional
            Which rules follow the order of the classes.
        tolerance : float
            How far the objective may be from the least possible, about.
        offset : ndarray of shape (n_samples, n_classes), optional
            What other evidence adds to the scores of the classes.

        Returns
        -------
        ndarray of shape (n_rules, n_classes)
        """
        rules = variables.rule_degrees(conditions, variables.dependence(conditions, neutral))
        return fit_rule_profiles(
            rules,
            variables.stored_rows(self.table),
            self.labels,
            self.n_classes,
            penalty=penalty,
            neutral=neutral,
            sample_weight=self.sample_weight,
            start=start,
            directions=directions,
            tolerance=tolerance,
            shared=self._shared,
            offset=offset,
        ).profile

    def sample(self) -> RowSample:
        """Return rows that stand for all."""
        return sketched(self.n_rows, lambda greatest: RowSketch.of(self, None, greatest)).sample(
            self.count_copies
        )

    def begin(
        self,
        features: Sequence[FineFeature],
        numbers: Rows,
        left_out: LeftOut,
        settings: SearchSettings,
    ) -> _core.RuleGrowth:
        """Begin to grow rules.

        Parameters
        ----------
        features : sequence of FineFeature
            Features that can tell something.
        numbers : ndarray of shape (n_features,)
            Their columns.
        left_out : LeftOut
            Rows that rules do not grow in.
        settings : SearchSettings
            Parameters of the search.

        Returns
        -------
        RuleGrowth
        """
        rows = np.flatnonzero(left_out.others(self.hashes))
        codes = np.empty((len(numbers), len(rows)), dtype=np.uint8)
        for place, (number, feature) in enumerate(zip(numbers, features, strict=True)):
            codes[place] = encode(feature.variable, self.table.columns[number])[rows]
        about = self.labels[rows], self.sample_weight[rows], self.n_classes
        return begin_search(features, codes, *about, settings, self._shared)

    def advance(self, search: _core.RuleGrowth, stage: SearchStage) -> None:
        """Grow rules with a lower penalty, and fit their profiles."""
        advance(search, stage)

    def state(self, search: _core.RuleGrowth) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        return search.state()

    def go_on(self, search: _core.RuleGrowth, state: tuple[Any, ...]) -> None:
        """Go on with a new search where another one was."""
        search.go_on_from(*state)

    @cached_property
    def has_unit_weights(self) -> bool:
        """Whether every row has weight 1."""
        if self.sharing is not None:
            return self.sharing.has_unit_weights
        return bool((self.sample_weight == 1).all())

    @property
    def _shared(self) -> _core.SharedRows | None:
        return None if self.sharing is None else self.sharing.native


def deal(data: TrainingData, n_parts: int) -> list[tuple[Rows, Rows]]:
    """Divide rows for cross-validation, each class as evenly as it goes.

    What part a row is in depends on its values, not on where it stands in the table.

    Parameters
    ----------
    data : TrainingData
        The rows.
    n_parts : int
        Number of parts, if there are as many rows.

    Returns
    -------
    list of (train, test) pairs of indices
        A single row is in both.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.training import TrainingData, deal
    >>> from fuzzyucs.variables.table import Table
    >>> table = Table.of(np.arange(6.0)[:, np.newaxis])
    >>> labels = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint32)
    >>> data = TrainingData(np.array(["a", "b"]), table, labels, np.ones(6))
    >>> [np.bincount(labels[test]).tolist() for _, test in deal(data, 2)]
    [[2, 1], [2, 1]]
    """
    # Dealt out like cards, class by class: also classes with fewer rows than there are parts.
    order = np.lexsort((_hashes(data), data.labels))
    if len(order) == 1:
        return [(order, order)]
    dealt = np.empty(len(order), dtype=int)
    dealt[order] = np.arange(len(order)) % n_parts
    parts = [(np.flatnonzero(dealt != k), np.flatnonzero(dealt == k)) for k in range(n_parts)]
    return [(train, test) for train, test in parts if len(train) and len(test)]


def _hashes(data: TrainingData) -> NDArray[np.uint64]:
    """Return numbers like chance that depend on the values of rows."""
    hashes = np.zeros(len(data.labels), dtype=np.uint64)
    for number in range(data.table.n_features + 1):
        is_last = number == data.table.n_features
        column = data.sample_weight if is_last else data.table.column(number)
        # Zeros have a sign, and missing values come in many forms: each counts as one.
        bits = np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
        hashes = _mixed(hashes, bits)
    return hashes


def _mixed(hashes: NDArray[np.uint64], bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = (hashes ^ bits) * MULTIPLIER
    mixed ^= mixed >> np.uint64(29)
    return mixed
