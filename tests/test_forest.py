"""The forest of terms against counts by hand and SciPy's spanning tree."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree

from fuzzyucs import _core
from fuzzyucs.variables.forest import UNITS, TermForest


def table(n=150, missing=0.1):
    """Positions of five features, of which three and two depend on each other, and their terms."""
    rng = np.random.default_rng(7)
    x = rng.random((n, 6))
    x[:, 1] = 0.8 * x[:, 0] + 0.2 * x[:, 1]
    x[:, 3] = (x[:, 2] > 0.5) + 0.0
    x[:, 4] = 0.8 * x[:, 1] + 0.2 * x[:, 4]
    n_terms = np.array([5, 3, 7, 2, 4, 0], dtype=np.uint32)  # the last takes no part
    positions = x * np.maximum(n_terms - 1.0, 1)
    positions[rng.random(positions.shape) < missing] = np.nan
    return positions, n_terms


def memberships(x, n_terms):
    """Degrees of all terms, by definition; 0 for missing values."""
    degrees = np.maximum(0, 1 - np.abs(x[:, None] - np.arange(n_terms)))
    return np.nan_to_num(degrees)


def counted(x, n_terms):
    """Degrees as they are counted, in units."""
    return np.rint(memberships(x, n_terms) * UNITS) / UNITS


def marginal_of(x, n_terms):
    known = ~np.isnan(x)
    return (counted(x, n_terms).sum(axis=0) + 1 / n_terms) / (known.sum() + 1)


def joint_of(x, y, n, m):
    both = ~np.isnan(x) & ~np.isnan(y)
    counts = counted(x[both], n).T @ counted(y[both], m)
    smooth = np.outer(marginal_of(x, n), marginal_of(y, m))
    return (counts + smooth) / (both.sum() + 1), both.sum()


def gain_of(x, y, n, m):
    pairs, n_rows = joint_of(x, y, n, m)
    chance = np.outer(pairs.sum(axis=1), pairs.sum(axis=0))
    return (pairs * np.log(pairs / chance)).sum() - (n - 1) * (m - 1) / 2 / n_rows


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_forest_is_the_one_that_tells_most(missing):
    positions, n_terms = table(missing=missing)
    forest = TermForest.grow(positions, n_terms)
    gains = np.zeros((6, 6))
    for a in range(5):
        for b in range(a):
            gains[a, b] = gain_of(positions[:, a], positions[:, b], n_terms[a], n_terms[b])
    gains = np.maximum(gains, 0)
    tree = -minimum_spanning_tree(-gains).toarray()
    expected = {frozenset(map(int, pair)) for pair in np.argwhere(tree > 0)}
    found = {frozenset((f, p)) for f, p in enumerate(forest.parent.tolist()) if p >= 0}
    assert found == expected
    assert {frozenset((0, 1)), frozenset((2, 3))} <= found
    assert forest.parent[5] == -1
    marginals = [marginal_of(positions[:, f], n_terms[f]) for f in range(5)]
    assert_allclose(forest.marginal, np.concatenate(marginals))
    for feature, parent, pairs in forest.tables():
        x, y = positions[:, parent], positions[:, feature]
        assert_allclose(pairs, joint_of(x, y, n_terms[parent], n_terms[feature])[0])


def test_a_forest_without_a_fold_does_not_know_its_rows():
    positions, n_terms = table()
    *partial, whole = TermForest.grow_folds(positions, n_terms, 4)
    assert len(partial) == 4
    for k, forest in enumerate([*partial, whole]):
        rest = positions[np.arange(len(positions)) % 4 != k]
        alone = TermForest.grow(rest, n_terms)
        assert_array_equal(forest.parent, alone.parent)
        assert_allclose(forest.marginal, alone.marginal)
        assert_allclose(forest.joint, alone.joint)


def by_hand(forest, positions, scale):
    first = np.cumsum([0, *forest.n_terms])
    tables = {feature: (parent, pairs) for feature, parent, pairs in forest.tables()}
    surprise = np.zeros(positions.shape)
    for r, row in enumerate(positions):
        phi = [
            memberships(row[[f]], n)[0] * scale[first[f] : first[f + 1]]
            for f, n in enumerate(forest.n_terms)
        ]
        for f, n in enumerate(forest.n_terms):
            if n == 0 or np.isnan(row[f]):
                continue
            pi = forest.marginal[first[f] : first[f + 1]]
            parent, pairs = tables.get(f, (-1, None))
            if parent < 0 or np.isnan(row[parent]):
                surprise[r, f] = -np.log(pi @ phi[f])
            else:
                given = forest.marginal[first[parent] : first[parent + 1]] @ phi[parent]
                surprise[r, f] = -np.log(phi[parent] @ pairs @ phi[f] / given)
    return surprise


def test_surprise_equals_its_definition():
    positions, n_terms = table()
    forest = TermForest.grow(positions, n_terms)
    scale = np.random.default_rng(8).uniform(0.5, 3, int(n_terms.sum()))
    assert_allclose(
        forest.surprise(positions, scale), by_hand(forest, positions, scale), rtol=1e-12, atol=1e-14
    )


def test_belief_equals_its_definition():
    positions, n_terms = table(missing=0.4)
    forest = TermForest.grow(positions, n_terms)
    first = np.cumsum([0, *n_terms])
    neighbours = {f: [] for f in range(6)}
    for feature, parent, pairs in forest.tables():
        neighbours[feature].append((parent, pairs))
        neighbours[parent].append((feature, pairs.T))
    assert max(map(len, neighbours.values())) > 1
    for f in range(5):
        pi = forest.marginal[first[f] : first[f + 1]]
        expected = np.tile(pi, (len(positions), 1))
        for r, row in enumerate(positions):
            for other, pairs in neighbours[f]:
                if not np.isnan(row[other]):
                    pi_other = forest.marginal[first[other] : first[other + 1]]
                    mu = memberships(row[[other]], n_terms[other])[0]
                    expected[r] *= (mu / pi_other) @ pairs / pi
        expected /= expected.sum(axis=1, keepdims=True)
        assert_allclose(forest.believe(positions, f), expected, rtol=1e-12)


def test_independent_features_stay_alone():
    x = np.random.default_rng(7).random((2000, 4)) * 4
    assert_array_equal(TermForest.grow(x, np.full(4, 5, np.uint32)).parent, -1)


def test_a_forest_can_be_pickled():
    positions, n_terms = table()
    forest = TermForest.grow(positions, n_terms)
    before = forest.believe(positions, 0)
    assert_array_equal(pickle.loads(pickle.dumps(forest)).believe(positions, 0), before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parent": np.array([-1, 2], np.int32)}, "parent is out of range"),
        ({"parent": np.array([-1, 1], np.int32)}, "parent is out of range"),
        ({"parent": np.array([-1], np.int32)}, "parent has the wrong length"),
        ({"n_terms": np.array([2, 1], np.uint32)}, "n_terms must be 0 or lie"),
        ({"n_terms": np.array([2, 0], np.uint32)}, "a feature without terms is alone"),
        ({"marginal": np.full(5, 0.5)}, "marginal has the wrong length"),
        ({"joint": np.full(5, 0.5)}, "joint has the wrong length"),
        ({"joint": np.array([0.0, 0.5, 0.5, 0.5])}, "probabilities must be positive"),
        ({"marginal": np.array([np.nan, 0.5, 0.5, 0.5])}, "probabilities must be positive"),
    ],
)
def test_the_native_forest_refuses_what_does_not_fit(change, message):
    arrays = {
        "n_terms": np.array([2, 2], np.uint32),
        "parent": np.array([-1, 0], np.int32),
        "marginal": np.full(4, 0.5),
        "joint": np.full(4, 0.25),
    }
    _core.TermForest(**arrays)
    with pytest.raises(ValueError, match=message):
        _core.TermForest(**arrays | change)


def test_the_native_forest_refuses_tables_that_do_not_fit():
    forest = _core.TermForest(
        np.array([2], np.uint32), np.array([-1], np.int32), np.full(2, 0.5), np.empty(0)
    )
    with pytest.raises(ValueError, match="x has the wrong number of columns"):
        forest.believe(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="scale has the wrong length"):
        forest.surprise(np.zeros((1, 1)), np.ones(3))
    with pytest.raises(ValueError, match="scale is out of range"):
        forest.surprise(np.zeros((1, 1)), np.zeros(2))
    with pytest.raises(ValueError, match="nothing to grow from"):
        _core.ForestGrower(1, np.array([2], np.uint32), 0)
    grower = _core.ForestGrower(3, np.array([2], np.uint32), 1)
    with pytest.raises(ValueError, match="x has the wrong number of columns"):
        grower.read(0, np.zeros((1, 2)))
    for first, n in ((2, 2), (4, 0), (2**64 - 1, 3)):
        with pytest.raises(ValueError, match="x has too many rows"):
            grower.read(first, np.zeros((n, 1)))
    grower.grow()
    with pytest.raises(ValueError, match="the rows are used up"):
        grower.grow()
