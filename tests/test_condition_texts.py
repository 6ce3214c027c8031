"""What a condition says in words and numbers is true of the training table, value by value."""

import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import fuzzyucs
from condition_truth import check, memberships, partition_of
from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names

# Tables of all kinds

SIZES = ["S", "M", "L", "XL"]


def gaps_in(values):
    return st.lists(st.one_of(values, values, values, st.none()), min_size=2, max_size=25)


def neighbours(value):
    """Return doubles next to each other."""
    return list(
        itertools.accumulate(range(5), lambda x, _: math.nextafter(x, math.inf), initial=value)
    )


# Halves of the least numbers that there are do not exist; tables of measurements have none of them.
FINITE = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
USUAL = st.floats(-1000, 1000, allow_subnormal=False)
NUMBERS = st.one_of(
    gaps_in(FINITE),
    gaps_in(USUAL),
    gaps_in(st.floats(-1000, 1000, width=32, allow_subnormal=False)),
    gaps_in(st.integers(-5, 30).map(float)),
    gaps_in(st.integers(0, 300).map(lambda n: 100.0 * n)),
    gaps_in(st.integers(-300, 300).map(lambda n: n / 10)),
    gaps_in(st.integers(0, 20).map(lambda n: float(np.float32(n / 10)))),
    gaps_in(st.integers(-3000, 3000).map(lambda n: n / 100)),
    st.lists(FINITE, min_size=1, max_size=5).flatmap(lambda few: gaps_in(st.sampled_from(few))),
    FINITE.flatmap(lambda value: gaps_in(st.sampled_from(neighbours(value)))),
    gaps_in(st.sampled_from([-1.7e308, 0.0, 1.7e308])),
    gaps_in(st.sampled_from([0.1, 0.2, 0.1 + 0.2, 0.3, 0.7, 0.1 * 7])),
).map(lambda values: pd.Series(values, dtype=float))
NUMBERS = NUMBERS.filter(lambda column: np.isfinite(column.dropna()).all())
ORDERED = gaps_in(st.sampled_from(SIZES)).map(
    lambda values: pd.Series(pd.Categorical(values, categories=SIZES, ordered=True))
)
UNORDERED = gaps_in(st.sampled_from(["red", "green", "light blue"])).map(
    lambda values: pd.Series(values, dtype=object)
)
PEAKS = st.lists(USUAL, min_size=2, max_size=6, unique=True).map(sorted)
WAYS = st.one_of(st.sampled_from(["uniform", "quantile", "values"]), PEAKS)


@settings(derandomize=True, deadline=None, max_examples=500)
@given(
    column=NUMBERS,
    way=WAYS,
    n_terms=st.integers(2, 12),
    sets=st.lists(st.integers(1, 2**12 - 1), min_size=1, max_size=6),
)
def test_texts_about_numbers_are_true(column, way, n_terms, sets):
    partition, X = partition_of(column, way, n_terms)
    n = int(partition.n_terms[0])
    for first, last in itertools.combinations_with_replacement(range(n), 2):
        check(partition, X, column, (2 << last) - (1 << first))
    for terms in sets:
        check(partition, X, column, terms & ((1 << n) - 1) or 1)


KNOTS = st.integers(2, 12).flatmap(
    lambda n: st.lists(USUAL, min_size=2 * n, max_size=2 * n, unique=True).map(sorted)
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    column=NUMBERS.filter(lambda column: column.abs().max() < 1e300),
    knots=KNOTS,
    alone=st.lists(st.booleans(), min_size=12, max_size=12),
    sets=st.lists(st.integers(1, 2**12 - 1), min_size=1, max_size=6),
)
def test_texts_about_plateaus_are_true(column, knots, alone, sets):
    peaks, ends = np.array(knots[::2]), np.array(knots[1::2])
    n = len(peaks)
    ends = np.where(alone[:n], peaks, ends)
    X = column.to_numpy()[:, np.newaxis]
    variable = LinguisticVariable(peaks, term_names(n), ends=ends)
    partition = LinguisticPartition.of_variables(X, ["x"], {0: variable})
    borders = partition.borders[0]
    assert (np.diff(borders.at_most) >= 0).all()
    for first, last in itertools.combinations_with_replacement(range(n), 2):
        check(partition, X, column, (2 << last) - (1 << first))
    for terms in sets:
        check(partition, X, column, terms & ((1 << n) - 1) or 1)
    for text in (partition.describe(0, sets[0] & ((1 << n) - 1) or 1), partition.phrase(0, 1)):
        assert "level" not in text


