"""Rules that people look through, question, edit and pass on."""

import csv
import html
import io
import json
import math
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    IntervalVariables,
    LinguisticPartition,
    UCSClassifier,
)
from fuzzyucs.decisions import Weighted
from fuzzyucs.rules import EvolvedRuleSet, WeightedRuleSet
from fuzzyucs.rules.tables import TextTable, one_line

NAMES = ["size", "age", "kind", "same"]
NASTY = ["<script>alert(1)</script>", "a|b", "50% & more_", "two\nlines"]
KINDS = ["fuzzy", "ucs", "evidential", "weighted"]


def make_data():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 150)
    X = np.column_stack([rng.normal(5, 2, 150), rng.uniform(0, 90, 150), kind, np.full(150, 7.0)])
    level = (X[:, 0] > 5).astype(int) + ((X[:, 1] > 40) & (kind > 0))
    X[::11, 0] = np.nan
    X[3::50, 1] = np.nan
    return pd.DataFrame(X, columns=NAMES), np.array(["low", "middle", "high"])[level]


X, Y = make_data()


def make_model(kind):
    settings_ = {"epochs": 8, "population_size": 300, "random_state": 0}
    if kind == "fuzzy":
        return FuzzyUCSClassifier(nominal_features=["kind"], **settings_)
    if kind == "ucs":
        return UCSClassifier(**settings_)
    if kind == "evidential":
        return EvidentialRuleClassifier(random_state=0, penalty=1.0)
    return FuzzyUCSClassifier(inference="weighted", nominal_features=[2], **settings_)


@pytest.fixture(scope="module")
def models():
    return {kind: make_model(kind).fit(X, Y) for kind in KINDS}


@pytest.fixture(params=KINDS)
def clf(request, models):
    return models[request.param]


@pytest.fixture
def rules(clf):
    return clf.deciding_rules


def brute_degree(variables, condition, row):
    """The degree to which a row matches, by definition; a missing value matches."""
    degree = 1.0
    for f, (wanted, value) in enumerate(zip(condition, row, strict=True)):
        if math.isnan(value):
            continue
        low, high = variables.minimum[f], variables.maximum[f]
        if isinstance(variables, IntervalVariables):
            unit = 0.5 if low == high else min(max((value - low) / (high - low), 0.0), 1.0)
            degree *= min(wanted) <= unit <= max(wanted)
            continue
        if variables.is_nominal[f]:
            place = float(variables.peaks(f).tolist().index(value))
        elif low == high:
            place = (variables.n_terms[f] - 1) / 2
        else:
            peaks = variables.peaks(f)
            place = float(np.interp(value, peaks, np.arange(len(peaks))))
        terms = [t for t in range(variables.n_terms[f]) if int(wanted) >> t & 1]
        degree *= sum(max(0.0, 1 - abs(place - t)) for t in terms)
    return degree


def brute_degrees(rules, X):
    return np.array(
        [[brute_degree(rules.variables, c, row) for c in rules.conditions] for row in X.to_numpy()]
    ).reshape(len(X), len(rules))


def written(**changes):
    """Four linguistic rules written by hand, of which two say the same."""
    partition = LinguisticPartition.of(
        np.array([[1.0, 0.0, 4.0, 1.0], [5.0, 9.0, 4.0, 3.0]]),
        changes.pop("names", ["size", "age", "constant", "colour"]),
        n_terms=[3, 5, 3, 2],
        nominal_features=[3],
    )
    arrays = {
        "classes": np.array(["no", "yes"]),
        "conditions": np.array(
            [
                [0b011, 0b11111, 0b111, 0b11],
                [0b100, 0b00100, 0b111, 0b01],
                [0b111, 0b11111, 0b111, 0b11],
                [0b011, 0b11111, 0b010, 0b11],
            ],
            dtype=np.uint32,
        ),
        "weights": np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]),
        "class_experience": np.array([[10.0, 30.0], [20.0, 0.0], [0.0, 0.0], [20.0, 60.0]]),
        "experience": np.array([40.0, 20.0, 0.0, 80.0]),
        "fitness": np.array([0.5, 1.0, 0.0, 0.5]),
        "numerosity": np.array([2, 1, 7, 3], dtype=np.uint32),
        "consequent": np.array([1, 0, 0, 1], dtype=np.uint32),
        "set_size": np.array([3.0, 2.0, 9.0, 4.0]),
        "set_count": np.array([1, 5, 0, 2], dtype=np.uint64),
        "time_stamp": np.array([10, 20, 30, 5]),
    }
    return EvolvedRuleSet(partition, **arrays | changes)


# Looking through


