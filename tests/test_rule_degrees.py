"""Degrees of rules in blocks of rows, against degrees by hand, and what is summed from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition, _core
from fuzzyucs.estimators import blocks
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.evidence import support as support_module
from fuzzyucs.evidence.profiles import fit_profiles, fit_rule_profiles
from fuzzyucs.evidence.support import Support
from fuzzyucs.variables.coding import accepted_terms, as_run, every_term
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names
from fuzzyucs.variables.table import Table

SEEDS = st.integers(0, 2**32 - 1)
BLOCK = 64  # rows of a native block; tables have more, and no multiple of it


def table_and_rules(seed, n_rows=150):
    """A table with gaps, variables with sets, runs and categories, and conditions on them."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 5))
    X = rng.normal(size=(n_rows, n_features)).round(2)
    X[:, 0] = rng.integers(0, 6, n_rows)
    variables = {0: LinguisticVariable(np.arange(6.0), term_names(6), is_nominal=True)}
    for feature in range(1, n_features):
        n_terms = int(rng.choice([2, 5, 64, 65, 200]))
        peaks = np.sort(rng.normal(size=n_terms))
        variables[feature] = LinguisticVariable(peaks, tuple(map(str, range(n_terms))))
    X[rng.random(X.shape) < rng.choice([0.0, 0.02, 0.4])] = np.nan
    partition = LinguisticPartition.of_variables(X, [f"x{i}" for i in range(n_features)], variables)
    conditions = np.empty((int(rng.integers(0, 9)), n_features), dtype=np.uint64)
    for rule, feature in np.ndindex(conditions.shape):
        n = int(partition.n_terms[feature])
        low, high = np.sort(rng.integers(0, n, 2)).tolist()
        some = as_run(low, high, n)
        if n <= 64:
            some = int(rng.integers(1, every_term(n), dtype=np.uint64, endpoint=True))
        conditions[rule, feature] = every_term(n) if rng.random() < 0.4 else some
    return X, partition, conditions, rng


def degrees_by_hand(partition, conditions, positions, ratio):
    """Products of sums of triangles; where values are missing, of what is believed."""
    degrees = np.ones((len(positions), len(conditions)))
    for row, rule in np.ndindex(degrees.shape):
        fit, is_open = 1.0, False
        for feature in range(partition.n_features):
            n, code = int(partition.n_terms[feature]), int(conditions[rule, feature])
            accepted = accepted_terms(code, n)
            if accepted.all():
                continue
            position = positions[row, feature]
            if not np.isnan(position):
                truths = np.maximum(1 - np.abs(position - np.arange(n)), 0)
                degrees[row, rule] *= truths[accepted].sum()
            elif partition.believed_features[feature]:
                belief = partition.forest.believe(positions[row : row + 1], feature)[0]
                fit, is_open = fit * min(belief[accepted].sum(), 1.0), True
        if is_open:
            degrees[row, rule] *= min(1.0, fit if ratio is None else ratio[rule] * fit)
    return degrees


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.booleans(), st.booleans())
def test_degrees_by_hand(seed, has_beliefs, is_dependent):
    X, partition, conditions, rng = table_and_rules(seed)
    if has_beliefs:
        partition = partition.with_beliefs(X, rng.choice(["belief", "mean"]))
    ratio = rng.uniform(0, 3, len(conditions)) if is_dependent else None
    positions = partition.positions(X)
    found = partition.rule_degrees(conditions, ratio).membership(positions)
    assert_allclose(
        found, degrees_by_hand(partition, conditions, positions, ratio), rtol=1e-12, atol=1e-12
    )
    alone = [partition.rule_degrees(conditions, ratio).membership(p[np.newaxis]) for p in positions]
    assert_array_equal(found, np.concatenate(alone))


