"""Machines that share rows find what one machine finds, to the last bit."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coded_tables import assert_identical, everything, table_by_chance
from fuzzyucs import _core
from shared_sums import run_together
from soaking import only


def dealt(table, n_parts, seed=0):
    """Return the rows of each part, by chance; the last part has none."""
    part_of = np.random.default_rng(seed).integers(0, n_parts, len(table.y))
    return [np.flatnonzero(part_of == part) for part in range(n_parts + 1)]


@pytest.mark.parametrize(
    ("n_parts", "n_classes"),
    only([(1, 2), (2, 3), (5, 9), (2, 40)], itertools.product([1, 2, 5], [2, 3, 9, 40])),
)
def test_growth_does_not_depend_on_where_rows_are(n_classes, n_parts):
    table = table_by_chance(1, n_classes, n_rows=3000)
    expected = everything(table.growth(0.5))
    assert len(expected[1]) > 5
    parts = dealt(table, n_parts)

    def work(machine, shared):
        return everything(replace(table.reordered(parts[machine]), shared=shared).growth(0.5))

    found, _ = run_together(len(parts), len(table.y), float(table.weight.max()), work)
    for of_machine in found:
        assert_identical(of_machine, expected)


@pytest.mark.parametrize("n_classes", [2, 3, 8])
@pytest.mark.parametrize("most_partners", [10**9, 2])
def test_few_rows_are_counted_alike_with_histograms_and_without(n_classes, most_partners):
    """One machine adds up few rows by term, several send each other histograms."""
    table = replace(
        table_by_chance(5, n_classes, n_rows=300, gaps=0.2), most_partners=most_partners
    )
    expected = everything(table.growth(0.2))
    assert len(expected[1]) > 5
    parts = dealt(table, 2)

    def work(machine, shared):
        return everything(replace(table.reordered(parts[machine]), shared=shared).growth(0.2))

    found, _ = run_together(len(parts), len(table.y), float(table.weight.max()), work)
    for of_machine in found:
        assert_identical(of_machine, expected)


def test_threads_of_a_machine_do_not_matter_either():
    table = table_by_chance(2, 3, n_rows=40_000)
    expected = everything(table.growth(0.5))
    parts = dealt(table, 2)

    def work(machine, shared):
        own = replace(table.reordered(parts[machine]), shared=shared, n_threads=2)
        return everything(own.growth(0.5))

    found, _ = run_together(len(parts), len(table.y), float(table.weight.max()), work)
    for of_machine in found:
        assert_identical(of_machine, expected)


def stage(growth, penalty):
    growth.set_penalty(penalty)
    growth.grow(6)
    growth.settle(1e-3, 50, 1.0)


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_growth_goes_on_from_a_state(n_classes):
    table = table_by_chance(3, n_classes, n_rows=800)
    whole = table.growth()
    for penalty in (4.0, 2.0):
        stage(whole, penalty)
    state = whole.state()
    stage(whole, 1.0)
    resumed = table.growth()
    resumed.go_on_from(*state)
    assert_identical(resumed.state(), state)
    stage(resumed, 1.0)
    assert len(whole.rules()[0]) > len(state[0]) > 0
    assert_identical(resumed.state(), whole.state())
    assert resumed.objective == whole.objective


def test_groups_of_categories_are_part_of_the_state():
    # Of more than 64 categories, a model has room for 64 groups.
    table = table_by_chance(4, 2, n_rows=4000)
    rng = np.random.default_rng(0)
    codes = table.codes.copy()
    codes[4] = rng.integers(0, 200, len(table.y))
    y = (rng.random(len(table.y)) < rng.random(200)[codes[4]]).astype(np.uint32)
    n_terms = table.n_terms.copy()
    n_terms[4] = 200
    shares = [*table.shares[:4], np.full(200, 1 / 200), table.shares[5]]
    table = replace(table, codes=codes, y=y, n_terms=n_terms, shares=shares, condition_cost=0.0)
    whole = table.growth()
    for penalty in (2.0, 1.0, 0.5):
        stage(whole, penalty)
    state = whole.state()
    resumed = table.growth()
    resumed.go_on_from(*state)
    stage(whole, 0.2)
    stage(resumed, 0.2)
    assert_identical(resumed.state(), whole.state())


@pytest.mark.parametrize("n_classes", [2, 3, 40])
def test_profiles_do_not_depend_on_where_rows_are(n_classes):
    rng = np.random.default_rng(n_classes)
    labels = rng.integers(0, n_classes, 600).astype(np.uint32)
    degrees = rng.random((600, 5)) * (rng.random((600, 5)) < 0.5 + 0.05 * labels[:, np.newaxis])
    weight = rng.uniform(0.5, 2, 600)
    part_of = rng.integers(0, 3, 600)

    def solve(rows, shared):
        solver = _core.ClassProfiles(labels[rows], weight[rows], n_classes, shared)
        for rule in range(5):
            solver.add(np.ascontiguousarray(degrees[rows, rule]), 0.3, 0.5)
        solver.fit(1e-7, 50)
        return solver.profiles(), solver.log_shares(), solver.objective, solver.naturals()

    expected = solve(np.arange(600), None)
    assert np.abs(expected[0]).max() > 0.1
    found, _ = run_together(
        4, 600, float(weight.max()), lambda k, shared: solve(np.flatnonzero(part_of == k), shared)
    )
    for of_machine in found:
        assert_identical(of_machine, expected)


def test_what_other_machines_add_is_counted():
    shared = _core.SharedRows(4, 1.0, lambda sums: 2 * sums)
    one = _core.ClassProfiles(np.array([0, 1], dtype=np.uint32), np.ones(2), 2, shared)
    two = _core.ClassProfiles(np.array([0, 1, 0, 1], dtype=np.uint32), np.ones(4), 2)
    assert one.objective == two.objective
    assert_array_equal(one.log_shares(), two.log_shares())


def test_errors_of_the_exchange_reach_the_caller():
    def fail(_):
        raise ConnectionError("the other machine is gone")

    with pytest.raises(ConnectionError, match="is gone"):
        replace(table_by_chance(1, 2), shared=_core.SharedRows(9, 1.0, fail)).growth()


def test_sums_of_another_length_are_refused():
    shared = _core.SharedRows(9, 1.0, lambda sums: sums[:-1])
    with pytest.raises(ValueError, match="as many sums"):
        _core.ClassProfiles(np.array([0, 1], dtype=np.uint32), np.ones(2), 2, shared)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: lambda rules: rules[:, :4]}, "rules has the wrong shape"),
        ({0: lambda rules: rules | np.uint64(1 << 63)}, "out of range"),
        ({1: lambda neutral: neutral[1:]}, "no common length"),
        ({5: lambda groups: groups[1:]}, "wrong length"),
        ({6: lambda units: units + np.uint32(300)}, "out of range"),
        ({7: lambda _: -1.0}, "penalty must not be negative"),
    ],
)
def test_states_of_other_tables_are_refused(change, message):
    table = table_by_chance(3, 2, n_rows=400)
    growth = table.growth()
    stage(growth, 2.0)
    state = list(growth.state())
    for place, function in change.items():
        state[place] = function(state[place])
    other = table.growth()
    with pytest.raises(ValueError, match=message):
        other.go_on_from(*state)
    assert len(other.rules()[0]) == 0
