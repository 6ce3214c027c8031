"""Verdicts: what evidence amounts to, beside truth tables and brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from fuzzyucs import Evidence, EvidentialRuleClassifier
from fuzzyucs.evidence.verdict import (
    MOST_ERRORS,
    REASONS,
    VERDICTS,
    Thresholds,
    judge,
    least_confidence,
)

LEVELS = (0.0, 0.3, 0.5, 0.500001, 0.75, 0.9, 1.0)


def judged_by_hand(confidence, ignorance, contradiction, discount, n_missing, t):
    """The table of verdicts, case by case."""
    if ignorance > t.ignorance:
        if 2 * discount >= ignorance:
            return "unknown", "novelty"
        return ("unknown", "missing") if n_missing else ("unknown", "evidence")
    if confidence >= t.answer:
        return "answer", ""
    if contradiction >= t.contradiction:
        return "torn", "contradiction"
    return "unknown", "undecided"


@pytest.mark.parametrize(
    "thresholds", [Thresholds(), Thresholds(answer=0.9, ignorance=0.3, contradiction=0.9)]
)
def test_all_cases_of_the_truth_table(thresholds):
    cases = list(itertools.product(LEVELS, LEVELS, LEVELS, LEVELS, (0, 3)))
    columns = [np.array(column) for column in zip(*cases, strict=True)]
    verdict, reason = judge(*columns[:4], columns[4].astype(np.int64), thresholds)
    expected = [judged_by_hand(*case, thresholds) for case in cases]
    assert list(zip(verdict.tolist(), reason.tolist(), strict=True)) == expected
    assert set(verdict) == set(VERDICTS)
    assert set(reason) == set(REASONS)


@pytest.mark.parametrize("weak", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("novelty", [0.0, 0.3, 0.55, 0.75, 1.0])
@pytest.mark.parametrize("base_rates", [None, np.array([0.5, 0.5])])
def test_novelty_is_the_reason_where_it_makes_half_of_the_ignorance(base_rates, novelty, weak):
    # Without base rates all of the novelty is taken back, with them its square.
    evidence = Evidence(
        *(np.array(["a", "b"]), np.array([[1 - weak, 0.0]]), np.array([weak]), np.zeros(1)),
        base_rates=base_rates,
    ).discount(np.array([novelty]))
    added = float(evidence.ignorance[0] - weak * (1 - evidence.ignorance[0]) / (1 - weak))
    assert added == pytest.approx(novelty if base_rates is None else novelty**2)
    if evidence.ignorance[0] > 0.5:
        is_half = 2 * added >= evidence.ignorance[0]
        assert evidence.reason.tolist() == ["novelty" if is_half else "evidence"]


@pytest.mark.parametrize("name", ["answer", "ignorance", "contradiction"])
@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_thresholds_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name} must lie between 0 and 1, got"):
        Thresholds(**{name: value})


def test_unknown_thresholds_are_named():
    evidence = Evidence(np.array([0, 1]), np.array([[0.7, 0.1]]), np.array([0.2]), np.zeros(1))
    message = "thresholds are answer, ignorance and contradiction, got novelty"
    with pytest.raises(TypeError, match=message):
        evidence.with_thresholds(novelty=0.3)
    with pytest.raises(ValueError, match="answer must lie between 0 and 1, got 'high'"):
        evidence.with_thresholds(answer="high")


def least_by_trying(confidence, is_right):
    """Try every threshold, from the greatest on down."""
    best = 1.0
    for level in sorted(set(confidence.tolist()), reverse=True):
        answered = confidence >= level
        wrong = int((~is_right[answered]).sum())
        if 10 * (wrong + 1) <= answered.sum() + 1:
            best = level
    return max(best, Thresholds().answer)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(50, 100), st.booleans(), st.booleans()), max_size=80),
)
def test_the_least_confidence_by_trying(rows):
    confidence = np.array([row[0] / 100 for row in rows], dtype=float)
    is_right = np.array([row[1] or row[2] or row[0] > 90 for row in rows], dtype=bool)
    assert least_confidence(confidence, is_right) == least_by_trying(confidence, is_right)


def test_a_tenth_of_the_answers_may_be_wrong():
    assert MOST_ERRORS == 0.1
    confidence = np.linspace(0.5, 1, 2001)
    rng = np.random.default_rng(0)
    is_right = rng.random(2001) < confidence  # calibrated
    level = least_confidence(confidence, is_right)
    assert 0.75 <= level < 0.9
    assert (~is_right)[confidence >= level].mean() <= 0.1
    assert least_confidence(confidence, np.zeros(2001, dtype=bool)) == 1
    assert least_confidence(confidence, np.ones(2001, dtype=bool)) == 0.75


def test_evidence_is_judged_by_its_thresholds():
    evidence = Evidence(
        np.array(["ill", "well"]),
        np.array([[0.75, 0.05], [0.3, 0.3], [0.0, 0.1], [0.4, 0.4]]),
        np.array([0.2, 0.4, 0.9, 0.2]),
        np.zeros(4),
        base_rates=np.array([0.5, 0.5]),
        contradiction=np.array([0.1, 0.9, 0.9, 0.2]),
        n_missing=np.array([0, 0, 2, 0]),
    )
    assert evidence.verdict.tolist() == ["answer", "torn", "unknown", "unknown"]
    assert evidence.reason.tolist() == ["", "contradiction", "missing", "undecided"]
    strict = evidence.with_thresholds(answer=0.9)
    assert strict.verdict.tolist() == ["unknown", "torn", "unknown", "unknown"]
    assert strict.thresholds == Thresholds(answer=0.9)
    assert evidence.thresholds == Thresholds()
    assert evidence[1:].reason.tolist() == ["contradiction", "missing", "undecided"]
    joined = Evidence.join([evidence[:1], strict[1:]])
    assert_array_equal(joined.contradiction, evidence.contradiction)
    novel = evidence.discount(np.array([0.9, 0.0, 0.0, 0.0]))
    assert (novel.verdict[0], novel.reason[0]) == ("unknown", "novelty")
    with pytest.raises(TypeError, match="doubt"):
        evidence.with_thresholds(doubt=0.5)


def test_contradiction_is_the_conflict_where_nothing_else_is_known():
    evidence = Evidence(
        np.array([0, 1]), np.array([[0.5, 0.3]]), np.array([0.2]), np.log(np.array([0.4]))
    )
    assert evidence.contradiction[0] == pytest.approx(0.6)
    assert evidence.verdict.tolist() == ["torn"]


def test_answers_of_a_model_are_right_often_enough():
    X, y = load_breast_cancer(return_X_y=True)
    X, new, y, truth = train_test_split(X, y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    evidence = clf.predict_evidence(new)
    assert evidence.thresholds == Thresholds(answer=clf.rules_.answer_threshold)
    answered = evidence.verdict == "answer"
    assert answered.mean() > 0.7
    assert (clf.predict(new) != truth)[answered].mean() <= 0.1
    assert (evidence.confidence[answered] >= clf.rules_.answer_threshold).all()


@pytest.mark.parametrize(("noise", "answers"), [(0.0, True), (0.2, False)])
def test_fit_asks_for_more_where_answers_would_be_wrong_too_often(noise, answers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] > 0) ^ (rng.random(600) < noise)
    clf = EvidentialRuleClassifier(n_terms=25, penalty=3.0).fit(X, y)
    evidence = clf.predict_evidence(X)
    # One in five labels is wrong: answers are right in eight of ten cases, which is not enough.
    assert (evidence.confidence > Thresholds.answer).mean() > 0.5
    assert (clf.rules_.answer_threshold > Thresholds.answer + 0.01) == (not answers)
    assert ((evidence.verdict == "answer").mean() > 0.5) == answers
