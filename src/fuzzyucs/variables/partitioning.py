"""Partitions: how the range of each feature is divided into linguistic terms."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.checks import feature_number
from fuzzyucs.variables.borders import write_number
from fuzzyucs.variables.coding import MAX_TERMS
from fuzzyucs.variables.columns import Categories, refuse_many
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.terms import FEW_NAMES, LinguisticVariable, term_names
from fuzzyucs.variables.times import TimeScale

__all__ = ["WAYS", "Nominal", "Partition", "Way", "find_terms"]

FEW_VALUES = 6  # a feature with so few different values is taken for nominal
MOST_VALUES = 32  # that can be terms of their own by partition="values"

Way = Literal["uniform", "quantile", "values"]
Partition = Way | Mapping[Any, Any]
WAYS: tuple[Way, ...] = get_args(Way)
Write = Callable[[float], str]
Nominal = Literal["auto"] | Iterable[Any] | None


def find_terms(
    table: Table,
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]],
    names: Sequence[str],
    *,
    partition: Partition,
    otherwise: Way,
    n_terms: int | ArrayLike | Literal["auto"],
    nominal_features: Nominal,
    columns: Columns,
    groups_rest: bool = False,
) -> tuple[NDArray[np.uint32], dict[int, LinguisticVariable]]:
    """Find the terms of each column of a table.

    Parameters
    ----------
    table : Table
        Training data.
    ranges : tuple of ndarray of shape (n_features,)
        Least and greatest value of each feature.
    names : sequence of str
        Names of the columns.
    partition, otherwise, n_terms, nominal_features, columns, groups_rest
        As in `LinguisticPartition.of`.

    Returns
    -------
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature.
    special : dict of int to LinguisticVariable
        Features whose terms are not spread evenly.
    """
    if isinstance(n_terms, str):
        n_terms = 5 if len(table) < 500 else 7 if len(table) < 1500 else 9
    counts = _check_n_terms(n_terms, table.n_features)
    ways = _ways(partition, otherwise, names)
    nominal = _nominal(nominal_features, table, names)
    is_auto = isinstance(nominal_features, str)
    if is_auto and not isinstance(partition, str):
        told = [feature_number(key, names, "partition") for key in partition]
        nominal[told] = False
    if is_auto:
        nominal[list(columns.times)] = False  # few dates still have an order
    minimum, maximum = ranges
    special: dict[int, LinguisticVariable] = {}
    for feature, (name, way) in enumerate(zip(names, ways, strict=True)):
        scale = columns.times.get(feature)
        write = None if scale is None else scale.write
        if feature in columns.categories:
            if not isinstance(way, str):
                raise ValueError(f"partition has peaks for {name!r}, which holds categories")
            categories = columns.categories[feature]
            if not groups_rest:
                refuse_many(name, categories)
            special[feature] = _coded(table.column(feature), categories)
        elif nominal[feature] and not isinstance(way, str):
            raise ValueError(f"partition has peaks for {name!r}, which is a nominal feature")
        elif nominal[feature]:
            special[feature] = _categories(table.column(feature), name, is_auto, groups_rest, write)
        elif not isinstance(way, str):
            special[feature] = _given(way, name, scale)
            _check_overlap(special[feature].peaks, minimum[feature], maximum[feature], name, write)
        elif way != "uniform" and maximum[feature] > minimum[feature]:
            own = _own_terms(table.column(feature), write) if way == "values" else None
            special[feature] = own or _quantiles(table.column(feature), int(counts[feature]))
    for feature, variable in special.items():
        counts[feature] = max(2, len(variable.terms))
    return counts, special


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


def _nominal(nominal: Nominal, table: Table, names: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which features are nominal."""
    found = np.zeros(len(names), dtype=bool)
    if nominal is None:
        return found
    if isinstance(nominal, str):
        if nominal != "auto":
            raise ValueError(
                f"nominal_features must be 'auto', a sequence of features or None, got {nominal!r}"
            )
        counts = [len(_values(table.column(feature))) for feature in range(len(names))]
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


def _as_text(values: NDArray[np.float64], write: Write | None) -> tuple[str, ...]:
    return tuple(f"{value:.10g}" if write is None else write(value) for value in values.tolist())


