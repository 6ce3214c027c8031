"""Verdicts in words: every state and reason, with few and with many classes."""

import numpy as np
import pytest

from fuzzyucs import Evidence, EvidentialRuleClassifier
from fuzzyucs.evidence.verdict_words import put_into_words

RATES = np.array([0.63, 0.37])


def pooled(scores, least, rates, classes=None, **more):
    """Return evidence as it follows from what rules add to classes, by the definition."""
    scores, rates = np.asarray(scores, dtype=float), np.asarray(rates, dtype=float)
    total = (rates * np.exp(scores)).sum()
    mass = rates * (np.exp(scores) - np.exp(least)) / total
    labels = np.array(list("ABCDEFGHIJ")[: len(rates)]) if classes is None else np.array(classes)
    more = {"contradiction": np.zeros(1), "n_missing": np.zeros(1, dtype=int)} | more
    return Evidence(
        labels,
        mass[np.newaxis],
        np.array([np.exp(least) / total]),
        np.zeros(1),
        base_rates=rates,
        **more,
    )


def two(scores, least, **more):
    return pooled(scores, least, RATES, ["benign", "malignant"], **more)


def test_an_answer_comes_with_its_probability_and_support():
    verdict = put_into_words(two([3.0, 0.0], 0.0))
    assert (verdict.kind, verdict.reason, verdict.guess) == ("answer", "", "")
    assert str(verdict) == "Benign. 97 %, well supported"
    open_ = put_into_words(two([1.5, 0.0], 0.0))
    assert str(open_) == "Benign. 88 %, although the evidence leaves 31 % open"
    torn = put_into_words(two([4.0, 0.0], -2.0, contradiction=np.array([0.7])))
    assert str(torn) == "Benign. 99 %, although rules contradict each other"


def test_a_cell_of_a_notebook_has_the_same_words():
    assert "<b>Benign</b>. 97 %, well supported" in two([3.0, 0.0], 0.0)._repr_html_()


def test_values_outside_of_the_training_data_are_told_with_every_verdict():
    strange = {"area": "area -500 is outside 185 to 4254", "size": "size 9 is outside 1 to 2"}
    one = dict(list(strange.items())[:1])
    sure, torn = two([5.0, 0.0], 0.0), two([-2.0, -1.0], -4.0, contradiction=np.array([0.8]))
    assert str(put_into_words(sure, outside=one)) == (
        "Benign. 99.6 %, although area -500 is outside 185 to 4254"
    )
    more = "area -500 is outside 185 to 4254, and 1 more value is outside of the training data"
    assert str(put_into_words(sure, outside=strange)) == f"Benign. 99.6 %, although {more}"
    open_ = put_into_words(two([1.5, 0.0], 0.0), outside=one)
    assert open_.sentence.endswith("185 to 4254, and the evidence leaves 31 % open")
    assert (
        put_into_words(torn, outside=strange).sentence == f"Rules contradict each other, and {more}"
    )
    little = put_into_words(two([0.3, 0.0], 0.0), outside=strange)
    assert little.sentence == f"The rules say too little, and {more}"
    # What the sentence says already is not said again.
    novel = put_into_words(sure.discount(np.array([0.99])), unusual=[*one.values()], outside=one)
    assert novel.sentence == "Unlike anything seen: area -500 is outside 185 to 4254"
    gaps = two([0.0, 0.0], 0.0, n_missing=np.array([1]))
    assert put_into_words(gaps, missing=["area"], unseen=["area"], outside=one).sentence == (
        "No evidence: the value of area was not seen in training"
    )


@pytest.mark.parametrize(
    ("classes", "headline"),
    [
        (["benign", "malignant"], "Benign"),
        (["pH high", "low"], "pH high"),
        (["a", "A"], "a"),
        ([0, 1], "Class 0"),
        (["", "x"], ""),
    ],
)
def test_a_capital_letter_makes_no_other_class(classes, headline):
    assert put_into_words(pooled([4.0, 0.0], 0.0, RATES, classes)).headline == headline


def test_torn_names_both_classes_the_more_probable_first():
    verdict = put_into_words(two([-2.0, -1.0], -4.0, contradiction=np.array([0.8])))
    assert (verdict.kind, verdict.reason) == ("torn", "contradiction")
    assert str(verdict) == (
        "Between malignant (61 %) and benign (39 %): rules contradict each other"
    )
    assert verdict.guess == "Forced guess: malignant 61 %; without evidence: benign 63 %"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["area"], "No evidence: area is missing"),
        (["area", "size"], "No evidence: area and size are missing"),
        (list("abc"), "No evidence: a, b and c are missing"),
        (
            list("abcd"),
            "No evidence: 4 values that rules ask for are missing, above all a, b and c",
        ),
        ([], "No evidence: 12 values that rules ask for are missing"),
    ],
)
def test_missing_values_are_counted_and_named(names, sentence):
    evidence = two([0.0, 0.0], 0.0, n_missing=np.array([len(names) or 12]))
    verdict = put_into_words(evidence, missing=names)
    assert (verdict.kind, verdict.reason) == ("unknown", "missing")
    assert str(verdict) == f"I don't know. {sentence}"
    assert verdict.guess == "Without evidence: benign 63 %"
    some = two([0.3, 0.0], 0.0, n_missing=np.array([1]))
    assert put_into_words(some, missing=["area"]).sentence == (
        "Too little evidence: area is missing"
    )


