"""Support: how unlike the training data a record is, and which feature makes it so.

Every value surprises more or less, given the value of the feature's parent in a `TermForest`.
A record whose values surprise more than those of nearly all training records is novel. No labels
are needed, and the surprise is a sum over the features, which tells what caused it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util import portable_math
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.evidence.known_values import Known, decimals_of
from fuzzyucs.evidence.novelty_curve import EXPONENT, curve, ordinary_scores
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.locating import Located
from fuzzyucs.variables.partitioning import Nominal
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.variables import ranges

__all__ = ["Reason", "Support"]

N_TERMS = 9
N_FOLDS = 5
MOST_ROWS = 200_000  # to learn from; more would tell nothing else
OUTSIDE = 40.0  # surprise of a value that lies a whole range outside the range
NARROWEST = 1e-12  # area of a term, in ranges
LEAST_PART = 0.1  # of the surprise of the most surprising value, for others to be reasons, too

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reason:
    """Why a record is unusual: one of its values.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : float
        Its value.
    given : str or None
        The feature that lets one expect another value; None if the value is unusual by itself.
    given_value : float or None
        Its value.
    is_outside : bool
        Whether the value lies outside of what the training data had.
    surprise : float
        How much more surprising the value is than that of a typical record.
    text : str
        The reason in words.
    sentence : str
        The same as a sentence, with the range of the training data if the value lies outside.
    """

    feature: str
    value: float
    given: str | None
    given_value: float | None
    is_outside: bool
    surprise: float
    text: str
    sentence: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Support:
    """What training data look like, and how unlike them a record is.

    Attributes
    ----------
    partition : LinguisticPartition
        Terms with equally many values between their peaks.
    forest : TermForest
        Which feature depends on which, and how.
    known : Known
        The values that the training data had.
    typical : ndarray of shape (n_features,)
        Mean surprise of each feature in the training data.
    scores : ndarray of shape (n_knots,)
        Ascending scores of training records, each scored by a forest that did not know it.
    levels : ndarray of shape (n_knots,)
        Novelty of a record with that score.
    tail : float
        By how much the score has to grow to become e times rarer, beyond the greatest.
    typical_alone : ndarray of shape (n_features,), optional
        Mean surprise of each feature if nothing is known of its parent. Support that version 0.1.0
        saved lacks it; `typical` takes its place.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.support import Support
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(0, 80, 500)
    >>> X = np.column_stack([age, 60 + age + rng.normal(0, 5, 500)])
    >>> support = Support.fit(X, ["age", "height"])
    >>> support.novelty(np.array([[40.0, 100.0], [5.0, 135.0], [40.0, 400.0]])).round(2)
    array([0.01, 1.  , 1.  ])
    >>> print(support.reasons(np.array([5.0, 135.0]))[0])
    height 135 given age 5
    """

    partition: LinguisticPartition
    forest: TermForest
    known: Known
    typical: Array
    scores: Array
    levels: Array
    tail: float
    typical_alone: Array | None = None

    @classmethod
    def fit(
        cls,
        X: Array | Table,
        feature_names: Sequence[str],
        nominal_features: Nominal = "auto",
        columns: Columns | None = None,
        left_out: NDArray[np.bool_] | None = None,
    ) -> Support:
        """Learn from training data.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or Table
            Training data. NaN is ignored.
        feature_names : sequence of str
            Names of the features.
        nominal_features : "auto", sequence or None
            Features without order; "auto" takes those with at most six different values.
        columns : Columns, optional
            Features whose numbers stand for categories.
        left_out : ndarray of shape (n_features,), optional
            Features that make no record novel, whatever their values.

        Returns
        -------
        Support
        """
        # Tables may be sorted, or repeat themselves after a few rows.
        table = Table.of(X)
        some = table.take(np.random.default_rng(0).permutation(len(table))[:MOST_ROWS])
        partition = LinguisticPartition.of(
            some,
            feature_names,
            partition="quantile",
            n_terms=N_TERMS,
            nominal_features=nominal_features,
            columns=columns,
            groups_rest=True,
            with_borders=False,
        )
        located = Located(some, partition.positions)
        n_folds = min(N_FOLDS, len(some))
        ignored = np.zeros(table.n_features, dtype=bool) if left_out is None else left_out
        n_terms = np.where(ignored, 0, partition.n_varied_terms).astype(np.uint32)
        *partial, forest = TermForest.grow_folds(located, n_terms, n_folds)
        fold = np.arange(len(some)) % n_folds
        nominal = np.flatnonzero(partition.is_nominal)
        scores = np.empty(len(some))
        for k, tree in enumerate(partial):
            others, scale = some.take(fold != k), _scale(partition, tree.n_terms)
            usual = _typical(tree, scale, Located(others, partition.positions))
            total = _core.SurpriseTotal(tree.native, scale, *usual)
            known, own = Known.of(others, nominal, ignored), np.flatnonzero(fold == k)
            held_out = some.take(own)
            for rows in held_out.blocks():
                records = held_out.rows(rows)
                excess = known.total_excess(records)
                scores[own[rows]] = total.add(partition.positions(records)) + OUTSIDE * excess
        typical, alone = _typical(forest, _scale(partition, forest.n_terms), located)
        known = Known.of(table, nominal, ignored)
        times = partition.columns.times
        numbers = [f for f in range(len(typical)) if partition.has_numbers(f) and f not in times]
        known = replace(known, decimals=decimals_of(table, known, numbers))
        if ignored.any():  # `outside` tells their values from all rows, too
            least, greatest = ranges(table)
            partition = replace(
                partition,
                minimum=np.where(ignored, least, partition.minimum),
                maximum=np.where(ignored, greatest, partition.maximum),
            )
        return cls(partition, forest, known, typical, *curve(scores, len(scores)), alone)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached values

    @cached_property
    def scale(self) -> Array:
        """By how much the membership of each term counts more because the term is narrow."""
        return _scale(self.partition, self.forest.n_terms)

    def parts(self, X: Array) -> Array:
        """Return how much more surprising each value is than a typical one.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Records.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What each feature adds to the score of a record; 0 for missing values.
        """
        positions = self.partition.positions(X)
        typical = self.typical, self.typical_alone
        return _parts(self.forest, self.scale, positions, typical, self.known.excess(X))

    def novelty(self, X: Array) -> Array:
        """Return how unlike the training data records are.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Records.

        Returns
        -------
        ndarray of shape (n_samples,)
            From 0 to 1. Records like those of the training data have 0.03 on average, and less if
            there were more than 1,000 of them.
        """
        X = np.ascontiguousarray(X)
        score = self._total.add(self.partition.positions(X)) + OUTSIDE * self.known.total_excess(X)
        novelty: Array = np.interp(score, self.scores, self.levels)
        is_beyond = score > self.scores[-1]
        beyond = (score[is_beyond] - self.scores[-1]) / self.tail
        rest = (1 - self.levels[-1] ** EXPONENT) * portable_math.exp(-beyond)
        novelty[is_beyond] = portable_math.power(1 - rest, 1 / EXPONENT)
        return novelty

    def ordinary_scores(self, shares: Array, n_rows: int) -> Array:
        """Return the scores that shares of the training data had at most."""
        return ordinary_scores(self.scores, self.levels, shares, n_rows)

    @cached_property
    def _total(self) -> _core.SurpriseTotal:
        alone = self.typical if self.typical_alone is None else self.typical_alone
        return _core.SurpriseTotal(self.forest.native, self.scale, self.typical, alone)

    def __repr__(self) -> str:
        names = self.partition.feature_names
        features = f"{counted(len(names), 'feature', 'features')} ({some(names)})"
        depending = int((self.forest.parent >= 0).sum())
        return short_repr(self, features, f"{depending} of which depend on another")

    def reasons(self, x: Any, most: int = 3, parts: Array | None = None) -> list[Reason]:
        """Tell which values make a record unusual.

        Parameters
        ----------
        x : array-like of shape (n_features,), or frame with one row
            The record: numbers, and categories and dates as in the training data.
        most : int
            Greatest number of reasons.
        parts : ndarray of shape (n_features,), optional
            What each feature adds to the score of the record, if that is known already.

        Returns
        -------
        list of Reason
            Values that surprise more than typical ones, the most surprising first. Beside one that
            surprises ten times as much, a value is left out.
        """
        x = self._numbers(x)
        if len(x) != self.partition.n_features:
            raise ValueError(
                f"x must be one record with {self.partition.n_features} values, got {len(x)}"
            )
        if parts is None:
            parts = self.parts(x[np.newaxis])[0]
        outside = self.known.excess(x[np.newaxis])[0] > 0
        names = self.partition.feature_names
        reasons = []
        for feature in np.argsort(-parts, kind="stable")[:most].tolist():
            if parts[feature] <= LEAST_PART * max(0.0, float(np.max(parts))):
                break
            parent = int(self.forest.parent[feature])
            is_given = parent >= 0 and not np.isnan(x[parent])
            reasons.append(
                Reason(
                    names[feature],
                    float(x[feature]),
                    names[parent] if is_given else None,
                    float(x[parent]) if is_given else None,
                    bool(outside[feature]),
                    float(parts[feature]),
                    self._in_words(x, feature, parent if is_given else None, outside[feature]),
                    self._sentence(x, feature, parent if is_given else None, outside[feature]),
                )
            )
        return reasons

    def outside(self, x: Array) -> dict[str, str]:
        """Say which values of a record lie outside of what the training data had.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            The record, as numbers.

        Returns
        -------
        dict of str to str
            A sentence for each such feature, the value furthest outside first.
        """
        excess, names = self.known.excess(x[np.newaxis])[0], self.partition.feature_names
        order = [f for f in np.argsort(-excess, kind="stable").tolist() if excess[f] > 0]
        partition = self.partition
        # Features that make no record novel still have a range.
        is_beyond = (x < partition.minimum) | (x > partition.maximum)
        is_beyond &= np.isnan(self.known.minimum)
        order += np.flatnonzero(is_beyond).tolist()
        return {names[f]: self._sentence(x, f, None, True) for f in order}

    def _numbers(self, x: Any) -> Array:
        """Return a record as numbers; a category that is not known is a missing value."""
        columns = self.partition.columns
        if hasattr(x, "columns"):
            return np.ravel(np.asarray(columns.values(x), dtype=float))
        values = np.ravel(np.asarray(x))
        if values.dtype.kind in "biuf":
            return values.astype(float)
        record = np.ravel(np.asarray(x, dtype=object)).tolist()
        return np.array([self._number(i, value) for i, value in enumerate(record)])

    def _number(self, feature: int, value: Any) -> float:
        known = self.partition.columns.categories.get(feature)
        is_unknown = known is not None and value not in known.labels
        if value is None or (is_unknown and not isinstance(value, float)):
            return np.nan
        return self.partition.columns.number(feature, value)

    def _sentence(self, x: Array, feature: int, given: int | None, is_outside: bool) -> str:
        partition, known = self.partition, self.known
        text = f"{partition.feature_names[feature]} {partition.write(feature, x[feature])}"
        if not is_outside:
            return f"{text} is unusual{self._given(x, given)}"
        if feature in known.values:
            return f"{text} was never seen"
        low, high = known.minimum[feature], known.maximum[feature]
        if np.isnan(low):
            low, high = partition.minimum[feature], partition.maximum[feature]
        if low == high:
            return f"{text} was always {partition.write(feature, low)}"
        return (
            f"{text} is outside {partition.write(feature, low)} to {partition.write(feature, high)}"
        )

    def _in_words(self, x: Array, feature: int, given: int | None, is_outside: bool) -> str:
        partition = self.partition
        text = f"{partition.feature_names[feature]} {partition.write(feature, x[feature])}"
        if is_outside:
            return f"{text} is outside of the training data"
        return text + self._given(x, given)

    def _given(self, x: Array, given: int | None) -> str:
        if given is None:
            return ""
        return (
            f" given {self.partition.feature_names[given]} {self.partition.write(given, x[given])}"
        )


def _scale(partition: LinguisticPartition, n_terms: NDArray[np.uint32]) -> Array:
    """Return the factors that make up for narrow terms: they are seldom met by chance."""
    factors = [np.empty(0)]
    nominal = partition.is_nominal
    for feature, n in enumerate(n_terms.tolist()):
        if n == 0:
            continue
        if nominal[feature]:
            factors.append(np.ones(n))
            continue
        peaks = partition.peaks(feature)
        width = max(peaks[-1] / 2 - peaks[0] / 2, np.finfo(float).tiny)
        position = (peaks / 2 - peaks[0] / 2) / width
        ends = np.concatenate([position[:1], position, position[-1:]])
        factors.append(1 / np.sqrt(np.maximum((ends[2:] - ends[:-2]) / 2, NARROWEST)))
    return np.concatenate(factors)


def _typical(forest: TermForest, scale: Array, located: Located) -> tuple[Array, Array]:
    """Return the mean surprise of each feature where it is known, and without its parent."""
    n_features = len(forest.n_terms)
    known = np.zeros(n_features, dtype=np.int64)
    sums = np.zeros((2, n_features))
    for _, positions in located:
        known += (~np.isnan(positions)).sum(axis=0)
        sums = forest.native.surprise_sums(positions, scale, sums)
    with_parent, alone = sums / np.maximum(known, 1)
    return with_parent, alone


def _parts(
    forest: TermForest,
    scale: Array,
    positions: Array,
    typical: tuple[Array, Array | None],
    excess: Array,
) -> Array:
    counted = forest.n_terms > 0
    unknown = np.isnan(positions) | ~counted
    parts = forest.surprise(positions, scale)  # a new array, which may be changed
    with_parent, alone = typical
    if alone is None:
        parts -= with_parent
    else:
        is_alone = np.isnan(positions[:, forest.parent]) & (forest.parent >= 0)
        parts -= np.where(is_alone, alone, with_parent)
    parts[unknown] = 0.0
    # A record of which little is known would otherwise seem more ordinary than it is.
    n_known = parts.shape[1] - unknown.sum(axis=1)
    parts *= np.sqrt(counted.sum() / np.maximum(n_known, 1))[:, np.newaxis]
    parts += OUTSIDE * excess
    return parts