def test_positions_beyond_the_terms_count_as_the_outermost():
    rules = _core.RuleDegrees(
        np.array([3], dtype=np.uint32), np.array([[0b001], [0b100], [0b101]], dtype=np.uint64)
    )
    positions = np.array([[-7.0], [0.25], [1.0], [9.0], [np.nan]])
    expected = [[1, 0, 1], [0.75, 0, 0.75], [0, 0, 0], [0, 1, 1], [1, 1, 1]]
    assert_array_equal(rules.membership(positions), expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_terms": [1]}, "n_terms must lie between 2 and 255"),
        ({"n_terms": []}, "n_terms must not be empty"),
        ({"conditions": [[0b1000]]}, "conditions is out of range"),
        ({"conditions": [[1, 1]]}, "conditions has the wrong shape"),
        ({"dependence": [1.0, 1.0]}, "dependence has the wrong length"),
        ({"dependence": [-1.0]}, "dependence is out of range"),
    ],
)
def test_what_is_no_rule_is_refused(changes, message):
    arguments = {"n_terms": [3], "conditions": [[1]], "dependence": [1.0]} | changes
    with pytest.raises(ValueError, match=message):
        _core.RuleDegrees(
            np.array(arguments["n_terms"], dtype=np.uint32),
            np.array(arguments["conditions"], dtype=np.uint64),
            dependence=np.array(arguments["dependence"]),
        )


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_sums_are_those_of_all_degrees(seed):
    X, partition, conditions, rng = table_and_rules(seed)
    partition = partition.with_beliefs(X)
    rules, positions = partition.rule_degrees(conditions), partition.positions(X)
    degrees = rules.membership(positions)
    labels = rng.integers(0, 3, len(X)).astype(np.uint32)
    weight, mean = rng.exponential(size=len(X)), rng.random(len(conditions))
    asks = ~partition.dont_cares(conditions)
    lacks = (np.isnan(positions)[:, np.newaxis] & asks).any(axis=2)
    known, total = rules.known_sums(positions, labels, 3, weight)
    for label in range(3):
        counts = weight[:, np.newaxis] * ~lacks * (labels == label)[:, np.newaxis]
        assert_allclose(known[:, label], (degrees * counts).sum(axis=0), atol=1e-9)
        assert_allclose(total[:, label], counts.sum(axis=0), atol=1e-9)
    by_class, shift = rules.class_sums(positions, labels, 3, mean)
    for label in range(3):
        assert_allclose(by_class[:, label], degrees[labels == label].sum(axis=0), atol=1e-9)
    assert_allclose(shift, np.abs(degrees - mean).sum(axis=0), atol=1e-9)
    order = rng.permutation(len(X))
    for one, other in zip(
        (
            *rules.known_sums(positions, labels, 3, weight),
            *rules.class_sums(positions, labels, 3, mean),
        ),
        (
            *rules.known_sums(positions[order], labels[order], 3, weight[order]),
            *rules.class_sums(positions[order], labels[order], 3, mean),
        ),
        strict=True,
    ):
        assert_array_equal(one, other)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_profiles_of_rules_are_those_of_their_degrees(seed):
    X, partition, conditions, rng = table_and_rules(seed)
    rules, positions = partition.rule_degrees(conditions), partition.positions(X)
    labels = rng.integers(0, 2, len(X)).astype(np.uint32)
    options = {
        "penalty": rng.uniform(0.1, 2, len(conditions)),
        "neutral": rng.random(len(conditions)),
        "sample_weight": rng.exponential(size=len(X)),
    }
    one = fit_rule_profiles(rules, positions, labels, 2, **options)
    other = fit_profiles(rules.membership(positions), labels, 2, **options)
    assert_array_equal(one.profile, other.profile)
    assert one.objective == other.objective


