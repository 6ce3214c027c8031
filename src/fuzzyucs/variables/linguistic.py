"""Linguistic variables: how a table of numbers becomes words such as *small* and *large*."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs._util.checks import feature_number
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.variables import Inference, Variables, ranges

__all__ = ["MAX_TERMS", "LinguisticPartition", "LinguisticVariable", "term_names"]

MAX_TERMS = 32
FEW_VALUES = 6  # a feature with so few different values is taken for nominal
N_STEPS_BETWEEN = 16  # to try between the peaks of two terms
SELDOM_MISSING = 0.01  # share of missing values up to which one more is worth a thought

_NAMES = {
    2: ("low", "high"),
    3: ("small", "medium", "large"),
    4: ("very small", "small", "large", "very large"),
    5: ("very small", "small", "medium", "large", "very large"),
    6: ("very small", "small", "fairly small", "fairly large", "large", "very large"),
    7: ("very small", "small", "fairly small", "medium", "fairly large", "large", "very large"),
    8: (
        *("extremely small", "very small", "small", "fairly small"),
        *("fairly large", "large", "very large", "extremely large"),
    ),
    9: (
        *("extremely small", "very small", "small", "fairly small", "medium"),
        *("fairly large", "large", "very large", "extremely large"),
    ),
}

Way = Literal["uniform", "quantile", "values"]
Partition = Way | Mapping[Any, Any]
WAYS: tuple[Way, ...] = get_args(Way)
Nominal = Literal["auto"] | Iterable[Any] | None


@cache
def term_names(n_terms: int) -> tuple[str, ...]:
    """Return the words for the terms of a variable, from the smallest to the largest.

    Parameters
    ----------
    n_terms : int
        Number of terms. From ten on, words give way to ranks.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from fuzzyucs.variables.linguistic import term_names
    >>> term_names(3)
    ('small', 'medium', 'large')
    >>> term_names(10)[0]
    'level 1 of 10'
    """
    if n_terms in _NAMES:
        return _NAMES[n_terms]
    return tuple(f"level {rank} of {n_terms}" for rank in range(1, n_terms + 1))


@dataclass(frozen=True, eq=False)
class LinguisticVariable:
    """The terms of one feature where they are not spread evenly.

    Parameters
    ----------
    peaks : ndarray of shape (n_terms,)
        Ascending values at which the terms are fully true; between them, one term gives way to the
        next. Of a nominal feature: its values, each of which is a term.
    terms : tuple of str
        Names of the terms.
    is_nominal : bool
        Whether the terms are crisp and without order.
    takes_nearest : bool
        Whether a value that is none of a nominal feature's counts as the nearest of them. Otherwise
        it counts as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticVariable
    >>> glucose = LinguisticVariable(np.array([90.0, 110.0, 180.0]), ("normal", "elevated", "high"))
    >>> glucose.positions(np.array([60.0, 100.0, 110.0, 145.0, np.nan]))
    array([0. , 0.5, 1. , 1.5, nan])
    """

    peaks: NDArray[np.float64]
    terms: tuple[str, ...]
    is_nominal: bool = False
    takes_nearest: bool = False

    def positions(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values among the terms: 0 is the first peak, 1 the second, and so on.

        Values beyond the peaks count as the nearest one; NaN stays NaN.
        """
        if not self.is_nominal:
            column = np.ascontiguousarray(x)[:, np.newaxis]
            ends = np.array([0, len(self.peaks)], dtype=np.uint32)
            return _core.locate(column, self.peaks, ends)[:, 0]
        place = np.searchsorted(self.peaks, x).clip(max=len(self.peaks) - 1)
        if self.takes_nearest:
            below = np.maximum(place - 1, 0)
            is_below = x / 2 - self.peaks[below] / 2 < self.peaks[place] / 2 - x / 2
            place = np.where(is_below, below, place)
            return np.where(np.isnan(x), np.nan, place.astype(float))
        return np.where(self.peaks[place] == x, place.astype(float), np.nan)


