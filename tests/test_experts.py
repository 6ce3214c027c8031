"""Experts' rules in a fit, in a model of their own, and what data think of them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from expert_rules import (
    OTHERS,
    RULES,
    TRUTHS,
    X,
    Y,
    as_numbers,
    from_rules,
    near_borders,
    order_of,
    table,
)
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.evidence.claims import as_strength
from fuzzyucs.rules.expert_report import wilson


@pytest.fixture(scope="module")
def fitted():
    """Return a model with experts' rules and learned ones."""
    return EvidentialRuleClassifier().fit(X, Y, rules=RULES)


@pytest.fixture(scope="module")
def alone():
    """Return a model of experts' rules without data."""
    return from_rules()


@pytest.mark.parametrize("name", ["fitted", "alone"])
def test_conditions_in_numbers_mean_what_they_say(name, request):
    clf = request.getfixturevalue(name)
    rows = near_borders(OTHERS)
    places = order_of(clf.rules_)
    degrees = clf.membership(rows)[:, places]
    holds = clf.rules_.variables.holds(clf.rules_.conditions, clf.check_table(rows))[:, places]
    for rule, truth in enumerate(TRUTHS):
        np.testing.assert_array_equal(degrees[:, rule], truth(rows).astype(float))
        np.testing.assert_array_equal(holds[:, rule], truth(rows))


@pytest.mark.parametrize("name", ["fitted", "alone"])
def test_rules_keep_their_words(name, request):
    rules = request.getfixturevalue(name).rules_
    texts = [rules.condition(place) for place in order_of(rules)]
    assert texts == [
        "glucose is at least 140 AND age is at least 60",
        "glucose is less than 100",
        "glucose is more than 120.5 AND town is Ux or Wye",
        "count is at least 3",
        "age is 200 to 300",
    ]


def test_strengths_are_those_of_the_records_alone():
    """By brute force, for a rule by itself: what records and their worth say together."""
    rule = "IF glucose < 100 THEN healthy, reliability 0.6, worth 12"
    clf = EvidentialRuleClassifier(max_rules=1).fit(X, Y, rules=rule)
    (place,) = np.flatnonzero(clf.rules_.is_expert)
    a = (Y == "healthy").mean()
    t = a / (a + (1 - a) * 0.4)
    applies = (X.glucose < 100).to_numpy()
    share = ((Y[applies] == "healthy").sum() + 12 * t) / (applies.sum() + 12)
    expected = np.log(share / (1 - share)) - np.log(a / (1 - a))
    assert clf.rules_.log_odds[place] == pytest.approx(expected, abs=1e-6)
    # Three classes have one number: others keep their shares among each other.
    assert np.count_nonzero(clf.rules_.profile[place]) == 1
    assert clf.rules_.neutral[place] == 0
    assert 1 - np.exp(-expected) == pytest.approx(clf.expert_report_[0].present, abs=1e-6)


def test_worth_decides_between_the_expert_and_the_data():
    def strength(worth, n):
        frame, y = table(n)
        rule = f"IF glucose < 100 THEN diabetic, reliability 0.9, worth {worth}"
        clf = EvidentialRuleClassifier(penalty=4.0).fit(frame, y, rules=rule)
        return float(clf.rules_.log_odds[clf.rules_.is_expert][0])

    assert strength(1_000_000, 60) == pytest.approx(as_strength(0.9), abs=0.01)
    assert strength(1, 300) < 0.05 < strength(100, 300) < as_strength(0.9)


def test_learned_rules_are_not_changed_by_nothing():
    plain = EvidentialRuleClassifier(penalty=2.0).fit(X, Y)
    other = EvidentialRuleClassifier(penalty=2.0).fit(X, Y, rules=None)
    np.testing.assert_array_equal(plain.predict_proba(X), other.predict_proba(X))
    assert not hasattr(plain, "expert_report_")
    again = EvidentialRuleClassifier(penalty=2.0).fit(X, Y, rules=RULES)
    order = np.random.default_rng(0).permutation(len(X))
    same = EvidentialRuleClassifier(penalty=2.0).fit(X.iloc[order], Y[order], rules=RULES)
    assert same.rules_.to_text() == again.rules_.to_text()
    np.testing.assert_array_equal(same.rules_.profile, again.rules_.profile)
    assert not hasattr(again.fit(X, Y), "expert_report_")
    np.testing.assert_array_equal(again.predict_proba(X), plain.predict_proba(X))


