"""Growth that keeps to constraints: the native engine beside its twin in NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coded_tables import Table, assert_identical, everything, premises, scores_of, table_by_chance
from fuzzyucs import _core
from growth_parts import Constraints, softmax

MONOTONE = (1, 1, 1, 0, 0, 0)
# By number of classes; some against what the data say.
WISHES = {
    2: (MONOTONE, (-1, 0, 1, 0, 0, 1)),
    3: (MONOTONE, (1, -1, 0, 0, 0, 0)),
    5: (MONOTONE,),
}


def follows(table: Table, growth: _core.RuleGrowth) -> list[int]:
    """Check that all rules follow the order of the classes; return the signs of those that do."""
    wish, found = table.constraints, []
    order = list(wish.class_order or range(table.n_classes))
    for premise, profile in zip(premises(growth), growth.rules()[1], strict=True):
        signs = set()
        for feature, terms in premise:
            if not wish.monotone[feature]:
                continue
            last = int(table.n_terms[feature]) - 1
            low, high = min(terms), max(terms)
            assert terms == frozenset(range(low, high + 1))
            assert (low == 0) != (high == last)
            signs.add(wish.monotone[feature] if high == last else -wish.monotone[feature])
        assert len(signs) < 2
        for sign in signs:
            assert (sign * np.diff(profile[order]) >= 0).all()
            found.append(sign)
    return found


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_monotone_rules_are_those_of_the_twin(seed, n_classes):
    order = (2, 0, 1) if n_classes == 3 and seed % 2 else ()
    table = table_by_chance(seed, n_classes, gaps=(0.0, 0.2)[seed % 2], weighted=seed > 1)
    for monotone in WISHES[n_classes]:
        table = replace(table, constraints=Constraints(monotone, order))
        growth, twin = table.growth(0.3), table.twin(0.3)
        for n in range(3):
            scores = scores_of(growth, twin)
            before = growth.objective
            expected = twin.grow(softmax(scores))
            assert growth.grow(1) == (expected is not None)
            assert premises(growth) == twin.rules
            if expected is None:
                break
            assert_allclose(
                growth.rules()[1][n], twin.start(expected, scores), rtol=1e-6, atol=1e-8
            )
            assert growth.objective <= before
        follows(table, growth)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_rules_follow_the_order_after_all_steps(n_classes):
    signs = []
    for seed in range(2):
        table = table_by_chance(seed, n_classes)
        table = replace(table, constraints=Constraints(MONOTONE))
        growth = table.growth(0.3)
        growth.grow(20)
        growth.settle(1e-6, 50, 0.8)
        growth.set_penalty(0.1)
        growth.grow(10)
        growth.settle(1e-6, 50, 0.8)
        signs += follows(table, growth)
    assert set(signs) == {1, -1}


def test_without_constraints_some_rules_follow_no_order():
    table = table_by_chance(0, 3)
    growth = table.growth(0.3)
    growth.grow(20)
    with pytest.raises(AssertionError):
        follows(replace(table, constraints=Constraints(MONOTONE)), growth)


SETS = [
    Constraints(together=((0, 3), (1, 3), (2, 4), (5,))),
    Constraints(together=((0,), (1,), (2,), (3,), (4,), (5,))),
    Constraints(apart=((0, 1), (1, 3, 2))),
    Constraints(together=((0, 1, 2, 3), (3, 4, 5)), apart=((0, 3),), monotone=(1, 0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize("wish", SETS)
def test_rules_of_allowed_features_are_those_of_the_twin(wish):
    sizes = set()
    for seed, n_classes in ((0, 2), (1, 3), (4, 2)):
        table = replace(table_by_chance(seed, n_classes, gaps=0.0), constraints=wish)
        growth, twin = table.growth(0.1), table.twin(0.1)
        for _ in range(3):
            expected = twin.grow(softmax(scores_of(growth, twin)))
            assert growth.grow(1) == (expected is not None)
            assert premises(growth) == twin.rules
        growth.grow(20)
        for premise in premises(growth):
            assert wish.may_meet({feature for feature, _ in premise})
            sizes.add(len(premise))
    assert sizes == ({1} if len(wish.together) == 6 else sizes)
    assert len(sizes) > 1 or len(wish.together) == 6


def test_fees_are_those_of_the_twin():
    found = set()
    for seed, n_classes in ((0, 2), (1, 3), (2, 2)):
        for fee in (0.0, 0.02, 0.08):
            table = table_by_chance(seed, n_classes, gaps=0.0)
            table = replace(table, constraints=Constraints(fees=(fee, fee / 2, 0.0, fee, fee, 0.0)))
            growth, twin = table.growth(0.2), table.twin(0.2)
            twin.grow_several(scores_of(growth, twin), 4)
            growth.grow(4)
            assert premises(growth) == twin.rules
            asked = {feature for premise in twin.rules for feature, _ in premise}
            found.add((seed, fee, frozenset(asked)))
    assert len({asked for _, _, asked in found}) > 3  # fees matter


def test_a_growth_goes_on_as_it_was():
    wish = Constraints(MONOTONE, (1, 2, 0), apart=((0, 1),), fees=(0.01,) * 6)
    table = replace(table_by_chance(2, 3), constraints=wish)
    growth, other = table.growth(0.3), table.growth(0.3)
    growth.grow(8)
    growth.settle(1e-6, 50, 0.8)
    other.go_on_from(*growth.state())
    for search in (growth, other):
        search.set_penalty(0.1)
        search.grow(8)
        search.settle(1e-6, 50, 0.8)
    assert premises(growth) == premises(other)
    assert (growth.rules()[1] == other.rules()[1]).all()
    assert follows(table, growth)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_and_the_order_of_rows_do_not_matter(n_classes):
    wish = Constraints(MONOTONE, apart=((0, 1),), fees=(0.005,) * 6)
    table = replace(table_by_chance(1, n_classes, n_rows=600), constraints=wish)
    expected = everything(table.growth(0.3))
    order = np.random.default_rng(0).permutation(600)
    assert_identical(everything(table.reordered(order).growth(0.3)), expected)
    assert_identical(everything(replace(table, n_threads=2).growth(0.3)), expected)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (Constraints((2, 0, 0, 0, 0, 0)), "monotone is out of range"),
        (Constraints((1,)), "monotone has the wrong length"),
        (Constraints((0, 0, 0, 1, 0, 0)), "monotone needs an order"),
        (Constraints(class_order=(0, 0)), "class_order must have each class once"),
        (Constraints(class_order=(1, 0)), "class_order of two classes"),
        (Constraints(apart=((0, 6),)), "apart is out of range"),
        (Constraints(fees=(0.0,)), "fees has the wrong length"),
        (Constraints(fees=(0.0, 0.0, 0.0, 0.0, 0.0, -1.0)), "fees must not be negative"),
    ],
)
def test_wrong_constraints_are_refused(wish, message):
    table = replace(table_by_chance(0, 2), constraints=wish)
    with pytest.raises(ValueError, match=message):
        table.growth()
