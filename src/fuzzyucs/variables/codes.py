"""Codes: a table in one byte per value, by which rules are grown among many fine terms.

The code of an ordered feature is its position among the fine terms, in steps; that of a feature
without order is the term itself. The last code stands for a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import FEW_VALUES
from fuzzyucs.variables.table import Stored, Table
from fuzzyucs.variables.terms import LinguisticVariable

__all__ = ["MISSING", "Demand", "FineFeature", "FineTerms", "count_steps", "encode"]

MISSING = 255  # the code of a missing value
MOST_TERMS = 250  # of a feature: their codes have to stay below that of a missing value
MOST_CUTS = 60  # borders that conditions in numbers may need
ROWS_PER_TERM = 50  # on the mean, of an ordered feature
LEAST_TERMS = 5  # in a small table
LEAST_ROWS = 10  # of a category with a term of its own
BROAD_ENDS = 0.03, 0.97  # shares of values below the first and the last peak of broad terms

Array = NDArray[np.float64]
Codes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Demand:
    """What conditions ask of a feature that its terms would not tell apart of themselves.

    Parameters
    ----------
    cuts : ndarray
        Of a feature with order: numbers below which values are on the other side of a border.
    sets : tuple of frozenset of float
        Of a feature without order: values that are to be told from the others.
    """

    cuts: Array = field(default_factory=lambda: np.empty(0))
    sets: tuple[frozenset[float], ...] = ()


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
    demands : mapping of int to Demand, optional
        Borders that terms of features are to have besides.

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
        demands: Mapping[int, Demand] | None = None,
    ) -> None:
        table = Table.of(X)
        self.usual = usual
        self.demands = demands or {}
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
        demand = self.demands.get(feature)
        if special is not None and special.is_nominal:
            pooled = _with_rare_ones_pooled(special, x)
            return pooled if demand is None else _told_apart(pooled, demand.sets)
        known = x[~np.isnan(x)]
        if self.is_fixed(feature) or (not len(known) and demand is None):
            return special or LinguisticVariable(usual.peaks(feature), usual.terms(feature))
        if not len(known):
            peaks = np.empty(0)
        elif feature in self.kept:
            peaks = usual.peaks(feature)
        else:
            peaks = broad_peaks(known, self.n_broad) if self.n_broad else fine_peaks(known, most)
        names = tuple(map(str, range(MOST_TERMS)))
        if demand is None:
            return LinguisticVariable(peaks, names[: len(peaks)])
        peaks, ends = _with_cuts(peaks, demand)
        return LinguisticVariable(peaks, names[: len(peaks)], ends=ends)

    def is_fixed(self, feature: int) -> bool:
        """Tell whether a feature has the terms that a user or its values gave it."""
        usual = self.usual
        if usual.is_coded(feature) or not usual.has_order(feature):
            return True
        return feature in self.kept and not self.is_cut(feature)

    def is_cut(self, feature: int) -> bool:
        """Tell whether conditions in numbers made borders of an ordered feature."""
        return feature in self.demands and self.usual.has_order(feature)


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


def _with_cuts(peaks: Array, demand: Demand) -> tuple[Array, Array]:
    """Give terms borders, at which one gives way to the next at once; return peaks and ends.

    If there is no room, some of the terms in between are left out. Terms that have no values reach
    to the next border.
    """
    cuts = demand.cuts
    if len(cuts) > MOST_CUTS:
        raise ValueError(
            f"conditions on a feature may have at most {MOST_CUTS} different numbers, got "
            f"{len(cuts)}"
        )
    least, greatest = (peaks[0], peaks[-1]) if len(peaks) else (np.inf, -np.inf)
    low, high = cuts[cuts <= least], cuts[cuts > greatest]
    if not len(peaks):
        low, high = cuts[:0], cuts
    inside = np.setdiff1d(cuts, np.concatenate([low, high]))
    borders = np.unique(np.concatenate([np.nextafter(inside, -np.inf), inside]))
    others = np.setdiff1d(peaks, borders)
    room = MOST_TERMS - len(borders) - len(low) - len(high)
    if len(others) > room:
        others = others[np.linspace(0, len(others) - 1, room).astype(int)]
    found = np.union1d(others, borders)
    ends = found.copy()
    if len(low):
        found[0] = low[-1]
        found = np.concatenate([np.nextafter(low[:1], -np.inf), low[:-1], found])
        ends = np.concatenate([np.nextafter(low, -np.inf), ends])
    if len(high):
        below = np.nextafter(high, -np.inf)
        if len(found):
            ends[-1] = below[0]
        else:
            found, ends = below[:1], below[:1]
        found = np.concatenate([found, high])
        ends = np.concatenate([ends, below[1:], high[-1:]])
    return found, ends


def _told_apart(
    variable: LinguisticVariable, sets: Sequence[frozenset[float]]
) -> LinguisticVariable:
    """Divide the terms of a nominal variable until each set of values is one of terms."""
    members = variable.members or tuple((value,) for value in variable.peaks.tolist())
    parts: list[list[float]] = []
    for group in members:
        by_sets: dict[tuple[bool, ...], list[float]] = {}
        for value in group:
            by_sets.setdefault(tuple(value in one for one in sets), []).append(value)
        parts += by_sets.values()
    if len(parts) == len(members):
        return variable
    if len(parts) > MOST_TERMS:
        raise ValueError(f"rules tell more than {MOST_TERMS} groups of categories apart")
    return LinguisticVariable.of_groups(parts)


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