def test_few_records_and_good_rules_are_better_than_few_records():
    small, y = table(20, seed=5)
    test, y_test = table(500, seed=6)
    rules = """IF glucose >= 140 THEN diabetic, reliability 0.9
    IF glucose < 105 THEN healthy, reliability 0.9"""
    with_rules = EvidentialRuleClassifier().fit(small, y, rules=rules)
    assert with_rules.score(test, y_test) > 0.7
    assert with_rules.rules_.is_expert.sum() == 2


def brute_force(report, frame, y, rules):
    """Compare a report with what a person would count."""
    for finding, place in zip(report, np.flatnonzero(rules.is_expert).tolist(), strict=True):
        truth = TRUTHS[order_of(rules).index(place)](frame).to_numpy()
        label = finding.label.removeprefix("not ")
        right = (y == label) != finding.label.startswith("not ")
        assert finding.rule == f"IF {rules.condition(place)} THEN {finding.label}"
        assert (finding.n_rows, finding.n_applies) == (len(frame), truth.sum())
        assert finding.n_right == (truth & right).sum()
        assert finding.overall == pytest.approx(right.mean())
        best = (0, -1)
        for other in np.flatnonzero(~rules.is_expert).tolist():
            text = rules.label(other)
            says_not = text.startswith("not ") != finding.label.startswith("not ")
            if (text.removeprefix("not ") == label) != says_not:
                continue
            if text.removeprefix("not ") != label and "not " in text + finding.label:
                continue
            holds = rules.variables.holds(rules.conditions[[other]], as_numbers(frame, rules))
            both = int((truth & holds[:, 0]).sum())
            best = max(best, (both, other))
        assert finding.n_disputed == best[0]
        assert (finding.opponent is None) == (best[0] == 0)


def test_the_report_counts_what_a_person_would(fitted, alone):
    brute_force(fitted.expert_report_, X, Y, fitted.rules_)
    brute_force(fitted.assess_rules(OTHERS, Y[:120]), OTHERS, Y[:120], fitted.rules_)
    brute_force(alone.assess_rules(X, Y), X, Y, alone.rules_)
    assert str(fitted.expert_report_) == str(fitted.assess_rules(X, Y))
    assert {f.opponent for f in alone.assess_rules(X, Y)} == {None}


def test_the_report_is_true_in_every_case(fitted):
    by_rule = {finding.rule: finding for finding in fitted.expert_report_}
    nothing = by_rule["IF age is 200 to 300 THEN diabetic"]
    assert nothing.verdict == "no record tells"
    assert np.isnan([nothing.share, *nothing.interval, nothing.observed]).all()
    assert nothing.sentences() == [
        "Applies to none of 300 records: these say nothing about it.",
        "Reliability 0.7 as stated, 0.7 in the model.",
    ]
    rows = pd.DataFrame({"glucose": [150.0] * 4, "age": 70.0, "town": "Vee", "count": 0})
    for y, verdict, said in (
        (["diabetic"] * 4, "cannot be told", "right in all of them (100 %"),
        (["healthy"] * 4, "cannot be told", "right in none of them (0 %"),
        (["diabetic", "healthy"] * 2, "right less often than stated", "right in 2 of them (50 %"),
    ):
        found = fitted.assess_rules(rows, y)
        (rule,) = [f for f in found if f.rule.startswith("IF glucose is at least 140")]
        assert (rule.verdict, rule.n_applies) == (verdict, 4)
        assert said in " ".join(rule.sentences())
    always = fitted.assess_rules(
        pd.concat([rows, rows.assign(glucose=90.0)]), ["diabetic"] * 4 + ["healthy"] * 4
    )
    first = next(f for f in always if f.rule.startswith("IF glucose is at least 140"))
    assert first.observed == 1
    assert "these records have no exception" in str(always)
    for finding in always:
        json.dumps(finding.as_dict(), allow_nan=False)
    assert len(always.to_frame()) == len(always) == len(always.to_table().rows) == 5
    empty = EvidentialRuleClassifier(penalty=4.0).fit(X, Y).assess_rules(X, Y)
    assert len(empty) == 0
    assert str(empty) == "The model has no expert's rule."


