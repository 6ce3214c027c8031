"""Explanations: entries sum to what decides, and say what the record says."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from markup import Elements

FRAME, Y = load_wine(return_X_y=True, as_frame=True)
X = FRAME.to_numpy()
RNG = np.random.default_rng(5)
HOLES = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
HOLES[0] = np.nan
RECORDS = np.concatenate([X[::12], HOLES[::12], X[::60] * 2])


@pytest.mark.parametrize(
    "clf",
    [
        EvidentialRuleClassifier(random_state=0, support=None),
        EvidentialRuleClassifier(random_state=0, missing="mean", support=None, n_models=2),
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="weighted", missing="belief"),
    ],
    ids=["flagship", "mean", "weighted"],
)
def test_entries_sum_to_the_log_odds(clf):
    clf = clone(clf).fit(FRAME.to_numpy(), Y)
    for record in RECORDS:
        explanation = clf.explain(record)
        p = clf.predict_proba([record])[0]
        assert explanation.prediction == clf.predict([record])[0]
        assert_allclose(explanation.probability, p)
        lead, scores = np.log(p[explanation.class_index]) - np.log(p), explanation.scores
        assert_allclose(scores[explanation.class_index] - scores, lead, atol=1e-10)
        assert explanation.total == pytest.approx(lead[explanation.rival_index], abs=1e-10)
        assert sum(map(explanation.contribution, explanation.entries)) == pytest.approx(
            explanation.total, abs=1e-10
        )
        assert explanation.rival == np.argsort(-p, kind="stable")[1]


@pytest.mark.parametrize("temper", [False, True])
@pytest.mark.parametrize("missing", ["match", "belief"])
def test_entries_sum_to_the_commonalities(temper, missing):
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=temper, missing=missing).fit(X, Y)
    rules = clf.rules_.experienced(clf.inference_experience).freeze()
    scale = clf.tempering_.temperature if temper else 1
    for record in RECORDS:
        explanation = clf.explain(record)
        positions = clf.rules_.variables.positions(record[None])
        logs = rules.log_commonalities(positions)[0, :-1] / scale
        assert_allclose(explanation.scores, logs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "clf",
    [
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote"),
        UCSClassifier(epochs=20, random_state=0),
    ],
    ids=["fuzzy", "crisp"],
)
def test_entries_sum_to_the_votes(clf):
    clf = clone(clf).fit(X, Y)
    for record in RECORDS:
        explanation = clf.explain(record)
        assert explanation.unit == "votes"
        rules = clf.deciding_rules.freeze()
        votes = rules.votes(clf.rules_.variables.positions(record[None]))[0]
        assert_allclose(explanation.scores, votes, rtol=1e-10)


def test_a_single_winner_is_the_only_entry():
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference="swin").fit(X, Y)
    for record in X[::20]:
        explanation = clf.explain(record)
        assert len(explanation.entries) == 1
        rule = explanation.entries[0].rule
        assert clf.classes_[clf.rules_.consequent[rule]] == explanation.prediction


@pytest.fixture(scope="module")
def flagship():
    return EvidentialRuleClassifier(random_state=0).fit(FRAME, Y)


def test_entries_name_rules_and_values(flagship):
    record, rules = FRAME.iloc[[100]], flagship.rules_
    explanation = flagship.explain(record)
    degrees = flagship.membership(record)[0]
    (first,) = [entry for entry in explanation.entries if entry.rule is None]
    assert first.text == "base rates: class 1 40 %, class 0 33 %, class 2 27 %"
    entries = [entry for entry in explanation.entries if entry.rule is not None]
    assert [entry.rule for entry in entries] == list(range(len(rules)))
    for entry in entries:
        assert entry.degree == pytest.approx(degrees[entry.rule])
        for feature in np.flatnonzero(rules.asks[entry.rule]):
            name = FRAME.columns[feature]
            assert f"{name} {record.iloc[0, feature]:.6g} is " in entry.text
        assert entry.conclusion.startswith(f"{rules.label(entry.rule)} (applies to ")
        more = degrees[entry.rule] > rules.neutral[entry.rule]
        assert entry.kind == ("matches more" if more else "matches less")


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("inference", ["ds", "vote", "weighted"])
def test_entries_name_their_rule(inference, compact):
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference=inference, compact=compact)
    clf.fit(FRAME, Y)
    rules = clf.weighted_rules_ if inference == "weighted" else clf.rules_
    record = FRAME.iloc[[3]]
    degrees = rules.freeze().membership(rules.variables.positions(record.to_numpy()))[0]
    entries = [entry for entry in clf.explain(record).entries if entry.rule is not None]
    assert len(entries) > 1
    for entry in entries:
        assert entry.conclusion == rules.conclusion(entry.rule)
        assert entry.degree == pytest.approx(degrees[entry.rule])


def test_a_series_is_a_record(flagship):
    assert str(flagship.explain(FRAME.iloc[3])) == str(flagship.explain(FRAME.iloc[[3]]))
    assert str(flagship.explain(FRAME.iloc[3].to_dict())) == str(flagship.explain(FRAME.iloc[[3]]))
    with pytest.raises(ValueError, match=r"the record lacks the features \['ash'\]"):
        flagship.explain(FRAME.iloc[3].drop("ash").to_dict())
    with pytest.warns(UserWarning, match="feature names"):
        assert str(flagship.explain(pl.Series(X[3]))) == str(flagship.explain(FRAME.iloc[[3]]))
    with pytest.warns(UserWarning, match="feature names"):
        assert str(flagship.explain(X[3].tolist())) == str(flagship.explain(FRAME.iloc[[3]]))


def test_text_tells_what_is_unusual_and_missing(flagship):
    record = FRAME.iloc[[0]].copy()
    assert "Unusual" not in str(flagship.explain(record))
    record["magnesium"] = 900.0
    record["ash"] = np.nan
    text = flagship.explain(record).to_text()
    assert "Unusual: magnesium 900 is outside of the training data" in text
    assert "Missing: ash" in text
    assert "novelty 100 %" in text or "novelty over 99.99 %" in text
    lines = text.splitlines()
    assert lines[0].startswith("I don't know. Unlike anything seen: magnesium 900 is outside 70 to")
    amounts = [float(line.split()[0]) for line in lines if line.startswith("   ")]
    *_, total = (float(line.split()[1]) for line in lines if line.startswith("  = "))
    assert sum(amounts) == pytest.approx(total, abs=0.02)


def test_frame_and_dict_hold_the_same(flagship):
    explanation = flagship.explain(FRAME.iloc[[70]])
    frame, document = explanation.to_frame(every=True), explanation.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert len(frame) == len(explanation.entries) == len(document["entries"])
    lead = frame[f"for {explanation.prediction}"]
    assert lead.sum() == pytest.approx(document["total"])
    assert lead[1:].abs().is_monotonic_decreasing
    assert explanation.to_frame()[lead.name].sum() == pytest.approx(document["total"])
    assert document["mass"]["1"] == document["belief"]["1"] == explanation.evidence.belief[0, 1]
    for label, p in document["probability"].items():
        rest = document["base_rates"][label] * document["ignorance"]
        assert p == pytest.approx(document["belief"][label] + rest, abs=1e-12)
    verdict = explanation.verdict
    assert document["verdict"] == verdict.kind == explanation.evidence.verdict[0]
    assert f"{document['headline']}. {document['sentence']}" == str(verdict)
    assert next(iter(document)) == "verdict"
    assert isinstance(frame, pd.DataFrame)


def test_certainty_is_infinite_but_no_error():
    x = np.repeat([[0.0], [1.0]], 50, axis=0)
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, support=None).fit(x, x[:, 0])
    explanation = clf.explain([0.0])
    assert explanation.total == np.inf
    assert explanation.to_dict()["total"] is None
    assert "+inf" in str(explanation)


def test_a_draw_is_called_a_draw():
    iris = load_iris().data
    clf = FuzzyUCSClassifier(random_state=0, epochs=20).fit(iris, load_iris().target)
    text = str(clf.explain([np.nan] * 4))
    assert "Rules exclude every class: the prediction is drawn." in text
    assert "nan" not in text


def test_one_record_at_a_time(flagship):
    for nothing in (None, 5.0, "abc"):
        with pytest.raises(ValueError, match=f"a record must be a row .* got {nothing!r}"):
            flagship.explain(nothing)
    with pytest.raises(ValueError, match="explain takes one record, got 2"):
        flagship.explain(FRAME.iloc[:2])


@pytest.mark.parametrize("missing", ["mean", "belief"])
def test_entries_leave_what_theta_keeps(missing):
    clf = EvidentialRuleClassifier(random_state=0, missing=missing).fit(X, Y)
    for record in RECORDS:
        explanation = clf.explain(record)
        left = sum(entry.undecided for entry in explanation.entries)
        total = np.log(np.exp(explanation.scores).sum())
        weak = clf.explain(record).evidence.weak_evidence[0]
        assert np.log(weak) == pytest.approx(left - total, abs=1e-9)


def test_votes_leave_nothing_undecided():
    clf = UCSClassifier(epochs=3, random_state=0).fit(X, Y)
    explanation = clf.explain(X[0])
    assert all(entry.undecided is None for entry in explanation.entries)
    assert "don't know" not in explanation.to_frame()


def test_entries_for_and_against(flagship):
    for record in RECORDS:
        explanation = flagship.explain(pd.DataFrame([record], columns=FRAME.columns))
        parts = explanation.in_favour, explanation.against
        amounts = [[explanation.contribution(entry) for entry in part] for part in parts]
        assert all(amount > 0 for amount in amounts[0])
        assert all(amount < 0 for amount in amounts[1])
        assert sum(amounts[0]) + sum(amounts[1]) == pytest.approx(explanation.total)
        assert amounts[0] == sorted(amounts[0], reverse=True)
        assert amounts[1] == sorted(amounts[1])


def test_html_says_what_the_text_says(flagship):
    for record in (X[70], HOLES[12], X[0] * 3):
        explanation = flagship.explain(pd.DataFrame([record], columns=FRAME.columns))
        words = "".join(Elements.of(explanation._repr_html_()).texts)
        assert f"{explanation.total:+.3f}" in words
        assert explanation.verdict.headline in words
        assert explanation.verdict.sentence in words
        for entry in explanation.ledger(most=10):
            assert entry.text in words or entry.rule is None  # lines that are shared differ
        assert ("Unusual" in words) == ("Unusual" in str(explanation))
        assert ("Missing" in words) == bool(explanation.missing)
        assert explanation.smallest_change in words


def test_html_escapes_names():
    frame = pd.DataFrame({"<script>": np.arange(40.0), "'\"&": np.arange(40.0) % 5})
    y = np.where(frame["<script>"] > 20, "<b>", "'")
    explanation = EvidentialRuleClassifier(random_state=0).fit(frame, y).explain(frame.iloc[[30]])
    html = explanation.to_html()
    assert "<script>" not in html
    words = "".join(Elements.of(html).texts)
    assert words.startswith("<b>. ")
    assert "<script> 30 " in words


@pytest.mark.parametrize("inference", ["ds", "swin"])
def test_infinite_amounts_fit_into_html(inference):
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, inference=inference).fit(X, Y)
    for record in X[::30]:
        assert clf.explain(record).to_html().endswith("</div>")


def test_a_single_rule_or_entry_is_in_the_singular():
    rng = np.random.default_rng(0)
    size = rng.uniform(size=60)
    frame = pd.DataFrame({"size": size, "twin": size + rng.normal(0, 0.01, 60)})
    clf = EvidentialRuleClassifier(random_state=0).fit(frame.to_numpy(), size > 0.5)
    clf = clf.with_rules(clf.rules_[:1])
    assert "1 rule that asks for missing values" in str(clf.explain([np.nan, np.nan]))
    absent = [record for record in frame.to_numpy() if clf.membership([record])[0, 0] == 0]
    assert "  does not hold: x" in str(clf.explain(absent[0]))
    winner = FuzzyUCSClassifier(epochs=1, random_state=0, inference="swin").fit(X, Y)
    assert repr(winner.explain(X[0])).endswith(", 1 entry>")


def test_a_record_with_text_needs_names():
    frame = pd.DataFrame({"size": np.arange(40.0), "colour": ["red", "blue"] * 20})
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, frame["size"] > 20)
    assert clf.explain({"size": 3.0, "colour": "red"}).prediction == clf.predict(frame[3:4])[0]
    with pytest.raises(ValueError, match=r"must be a dict or a row of a data frame.*'red'"):
        clf.explain([3.0, "red"])
