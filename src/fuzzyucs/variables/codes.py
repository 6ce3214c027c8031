"""Codes: a table in one byte per value, by which rules are grown among many fine terms.

The code of an ordered feature is its position among the fine terms, in steps; that of a feature
without order is the term itself. The last code stands for a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import FEW_VALUES
from fuzzyucs.variables.table import Stored, Table
from fuzzyucs.variables.terms import LinguisticVariable

__all__ = ["MISSING", "FineFeature", "FineTerms", "count_steps", "encode"]

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
    def of(cls, variable: LinguisticVariable, codes: Codes) -> FineFeature:
        """Find out how probable terms are in training data, given as codes."""
        n_terms, steps = len(variable.terms), count_steps(variable)
        known = codes[codes != MISSING]
        lower, part = known // steps, known % steps
        sums = np.bincount(lower, steps - part, minlength=n_terms)
        sums += np.bincount(np.minimum(lower + 1, n_terms - 1), part, minlength=n_terms)
        shares: Array = sums / max(sums.sum(), 1.0)
        return cls(variable, steps, shares)


def count_steps(variable: LinguisticVariable) -> int:
    """Return how many codes there are from one term to the next.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import count_steps
    >>> from fuzzyucs.variables.terms import LinguisticVariable
    >>> count_steps(LinguisticVariable(np.array([90.0, 110.0, 180.0]), ("low", "medium", "high")))
    127
    """
    n_terms = len(variable.terms)
    return 1 if variable.is_nominal else max(1, (MISSING - 1) // max(1, n_terms - 1))


def encode(variable: LinguisticVariable, column: Stored) -> Codes:
    """Return the codes of a column among the terms of a variable.

    Parameters
    ----------
    variable : LinguisticVariable
        Up to 255 terms.
    column : Stored
        Values of any type.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import encode
    >>> from fuzzyucs.variables.table import Stored
    >>> from fuzzyucs.variables.terms import LinguisticVariable
    >>> age = LinguisticVariable(np.array([20.0, 70.0]), ("young", "old"))
    >>> encode(age, Stored(np.array([20.0, 45.0, 99.0, np.nan])))
    array([  0, 127, 254, 255], dtype=uint8)
    """
    x, peaks = (column.values, column.is_coded), variable.peaks
    if variable.is_nominal:
        terms = variable.groups.astype(np.uint8)
        return _core.encode_nominal(*x, peaks, terms, variable.takes_nearest)
    return _core.encode_ordered(*x, peaks, variable.ends, count_steps(variable))


class FineTerms:
    """The fine terms of the features of a table.

    Parameters
    ----------
    usual : LinguisticPartition
        Variables with few terms: they tell which features have no order.
    X : ndarray of shape (n_samples, n_features) or Table
        Training data.
    kept : iterable of int
        Features that keep the terms of `usual`, because a user wants them.
    n_broad : int, optional
        Number of broad terms that the other ordered features have instead of many narrow ones.

    Attributes
    ----------
    features : list of FineFeature
        The fine terms of each feature.
    codes : ndarray of shape (n_features, n_samples)
        The training data: a row for each feature.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import FineTerms
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> X = np.arange(500.0)[:, np.newaxis]
    >>> fine = FineTerms(LinguisticPartition.uniform(X, 5, ["size"]), X)
    >>> fine.features[0].variable.peaks[:3]
    array([  0.,  55., 110.])
    >>> fine.codes[0, :4]
    array([0, 1, 1, 2], dtype=uint8)
    """

    def __init__(
        self,
        usual: LinguisticPartition,
        X: Array | Table,
        kept: Iterable[int] = (),
        n_broad: int | None = None,
    ) -> None:
        table = Table.of(X)
        self.usual = usual
        self.kept = frozenset(kept)
        self.n_broad = n_broad
        most = int(np.clip(len(table) / ROWS_PER_TERM, LEAST_TERMS, MOST_TERMS))
        self.features: list[FineFeature] = []
        self.codes: Codes = np.empty((table.n_features, len(table)), dtype=np.uint8)
        for feature, column in enumerate(table.columns):
            variable = self._variable(feature, column.floats(), most)
            self.codes[feature] = encode(variable, column)
            self.features.append(FineFeature.of(variable, self.codes[feature]))

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