def test_sort_by_conditions_and_ascending():
    rules = written()
    assert rules.sort("conditions").asks.sum(axis=1).tolist() == [3, 2, 1, 0]
    assert rules.sort("conditions", ascending=True).asks.sum(axis=1).tolist() == [0, 1, 2, 3]
    assert rules.sort("experience", ascending=True).experience.tolist() == [0, 20, 40, 80]
    assert rules.sort("weight").numerosity.tolist() == [1, 2, 3, 7]  # equals keep their order
    assert rules.sort("weight", ascending=True).numerosity.tolist() == [7, 2, 3, 1]


def test_filter_is_what_a_loop_finds(rules):
    label = rules.classes[1]
    found = rules.filter(feature=["size", 1], label=label, least={"experience": 12, "weight": 0.5})
    expected = [
        k
        for k in range(len(rules))
        if rules.asks[k, 0]
        and rules.asks[k, 1]
        and rules.consequent[k] == 1
        and rules.experience[k] >= 12
        and rules.weights[k, 1] >= 0.5
    ]
    assert_array_equal(found.conditions, rules.conditions[expected])
    assert len(rules.filter()) == len(rules)
    assert len(rules.filter(feature={"kind"})) == rules.asks[:, 2].sum()


def test_filter_by_text_ignores_capitals(rules):
    lines = [rules.sentence(k) for k in range(len(rules))]
    expected = [k for k, line in enumerate(lines) if "AND Kind".lower() in line.lower()]
    assert_array_equal(rules.filter(text="and KIND").conditions, rules.conditions[expected])
    assert 0 < len(expected) < len(rules)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"feature": "weight"}, "feature must name features by name or number, got 'weight'"),
        ({"feature": [0, 9]}, "feature must name features by name or number, got 9"),
        ({"feature": -1}, "feature must name"),
        ({"feature": True}, "feature must name"),
        ({"label": "maybe"}, r"label must be one of \['no', 'yes'\], got 'maybe'"),
        ({"least": {"weights": 1}}, "least must be one of .*'conditions'.*, got 'weights'"),
    ],
)
def test_filter_names_what_is_wrong(wish, message):
    with pytest.raises(ValueError, match=message):
        written().filter(**wish)


# Editing


def test_drop():
    rules = written()
    assert rules.drop(1).numerosity.tolist() == [2, 7, 3]
    assert rules.drop(-1).numerosity.tolist() == [2, 1, 7]
    assert rules.drop([0, 0, 3]).numerosity.tolist() == [1, 7]
    assert rules.drop(slice(1, None)).numerosity.tolist() == [2]
    assert rules.drop(rules.numerosity > 2).numerosity.tolist() == [2, 1]
    assert len(rules.drop([])) == 4


@pytest.mark.parametrize("rules", [4, [0, -5], np.ones(3, bool), None, "first"], ids=str)
def test_drop_refuses_rules_that_are_not_there(rules):
    with pytest.raises(IndexError, match="rules must be indices of the 4 rules"):
        written().drop(rules)


def test_edit_changes_the_terms_of_one_rule():
    rules = written()
    edited = rules.edit(1, {"size": ["small", "medium"], 1: None, "colour": [3.0]})
    assert edited.conditions[1].tolist() == [0b011, 0b11111, 0b111, 0b10]
    assert_array_equal(edited.conditions[[0, 2, 3]], rules.conditions[[0, 2, 3]])
    assert rules.conditions[1, 0] == 0b100
    for name in set(rules.array_names()) - {"conditions"}:
        assert_array_equal(getattr(edited, name), getattr(rules, name))
    assert edited.condition(1) == "size is {small, medium} AND colour is 3"
    assert rules.edit(-1, {"size": "large"}).conditions[3, 0] == 0b100
    assert rules.edit(0, {3: ["1", 3]}).condition(0) == "size is {small, medium}"
    assert rules.edit(0, {}).to_text() == rules.to_text()


@pytest.mark.parametrize(
    ("rule", "conditions", "message"),
    [
        (0, {"weight": None}, "conditions must name features by name or number, got 'weight'"),
        (0, {"size": ["huge"]}, "terms of 'size', got 'huge'; its terms are .*'small'"),
        (0, {"size": [2.0]}, "terms of 'size', got 2.0"),
        (0, {"size": []}, "at least one term of 'size'"),
        (0, {"colour": [2]}, r"terms of 'colour', got 2; its terms are \['1', '3'\]"),
        (0, {"size": object}, "conditions must list terms of 'size'"),
        (9, {"size": None}, "rules must be indices of the 4 rules"),
        ([0, 1], {"size": None}, "rule must be the index of one rule"),
    ],
)
def test_edit_names_what_is_wrong(rule, conditions, message):
    with pytest.raises((ValueError, IndexError), match=message):
        written().edit(rule, conditions)


