"""Merging: fine terms that no rule tells apart become one term of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.borders import exact_borders, find_borders
from fuzzyucs.variables.codes import FineFeature, FineTerms
from fuzzyucs.variables.coding import MAX_TERMS, as_condition, every_term
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.terms import LinguisticVariable, rank_names, term_names

__all__ = ["merge_terms"]

LEAST_TERMS = 5  # of an ordered feature: what its values tell about others needs some

Array = NDArray[np.float64]


def merge_terms(
    fine: FineTerms, accepted: Sequence[NDArray[np.bool_]], X: Array | Table
) -> tuple[LinguisticPartition, NDArray[np.uint64]]:
    """Merge the terms that no rule tells apart, and express the conditions by what remains.

    Parameters
    ----------
    fine : FineTerms
        The fine terms of the features.
    accepted : sequence of ndarray of shape (n_rules, n_terms)
        For each feature, which of its fine terms each rule accepts.
    X : ndarray of shape (n_samples, n_features) or Table
        Training data: texts of the terms are true of them.

    Returns
    -------
    variables : LinguisticPartition
        Features that no rule asks for keep their usual terms.
    conditions : ndarray of shape (n_rules, n_features)
        Conditions of the rules.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.codes import FineTerms
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> from fuzzyucs.variables.merging import merge_terms
    >>> X = np.arange(500.0)[:, np.newaxis]
    >>> fine = FineTerms(LinguisticPartition.uniform(X, 5, ["size"]), X)
    >>> accepted = np.arange(10) >= 8
    >>> variables, conditions = merge_terms(fine, [accepted[np.newaxis]], X)
    >>> variables.describe_plain(0, int(conditions[0, 0]))
    'size is very large (>= 416)'
    """
    table, usual = Table.of(X), fine.usual
    n_rules = len(accepted[0])
    special, n_terms = dict(usual.special), usual.n_terms.copy()
    conditions = np.empty((n_rules, len(fine.features)), dtype=np.uint64)
    for number, (feature, sets) in enumerate(zip(fine.features, accepted, strict=True)):
        if feature.variable.is_nominal and sets.shape[1] > MAX_TERMS:
            sets = _with_room(sets, feature.shares)
        is_asked = ~sets.all(axis=1)
        if is_asked.any():
            group_of = _groups(feature, sets[is_asked], is_fixed=fine.is_fixed(number))
            variable = _merged(fine, number, group_of, table)
            if variable is not None:
                special[number] = variable
                n_terms[number] = max(2, len(variable.terms))
            first = np.unique(group_of, return_index=True)[1]
            conditions[:, number] = [as_condition(accepts) for accepts in sets[:, first]]
        conditions[~is_asked, number] = every_term(int(n_terms[number]))
    found = replace(usual, special=special, n_terms=n_terms, borders={})
    borders = find_borders(found, table)
    for number, demand in fine.demands.items():
        if number in borders:
            ends = found.peaks(number), found.ends(number)
            borders[number] = exact_borders(
                borders[number], *ends, demand.cuts, found.columns.times.get(number)
            )
    return replace(found, borders=borders), conditions


def _with_room(sets: NDArray[np.bool_], shares: Array) -> NDArray[np.bool_]:
    """Let rules treat terms alike until a condition has room for those that they tell apart.

    One model leaves this room itself; several together may not. The least probable terms count
    like those that most rules treat in the same way.
    """
    alike = sets.copy()
    while True:
        kinds, kind_of = np.unique(alike.T, axis=0, return_inverse=True)
        if len(kinds) <= MAX_TERMS:
            break
        kind_of = kind_of.ravel()
        rare = np.bincount(kind_of, shares).argmin()
        n_different = (kinds != kinds[rare]).sum(axis=1)
        n_different[rare] = len(sets) + 1
        alike[:, kind_of == rare] = kinds[n_different.argmin()][:, np.newaxis]
    alike[~alike.any(axis=1)] = True  # nothing is left that such a condition could accept
    return alike


def _groups(feature: FineFeature, sets: NDArray[np.bool_], *, is_fixed: bool) -> NDArray[np.intp]:
    """Return the group of each term: terms are together if the same rules accept them."""
    n_terms = sets.shape[1]
    if is_fixed and n_terms <= MAX_TERMS:
        return np.arange(n_terms)
    if feature.variable.is_nominal:
        _, first, group_of = np.unique(sets.T, axis=0, return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))
        return np.asarray(rank[group_of.ravel()])
    begins = np.zeros(n_terms, dtype=bool)
    begins[1:] = (sets[:, 1:] != sets[:, :-1]).any(axis=0)
    while begins.sum() + 1 < min(LEAST_TERMS, n_terms):
        begins[_middle_of_largest(begins, feature.shares)] = True
    return np.cumsum(begins)


def _middle_of_largest(begins: NDArray[np.bool_], shares: Array) -> int:
    """Return the term at which to divide the most probable group that has two terms or more."""
    ends = np.flatnonzero(np.append(begins, True))
    groups = list(zip([0, *ends[:-1]], ends, strict=True))
    low, high = max((g for g in groups if g[1] - g[0] > 1), key=lambda g: shares[g[0] : g[1]].sum())
    reached = np.cumsum(shares[low:high])
    return int(low + np.clip(np.searchsorted(reached, reached[-1] / 2), 1, high - low - 1))


def _merged(
    fine: FineTerms, number: int, group_of: NDArray[np.intp], table: Table
) -> LinguisticVariable | None:
    """Make a variable of groups of fine terms; none if the usual one has the same terms."""
    variable, usual = fine.features[number].variable, fine.usual
    if not fine.is_fixed(number):
        first = np.unique(group_of, return_index=True)[1]
        last = np.append(first[1:], len(group_of)) - 1
        # Where people ask in numbers, texts answer in numbers.
        words = rank_names(len(first)) if fine.is_cut(number) else term_names(len(first))
        return LinguisticVariable(variable.peaks[first], words, ends=variable.ends[last])
    if variable.members is None and len(variable.peaks) == group_of.max() + 1:
        return None
    members = variable.members or tuple((value,) for value in variable.peaks.tolist())
    groups: list[list[float]] = [[] for _ in range(group_of.max() + 1)]
    for term, group in enumerate(group_of.tolist()):
        groups[group].extend(members[term])
    names = usual.columns.categories[number].terms if usual.is_coded(number) else None
    x = table.column(number)
    values, counts = np.unique(x[~np.isnan(x)], return_counts=True)
    return LinguisticVariable.of_groups(
        groups, names, dict(zip(values.tolist(), counts.tolist(), strict=True))
    )