@dataclass(frozen=True, eq=False)
class LinguisticPartition(Variables):
    """The linguistic variables of a table, one per feature.

    Each feature has triangular terms; neighbours cross at 0.5, so that the memberships of a value
    always sum to 1. Unless told otherwise, their peaks divide the training range evenly.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature, in its own units. NaN where every training value was missing.
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature.
    special : dict of int to LinguisticVariable
        Features whose terms are not spread evenly.
    forest : TermForest, optional
        What known values tell about missing ones. Without it a missing value matches everything.
    is_believed : ndarray of shape (n_features,), optional
        Of which features the forest is asked; missing values of the others match everything.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> partition.peaks(0)
    array([0., 2., 4., 6., 8.])
    >>> partition.positions(np.array([[3.0], [np.nan], [99.0]]))
    array([[1.5],
           [nan],
           [4. ]])
    """

    n_terms: NDArray[np.uint32]
    special: Mapping[int, LinguisticVariable] = field(default_factory=dict)
    forest: TermForest | None = None
    is_believed: NDArray[np.bool_] | None = None

    @classmethod
    def uniform(
        cls,
        X: NDArray[np.float64],
        n_terms: int | ArrayLike,
        feature_names: Sequence[str],
    ) -> LinguisticPartition:
        """Divide the range of each column of ``X`` evenly.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training data. NaN is ignored.
        n_terms : int or array-like of shape (n_features,)
            Number of terms, for all features or for each.
        feature_names : sequence of str
            Names of the columns.

        Returns
        -------
        LinguisticPartition
        """
        return cls.of(X, feature_names, n_terms=n_terms)

    @classmethod
    def of(
        cls,
        X: NDArray[np.float64],
        feature_names: Sequence[str],
        *,
        partition: Partition = "uniform",
        otherwise: Way = "uniform",
        n_terms: int | ArrayLike | Literal["auto"] = 5,
        nominal_features: Nominal = None,
        columns: Columns | None = None,
    ) -> LinguisticPartition:
        """Find linguistic variables for the columns of ``X``.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training data. NaN is ignored.
        feature_names : sequence of str
            Names of the columns.
        partition : {"uniform", "quantile", "values"} or dict
            Peaks that divide the range of a feature evenly, or so that equally many values lie
            between any two; "values" gives each value its own term if a feature has at most 32
            different ones, and does as "quantile" with the others. Or, for features by name or
            number, one of these words, the peaks themselves, or a dict of term names and peaks.
        otherwise : {"uniform", "quantile", "values"}
            How to divide features that a dict does not mention.
        n_terms : int, array-like of shape (n_features,) or "auto"
            Number of terms, for all features or for each. "auto" is 5, from
            500 rows on 7, and from 1,500 rows on 9.
        nominal_features : "auto", sequence or None
            Features without order, by name or number, or as a mask. "auto" takes those that have
            at most six different values and are not in a dict of partitions; since they may have
            an order after all, other values than these count as the nearest of them.
        columns : Columns, optional
            Features whose numbers stand for categories: each is a term, crisp and without order
            unless the categories are ordered.

        Returns
        -------
        LinguisticPartition

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.linguistic import LinguisticPartition
        >>> X = np.array([[1.0, 80.0], [2.0, 95.0], [1.0, 180.0]])
        >>> partition = LinguisticPartition.of(
        ...     X,
        ...     ["sex", "glucose"],
        ...     partition={"glucose": {"normal": 90, "elevated": 110, "high": 140}},
        ...     nominal_features=["sex"],
        ... )
        >>> partition.words(0, 0b10), partition.words(1, 0b11)
        (['2'], ['normal', 'elevated'])
        """
        names = tuple(map(str, feature_names))
        minimum, maximum = ranges(X)
        if isinstance(n_terms, str):
            n_terms = 5 if len(X) < 500 else 7 if len(X) < 1500 else 9
        counts = _check_n_terms(n_terms, X.shape[1])
        ways = _ways(partition, otherwise, names)
        nominal = _nominal(nominal_features, X, names)
        is_auto = isinstance(nominal_features, str)
        if is_auto and not isinstance(partition, str):
            told = [feature_number(key, names, "partition") for key in partition]
            nominal[told] = False
        known = columns or Columns()
        special: dict[int, LinguisticVariable] = {}
        for feature, (name, way) in enumerate(zip(names, ways, strict=True)):
            if feature in known.categories:
                if not isinstance(way, str):
                    raise ValueError(f"partition has peaks for {name!r}, which holds categories")
                categories = known.categories[feature]
                codes = np.arange(len(categories.labels), dtype=float)
                special |= {
                    feature: LinguisticVariable(codes, categories.terms, not categories.is_ordered)
                }
            elif nominal[feature] and not isinstance(way, str):
                raise ValueError(f"partition has peaks for {name!r}, which is a nominal feature")
            elif nominal[feature]:
                special |= {feature: _categories(X[:, feature], name, is_auto)}
            elif not isinstance(way, str):
                special |= {feature: _given(way, name)}
                _check_overlap(special[feature].peaks, minimum[feature], maximum[feature], name)
            elif way != "uniform" and maximum[feature] > minimum[feature]:
                own = _own_terms(X[:, feature]) if way == "values" else None
                special |= {feature: own or _quantiles(X[:, feature], int(counts[feature]))}
        for feature, variable in special.items():
            counts[feature] = max(2, len(variable.peaks))
        return cls(names, minimum, maximum, counts, special, columns=known)

    @property
    def n_varied_terms(self) -> NDArray[np.uint32]:
        """Number of terms of each feature; 0 if it never varied."""
        return np.where(self.maximum > self.minimum, self.n_terms, 0).astype(np.uint32)

    def with_beliefs(self, X: NDArray[np.float64]) -> LinguisticPartition:
        """Learn what known values tell about missing ones.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training data. Missing values of features that are missing in more than 1 % of them keep
            matching everything: the rules have learned to live with it.

        Returns
        -------
        LinguisticPartition
        """
        n_terms = self.n_varied_terms
        is_believed = (np.isnan(X).mean(axis=0) <= SELDOM_MISSING) & (n_terms > 0)
        forest = TermForest.grow(self.positions(X), n_terms)
        return replace(self, forest=forest, is_believed=is_believed)

    @property
    def is_nominal(self) -> NDArray[np.bool_]:
        """Which features have crisp terms without order."""
        nominal = [f in self.special and self.special[f].is_nominal for f in range(self.n_features)]
        return np.array(nominal, dtype=bool)

    def positions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values among the terms.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Values in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            0 is the peak of the first term, 1 of the second, and so on. Values beyond the training
            range are clipped, a constant feature lies in the middle, and NaN stays NaN.
        """
        positions: NDArray[np.float64] = _core.locate(np.ascontiguousarray(X), *self._ordered_peaks)
        even = [feature for feature in range(self.n_features) if feature not in self.special]
        if even:
            positions[:, even] = (self.scale(X) * (self.n_terms - 1.0))[:, even]
        for feature in np.flatnonzero(self.is_nominal).tolist():
            positions[:, feature] = self.special[feature].positions(X[:, feature])
        return positions

    @cached_property
    def _ordered_peaks(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Peaks that are neither even nor nominal, and where those of each feature begin."""
        nominal = self.is_nominal
        peaks = [
            self.special[f].peaks if f in self.special and not nominal[f] else np.empty(0)
            for f in range(self.n_features)
        ]
        first = np.cumsum([0, *map(len, peaks)], dtype=np.uint32)
        return np.concatenate(peaks), first

    def peaks(self, feature: int) -> NDArray[np.float64]:
        """Return the values at which the terms of a feature are fully true, in its own units."""
        if feature in self.special:
            return self.special[feature].peaks
        steps = np.linspace(0.0, 1.0, int(self.n_terms[feature]))
        low, high = self.minimum[feature], self.maximum[feature]
        peaks: NDArray[np.float64] = low * (1.0 - steps) + high * steps
        return peaks

    def terms(self, feature: int) -> tuple[str, ...]:
        """Return the names of the terms of a feature."""
        if feature in self.special:
            return self.special[feature].terms
        return term_names(int(self.n_terms[feature]))

    def describe(self, feature: int, condition: int) -> str:
        """Put a set of terms into words; bit t of the condition stands for term t.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.linguistic import LinguisticPartition
        >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
        >>> partition.describe(0, 0b011)
        'size is {small, medium}'
        >>> partition.describe(0, 0b100)
        'size is large'
        """
        words = self.words(feature, condition)
        listed = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
        return f"{self.feature_names[feature]} is {listed}"

    def words(self, feature: int, condition: int) -> list[str]:
        """Return the names of the terms in a set."""
        names = self.terms(feature)
        return [name for term, name in enumerate(names) if int(condition) >> term & 1]

    def describe_run(self, feature: int, condition: int) -> str:
        """Put neighbouring terms into words and numbers; a nominal feature has values.

        Terms that are no neighbours are listed. The numbers tell where the condition holds to at
        least one half.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.linguistic import LinguisticPartition
        >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
        >>> partition.describe_run(0, 0b00111)
        'size is at most medium (<= 5)'
        >>> partition.describe_run(0, 0b01110)
        'size is small to large (1 to 7)'
        >>> partition.describe_run(0, 0b10000)
        'size is very large (>= 7)'
        """
        text = f"{self.feature_names[feature]} is {self.phrase(feature, condition)}"
        first, last = _ends(int(condition))
        is_run = int(condition).bit_count() == last - first + 1
        if not is_run or self.is_coded(feature) or not self.has_order(feature):
            return text
        ends = self.bounds(feature, first, last)
        low, high = (None if end is None else self._number(feature, end) for end in ends)
        if low is None:
            return f"{text} (<= {high})"
        return f"{text} (>= {low})" if high is None else f"{text} ({low} to {high})"

    def phrase(self, feature: int, condition: int) -> str:
        """Name a set of terms in few words.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.linguistic import LinguisticPartition
        >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
        >>> [partition.phrase(0, terms) for terms in (0b00111, 0b01110, 0b10000, 0b10001)]
        ['at most medium', 'small to large', 'very large', '{very small, very large}']
        """
        words = self.words(feature, condition)
        if feature in self.special and self.special[feature].is_nominal:
            return " or ".join(words)
        first, last = _ends(int(condition))
        if len(words) == 1:
            return words[0]
        if len(words) != last - first + 1:  # evolution makes sets of any terms
            return "{" + ", ".join(words) + "}"
        if first == 0:
            return f"at most {words[-1]}"
        if last == int(self.n_terms[feature]) - 1:
            return f"at least {words[0]}"
        return f"{words[0]} to {words[-1]}"

    def observe(self, feature: int, condition: int, value: float, position: float) -> str:
        """Put a condition into words, with a record's value and how far it fulfils them."""
        name = self.feature_names[feature]
        if np.isnan(position):
            return f"{name} (missing) is {self.phrase(feature, condition)}"
        terms = [t for t in range(int(self.n_terms[feature])) if int(condition) >> t & 1]
        degree = min(1.0, sum(max(0.0, 1.0 - abs(position - term)) for term in terms))
        shown = self.write(feature, value)
        return f"{name} {shown} is {self.phrase(feature, condition)} ({degree:.2g})"

    def has_order(self, feature: int) -> bool:
        """Tell whether the terms of a feature have an order."""
        return not (feature in self.special and self.special[feature].is_nominal)

    def values_to_try(self, feature: int) -> NDArray[np.float64]:
        """Return the values of a nominal feature, else steps between the peaks of terms."""
        peaks = self.peaks(feature)
        if self.is_coded(feature) or not self.has_order(feature):
            return peaks
        if not peaks[0] < peaks[-1]:
            return np.empty(0)
        steps = np.linspace(0.0, 1.0, N_STEPS_BETWEEN, endpoint=False)
        between = peaks[:-1, np.newaxis] * (1.0 - steps) + peaks[1:, np.newaxis] * steps
        return np.append(between.ravel(), peaks[-1])

    def bounds(self, feature: int, first: int, last: int) -> tuple[float | None, float | None]:
        """Return between which values a run of terms is at least half true; None: no bound."""
        peaks = self.peaks(feature)
        low = None if first == 0 else float(peaks[first - 1] / 2 + peaks[first] / 2)
        high = None if last == len(peaks) - 1 else float(peaks[last] / 2 + peaks[last + 1] / 2)
        return low, high

    def _number(self, feature: int, value: float) -> str:
        """Write a value with as many digits as tell thousandths of the feature's peaks apart."""
        peaks = self.peaks(feature)
        step = float(peaks[-1] / 1000 - peaks[0] / 1000)
        digits = -int(np.floor(np.log10(step))) if 0 < step < np.inf else 0
        if abs(value) >= 1e15 or digits > 15:
            return f"{value:.4g}"
        text = f"{value:.{max(digits, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def is_dont_care(self, feature: int, condition: int) -> bool:
        """Tell whether a set holds all terms, and so says nothing about the feature."""
        return int(condition) == (1 << int(self.n_terms[feature])) - 1

    def feature_as_dict(self, feature: int) -> dict[str, Any]:
        """Return name, range and terms of a feature, and their peaks where they are not even."""
        known = super().feature_as_dict(feature) | {"terms": list(self.terms(feature))}
        if feature in self.special:
            variable = self.special[feature]
            known |= {"peaks": variable.peaks.tolist(), "nominal": variable.is_nominal}
        return known

    def condition_as_dict(self, feature: int, condition: int) -> dict[str, Any]:
        """Return the feature and the terms accepted."""
        return {"feature": feature, "terms": self.words(feature, condition)}

    def freeze(
        self,
        conditions: NDArray[np.uint32],
        weights: NDArray[np.float64],
        fitness: NDArray[np.float64],
        strength: NDArray[np.float64],
        doubt: NDArray[np.float64],
        consequent: NDArray[np.uint32],
    ) -> Inference:
        """Prepare rules for fast inference."""
        return _core.LinguisticInference(
            self.n_terms,
            conditions,
            weights,
            fitness,
            strength,
            doubt,
            consequent,
            None if self.forest is None else self.forest.native,
            self.is_believed,
        )