VARIABLES = IntervalVariables.of(np.array([[4.3, 7.0], [5.1, 7.0], [7.9, 7.0]]), ["length", "same"])


def test_edit_takes_intervals_in_the_units_of_the_data(models):
    rules = models["ucs"].rules_
    edited = rules.edit(0, {"size": (2.0, 6.0), "age": (None, 45.0), "kind": None, "same": None})
    assert edited.variables.interval(0, edited.conditions[0, 0]) == pytest.approx((2.0, 6.0))
    assert edited.variables.interval(1, edited.conditions[0, 1]) == pytest.approx((-np.inf, 45.0))
    assert edited.asks[0].tolist() == [True, True, False, False]
    frozen = edited[0].freeze()
    degrees = frozen.membership(edited.variables.positions(X.to_numpy()))[:, 0]
    size, age = X["size"], X["age"]
    expected = (size.isna() | ((size >= 2) & (size <= 6))) & (age.isna() | (age <= 45))
    assert_array_equal(degrees, expected)


@given(low=st.floats(4.0, 8.0), width=st.floats(0, 4), value=st.floats(4.3, 7.9))
def test_an_interval_accepts_what_it_says(low, width, value):
    high = low + width
    if low > 7.9 or high < 4.3:
        return
    condition = VARIABLES.parse_condition(0, (low, high))
    position = VARIABLES.positions(np.array([[value, 7.0]]))[0, 0]
    accepted = condition[0] <= position <= condition[1]
    is_near = min(abs(value - low), abs(value - high)) < 1e-12  # within rounding of the scale
    assert accepted == (low <= value <= high) or is_near
    for bound in (low, high):
        if 4.3 <= bound <= 7.9:
            place = VARIABLES.positions(np.array([[bound, 7.0]]))[0, 0]
            assert condition[0] <= place <= condition[1]


@pytest.mark.parametrize(
    ("feature", "wanted", "message"),
    [
        (0, (6, 5), "the lesser value first for 'length'"),
        (0, (5,), "the least and the greatest value for 'length'"),
        (0, 5.0, "the least and the greatest value"),
        (0, "large", "the least and the greatest value"),
        (0, (np.nan, 5), "the least and the greatest value"),
        (0, (8, 9), "meet the range of 'length', 4.3 to 7.9"),
        (1, (8, 9), "meet the range of 'same'"),
    ],
)
def test_impossible_intervals_are_refused(feature, wanted, message):
    with pytest.raises(ValueError, match=message):
        VARIABLES.parse_condition(feature, wanted)


def test_open_intervals_ask_nothing():
    for wanted in (None, (None, None), (-np.inf, np.inf), (4.3, 7.9)):
        assert VARIABLES.parse_condition(0, wanted) == [0.0, 1.0]
    assert VARIABLES.parse_condition(1, (6, 8)) == [0.0, 1.0]


# Assessing


def test_assess_finds_sums_of_degrees(rules):
    x, y = X[::2], Y[::2]  # not what they were trained on
    assessed = rules.assess(x, y)
    degrees = brute_degrees(rules, x)
    known = np.array([[degrees[c == y, k].sum() for c in rules.classes] for k in range(len(rules))])
    experience = known.sum(axis=1)
    used = experience > 0
    assert used.sum() > 5
    assert_allclose(assessed.class_experience, known, rtol=1e-12, atol=1e-12)
    assert_allclose(assessed.experience, experience, rtol=1e-12)
    doubt = rules.doubt if isinstance(rules, WeightedRuleSet) else 0.0
    expected = known[used] / (experience + doubt)[used, None]
    assert_allclose(assessed.weights[used], expected, rtol=1e-12, atol=1e-15)
    own = assessed.weights[np.arange(len(rules)), assessed.consequent]
    if isinstance(rules.variables, IntervalVariables):
        assert_array_equal(assessed.consequent, rules.consequent)
        assert_allclose(assessed.fitness[used], own[used])
    else:
        best = known[np.arange(len(rules)), assessed.consequent]
        assert_allclose(best, known.max(axis=1))
        assert_allclose(assessed.fitness, 2 * own - 1)
    assert_array_equal(assessed.numerosity, rules.numerosity)
    assert_array_equal(assessed.conditions, rules.conditions)
    if isinstance(rules, WeightedRuleSet):
        assert_array_equal(assessed.strength, rules.strength)
        whole = experience + doubt
        shift = np.log1p(-degrees * (experience - known.max(axis=1)) / whole) - np.log1p(
            -degrees * (experience - known.min(axis=1)) / whole
        )
        assert_allclose(assessed.evidence, rules.strength * shift.sum(axis=0), rtol=1e-9)


