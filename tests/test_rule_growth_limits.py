"""Limits of growth by histograms: tables at its edges, and arguments that it refuses by name."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coded_tables import Table, assert_identical, everything, premises, scores_of, table_by_chance
from growth_twin import MISSING, softmax


def test_nothing_to_find():
    table = table_by_chance(0, 3, gaps=0.0)
    empty = replace(table, codes=np.full_like(table.codes, MISSING))
    assert empty.growth(1e-6).grow(5) == 0
    assert table.growth(1e9).grow(5) == 0
    assert table.growth().grow(0) == 0
    same = replace(table, y=np.zeros_like(table.y))
    assert same.growth(0.5).grow(5) == 0
    alone = table.reordered(np.array([0]))
    assert alone.growth(1e-6).grow(5) == 0
    assert replace(table, least_experience=np.inf).growth(0.1).grow(5) == 0


@pytest.mark.parametrize("size", [2.0**10, 2.0**30, 2.0**420])
def test_large_weights(size):
    """Powers of 2, which leave all roundings as they are: nearly equal gains decide alike."""
    unit = 2.0**40  # beside which the constants of the search are nothing
    table = table_by_chance(0, 3, gaps=0.0)
    table = replace(table, weight=table.weight * unit, least_experience=3 * unit)
    larger = replace(table, weight=table.weight * size, least_experience=3 * unit * size)
    expected, growth = table.growth(unit), larger.growth(unit * size)
    assert growth.grow(1) == expected.grow(1) == 1
    assert premises(growth) == premises(expected)
    assert np.isfinite(growth.rules()[1]).all()
    assert growth.objective == pytest.approx(size * expected.objective, rel=1e-6)


@pytest.mark.parametrize("weight", [1e-303, 1e-290])
def test_tiny_weights_are_counted(weight):
    table = table_by_chance(0, 3, weighted=False)
    growth = replace(table, weight=np.full(len(table.y), weight)).growth(weight)
    growth.grow(2)
    shares = np.bincount(table.y, minlength=3) / len(table.y)
    assert_allclose(np.exp(growth.log_shares()), shares, rtol=1e-3)
    assert np.isfinite(growth.objective)
    assert np.isfinite(growth.scores(table.codes)).all()


def with_entry(array, value, index=0):
    changed = array.copy()
    changed[index] = value
    return changed


BAD = {
    "a row less": ("no common length", lambda t: {"y": t.y[1:]}),
    "a weight less": ("no common length", lambda t: {"weight": t.weight[1:]}),
    "a column less": ("no common length", lambda t: {"codes": t.codes[:, 1:].copy()}),
    "no rows": (
        "no common length",
        lambda t: {"codes": t.codes[:, :0].copy(), "y": t.y[:0], "weight": t.weight[:0]},
    ),
    "a feature less": ("wrong number of rows", lambda t: {"codes": t.codes[1:]}),
    "no features": (
        "wrong number of rows",
        lambda t: {"codes": t.codes[:0], "n_terms": t.n_terms[:0]},
    ),
    "a kind less": ("is_nominal has the wrong length", lambda t: {"is_nominal": t.is_nominal[1:]}),
    "a step less": ("steps has the wrong length", lambda t: {"steps": t.steps[1:]}),
    "steps more": (
        "steps has the wrong length",
        lambda t: {"steps": np.append(t.steps, t.steps)},
    ),
    "a code too large": (
        "codes is out of range",
        lambda t: {"codes": with_entry(t.codes, t.steps[0] * (t.n_terms[0] - 1) + 1, (0, 7))},
    ),
    "a category too large": (
        "codes is out of range",
        lambda t: {"codes": with_entry(t.codes, t.n_terms[3], (3, 7))},
    ),
    "no terms": ("n_terms must lie", lambda t: {"n_terms": with_entry(t.n_terms, 0)}),
    "one term": ("n_terms must lie", lambda t: {"n_terms": with_entry(t.n_terms, 1)}),
    "256 terms": (
        "n_terms must lie between 2 and 255",
        lambda t: {"n_terms": with_entry(t.n_terms, 256), "shares": [np.ones(1000) / 1000]},
    ),
    "very many terms": (
        "shares has the wrong length",
        lambda t: {"n_terms": with_entry(t.n_terms, 2**32 - 1)},
    ),
    "steps of 0": ("steps must lie", lambda t: {"steps": with_entry(t.steps, 0)}),
    "steps of categories": ("steps must lie", lambda t: {"steps": with_entry(t.steps, 0, 3)}),
    "too many steps": (
        "steps is too large",
        lambda t: {"steps": with_entry(t.steps, 254 // (t.n_terms[0] - 1) + 1)},
    ),
    "very many steps": ("steps must lie", lambda t: {"steps": with_entry(t.steps, 2**31)}),
    "a share less": ("shares has the wrong length", lambda t: {"shares": t.shares[1:]}),
    "a share more": (
        "shares has the wrong length",
        lambda t: {"shares": [*t.shares, np.zeros(1)]},
    ),
    "a share of NaN": (
        "shares is out of range",
        lambda t: {"shares": [with_entry(t.shares[0], np.nan), *t.shares[1:]]},
    ),
    "a negative share": (
        "shares is out of range",
        lambda t: {"shares": [with_entry(t.shares[0], -0.1), *t.shares[1:]]},
    ),
    "a share above 1": (
        "shares is out of range",
        lambda t: {"shares": [with_entry(t.shares[0], 1.5), *t.shares[1:]]},
    ),
    "a label too large": ("y is out of range", lambda t: {"y": with_entry(t.y, 3)}),
    "a single class": (
        "n_classes must be at least 2",
        lambda t: {"y": np.zeros_like(t.y), "n_classes": 1},
    ),
    "no classes": ("n_classes must be at least 2", lambda _: {"n_classes": 0}),
    "a weight of 0": (
        "sample_weight must be positive",
        lambda t: {"weight": with_entry(t.weight, 0)},
    ),
    "a negative weight": (
        "sample_weight is out of range",
        lambda t: {"weight": with_entry(t.weight, -1)},
    ),
    "a weight of NaN": (
        "sample_weight is out of range",
        lambda t: {"weight": with_entry(t.weight, np.nan)},
    ),
    "an infinite weight": (
        "sample_weight is out of range",
        lambda t: {"weight": with_entry(t.weight, np.inf)},
    ),
    "heavy rows": (
        "sample_weight has too large a sum",
        lambda t: {"weight": with_entry(t.weight, 1e200)},
    ),
    "no threads": ("n_threads must lie", lambda _: {"n_threads": 0}),
    "very many threads": ("n_threads must lie", lambda _: {"n_threads": 2**40}),
    "a negative cost": ("condition_cost must not be negative", lambda _: {"condition_cost": -1.0}),
    "a cost of NaN": ("condition_cost must not be negative", lambda _: {"condition_cost": np.nan}),
    "a negative experience": (
        "least_experience must not be negative",
        lambda _: {"least_experience": -1.0},
    ),
    "an experience of NaN": (
        "least_experience must not be negative",
        lambda _: {"least_experience": np.nan},
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_impossible_arguments_are_named(name):
    message, change = BAD[name]
    table = table_by_chance(0, 3)
    with pytest.raises(ValueError, match=message):
        replace(table, **change(table)).growth()


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_impossible_penalties_are_named(value):
    growth = table_by_chance(0, 3).growth()
    with pytest.raises(ValueError, match="penalty must not be negative"):
        growth.set_penalty(value)
    with pytest.raises(ValueError, match="relaxed must not be negative"):
        growth.settle(1e-3, 10, value)
    if value != np.inf:
        with pytest.raises(ValueError, match="tolerance must not be negative"):
            growth.settle(value, 10, 1.0)


def test_impossible_codes_of_other_rows_are_named():
    table = table_by_chance(0, 3)
    growth = table.growth()
    growth.grow(3)
    with pytest.raises(ValueError, match="codes has the wrong number of rows"):
        growth.scores(table.codes[1:])
    for feature in (0, 3):
        wrong = table.codes.copy()
        wrong[feature, 5] = 254
        with pytest.raises(ValueError, match="codes is out of range"):
            growth.scores(wrong)


@pytest.mark.parametrize("change", ["order", "type", "shape"])
def test_arrays_of_another_kind_are_refused(change):
    table = table_by_chance(0, 3)
    codes = {
        "order": np.asfortranarray(table.codes),
        "type": table.codes.astype(np.int16) - 300,
        "shape": table.codes[0],
    }[change]
    try:
        growth = replace(table, codes=codes).growth()
    except (TypeError, ValueError):
        return
    assert change == "order"  # it was copied
    assert_identical(everything(growth), everything(table.growth()))


@pytest.mark.parametrize(("n_terms", "steps"), [(255, 1), (2, 254), (128, 2)])
@pytest.mark.parametrize("is_nominal", [False, True])
def test_codes_at_their_limits(n_terms, steps, is_nominal):
    rng = np.random.default_rng(0)
    steps = 1 if is_nominal else steps
    last = steps * (n_terms - 1)
    codes = rng.integers(0, last + 1, (1, 2000)).astype(np.uint8)
    codes[0, :50] = last
    codes[0, 50:100] = MISSING
    table = Table(
        codes,
        np.array([n_terms], dtype=np.uint32),
        np.array([is_nominal]),
        np.array([steps], dtype=np.uint32),
        ((codes[0] > last / 2) ^ (rng.random(2000) < 0.2)).astype(np.uint32),
        np.ones(2000),
        2,
        [np.full(n_terms, 1 / n_terms)],
    )
    growth, twin = table.growth(1.0), table.twin(1.0)
    for _ in range(2):
        if twin.grow(softmax(scores_of(growth, twin))) is not None:
            assert growth.grow(1) == 1
    assert premises(growth) == twin.rules
    assert len(twin.rules) > 0