def _check_n_terms(n_terms: int | ArrayLike, n_features: int) -> NDArray[np.uint32]:
    if isinstance(n_terms, Integral):
        counts = np.full(n_features, int(n_terms))
    else:
        counts = np.asarray(n_terms)
        if counts.shape != (n_features,) or counts.dtype.kind not in "iu":
            raise ValueError(
                f"n_terms must be an integer or one integer for each of the {n_features} features, "
                f"got {n_terms!r}"
            )
    if counts.min() < 2 or counts.max() > MAX_TERMS:
        raise ValueError(f"n_terms must lie between 2 and {MAX_TERMS}, got {n_terms!r}")
    return counts.astype(np.uint32)


def _ends(condition: int) -> tuple[int, int]:
    """Return the first and the last term of a set."""
    return (condition & -condition).bit_length() - 1, condition.bit_length() - 1


def _ways(partition: Partition, otherwise: str, names: Sequence[str]) -> list[Any]:
    """Return for each feature how it is to be divided."""
    if isinstance(partition, str):
        return [partition] * len(names)
    ways: list[Any] = [otherwise] * len(names)
    told: set[int] = set()
    for key, way in partition.items():
        if isinstance(way, str) and way not in WAYS:
            raise ValueError(
                f"partition must be {', '.join(map(repr, WAYS))} or peaks for {key!r}, got {way!r}"
            )
        feature = feature_number(key, names, "partition")
        if feature in told:
            raise ValueError(f"partition names the feature {names[feature]!r} twice")
        told.add(feature)
        ways[feature] = way
    return ways


