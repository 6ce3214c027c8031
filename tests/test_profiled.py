"""Rules with class profiles together: pooling by hand, and one coherent answer."""

import functools
import math
import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition, ProfiledRuleSet
from fuzzyucs.decisions import Profiled
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.variables.table import Table
from soaking import only
from tables import table_by_chance

SEEDS = st.integers(0, 2**32 - 1)
# Some of the tables have gaps that depend on the class.
pytestmark = pytest.mark.filterwarnings("ignore:whether values are missing depends on the class")


def rules_by_chance(seed):
    """Rules with any profiles, about a table with gaps; some entries and some rates are 0."""
    rng = np.random.default_rng(seed)
    n_features, n_classes = int(rng.integers(1, 5)), int(rng.integers(2, 6))
    X = rng.normal(size=(60, n_features)).round(1)
    X[:, 0] = rng.integers(0, 3, 60)
    X[rng.random(X.shape) < rng.choice([0.0, 0.3])] = np.nan
    names = [f"x{i}" for i in range(n_features)]
    partition = LinguisticPartition.of(X, names, n_terms=4, nominal_features=[0])
    partition = partition.with_beliefs(X, rng.choice(["belief", "mean"]))
    n_rules = int(rng.integers(0, 8))
    every = (1 << partition.n_terms.astype(int)) - 1
    conditions = np.where(
        rng.random((n_rules, n_features)) < 0.5,
        every,
        rng.integers(1, every + 1, (n_rules, n_features)),
    ).astype(np.uint32)
    profile = rng.normal(0, 2, (n_rules, n_classes)) * (rng.random((n_rules, n_classes)) < 0.6)
    base_rates = rng.dirichlet(np.ones(n_classes))
    if rng.random() < 0.2:
        base_rates[0] = 0
        base_rates /= base_rates.sum()
    nothing = np.full((1, n_features), np.nan)
    rules = ProfiledRuleSet.of(
        partition,
        np.arange(n_classes),
        conditions,
        profile=profile,
        neutral=partition.degrees(conditions, nothing)[0],
        evidence=np.zeros(n_rules),
        class_experience=rng.random((n_rules, n_classes)),
        applies=np.ones((n_rules, n_classes), dtype=np.int64),
        base_rates=base_rates,
        class_rows=np.full(n_classes, 9),
        answer_threshold=0.8,
    )
    rows = np.where(rng.random((30, n_features)) < 0.3, np.nan, X[:30])
    return rules, partition.positions(np.vstack([rows, nothing]))


def pooled_by_hand(degrees, known, rules):
    """Scores, least, greatest, contradiction and moderation of one record."""
    n_classes = len(rules.classes)
    parts = [
        [(mu - mean) * beta for beta in profile]
        for mu, mean, profile in zip(degrees, rules.neutral, rules.profile, strict=True)
    ]
    scores = [sum(part[c] for part in parts) for c in range(n_classes)]
    with np.errstate(divide="ignore"):
        whole = np.log(rules.base_rates) + scores
    best, second = np.argsort(-whole, kind="stable")[:2]
    between = [part[best] - part[second] for part in parts]
    size = sum(map(abs, between))
    cancelled = (size - abs(sum(between))) / (size + 2)
    lead = rules.profile[:, best] - rules.profile[:, second]
    variance = sum(
        mu * (most - mu) * d**2 for mu, most, d in zip(degrees, known, lead, strict=True)
    )
    times = 1 / math.sqrt(1 + math.pi * variance / 8)
    least, greatest = sum(map(min, parts)), sum(map(max, parts))
    moderated = [times * score for score in scores], times * least, times * greatest
    return *moderated, cancelled, times, whole


def has_several_next_classes(whole):
    ordered = np.sort(whole)[::-1]
    return len(ordered) > 2 and ordered[1] - ordered[2] < 1e-9