def test_too_little_evidence_and_novelty():
    assert str(put_into_words(two([0.3, 0.0], 0.0))) == "I don't know. The rules say too little"
    strange = two([5.0, 0.0], 0.0).discount(np.array([0.99]))
    words = put_into_words(strange, unusual=["worst area 99999 is outside 185 to 4254", "more"])
    assert str(words) == (
        "I don't know. Unlike anything seen: worst area 99999 is outside 185 to 4254"
    )
    assert put_into_words(strange).sentence == "Unlike anything seen"


@pytest.mark.parametrize(
    ("n_excluded", "sentence"),
    [
        (1, "Undecided between all classes but A: the evidence hardly separates them"),
        (3, "Undecided between all classes but A, B and C: the evidence hardly separates them"),
        (4, "Undecided between 6 of 10 classes: the evidence hardly separates them"),
        (5, "Undecided between F, G, H, I and J: the evidence hardly separates them"),
        (8, "Undecided between I and J: the evidence hardly separates them"),
    ],
)
def test_of_ten_classes_some_are_excluded(n_excluded, sentence):
    scores = np.where(np.arange(10) < n_excluded, -6.0, 0.0)
    evidence = pooled(scores, -6.0, np.full(10, 0.1))
    verdict = put_into_words(evidence)
    assert evidence.ignorance[0] < 0.05  # spent, although nothing tells the others apart
    assert (verdict.kind, verdict.reason) == ("unknown", "undecided")
    assert verdict.sentence == sentence
    assert verdict.guess.endswith("without evidence: each class 10 %")


def test_few_classes_are_named_with_those_that_are_excluded():
    verdict = put_into_words(pooled([0.0, -6.0, 0.0, 0.0], -6.0, np.full(4, 0.25)))
    assert str(verdict) == (
        "I don't know. Undecided between A, C and D (not B): the evidence hardly separates them"
    )
    three = pooled([0.0, -6.0, 0.0, -6.0, -6.0], -6.0, np.full(5, 0.2))
    assert "between A and C (not B, D and E):" in put_into_words(three).sentence
    four = pooled([0.0, -6.0, 0.0, -6.0, -6.0, -6.0], -6.0, np.full(6, 1 / 6))
    assert "between A and C:" in put_into_words(four).sentence
    # A class that is rare anyway is not excluded by that.
    rare = pooled([0.0, -6.0, 0.0, 0.0], -6.0, [0.4, 0.15, 0.448, 0.002])
    assert "between A, C and D (not B)" in put_into_words(rare).sentence
    impossible = pooled([0.0, -6.0, 0.0, 0.0], -6.0, [0.5, 0.1, 0.4, 0.0])
    assert "between A and C (not B)" in put_into_words(impossible).sentence
    rather = put_into_words(pooled([0.9, -6.0, 0.0, 0.0], -6.0, np.full(4, 0.25)))
    assert rather.sentence == "Rather A than C or D (not B): 55 %, and an answer needs 75 %"
    many = put_into_words(
        pooled([0.9, *[0.0] * 7], 0.0, np.full(8, 0.125)).with_thresholds(ignorance=1)
    )
    assert many.sentence == "Rather A: 26 %, and an answer needs 75 %"


def test_of_two_classes_one_is_named_however_near_the_other_is():
    for scores, said in (([0.0, 1.2], "malignant: 66 %"), ([0.0, 0.4], "benign: 53 %")):
        verdict = put_into_words(two(scores, -3.0))
        assert verdict.sentence == f"Rather {said}, and an answer needs 75 %"
    equal = pooled([0.0, 0.0], -3.0, [0.5, 0.5])
    assert put_into_words(equal).sentence == "Undecided between A and B: 50 % each"


def test_an_answer_that_is_the_base_rate_says_so():
    rates = [0.79, 0.21]
    for scores, least, said in (
        ([0.0, 0.0], -1.0, "79 %, although the evidence adds nothing to the base rate of 79 %"),
        (
            [0.01, 0.0],
            -1.0,
            "79 %, although the evidence adds next to nothing to the base rate of 79 %",
        ),
        ([0.0, 0.2], -1.0, "75 %, although the evidence speaks against it: the base rate is 79 %"),
        ([0.6, 0.0], -1.0, "87 %, although the evidence leaves 22 % open"),
    ):
        assert put_into_words(pooled(scores, least, rates)).sentence == said
    torn = pooled([0.0, 0.1], -3.0, rates, contradiction=np.array([0.8]))
    assert put_into_words(torn).sentence == (
        "77 %, although the evidence speaks against it: the base rate is 79 %, and rules "
        "contradict each other"
    )


def test_what_is_just_too_uncertain_says_so():
    evidence = two([-1.5, 0.5], -1.5).with_thresholds(answer=0.9)
    assert str(put_into_words(evidence)) == (
        "I don't know. Rather malignant: 81 %, and an answer needs 90 %"
    )
    nearly = evidence.with_thresholds(answer=float(evidence.confidence[0]) + 1e-4)
    assert str(put_into_words(nearly)) == (
        "I don't know. Rather malignant: 81.27 %, and an answer needs 81.28 %"
    )
    nearer = evidence.with_thresholds(answer=float(evidence.confidence[0]) + 1e-9)
    assert str(put_into_words(nearer)) == (
        "I don't know. Rather malignant: just below the 81 % that an answer needs"
    )
    never = evidence.with_thresholds(answer=1.0)
    assert str(put_into_words(never)) == (
        "I don't know. Rather malignant: 81 %, and this model answers only if it is certain"
    )


def test_one_record_at_a_time():
    evidence = EvidentialRuleClassifier(random_state=0)
    X = np.arange(40.0)[:, np.newaxis]
    evidence = evidence.fit(X, X[:, 0] > 20).predict_evidence(X)
    with pytest.raises(ValueError, match="must be about one record, got 40"):
        put_into_words(evidence)