def _nominal(nominal: Nominal, X: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which features are nominal."""
    found = np.zeros(len(names), dtype=bool)
    if nominal is None:
        return found
    if isinstance(nominal, str):
        if nominal != "auto":
            raise ValueError(
                f"nominal_features must be 'auto', a sequence of features or None, got {nominal!r}"
            )
        counts = [len(_values(X[:, feature])) for feature in range(len(names))]
        found[:] = [2 <= count <= FEW_VALUES for count in counts]
        return found
    keys = list(nominal)
    if keys and all(isinstance(key, bool | np.bool_) for key in keys):
        if len(keys) != len(names):
            raise ValueError(
                f"nominal_features as a mask must have {len(names)} entries, got {len(keys)}"
            )
        keys = np.flatnonzero(keys).tolist()
    for key in keys:
        found[feature_number(key, names, "nominal_features")] = True
    return found


def _values(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.unique(x[~np.isnan(x)])


def _as_text(values: NDArray[np.float64]) -> tuple[str, ...]:
    return tuple(f"{value:.10g}" for value in values)


def _categories(x: NDArray[np.float64], name: str, takes_nearest: bool) -> LinguisticVariable:
    values = _values(x)
    if len(values) > MAX_TERMS:
        raise ValueError(
            f"nominal feature {name!r} has {len(values)} different values, at most {MAX_TERMS} are "
            "possible"
        )
    if len(values) == 0:
        values = np.zeros(1)
    return LinguisticVariable(values, _as_text(values), True, takes_nearest)


def _own_terms(x: NDArray[np.float64]) -> LinguisticVariable | None:
    """Make a term of each value, unless there are too many."""
    # Values that read the same are one: 0.1 + 0.2 and 0.3.
    values = _values(x)
    texts, first = np.unique(_as_text(values), return_index=True)
    if not 2 <= len(texts) <= MAX_TERMS:
        return None
    peaks = values[np.sort(first)]
    return LinguisticVariable(peaks, _as_text(peaks))


def _quantiles(x: NDArray[np.float64], n_terms: int) -> LinguisticVariable:
    peaks = np.unique(np.quantile(x[~np.isnan(x)], np.linspace(0.0, 1.0, n_terms)))
    return LinguisticVariable(peaks, term_names(len(peaks)))


def _check_overlap(peaks: NDArray[np.float64], low: float, high: float, name: str) -> None:
    if high < peaks[0] or low > peaks[-1]:
        warnings.warn(
            f"the peaks given for {name!r} ({peaks[0]:g} to {peaks[-1]:g}) and its values ({low:g} "
            f"to {high:g}) have nothing in common: the feature will tell nothing; mistaken units?",
            stacklevel=2,
        )


def _given(way: Any, name: str) -> LinguisticVariable:
    """Make a variable of peaks that a user gave, with or without names of terms."""
    values = list(way.values()) if isinstance(way, Mapping) else np.ravel(way).tolist()
    are_numbers = all(isinstance(value, Real) for value in values)
    peaks = np.array(values if are_numbers else [], dtype=float)
    if (
        not np.isfinite(peaks).all()
        or not 2 <= len(peaks) <= MAX_TERMS
        or (np.diff(peaks) <= 0).any()
    ):
        raise ValueError(
            f"partition must have 2 to {MAX_TERMS} ascending numbers as peaks for {name!r}, "
            f"got {values!r}"
        )
    terms = tuple(map(str, way)) if isinstance(way, Mapping) else term_names(len(peaks))
    return LinguisticVariable(peaks, terms)
