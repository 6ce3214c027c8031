"""Growth of rules by histograms: the native engine beside a twin in NumPy, and what it promises."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import growth_twin
from coded_tables import Table, assert_identical, everything, premises, scores_of, table_by_chance
from growth_twin import MISSING, softmax
from soaking import first

# The twin


@pytest.mark.parametrize("penalty", [0.05, 1.0, 4.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", first(3, range(8)))
def test_rules_are_those_of_the_twin(seed, n_classes, penalty):
    gaps, weighted = (0.0, 0.1, 0.4)[seed % 3], seed % 2 == 0
    table = table_by_chance(seed, n_classes, gaps=gaps, weighted=weighted)
    growth, twin = table.growth(penalty), table.twin(penalty)
    for n in range(3):
        scores = scores_of(growth, twin)
        before = growth.objective
        expected = twin.grow(softmax(scores))
        assert growth.grow(1) == (expected is not None)
        assert premises(growth) == twin.rules
        if expected is None:
            assert growth.objective == before
            break
        _, profiles, neutrals = growth.rules()
        degrees, neutral = twin.degrees_and_neutral(expected, softmax(scores))
        assert neutrals[n] == pytest.approx(neutral, rel=1e-9)
        start = twin.start(expected, scores)
        assert_allclose(profiles[n], start, rtol=1e-7, atol=1e-9)
        after = scores + np.outer(degrees - neutral, start)
        paid = sum(
            twin.price(len(premise)) * abs(profile).sum()
            for premise, profile in zip(twin.rules, profiles, strict=True)
        )
        assert growth.objective == pytest.approx(twin.objective(after) + paid, abs=1e-7)
        assert growth.objective <= before
    assert penalty > 1 or len(twin.rules) == 3


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", first(2, range(6)))
def test_rules_of_one_pass_are_those_of_the_twin(seed, n_classes):
    """Those that were found beside the best are taken if they gain nearly as much afterwards."""
    table = table_by_chance(seed, n_classes, gaps=(0.0, 0.2)[seed % 2])
    for penalty, most in itertools.product((0.2, 1.0), (2, 3, 5)):
        growth, twin = table.growth(penalty), table.twin(penalty)
        expected = twin.grow_several(scores_of(growth, twin), most)
        assert growth.grow(most) == len(expected)
        assert premises(growth) == twin.rules
        assert_allclose(growth.rules()[1], np.reshape(expected, (-1, n_classes)), rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rules_in_more_rows_are_those_of_the_twin(n_classes):
    """More than 512 rows are counted by histograms."""
    table = table_by_chance(1, n_classes, n_rows=1500)
    growth, twin = table.growth(0.5), table.twin(0.5)
    twin.grow_several(scores_of(growth, twin), 3)
    growth.grow(3)
    assert len(twin.rules) == 3
    assert premises(growth) == twin.rules


def test_some_rules_of_a_pass_are_taken_and_some_are_not(monkeypatch):
    """What the test above compares in: with another share, other rules follow."""
    tables = [table_by_chance(seed, 3, gaps=0.0) for seed in range(6)]
    found = {}
    for share in (0.0, growth_twin.STILL_GOOD, 1e9):
        monkeypatch.setattr(growth_twin, "STILL_GOOD", share)
        twins = [table.twin(0.2) for table in tables]
        for table, twin in zip(tables, twins, strict=True):
            twin.grow_several(scores_of(table.growth(0.2), twin), 5)
        found[share] = [twin.rules for twin in twins]
    assert found[0.0] != found[0.8] != found[1e9]


def test_tables_by_chance_have_rules_of_all_kinds():
    """What the twin is compared in: conditions of both kinds, and from one to several."""
    sizes, kinds, coarse = set(), set(), 0
    for seed in range(8):
        for n_classes in (2, 3, 5):
            table = table_by_chance(seed, n_classes, weighted=seed % 2 == 0)
            growth = table.growth(0.05)
            growth.grow(3)
            for premise in premises(growth):
                sizes.add(len(premise))
                kinds |= {bool(table.is_nominal[f]) for f, _ in premise}
                coarse += any(table.n_terms[f] > 24 and not table.is_nominal[f] for f, _ in premise)
    assert sizes >= {1, 2, 3}
    assert kinds == {False, True}
    assert coarse > 5


@pytest.mark.parametrize("most", [1, 2])
def test_rules_have_at_most_so_many_conditions(most):
    table = replace(table_by_chance(3, 3), max_conditions=most)
    growth, twin = table.growth(0.05), table.twin(0.05)
    growth.grow(1)
    twin.grow(softmax(scores_of(table.growth(), twin)))
    assert premises(growth) == twin.rules
    growth.grow(20)
    assert max(map(len, premises(growth))) == most


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("most", [1, 2, 4])
def test_further_conditions_are_looked_for_among_so_many_partners(most, n_classes):
    """A rule may begin with any feature, and goes on with those that tell most by themselves."""
    differ, partners = 0, set()
    for seed in range(4):
        table = table_by_chance(seed, n_classes, gaps=(0.0, 0.2)[seed % 2])
        everywhere = table.growth(0.1)
        limited = replace(table, most_partners=most)
        growth, twin = limited.growth(0.1), limited.twin(0.1)
        for _ in range(2):  # each pass has partners of its own
            everywhere.grow(2)
            expected = twin.grow_several(scores_of(growth, twin), 2)
            assert growth.grow(2) == len(expected)
            assert premises(growth) == twin.rules
            assert len(twin.partners) == most
            partners.add(tuple(twin.partners))
        differ += premises(growth) != premises(everywhere)
    assert len(partners) > 1
    assert differ > 0


def twin_finds_others(table, penalty, n_rules):
    """Tell whether the twin finds other rules than the engine."""
    growth, twin = table.growth(penalty), table.twin(penalty)
    for _ in range(n_rules):
        twin.grow(softmax(growth.scores(table.codes)))
        growth.grow(1)
    return premises(growth) != twin.rules


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NEARLY", 1.0),  # borders of other rules are not preferred
        ("GRID", 12),
        ("BEAMS", 1),
        ("LEAST_GROWTH", 1.3),
        ("GREATEST_ENTRY", 0.3),
        ("LEAST_IN_QUESTION", 2**16),
        ("FULL", 8),
    ],
)
def test_the_comparison_with_the_twin_depends_on_all_of_it(name, value, monkeypatch):
    monkeypatch.setattr(growth_twin, name, value)
    cases = itertools.product(range(8), (3, 2, 5))
    tables = (table_by_chance(seed, k, gaps=(0.0, 0.1)[seed % 2]) for seed, k in cases)
    assert any(twin_finds_others(table, 1.0, 3) for table in tables)


# The same for any order of rows, in any thread


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_order_of_the_rows_does_not_matter(n_classes):
    table = table_by_chance(1, n_classes, n_rows=700)
    expected = everything(table.growth(0.5))
    assert expected[0][0] == 1
    assert len(expected[5]) > 3
    assert all(np.isfinite(part).all() for part in expected)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(700)
        assert_identical(everything(table.reordered(order).growth(0.5)), expected)


def test_calls_and_threads_find_the_same():
    tables = [table_by_chance(seed, 2 + seed % 3, n_rows=600) for seed in range(4)]
    expected = [everything(table.growth(0.5)) for table in tables]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            found = list(pool.map(lambda table: everything(table.growth(0.5)), tables))
            for one, other in zip(found, expected, strict=True):
                assert_identical(one, other)


def test_growing_goes_on_where_it_ended():
    """Rules of one pass are those of single calls if none but the best is asked for."""
    table = table_by_chance(2, 3, n_rows=500)
    one, together = table.growth(0.5), table.growth(0.5)
    for _ in range(4):
        one.grow(1)
    n_before = 0
    for most in (2, 1, 3):
        n_before += together.grow(most)
        assert len(premises(together)) == n_before == len(set(premises(together)))
    assert premises(together)[0] == premises(one)[0]


# Numbers


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_are_those_of_rules_and_profiles(n_classes):
    table = table_by_chance(4, n_classes, gaps=0.2, n_rows=500)
    growth, twin = table.growth(0.5), table.twin()
    assert_allclose(growth.scores(table.codes), np.tile(growth.log_shares(), (500, 1)))
    growth.grow(12)
    growth.settle(1e-6, 100, 0.8)
    _, profiles, neutrals = growth.rules()
    assert len(profiles) > 3
    expected = np.tile(growth.log_shares(), (500, 1))
    for premise, profile, neutral in zip(premises(growth), profiles, neutrals, strict=True):
        assert 0 < neutral < 1
        degrees, found = twin.degrees_and_neutral(premise, softmax(expected))
        assert neutral == pytest.approx(found, rel=1e-9)
        expected += np.outer(degrees - neutral, profile)
    assert_allclose(growth.scores(table.codes), expected, rtol=0, atol=1e-9)
    nothing = np.full((len(table.codes), 1), MISSING, dtype=np.uint8)
    assert_allclose(growth.scores(nothing)[0], growth.log_shares(), atol=1e-12)
    order = np.random.default_rng(0).permutation(500)[:90]
    some = growth.scores(np.ascontiguousarray(table.codes[:, order]))
    assert_array_equal(some, growth.scores(table.codes)[order])
    assert growth.scores(table.codes[:, :0].copy()).shape == (0, n_classes)


def test_log_shares_are_those_of_the_weights():
    table = table_by_chance(0, 5)
    shares = np.bincount(table.y, table.weight, minlength=5) / table.weight.sum()
    assert_allclose(np.exp(table.growth().log_shares()), shares, rtol=1e-12)


def test_settling_fits_and_drops_rules():
    table = table_by_chance(5, 3, n_rows=600)
    growth = table.growth(0.2)
    growth.grow(30)
    grown = premises(growth)
    assert len(set(grown)) == len(grown)
    growth.set_penalty(4.0)
    growth.settle(1e-8, 500, 1.0)
    kept, profiles = premises(growth), growth.rules()[1]
    assert 0 < len(kept) < len(grown)
    assert set(kept) < set(grown)
    assert profiles.any(axis=1).all()
    loss, least = table.twin().objective(growth.scores(table.codes)), growth.objective
    growth.settle(1e-8, 500, 0.25)
    # Closer to the data, and by the penalty itself not the best.
    assert table.twin().objective(growth.scores(table.codes)) < loss
    assert growth.objective > least
    assert abs(growth.rules()[1]).sum() > abs(profiles).sum()


def test_a_model_has_room_for_the_terms_of_all_rules():
    """Rules tell at most 64 groups of categories apart, and go on with those; runs are free."""
    rng = np.random.default_rng(0)
    n = 4000
    codes = rng.integers(0, 200, (2, n))
    y = rng.integers(0, 3, 200)[codes[0]] ^ (rng.integers(0, 2, 200)[codes[1]])
    table = Table(
        codes.astype(np.uint8),
        np.array([200, 200], dtype=np.uint32),
        np.array([False, True]),
        np.array([1, 1], dtype=np.uint32),
        y.astype(np.uint32),
        np.ones(n),
        4,
        [np.full(200, 1 / 200)] * 2,
        condition_cost=0.0,
    )
    growth = table.growth(0.01)
    growth.grow(150)
    rules = premises(growth)
    assert len(rules) == len(set(rules)) == 150
    sets = [[terms for rule in rules for f, terms in rule if f == feature] for feature in (0, 1)]
    borders = {t for s in sets[0] for t in range(1, 200) if (t in s) != (t - 1 in s)}
    assert len(borders) + 1 > 64
    kinds = {tuple(t in s for s in sets[1]) for t in range(200)}
    # With no more than 32 there is room for any other set.
    assert 32 < len(kinds) <= 64


# Many classes


def table_of_many_classes(seed, n_classes=130, n_rows=900):
    """Return a table in which each class has its place in an ordered and in a nominal feature."""
    rng = np.random.default_rng(seed)
    n_terms = np.array([40, 60, 7], dtype=np.uint32)
    y = rng.integers(0, n_classes, n_rows)
    place = rng.integers(0, n_terms[:, np.newaxis], (3, n_classes))
    codes = np.clip(place[:, y] + rng.integers(-1, 2, (3, n_rows)), 0, n_terms[:, np.newaxis] - 1)
    codes[rng.random(codes.shape) < 0.05] = MISSING
    return Table(
        codes.astype(np.uint8),
        n_terms,
        np.array([False, True, False]),
        np.ones(3, dtype=np.uint32),
        y.astype(np.uint32),
        rng.uniform(0.5, 1.5, n_rows),
        n_classes,
        [np.full(k, 1 / k) for k in n_terms],
        condition_cost=0.1,
    )


CASES = [(0, 40, 2.0), (0, 130, 0.5)]


@pytest.mark.parametrize(
    ("seed", "n_classes", "penalty"),
    first(2, [*CASES, *sorted({*itertools.product(range(3), (40, 130), (0.5, 2.0))} - {*CASES})]),
)
def test_rules_about_many_classes_are_those_of_the_twin(seed, n_classes, penalty):
    table = table_of_many_classes(seed, n_classes)
    growth, twin = table.growth(penalty), table.twin(penalty)
    for _ in range(4):
        scores = scores_of(growth, twin)
        expected = twin.grow(softmax(scores))
        assert growth.grow(1) == 1
        assert premises(growth) == twin.rules
        start = twin.start(expected, scores)
        assert_allclose(growth.rules()[1][-1], start, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("name", "value"), [("LEAST_OF_MANY", 2**8), ("ORDERS", 3)])
def test_the_comparison_for_many_classes_depends_on_all_of_it(name, value, monkeypatch):
    monkeypatch.setattr(growth_twin, name, value)
    tables = (table_of_many_classes(seed) for seed in range(6))
    assert any(twin_finds_others(table, 0.5, 4) for table in tables)


@pytest.mark.parametrize("n_classes", first(1, [40, 130]))
def test_the_order_of_rows_does_not_matter_for_many_classes(n_classes):
    table = table_of_many_classes(0, n_classes)
    expected = everything(table.growth(0.5))
    assert len(expected[5]) > 3
    order = np.random.default_rng(0).permutation(len(table.y))
    assert_identical(everything(table.reordered(order).growth(0.5)), expected)
    assert_identical(everything(replace(table, n_threads=3).growth(0.5)), expected)
