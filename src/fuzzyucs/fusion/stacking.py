"""Stacking: rules of several models over views of one table, each as it was in its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.fusion.alignment import Alignment, recoded
from fuzzyucs.fusion.members import Member
from fuzzyucs.variables.coding import accepted_terms, every_terms
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.views import ViewedPartition

__all__ = ["Stack", "columns_of_views", "condition_key", "stack"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stack:
    """The rules of several models, one after the other.

    Attributes
    ----------
    variables : ViewedPartition
        Views of the columns.
    conditions : ndarray of shape (n_rules, n_views)
        Conditions of the rules.
    member : ndarray of shape (n_rules,)
        Which model each rule is from.
    """

    variables: ViewedPartition
    conditions: NDArray[np.uint64]
    member: NDArray[np.intp]


def stack(members: list[Member], alignment: Alignment, is_used: NDArray[np.bool_]) -> Stack:
    """Put the variables and conditions of models side by side.

    Only views that rules ask for, and those that tell something about their missing values, are
    needed. Every rule matches every record to the same degree as in its own model.

    Parameters
    ----------
    members : list of Member
        The models.
    alignment : Alignment
        Where their columns are in the table of all.
    is_used : ndarray of bool of shape (n_models,)
        Models of which rules are wanted.
    """
    kept = [
        _needed(member.rules.variables, member.rules.asks) if used else np.empty(0, dtype=np.intp)
        for member, used in zip(members, is_used.tolist(), strict=True)
    ]
    if not sum(map(len, kept)):  # without rules; evaluation needs a view all the same
        kept[0] = np.array([0])
    variables = _side_by_side(members, alignment, kept)
    ends = np.cumsum([0, *map(len, kept)])
    every = every_terms(variables.n_terms)
    blocks, origin = [], []
    for number, (member, used) in enumerate(zip(members, is_used.tolist(), strict=True)):
        n_rules = len(member.rules) if used else 0
        block = np.tile(every, (n_rules, 1)).astype(np.uint64)
        if n_rules:
            block[:, ends[number] : ends[number + 1]] = member.rules.conditions[:, kept[number]]
        blocks.append(block)
        origin += [number] * n_rules
    return Stack(variables, np.concatenate(blocks), np.array(origin, dtype=np.intp))


def _needed(variables: LinguisticPartition, asks: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the views that rules ask for, and those next to them in the forest."""
    asked = np.asarray(asks.any(axis=0))
    needed: NDArray[np.bool_] = asked.copy()
    if variables.forest is not None:
        for feature, parent in enumerate(variables.forest.parent.tolist()):
            if parent >= 0:
                needed[parent] |= asked[feature]
                needed[feature] |= asked[parent]
    return np.flatnonzero(needed)


def _side_by_side(
    members: list[Member], alignment: Alignment, kept: list[NDArray[np.intp]]
) -> ViewedPartition:
    table = alignment.table
    feature_of_view: list[int] = []
    parts: dict[str, list[Any]] = {"minimum": [], "maximum": [], "n_terms": []}
    special, borders = {}, {}
    for number, (member, views) in enumerate(zip(members, kept, strict=True)):
        variables: LinguisticPartition = member.rules.variables
        for view in views.tolist():
            own = int(variables.feature_of_view[view])
            index, place = int(alignment.features[number][own]), len(feature_of_view)
            low, high = float(variables.minimum[view]), float(variables.maximum[view])
            codes = alignment.codes[number].get(own)
            variable = variables.special.get(view)
            if codes is not None and variable is not None:
                is_same = len(codes) == len(table.columns.categories[index].labels)
                if not (is_same and (codes == np.arange(len(codes))).all()):
                    variable = recoded(variable, codes)
                    if not np.isnan(low):
                        used = codes[int(low) : int(high) + 1]
                        low, high = float(used.min()), float(used.max())
            feature_of_view.append(index)
            parts["minimum"].append(low)
            parts["maximum"].append(high)
            parts["n_terms"].append(int(variables.n_terms[view]))
            if variable is not None:
                special[place] = variable
            if view in variables.borders:
                borders[place] = variables.borders[view]
    forest, is_believed = _joined_forest(members, kept)
    return ViewedPartition(
        tuple(table.feature_names[index] for index in feature_of_view),
        np.array(parts["minimum"], dtype=float),
        np.array(parts["maximum"], dtype=float),
        np.array(parts["n_terms"], dtype=np.uint32),
        special,
        forest,
        is_believed,
        borders,
        columns=columns_of_views(table.columns, feature_of_view),
        feature_of_view=np.array(feature_of_view, dtype=np.intp),
        table_variables=table,
    )