def test_many_terms_are_told_by_their_numbers():
    column = pd.Series(np.arange(0.0, 1201.0))
    partition, X = partition_of(column, n_terms=41)
    said = {
        1: "at most 15",
        0b110: "15 to 75",
        0b101: "at most 15 or 45 to 75",
        1 << 40: "at least 1185",
        0b11 << 39 | 1: "at most 15 or at least 1155",
    }
    for terms, text in said.items():
        assert partition.phrase(0, terms) == text
        for describe in (partition.describe, partition.describe_plain, partition.describe_run):
            assert describe(0, terms) == f"x is {text}"
    assert (
        partition.observe(0, 1, 10.0, partition.positions(X)[10, 0]) == "x 10 is at most 15 (0.67)"
    )
    assert partition.term_texts(0)[:2] == ["<= 15", "15 to 45"]
    # Names that somebody gave are kept.
    named = {f"term {t}": float(t) for t in range(12)}
    partition, _ = partition_of(column, named)
    assert partition.describe_plain(0, 0b111) == "x is at most term 2 (<= 2)"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(column=st.one_of(ORDERED, UNORDERED), sets=st.lists(st.integers(1, 15), max_size=6))
def test_texts_about_categories_are_true(column, sets):
    if column.isna().all():
        return
    partition, X = partition_of(column)
    every = (1 << len(partition.terms(0))) - 1
    for terms in sets:
        check(partition, X, column, terms & every or 1)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    values=st.lists(st.one_of(USUAL, FINITE), min_size=2, max_size=6, unique=True),
    sets=st.lists(st.integers(1, 63), max_size=6),
)
def test_texts_about_numbers_without_order_are_true(values, sets):
    column = pd.Series([*values, None, *values[:2]], dtype=float)
    partition, X = partition_of(column, nominal=["x"])
    for terms in sets:
        check(partition, X, column, terms & ((1 << len(values)) - 1) or 1)


# Numbers are as short as they can be


def n_digits(number):
    mantissa = f"{number!r}".partition("e")[0]
    return max(1, len(mantissa.replace(".", "").strip("-0")))


@pytest.mark.parametrize("n", [3, 10, 100, 3000])
@pytest.mark.parametrize("way", ["uniform", "quantile"])
def test_no_shorter_number_divides_the_data_and_is_as_near(n, way):
    x = np.random.default_rng(n).uniform(1.0, 9.0, size=n)
    partition, X = partition_of(pd.Series(x), way)
    borders, peaks = partition.borders[0], partition.peaks(0)
    assert_array_equal(borders.at_most, borders.at_least)
    for t, border in enumerate(borders.at_most.tolist()):
        positions = partition.positions(X)[:, 0]
        last = x[positions <= t + 0.5].max(initial=-np.inf)
        first = x[positions >= t + 0.5].min(initial=np.inf)
        exact = (peaks[t] + peaks[t + 1]) / 2
        slack = 0.05 * (peaks[t + 1] - peaks[t])
        low, high = max(last, exact - slack), min(first, exact + slack)
        assert low < border < high
        digits = n_digits(border)
        for decimals in range(digits):
            grid = np.arange(10 * 10**decimals) / 10**decimals
            inside = grid[(grid > low) & (grid < high)].tolist()
            assert all(n_digits(value) >= digits for value in inside)
            alike = [value for value in inside if n_digits(value) == digits]
            assert all(abs(border - exact) <= abs(value - exact) + 1e-12 for value in alike)


@pytest.mark.parametrize(
    ("values", "n_terms", "terms", "numbers"),
    [
        ([0, 1, 2, 3], 2, 0b01, "<= 1"),
        ([0, 1, 2, 3], 2, 0b10, ">= 2"),
        (range(1, 6), 5, 0b00100, "= 3"),
        (range(1, 13), 3, 0b010, "4 to 9"),
        ([0, 4, 8], 3, 0b001, "<= 2"),
        ([0, 2, 8], 3, 0b001, "<= 2"),  # 2 is as much the one as the other
        ([0, 2, 8], 3, 0b010, "2 to 6"),
        ([0.1, 0.2, 0.3, 0.4], 2, 0b01, "<= 0.2"),
        ([0.1, 0.2, 0.3, 0.4], 2, 0b10, ">= 0.3"),
        ([20000, 23400, 23500, 26900], 2, 0b01, "<= 23400"),
        ([20000, 23400, 23500, 26900], 2, 0b10, ">= 23500"),
        ([1e-7, 2e-7, 9e-7], 2, 0b01, "<= 5e-07"),
        ([0, 1e20, 9e20], 2, 0b10, ">= 4.5e+20"),
        ([-1.7e308, 1.7e308], 2, 0b10, ">= 0"),
        ([0.0, 0.49999999, 0.50000001, 1.0], 2, 0b01, "<= 0.5"),
        ([0.0, 0.499999, 0.4999991, 1.0], 2, 0b01, "<= 0.5"),
        ([0.0, 0.4999999, 0.5, 0.50000001, 1.0], 2, 0b01, "<= 0.5"),
        ([0, 1, 2], 9, 0b000000010, "0.12 to 0.37"),  # no whole number lies there
        ([0.0, np.nan, 8.0], 5, 0b00111, "<= 5"),
    ],
)
def test_numbers_of_borders(values, n_terms, terms, numbers):
    partition, _ = partition_of(pd.Series(values, dtype=float), n_terms=n_terms)
    assert partition.describe_numbers(0, terms) == numbers


