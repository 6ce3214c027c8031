"""Codes: a table in one byte per value, by which rules are grown among many fine terms.

The code of an ordered feature is its position among the fine terms, in steps; that of a feature
without order is the term itself. The last code stands for a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import FEW_VALUES
from fuzzyucs.variables.terms import LinguisticVariable

__all__ = ["MISSING", "FineFeature", "FineTerms"]

MISSING = 255  # the code of a missing value
MOST_TERMS = 250  # of a feature: their codes have to stay below that of a missing value
ROWS_PER_TERM = 50  # on the mean, of an ordered feature
LEAST_TERMS = 5  # in a small table
LEAST_ROWS = 10  # of a category with a term of its own
BROAD_ENDS = 0.03, 0.97  # shares of values below the first and the last peak of broad terms

Array = NDArray[np.float64]
Codes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class FineFeature:
    """The fine terms of one feature.

    Parameters
    ----------
    variable : LinguisticVariable
        Its terms.
    steps : int
        Codes from one term to the next.
    shares : ndarray of shape (n_terms,)
        How probable the terms are.
    """

    variable: LinguisticVariable
    steps: int
    shares: Array

    @classmethod
    def of(cls, variable: LinguisticVariable, x: Array) -> FineFeature:
        """Find out how probable terms are in training data."""
        n_terms = len(variable.terms)
        steps = 1 if variable.is_nominal else max(1, (MISSING - 1) // max(1, n_terms - 1))
        found = cls(variable, steps, np.empty(0))
        codes = found.codes(x)
        known = codes[codes != MISSING].astype(np.int64)
        lower, part = known // steps, known % steps
        sums = np.bincount(lower, steps - part, minlength=n_terms)
        sums += np.bincount(np.minimum(lower + 1, n_terms - 1), part, minlength=n_terms)
        shares: Array = sums / max(sums.sum(), 1.0)
        return cls(variable, steps, shares)

    def codes(self, x: Array) -> Codes:
        """Return the codes of values."""
        positions = self.variable.positions(x)
        is_missing = np.isnan(positions)
        codes = np.rint(np.where(is_missing, 0.0, positions) * self.steps)
        codes[is_missing] = MISSING
        coded: Codes = codes.astype(np.uint8)
        return coded


class FineTerms:
    """The fine terms of the features of a table.

    Parameters
    ----------
    usual : LinguisticPartition
        Variables with few terms: they tell which features have no order.
    X : ndarray of shape (n_samples, n_features)
        Training data.
    kept : iterable of int
        Features that keep the terms of `usual`, because a user wants them.
    n_broad : int, optional
        Number of broad terms that the other ordered features have instead of many narrow ones.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import FineTerms
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> X = np.arange(500.0)[:, np.newaxis]
    >>> fine = FineTerms(LinguisticPartition.uniform(X, 5, ["size"]), X)
    >>> fine.features[0].variable.peaks[:3]
    array([  0.,  55., 110.])
    >>> fine.codes(X)[0, :4]
    array([0, 1, 1, 2], dtype=uint8)
    """

    def __init__(
        self,
        usual: LinguisticPartition,
        X: Array,
        kept: Iterable[int] = (),
        n_broad: int | None = None,
    ) -> None:
        self.usual = usual
        self.kept = frozenset(kept)
        self.n_broad = n_broad
        most = int(np.clip(len(X) / ROWS_PER_TERM, LEAST_TERMS, MOST_TERMS))
        self.features = [
            FineFeature.of(self._variable(feature, X[:, feature], most), X[:, feature])
            for feature in range(X.shape[1])
        ]

    def _variable(self, feature: int, x: Array, most: int) -> LinguisticVariable:
        usual = self.usual
        special = usual.special.get(feature)
        if special is not None and special.is_nominal:
            return _with_rare_ones_pooled(special, x)
        known = x[~np.isnan(x)]
        if self.is_fixed(feature) or not len(known):
            return special or LinguisticVariable(usual.peaks(feature), usual.terms(feature))
        peaks = broad_peaks(known, self.n_broad) if self.n_broad else fine_peaks(known, most)
        return LinguisticVariable(peaks, tuple(map(str, range(len(peaks)))))

    def is_fixed(self, feature: int) -> bool:
        """Tell whether a feature has the terms that a user or its values gave it."""
        usual = self.usual
        return feature in self.kept or usual.is_coded(feature) or not usual.has_order(feature)

    def codes(self, X: Array) -> Codes:
        """Encode a table: a row for each feature.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Data. NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_features, n_samples)
        """
        codes = np.empty(X.shape[::-1], dtype=np.uint8)
        for number, feature in enumerate(self.features):
            codes[number] = feature.codes(X[:, number])
        return codes


def fine_peaks(values: Array, most: int) -> Array:
    """Return the peaks of up to `most` terms: each value, or values that stand for as many rows.

    A value that is more frequent than that has a term of its own, such as the zero of a feature
    that is zero in most rows.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import fine_peaks
    >>> fine_peaks(np.repeat([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [90, 2, 2, 2, 2, 2]), 4)
    array([0., 1., 3., 5.])
    """
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= most:
        return distinct
    # So few are frequent that there is room for two others: the least and the greatest.
    is_frequent = counts * (most - 1) >= len(values)
    room = most - int(is_frequent.sum())
    others, repeated = distinct[~is_frequent], counts[~is_frequent]
    rank = np.cumsum(repeated) - 1
    wanted = np.linspace(0.0, rank[-1], room)
    chosen = others[np.searchsorted(rank, np.floor(wanted))]
    return np.unique(np.concatenate([distinct[is_frequent], chosen]))


def broad_peaks(values: Array, n_terms: int) -> Array:
    """Return the peaks of a few terms with equally many values between them.

    Between two peaks, a membership changes gradually over a great part of the values. The values at
    both ends, which may be far away, belong to the outermost terms entirely.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import broad_peaks
    >>> broad_peaks(np.append(np.arange(100.0), 1e6), 3)
    array([ 3., 50., 97.])
    >>> broad_peaks(np.repeat([0.0, 7.0], [99, 1]), 3)
    array([0., 7.])
    """
    # A value of the data each: no mean of two, which might be beyond the greatest number.
    peaks = np.quantile(values, np.linspace(*BROAD_ENDS, n_terms), method="nearest")
    if peaks[0] == peaks[-1]:
        peaks = np.array([values.min(), values.max()])
    return np.unique(peaks)


def _with_rare_ones_pooled(variable: LinguisticVariable, x: Array) -> LinguisticVariable:
    """Give frequent values terms of their own, and put rare ones together."""
    single = LinguisticVariable(
        variable.peaks,
        tuple(map(str, range(len(variable.peaks)))),
        is_nominal=True,
        takes_nearest=variable.takes_nearest,
    )
    positions = single.positions(x)
    counts = np.bincount(positions[~np.isnan(positions)].astype(int), minlength=len(variable.peaks))
    is_rare = counts < LEAST_ROWS
    is_rare[np.argsort(-counts, kind="stable")[MOST_TERMS - 1 :]] = True
    if len(counts) <= FEW_VALUES or is_rare.sum() < 2:
        return single
    groups: list[Sequence[float]] = [[value] for value in variable.peaks[~is_rare].tolist()]
    groups.append(variable.peaks[is_rare].tolist())
    return LinguisticVariable.of_groups(groups)
