"""Novelty: what the data of several sites look like, told by their models.

A model knows how often its training data had each linguistic term, alone and with another one.
Records that are drawn from that knowledge stand for the data, which stay where they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.known_values import Known
from fuzzyucs.evidence.novelty_curve import curve
from fuzzyucs.evidence.support import Support
from fuzzyucs.fusion.alignment import Alignment
from fuzzyucs.fusion.members import Member
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.precision import CONTINUOUS

__all__ = ["draw_records", "pooled_support"]

FEWEST, MOST = 2_000, 20_000  # records that are drawn of all models together
N_SCORES = 10_000

Array = NDArray[np.float64]


def pooled_support(
    members: list[Member], alignment: Alignment, is_used: NDArray[np.bool_]
) -> Support | None:
    """Return the support of all models together; None if one of them has none.

    Terms and dependences are learned from records drawn from the supports of the models, as many
    from each as it has training data. Ranges and known values are exactly those of all models.
    Scores of ordinary records are between those of drawn records, and those that the models found
    on held-out rows: these are greater, since the terms of few records are known less exactly. The
    excess of a source with a share of all records is counted to that share.
    """
    used = np.flatnonzero(is_used).tolist()
    if any(members[number].model.support is None for number in used):
        return None
    if len(members) == 1:
        alone: Support = members[0].model.support_
        return alone
    supports: dict[int, Support] = {number: members[number].model.support_ for number in used}
    table, rng = alignment.table, np.random.default_rng(0)
    rows = np.array([members[number].n_rows for number in used])
    n_drawn = np.maximum(np.rint(np.clip(rows.sum(), FEWEST, MOST) * rows / rows.sum()), 1)
    parts = []
    for (number, support), n in zip(supports.items(), n_drawn.astype(int), strict=True):
        own = draw_records(support.partition, support.forest, int(n), rng)
        own[:, np.isnan(support.known.minimum)] = np.nan  # features that make no record novel
        part = np.full((int(n), table.n_features), np.nan)
        for feature, column in enumerate(alignment.features[number].tolist()):
            values = own[:, feature]
            if (codes := alignment.codes[number].get(feature)) is not None:
                known = ~np.isnan(values)
                values[known] = codes[values[known].astype(int)]
            part[:, column] = values
        parts.append(part)
    X = rng.permutation(np.concatenate(parts))
    drawn = Support.fit(X, table.feature_names, table.is_nominal, table.columns)
    held_out = np.sort(_scores(list(supports.values()), rows))
    share = float(((rows / rows.sum()) ** 2).sum())
    places = (np.arange(len(held_out)) + 0.5) / len(held_out)
    scores = share * held_out + (1 - share) * drawn.ordinary_scores(places, len(X))
    knots, levels, tail = curve(scores, int(rows.sum()))
    partition, known_values = _left_out(drawn.partition, *_known(supports, alignment))
    return replace(
        drawn,
        partition=partition,
        known=known_values,
        scores=knots,
        levels=levels,
        tail=tail,
    )


def draw_records(
    partition: LinguisticPartition, forest: TermForest, n: int, rng: np.random.Generator
) -> Array:
    """Draw records that have the terms of a forest as often, alone and with those of a parent.

    Parameters
    ----------
    partition : LinguisticPartition
        The variables.
    forest : TermForest
        Probabilities of their terms.
    n : int
        Number of records.
    rng : Generator
        Draws them.

    Returns
    -------
    ndarray of shape (n, n_features)
        Values within terms are equally probable. Features that never varied have their one value,
        or NaN if they had none.
    """
    found = np.tile(np.where(np.isnan(partition.minimum), np.nan, partition.minimum), (n, 1))
    pairs = {child: table for child, _, table in forest.tables()}
    marginals = forest.marginals()
    terms: dict[int, NDArray[np.intp]] = {}
    left = [f for f in range(partition.n_features) if forest.n_terms[f]]
    while left:
        feature = next(f for f in left if forest.parent[f] < 0 or int(forest.parent[f]) in terms)
        left.remove(feature)
        shares, parent = marginals[feature], int(forest.parent[feature])
        if parent < 0:
            term = rng.choice(len(shares), n, p=shares / shares.sum())
        else:
            # Both have few terms, so that each is a group of its own.
            given = np.cumsum(pairs[feature][terms[parent]], axis=1)
            place = rng.random(n) * given[:, -1]
            term = (given < place[:, np.newaxis]).sum(axis=1).clip(max=len(shares) - 1)
        terms[feature] = term
        found[:, feature] = _values(partition, feature, term, rng)
    return found


def _values(
    partition: LinguisticPartition,
    feature: int,
    term: NDArray[np.intp],
    rng: np.random.Generator,
) -> Array:
    """Draw values of terms."""
    if not partition.has_order(feature):
        variable = partition.special[feature]
        counts = np.ones(len(variable.peaks)) if variable.counts is None else variable.counts + 0.5
        found = np.empty(len(term))
        for t in np.unique(term).tolist():
            own, rows = np.flatnonzero(variable.groups == t), term == t
            share = counts[own] / counts[own].sum()
            found[rows] = rng.choice(variable.peaks[own], int(rows.sum()), p=share)
        return found
    peaks, ends = partition.peaks(feature), partition.ends(feature)
    middle = ends[:-1] / 2 + peaks[1:] / 2
    low, high = np.append(peaks[0], middle)[term], np.append(middle, ends[-1])[term]
    share = rng.random(len(term))
    values: Array = low * (1 - share) + high * share
    is_coded = feature in partition.columns.categories
    return np.rint(values) if is_coded else values


def _scores(supports: list[Support], rows: NDArray[np.int64]) -> Array:
    """Return scores of ordinary records, as the models had them of held-out rows."""
    found = []
    for support, n in zip(supports, rows.tolist(), strict=True):
        count = max(1, round(N_SCORES * n / int(rows.sum())))
        found.append(support.ordinary_scores((np.arange(count) + 0.5) / count, n))
    return np.concatenate(found)


def _known(supports: dict[int, Support], alignment: Alignment) -> tuple[Known, NDArray[np.bool_]]:
    """Return all values that training data of any model had.

    Also, which features may make a record novel: of those that make none novel in any model, the
    values are still known.
    """
    n = alignment.table.n_features
    minimum, maximum = np.full((2, n), np.nan)
    counts = np.zeros(n, dtype=bool)
    values: dict[int, Array] = {}
    for number, support in supports.items():
        partition = support.partition
        for feature, column in enumerate(alignment.features[number].tolist()):
            codes = alignment.codes[number].get(feature)
            own = support.known.values.get(feature)
            ends = np.array([support.known.minimum[feature], support.known.maximum[feature]])
            if np.isnan(ends).any():
                ends = np.array([partition.minimum[feature], partition.maximum[feature]])
                own = partition.listed_values(feature) if partition.is_listed(feature) else None
            else:
                counts[column] = True
            if codes is not None and not np.isnan(ends).any():
                some = codes[
                    np.arange(int(ends[0]), int(ends[1]) + 1) if own is None else own.astype(int)
                ]
                ends = np.array([some.min(), some.max()])
                own = some
            minimum[column] = np.fmin(minimum[column], ends[0])
            maximum[column] = np.fmax(maximum[column], ends[1])
            if own is None and not np.isnan(ends).any():
                own = np.unique(ends)  # of a feature that was constant there
            if own is not None:
                values[column] = np.union1d(values.get(column, np.empty(0)), own)
    nominal = alignment.table.is_nominal
    listed = {f: v for f, v in values.items() if nominal[f] and len(v) > 1}
    return Known(minimum, maximum, listed, _decimals(supports, alignment)), counts


def _decimals(supports: dict[int, Support], alignment: Alignment) -> NDArray[np.int64] | None:
    """Return how many digits the values of all models have; None if a model does not know."""
    found = np.full(alignment.table.n_features, CONTINUOUS, dtype=np.int64)
    is_told = np.zeros(len(found), dtype=bool)
    for number, support in supports.items():
        if support.known.decimals is None:
            return None
        columns, own = alignment.features[number], support.known.decimals
        before = np.where(is_told[columns], found[columns], own)
        is_any = (own == CONTINUOUS) | (before == CONTINUOUS)
        found[columns] = np.where(is_any, CONTINUOUS, np.maximum(own, before))
        is_told[columns] = True
    return found


def _left_out(
    partition: LinguisticPartition, every: Known, counts: NDArray[np.bool_]
) -> tuple[LinguisticPartition, Known]:
    """Let features make no record novel, the ranges of which the variables know all the same."""
    known = Known(
        np.where(counts, every.minimum, np.nan),
        np.where(counts, every.maximum, np.nan),
        {f: values for f, values in every.values.items() if counts[f]},
        every.decimals,
    )
    ranged = replace(
        partition,
        minimum=np.where(counts, partition.minimum, every.minimum),
        maximum=np.where(counts, partition.maximum, every.maximum),
    )
    return ranged, known