def _categories(
    x: NDArray[np.float64],
    name: str,
    takes_nearest: bool,
    groups_rest: bool,
    write: Write | None,
) -> LinguisticVariable:
    """Make a term of each value; if there are too many, the rarest may share one."""
    values = _values(x)
    if len(values) > MAX_TERMS and groups_rest:
        counts = np.unique(x[~np.isnan(x)], return_counts=True)[1]
        known = dict(zip(values.tolist(), counts.tolist(), strict=True))
        return LinguisticVariable.of_groups(_frequent_and_rest(values, counts), None, known)
    if len(values) > MAX_TERMS:
        raise ValueError(
            f"nominal feature {name!r} has {len(values)} different values, at most {MAX_TERMS} are "
            "possible"
        )
    if len(values) == 0:
        values = np.zeros(1)
    names = tuple(map(write or write_number, values.tolist()))
    return LinguisticVariable(values, names, True, takes_nearest)


def _coded(x: NDArray[np.float64], categories: Categories) -> LinguisticVariable:
    """Make a term of each category, or of several if there are too many."""
    n, names = len(categories.labels), categories.terms
    codes = x[~np.isnan(x)].astype(np.int64)
    counts = np.bincount(codes, minlength=n)
    if n > MAX_TERMS and categories.is_ordered:
        return _runs(counts, names)
    if n > MAX_TERMS:
        groups = _frequent_and_rest(np.arange(n, dtype=float), counts)
        return LinguisticVariable.of_groups(groups, names, dict(enumerate(counts.tolist())))
    return LinguisticVariable(
        np.arange(n, dtype=float),
        names,
        is_nominal=not categories.is_ordered,
        counts=None if categories.is_ordered or n <= FEW_NAMES else counts,
    )


def _frequent_and_rest(values: NDArray[np.float64], counts: NDArray[np.int64]) -> list[list[float]]:
    """Put the most frequent values into groups of their own, and the others into one."""
    order = np.argsort(-counts, kind="stable")
    alone, rest = np.sort(order[: MAX_TERMS - 1]), order[MAX_TERMS - 1 :]
    return [*values[alone][:, np.newaxis].tolist(), values[rest].tolist()]


def _runs(counts: NDArray[np.int64], names: Sequence[str]) -> LinguisticVariable:
    """Make terms of neighbouring categories, about equally frequent."""
    weight = counts + 1e-6
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    place = np.floor(MAX_TERMS * middle)
    first = np.flatnonzero(np.diff(place, prepend=-1.0))
    last = np.append(first[1:], len(names)) - 1
    terms = tuple(
        names[a] if a == b else f"{names[a]} to {names[b]}"
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    )
    return LinguisticVariable(first.astype(float), terms, ends=last.astype(float))


def _own_terms(x: NDArray[np.float64], write: Write | None) -> LinguisticVariable | None:
    """Make a term of each value, unless there are too many."""
    # Values that read the same are one: 0.1 + 0.2 and 0.3.
    values = _values(x)
    texts, first = np.unique(_as_text(values, write), return_index=True)
    if not 2 <= len(texts) <= MOST_VALUES:
        return None
    peaks = values[np.sort(first)]
    return LinguisticVariable(peaks, _as_text(peaks, write))


def _quantiles(x: NDArray[np.float64], n_terms: int) -> LinguisticVariable:
    # Halves, because the difference of two doubles may exceed the largest one.
    values = x[~np.isnan(x)]
    scale = 1.0 if np.isfinite(float(values.max()) - float(values.min())) else 2.0
    peaks = np.unique(np.quantile(values / scale, np.linspace(0.0, 1.0, n_terms)) * scale)
    return LinguisticVariable(peaks, term_names(len(peaks)))


def _check_overlap(
    peaks: NDArray[np.float64], low: float, high: float, name: str, write: Write | None
) -> None:
    if high < peaks[0] or low > peaks[-1]:
        numbers = map(float, (peaks[0], peaks[-1], low, high))
        first, last, least, greatest = map(write or "{:g}".format, numbers)
        warnings.warn(
            f"the peaks given for {name!r} ({first} to {last}) and its values ({least} to "
            f"{greatest}) have nothing in common: the feature will tell nothing; mistaken units?",
            stacklevel=2,
        )


def _given_times(way: Iterable[Any], name: str, scale: TimeScale) -> list[float]:
    try:
        return [scale.number(value) for value in way]
    except ValueError as problem:
        raise ValueError(f"partition must have dates for {name!r}: {problem}") from None


def _given(way: Any, name: str, scale: TimeScale | None) -> LinguisticVariable:
    """Make a variable of peaks that a user gave, with or without names of terms."""
    if scale is None:
        values = list(way.values()) if isinstance(way, Mapping) else np.ravel(way).tolist()
    else:
        values = _given_times(way.values() if isinstance(way, Mapping) else way, name, scale)
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