def test_missing_values_match_fully_whatever_is_believed_of_them():
    known = X.dropna()
    clf = EvidentialRuleClassifier(penalty=1.0, random_state=0).fit(known, Y[known.index])
    assert clf.rules_.variables.is_believed.any()
    degrees = brute_degrees(clf.rules_, X)
    assert_allclose(clf.rules_.assess(X, Y).experience, degrees.sum(axis=0))
    assert_allclose(clf.rules_.quality(X, Y)["coverage"], degrees.mean(axis=0))


@pytest.mark.parametrize("class_weight", [None, {"low": 3.0, "middle": 1.0, "high": 0.5}])
def test_assessing_on_the_training_data_changes_nothing(class_weight):
    clf = EvidentialRuleClassifier(class_weight=class_weight, penalty=2.0, random_state=0).fit(X, Y)
    weight = None if class_weight is None else [class_weight[label] for label in Y]
    assessed = clf.rules_.assess(X, Y, sample_weight=weight)
    for name in clf.rules_.array_names():
        assert_allclose(getattr(assessed, name), getattr(clf.rules_, name), rtol=1e-9, atol=1e-12)


def test_assess_goes_by_rows_in_any_portions(models, monkeypatch):
    rules = models["evidential"].rules_
    whole = rules.assess(X, Y)
    monkeypatch.setattr("fuzzyucs.rules.labelled_rows.MOST_DEGREES", 7 * len(rules))
    parts = rules.assess(X, Y)
    assert_allclose(parts.class_experience, whole.class_experience, rtol=1e-12)
    assert_allclose(parts.evidence, whole.evidence, rtol=1e-12)
    assert_array_equal(rules.quality(X, Y)["matched"], (brute_degrees(rules, X) >= 0.5).sum(axis=0))


def test_fitness_is_of_the_kind_it_was():
    common = {"epochs": 5, "random_state": 0}
    for clf, power in [
        (FuzzyUCSClassifier(fitness_range="unsigned", **common), 1),
        (UCSClassifier(fitness_exponent=3, **common), 3),
    ]:
        assessed = clf.fit(X, Y).rules_.assess(X, Y)
        used = assessed.experience > 0
        own = assessed.weights[np.arange(len(used)), assessed.consequent]
        assert_allclose(assessed.fitness[used], own[used] ** power)


def test_rules_that_match_nothing_keep_what_is_sensible(models):
    few = X.to_numpy()[:1].copy()
    few[0, :3] = 0.0, 1.0, 0.0
    for kind in KINDS:
        rules = models[kind].deciding_rules
        assessed = rules.assess(few, Y[:1])
        silent = assessed.experience == 0
        assert silent.any()
        assert_array_equal(assessed.class_experience[silent], 0)
        assert_array_equal(assessed.consequent[silent], rules.consequent[silent])
        if isinstance(rules, WeightedRuleSet):
            assert_array_equal(assessed.weights[silent], 0)
            assert_allclose(
                Weighted(assessed[silent]).probabilities(rules.variables.positions(few)),
                0.0 + (np.exp(rules.prior) / np.exp(rules.prior).sum())[None],
            )
        else:
            assert_array_equal(assessed.weights[silent], rules.weights[silent])
            assert_array_equal(assessed.fitness[silent], rules.fitness[silent])
        assert len(assessed.to_text()) > 0


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X, ["low"] * 149 + ["odd"], r"labels that are not in classes: \['odd'\]"),
        (X.iloc[:, :3], Y, "X must have the columns"),
        (X.to_numpy()[:, :3], Y, "X must have 4 features, got 3"),
        (X[NAMES[::-1]], Y, "X must have the columns"),
        (X, Y[:10], "inconsistent numbers"),
        (X.assign(age="old"), Y, "column 'age' must hold numbers"),
    ],
)
def test_data_that_do_not_fit_are_refused(models, x, y, message):
    with pytest.raises(ValueError, match=message):
        models["fuzzy"].rules_.assess(x, y)


def test_weights_of_rows_are_checked(models):
    with pytest.raises(ValueError, match="sample_weight must hold finite numbers"):
        models["fuzzy"].rules_.assess(X, Y, sample_weight=np.full(len(Y), -1.0))


# Merging


def doubled(rules):
    """All rules twice, in another order."""
    return rules[np.concatenate([np.arange(len(rules)), np.arange(len(rules))[::-1]])]


