"""Merging: the rules of several models become one set, in which shared rules occur once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.fusion.alignment import Alignment
from fuzzyucs.fusion.members import Member
from fuzzyucs.fusion.stacking import Stack, condition_key, stack
from fuzzyucs.rules.fused import FusedRuleSet, Source

__all__ = ["fused_rules", "source_weights"]

# Records: a site of so many says about half of what it could, for the penalty keeps its rules few.
SHRINKAGE = 15

Array = NDArray[np.float64]


def source_weights(n_rows: NDArray[np.int64], reliability: Array) -> Array:
    """Return how many times the evidence of each source counts.

    Let every source estimate the same log-odds from n_s records. By the penalty, which weighs as
    much as m records that say nothing, its evidence is n_s / (n_s + m) times what the records
    alone would say. All n records together would say n / (n + m) times that, the mean weighted by
    records; so the evidence of each source has to count (n_s + m) / (n + m) times.

    Parameters
    ----------
    n_rows : ndarray of shape (n_sources,)
        Number of records of each source.
    reliability : ndarray of shape (n_sources,)
        How far each is relied on. Those that are not at all do not count among the records.

    Returns
    -------
    ndarray of shape (n_sources,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.fusion.merging import source_weights
    >>> source_weights(np.array([100, 100, 800]), np.array([1.0, 1.0, 1.0])).round(2)
    array([0.11, 0.11, 0.8 ])
    >>> source_weights(np.array([100, 100]), np.array([0.5, 0.0]))
    array([0.5, 0. ])
    """
    total = n_rows[reliability > 0].sum()
    weights: Array = reliability * (n_rows + SHRINKAGE) / (total + SHRINKAGE)
    return weights


def fused_rules(
    members: list[Member], alignment: Alignment, reliability: Array, *, merges: bool = True
) -> FusedRuleSet:
    """Put the rules of models together.

    Parameters
    ----------
    members : list of Member
        The models.
    alignment : Alignment
        Where their columns are in the table of all.
    reliability : ndarray of shape (n_models,)
        How far each is relied on.
    merges : bool
        Whether shared rules become one.

    Returns
    -------
    FusedRuleSet
    """
    n_rows = np.array([member.n_rows for member in members])
    weights = source_weights(n_rows, reliability)
    stacked = stack(members, alignment, weights > 0)
    sources, first = _sources(members, reliability, weights)
    arrays = _arrays(members, weights)
    origin = np.zeros((len(stacked.member), len(sources)), dtype=bool)
    starts = np.searchsorted(stacked.member, np.arange(len(members)))
    for number, member in enumerate(members):
        if weights[number] > 0:
            own = slice(int(starts[number]), int(starts[number]) + len(member.rules))
            last = first[number] + _n_sources(member)
            origin[own, first[number] : last] = _origin(member)
    groups = _shared(stacked) if merges else [[rule] for rule in range(len(stacked.member))]
    joined, chosen = _joined(arrays, groups)
    conditions, origin = stacked.conditions[chosen], _any(origin, groups)
    order = np.argsort(-joined["evidence"], kind="stable")
    used = reliability > 0
    shares = n_rows * used / (n_rows * used).sum()
    rates = sum(s * m.rules.base_rates for s, m in zip(shares, members, strict=True))
    class_rows = np.array([member.rules.class_rows for member in members])[used].sum(axis=0)
    threshold = float(shares @ [member.rules.answer_threshold for member in members])
    learned: dict[str, Any] = {name: array[order] for name, array in joined.items()}
    return FusedRuleSet(
        stacked.variables,
        members[0].model.classes_,
        conditions=conditions[order],
        numerosity=np.ones(len(order), dtype=np.uint32),
        **learned,
        base_rates=_sum_to_one(np.asarray(rates)),
        class_rows=class_rows.astype(np.int64),
        answer_threshold=threshold,
        sources=tuple(sources),
        origin=origin[order],
    )


def _sum_to_one(rates: Array) -> Array:
    return rates if abs(rates.sum() - 1) < 1e-12 else rates / rates.sum()


def _n_sources(member: Member) -> int:
    return len(getattr(member.rules, "sources", ())) or 1


def _origin(member: Member) -> Any:
    """Return which sources rules of a model are from, which may be fused itself."""
    return getattr(member.rules, "origin", True)


def _sources(
    members: list[Member], reliability: Array, weights: Array
) -> tuple[list[Source], list[int]]:
    """Return the sources of all models, and where those of each model begin."""
    found: list[Source] = []
    first = []
    for member, r, weight in zip(members, reliability.tolist(), weights.tolist(), strict=True):
        first.append(len(found))
        inner = getattr(member.rules, "sources", ())
        if not inner:
            found.append(Source(member.name, member.rules.class_rows, r, weight))
        for source in inner:
            name = f"{member.name}: {source.name}"
            rows = source.class_rows
            found.append(Source(name, rows, r * source.reliability, weight * source.weight))
    return found, first


NAMES = ("class_experience", "applies", "profile", "neutral", "evidence", "consequent")


def _arrays(members: list[Member], weights: Array) -> dict[str, NDArray[Any]]:
    """Return what the rules of all models have learned, evidence as often as it counts."""
    used = [(m, w) for m, w in zip(members, weights.tolist(), strict=True) if w > 0]
    found = {
        name: np.concatenate(
            [
                getattr(member.rules, name) * (w if name in ("profile", "evidence") else 1)
                for member, w in used
            ]
        )
        for name in NAMES
    }
    # Among how many rows it was counted to how many a rule applies.
    behind = [
        np.array([m.rules.rows_behind(k) for k in range(len(m.rules))]).reshape(
            len(m.rules), len(m.rules.classes)
        )
        for m, _ in used
    ]
    return found | {"rows_behind": np.concatenate(behind)}


def _shared(stacked: Stack) -> list[list[int]]:
    """Group rules with the same conditions, in the units of the data and in words."""
    variables = stacked.variables
    asks = ~variables.dont_cares(stacked.conditions)
    keys: dict[tuple[int, int], Any] = {}
    groups: dict[Any, list[int]] = {}
    for rule, conditions in enumerate(stacked.conditions):
        parts = []
        for view in np.flatnonzero(asks[rule]).tolist():
            place = view, int(conditions[view])
            if place not in keys:
                keys[place] = condition_key(variables, *place)
            parts.append(keys[place])
        groups.setdefault(frozenset(parts), []).append(rule)
    return list(groups.values())


def _joined(
    arrays: dict[str, NDArray[Any]], groups: list[list[int]]
) -> tuple[dict[str, NDArray[Any]], NDArray[np.intp]]:
    """Add up what shared rules have learned, and choose whose variables they keep.

    The neutral degree of a shared rule is the mean by experience.
    """
    known = arrays["class_experience"]
    total = known.sum(axis=1)
    chosen = np.array([max(g, key=lambda rule: total[rule]) for g in groups], dtype=np.intp)
    found: dict[str, NDArray[Any]] = {}
    for name in ("class_experience", "applies", "profile", "evidence"):
        shape = (len(groups), *arrays[name].shape[1:])
        sums = [arrays[name][group].sum(axis=0) for group in groups]
        found[name] = np.array(sums, dtype=arrays[name].dtype).reshape(shape)
    found["neutral"] = arrays["neutral"][chosen].copy()
    found["consequent"] = arrays["consequent"][chosen].copy()
    for place, group in enumerate(groups):
        if len(group) > 1:
            share = total[group] / total[group].sum() if total[group].any() else 1 / len(group)
            found["neutral"][place] = float((arrays["neutral"][group] * share).sum())
            profile = found["profile"][place]
            rows = arrays["rows_behind"][group].sum(axis=0)
            lift = found["class_experience"][place] / np.maximum(rows, 1)
            found["consequent"][place] = np.where(profile >= profile.max(), lift, -1.0).argmax()
    experience = found["class_experience"].sum(axis=1)
    whole = np.where(experience > 0, experience, 1.0)[:, np.newaxis]
    shares = found["class_experience"] / whole
    return found | {
        "experience": experience,
        "weights": shares,
        "fitness": 2 * shares.max(axis=1, initial=0.0) - 1,
    }, chosen


def _any(origin: NDArray[np.bool_], groups: list[list[int]]) -> NDArray[np.bool_]:
    found = [origin[group].any(axis=0) for group in groups]
    return np.array(found, dtype=bool).reshape(len(groups), origin.shape[1])
