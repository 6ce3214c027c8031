"""Fine terms, their codes, and how those that no rule tells apart become one term."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from condition_truth import check, truth_of_list
from fuzzyucs import LinguisticPartition
from fuzzyucs.variables import codes as coding
from fuzzyucs.variables.codes import MISSING, FineTerms, encode, fine_peaks
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.merging import merge_terms
from fuzzyucs.variables.table import Stored

PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
SEEDS = st.integers(0, 2**32 - 1)


def numbers(rng, n):
    """Return a column of one of many kinds: counts, ties, zeros, wide ranges, neighbours."""
    kind = rng.integers(0, 7)
    x = [
        rng.normal(size=n),
        rng.poisson(rng.choice([0.3, 5.0, 80.0]), n).astype(float),
        rng.normal(size=n) * (rng.random(n) < 0.3),
        np.exp(rng.normal(0, 30, n)),
        rng.choice(rng.normal(size=int(rng.integers(1, 9))), n),
        1.0 + np.spacing(1.0) * rng.integers(0, 60, n),
        rng.integers(-5, 400, n) / 10,
    ][kind]
    return np.where(rng.random(n) < 0.05, rng.choice(x, n), x)


# Peaks


@PROPERTY
@given(SEEDS, st.integers(3, 250))
def test_peaks_stand_for_as_many_rows(seed, most):
    rng = np.random.default_rng(seed)
    values = numbers(rng, int(rng.integers(1, 2000)))
    peaks = fine_peaks(values, most)
    distinct, counts = np.unique(values, return_counts=True)
    assert 1 <= len(peaks) <= most
    assert (np.diff(peaks) > 0).all()
    assert set(peaks) <= set(distinct)
    assert peaks[0] == distinct[0]
    assert peaks[-1] == distinct[-1]
    if len(distinct) <= most:
        assert_array_equal(peaks, distinct)
        return
    # A value with the share of a term, and something more, has its own.
    assert set(distinct[counts * (most - 1) >= len(values)]) <= set(peaks)
    # Between two peaks there are not many more rows than their share of what is not frequent.
    rare = np.sort(values[~np.isin(values, distinct[counts * (most - 1) >= len(values)])])
    room = most - (counts * (most - 1) >= len(values)).sum()
    between = np.searchsorted(rare, peaks[1:]) - np.searchsorted(rare, peaks[:-1], side="right")
    assert between.max(initial=0) <= len(rare) / (room - 1) + 1


def test_frequent_values_leave_room_for_the_ends():
    values = np.repeat([1.0, 2, 3, 4, 5, 6, 7], [1, 20, 20, 20, 20, 5, 5])
    peaks = fine_peaks(values, 5)
    assert len(peaks) <= 5
    assert {1.0, 7.0} < set(peaks)


# Codes


def fine_of(x, keep=False, n_terms=5):
    X = x[:, np.newaxis]
    usual = LinguisticPartition.of(X, ["x"], partition="quantile", n_terms=n_terms)
    return FineTerms(usual, X, range(X.shape[1]) if keep else ()), X


@PROPERTY
@given(SEEDS)
def test_codes_are_positions_in_steps(seed):
    rng = np.random.default_rng(seed)
    x = numbers(rng, int(rng.integers(20, 3000)))
    if np.ptp(x) == 0:
        return
    x[rng.random(len(x)) < 0.1] = np.nan
    x[:2] = 1.0, 2.0
    fine, _ = fine_of(x)
    (feature,) = fine.features
    peaks, steps = feature.variable.peaks, feature.steps
    n_terms = len(peaks)
    assert n_terms <= max(5, len(x) // 50)
    assert steps * (n_terms - 1) < MISSING <= (steps + 1) * (n_terms - 1) + 1
    others = np.concatenate([x, [np.nan, -np.inf, np.inf], rng.normal(size=50), peaks])
    codes = encode(feature.variable, Stored(others))
    assert codes.dtype == np.uint8
    assert_array_equal(codes == MISSING, np.isnan(others))
    known = others[~np.isnan(others)]
    expected = np.interp(known, peaks, np.arange(n_terms)) * steps
    assert abs(codes[~np.isnan(others)] - expected).max() <= 0.5 + 1e-6
    assert_array_equal(codes[-n_terms:], steps * np.arange(n_terms))
    assert_array_equal(fine.codes[0], codes[: len(x)])
    # Shares are those of positions as they are coded.
    position = codes[: len(x)][~np.isnan(x)] / steps
    degrees = np.maximum(0, 1 - abs(position[:, np.newaxis] - np.arange(n_terms)))
    assert_allclose(feature.shares, degrees.mean(axis=0), rtol=0, atol=1e-12)


def test_terms_that_a_user_wants_are_kept():
    x = np.random.default_rng(0).normal(size=2000)
    fine, _ = fine_of(x, keep=True, n_terms=7)
    assert_array_equal(fine.features[0].variable.peaks, fine.usual.peaks(0))
    assert fine.features[0].steps == 254 // 6
    assert len(fine_of(x)[0].features[0].variable.peaks) == 40


def test_columns_without_values_or_differences():
    X = np.column_stack([np.full(300, np.nan), np.full(300, 4.0), np.arange(300.0)])
    usual = LinguisticPartition.of(X, ["none", "same", "x"], partition="quantile")
    fine = FineTerms(usual, X)
    codes = fine.codes
    assert (codes[0] == MISSING).all()
    assert (codes[1] == 0).all()
    assert all(np.isfinite(feature.shares).all() for feature in fine.features)
    sets = [np.ones((1, len(f.variable.terms)), dtype=bool) for f in fine.features]
    sets[2][0, :2] = False
    variables, conditions = merge_terms(fine, sets, X)
    assert variables.is_dont_care(0, int(conditions[0, 0]))
    assert variables.is_dont_care(1, int(conditions[0, 1]))
    assert not variables.is_dont_care(2, int(conditions[0, 2]))


# Categories


def categories(rng, n, n_labels):
    labels = np.array([f"c{i:03}" for i in range(n_labels)], dtype=object)
    column = pd.Series(labels[rng.choice(n_labels, n, p=rng.dirichlet(np.full(n_labels, 0.7)))])
    return column.mask(rng.random(n) < 0.05)


def fine_categories(column):
    frame = column.to_frame("x")
    columns = Columns.of(frame)
    X = np.asarray(columns.values(frame), dtype=float)
    usual = LinguisticPartition.of(X, ["x"], columns=columns, groups_rest=True)
    return FineTerms(usual, X), X


@PROPERTY
@given(SEEDS, st.integers(2, 400))
def test_rare_categories_share_a_code(seed, n_labels):
    rng = np.random.default_rng(seed)
    column = categories(rng, int(rng.integers(50, 4000)), n_labels)
    fine, _ = fine_categories(column)
    (feature,), (codes,) = fine.features, fine.codes
    assert_array_equal(codes == MISSING, column.isna())
    assert len(feature.variable.terms) <= coding.MOST_TERMS
    known = column.dropna()
    table = pd.crosstab(known, codes[known.index])
    assert ((table > 0).sum(axis=1) == 1).all()  # a category has one code
    counts = known.value_counts()
    shared = table.columns[(table > 0).sum() > 1]
    if len(counts) <= coding.FEW_VALUES:
        assert len(shared) == 0
    assert len(shared) <= 1
    if len(shared):
        own = table.index[table[shared[0]] > 0]
        assert shared[0] == len(feature.variable.terms) - 1
        alone = counts.drop(own)
        assert alone.min() >= coding.LEAST_ROWS or not len(alone)
        is_few = len(counts) - len(own) < coding.MOST_TERMS - 1
        assert not is_few or counts[own].max() < coding.LEAST_ROWS
        assert not len(alone) or alone.min() >= counts[own].max()
    shares = np.bincount(codes[known.index], minlength=len(feature.shares)) / len(known)
    assert_allclose(feature.shares, shares, rtol=0, atol=1e-12)
    assert encode(feature.variable, Stored(np.array([9999.0]))).tolist() == [MISSING]


# Merging


def fine_memberships(feature, sets, x):
    """Return how far values belong to sets of fine terms, by the definition of terms."""
    positions = feature.variable.positions(x)
    terms = np.arange(len(feature.variable.terms))
    degrees = np.maximum(0.0, 1.0 - abs(positions[:, np.newaxis] - terms))
    return np.where(np.isnan(positions), np.nan, (degrees @ sets.T).T).T


def merged_memberships(variables, conditions, X):
    positions = variables.positions(X)[:, 0]
    degrees = np.zeros((len(X), len(conditions)))
    for rule, terms in enumerate(conditions[:, 0].tolist()):
        for t in range(int(variables.n_terms[0])):
            degrees[:, rule] += (terms >> t & 1) * np.maximum(0.0, 1.0 - abs(positions - t))
    return np.where(np.isnan(positions), np.nan, degrees.T).T


def runs_by_chance(rng, n_terms, n_rules):
    ends = np.sort(rng.integers(0, n_terms + 1, (n_rules, 2)), axis=1)
    ends[ends[:, 0] == ends[:, 1]] = 0, n_terms  # asks for nothing
    place = np.arange(n_terms)
    return (place >= ends[:, :1]) & (place < ends[:, 1:])


@PROPERTY
@given(SEEDS, st.integers(1, 30))
def test_merged_conditions_accept_as_much_as_fine_ones(seed, n_rules):
    rng = np.random.default_rng(seed)
    x = numbers(rng, int(rng.integers(20, 4000)))
    x[:2] = 1.0, 2.0
    keep = bool(rng.random() < 0.2)
    fine, _ = fine_of(x, keep=keep, n_terms=int(rng.integers(2, 65)))
    x[rng.random(len(x)) < 0.05] = np.nan
    X = x[:, np.newaxis]
    (feature,) = fine.features
    n_terms = len(feature.variable.terms)
    sets = runs_by_chance(rng, n_terms, n_rules)
    variables, conditions = merge_terms(fine, [sets], X)
    others = np.concatenate([x, rng.normal(size=50), [-1e300, 1e300]])[:, np.newaxis]
    expected = fine_memberships(feature, sets, others[:, 0])
    found = merged_memberships(variables, conditions, others)
    assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert int(variables.n_terms[0]) == len(variables.terms(0)) <= 64
    # As few terms as the rules need, but five, which beliefs about missing values need.
    is_border = (sets[:, 1:] != sets[:, :-1]).any(axis=0)
    if sets.all():
        assert_array_equal(variables.peaks(0), fine.usual.peaks(0))
    elif not keep:
        assert len(variables.terms(0)) == max(is_border.sum() + 1, min(5, n_terms))
    for rule, terms in enumerate(conditions[:, 0].tolist()):
        assert variables.is_dont_care(0, terms) == sets[rule].all()
        check(variables, X, pd.Series(x), terms)


@PROPERTY
@given(SEEDS, st.integers(2, 400))
def test_merged_categories_are_those_of_the_fine_terms(seed, n_labels):
    rng = np.random.default_rng(seed)
    column = categories(rng, int(rng.integers(50, 4000)), n_labels)
    fine, X = fine_categories(column)
    (feature,) = fine.features
    n_terms = len(feature.variable.terms)
    if n_terms < 2:
        return
    sets = rng.random((int(rng.integers(1, 7)), n_terms)) < rng.choice([0.02, 0.5, 0.9])
    sets[~sets.any(axis=1)] = True
    variables, conditions = merge_terms(fine, [sets], X)
    n_merged = len(variables.terms(0))
    assert n_merged <= 64
    expected = fine_memberships(feature, sets, X[:, 0])
    found = merged_memberships(variables, conditions, X)
    is_asked = ~sets.all(axis=1)
    assert_array_equal(found[:, is_asked], expected[:, is_asked])
    labels = fine.usual.columns.categories[0].labels
    for rule in np.flatnonzero(is_asked).tolist():
        terms = int(conditions[rule, 0])
        assert not variables.is_dont_care(0, terms)
        accepted = [labels[int(c)] for c in np.unique(X[expected[:, rule] == 1, 0])]
        holds = variables.holds(conditions[[rule]], X)[:, 0]
        assert_array_equal(holds, column.isin(accepted))
        text = variables.describe_plain(0, terms, full=True).removeprefix("x is ")
        assert_array_equal(truth_of_list(text, column), holds)
        assert set(variables.words(0, terms)) == set(accepted)
    assert variables.is_dont_care(0, int(conditions[0, 0])) == (not is_asked[0])


@pytest.mark.parametrize("seed", range(20))
def test_rules_that_tell_too_many_categories_apart_agree_on_most_rows(seed):
    rng = np.random.default_rng(seed)
    n_labels, n_rules = int(rng.integers(70, 240)), int(rng.integers(7, 40))
    column = categories(rng, 8000, n_labels)
    fine, X = fine_categories(column)
    (feature,) = fine.features
    kinds = rng.random((n_rules, int(rng.integers(50, 90)))) < 0.5
    sets = kinds[:, rng.integers(0, kinds.shape[1], len(feature.variable.terms))]
    n_kinds = len(np.unique(sets, axis=1).T)
    variables, conditions = merge_terms(fine, [sets], X)
    assert len(variables.terms(0)) == min(n_kinds, 64)
    known = X[~np.isnan(X[:, 0])]
    expected = fine_memberships(feature, sets, known[:, 0])
    found = merged_memberships(variables, conditions, known)
    differ = (found != expected).any(axis=1)
    # Only what is rarest counts like other categories.
    kind_of = np.unique(sets, axis=1, return_inverse=True)[1].ravel()
    rows = np.sort(np.bincount(kind_of, feature.shares) * len(known))
    n_joined = max(0, n_kinds - 64)
    assert differ.sum() <= 2 * rows[: 2 * n_joined].sum() + 1e-6
    assert differ.any() == (n_joined > 0)


def test_conditions_on_rare_categories_alone_may_vanish():
    column = pd.Series([f"c{i:03}" for i in range(80) for _ in range(40 - 30 * (i == 79))])
    fine, X = fine_categories(column)
    rng = np.random.default_rng(0)
    sets = rng.random((20, 80)) < 0.5
    sets[0] = np.arange(80) == 79
    variables, conditions = merge_terms(fine, [sets], X)
    assert len(variables.terms(0)) == 64
    assert variables.is_dont_care(0, int(conditions[0, 0]))
    assert not variables.is_dont_care(0, int(conditions[1, 0]))


@pytest.mark.parametrize("n_labels", [64, 65, 300])
def test_categories_keep_their_terms_if_there_is_room(n_labels):
    column = pd.Series([f"c{i:03}" for i in range(n_labels)] * 12, dtype=object)
    fine, X = fine_categories(column)
    n_fine = len(fine.features[0].variable.terms)
    assert n_fine == min(n_labels, coding.MOST_TERMS)
    sets = np.arange(n_fine)[np.newaxis] % 7 == 0
    variables, conditions = merge_terms(fine, [sets], X)
    assert len(variables.terms(0)) == (64 if n_labels == 64 else 2)
    holds = variables.holds(conditions, X)[:, 0]
    assert_array_equal(holds, sets[0][fine.codes[0]])


def test_no_rules_leave_the_usual_terms():
    rng = np.random.default_rng(0)
    fine, X = fine_of(rng.normal(size=1000))
    variables, conditions = merge_terms(fine, [np.ones((0, 20), dtype=bool)], X)
    assert conditions.shape == (0, 1)
    assert_array_equal(variables.peaks(0), fine.usual.peaks(0))
    assert variables.borders.keys() == fine.usual.borders.keys()


def test_few_categories_keep_codes_of_their_own_however_rare():
    column = pd.Series(["a"] * 100 + ["b", "c", "d"])
    fine, _ = fine_categories(column)
    assert len(np.unique(fine.codes)) == 4
    many = pd.concat([column, pd.Series(list("efgh") * 100)], ignore_index=True)
    fine, _ = fine_categories(many)
    assert len(np.unique(fine.codes)) == 6  # b, c and d together


def test_categories_without_room_count_like_those_that_rules_treat_most_alike():
    counts = [40] * 69 + [10]
    column = pd.Series(np.repeat([f"c{i:03}" for i in range(70)], counts))
    fine, X = fine_categories(column)
    sets = np.random.default_rng(0).random((12, 70)) < 0.5
    sets[:, 64:69] = sets[:, 59:64]  # 65 kinds: one too many
    sets[:, 69] = sets[:, 7] ^ (np.arange(12) == 3)
    variables, conditions = merge_terms(fine, [sets], X)
    assert len(variables.terms(0)) == 64
    rare, alike = X[column == "c069"][:1], X[column == "c007"][:1]
    assert_array_equal(variables.positions(rare), variables.positions(alike))
    assert_array_equal(merged_memberships(variables, conditions, alike)[0], sets[:, 7])
