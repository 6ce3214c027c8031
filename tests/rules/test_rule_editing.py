"""Rules that people look through, edit and merge."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import (
    IntervalVariables,
    LinguisticPartition,
)
from fuzzyucs.decisions import Profiled, Weighted
from fuzzyucs.rules import ProfiledRuleSet, WeightedRuleSet
from rule_models import NAMES, X, Y, brute_degree, doubled, written


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
    most = rules.experience.max()
    assert len(rules.filter(least={"experience": most})) == (rules.experience == most).sum() > 0
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
            position = VARIABLES.positions(np.array([[bound, 7.0]]))[0, 0]
            assert condition[0] <= position <= condition[1]


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

# Merging


def test_merging_changes_no_belief_and_no_vote(clf, rules):
    twice = doubled(rules)
    merged = twice.merge()
    assert len(merged) <= len(rules)
    assert_array_equal(merged.merge().conditions, merged.conditions)
    positions = rules.variables.positions(X.to_numpy())
    if not isinstance(rules, ProfiledRuleSet):
        before, after = twice.freeze(), merged.freeze()
        assert_allclose(before.masses(positions)[0], after.masses(positions)[0], rtol=0, atol=1e-12)
        assert_allclose(before.votes(positions), after.votes(positions), rtol=1e-12, atol=1e-12)
    assert merged.numerosity.sum() == twice.numerosity.sum()
    # With gaps, two rules with profiles that ask for the same value are less uncertain than one.
    rows = X[NAMES]
    if isinstance(rules, ProfiledRuleSet):
        rows = rows.dropna()
        positions = rules.variables.positions(X.dropna().to_numpy())
    assert len(rows) > 50
    assert_array_equal(clf.with_rules(twice).predict(rows), clf.with_rules(merged).predict(rows))
    if isinstance(rules, ProfiledRuleSet):
        assert_allclose(
            Profiled(twice).probabilities(positions),
            Profiled(merged).probabilities(positions),
            atol=1e-12,
        )
        assert_allclose(merged.profile.sum(axis=0), 2 * rules.profile.sum(axis=0))
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


def test_an_edited_rule_with_a_profile_is_silent_where_nothing_is_known(models):
    """The degree that is expected of it follows its conditions."""
    clf = models["evidential"]
    rules = clf.rules_
    asked = int(np.flatnonzero(rules.asks[0])[0])
    wanted = {NAMES[asked]: None} if rules.asks[0].sum() > 1 else {"age": ["very large"]}
    edited = rules.edit(0, wanted)
    assert edited.neutral[0] != rules.neutral[0]
    assert_array_equal(edited.neutral[1:], rules.neutral[1:])
    model = clf.with_rules(edited.assess(X, Y))
    nothing = model.predict_evidence(X[:1].mask(X[:1].notna()))
    assert nothing.ignorance.tolist() == [1.0]
    assert_array_equal(nothing.probability[0], clf.base_rates_)
    no_rules = rules[:0].merge()
    assert no_rules.profile.shape == (0, 3)
