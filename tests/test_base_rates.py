"""Base rates, class weights and sample weights of the flagship."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine

from fuzzyucs import EvidentialRuleClassifier

X, Y = load_wine(return_X_y=True)
NAMES = np.array(["barolo", "grignolino", "barbera"])[Y]
RATES = [0.2, 0.7, 0.1]


def make(**options):
    return EvidentialRuleClassifier(**{"random_state": 0, "penalty": 1.0} | options)


@pytest.fixture(scope="module")
def wine():
    return make().fit(X, Y)


def assert_same_model(a, b):
    for name in a.rules_.array_names():
        assert_array_equal(getattr(a.rules_, name), getattr(b.rules_, name), err_msg=name)
    assert_array_equal(a.base_rates_, b.base_rates_)
    assert_array_equal(a.rules_.class_rows, b.rules_.class_rows)
    assert a.rules_.answer_threshold == b.rules_.answer_threshold
    assert a.penalty_ == b.penalty_


# Base rates


@pytest.mark.parametrize("way", ["fit", "with_base_rates"])
def test_odds_change_as_the_base_rates_do(way):
    train = make(support=None).fit(X, Y)
    if way == "fit":
        other = make(support=None, base_rates=RATES).fit(X, Y)
    else:
        other = train.with_base_rates(RATES)
    assert_array_equal(other.base_rates_, RATES)
    for name in train.rules_.array_names():
        assert_array_equal(getattr(other.rules_, name), getattr(train.rules_, name))
    odds = train.predict_proba(X) * RATES / train.base_rates_
    assert_allclose(other.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
    assert_array_equal(other.predict_proba(np.full((1, 13), np.nan)), [RATES])
    assert "Without evidence: class 0 20 %, class 1 70 %, class 2 10 %" in other.rules_.to_text()


def test_novelty_gives_the_probabilities_back_to_the_base_rates():
    clf = make().fit(X, Y)
    odd = X[:5] * 50
    for model in (clf, clf.with_base_rates(RATES)):
        evidence = model.predict_evidence(odd)
        assert (evidence.novelty > 0.9).all()
        assert_allclose(model.predict_proba(odd), np.tile(model.base_rates_, (5, 1)), atol=0.1)
        assert (evidence.verdict == "unknown").all()
        assert (evidence.reason == "novelty").all()


def test_base_rates_by_label():
    by_label = dict(zip(["barbera", "barolo", "grignolino"], [0.1, 0.2, 0.7], strict=True))
    clf = make(base_rates=by_label).fit(X, NAMES)
    assert clf.classes_.tolist() == ["barbera", "barolo", "grignolino"]
    assert_array_equal(clf.base_rates_, [0.1, 0.2, 0.7])
    again = make().fit(X, NAMES).with_base_rates(pd.Series(by_label).to_dict())
    assert_same_model(again, clf)
    boolean = make(base_rates={False: 0.9, True: 0.1}).fit(X, Y == 1)
    assert_array_equal(boolean.base_rates_, [0.9, 0.1])


@pytest.mark.parametrize(
    "rates",
    [
        [0.5, 0.5],
        [0.25] * 4,
        [1.1, 0.1, -0.2],
        [0.3, 0.3, 0.3],
        [0.5, 0.5, np.nan],
        [np.inf, 0, 0],
        [[0.2, 0.7, 0.1]],
        ["a", "b", "c"],
        {0: 0.2, 1: 0.7, 3: 0.1},
        {0: 0.2, 1: 0.8},
        {0: 0.2, 1: 0.7, 2: 0.1, 3: 0.0},
        {"0": 0.2, "1": 0.7, "2": 0.1},
        {0: 0.2, 1: "much", 2: 0.1},
    ],
)
def test_impossible_base_rates_are_named(wine, rates):
    with pytest.raises(ValueError, match="base_rates must"):
        wine.with_base_rates(rates)
    with pytest.raises(ValueError, match="base_rates"):
        make(base_rates=rates).fit(X, Y)


@pytest.mark.parametrize("rates", ["train", "even", None, 0.5])
def test_words_are_no_base_rates(wine, rates):
    with pytest.raises(ValueError, match="base_rates must be shares of the"):
        wine.with_base_rates(rates)
    if rates != "train":
        with pytest.raises(ValueError, match="'base_rates' parameter"):
            make(base_rates=rates).fit(X, Y)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({7: 2.0}, r"class_weight must have labels of the classes \[0, 1, 2\], got \[7\]"),
        ({"0": 2.0, 1: 1.0}, r"class_weight must have labels of the classes .* got \['0'\]"),
        ({0: "much"}, "class_weight must hold numbers, got"),
        ({0: -1.0}, "class_weight must hold numbers from 0"),
        ({0: 0, 1: 0, 2: 0}, "class_weight must hold numbers from 0 to 1e.09, not all of them 0"),
    ],
)
def test_impossible_class_weights_are_named(class_weight, message):
    with pytest.raises(ValueError, match=message):
        make(class_weight=class_weight).fit(X, Y)


def test_rows_of_a_class_that_counts_nothing_are_left_out():
    without = Y != 1
    one = make(class_weight={0: 1, 1: 0, 2: 1}).fit(X, Y)
    other = make().partial_fit(X[without], Y[without], classes=[0, 1, 2])
    assert one.rules_.to_json() == other.rules_.to_json()
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_class_weights_of_classes_that_a_part_of_the_data_lacks():
    rows = Y < 2
    weight = {0: 3.0, 1: 1.0, 2: 5.0}
    part = make(class_weight=weight).fit(X[rows], Y[rows])
    assert_same_model(part, make(class_weight={0: 3.0, 1: 1.0}).fit(X[rows], Y[rows]))


def test_one_class_of_positive_weight_is_not_enough():
    message = r"only one class among the rows of positive sample_weight: \[2\]"
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y, sample_weight=Y == 2)


def test_rounded_base_rates_are_made_to_sum_to_one(wine):
    rates = wine.with_base_rates([0.3333333, 0.3333333, 0.3333333]).base_rates_
    assert rates.sum() == pytest.approx(1, abs=1e-15)


def test_a_base_rate_may_be_zero(wine):
    other = wine.with_base_rates([0.0, 0.6, 0.4])
    p = other.predict_proba(X)
    assert_array_equal(p[:, 0], 0)
    assert_allclose(p.sum(axis=1), 1)
    assert not np.isnan(other.predict_evidence(X).ignorance).any()
    certain = wine.with_base_rates([0.0, 0.0, 1.0])
    assert (certain.predict(X) == 2).all()


def test_base_rates_are_kept_in_copies(wine):
    other = wine.with_base_rates(RATES)
    assert_allclose(wine.base_rates_, np.bincount(Y) / len(Y))  # the original stays
    assert wine.base_rates == "train"
    assert other.get_params()["base_rates"] == RATES
    for copy in (pickle.loads(pickle.dumps(other)), clone(other).fit(X, Y)):
        assert_array_equal(copy.predict_proba(X), other.predict_proba(X))
    assert_array_equal(other.fit(X, Y).base_rates_, RATES)


def test_models_that_are_not_fitted_have_no_base_rates():
    with pytest.raises(ValueError, match="not fitted"):
        make().with_base_rates(RATES)
    assert not hasattr(make(), "base_rates_")


# Class weights


@pytest.mark.parametrize("weight", ["balanced", {0: 3.0, 1: 1.0}])
def test_class_weights_change_base_rates_and_not_the_meaning_of_counts(weight):
    X, y = load_breast_cancer(return_X_y=True)
    plain = make(max_conditions=1).fit(X, y)
    clf = make(class_weight=weight, max_conditions=1).fit(X, y)
    rows = np.bincount(y)
    weighted = rows * (len(y) / (2 * rows) if weight == "balanced" else [3.0, 1.0])
    assert_allclose(clf.base_rates_, weighted / weighted.sum())
    assert_array_equal(clf.rules_.class_rows, rows)
    assert_array_equal(plain.rules_.class_rows, rows)
    holds = clf.rules_.variables.holds(clf.rules_.conditions, X)
    for label in (0, 1):
        assert_array_equal(clf.rules_.applies[:, label], holds[y == label].sum(axis=0))
    assert f"of {len(y)};" in clf.rules_.sentence(0)
    assert f"{100 * rows[1] / len(y):.0f} % overall" in clf.rules_.to_text()
    # A rule that both have is put into the same words.
    said = {plain.rules_.condition(k): plain.rules_.sentence(k) for k in range(len(plain.rules_))}
    same = 0
    for k in range(len(clf.rules_)):
        known = said.get(clf.rules_.condition(k))
        same += known is not None
        assert known in (None, clf.rules_.sentence(k))
    assert same


def test_base_rates_that_are_given_hold_with_class_weights():
    clf = make(class_weight="balanced", base_rates=RATES).fit(X, Y)
    assert_array_equal(clf.base_rates_, RATES)


# Sample weights


@pytest.mark.parametrize("penalty", [1.0, "auto"])
def test_rows_of_weight_zero_are_as_good_as_removed(penalty):
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2, len(Y)) * (rng.random(len(Y)) < 0.7)
    clf = make(penalty=penalty).fit(X, Y, sample_weight=weight)
    kept = weight > 0
    other = make(penalty=penalty).fit(X[kept], Y[kept], sample_weight=weight[kept])
    assert_same_model(clf, other)
    assert clf.rules_.class_rows.sum() == kept.sum()
    assert_array_equal(clf.predict_proba(X), other.predict_proba(X))
    assert_array_equal(clf.support_.novelty(X), other.support_.novelty(X))


def test_weights_of_one_change_nothing(wine):
    assert_same_model(make().fit(X, Y, sample_weight=np.ones(len(Y))), wine)
    assert_same_model(make().fit(X, Y, sample_weight=1.0), wine)


def test_weights_change_base_rates_and_not_the_meaning_of_counts():
    weight = np.where(Y == 0, 5.0, 1.0)
    clf = make().fit(X, Y, sample_weight=weight)
    weighted = np.bincount(Y, weight)
    assert_allclose(clf.base_rates_, weighted / weighted.sum())
    assert_array_equal(clf.rules_.class_rows, np.bincount(Y))
    holds = clf.rules_.variables.holds(clf.rules_.conditions, X)
    assert_array_equal(clf.rules_.applies.sum(axis=1), holds.sum(axis=0))
    # The same as weights of the class.
    assert_same_model(make(class_weight={0: 5.0}).fit(X, Y), clf)
    both = make(class_weight={0: 5.0}).fit(X, Y, sample_weight=np.full(len(Y), 2.0))
    assert_allclose(both.base_rates_, clf.base_rates_)


def test_weights_count_in_the_likelihood():
    """Rows that say otherwise and count little are outvoted."""
    x = np.repeat(np.arange(2.0), 200)[:, np.newaxis]
    y = np.tile([0, 1], 200)
    weight = np.where(y == x[:, 0], 9.0, 1.0)
    clf = make(penalty=0.1).fit(x, y, sample_weight=weight)
    assert_allclose(clf.predict_proba([[0.0], [1.0]])[:, 1], [0.1, 0.9], atol=0.01)


def test_batches_with_weights_add_up():
    weight = np.random.default_rng(0).uniform(0, 2, len(Y))
    weight[::7] = 0
    whole = make().fit(X, Y, sample_weight=weight)
    parts = make()
    for rows in (slice(None, 90), slice(90, None)):
        parts.partial_fit(X[rows], Y[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    assert_same_model(parts, whole)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_impossible_weights_are_named(weight):
    bad = np.ones(len(Y))
    bad[3] = weight
    with pytest.raises(ValueError, match=r"[Ww]eight|NaN|infinity"):
        make().fit(X, Y, sample_weight=bad)
    with pytest.raises(ValueError, match="sample_weight"):
        make().fit(X, Y, sample_weight=np.ones(3))
