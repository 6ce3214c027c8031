"""Novelty: what is strange is found strange, for the right reason, and nothing else changes."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.evidence.novelty_curve import ORDINARY
from fuzzyucs.evidence.support import OUTSIDE, Support
from kinds import mixed_table

RNG = np.random.default_rng(3)


def people(n, rng=RNG):
    age = rng.uniform(0, 80, n)
    height = 60 + np.minimum(age, 20) * 6 + rng.normal(0, 6, n)
    sex = rng.integers(2, size=n).astype(float)
    return np.column_stack([age, height, sex, np.full(n, 7.0)])


NAMES = ["age", "height", "sex", "always 7"]
PEOPLE = people(1000)


@pytest.fixture(scope="module")
def support():
    return Support.fit(PEOPLE, NAMES)


def test_ordinary_records_have_the_expected_novelty(support):
    novelty = support.novelty(people(4000))
    assert novelty.min() >= 0
    assert novelty.max() <= 1
    assert novelty.mean() == pytest.approx(ORDINARY, abs=0.012)


def test_ordinary_records_are_not_novel_for_small_tables():
    means = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        small = Support.fit(people(60, rng), NAMES)
        means.append(small.novelty(people(200, rng)).mean())
    assert np.mean(means) == pytest.approx(ORDINARY, abs=0.02)


@pytest.mark.parametrize(
    ("record", "feature", "given", "is_outside"),
    [
        ([3.0, 185.0, 0.0, 7.0], "height", "age", False),  # a child as tall as a man
        ([40.0, 500.0, 0.0, 7.0], "height", None, True),
        ([140.0, 180.0, 0.0, 7.0], "age", None, True),
        ([40.0, 180.0, 5.0, 7.0], "sex", None, True),  # a value that was never seen
        ([40.0, 180.0, 0.5, 7.0], "sex", None, True),  # also between known ones
        ([40.0, 180.0, 0.0, 8.0], "always 7", None, True),
    ],
)
def test_strange_records_are_found_and_explained(support, record, feature, given, is_outside):
    usual = np.array([40.0, 180.0, 0.0, 7.0])
    assert support.novelty(usual[None])[0] < 0.2
    assert support.novelty(np.array([record]))[0] > 0.9
    reason = support.reasons(np.array(record))[0]
    assert reason.is_outside == is_outside
    if given:
        # Height hangs on age, or age on height.
        assert {reason.given, reason.feature} == {feature, given}
        assert f"{reason.feature} {reason.value:g} given {reason.given}" in str(reason)
    else:
        assert reason.feature == feature
        assert str(reason).endswith("is outside of the training data")


def test_the_further_out_the_more_novel(support):
    heights = np.linspace(PEOPLE[:, 1].max(), 1e6, 50)
    records = np.column_stack([np.full(50, 60.0), heights, np.zeros(50), np.full(50, 7.0)])
    novelty = support.novelty(records)
    assert (np.diff(novelty) >= 0).all()
    assert novelty[-1] == 1


def test_parts_add_up_to_the_score(support):
    records = np.concatenate([people(50), people(50) * 1.3])
    parts = support.parts(records)
    score = parts.sum(axis=1)
    order = np.argsort(score)
    assert (np.diff(support.novelty(records)[order]) >= 0).all()
    # Out of range by a tenth of the range costs that much of a whole one, besides the surprise.
    at, out = np.array([[40.0, 180.0, 0.0, 7.0]] * 2)
    at[0] = PEOPLE[:, 0].max()
    out[0] = at[0] + 0.1 * np.ptp(PEOPLE[:, 0])
    difference = support.parts(out[None]) - support.parts(at[None])
    assert_allclose(difference[0], [0.1 * OUTSIDE, 0, 0, 0], atol=1e-9)


def test_records_of_which_nothing_is_known_are_not_strange(support):
    nothing = np.full((1, 4), np.nan)
    assert_array_equal(support.parts(nothing), 0)
    assert support.novelty(nothing)[0] < 0.5
    assert support.reasons(nothing[0]) == []


def test_known_values_count_more_the_fewer_they_are():
    alone = Support.fit(np.random.default_rng(0).random((2000, 3)), ["a", "b", "c"])
    assert_array_equal(alone.forest.parent, -1)
    whole = np.array([[0.1, 0.9, 0.4]])
    part = np.array([[0.1, 0.9, np.nan]])
    assert_allclose(alone.parts(part)[0, :2], np.sqrt(3 / 2) * alone.parts(whole)[0, :2])


def test_values_that_hardly_matter_beside_another_are_no_reason():
    rows = np.random.default_rng(0).normal(size=(1000, 4))
    support = Support.fit(rows, NAMES)

    def told(record):
        parts = support.parts(np.array([record]))[0]
        return [reason.feature for reason in support.reasons(np.array(record), 4)], sum(parts > 0)

    assert told([2.9, 2.2, 0.0, 0.0]) == (["age", "height"], 2)
    assert told([300.0, 2.2, 0.0, 0.0]) == (["age"], 2)


def test_missing_values_are_no_reason(support):
    record = np.array([3.0, 185.0, np.nan, np.nan])
    assert support.novelty(record[None])[0] > 0.9
    alone = np.array([np.nan, 185.0, np.nan, np.nan])
    assert support.novelty(alone[None])[0] < 0.9
    assert all(reason.given is None for reason in support.reasons(alone))


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((1, 2)),
        np.zeros((5, 2)),
        np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 3.0]]),
        np.array([[1e308, -1e308], [-1e308, 1e308], [0.0, 0.0]]),
        np.array([[0.0], [5e-324]]),
        RNG.integers(3, size=(40, 2)).astype(float),
    ],
)
def test_odd_tables_give_numbers(X):
    support = Support.fit(X, ["a", "b"][: X.shape[1]])
    records = np.concatenate([X, X + 1, np.full((1, X.shape[1]), np.nan)])
    novelty = support.novelty(np.clip(records, -1e308, 1e308))
    assert np.isfinite(novelty).all()
    assert ((novelty >= 0) & (novelty <= 1)).all()


def test_a_support_can_be_pickled(support):
    records = people(20)
    same = pickle.loads(pickle.dumps(support))
    assert_array_equal(same.novelty(records), support.novelty(records))


X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize(
    "clf",
    [
        FuzzyUCSClassifier(epochs=5, random_state=0),
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted"),
        FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=True),
        UCSClassifier(epochs=5, random_state=0),
    ],
    ids=["ds", "weighted", "tempered", "ucs"],
)
def test_support_changes_nothing_but_how_much_is_believed(clf):
    clf = clone(clf)
    with_support = clf.set_params(support="auto").fit(X, Y)
    odd = np.concatenate([X, X[::-1] * 1.5])
    evidence = with_support.predict_evidence(odd)
    labels, p = with_support.predict(odd), with_support.predict_proba(odd)
    assert not hasattr(clf.set_params(support=None).fit(X, Y), "support_")
    plain = clf.predict_evidence(odd)
    assert_array_equal(clf.predict(odd), labels)
    assert_array_equal(clf.predict_proba(odd), p)
    assert plain.novelty is None
    assert_array_equal(evidence.mass.argmax(axis=1), plain.mass.argmax(axis=1))
    assert_array_equal(evidence.weak_evidence, plain.ignorance)
    # Whatever decides, confidence is that in what was predicted.
    assert_array_equal(evidence.posterior, p)
    assert_array_equal(plain.posterior, p)
    sure = p.max(axis=1) > 0.5
    assert_array_equal(plain.decide()[sure], labels[sure])
    novelty = evidence.novelty
    assert_allclose(evidence.mass, (1 - novelty)[:, None] * plain.mass)
    assert_allclose(evidence.ignorance, novelty + (1 - novelty) * plain.ignorance)
    assert_allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1)
    assert novelty[: len(X)].mean() < 0.1 < 0.9 < novelty[len(X) :].mean()
    assert_array_equal(evidence.conflict, plain.conflict)
    with pytest.raises(ValueError, match="only a fit with support='auto' learns"):
        clf.set_params(support="auto").predict_evidence(X)


def test_support_can_be_switched_off_after_fit():
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(X, Y)
    assert clf.predict_evidence(X).novelty is not None
    assert clf.set_params(support=None).predict_evidence(X).novelty is None
    with pytest.raises(ValueError, match="'support' parameter"):
        clf.set_params(support="perhaps").predict_evidence(X)


def test_batches_judge_by_the_first():
    clf = FuzzyUCSClassifier(random_state=0, support="auto")
    clf.partial_fit(X[:100], Y[:100], classes=[0, 1, 2])
    first = clf.support_
    assert clf.partial_fit(X[100:], Y[100:]).support_ is first


def test_novelty_takes_back_the_answers_of_the_flagship():
    """Probabilities and labels follow from what is left of the evidence, and the base rates."""
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0)
    with_support = clone(clf).fit(X, Y)
    plain = clone(clf).set_params(support=None).fit(X, Y)
    odd = np.concatenate([X, X[::-1] * 1.5])
    before, after = plain.predict_evidence(odd), with_support.predict_evidence(odd)
    assert before.novelty is None
    delta = after.novelty[:, np.newaxis]
    assert_array_equal(after.weak_evidence, before.ignorance)
    taken = delta**2  # slightly unusual records are classified as well as others
    assert_allclose(after.mass, (1 - taken) * before.mass)
    assert_allclose(after.ignorance, taken[:, 0] + (1 - taken[:, 0]) * before.ignorance)
    rates = with_support.base_rates_
    expected = (1 - taken) * plain.predict_proba(odd) + taken * rates
    assert_allclose(with_support.predict_proba(odd), expected, atol=1e-12)
    assert_array_equal(with_support.predict(odd), expected.argmax(axis=1))
    assert delta[: len(X)].mean() < 0.1 < 0.9 < delta[len(X) :].mean()
    # Of what is as unlike the data as can be, the most frequent class is the best guess.
    lost = delta[:, 0] > 0.999
    assert lost.any()
    assert (with_support.predict(odd)[lost] == rates.argmax()).all()
    assert_array_equal(after.contradiction, before.contradiction)


def test_of_many_records_the_number_counts_that_are_as_surprising():
    """A hundred among 20,000 are no more novel than a hundred among 1,000."""
    rng = np.random.default_rng(0)
    few, many = (Support.fit(rng.normal(size=(n, 3)), list("abc")) for n in (1000, 20_000))
    new = rng.normal(size=(20_000, 3))
    assert many.novelty(new).mean() < few.novelty(new).mean() / 3
    for n_beyond in (5, 20, 100):
        levels = []
        for support, n in ((few, 1000), (many, 20_000)):
            novelty = np.sort(support.novelty(new))
            levels.append(novelty[-max(1, round(n_beyond * len(new) / n))])
        assert levels[0] == pytest.approx(levels[1], abs=0.25)
    strange = np.array([[0.0, 0.0, 8.0]])
    assert many.novelty(strange) > 0.99


def test_reasons_are_the_same_for_a_list_as_for_a_frame():
    frame, y = mixed_table()
    frame["colour"] = frame["colour"].map({0: "red", 1: "green", 2: "blue", 3: "grey"})
    support = EvidentialRuleClassifier(penalty=1.0).fit(frame, y).support_
    strange = frame.iloc[[0]].assign(count=99.0)
    assert support.reasons(strange)[0].feature == "count"
    assert support.reasons(strange.iloc[0].tolist()) == support.reasons(strange)


def test_a_value_outside_is_told_with_what_was_known():
    X = np.column_stack([np.arange(50.0), np.ones(50)])
    support = Support.fit(X, ["size", "same"], nominal_features=None)
    assert support.outside(np.array([25.0, 1.0])) == {}
    assert support.outside(np.array([99.0, 1.0])) == {"size": "size 99 is outside 0 to 49"}
    assert support.outside(np.array([25.0, 2.0])) == {"same": "same 2 was always 1"}