def columns_of_views(columns: Columns, feature_of_view: list[int]) -> Columns:
    """Return what views hold, given what columns do."""
    views = list(enumerate(feature_of_view))
    return Columns(
        {view: columns.categories[f] for view, f in views if f in columns.categories},
        {view: columns.times[f] for view, f in views if f in columns.times},
    )


def _joined_forest(
    members: list[Member], kept: list[NDArray[np.intp]]
) -> tuple[TermForest | None, NDArray[np.bool_] | None]:
    """Put the forests of models side by side: views of one tell nothing about those of another."""
    forests = [member.rules.variables.forest for member in members]
    if any(forest is None for forest in forests):
        without = [m.name for m, f in zip(members, forests, strict=True) if f is None]
        if len(without) < len(members):
            raise ValueError(f"models: {without[0]!r} has no beliefs about missing values")
        return None, None
    counts: list[int] = []
    parents: list[int] = []
    marginals: list[Array] = []
    tables: list[Array] = []
    believed: list[Any] = []
    for member, views in zip(members, kept, strict=True):
        forest, first = member.rules.variables.forest, len(parents)
        place = {view: first + index for index, view in enumerate(views.tolist())}
        own = dict(zip(range(len(forest.parent)), forest.marginals(), strict=True))
        pairs = {child: table for child, _, table in forest.tables()}
        for view in views.tolist():
            parent = place.get(int(forest.parent[view]), -1)
            counts.append(int(forest.n_terms[view]))
            parents.append(parent)
            marginals.append(own[view])
            if parent >= 0:
                tables.append(pairs[view].ravel())
        believed += member.rules.variables.believed_features[views].tolist()
    joined = TermForest(
        np.array(counts, dtype=np.uint32),
        np.array(parents, dtype=np.int32),
        np.concatenate([*marginals, np.empty(0)]),
        np.concatenate([*tables, np.empty(0)]),
    )
    return joined, np.array(believed, dtype=bool)


def condition_key(variables: ViewedPartition, view: int, condition: int) -> tuple[Any, ...]:
    """Return what a condition asks of a column, in the units of the data and in words.

    Conditions with the same key are true of the same values, to the same degree.
    """
    column = int(variables.feature_of_view[view])
    text = variables.describe_plain(view, condition, full=True)
    n_terms = int(variables.n_terms[view])
    accepted = accepted_terms(condition, n_terms).tolist()
    if not variables.has_order(view):
        variable = variables.special[view]
        pairs = zip(variable.peaks.tolist(), variable.groups.tolist(), strict=True)
        return column, text, tuple((value, accepted[term]) for value, term in pairs)
    peaks, ends = variables.peaks(view), variables.ends(view)
    corners: list[tuple[float, bool]] = []
    for term in range(len(peaks)):
        corners += [(float(peaks[term]), accepted[term]), (float(ends[term]), accepted[term])]
    # Only where degrees begin and cease to change.
    told = tuple(
        corner
        for k, corner in enumerate(corners)
        if (k > 0 and corners[k - 1][1] != corner[1])
        or (k + 1 < len(corners) and corners[k + 1][1] != corner[1])
    )
    return column, text, told
