"""Quality of rules on data: statistics, importance, summary."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    IntervalVariables,
    UCSClassifier,
)
from fuzzyucs.decisions import Weighted
from fuzzyucs.rules import ProfiledRuleSet, WeightedRuleSet
from rule_models import KINDS, NAMES, X, Y, brute_degrees, counted_degrees, written


def test_assess_finds_sums_of_degrees(rules):
    x, y = X[::2], Y[::2]  # not what they were trained on
    assessed = rules.assess(x, y)
    degrees = counted_degrees(rules, x)
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
    elif isinstance(rules, ProfiledRuleSet):
        assert_allclose(assessed.fitness, 2 * assessed.weights.max(axis=1) - 1)
        assert_array_equal(assessed.profile, rules.profile)
        assert_array_equal(assessed.neutral, rules.neutral)
        amounts = (degrees - rules.neutral)[:, :, None] * rules.profile
        assert_allclose(assessed.evidence, np.ptp(amounts, axis=2).sum(axis=0), rtol=1e-9)
        assert_array_equal(assessed.class_rows, [np.sum(y == c) for c in rules.classes])
        true = rules.variables.holds(rules.conditions, x.to_numpy())
        rows = [[np.sum(true[y == c, k]) for c in rules.classes] for k in range(len(rules))]
        assert_array_equal(assessed.applies, rows)
        best = rules.profile[np.arange(len(rules)), assessed.consequent]
        assert_array_equal(best, rules.profile.max(axis=1))
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
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted", missing="belief")
    rules = clf.fit(known, Y[known.index]).weighted_rules_
    assert rules.variables.is_believed.any()
    degrees = brute_degrees(rules, X)
    assert_allclose(rules.assess(X, Y).experience, degrees.sum(axis=0))
    assert_allclose(rules.quality(X, Y)["coverage"], degrees.mean(axis=0))


def test_missing_values_count_for_profiles_as_they_do_in_decisions(models):
    clf = models["evidential"]
    assert X.isna().any(axis=None)
    expected = clf.membership(X).sum(axis=0)
    assert_allclose(clf.rules_.assess(X, Y).experience, expected)
    assert (np.abs(brute_degrees(clf.rules_, X).sum(axis=0) - expected) > 1).any()


@pytest.mark.parametrize("class_weight", [None, {"low": 3.0, "middle": 1.0, "high": 0.5}])
def test_assessing_on_the_training_data_changes_nothing(class_weight):
    clf = EvidentialRuleClassifier(class_weight=class_weight, penalty=2.0, random_state=0).fit(X, Y)
    assessed = clf.rules_.assess(X, Y)  # texts count real rows
    assert_array_equal(assessed.class_rows, clf.rules_.class_rows)
    assert assessed.to_text() == clf.rules_.to_text()
    for name in clf.rules_.array_names():
        assert_allclose(getattr(assessed, name), getattr(clf.rules_, name), rtol=1e-9, atol=1e-12)


def test_assess_goes_by_rows_in_any_portions(models, monkeypatch):
    rules = models["evidential"].rules_
    whole = rules.assess(X, Y)
    monkeypatch.setattr("fuzzyucs.rules.labelled_rows.MOST_DEGREES", 7 * len(rules))
    parts = rules.assess(X, Y)
    assert_allclose(parts.class_experience, whole.class_experience, rtol=1e-12)
    assert_allclose(parts.evidence, whole.evidence, rtol=1e-12)
    matched = (counted_degrees(rules, X) >= 0.5).sum(axis=0)
    assert_array_equal(rules.quality(X, Y)["matched"], matched)


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
        # However little experience tells the kind.
        young = replace(assessed, experience=assessed.experience / assessed.experience.max())
        assert_allclose(young.assess(X, Y).fitness, assessed.fitness)


def test_rules_that_match_nothing_keep_what_is_sensible(models):
    few = X.to_numpy()[:1].copy()
    few[0, :3] = 0.0, 1.0, 0.0
    for kind in KINDS:
        rules = models[kind].deciding_rules
        assessed = rules.assess(few, Y[:1])
        silent = assessed.experience == 0
        assert silent.any()
        assert_array_equal(assessed.class_experience[silent], 0)
        if isinstance(rules, ProfiledRuleSet):
            assert_array_equal(assessed.weights[silent], 0)
            assert_array_equal(assessed.applies[silent], 0)
            assert_array_equal(assessed.profile, rules.profile)
            assert "applies to 0 of 1)" in assessed[silent].sentence(0)
            continue
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


def test_rows_without_weight_do_not_count(rules):
    is_odd = np.arange(len(Y)) % 2
    weighted, odd = rules.assess(X, Y, sample_weight=is_odd), rules.assess(X[1::2], Y[1::2])
    assert_allclose(weighted.class_experience, odd.class_experience, atol=1e-12)


def test_weights_of_rows_are_checked(models):
    rules = models["fuzzy"].rules_
    with pytest.raises(ValueError, match="sample_weight must hold finite numbers"):
        rules.assess(X, Y, sample_weight=np.full(len(Y), -1.0))
    with pytest.raises(ValueError, match=r"sample_weight .* of the 150 rows, got shape \(3,\)"):
        rules.assess(X, Y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="sample_weight must hold numbers"):
        rules.assess(X, Y, sample_weight=["much"] * len(Y))


def concluded(rules, k):
    """What a rule says, read from its text, and which rows are so."""
    said = rules.sentence(k).split(" THEN ")[1].split(" (")[0]
    name = said.removeprefix("not ")
    return said, (name != Y if said != name else name == Y)


def test_of_two_classes_no_rule_is_against_one():
    """It speaks for the other one, even if a profile has no positive number."""
    known = written()
    rules = ProfiledRuleSet.of(
        known.variables,
        known.classes,
        known.conditions[:2],
        profile=np.array([[-1.0, 0.0], [1.0, -1.0]]),
        neutral=np.full(2, 0.5),
        evidence=np.array([2.0, 1.0]),
        class_experience=known.class_experience[:2],
        applies=known.class_experience[:2].astype(np.int64),
        base_rates=np.array([0.4, 0.6]),
        class_rows=np.array([40, 60]),
        answer_threshold=0.9,
    )
    assert rules.is_against.tolist() == [False, False]
    assert [rules.label(k) for k in range(2)] == ["yes", "no"]


def test_quality_of_rules_against_a_class_is_that_of_their_text(models):
    rules = models["evidential"].rules_
    # Beside what it says now, a rule that speaks against the class of the first alone.
    profile = np.where(np.arange(3) == rules.consequent[0], -1.0, 0.0)
    against = replace(rules, profile=np.vstack([profile, rules.profile[1:]]))
    assert against.is_against[0]
    quality = against.quality(X, Y)
    said, mine = concluded(against, 0)
    assert said == f"not {rules.classes[rules.consequent[0]]}" == quality["class"][0]
    degree = counted_degrees(against, X)[:, 0]
    assert quality["accuracy"][0] == pytest.approx(degree[mine].sum() / degree.sum())
    assert quality["recall"][0] == pytest.approx(degree[mine].sum() / mine.sum())
    assert quality["lift"][0] == pytest.approx(quality["accuracy"][0] / mine.mean())
    assert quality["class"][1:].tolist() == [concluded(against, k)[0] for k in range(1, len(rules))]


def test_quality_is_what_a_loop_counts(rules):
    quality = rules.quality(X, Y)
    degrees = counted_degrees(rules, X)
    for k, row in quality.iterrows():
        said, mine = concluded(rules, k)
        matched = degrees[:, k].sum()
        accuracy = degrees[mine, k].sum() / matched if matched else np.nan
        assert row["class"] == said
        assert row["sentence"] == f"IF {rules.condition(k)} THEN {said}"
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
    if isinstance(rules, WeightedRuleSet | ProfiledRuleSet):
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


@pytest.mark.parametrize("kind", ["evidential", "weighted"])
def test_rules_with_most_evidence_come_first(models, kind):
    evidence = models[kind].deciding_rules.evidence
    assert len(evidence) > 2
    assert (np.diff(evidence) <= 0).all()


def test_importance_agrees_with_the_estimator(models):
    clf = models["evidential"]
    assert_array_equal(clf.rules_.importance().to_numpy(), clf.feature_importances_)


def test_summary():
    assert written().summary().splitlines() == [
        "4 rules with 0 to 3 conditions (mean 1.5)",
        "Rules per class: no 2, yes 2",
        "Most important features: size 58 %, constant 33 %, age 4.3 %, colour 4.3 %",
        "80 % of the evidence: 2 rules",
    ]
    assert written()[2].summary() == ("1 rule with 0 conditions\nRules per class: no 1, yes 0")
    assert written()[:0].summary() == "No rules"


def test_eighty_percent_of_the_evidence(rules):
    carried = sorted(rules.carried_evidence(), reverse=True)
    needed = next(n for n in range(1, len(carried) + 1) if sum(carried[:n]) >= 0.8 * sum(carried))
    assert f"80 % of the evidence: {needed} rule" in rules.summary()


# Passing on