def test_weighing_makes_no_table_of_rows_times_rules(monkeypatch):
    X, partition, _, rng = table_and_rules(5, 3000)

    class Watched:
        def __init__(self, rules):
            self.rules = rules

        def __getattr__(self, name):
            return getattr(self.rules, name)

        def membership(self, positions):
            assert len(positions) == 1
            return self.rules.membership(positions)

    usual = LinguisticPartition.rule_degrees
    monkeypatch.setattr(
        LinguisticPartition, "rule_degrees", lambda *arguments: Watched(usual(*arguments))
    )
    sizes = []
    holds = LinguisticPartition.holds
    monkeypatch.setattr("fuzzyucs.rules.labelled_rows.MOST_TRUTHS", 1000)
    monkeypatch.setattr(
        LinguisticPartition,
        "holds",
        lambda variables, conditions, rows: (
            sizes.append(len(conditions) * len(rows)) or holds(variables, conditions, rows)
        ),
    )
    labels = rng.integers(0, 2, len(X)).astype(np.uint32)
    data = TrainingData(np.array([0, 1]), Table.of(X), labels, np.ones(len(X)))
    conditions = np.array(
        [[1 << t, *map(every_term, partition.n_terms[1:].tolist())] for t in range(5)], np.uint64
    )
    Weighing(data, partition.with_beliefs(X)).finish(conditions, np.zeros((5, 2)), 1e-3, None)
    assert sizes
    assert max(sizes) <= 1000


# Novelty


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_novelty_follows_from_the_parts(seed):
    """The score of a record is the sum of its parts, though it comes from a product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] = rng.integers(0, 4, 200)
    X[:, 3] = rng.choice([1.0, np.nan])
    X[rng.random(X.shape) < rng.choice([0.0, 0.2])] = np.nan
    found = Support.fit(X, list("abcd"))
    rows = X * rng.choice([1.0, 1.0, 3.0, 1e6], (200, 1))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    score = found.parts(rows).sum(axis=1)
    expected = np.interp(score, found.scores, found.levels)
    beyond = np.maximum(score - found.scores[-1], 0) / found.tail
    share = 1 - (1 - found.levels[-1] ** support_module.EXPONENT) * np.exp(-beyond)
    expected = np.where(beyond > 0, share ** (1 / support_module.EXPONENT), expected)
    assert_allclose(found.novelty(rows), expected, atol=1e-9)
    alone = [found.novelty(row[np.newaxis])[0] for row in rows[:70]]
    assert_array_equal(found.novelty(rows)[:70], alone)


def test_of_many_rows_some_tell_what_is_usual(monkeypatch):
    X = np.random.default_rng(0).normal(size=(2000, 3))
    X[-1] = 50.0
    whole = Support.fit(X, list("abc"))
    monkeypatch.setattr(support_module, "MOST_ROWS", 500)
    some = Support.fit(X, list("abc"))
    assert_array_equal(some.known.maximum, whole.known.maximum)
    usual = X[:-1]
    assert np.abs(some.novelty(usual) - whole.novelty(usual)).mean() < 0.03
    assert some.novelty(usual).mean() < 0.06


# Blocks of rows


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_large_tables_are_answered_like_small_ones(n_jobs, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 0] + X[:, 1] > rng.normal(0, 0.5, 1500), "b", "a")
    X[rng.random(X.shape) < 0.1] = np.nan
    clf = EvidentialRuleClassifier(penalty=4.0, random_state=0, n_jobs=n_jobs).fit(X, y)
    once = clf.answer(X)
    assert (clf.predict(X) == y).mean() > 0.7
    monkeypatch.setattr(blocks, "MOST_VALUES", 0)  # several blocks
    labels, probability, evidence = clf.answer(X)
    assert_array_equal(labels, once.labels)
    assert_array_equal(probability, once.probability)
    for name in ("mass", "ignorance", "novelty", "contradiction", "n_missing", "log_agreement"):
        assert_array_equal(getattr(evidence, name), getattr(once.evidence, name), err_msg=name)
    assert_array_equal(clf.predict(X), once.labels)
    assert_array_equal(clf.predict_proba(X), once.probability)
    assert_array_equal(clf.predict_evidence(X).mass, once.evidence.mass)
    averaged = clf.predict_evidence(X, combination="average")
    assert_array_equal(averaged[:5].mass, clf.predict_evidence(X[:5], combination="average").mass)