def test_a_value_next_to_the_border_keeps_its_side():
    one, next_one = 1.0, math.nextafter(1.0, 2.0)
    column = pd.Series([0.0, one, next_one, 2.0])
    partition, X = partition_of(column, n_terms=2)
    assert partition.describe_numbers(0, 0b01) == "<= 1"
    assert partition.describe_numbers(0, 0b10) == ">= 1"
    column = pd.Series([0.0, next_one, math.nextafter(next_one, 2.0), 2.0 + 4e-16])
    partition, X = partition_of(column, n_terms=2)
    for terms in (0b01, 0b10):
        check(partition, X, column, terms)


def test_values_that_are_terms_need_no_other_numbers():
    partition, _ = partition_of(pd.Series([0.0, 1.0, 2.5, 7.0]), "values")
    texts = [partition.describe_plain(0, terms) for terms in (0b0001, 0b0010, 0b0011, 0b0110)]
    assert texts == ["x is 0 (<= 0)", "x is 1", "x is at most 1", "x is 1 to 2.5"]


# Which rules hold


def test_rules_hold_where_all_their_conditions_do():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 9, 200), rng.integers(0, 3, 200)])
    X[rng.random(X.shape) < 0.1] = np.nan
    partition = LinguisticPartition.of(X, ["a", "b", "c"], n_terms=4, nominal_features=["c"])
    every = (1 << partition.n_terms.astype(int)) - 1
    conditions = rng.integers(1, every + 1, size=(40, 3)).astype(np.uint64)
    conditions[0] = every
    expected = np.ones((200, 40), dtype=bool)
    for k, rule in enumerate(conditions):
        for f, terms in enumerate(rule.tolist()):
            if not partition.is_dont_care(f, terms):
                expected[:, k] &= memberships(partition.only(f), X[:, [f]], terms) >= 0.5
    holds = partition.holds(conditions, X)
    assert holds.dtype == bool
    assert holds[:, 0].all()
    assert 0.05 < holds.mean() < 0.95
    assert_array_equal(holds, expected)
    assert partition.holds(conditions[:0], X).shape == (200, 0)
    assert partition.holds(conditions, X[:0]).shape == (0, 40)


@pytest.mark.parametrize("name", ["conditions", "X"])
def test_tables_of_another_width_are_refused(name):
    partition, X = partition_of(pd.Series([0.0, 8.0]))
    tables = {"conditions": np.array([[1]], dtype=np.uint64), "X": X}
    tables[name] = np.hstack([tables[name], tables[name]])
    with pytest.raises(ValueError, match=rf"{name} must have 1 columns.*\(., 2\)"):
        partition.holds(**tables)


def test_values_beyond_the_training_range_count_as_its_ends():
    partition, _ = partition_of(pd.Series([0.0, 8.0]))
    conditions = np.array([[0b00001], [0b00110], [0b10000]], dtype=np.uint64)
    holds = partition.holds(conditions, np.array([[-99.0], [99.0]]))
    assert holds.tolist() == [[True, False, False], [False, False, True]]


def test_values_between_two_whole_numbers_are_on_neither_side():
    partition, _ = partition_of(pd.Series([0.0, 1.0, 2.0, 3.0]), n_terms=3)
    assert partition.describe_plain(0, 0b001) == "x is small (<= 0)"
    conditions = np.array([[0b001], [0b110], [0b011]], dtype=np.uint64)
    assert partition.holds(conditions, np.array([[0.5]])).tolist() == [[False, False, True]]


# Borders are kept


def texts_of(variables):
    return [
        variables.describe_plain(f, terms)
        for f in range(variables.n_features)
        for terms in range(1, 1 << int(variables.n_terms[f]))
    ]


def test_borders_are_kept_in_copies_and_files(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.integers(0, 20, 80), "c": 3.5})
    frame["d"] = rng.choice(["u", "v"], 80)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, frame["a"] + frame["b"] > 9)
    variables = clf.rules_.variables
    assert set(variables.borders) == {0, 1}
    path = clf.save(tmp_path / "model.json")
    loaded = fuzzyucs.load(path).rules_.variables
    copies = [loaded, pickle.loads(pickle.dumps(variables)), replace(variables, forest=None)]
    for copy in copies:
        assert texts_of(copy) == texts_of(variables)
    described = variables.feature_as_dict(1)["borders"]
    assert described["at_most"] == variables.borders[1].at_most.tolist()


def test_borders_that_are_not_known_follow_from_the_peaks():
    partition, _ = partition_of(pd.Series([0.0, 1.0, 7.77777]))
    plain = replace(partition, borders={})
    assert plain.describe_plain(0, 0b00011) == "x is at most small (<= 2.917)"
    assert plain.bounds(0, 1, 2) == (0.972, 4.861)
    holds = plain.holds(np.array([[0b00011]], dtype=np.uint64), np.array([[2.917], [2.918]]))
    assert holds[:, 0].tolist() == [True, False]
