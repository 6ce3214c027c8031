"""Alignment: the columns of several tables become those of one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.fusion.members import Member
from fuzzyucs.variables.frames import Categories, Columns
from fuzzyucs.variables.linguistic import (
    MAX_FINE_TERMS,
    MAX_TERMS,
    LinguisticPartition,
    LinguisticVariable,
    term_names,
)
from fuzzyucs.variables.times import SIZES, TimeScale

__all__ = ["Alignment", "align", "recoded"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Alignment:
    """Where the columns and categories of each model are in the table of all.

    Attributes
    ----------
    table : LinguisticPartition
        The columns of the table, with all values that any model knows.
    features : list of ndarray
        For each model, the column of the table that each of its own is.
    codes : list of dict of int to ndarray
        For each model and each of its own columns with categories, the numbers that categories
        have in the table.
    """

    table: LinguisticPartition
    features: list[NDArray[np.intp]]
    codes: list[dict[int, Array]]


def align(members: list[Member]) -> Alignment:
    """Join the columns of models by name, in the order in which they come first.

    Raises
    ------
    ValueError
        If a column holds something else in another model.
    """
    names = list(dict.fromkeys(name for member in members for name in member.features))
    place = {name: index for index, name in enumerate(names)}
    features = [np.array([place[name] for name in m.features], dtype=np.intp) for m in members]
    categories: dict[int, Categories] = {}
    times: dict[int, TimeScale] = {}
    for index, name in enumerate(names):
        known = [(m, m.features.index(name)) for m in members if name in m.features]
        _check_kinds(name, known)
        columns = [(m, m.model.columns_) for m, _ in known]
        own = [found.categories.get(f) for (_, found), (_, f) in zip(columns, known, strict=True)]
        scales = [found.times.get(f) for (_, found), (_, f) in zip(columns, known, strict=True)]
        if own[0] is not None:
            categories[index] = _joined(name, [m for m, _ in known], own)
        if scales[0] is not None:
            finest = min((s for s in scales if s is not None), key=lambda s: SIZES[s.unit])
            times[index] = finest
    joined = Columns(categories, times)
    codes = [
        {
            f: np.array([categories[index].labels.index(label) for label in labels], dtype=float)
            for f, index in enumerate(own.tolist())
            if index in categories
            for labels in [member.model.columns_.categories[f].labels]
        }
        for member, own in zip(members, features, strict=True)
    ]
    return Alignment(_table(members, names, joined, features, codes), features, codes)


def _kind(member: Member, feature: int) -> str:
    """Say what a column of a model holds."""
    columns = member.model.columns_
    if feature in columns.categories:
        return ("ordered " if columns.categories[feature].is_ordered else "") + "categories"
    if feature in columns.times:
        scale = columns.times[feature]
        return f"{scale.holds} {scale.zone}" if scale.zone else str(scale.holds)
    variable = member.table.special.get(feature)
    # Few values that are taken for categories unless there are more of them may have an order.
    is_nominal = variable is not None and variable.is_nominal and not variable.takes_nearest
    return "numbers without order" if is_nominal else "numbers"


def _check_kinds(name: str, known: list[tuple[Member, int]]) -> None:
    first, feature = known[0]
    expected = _kind(first, feature)
    for member, own in known[1:]:
        found = _kind(member, own)
        variable = member.table.special.get(own)
        is_open = variable is None or variable.takes_nearest  # for numbers without order, too
        if found != expected and not ({found, expected} <= _NUMBERS and is_open):
            raise ValueError(
                f"models must mean the same by {name!r}: it holds {expected} in {first.name!r} "
                f"and {found} in {member.name!r}"
            )


_NUMBERS = {"numbers", "numbers without order"}


def _joined(name: str, members: list[Member], known: list[Categories | None]) -> Categories:
    """Join the categories of a column; those with an order must be the same."""
    every = [found for found in known if found is not None]
    first = every[0]
    for member, found in zip(members[1:], every[1:], strict=True):
        if first.is_ordered and found.labels != first.labels:
            raise ValueError(
                f"models must have the same ordered categories of {name!r}: {members[0].name!r} "
                f"has {list(first.labels)[:10]} and {member.name!r} has {list(found.labels)[:10]}"
            )
    labels = tuple(dict.fromkeys(label for found in every for label in found.labels))
    # As a fit to all tables would have them, where the tables do not say otherwise.
    if not first.is_ordered and all(_are_sorted(found.labels) for found in every):
        labels = tuple(sorted(labels))
    if len(set(map(str, labels))) < len(labels):
        raise ValueError(
            f"models must write categories of {name!r} in the same way: some are text in one model "
            "and numbers in another"
        )
    return Categories(labels, first.is_ordered)


def _are_text(labels: tuple[Any, ...]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _are_sorted(labels: tuple[Any, ...]) -> bool:
    return _are_text(labels) and list(labels) == sorted(labels)


def _table(
    members: list[Member],
    names: list[str],
    columns: Columns,
    features: list[NDArray[np.intp]],
    codes: list[dict[int, Array]],
) -> LinguisticPartition:
    """Return the columns of the table, with the values that any of the models knows."""
    n = len(names)
    minimum, maximum = np.full((2, n), np.nan)
    special: dict[int, LinguisticVariable] = {}
    n_terms = np.full(n, 2, dtype=np.uint32)
    for index in range(n):
        known = [
            (member.table, int(f))
            for member, own in zip(members, features, strict=True)
            for f in np.flatnonzero(own == index)
        ]
        low = [table.minimum[f] for table, f in known]
        high = [table.maximum[f] for table, f in known]
        minimum[index], maximum[index] = np.fmin.reduce(low), np.fmax.reduce(high)
        if index in columns.categories:
            labels = columns.categories[index]
            special[index] = _of_categories(labels)
            used = [
                own[f][int(end)]
                for member, own, place in zip(members, codes, features, strict=True)
                for f in np.flatnonzero(place == index).tolist()
                for end in _range_of_codes(member, f)
            ]
            minimum[index], maximum[index] = min(used, default=np.nan), max(used, default=np.nan)
        elif maximum[index] > minimum[index]:
            special[index] = _of_numbers(known)
        if index in special:
            n_terms[index] = max(2, len(special[index].terms))
    return LinguisticPartition(tuple(names), minimum, maximum, n_terms, special, columns=columns)


def _range_of_codes(member: Member, feature: int) -> list[float]:
    """Return the codes that a column had in training, least and greatest, or all if in between."""
    low, high = member.table.minimum[feature], member.table.maximum[feature]
    return [] if np.isnan(low) else [float(code) for code in range(int(low), int(high) + 1)]


def _of_categories(categories: Categories) -> LinguisticVariable:
    n = len(categories.labels)
    codes = np.arange(n, dtype=float)
    if not categories.is_ordered:
        if n <= MAX_TERMS:
            return LinguisticVariable(codes, categories.terms, is_nominal=True)
        return LinguisticVariable.of_groups(
            [part.tolist() for part in np.array_split(codes, MAX_TERMS)], categories.terms
        )
    if n <= MAX_FINE_TERMS:
        return LinguisticVariable(codes, categories.terms)
    parts = np.array_split(codes, MAX_FINE_TERMS)
    names = tuple(f"{categories.terms[int(p[0])]} to {categories.terms[int(p[-1])]}" for p in parts)
    first, last = (np.array([part[end] for part in parts]) for end in (0, -1))
    return LinguisticVariable(first, names, ends=last)


def _of_numbers(known: list[tuple[LinguisticPartition, int]]) -> LinguisticVariable:
    """Return a variable with all values, or all places where a term of a model begins or ends."""
    varied = [(table, f) for table, f in known if table.maximum[f] >= table.minimum[f]]
    own = [table.special.get(f) for table, f in varied]
    nominal = [variable for variable in own if variable is not None and variable.is_nominal]
    is_declared = any(not variable.takes_nearest for variable in nominal)
    values = [np.append(table.peaks(f), table.ends(f)) for table, f in varied]
    values += [np.array([table.minimum[f], table.maximum[f]]) for table, f in varied]
    knots = np.unique(np.concatenate(values))
    if is_declared or (len(nominal) == len(own) and len(knots) <= MAX_TERMS):
        if len(knots) > MAX_TERMS:
            groups = [part.tolist() for part in np.array_split(knots, MAX_TERMS)]
            return replace(LinguisticVariable.of_groups(groups), takes_nearest=not is_declared)
        found = LinguisticVariable.of_groups([[value] for value in knots.tolist()])
        return LinguisticVariable(
            knots, found.terms, is_nominal=True, takes_nearest=not is_declared
        )
    if len(knots) > MAX_FINE_TERMS:
        chosen = np.linspace(0, len(knots) - 1, MAX_FINE_TERMS).round().astype(int)
        knots = knots[np.unique(chosen)]
    return LinguisticVariable(knots, term_names(len(knots)))


def recoded(variable: LinguisticVariable, codes: Array) -> LinguisticVariable:
    """Return a variable over categories that have other numbers in the table of all models."""
    groups: list[list[Any]] = [[] for _ in variable.terms]
    for value, term in zip(variable.peaks.tolist(), variable.groups.tolist(), strict=True):
        groups[term].append(float(codes[int(value)]))
    members = tuple(tuple(sorted(group)) for group in groups)
    order = np.argsort(codes[variable.peaks.astype(int)])
    peaks = codes[variable.peaks.astype(int)][order]
    counts = None if variable.counts is None else variable.counts[order]
    return replace(variable, peaks=peaks, ends=peaks, members=members, counts=counts)