@pytest.mark.parametrize(("n_right", "n"), [(0, 5), (5, 5), (3, 7), (80, 120), (1, 1)])
def test_intervals_are_those_of_scipy(n_right, n):
    expected = binomtest(n_right, n).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(wilson(n_right, n), expected, atol=1e-12)


def test_observed_reliability_makes_the_odds_what_they_are(fitted):
    for finding in fitted.expert_report_:
        if 0 < finding.observed < 1:
            a, r = finding.overall, finding.observed
            assert a / (a + (1 - a) * (1 - r)) == pytest.approx(finding.share)


def test_a_missing_value_silences_a_rule(fitted, alone):
    nothing = X.head(1).assign(glucose=np.nan, age=np.nan, town=None, count=np.nan)
    for clf in (fitted, alone):
        np.testing.assert_allclose(clf.predict_proba(nothing)[0], clf.base_rates_, atol=1e-12)
        rules = clf.rules_
        degrees = clf.membership(X.head(20).assign(glucose=np.nan))
        asks = rules.asks[:, 0] & rules.is_expert
        assert asks.any()
        assert (degrees[:, asks] == 0).all()


def test_dempsters_rule_for_simple_support_functions(alone):
    """Masses of a model without data are those of Dempster's rule, with base rates."""
    row = OTHERS.head(1).assign(glucose=150.0, age=70.0, town="Wye", count=4)
    q = np.array([1.0, 1.0, 1.0])  # diabetic, healthy, unclear
    q *= [1, 0.1, 0.1]  # the first rule
    q *= [1, 0.5, 1]  # the third, against healthy
    q *= [0.2, 1, 0.2]  # the fourth
    theta = 0.1 * 0.5 * 0.2
    rates = np.full(3, 1 / 3)
    total = (rates * q).sum()
    evidence = alone.predict_evidence(row)
    np.testing.assert_allclose(evidence.belief[0], rates * (q - theta) / total, atol=1e-12)
    assert evidence.ignorance[0] == pytest.approx(theta / total)
    np.testing.assert_allclose(alone.predict_proba(row)[0], rates * q / total, atol=1e-12)


def test_explanations_name_experts(fitted, alone):
    row = OTHERS.head(1).assign(glucose=150.0, age=70.0, town="Vee", count=0)
    text = str(alone.explain(row))
    assert "THEN diabetic (expert's rule, reliability 0.9)" in text
    assert "4 experts' rules without a match" in text
    found = fitted.explain(row)
    assert re.search(
        r"expert's rule, reliability 0\.9, with the data 0\.\d+;\s+applies", str(found)
    )
    kinds = found.to_frame(every=True)["kind"]
    assert (kinds == "no match").sum() == 4
    amounts = sum(entry.amounts for entry in alone.explain(row).ledger(every=True))
    share = np.exp(amounts) / np.exp(amounts).sum()
    np.testing.assert_allclose(share, alone.predict_proba(row)[0], atol=1e-12)


def test_other_ways_to_fit(fitted, alone):
    clf = EvidentialRuleClassifier(penalty=2.0)
    clf.partial_fit(X[:150], Y[:150], classes=np.unique(Y), rules=RULES)
    clf.partial_fit(X[150:], Y[150:])
    whole = EvidentialRuleClassifier(penalty=2.0).fit(X, Y, rules=RULES)
    assert clf.rules_.to_text() == whole.rules_.to_text()
    assert str(clf.expert_report_) == str(whole.expert_report_)
    clf.partial_fit(X[:9], Y[:9], rules="IF glucose < 100 THEN healthy")
    assert clf.rules_.is_expert.sum() == 1
    small = whole.with_size(2)
    assert (~small.rules_.is_expert).sum() <= 2
    assert small.rules_.is_expert.sum() == 5
    assert len(small.expert_report_) == 5
    kept = small.rules_.log_odds[small.rules_.is_expert]
    np.testing.assert_array_equal(kept, whole.rules_.log_odds[whole.rules_.is_expert])
    for model in (fitted, alone):
        rare = model.with_base_rates({"diabetic": 0.01, "healthy": 0.98, "unclear": 0.01})
        np.testing.assert_array_equal(rare.rules_.profile, model.rules_.profile)
        assert rare.predict_proba(X)[:, 0].mean() < model.predict_proba(X)[:, 0].mean()
    assert "rules" not in clone(fitted).get_params()
    assert not clone(fitted).fit(X, Y).rules_.is_expert.any()
    fused = EvidentialRuleClassifier(penalty=2.0, n_models=2).fit(X, Y, rules=RULES)
    assert fused.rules_.is_expert.sum() == 5
    np.testing.assert_allclose(
        fused.rules_.log_odds[order_of(fused.rules_)], whole.rules_.log_odds[order_of(whole.rules_)]
    )
    merged = whole.rules_.merge()
    assert merged.is_expert.sum() == 5
    scores = cross_val_score(
        EvidentialRuleClassifier(penalty=2.0), X, Y, cv=2, params={"rules": RULES}
    )
    assert (scores > 0.5).all()