def test_a_rule_that_matches_as_much_as_neutral_matches_no_more():
    rules, positions = rules_by_chance(5)
    one = positions[~np.isnan(positions).any(axis=1)][:1]
    level = replace(rules, neutral=rules.freeze().membership(one)[0])
    _, *entries = Profiled(level).entries(np.zeros(one.shape[1]), one)
    assert len(entries) == len(rules) > 2
    assert {entry.kind for entry in entries} == {"matches less"}
    assert not any(entry.amounts.any() for entry in entries)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_pooling_by_hand(seed):
    rules, positions = rules_by_chance(seed)
    decision = Profiled(rules)
    scores, least, greatest, contradiction, moderation, _ = decision.pool(positions)
    degrees = rules.freeze().membership(positions)
    known = rules.without_beliefs().freeze().membership(positions)
    for row in range(len(positions)):
        expected = pooled_by_hand(degrees[row], known[row], rules)
        if has_several_next_classes(expected[5]):
            continue
        assert_allclose(scores[row], expected[0], atol=1e-12)
        assert least[row] == pytest.approx(expected[1], abs=1e-12)
        assert greatest[row] == pytest.approx(expected[2], abs=1e-12)
        assert contradiction[row] == pytest.approx(expected[3], abs=1e-9)
        assert moderation[row] == pytest.approx(expected[4], abs=1e-12)
        assert np.isnan(positions[row]).any() or moderation[row] == 1
    assert ((contradiction >= 0) & (contradiction <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_masses_by_hand(seed):
    rules, positions = rules_by_chance(seed)
    labels, probability, evidence = Profiled(rules).answer(positions)
    degrees = rules.freeze().membership(positions)
    known = rules.without_beliefs().freeze().membership(positions)
    a = rules.base_rates
    for row in range(len(positions)):
        scores, least, greatest, *_, whole = pooled_by_hand(degrees[row], known[row], rules)
        if has_several_next_classes(whole):
            continue
        total = a @ np.exp(scores)
        mass = a * (np.exp(scores) - np.exp(least)) / total
        assert_allclose(evidence.belief[row], mass, rtol=1e-9, atol=1e-12)
        assert evidence.ignorance[row] == pytest.approx(np.exp(least) / total, rel=1e-9)
        assert_allclose(probability[row], a * np.exp(scores) / total, rtol=1e-9, atol=1e-12)
        assert evidence.log_agreement[row] == pytest.approx(
            min(0, np.log(total) - greatest), abs=1e-9
        )
    assert_array_equal(labels, probability.argmax(axis=1))
    assert_coherent(evidence)
    asked = rules.asks.any(axis=0)
    assert_array_equal(evidence.n_missing, np.isnan(positions[:, asked]).sum(axis=1))
    # Nothing is known of the last record.
    assert evidence.ignorance[-1] == 1
    assert_array_equal(evidence.probability[-1], a)


def assert_coherent(evidence):
    assert (evidence.belief >= 0).all()
    assert ((evidence.ignorance >= 0) & (evidence.ignorance <= 1)).all()
    assert_allclose(evidence.belief.sum(axis=1) + evidence.ignorance, 1, atol=1e-12)
    expected = evidence.belief + evidence.base_rates * evidence.ignorance[:, np.newaxis]
    assert_allclose(evidence.probability, expected, atol=1e-12)
    assert_allclose(evidence.probability.sum(axis=1), 1, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_the_order_of_evidence_does_not_matter(seed):
    """Commonalities of two halves of the rules, multiplied, are those of all, before moderation."""
    rules, positions = rules_by_chance(seed)
    half = len(rules) // 2

    def commonalities(some):
        scores, least, greatest, _, moderation, _ = Profiled(some).pool(positions)
        return scores / moderation[:, np.newaxis], least / moderation, greatest / moderation

    first, second = commonalities(rules[:half]), commonalities(rules[half:])
    for whole, a, b in zip(commonalities(rules), first, second, strict=True):
        assert_allclose(np.exp(whole), np.exp(a) * np.exp(b), rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_sources_have_the_contours_of_the_rules(seed):
    """Commonalities of single rules, divided by their largest, as masses that sum to 1."""
    rules, positions = rules_by_chance(seed)
    masses, count = Profiled(rules).sources(positions)
    assert (count == 1).all()
    shift = rules.freeze().membership(positions) - rules.neutral
    for row, k in np.ndindex(shift.shape):
        q = np.exp(shift[row, k] * rules.profile[k])
        mass = (q - q.min()) / (q.sum() - (len(q) - 1) * q.min())
        assert_allclose(masses[row, k], mass, atol=1e-12)


# Fitted models


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["belief", "mean"]), st.sampled_from(["auto", None]))
def test_answers_of_fitted_models_are_coherent(seed, missing, support):
    frame, y, weight, rng = table_by_chance(seed)
    balanced = rng.choice([None, "balanced"])
    clf = EvidentialRuleClassifier(
        random_state=0, penalty=1.0, missing=missing, support=support, class_weight=balanced
    ).fit(frame, y, sample_weight=weight)
    rows = frame.copy()
    rows["a"] = rows["a"] * rng.choice([1.0, 1.0, 1.0, 30.0], len(rows))
    rows = rows.mask(rng.random(rows.shape) < rng.choice([0.0, 0.5, 1.0], (len(rows), 1)))
    evidence = clf.predict_evidence(rows)
    assert_coherent(evidence)
    assert_array_equal(evidence.base_rates, clf.base_rates_)
    assert_array_equal(clf.predict_proba(rows), evidence.probability)
    assert_array_equal(clf.predict(rows), clf.classes_[evidence.probability.argmax(axis=1)])
    assert_array_equal(evidence.decide(), clf.predict(rows))
    empty = frame.iloc[:1].mask(np.ones((1, frame.shape[1]), dtype=bool))
    nothing = clf.predict_evidence(empty)
    assert nothing.ignorance.tolist() == [1.0]
    assert_array_equal(nothing.probability[0], clf.base_rates_)
    assert_array_equal(nothing.belief[0], 0)
    assert nothing.verdict.tolist() == ["unknown"]
    again = pickle.loads(pickle.dumps(clf))
    assert_array_equal(again.predict_proba(rows), evidence.probability)


@pytest.mark.parametrize(
    ("missing", "gaps"),
    only([("belief", 0.05), ("mean", 0.3)], product(["belief", "mean"], [0.0, 0.05, 0.3])),
)
def test_of_an_empty_record_nothing_is_known_whatever_the_gaps_of_training(missing, gaps):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.where(rng.random(X.shape) < gaps * (1 + y[:, np.newaxis]), np.nan, X)
    clf = EvidentialRuleClassifier(random_state=0, missing=missing).fit(X, y)
    evidence = clf.predict_evidence(np.full((1, 30), np.nan))
    assert evidence.ignorance.tolist() == [1.0]
    assert_array_equal(evidence.probability[0], clf.base_rates_)
    assert_allclose(clf.base_rates_, np.bincount(y) / len(y), rtol=1e-15)
    assert (evidence.verdict[0], evidence.reason[0]) == ("unknown", "missing")
    assert evidence.n_missing[0] == clf.rules_.asks.any(axis=0).sum()


@functools.cache
def deletion_table(name):
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
    elif name == "wine":
        X, y = load_wine(return_X_y=True)
    else:
        X, y = load_iris(return_X_y=True)
    if name == "gaps by class":
        rng = np.random.default_rng(1)
        X = np.where(rng.random(X.shape) < np.array([0.05, 0.5, 0.1])[y][:, np.newaxis], np.nan, X)
    return train_test_split(X, y, random_state=0, test_size=0.4, stratify=y)


@pytest.mark.parametrize("missing", ["belief", "mean"])
@pytest.mark.parametrize("name", ["breast cancer", "wine", "iris", "gaps by class"])
def test_deleting_values_does_not_lower_ignorance_on_average(name, missing):
    train, test, y_train, _ = deletion_table(name)
    clf = EvidentialRuleClassifier(random_state=0, missing=missing).fit(train, y_train)
    rng = np.random.default_rng(0)
    found = []
    order = rng.random((20, *test.shape))  # one value after the other goes
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        holes = [np.where(one < share, np.nan, test) for one in order]
        evidence = clf.predict_evidence(np.concatenate(holes))
        found.append([evidence.weak_evidence.mean(), evidence.ignorance.mean()])
    rise = np.diff(found, axis=0)
    assert (rise[:, 0] > -1e-3).all(), found
    # A value that made a record novel may be among those that go.
    assert (rise[:, 1] > -5e-3).all(), found
    assert found[-1] == [1.0, 1.0]
    assert found[0][0] < 0.6


def test_several_models_are_averaged():
    """The log-odds of three models together, before moderation, are the means of those of each."""
    X, y = load_wine(return_X_y=True)
    options = {"penalty": 1.0, "support": None, "max_conditions": 2, "partition": "quantile"}
    together, weighed = [], []
    original = Weighing.fuse

    def remember(weighing, models):
        together.extend(models)
        weighed.append(weighing)
        return original(weighing, models)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Weighing, "fuse", remember)
        clf = EvidentialRuleClassifier(n_models=3, random_state=0, **options).fit(X, y)
    assert len(together) == 3
    assert len({len(model) for model in together} | {m.conditions.tobytes() for m in together}) > 1
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    positions = clf.rules_.variables.positions(rows)
    pools = [Profiled(model).pool(positions) for model in together]
    scores = np.mean([pool.scores / pool.moderation[:, np.newaxis] for pool in pools], axis=0)
    moderation = clf.decision.pool(positions).moderation[:, np.newaxis]
    assert (moderation < 1).any()
    assert_allclose(clf.decision.pool(positions).scores, moderation * scores, atol=1e-9)
    odds = clf.base_rates_ * np.exp(moderation * scores)
    assert_allclose(clf.predict_proba(rows), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
    # A rule that several have is kept once.
    conditions = np.concatenate([model.conditions for model in together])
    assert len(clf.rules_) == len(np.unique(conditions, axis=0)) < len(conditions)
    # Fusing a model with itself changes nothing.
    twice = original(weighed[0], together[:1] * 2)
    assert_allclose(
        Profiled(twice).probabilities(positions),
        Profiled(together[0]).probabilities(positions),
        atol=1e-12,
    )


def test_entries_sum_to_the_scores():
    frame, y, _, rng = table_by_chance(3, 150)
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(frame, y)
    table = clf.check_table(frame)
    positions = clf.rules_.variables.positions(table)
    scores, least, *_ = clf.decision.pool(positions)
    greatest = clf.rules_.without_beliefs().freeze().membership(positions)
    kinds = set()
    for row in range(30):
        base, *entries = clf.decision.entries(table[row], positions[[row]])
        assert base.text.startswith("base rates: ")
        assert_allclose(base.amounts, np.log(clf.base_rates_))
        assert_allclose(sum(entry.amounts for entry in entries), scores[row], atol=1e-12)
        assert sum(entry.undecided for entry in entries) == pytest.approx(least[row])
        for entry in entries:
            kinds.add(entry.kind)
            asks = clf.rules_.asks[entry.rule]
            mean = clf.rules_.neutral[entry.rule]
            # What is known rules out that the rule matches more than neutral, or leaves it open.
            is_open = np.isnan(positions[row, asks]).any() and greatest[row, entry.rule] > mean
            told = "matches more" if entry.degree > mean else "matches less"
            assert entry.kind == ("unknown" if is_open else told)
    assert kinds == {"matches more", "matches less", "unknown"}


# A rare class


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_rare_class_with_learnable_evidence_has_a_rule(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.random((1500, 4))
    y = (X[:, 1] > 0.5).astype(int) * (n_classes - 2)
    rare = (X[:, 0] > 0.93) & (rng.random(1500) < 0.8)
    y[rare] = n_classes - 1
    assert 0.03 < rare.mean() < 0.07
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    said = [clf.rules_.label(k) for k in range(len(clf.rules_))]
    assert str(n_classes - 1) in said
    assert clf.predict(X)[rare].tolist().count(n_classes - 1) > 0.5 * rare.sum()


def test_rules_of_one_condition_apply_to_the_smaller_part():
    """What they say does not change by it: degrees are the rest of 1, with gaps as well."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200), rng.random(200)])
    X[rng.random(X.shape) < 0.2] = np.nan
    partition = LinguisticPartition.of(X, list("abc"), n_terms=5, nominal_features=[1])
    labels = (rng.random(200) < 0.5).astype(np.uint32)
    data = TrainingData(np.array([0, 1]), Table.of(X), labels, np.ones(200))
    weighing = Weighing(data, partition.with_beliefs(X))
    every = [0b11111, 0b111, 0b11111]
    given = np.array(
        [
            [0b01111, every[1], every[2]],  # turned
            [every[0], 0b101, every[2]],  # turned: without order
            [0b00011, every[1], every[2]],  # applies to the smaller part
            [0b01110, every[1], every[2]],  # the rest is no run
            [0b01111, every[1], 0b01111],  # the rest is no rule
            every,
        ],
        dtype=np.uint64,
    )
    found = weighing.turned(given)
    assert found.dtype == np.uint64
    assert_array_equal(found[2:], given[2:])
    assert_array_equal(found[:2], [[0b10000, every[1], every[2]], [every[0], 0b010, every[2]]])
    variables, positions = weighing.variables, weighing.variables.positions(X)
    degrees, turned = (variables.degrees(rules, positions) for rules in (given, found))
    assert_allclose(turned[:, :2], 1 - degrees[:, :2], atol=1e-12)


# More than two classes that stay


def excluding_rules(n_excluded, *, one_each):
    """Ten classes and a yes-no feature; if it is yes, rules exclude some of the classes."""
    partition = LinguisticPartition.of(
        np.array([[0.0], [1.0]]), ["x"], n_terms=2, nominal_features=[0]
    ).with_beliefs(np.array([[0.0], [1.0]]))
    against = -8.0 * np.eye(10)[:n_excluded]
    profile = against if one_each else against.sum(axis=0, keepdims=True)
    n = len(profile)
    return ProfiledRuleSet.of(
        partition,
        np.array(list("ABCDEFGHIJ")),
        np.full((n, 1), 0b10, dtype=np.uint64),
        profile=profile,
        neutral=np.full(n, 0.5),
        evidence=np.ones(n),
        class_experience=np.ones((n, 10)),
        applies=np.ones((n, 10), dtype=np.int64),
        base_rates=np.full(10, 0.1),
        class_rows=np.full(10, 100),
        answer_threshold=0.75,
    )


@pytest.mark.parametrize("one_each", [False, True])
@pytest.mark.parametrize("n_excluded", [1, 5, 8])
def test_classes_that_no_rule_separates_are_undecided_and_not_torn(n_excluded, one_each):
    rules = excluding_rules(n_excluded, one_each=one_each)
    assert rules.is_against.all()
    evidence = Profiled(rules).answer(np.array([[1.0]])).evidence
    assert (evidence.verdict[0], evidence.reason[0]) == ("unknown", "undecided")
    assert evidence.contradiction[0] == 0
    left = evidence.probability[0, n_excluded:]
    assert_allclose(left, left[0])
    assert left.sum() > 0.8
    assert evidence.probability[0, :n_excluded].max() < left[0] / 10


@pytest.mark.parametrize("n_excluded", [5, 8])
def test_fitted_models_are_not_torn_between_classes_that_no_rule_separates(n_excluded):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 1000), rng.normal(size=(1000, 3))])
    y = np.where(X[:, 0] == 1, rng.integers(n_excluded, 10, 1000), rng.integers(0, 10, 1000))
    clf = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    new = np.column_stack([np.ones(300), rng.normal(size=(300, 3))])
    assert (clf.predict_evidence(new).verdict == "torn").mean() < 0.1
