"""Coded tables by chance, for tests of growth by histograms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from fuzzyucs import _core
from growth_twin import MISSING, Constraints, Feature, Premise, Twin, softmax

FREE = Constraints()


@dataclass
class Table:
    """The arguments of a growth."""

    codes: NDArray[np.uint8]
    n_terms: NDArray[np.uint32]
    is_nominal: NDArray[np.bool_]
    steps: NDArray[np.uint32]
    y: NDArray[np.uint32]
    weight: NDArray[np.float64]
    n_classes: int
    shares: list[NDArray[np.float64]]
    condition_cost: float = 0.3
    least_experience: float = 3.0
    max_conditions: int = 5
    most_partners: int = 10**9
    n_threads: int = 1
    shared: _core.SharedRows | None = None
    constraints: Constraints = FREE

    def growth(self, penalty: float = 1.0) -> _core.RuleGrowth:
        """Begin to grow rules."""
        settings = _core.GrowthSettings()
        settings.condition_cost = self.condition_cost
        settings.least_experience = self.least_experience
        settings.max_conditions = self.max_conditions
        settings.most_partners = self.most_partners
        for name, value in vars(self.constraints).items():
            setattr(settings, name, value)
        found = _core.RuleGrowth(
            self.codes,
            self.n_terms,
            self.is_nominal,
            self.steps,
            self.y,
            self.weight,
            self.n_classes,
            settings,
            np.concatenate(self.shares),
            self.n_threads,
            self.shared,
        )
        found.set_penalty(penalty)
        return found

    def twin(self, penalty: float = 1.0) -> Twin:
        """Return the twin."""
        columns = self.codes, self.n_terms.tolist(), self.is_nominal, self.steps.tolist()
        features = [Feature(*column) for column in zip(*columns, self.shares, strict=True)]
        return Twin(
            features,
            self.y,
            self.weight,
            self.n_classes,
            penalty,
            self.condition_cost,
            self.least_experience,
            self.max_conditions,
            self.most_partners,
            self.constraints,
        )

    def reordered(self, order: NDArray[np.intp]) -> "Table":
        """Return some rows in another order."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, order]),
            y=self.y[order],
            weight=self.weight[order],
        )


def table_by_chance(
    seed: int,
    n_classes: int,
    *,
    gaps: float = 0.1,
    weighted: bool = True,
    n_rows: int | None = None,
) -> Table:
    """Return a table in which classes depend on two ordered features and on a nominal one."""
    rng = np.random.default_rng([seed, n_classes])
    n = n_rows or int(rng.integers(120, 400))
    n_terms = rng.integers([5, 20, 5, 3, 30, 2], [20, 61, 61, 12, 80, 3]).astype(np.uint32)
    is_nominal = np.array([False, False, False, True, True, False])
    most = np.where(is_nominal, 1, 254 // (n_terms - 1))
    steps = rng.integers(1, most + 1).astype(np.uint32)
    last = steps * (n_terms - 1)
    codes = rng.integers(0, last[:, np.newaxis] + 1, (6, n))
    codes[0, rng.random(n) < 0.3] = 0  # a frequent value
    depth = codes / last[:, np.newaxis]
    group = rng.random(int(n_terms[3])) < 0.5
    score = 1.5 * (depth[0] > 0.6) * (depth[1] > 0.3) + group[codes[3]] + depth[2]
    score += rng.normal(0, rng.choice([0.1, 0.4]), n)
    parts = np.quantile(score, np.sort(rng.uniform(0.15, 0.85, n_classes - 1)))
    y = np.searchsorted(parts, score)
    codes[rng.random(codes.shape) < gaps] = MISSING
    shares = [rng.dirichlet(np.ones(k)) for k in n_terms]
    return Table(
        codes.astype(np.uint8),
        n_terms,
        is_nominal,
        steps,
        y.astype(np.uint32),
        rng.uniform(0.2, 3, n) if weighted else np.ones(n),
        n_classes,
        shares,
        condition_cost=float(rng.choice([0.0, 0.1, 0.6])),
    )


def premises(growth: _core.RuleGrowth) -> list[Premise]:
    """Return the rules of a growth as the twin writes them."""
    words, _, _ = growth.rules()
    found = []
    for rule in words.reshape(len(words), words.shape[1] // 4, 4):
        bits = np.unpackbits(rule.view(np.uint8), axis=1, bitorder="little")
        asked = np.flatnonzero(bits.any(axis=1)).tolist()
        found.append(tuple((f, frozenset(np.flatnonzero(bits[f]).tolist())) for f in asked))
    return found


def scores_of(growth: _core.RuleGrowth, twin: Twin) -> NDArray[np.float64]:
    """Logarithms of odds from rules, profiles and neutral degrees."""
    _, profiles, neutrals = growth.rules()
    found = np.tile(growth.log_shares(), (len(twin.y), 1))
    for premise, profile, neutral in zip(premises(growth), profiles, neutrals, strict=True):
        degrees, _ = twin.degrees_and_neutral(premise, softmax(found))
        found += np.outer(degrees - neutral, profile)
    return found


def everything(growth: _core.RuleGrowth) -> tuple[Any, ...]:
    """Grow, settle and go on; return all there is to know."""
    found = [growth.grow(n) for n in (1, 6, 9)]
    grown = growth.rules(), growth.objective
    growth.settle(1e-6, 50, 0.8)
    growth.set_penalty(0.1)
    found.append(growth.grow(7))
    return found, *grown[0], grown[1], *growth.rules(), growth.objective, growth.log_shares()


def assert_identical(first: Sequence[Any], second: Sequence[Any]) -> None:
    """Compare arrays and numbers, bit by bit."""
    for one, other in zip(first, second, strict=True):
        assert_array_equal(one, other)
