"""How much two models have in common that were fitted to different rows or with different seeds.

A model is a set of *statements*: rules, leaves of a tree, or paths of a forest. A statement i has

- conditions and a conclusion, written in the units of the data (its *key*),
- A_i, the rows of a reference set that its conditions hold for, yes or no, as its text says,
- a profile over classes v_i, what it says; only differences between classes count,
- a share of the evidence w_i >= 0; the shares of all statements of a model sum to one.

**Shared rules** is the Jaccard index of the two sets of keys: |common keys| / |all keys|.

**Soft overlap.** The similarity of statement i of one model and j of the other is

    s_ij = |A_i and A_j| / |A_i or A_j| * max(0, cos(v_i - mean v_i, v_j - mean v_j)),

where the first factor is 1 if A_i and A_j are both empty and the keys are equal, and 0 if they are
both empty and the keys differ. Statements are matched one to one, M, such that

    overlap = max over M of  2 * sum over (i, j) in M of s_ij * (w_i + w_j) / 2
                             / (sum of all w_i + sum of all w_j)

is greatest. It is 1 if both models say the same of the same rows, whatever their words, and 0 if
no two statements have a row and a direction in common. Two models without evidence overlap by 1;
a model without evidence and one with some by 0. Broad statements overlap by chance; *by chance* is
the same measure after the reference rows of one model were shuffled.

**Overlap of curves.** What a model adds to the scores of classes is summed by the set of features
that it comes from: f_t(x) of a term t has a number for each class. With I_t, the share of a term in
the sum of |f_t| over rows and classes,

    s_t = sum of min(|f_t|, |g_t|) where signs agree / sum of max(|f_t|, |g_t|),
    overlap = 2 * sum of s_t * (I_t + J_t) / 2 / 2.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = [
    "Statements",
    "curve_overlap",
    "overlap_by_chance",
    "profiles_of_shares",
    "shared",
    "similarities",
    "soft_overlap",
    "total_variation",
]

TINY = 1e-12

Array = NDArray[Any]
Curves = Mapping[Hashable, Array]


@dataclass(frozen=True, eq=False)
class Statements:
    """What a model says, on the rows of a reference set.

    Attributes
    ----------
    keys : sequence of hashable
        Conditions and conclusion of each statement, in the units of the data.
    holds : ndarray of bool of shape (n_rows, n_statements)
        For which rows the conditions hold.
    profile : ndarray of shape (n_statements, n_classes)
        What they say about each class.
    evidence : ndarray of shape (n_statements,)
        How much each says, in any unit.
    """

    keys: Sequence[Hashable]
    holds: Array
    profile: Array
    evidence: Array

    @property
    def share(self) -> Array:
        """Share of each statement in the evidence; nothing if there is none."""
        total = self.evidence.sum()
        return self.evidence / total if total > TINY else np.zeros(len(self.evidence))


def profiles_of_shares(inside: Array, n_inside: Array, base: Array) -> Array:
    """Return what statements say that tell shares of classes: log(share / base rate).

    One more row at the base rates keeps logarithms finite.

    Parameters
    ----------
    inside : ndarray of shape (n_statements, n_classes)
        Shares of the classes among the rows that a statement is about.
    n_inside : ndarray of shape (n_statements,)
        Number of these rows.
    base : ndarray of shape (n_classes,)
        Shares of the classes among all rows.
    """
    n = n_inside[:, np.newaxis]
    return np.log((inside * n + base) / (n + 1) / base)


def evidence_of(profile: Array, n_inside: Array, n_rows: float) -> Array:
    """Return the evidence of crisp statements, defined as that of the flagship's rules.

    The sum over rows of |holds - mean of holds|, times the range of the profile.
    """
    mean = n_inside / n_rows
    return 2 * n_rows * mean * (1 - mean) * np.ptp(profile, axis=1)


def shared(a: Statements, b: Statements) -> float:
    """Return the Jaccard index of the sets of keys."""
    one, other = set(a.keys), set(b.keys)
    return len(one & other) / len(one | other) if one | other else 1.0


def _directions(profile: Array) -> Array:
    centred = profile - profile.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > TINY)


def similarities(a: Statements, b: Statements) -> Array:
    """Return s_ij of all pairs of statements."""
    one, other = a.holds.astype(float), b.holds.astype(float)
    both = one.T @ other
    either = one.sum(axis=0)[:, np.newaxis] + other.sum(axis=0) - both
    same = np.array([[i == j for j in b.keys] for i in a.keys], dtype=float).reshape(both.shape)
    rows = np.divide(both, either, out=same, where=either > 0)
    return rows * np.clip(_directions(a.profile) @ _directions(b.profile).T, 0.0, 1.0)


def soft_overlap(a: Statements, b: Statements) -> float:
    """Return the soft overlap of two models."""
    one, other = a.share, b.share
    if not one.any() or not other.any():
        return float(one.any() == other.any())
    value = similarities(a, b) * (one[:, np.newaxis] + other)
    matched = linear_sum_assignment(value, maximize=True)
    return float(value[matched].sum() / (one.sum() + other.sum()))


def overlap_by_chance(a: Statements, b: Statements, rng: np.random.Generator) -> float:
    """Return the soft overlap after the reference rows of one model were shuffled."""
    holds = b.holds[rng.permutation(len(b.holds))]
    return soft_overlap(a, Statements(b.keys, holds, b.profile, b.evidence))


def curve_overlap(f: Curves, g: Curves) -> float:
    """Return the overlap of the curves of two models, term by term."""
    f_total = sum(float(np.abs(values).sum()) for values in f.values())
    g_total = sum(float(np.abs(values).sum()) for values in g.values())
    if f_total <= TINY or g_total <= TINY:
        return float((f_total <= TINY) == (g_total <= TINY))
    result = 0.0
    for term in f.keys() & g.keys():
        one, other = np.abs(f[term]), np.abs(g[term])
        agree = np.sign(f[term]) == np.sign(g[term])
        most = np.maximum(one, other).sum()
        if most > TINY:
            similarity = np.minimum(one, other)[agree].sum() / most
            result += similarity * (one.sum() / f_total + other.sum() / g_total) / 2
    return float(result)


def total_variation(p: Array, q: Array) -> float:
    """Return half the sum of absolute differences of probabilities, on average over rows.

    Of two classes, this is the mean absolute difference of the probability of either.
    """
    return float(np.abs(p - q).sum(axis=1).mean() / 2)