def test_terms_of_ones_own_and_words():
    partition = {"glucose": {"normal": 90, "elevated": 110, "high": 140}}
    rules = "IF glucose is high THEN diabetic, reliability 0.9\nIF glucose <= 100 THEN healthy"
    clf = EvidentialRuleClassifier(partition=partition, penalty=2.0).fit(X, Y, rules=rules)
    texts = [clf.rules_.condition(i) for i in np.flatnonzero(clf.rules_.is_expert)]
    assert sorted(texts) == ["glucose is high (>= 125)", "glucose is normal (<= 100)"]
    high = texts.index("glucose is high (>= 125)")
    rows = X.head(4).assign(glucose=[110.0, 117.5, 125.0, 140.0])
    place = np.flatnonzero(clf.rules_.is_expert)[high]
    np.testing.assert_allclose(clf.membership(rows)[:, place], [0, 0.25, 0.5, 1])
    with pytest.raises(ValueError, match=r"line 1: .*got 105; near it .* ask in words or in num"):
        clf.fit(X, Y, rules="IF glucose >= 105 THEN diabetic")
    assert clf.rules_.is_expert.sum() == 2  # as it was
    words = EvidentialRuleClassifier(penalty=2.0).fit(X, Y, rules="IF age is high THEN diabetic")
    (place,) = np.flatnonzero(words.rules_.is_expert)
    assert words.rules_.condition(place).startswith("age is large (")
    own = EvidentialRuleClassifier.from_rules(
        "IF glucose is high THEN ill\nIF colour is not red THEN well",
        {"glucose": partition["glucose"], "colour": ["red", "blue", "white"], "spare": None},
    )
    found = own.predict(pd.DataFrame({"glucose": [150.0], "colour": ["red"], "spare": [1.0]}))
    assert found.tolist() == ["ill"]
    uniform = EvidentialRuleClassifier.from_rules(
        "IF age is very large THEN a\nIF age is at most small THEN b", {"age": (0, 80)}
    )
    assert uniform.rules_.condition(0) == "age is very large (>= 70)"


def test_numbers_beside_terms_that_a_user_counted():
    clf = EvidentialRuleClassifier(n_terms=5, penalty=1.0).fit(X, Y, rules=RULES)
    degrees = clf.membership(near_borders(OTHERS))[:, order_of(clf.rules_)]
    assert np.isin(degrees, [0, 1]).all()
    uniform = EvidentialRuleClassifier(partition="uniform", penalty=1.0).fit(X, Y, rules=RULES)
    assert np.isin(uniform.membership(OTHERS)[:, order_of(uniform.rules_)], [0, 1]).all()


def test_columns_without_values_and_without_change():
    frame = X.assign(glucose=np.nan, age=50.0)
    rules = (
        "IF glucose >= 140 THEN diabetic\nIF age < 60 AND count > 1 THEN healthy\nIF age is "
        "70 to 80 THEN diabetic"
    )
    clf = EvidentialRuleClassifier(penalty=2.0).fit(frame, Y, rules=rules)
    counts = {f.rule.split(" THEN")[0]: f.n_applies for f in clf.expert_report_}
    expected = {
        "IF glucose is at least 140": 0,
        "IF age is less than 60 AND count is more than 1": int((X["count"] > 1).sum()),
        "IF age is 70 to 80": 0,
    }
    assert counts == expected
    assert np.isfinite(clf.predict_proba(X)).all()


