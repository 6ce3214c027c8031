"""Rows in the types of their columns, located among the terms whenever rules are matched."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition, _core
from fuzzyucs.evidence.profiles import fit_rule_profiles
from fuzzyucs.variables.codes import FineTerms
from fuzzyucs.variables.linguistic import LinguisticVariable
from fuzzyucs.variables.merging import merge_terms
from fuzzyucs.variables.table import Stored, Table

PROPERTY = settings(derandomize=True, deadline=None, max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)
NOMINAL = [3, 4]
N_RULES = 6


def table_by_chance(rng):
    """Return columns of several types that depend on each other, some of them with gaps."""
    n = int(rng.integers(60, 1500))
    first = rng.normal(size=n)
    counts = rng.poisson(rng.choice([2.0, 60.0]) * np.exp(first)).clip(max=900)
    single = np.full(n, 7.0) if rng.random() < 0.2 else np.exp(3 * first + rng.normal(size=n))
    codes = np.where(first > 0.5, 1, rng.zipf(1.5, n).clip(max=99) - 1).astype(np.int8)
    first[rng.random(n) < 0.1] = np.nan
    single[rng.random(n) < 0.1] = np.nan
    codes[rng.random(n) < 0.1] = -1
    few = rng.choice([-1.5, 0.5, 3.0], n)
    even = rng.integers(-90, 90, n).astype(np.int16)
    columns = [first, counts, single.astype(np.float32), codes, few, even]
    return Table([Stored(x, is_coded=x is codes) for x in columns])


def merged_by_chance(rng, table):
    """Return terms that some rules by chance do not tell apart, and these rules."""
    names = list("abcdef")
    ways = dict.fromkeys(names[:-1], "quantile")  # and the last one is divided evenly
    usual = LinguisticPartition.of(
        table, names, partition=ways, nominal_features=NOMINAL, groups_rest=True
    )
    near = LinguisticVariable(np.array([-1.0, 0.5, 2.0]), ("a", "b", "c"), True, True)
    usual = replace(usual, special={**usual.special, 4: near})
    fine = FineTerms(usual, table, kept=[5])
    sets = []
    for feature in fine.features:
        n_terms = len(feature.variable.terms)
        accepted = np.ones((N_RULES, n_terms), dtype=bool)
        is_asked = n_terms > 1 and rng.random() < 0.8
        for rule in np.flatnonzero(rng.random(N_RULES) < 0.5) if is_asked else ():
            low, high = np.sort(rng.choice(n_terms + 1, 2, replace=False))
            accepted[rule, :low] = accepted[rule, high:] = False
        sets.append(accepted)
    return merge_terms(fine, sets, table)


@PROPERTY
@given(SEEDS)
def test_rules_match_stored_rows_like_their_positions(seed):
    rng = np.random.default_rng(seed)
    table = table_by_chance(rng)
    variables, conditions = merged_by_chance(rng, table)
    assert 5 not in variables.special
    variables = variables.with_beliefs(table, rng.choice(["belief", "mean"]))
    if rng.random() < 0.2:
        variables = variables.without_beliefs()
    rows, positions = variables.stored_rows(table), variables.positions(table.rows())
    labels, weight = rng.integers(0, 3, len(table)).astype(np.uint32), rng.random(len(table)) + 0.1
    neutral = rng.random(N_RULES)
    rules = variables.rule_degrees(conditions, variables.dependence(conditions, neutral))
    for sums, last in ((rules.known_sums, weight), (rules.class_sums, neutral)):
        pairs = zip(sums(rows, labels, 3, last), sums(positions, labels, 3, last), strict=True)
        for found, expected in pairs:
            assert_array_equal(found, expected)
    options = {"penalty": np.full(N_RULES, 0.3), "neutral": neutral, "sample_weight": weight}
    one, two = (
        fit_rule_profiles(rules, where, labels, 3, **options).profile for where in (rows, positions)
    )
    assert_array_equal(one, two)


@pytest.mark.parametrize(
    "x",
    [
        np.array([0.0, 3.0, np.nan, 8.0, -5.0, 99.0]),
        np.array([1e308, -1e308, 0.0, np.nan]),
        np.array([np.nan, np.nan]),
        np.array([2.0, np.nan, 2.0]),
    ],
)
def test_even_terms_are_located_as_by_numpy(x):
    """At the ends of the range and beyond, and in ranges of any width."""
    X = x[:, np.newaxis]
    partition = LinguisticPartition.uniform(X[:4], 2, ["x"])
    rows, positions = partition.stored_rows(Table.of(X)), partition.positions(X)
    rules = partition.rule_degrees(np.array([[0b01], [0b10]], dtype=np.uint64))
    labels, neutral = np.arange(len(x), dtype=np.uint32), np.zeros(2)
    for found, expected in zip(
        rules.class_sums(rows, labels, len(x), neutral),
        rules.class_sums(positions, labels, len(x), neutral),
        strict=True,
    ):
        assert_array_equal(found, expected)


def test_native_rows_refuse_what_does_not_fit():
    two, rows = np.array([0.0, 1.0]), _core.StoredRows(3)
    x = np.zeros(3)
    with pytest.raises(ValueError, match="x has the wrong number of rows"):
        rows.add_ordered(np.zeros(4), False, two, two)
    with pytest.raises(ValueError, match="ends has the wrong length"):
        rows.add_ordered(x, False, two, two[:1])
    with pytest.raises(ValueError, match="ends has the wrong length"):
        rows.add_ordered(x, False, two[:0], two[:0])
    with pytest.raises(ValueError, match="n_terms must be positive"):
        rows.add_even(x, False, 0.0, 1.0, 0)
    with pytest.raises(ValueError, match="terms has the wrong length"):
        rows.add_nominal(x, False, two, np.zeros(1, dtype=np.uint8), False)
    with pytest.raises(ValueError, match="terms is out of range"):
        rows.add_nominal(x, False, two, np.array([0, 255], dtype=np.uint8), False)
    with pytest.raises(ValueError, match="x has a type that is not known"):
        rows.add_even(x.astype(np.float16), False, 0.0, 1.0, 2)
    rules = _core.RuleDegrees(np.array([2], np.uint32), np.array([[1]], np.uint64))
    with pytest.raises(ValueError, match="x has the wrong number of columns"):
        rules.class_sums(rows, np.zeros(3, np.uint32), 2, np.zeros(1))
    rows.add_even(x, False, 0.0, 1.0, 2)
    with pytest.raises(ValueError, match="y has the wrong length"):
        rules.class_sums(rows, np.zeros(4, np.uint32), 2, np.zeros(1))


def test_native_rows_hold_on_to_their_columns():
    rows = _core.StoredRows(100_000)
    rows.add_even(np.full(100_000, 0.75), False, 0.0, 1.0, 2)
    np.zeros(100_000)  # would take the place of the column
    rules = _core.RuleDegrees(np.array([2], np.uint32), np.array([[0b10]], np.uint64))
    sums, _ = rules.class_sums(rows, np.zeros(100_000, np.uint32), 2, np.zeros(1))
    assert_array_equal(sums, [[75_000.0, 0.0]])


@pytest.mark.parametrize("missing", ["belief", "mean"])
def test_a_fit_reads_a_few_rows_at_a_time(missing, monkeypatch, tmp_path):
    """Nothing of the size of the table becomes floats, and blocks make no difference."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(1500, 6)), 1).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] > 0.3
    X[rng.random(X.shape) < 0.1] = np.nan
    clf = EvidentialRuleClassifier(random_state=0, penalty=4.0, missing=missing)
    whole = clf.fit(X, y).save(tmp_path / "whole.json").read_bytes()
    sizes, rows_of, locate = [], Table.rows, LinguisticPartition.positions
    monkeypatch.setattr("fuzzyucs.variables.table.MOST_VALUES", 600)

    def rows(table, which=slice(None)):
        found = rows_of(table, which)
        sizes.append(found.size)
        return found

    def positions(partition, values):
        sizes.append(values.size if partition.n_features > 1 else 0)
        return locate(partition, values)

    monkeypatch.setattr(Table, "rows", rows)
    monkeypatch.setattr(LinguisticPartition, "positions", positions)
    assert clf.fit(X, y).save(tmp_path / "blocks.json").read_bytes() == whole
    assert 0 < max(sizes) <= 600