def test_merging_changes_no_belief_and_no_vote(clf, rules):
    twice = doubled(rules)
    merged = twice.merge()
    assert len(merged) <= len(rules)
    assert_array_equal(merged.merge().conditions, merged.conditions)
    positions = rules.variables.positions(X.to_numpy())
    before, after = twice.freeze(), merged.freeze()
    assert_allclose(before.masses(positions)[0], after.masses(positions)[0], rtol=0, atol=1e-12)
    assert_allclose(before.votes(positions), after.votes(positions), rtol=1e-12, atol=1e-12)
    assert merged.numerosity.sum() == twice.numerosity.sum()
    assert_array_equal(
        clf.with_rules(twice).predict(X[NAMES]), clf.with_rules(merged).predict(X[NAMES])
    )
    if isinstance(rules, WeightedRuleSet):
        assert_allclose(
            Weighted(twice).probabilities(positions),
            Weighted(merged).probabilities(positions),
            atol=1e-12,
        )
        assert merged.strength.sum() == pytest.approx(2 * rules.strength.sum())
        assert merged.evidence.sum() == pytest.approx(2 * rules.evidence.sum())


def test_a_merged_rule_is_the_most_experienced_one():
    merged = written().merge()
    assert merged.numerosity.tolist() == [5, 1, 7]
    assert merged.experience.tolist() == [80, 20, 0]
    assert merged.class_experience[0].tolist() == [20, 60]
    assert merged.set_size.tolist() == [4, 2, 9]
    assert merged.time_stamp.tolist() == [10, 20, 30]
    assert merged.numerosity.dtype == np.uint32


def test_rules_that_differ_are_not_merged():
    rules = written()
    assert len(rules.merge(least_experience=50)) == 4  # only one of them takes part in decisions
    for name, value in [("weights", 1e-6), ("fitness", 1e-6)]:
        changed = getattr(rules, name).copy()
        changed[3] += value
        assert len(replace(rules, **{name: changed}).merge()) == 4
    other = rules.consequent.copy()
    other[3] = 0
    assert len(replace(rules, consequent=other).merge()) == 4
    assert len(rules.edit(3, {"constant": ["small"]}).merge()) == 4  # never true of the constant
    close = rules.weights.copy()
    close[3] += 1e-14
    assert len(replace(rules, weights=close).merge()) == 3


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 15)), min_size=2, max_size=2))
def test_conditions_have_one_form_if_they_match_alike(pair):
    """A feature that varied, and a constant one between two of four terms."""
    train = np.array([[0.0, 5.0], [1.0, 5.0]])
    variables = LinguisticPartition.uniform(train, [3, 4], ["a", "b"])
    rows = np.array([[0.0, 5], [0.5, 5], [1, 5], [0.25, np.nan], [np.nan, 5], [np.nan, np.nan]])
    forms = variables.canonical(np.array(pair))
    degrees = [[brute_degree(variables, c, row) for row in rows] for c in pair]
    if (forms[0] == forms[1]).all():
        assert degrees[0] == degrees[1]
    elif pair[0][0] == pair[1][0] and degrees[0] == degrees[1]:
        assert forms[0][0] == forms[1][0]  # half true by either term: not the same, and no matter


def test_intervals_have_one_form():
    conditions = np.array([[[0.9, 0.2], [0.3, 0.8]], [[0.2, 0.9], [1, 0]], [[0.2, 0.9], [0.6, 1]]])
    forms = VARIABLES.canonical(conditions)
    assert_array_equal(forms[0], forms[1])
    assert (forms[1] != forms[2]).any()


# Quality and importance


def test_quality_is_what_a_loop_counts(rules):
    quality = rules.quality(X, Y)
    degrees = brute_degrees(rules, X)
    for k, row in quality.iterrows():
        label = rules.classes[rules.consequent[k]]
        mine = label == Y
        matched = degrees[:, k].sum()
        accuracy = degrees[mine, k].sum() / matched if matched else np.nan
        assert row["class"] == label
        assert row["sentence"] == f"IF {rules.condition(k)} THEN {label}"
        assert row["coverage"] == pytest.approx(degrees[:, k].mean())
        assert row["matched"] == (degrees[:, k] >= 0.5).sum()
        assert row["accuracy"] == pytest.approx(accuracy, nan_ok=True)
        assert row["recall"] == pytest.approx(degrees[mine, k].sum() / mine.sum())
        assert row["lift"] == pytest.approx(accuracy / mine.mean(), nan_ok=True)
        assert row["conditions"] == rules.asks[k].sum()


def test_quality_without_anything_to_measure(models):
    rules = models["ucs"].rules_
    only_low = rules.quality(X[Y == "low"], Y[Y == "low"])
    others = only_low["class"] != "low"
    assert only_low.loc[others, ["recall", "lift"]].isna().all(axis=None)
    never = rules.edit(0, {"size": (None, rules.variables.minimum[0])})[0]
    row = never.quality(X.dropna().iloc[[0]], Y[[1]]).iloc[0]
    assert row["coverage"] == row["matched"] == 0
    assert np.isnan(row["accuracy"])


