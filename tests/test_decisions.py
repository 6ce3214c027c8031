"""Ways to decide: one object behind all answers, and each inference once."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.cli import main
from fuzzyucs.decisions import DempsterShafer, Profiled, SingleWinner, Vote, Weighted
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.rules import RuleSet
from kinds import MODELS, fitted_model, records

WAYS = {
    "ds": DempsterShafer,
    "vote": Vote,
    "swin": SingleWinner,
    "weighted": Weighted,
    "profile": Profiled,
}


class Counting:
    """A native object that counts the calls of its methods."""

    def __init__(self, native, calls):
        self._native, self._calls = native, calls

    def __getattr__(self, name):
        self._calls[name] += 1
        return getattr(self._native, name)


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    clf, (frame, _) = fitted_model(request.param)
    return clf, records(frame), frame


@pytest.fixture
def calls(monkeypatch):
    """Calls of native inference, by method."""
    counted = Counter()
    freeze = RuleSet.freeze
    monkeypatch.setattr(RuleSet, "freeze", lambda rules: Counting(freeze(rules), counted))
    return counted


def as_table(rows, frame):
    return type(frame)(rows, columns=frame.columns)


def test_an_answer_is_what_three_methods_return(fitted):
    clf, rows, frame = fitted
    table = as_table(rows, frame)
    labels, probability, evidence = clf.answer(table)
    expected = clf.predict_evidence(table)
    assert_array_equal(labels, clf.predict(table))
    assert_array_equal(probability, clf.predict_proba(table))
    names = ["mass", "ignorance", "log_agreement", "weak_evidence", "probability", "contradiction"]
    for name in [*names, "verdict", "reason"]:
        assert_array_equal(getattr(evidence, name), getattr(expected, name), err_msg=name)
    assert (evidence.novelty is None) == (expected.novelty is None) == (clf.support is None)


def test_the_decision_knows_its_rules(fitted):
    clf, rows, frame = fitted
    decision = clf.decision
    assert type(decision) is WAYS[decision.scheme]
    assert decision.rules is clf.deciding_rules  # the same object, so that nothing is made twice
    home = clf.weighted_rules_ if hasattr(clf, "weighted_rules_") else clf.rules_
    assert_array_equal(home.conditions[decision.rule_indices], decision.rules.conditions)
    positions = decision.rules.variables.positions(clf.check_table(as_table(rows, frame)))
    plain = clf.set_params(support=None) if decision.novelty_decides else clf
    labels = plain.predict(as_table(rows, frame))
    clf.set_params(support="auto" if hasattr(clf, "support_") else None)
    assert_array_equal(clf.classes_[decision.decide(positions)], labels)


def test_each_inference_is_done_once(fitted, calls):
    clf, rows, frame = fitted
    table = as_table(rows, frame)
    own = {"vote": {"vote": 1}, "swin": {"single_winner": 1}}.get(clf.decision.scheme, {})
    for method in (clf.predict_evidence, clf.answer):
        calls.clear()
        method(table)
        expected = (
            {"pool_profiles": 1} if clf.decision.scheme == "profile" else {"dempster_shafer": 1}
        )
        assert calls == expected | own
    for method in (clf.predict, clf.predict_proba):
        calls.clear()
        method(table)
        assert sum(calls.values()) == 1


def test_a_record_is_explained_with_one_inference_besides_those_of_the_flips(calls):
    clf, (frame, y) = MODELS["ds"]
    clf.fit(frame, y).explain(frame[:1])
    assert calls.pop("predict") >= 1  # flips
    assert calls == {"dempster_shafer": 1, "membership": 1}


@pytest.mark.parametrize("command", ["predict", "report"])
def test_commands_do_each_inference_once(command, calls, tmp_path, capsys):
    clf, (frame, y) = MODELS["ds"]
    model = clf.fit(frame, y).save(tmp_path / "model.json")
    table = tmp_path / "table.csv"
    frame.assign(label=y).to_csv(table, index=False)
    options = ["--target", "label"] if command == "report" else []
    calls.clear()
    assert main([command, str(model), str(table), *options, "-o", str(tmp_path / "out")]) == 0
    assert calls.pop("membership", 0) == (command == "report")  # of single rules
    assert calls == {"dempster_shafer": 1}
    assert "Error" not in capsys.readouterr().err


def test_scores_of_the_ledger_are_those_of_the_decision(fitted):
    clf, rows, _ = fitted
    decision = clf.decision
    for record in rows[1:20]:
        positions = decision.rules.variables.positions(record[np.newaxis])
        answer = decision.answer(positions)
        scores = sum(entry.amounts for entry in decision.entries(record, positions))
        if decision.scheme in ("weighted", "profile"):
            odds = np.exp(scores - scores.max())
            assert_allclose(odds / odds.sum(), answer.probability[0], atol=1e-9)
        elif decision.scheme == "swin":
            rules = decision.rules
            degrees = rules.freeze().membership(positions)[0]
            (winner,) = decision.entries(record, positions)
            votes = (degrees * rules.fitness)[degrees > 0]
            assert winner.amounts[answer.labels[0]] == pytest.approx(votes.max())
        elif np.isfinite(scores).any() and np.ndim(scores):
            best = np.flatnonzero(scores >= scores.max() - 1e-9)
            assert answer.labels[0] in best


def test_an_entry_at_a_prompt_is_one_line_with_its_degree():
    assert repr(Entry("size is small", np.zeros(2), degree=0.25)) == (
        "<Entry: size is small, degree 0.25>"
    )
    assert repr(Entry("a" * 70, np.zeros(2))) == f"<Entry: {'a' * 70}>"
    assert repr(Entry("a" * 71, np.zeros(2))) == f"<Entry: {'a' * 67}...>"


def test_parameters_changed_after_a_fit_change_the_decision():
    clf, _ = fitted_model("ds")
    many = len(clf.deciding_rules)
    clf.set_params(inference_experience=100, inference="vote")
    assert clf.decision.scheme == "vote"
    assert len(clf.deciding_rules) < many
    clf.set_params(inference_experience=10, inference="ds")
    assert len(clf.deciding_rules) == many


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inference": "weighted"}, "inference='weighted' needs what only a fit with"),
        ({"calibrate": True}, "calibrate=True needs what only a fit with"),
        ({"support": "auto"}, "support='auto' needs what only a fit with"),
    ],
)
def test_what_was_not_learned_cannot_decide(changes, message):
    clf, (frame, y) = MODELS["ds"]
    clf.fit(frame, y).set_params(**changes)
    for method in (clf.predict_evidence, clf.answer, clf.explain):
        with pytest.raises(ValueError, match=message):
            method(frame[:1])


def test_a_constant_column_has_no_flips():
    X = np.column_stack([np.linspace(0, 1, 60), np.full(60, 7.0)])
    y = (X[:, 0] > 0.5).astype(int)
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    assert {flip.feature for flip in clf.explain(X[0]).flips} == {"x0"}
    record = np.array([np.nan, 7.0])  # only the constant is left to try
    assert [flip.kind for flip in clf.explain(record).flips] == ["known"]