def test_rare_categories_are_told_apart():
    rng = np.random.default_rng(0)
    towns = rng.choice([f"t{i}" for i in range(30)], 400, p=[0.5, *[0.5 / 29] * 29])
    frame = pd.DataFrame({"town": towns, "x": rng.normal(size=400)})
    y = (frame.x > 0).astype(int).to_numpy()
    rule = "IF town is t3 or t17 THEN 1"
    clf = EvidentialRuleClassifier(penalty=4.0).fit(frame, y, rules=rule)
    (place,) = np.flatnonzero(clf.rules_.is_expert)
    assert clf.rules_.condition(place) == "town is t17 or t3"
    np.testing.assert_array_equal(clf.membership(frame)[:, place], frame.town.isin(["t3", "t17"]))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("IF glucos >= 5 THEN healthy", "line 1: there is no feature 'glucos'; the nearest is 'gl"),
        ("\nIF age >= 5 THEN helthy", "line 2: there is no class 'helthy'; the nearest is 'healt"),
        ("IF town is Uxx THEN healthy", "line 1: 'town' has no 'Uxx'; the nearest is 'Ux'"),
        ("IF age is hugh THEN healthy", "line 1: 'age' has no 'hugh'"),
        ("IF anything THEN healthy", "line 1: an expert's rule must have a condition"),
        ("IF town is Ux or Vee or Wye THEN healthy", "line 1: .*asks nothing"),
        ("IF age is high AND glucose > 9 THEN healthy\nIF age > 43.21 THEN diabetic", "line 2: .*"),
        (5, "rules must be a text"),
    ],
)
def test_wrong_rules_are_refused_and_nothing_is_lost(rules, message):
    clf = EvidentialRuleClassifier(penalty=4.0)
    with pytest.raises((ValueError, TypeError), match=message):
        clf.fit(X, Y, rules=rules)
    assert not hasattr(clf, "rules_")


def test_learned_rules_are_weighed_beside_the_experts():
    """No learned rule would do better with a little more or less to say."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.random(400), "b": rng.random(400)})
    y = (frame.a + 0.5 * frame.b + rng.normal(0, 0.15, 400) > 0.8).astype(int).to_numpy()
    rule = "IF a >= 0.4 THEN 1, reliability 0.95, worth 100000"
    clf = EvidentialRuleClassifier(penalty=1.0, support=None).fit(frame, y, rules=rule)
    rules, degrees = clf.rules_, clf.membership(frame)
    learned = np.flatnonzero(~rules.is_expert)
    assert len(learned) >= 2
    price = 0.9 * (1 + 0.6 * rules.asks.sum(axis=1))

    def objective(profile):
        scores = np.log(rules.base_rates) + (degrees - rules.neutral) @ profile
        scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        sizes = np.abs(profile[learned, 1] - profile[learned, 0])
        return -scores[np.arange(400), y].sum() + (price[learned] * sizes).sum()

    best = objective(rules.profile)
    for k in learned:
        for factor in (0.8, 1.25):
            changed = rules.profile.copy()
            changed[k] *= factor
            assert objective(changed) > best - 0.02


def test_rules_grow_where_experts_leave_something_to_say():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.random(300), "b": rng.random(300)})
    y = np.where(frame.a >= 0.5, "high", "low")
    rules = """IF a >= 0.5 THEN high, reliability 0.999, worth 100000
    IF a < 0.5 THEN low, reliability 0.999, worth 100000"""
    clf = EvidentialRuleClassifier().fit(frame, y, rules=rules)
    assert clf.path_["n_rules"][clf.path_["penalty"] >= 1].max() == 0
    assert (clf.path_["log_loss"] < 0.01).all()
    assert clf.rules_.is_expert.sum() == 2
    assert clf.score(frame, y) == 1
    constant = EvidentialRuleClassifier().fit(frame.assign(a=1.0, b=1.0), y, rules=rules)
    assert np.isfinite(constant.predict_proba(frame)).all()