def brute_importance(rules, evidence):
    n = rules.variables.n_features
    single, pairs = np.zeros(n), np.zeros((n, n))
    for k, asks in enumerate(rules.asks):
        asked = [f for f in range(n) if asks[f]]
        for f in asked:
            single[f] += evidence[k] / len(asked)
        both = list(combinations(asked, 2)) or [(f, f) for f in asked]
        for f, g in both:
            pairs[f, g] += evidence[k] / len(both)
    return single / single.sum(), pairs / pairs.sum()


def test_importance_shares_the_evidence_out(rules):
    if isinstance(rules, WeightedRuleSet):
        evidence = rules.evidence
    else:
        evidence = [
            n * sum(known) * math.log((max(known) + 2) / (min(known) + 2))
            for n, known in zip(rules.numerosity, rules.class_experience, strict=True)
        ]
    single, pairs = brute_importance(rules, evidence)
    importance = rules.importance()
    assert list(importance.index) == NAMES
    assert_allclose(importance, single)
    table = rules.importance(pairs=True)
    assert list(table.index) == list(table.columns) == NAMES
    assert_array_equal(table, table.T)
    assert_allclose(np.triu(table), pairs, atol=1e-15)
    assert np.isfinite(rules.carried_evidence()).all()


def test_importance_agrees_with_the_estimator(models):
    clf = models["evidential"]
    assert_array_equal(clf.rules_.importance().to_numpy(), clf.feature_importances_)


def test_summary():
    assert written().summary().splitlines() == [
        "4 rules with 0 to 3 conditions (mean 1.5)",
        "Rules per class: no 2, yes 2",
        "Most important features: size 58%, constant 33%, age 4%, colour 4%",
        "80% of the evidence: 2 rules",
    ]
    assert written()[2].summary() == ("1 rule with 0 conditions\nRules per class: no 1, yes 0")
    assert written()[:0].summary() == "No rules"


def test_eighty_percent_of_the_evidence(rules):
    carried = sorted(rules.carried_evidence(), reverse=True)
    needed = next(n for n in range(1, len(carried) + 1) if sum(carried[:n]) >= 0.8 * sum(carried))
    assert f"80% of the evidence: {needed} rule" in rules.summary()


# Passing on


