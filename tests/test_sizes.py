"""Sizes: what held-out rows say about models of each, which one is taken, and smaller models."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, log_loss

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators.growth import RELAXED, Growth
from fuzzyucs.estimators.penalty_path import PATH, best_stage, follow_path
from fuzzyucs.estimators.sizes import size_path
from fuzzyucs.estimators.stage import Stage
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.weighing import CONDITION_COST
from fuzzyucs.evidence.profiles import fit_profiles
from fuzzyucs.variables.table import Table
from soaking import first

SEEDS = st.integers(0, 2**32 - 1)
RATES = np.array([0.9, 0.1])


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def large(cancer):
    """Return a model of some dozens of rules, without novelty."""
    return EvidentialRuleClassifier(random_state=0, support=None).fit(*cancer)


def assert_same_model(one, other, X):
    assert one.rules_.to_json() == other.rules_.to_json()
    assert one.penalty_ == other.penalty_
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


# The path


class Scripted(Growth):
    """A growth that knows how many rules it will find in each fold, and what they will say."""

    def __init__(self, data, counts, said):
        super().__init__(data, None, None)
        self.counts, self.said, self.n_begun = counts, said, 0

    def begin(self, _rows):
        self.n_begun += 1
        return {"fold": self.n_begun - 1, "stage": -1}

    def advance(self, search, _penalty, _most):
        search["stage"] += 1
        return self.counts[search["stage"]][search["fold"]]

    def probabilities(self, search, rows):
        return self.said[search["stage"]][rows]


@pytest.mark.parametrize("seed", range(5))
def test_the_path_has_measures_of_held_out_rows(seed):
    rng = np.random.default_rng(seed)
    n, n_classes, n_stages = 60, 3, 4
    labels = np.arange(n, dtype=np.uint32) % n_classes
    weight = rng.choice([0.5, 1.0, 3.0], n)
    data = TrainingData(np.arange(n_classes), Table.of(rng.random((n, 2))), labels, weight)
    said = rng.dirichlet(np.ones(n_classes), (n_stages, n))
    counts = rng.integers(1, 9, (n_stages, 6))
    growth = Scripted(data, counts, said)
    path = size_path(follow_path(growth, PATH[:4], is_asked=True, n_jobs=1, bar=None))
    assert growth.n_begun == 6
    assert_allclose(path["n_rules"], counts.mean(axis=1))
    assert_array_equal(path["penalty"], [penalty for penalty, _ in PATH[:4]])
    for stage, rates in enumerate(said):
        accuracy = accuracy_score(labels, rates.argmax(axis=1), sample_weight=weight)
        assert path["accuracy"][stage] == pytest.approx(accuracy)
        loss = log_loss(labels, rates, sample_weight=weight)
        assert path["log_loss"][stage] == pytest.approx(loss)


def test_the_path_of_a_model_goes_beyond_its_size(large):
    path = large.path_
    assert set(path) == {"n_rules", "accuracy", "log_loss", "penalty"}
    assert {len(values) for values in path.values()} == {len(path["penalty"])}
    (own,) = np.flatnonzero(path["penalty"] == large.penalty_)
    assert 0 < own < len(path["penalty"]) - 1
    # Log-loss and error of the size that was taken are the least.
    assert (path["log_loss"] + 1 - path["accuracy"]).argmin() == own
    assert path["n_rules"][own] == pytest.approx(len(large.rules_), rel=0.2)


def test_a_penalty_that_is_given_ends_the_path(cancer):
    clf = EvidentialRuleClassifier(penalty=10.0, random_state=0).fit(*cancer)
    assert clf.penalty_ == clf.path_["penalty"][-1] == 10.0
    assert len(clf.with_size(2).rules_) == 2


# Which size is taken


def stage_of(n_rules, losses):
    return Stage(1.0, 8, n_rules, 0.9, 0.1, 0.5, np.asarray(losses, dtype=float))


def taken(*stages):
    """Return the number of rules of the best stage."""
    return best_stage([stage_of(*stage) for stage in stages]).n_rules


# Differences from one row to the next: their standard deviation is 1.
UP, DOWN = [1.0, -1.0] * 50, [-1.0, 1.0] * 50


def worse_by(standard_errors):
    """Return losses of 100 rows that are so much worse than zeros."""
    return np.array(UP) + standard_errors / np.sqrt(100)


@pytest.mark.parametrize("sign", [UP, DOWN])
def test_readable_sizes_compete_by_loss_alone(sign):
    assert taken((10, worse_by(0.1)), (50, np.zeros(100))) == 50
    assert taken((10, np.zeros(100)), (50, sign), (300, sign)) == 10


@pytest.mark.parametrize(("excess", "n_rules"), [(0.99, 40), (1.01, 60)])
def test_more_rules_than_people_read_have_to_be_worth_it(excess, n_rules):
    assert taken((40, worse_by(excess)), (60, worse_by(0.5)), (90, np.zeros(100))) == n_rules


def test_among_large_sizes_the_smallest_that_chance_may_explain_is_taken():
    assert taken((60, worse_by(1.5)), (90, worse_by(0.9)), (120, np.zeros(100))) == 90
    assert taken((60, worse_by(1.5)), (90, worse_by(1.2)), (120, np.zeros(100))) == 120


def test_of_readable_sizes_only_the_best_comes_into_question():
    assert taken((10, worse_by(0.9)), (40, worse_by(0.2)), (90, np.zeros(100))) == 40


def test_differences_are_those_of_the_same_rows():
    """Losses vary much from row to row, but hardly from size to size."""
    rows = np.geomspace(1e-3, 1e3, 100)
    assert taken((40, rows + 0.01), (90, rows)) == 90
    assert taken((40, rows[::-1] + 0.01), (90, rows)) == 40


@settings(derandomize=True, deadline=None, max_examples=200)
@given(SEEDS)
def test_the_rule_in_plain_words(seed):
    rng = np.random.default_rng(seed)
    n_rules = np.sort(rng.choice(np.arange(1, 120), rng.integers(1, 8), replace=False))
    losses = rng.gamma(0.5, 1, 80) + rng.normal(0, 0.3, (len(n_rules), 80))
    means = losses.mean(axis=1)
    best = means.argmin()
    readable = np.flatnonzero(n_rules <= 50)
    candidates = list(np.flatnonzero(n_rules > 50))
    if len(readable):
        candidates.append(readable[means[readable].argmin()])
    excess = means - means[best]
    error = (losses - losses[best]).std(axis=1) / np.sqrt(80)
    allowed = [k for k in candidates if excess[k] <= error[k]]
    expected = best if n_rules[best] <= 50 else min(allowed)
    assert taken(*zip(n_rules, losses, strict=True)) == n_rules[expected]


# Smaller models


@pytest.mark.parametrize("n_rules", [1, 2, 3, 7, 12, 20, 30, np.int64(5)])
def test_a_smaller_model_has_so_many_rules(large, cancer, n_rules):
    X, y = cancer
    small = large.with_size(n_rules)
    assert len(small.rules_) == n_rules
    assert small.max_rules == n_rules
    assert small.penalty_ == large.penalty_  # by which they are weighed
    assert small.score(X, y) > 0.9
    assert small.path_ is large.path_


@pytest.mark.parametrize("n_rules", [1, 5, 20])
def test_probabilities_are_those_of_the_rules_of_the_smaller_model(large, cancer, n_rules):
    X, _ = cancer
    small = large.with_base_rates(RATES).with_size(n_rules)
    rules = small.rules_
    degrees = rules.variables.degrees(rules.conditions, rules.variables.positions(X))
    log_odds = np.log(RATES) + (degrees - rules.neutral) @ rules.profile
    assert_allclose(small.predict_proba(X), softmax(log_odds, axis=1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_rules", [1, 5, 20])
def test_the_rules_of_a_smaller_model_are_weighed_anew(large, cancer, n_rules):
    X, y = cancer
    small = large.with_size(n_rules)
    rules = small.rules_
    degrees = rules.variables.degrees(rules.conditions, rules.variables.positions(X))
    penalty = RELAXED * small.penalty_ * (1 + CONDITION_COST * rules.asks.sum(axis=1))
    alone = fit_profiles(degrees, y, 2, penalty=penalty)
    assert_allclose(rules.neutral, alone.neutral)
    assert_allclose(rules.profile, alone.profile, rtol=0, atol=0.2)

    def objective(profile):
        log_odds = np.log(rules.base_rates) + (degrees - rules.neutral) @ profile
        return log_loss(y, softmax(log_odds, axis=1), normalize=False) + np.sum(
            penalty * np.abs(profile).sum(axis=1)
        )

    assert objective(rules.profile) == pytest.approx(objective(alone.profile), abs=0.02)
    for factor in (0.9, 1.1):
        assert objective(factor * rules.profile) > objective(rules.profile) + 0.1


def test_the_model_itself_stays_as_it_is(large, cancer):
    before, parameters, said = dict(vars(large)), large.get_params(), large.predict_proba(cancer[0])
    large.with_size(3)
    assert vars(large) == before
    assert large.get_params() == parameters
    assert_array_equal(large.predict_proba(cancer[0]), said)


def test_a_smaller_model_can_be_made_smaller(large, cancer):
    assert_same_model(large.with_size(15).with_size(4), large.with_size(4), cancer[0])
    # It does not grow again.
    small = large.with_size(4)
    assert_same_model(small.with_size(15), small, cancer[0])


def test_as_many_rules_as_there_are_leave_all(large, cancer):
    for n_rules in (len(large.rules_), len(large.rules_) + 1, 10**9):
        same = large.with_size(n_rules)
        assert same is not large
        assert same.max_rules == n_rules
        assert_same_model(same, large, cancer[0])


def test_base_rates_are_kept(large, cancer):
    X, y = cancer
    one = large.with_base_rates(RATES).with_size(5)
    other = large.with_size(5).with_base_rates(RATES)
    assert_array_equal(one.base_rates_, RATES)
    assert_same_model(one, other, X)
    given_to_fit = EvidentialRuleClassifier(random_state=0, support=None, base_rates=RATES)
    assert_same_model(given_to_fit.fit(X, y).with_size(5), one, X)


def test_novelty_is_kept(cancer):
    X, y = cancer
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    small = clf.with_size(5)
    assert_array_equal(
        small.predict_evidence(5 * X[:9]).novelty, clf.predict_evidence(5 * X[:9]).novelty
    )


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_copies_without_training_data_refuse_clearly(large, cancer, copied):
    other = copied(large)
    assert_array_equal(other.path_["log_loss"], large.path_["log_loss"])
    with pytest.raises(ValueError, match=r"with_size .* saved or copied.* before you save it"):
        other.with_size(3)
    assert_same_model(other.with_size(1000), large, cancer[0])
    small = copied(large.with_size(3))
    assert_same_model(small, large.with_size(3), cancer[0])


def test_fused_models_have_no_smaller_one():
    X, y = load_iris(return_X_y=True)
    clf = EvidentialRuleClassifier(n_models=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"with_size needs a single model.*n_models"):
        clf.with_size(2)
    assert_same_model(clf.with_size(len(clf.rules_)), clf, X)


@pytest.mark.parametrize("n_rules", [0, -1, 1.5, 3.0, True, False, "3", None, np.nan])
def test_sizes_that_are_none_are_refused(large, n_rules):
    with pytest.raises(ValueError, match="n_rules must be a whole number from 1 on, got"):
        large.with_size(n_rules)


def test_a_model_has_to_be_fitted():
    with pytest.raises(NotFittedError):
        EvidentialRuleClassifier().with_size(3)


def test_parameters_are_those_of_any_estimator(large, cancer):
    X, y = cancer
    small = large.with_size(4)
    assert small.get_params() == large.get_params() | {"max_rules": 4}
    unfitted = clone(small)
    assert not hasattr(unfitted, "rules_")
    assert not hasattr(unfitted, "path_")
    assert unfitted.get_params() == small.get_params()
    assert_same_model(unfitted.fit(X, y), small, X)
    small.set_params(max_rules=None)
    assert_same_model(small.fit(X, y), large, X)


def test_files_hold_smaller_models(large, cancer, tmp_path):
    small = large.with_base_rates(RATES).with_size(6)
    small.save(tmp_path / "model.json")
    loaded = fuzzyucs.load(tmp_path / "model.json")
    assert loaded.get_params()["max_rules"] == 6
    assert_array_equal(loaded.base_rates_, RATES)
    for name, values in small.path_.items():
        assert_array_equal(loaded.path_[name], values)
    assert_same_model(loaded, small, cancer[0])
    with pytest.raises(ValueError, match="saved or copied"):
        loaded.with_size(2)


def test_data_that_come_later_give_other_sizes(cancer):
    X, y = cancer
    clf = EvidentialRuleClassifier(random_state=0, support=None)
    clf.partial_fit(X[:200], y[:200], classes=[0, 1])
    first = clf.with_size(4)
    clf.partial_fit(X[200:], y[200:])
    whole = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    assert_same_model(clf.with_size(4), whole.with_size(4), X)
    assert first.rules_.class_rows.sum() == 200
    assert first.with_size(2).rules_.class_rows.sum() == 200


# max_rules


@pytest.mark.parametrize("n_rules", first(1, [5, 1, 14, 25]))
def test_max_rules_is_the_size_of_a_model(large, cancer, n_rules):
    X, y = cancer
    clf = EvidentialRuleClassifier(max_rules=n_rules, random_state=0, support=None).fit(X, y)
    assert len(clf.rules_) == n_rules
    assert_same_model(clf, large.with_size(n_rules), X)
    # What was held out does not depend on it.
    for name, values in clf.path_.items():
        assert_array_equal(values, large.path_[name])


def test_more_rules_than_are_found_change_nothing(large, cancer):
    clf = EvidentialRuleClassifier(max_rules=1000, random_state=0, support=None)
    assert_same_model(clf.fit(*cancer), large, cancer[0])


def test_models_of_many_rows_have_all_sizes_too():
    """There the rules are those that grew while some rows were held out."""
    rng = np.random.default_rng(0)
    X = rng.random((6000, 4))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)).astype(int) + (X[:, 2] > 0.8)
    clf = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    scores = [clf.with_size(n).score(X, y) for n in (1, 3, 8, 15)]
    assert scores == sorted(scores)
    assert scores[-1] > 0.98
    assert len(clf.with_size(8).rules_) == 8
    assert len(clf.rules_) > 15
