"""The ledger of rules with class profiles: exact sums, gathered lines, and what novelty does."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.explain import Explanation

RNG = np.random.default_rng(4)


def table_of(load, seed):
    """Return a model and records: as they are, with gaps, empty, outside, and a few values."""
    data = load(as_frame=True)
    X, y = data.data.to_numpy(), data.target_names[data.target]
    clf = EvidentialRuleClassifier(random_state=seed).fit(X, y)
    some = X[::40]
    holes = np.where(RNG.random(some.shape) < 0.4, np.nan, some)
    strange = np.where(RNG.random(some.shape) < 0.1, some * 3, some)
    mixed = np.where(RNG.random(some.shape) < 0.5, X[7], some)
    return clf, np.vstack([some, holes, strange, mixed, np.full_like(some[:1], np.nan)])


@pytest.fixture(scope="module", params=[load_breast_cancer, load_wine], ids=["cancer", "wine"])
def model(request):
    return table_of(request.param, 0)


def softmax(scores):
    odds = np.exp(scores - scores.max())
    return odds / odds.sum()


def test_sums_are_exact(model):
    clf, records = model
    decision = clf.decision
    is_turned = 0
    for record in records:
        explanation = clf.explain(record)
        positions = clf.rules_.variables.positions(record[None])
        native, least, *_ = decision.pool(positions)
        scores = np.log(clf.base_rates_) + native[0]
        assert_allclose(explanation.scores, scores, atol=1e-9)
        own, rival = explanation.class_index, explanation.rival_index
        assert explanation.total == pytest.approx(scores[own] - scores[rival], abs=1e-9)
        for every in (False, True):
            for most in (None, 2):
                lines = explanation.ledger(every=every, most=most)
                total = sum(map(explanation.contribution, lines))
                assert total == pytest.approx(explanation.total, abs=1e-9)
                left = sum(entry.undecided for entry in lines)
                assert left == pytest.approx(least[0], abs=1e-9)
        # Before novelty, all follows from the ledger alone.
        before = decision.answer(positions)
        assert_allclose(softmax(explanation.scores), before.probability[0], atol=1e-9)
        ignorance = np.exp(left) / np.exp(explanation.scores).sum()
        assert ignorance == pytest.approx(before.evidence.ignorance[0], abs=1e-9)
        assert ignorance == pytest.approx(explanation.evidence.weak_evidence[0], abs=1e-9)
        # With novelty, it is what the model says.
        p = clf.predict_proba([record])[0]
        assert_allclose(explanation.probability, p, atol=1e-12)
        assert explanation.prediction == clf.predict([record])[0]
        lead = np.log(p[own] / p[rival])
        assert explanation.total + explanation.taken_back == pytest.approx(lead, abs=1e-9)
        assert lead >= 0
        is_turned += explanation.total < 0
    assert is_turned >= (len(clf.classes_) == 2)  # novelty changed the answer of some


def test_kinds_tell_whether_rules_match_more_than_neutral(model):
    clf, records = model
    for record in records:
        explanation = clf.explain(record)
        degrees, mean = clf.membership([record])[0], clf.rules_.neutral
        kinds = {entry.rule: entry.kind for entry in explanation.entries}
        open_rules = (clf.rules_.asks & np.isnan(record)).any(axis=1)
        for rule, kind in kinds.items():
            if rule is not None and not open_rules[rule]:
                assert kind == ("matches more" if degrees[rule] > mean[rule] else "matches less")
        every = explanation.ledger(every=True)
        assert len(every) == len(clf.rules_) + 1
        assert explanation.to_text(every=True).count(" THEN ") == len(clf.rules_)
        assert len(explanation.to_frame(every=True)) == len(every)
        lines = explanation.ledger()
        assert list(explanation.to_frame()["entry"]) == [line.text for line in lines]


def test_lines_come_by_their_size_whether_rules_hold_or_not(model):
    clf, records = model
    n_less = 0
    for record in records:
        explanation = clf.explain(record)
        first, *lines = explanation.ledger(most=3)
        assert first.kind == "base rates"
        size = [abs(explanation.contribution(line)) for line in explanation.entries[1:]]
        shown = [abs(explanation.contribution(line)) for line in lines if line.rule is not None]
        assert shown[:3] == sorted(filter(None, size), reverse=True)[:3]
        n_less += sum(line.kind == "matches less" for line in lines[:3])
    assert n_less > 5


def test_what_rules_without_a_line_are_for_is_told(model):
    clf, records = model
    n_found = 0
    for record in records:
        explanation = clf.explain(record)
        lines = explanation.ledger(most=1)
        for line in lines[2:]:
            found = re.fullmatch(r"(\d+) rules(?: (for|against) (\w+))? (.+)", line.text)
            if line.rule is not None or not found or found[4].startswith(("that", "about")):
                continue
            side, shown = np.sign(explanation.contribution(line)), {line.rule for line in lines}
            own = [
                entry
                for entry in explanation.entries
                if entry.kind == "matches less" and entry.rule not in shown
                if np.sign(explanation.contribution(entry)) == side
            ]
            assert len(own) == int(found[1])
            total = sum(map(explanation.contribution, own))
            assert total == pytest.approx(explanation.contribution(line))
            if found[2]:
                assert {entry.aim for entry in own} == {f"{found[2]} {found[3]}"}
            if found[4] == "do not hold":
                holds = clf.rules_.variables.holds(clf.rules_.conditions, record[None])[0]
                assert not holds[[entry.rule for entry in own]].any()
            else:
                assert found[4] == "hold too little or not at all"
            n_found += 1
    assert n_found > 5


def test_an_empty_record_says_nothing_but_base_rates(model):
    clf, records = model
    explanation = clf.explain(records[-1])
    assert np.isnan(records[-1]).all()
    first, silent = explanation.ledger()
    assert first.kind == "base rates"
    assert silent.text == f"{len(clf.rules_)} rules that ask for missing values"
    assert not silent.amounts.any()
    assert explanation.evidence.ignorance[0] == 1
    assert str(explanation).startswith("I don't know. No evidence: ")
    assert explanation.verdict.guess.startswith("Without evidence: ")
    importance = clf.rules_.evidence @ clf.rules_.asks
    most = [f"x{feature}" for feature in np.argsort(-importance, kind="stable")[:3]]
    assert explanation.verdict.sentence.endswith(f"{most[0]}, {most[1]} and {most[2]}")


def test_a_rule_that_cannot_apply_is_not_unknown(model):
    clf, records = model
    rules = clf.rules_
    for record in records:
        positions = rules.variables.positions(record[None])
        greatest = rules.without_beliefs().freeze().membership(positions)[0]
        for entry in clf.explain(record).entries:
            if entry.kind == "unknown":
                assert (rules.asks[entry.rule] & np.isnan(record)).any()
                assert greatest[entry.rule] > rules.neutral[entry.rule]


def test_the_words_of_rules_are_those_of_a_test(model):
    clf, _ = model
    rules, classes = clf.rules_, clf.classes_
    for rule in range(len(rules)):
        own = rules.named_class[rule]
        share = rules.applies[rule, own] / rules.class_rows[own]
        rest = rules.applies[rule].sum() - rules.applies[rule, own]
        others = rest / (rules.class_rows.sum() - rules.class_rows[own])
        text = rules.applies_to(rule)
        first, second = text.removeprefix("applies to ").removesuffix(" records").split(" and ")
        assert float(first.split(" %")[0]) == pytest.approx(100 * share, rel=0.05, abs=0.51)
        assert float(second.split(" %")[0]) == pytest.approx(100 * others, rel=0.05, abs=0.51)
        assert first.endswith(f" of {classes[own]}")
        assert second.endswith(f" of {classes[1 - own] if len(classes) == 2 else 'other'}")


def test_rules_about_other_classes_share_a_line():
    clf, records = table_of(load_wine, 0)
    n_found = 0
    for record in records:
        explanation = clf.explain(record)
        for line in explanation.ledger():
            if "other classes" in line.text:
                n_found += 1
                assert explanation.contribution(line) == 0
                assert line.amounts.any()
    assert n_found > 0


def test_an_impossible_class_is_excluded_by_its_base_rate(model):
    clf, records = model
    rates = np.zeros(len(clf.classes_))
    rates[0] = 1.0
    sure = clf.with_base_rates(rates)
    for record in records[::7]:
        explanation = sure.explain(record)
        assert isinstance(explanation, Explanation)
        assert explanation.prediction == clf.classes_[0]
        assert (explanation.total, explanation.taken_back) == (np.inf, 0)
        assert explanation.to_dict()["total"] is None
        assert not re.search(r"\bnan\b", str(explanation))
        assert explanation.to_html().endswith("</div>")


def test_the_longest_bar_is_the_answer(model):
    clf, records = model
    for record in records:
        html = clf.explain(record).to_html()
        rows = html.split("<tr style='background:none'>")[1 : 1 + len(clf.classes_)]
        widths = [
            sum(
                float(part.split("em")[0])
                for part in row.partition("</tr>")[0].split("width:")[1:]
                if "12em" not in part[:4]
            )
            for row in rows
        ]
        p = np.sort(clf.predict_proba([record])[0])[::-1]
        assert_allclose(widths, 12 * p, atol=0.002)
        label = clf.predict([record])[0]
        assert f">{label}</td>" in rows[0]


def test_frames_and_evidence_have_the_same_names(model):
    clf, records = model
    frame = clf.predict_evidence(records).to_frame()
    rates = dict(zip(clf.classes_, clf.base_rates_, strict=True))
    for label in clf.classes_:
        belief, p = frame[f"belief of {label}"], frame[f"probability of {label}"]
        assert_allclose(p, belief + rates[label] * frame["ignorance"], atol=1e-12)
    assert set(frame["verdict"]) <= {"answer", "torn", "unknown"}
    assert (frame["reason"][frame["verdict"] == "answer"] == "").all()
    assert {"novelty", "contradiction", "weak evidence", "confidence"} <= set(frame)