class Cells(HTMLParser):
    """What a browser would show in each cell, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.caption, self.inside = [], set(), "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"class", "style"}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.inside = tag

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.inside == "caption":
            self.caption += data

    def handle_endtag(self, tag):  # noqa: ARG002
        self.inside = None


def from_markdown(cell):
    return re.sub(r"\\(.)|&#?\w+;", lambda found: found[1] or html.unescape(found[0]), cell)


def markdown_cells(text):
    rows = [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[from_markdown(cell) for cell in row] for row in rows]


LATEX_NAMES = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbar{}": "|",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\symbol{34}": '"',
    r"$\leq$": "<=",
    r"$\geq$": ">=",
}


def from_latex(cell):
    """Read LaTeX back, token by token; anything that is special and not escaped fails."""
    result = ""
    while cell:
        named = [name for name in LATEX_NAMES if cell.startswith(name)]
        if named:
            token, meaning = named[0], LATEX_NAMES[named[0]]
        elif cell[0] == "\\":
            assert cell[1] in "&%$#_{}"
            token, meaning = cell[:2], cell[1]
        elif cell[0] == "{":
            assert cell[:3] in ("{[}", "{]}", "{*}")
            token, meaning = cell[:3], cell[1]
        else:
            assert cell[0] not in '&%$#_{}~^|<>"[]*\n', cell
            token = meaning = cell[0]
        result += meaning
        cell = cell[len(token) :]
    return result


def latex_cells(text):
    body = text.split("\\toprule\n")[1].split("\n\\bottomrule")[0]
    rows = [line.removesuffix(r" \\") for line in body.splitlines() if line != r"\midrule"]
    return [[from_latex(c) for c in row.split(" & ")] for row in rows if "multicolumn" not in row]


@settings(max_examples=200)
@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), max_size=3))
def test_no_text_breaks_a_table(rows):
    # Two cells are told apart by a bar or an ampersand between spaces, or by tags.
    table = TextTable(["if", "then", "x"], rows)
    shown = [[one_line(cell) for cell in row] for row in [table.header, *rows]]
    assert Cells(table.to_html()).rows == shown
    assert Cells(table.to_html()).tags == {"table", "thead", "tbody", "tr", "th"} | (
        {"td"} if rows else set()
    )
    markdown = markdown_cells(table.to_markdown().replace("\u2028", " "))
    tidy = [[" ".join(cell.split()) for cell in row] for row in markdown]
    assert tidy[:1] + tidy[2:] == [[" ".join(cell.split()) for cell in row] for row in shown]
    assert latex_cells(table.to_latex()) == shown


def nasty_rules():
    """Rules whose features, terms and classes have names that could do harm."""
    names, classes = NASTY, np.array(["<b>|no&", "yes_\n%"])
    rules = written(names=names, classes=classes)
    wide = rules.edit(0, {k: [w] for k, w in enumerate(["small", "medium", "medium", "3"])})
    prior = np.log([0.4, 0.6])
    weighted = WeightedRuleSet.of(
        wide.variables,
        classes,
        wide.conditions,
        strength=np.ones(4),
        evidence=np.arange(4.0, 0.0, -1.0),
        class_experience=wide.class_experience,
        prior=prior,
        doubt=2.0,
    )
    return [wide, weighted]


@pytest.mark.parametrize("rules", nasty_rules(), ids=["evolved", "weighted"])
@pytest.mark.parametrize("style", [None, "terms", "plain"])
def test_names_do_no_harm(rules, style):
    expected = [
        [one_line(rules.condition(k, style)), one_line(str(rules.classes[rules.consequent[k]]))]
        for k in range(len(rules))
    ]
    page = Cells(rules.to_html(style))
    assert "script" not in page.tags
    assert [row[:2] for row in page.rows[1:]] == expected
    assert [row[:2] for row in latex_cells(rules.to_latex(style))[1:]] == expected
    cells = markdown_cells(rules.to_markdown(style))
    assert [row[:2] for row in cells[2:]] == expected
    assert {len(row) for row in cells} == {5}
    assert "<script" not in rules.to_markdown(style) + rules._repr_html_()
    note = [f"Without evidence: {rules.classes[0]} 0.40"] if hasattr(rules, "prior") else []
    lines = rules.to_text(style).splitlines()
    assert len(lines) == len(rules) + len(note)
    assert all(name.replace("\n", " ") in lines[0] for name in NASTY)
    if note:
        assert page.caption.startswith(note[0])
        assert note[0] in lines[-1]
        assert r"\multicolumn{5}{l}{Without evidence: \textless{}b" in rules.to_latex()
        assert rules.to_markdown().splitlines()[-1].startswith("Without evidence: &lt;b&gt;")


@pytest.mark.parametrize("rules", nasty_rules(), ids=["evolved", "weighted"])
def test_csv_and_json_come_back_whole(rules, tmp_path):
    frame = rules.to_frame()
    text = rules.to_csv()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == list(frame.columns)
    assert len(rows) == len(rules)
    for k, row in enumerate(rows):
        assert row[0] == rules.condition(k)
        assert row[1] == rules.classes[rules.consequent[k]]
        assert list(map(float, row[2:])) == frame.iloc[k, 2:].astype(float).tolist()
    assert rules.to_csv(tmp_path / "rules.csv") is None
    assert (tmp_path / "rules.csv").read_bytes() == text.encode()
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text)), frame, check_dtype=False)
    document = json.loads(rules.to_json())
    assert [feature["name"] for feature in document["features"]] == NASTY
    assert document["classes"] == rules.classes.tolist()


def test_every_kind_can_be_passed_on(rules):
    for text in (rules.to_markdown(), rules.to_html(), rules.to_latex(), rules.to_csv()):
        assert text.count("\n") >= len(rules)
    assert [row[0] for row in Cells(rules.to_html()).rows[1:]] == [
        rules.condition(k) for k in range(len(rules))
    ]


def test_a_notebook_shows_the_first_rules(models):
    rules = models["fuzzy"].rules_
    assert len(Cells(rules._repr_html_()).rows) == 21
    assert rules._repr_html_().endswith(f"<p>and {len(rules) - 20} more rules</p>")
    assert rules[:21]._repr_html_().endswith("<p>and 1 more rule</p>")
    assert rules[:20]._repr_html_() == rules[:20].to_html()


def test_styles_of_words(models):
    rules = written()
    assert rules.to_text(style="terms") == rules.to_text()
    assert rules.to_text(style="plain").splitlines()[:2] == [
        "IF size is at most medium (<= 4) THEN yes (weight 0.75, experience 40, numerosity 2)",
        "IF size is large (>= 4) AND age is medium (3.375 to 5.625) AND colour is 1 THEN no "
        "(weight 1.00, experience 20, numerosity 1)",
    ]
    assert "constant is medium THEN" in rules.to_text(style="plain")
    weighted = models["weighted"].weighted_rules_
    assert weighted.to_text(style="plain") == weighted.to_text()
    assert "{" in weighted.to_text(style="terms")
    intervals = models["ucs"].rules_
    assert intervals.to_text(style="plain") == intervals.to_text(style="terms")
    for tell in (rules.to_text, rules.to_html, rules.to_latex, rules.to_markdown):
        with pytest.raises(ValueError, match="style must be one of"):
            tell(style="poetic")


def test_no_rules_at_all(clf, rules):
    none = rules[:0]
    assert len(none.sort("conditions")) == len(none.filter(feature="size", text="x")) == 0
    assert len(none.merge()) == len(none.assess(X, Y)) == len(none.quality(X, Y)) == 0
    assert len(none.drop([])) == 0
    assert_array_equal(none.importance(), 0)
    assert_array_equal(none.importance(pairs=True), 0)
    assert none.summary() == "No rules"
    assert len(Cells(none.to_html()).rows) == len(latex_cells(none.to_latex())) == 1
    assert len(none.to_markdown().splitlines()) >= 2
    assert none.to_csv().count("\n") == 1
    assert clf.with_rules(none).predict(X).shape == (150,)
    with pytest.raises(IndexError, match="of the 0 rules"):
        none.edit(0, {"size": None})


def test_a_rule_without_conditions(rules):
    rule = rules[0].edit(0, dict.fromkeys(NAMES)).assess(X, Y)
    assert rule.condition(0) == "anything"
    assert_allclose(rule.class_experience[0], [(c == Y).sum() for c in rules.classes])
    assert rule.quality(X, Y)["coverage"][0] == 1
    assert_array_equal(rule.importance(), 0)
    assert "anything" in rule.to_html()


# Deciding by edited rules


def test_with_rules_decides_by_them_and_leaves_the_original_alone(clf):
    before = clf.predict_proba(X)
    name = "weighted_rules_" if hasattr(clf, "weighted_rules_") else "rules_"
    fewer = getattr(clf, name)[::2]
    copy = clf.with_rules(fewer)
    assert getattr(copy, name) is fewer
    assert getattr(clf, name) is not fewer
    assert type(copy) is type(clf)
    assert copy.get_params() == clf.get_params()
    assert np.abs(copy.predict_proba(X) - before).max() > 1e-6
    assert_array_equal(clf.predict_proba(X), before)
    assert_array_equal(clf.with_rules(getattr(clf, name)).predict_proba(X), before)
    loaded = pickle.loads(pickle.dumps(getattr(clf, name)))
    assert_array_equal(clf.with_rules(loaded).predict_proba(X), before)


def test_editing_and_assessing_can_be_scored(clf):
    name = "weighted_rules_" if hasattr(clf, "weighted_rules_") else "rules_"
    wish = (3.0, None) if name == "rules_" and isinstance(clf, UCSClassifier) else None
    edited = getattr(clf, name).edit(0, {"size": wish}).assess(X, Y)
    assert clf.with_rules(edited).score(X, Y) > 0.5
    assert clf.with_rules(edited).predict_evidence(X).mass.shape == (150, 3)


def test_rules_that_do_not_fit_are_refused(models):
    fuzzy, ucs, weighted = models["fuzzy"], models["ucs"], models["weighted"]
    with pytest.raises(TypeError, match="must be of type EvolvedRuleSet, got WeightedRuleSet"):
        fuzzy.with_rules(weighted.weighted_rules_)
    with pytest.raises(TypeError, match="must be of type WeightedRuleSet, got EvolvedRuleSet"):
        weighted.with_rules(weighted.rules_)
    with pytest.raises(TypeError, match="got list"):
        fuzzy.with_rules([])
    with pytest.raises(ValueError, match="rules must be about the features of this classifier"):
        fuzzy.with_rules(ucs.rules_)
    with pytest.raises(ValueError, match="with the same ranges and terms"):
        weighted.with_rules(models["evidential"].rules_)
    with pytest.raises(ValueError, match="rules must have the classes"):
        fuzzy.with_rules(replace(fuzzy.rules_, classes=np.array(["a", "b", "c"])))
    with pytest.raises(ValueError, match="not fitted"):
        FuzzyUCSClassifier().with_rules(fuzzy.rules_)


def test_training_goes_on_from_edited_rules(models):
    for kind in ("fuzzy", "ucs"):
        clf = models[kind]
        edited = doubled(clf.rules_[:20]).edit(0, dict.fromkeys(NAMES)).assess(X, Y)
        copy = clf.with_rules(edited)
        before = clf.rules_.to_text()
        copy.partial_fit(X, Y)
        assert copy.score(X, Y) > 0.5
        assert clf.rules_.to_text() == before
        assert copy.rules_.experience.max() > edited.experience.max()  # the edited rule lives on
    copy = models["weighted"].with_rules(models["weighted"].weighted_rules_[:2])
    assert len(copy.partial_fit(X, Y).weighted_rules_) > 2
    copy = models["evidential"].with_rules(models["evidential"].rules_[:3])
    with pytest.raises(ValueError, match="partial_fit cannot go on"):
        copy.partial_fit(X, Y)
