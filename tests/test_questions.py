"""The question to ask next: its numbers are those of a brute force in plain Python."""

import math
import re
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fuzzyucs import EvidentialRuleClassifier, fuse, load
from fuzzyucs.deployment.description import to_numpy
from fuzzyucs.questions import NextQuestion
from fuzzyucs.questions.asking import rank
from fuzzyucs.questions.replies import values_of_terms
from kinds import MODELS, mixed_table, records

MODELS_OF_FILES = Path(__file__).parent / "models"
LOSSES = [[0.0, 20.0, 3.0], [1.0, 0.0, 1.0], [4.0, 4.0, 0.0], [0.7, 0.7, 0.7]]
MEASURES = ("information", "entropy", "ignorance", "error", "brier", "loss")


@cache
def fitted(name):
    if name == "sources":
        return of_sources()
    clf, (frame, y) = MODELS[name]
    return clf.fit(frame, y), frame


def of_sources():
    """Return a model of three, one of which lacks columns; each has its own terms."""
    frame, y = mixed_table()
    parts = {name: (frame[k::3], y[k::3]) for k, name in enumerate(("north", "south", "west"))}
    rows, labels = parts["west"]
    parts["west"] = rows.drop(columns=["count", "colour"]), labels
    found = {name: EvidentialRuleClassifier(penalty=1.0).fit(*part) for name, part in parts.items()}
    return fuse(found), frame


def view_of(rules, feature):
    """Return the view whose terms are the replies: that with the most evidence of rules."""
    views = [v for v, f in enumerate(rules.variables.feature_of_view.tolist()) if f == feature]
    partition = rules.variables
    views = [v for v in views if partition.believed_features[v] and partition.n_varied_terms[v]]
    amounts = [
        sum(rules.evidence[k] for k in range(len(rules)) if v in rules.asked_features[k])
        for v in views
    ]
    return views[amounts.index(max(amounts))] if views else None


def belief(forest, position, feature):
    """Return how probable the terms of a feature are, given its neighbours: Bayes' rule by hand."""
    marginals = forest.marginals()
    prior = marginals[feature]
    found = prior.copy()
    for child, parent, table in forest.tables():
        if feature not in (child, parent):
            continue
        other = parent if feature == child else child
        if math.isnan(position[other]):
            continue
        joint = table if feature == child else table.T  # a row for each term of the other
        assert joint.shape == (len(marginals[other]), len(prior)), "no groups of terms"
        low = min(int(position[other]), len(marginals[other]) - 2)
        upper = position[other] - low
        share = {low: 1 - upper, low + 1: upper}
        found *= sum(w * joint[t] / marginals[other][t] for t, w in share.items()) / prior
        found /= found.sum()
    return found


def entropy(p):
    return -sum(x * math.log2(x) for x in p if x > 0)


def uncertainty(measure, p, ignorance):
    match measure:
        case "ignorance":
            return ignorance
        case "error":
            return 1 - max(p)
        case "brier":
            return 1 - sum(x * x for x in p)
        case "loss":
            return min(sum(x * cost for x, cost in zip(p, row, strict=True)) for row in LOSSES)
    return entropy(p)


def brute_force(clf, numpy_model, record):
    """Return what each question is expected to reduce, by measure, with NumPy's evaluator."""
    partition = clf.rules_.variables
    position = partition.positions(record[np.newaxis])[0]

    def say(row):
        answer = numpy_model.predict_evidence(row[np.newaxis])
        return answer.probability[0].tolist(), float(answer.ignorance[0])

    now, found = say(record), {}
    for feature in np.flatnonzero(np.isnan(record)).tolist():
        view = view_of(clf.rules_, feature)
        if view is None:
            continue
        shares = belief(partition.forest, position, view).tolist()
        after = []
        for value in values_of_terms(partition, view).tolist():
            row = record.copy()
            row[feature] = value
            after.append(say(row))
        gains = {}
        for measure in MEASURES:
            left = sum(s * uncertainty(measure, *a) for s, a in zip(shares, after, strict=True))
            before = uncertainty(measure, *now)
            if measure == "information":
                mean = [
                    sum(s * a[0][c] for s, a in zip(shares, after, strict=True))
                    for c in range(len(now[0]))
                ]
                before = entropy(mean)
            gains[measure] = before - left
        found[partition.table_variables.feature_names[feature]] = gains
    return found


@pytest.mark.parametrize("name", ["flagship", "fused", "sources", "named nominal", "plateaus"])
def test_reductions_are_those_of_a_brute_force(name):
    clf, frame = fitted(name)
    numpy_model = to_numpy(clf)
    rows = records(frame)
    chosen = [rows[0], *rows[np.isnan(rows).sum(axis=1) > 2][1:4]]
    n_asked = 0
    for record in chosen:
        expected = brute_force(clf, numpy_model, record)
        table = pd.DataFrame([record], columns=frame.columns)
        for measure in MEASURES:
            losses = {"losses": LOSSES} if measure == "loss" else {}
            question = clf.next_question(table, measure=measure, **losses)
            gains = {c.feature: c.reduction for c in question.candidates}
            n_asked += len(gains)
            for feature, gain in gains.items():
                assert gain == pytest.approx(expected[feature][measure], abs=1e-9)
            best = max((expected[f][measure] for f in gains), default=0.0)
            if best > 0:
                assert expected[question.feature][measure] == pytest.approx(best, abs=1e-9)
    assert n_asked > 50


@pytest.mark.parametrize("name", ["flagship", "fused"])
def test_what_is_not_asked_could_only_change_the_novelty(name):
    clf, frame = fitted(name)
    asks, record, n_neighbours = clf.rules_.asks, records(frame)[0], 0
    for feature in np.flatnonzero(asks.any(axis=0)).tolist():
        alone = asks[:, feature] & (asks.sum(axis=1) == 1)
        if not alone.any():
            continue
        few = clf.with_rules(clf.rules_[alone])
        asked = {candidate.feature for candidate in few.next_question().candidates}
        few.set_params(support=None)
        expected = brute_force(few, to_numpy(few), record)
        # Every value that changes what rules say is asked for, and no other.
        assert asked == {f for f, gains in expected.items() if abs(gains["entropy"]) > 1e-12}
        assert frame.columns[feature] in asked
        n_neighbours += len(asked) - 1
    # Only some models have features that depend on each other.
    assert n_neighbours > 1 if name == "flagship" else n_neighbours == 0


@pytest.mark.parametrize("name", ["flagship", "named nominal", "plateaus", "fine terms"])
def test_a_reply_stands_for_a_term(name):
    partition = fitted(name)[0].rules_.variables
    for feature in np.flatnonzero(partition.n_varied_terms).tolist():
        values = values_of_terms(partition, feature)
        rows = np.full((len(values), partition.n_features), np.nan)
        rows[:, feature] = values
        positions = partition.positions(rows)[:, feature]
        assert_allclose(positions, np.arange(partition.n_terms[feature]), atol=1e-9)


@pytest.mark.parametrize("name", ["flagship", "sources"])
def test_replies_tell_what_the_model_would_say(name):
    clf, _ = fitted(name)
    question = clf.next_question({"length": 0.4})
    assert question.best.per_price == max(c.per_price for c in question.candidates)
    assert sum(reply.probability for reply in question.replies) == pytest.approx(1)
    record = {"length": 0.4}
    for reply in question.replies:
        row = dict.fromkeys(clf.feature_names_in_, np.nan) | record
        explanation = clf.explain(row | {question.feature: reply.value})
        assert_allclose(reply.class_probability, explanation.probability, atol=1e-12)
        verdict = (explanation.verdict.kind, explanation.verdict.reason)
        assert (reply.verdict, reply.reason) == verdict
        assert reply.label == explanation.prediction
        assert reply.ignorance == pytest.approx(float(explanation.evidence.ignorance[0]))
    left = sum(reply.probability * reply.uncertainty for reply in question.replies)
    mean = sum(reply.probability * reply.class_probability for reply in question.replies)
    assert question.best.reduction == pytest.approx(entropy(mean) - left, abs=1e-9)
    assert str(question.verdict) == str(clf.explain(row | record).verdict)


def test_prices_divide_what_is_expected():
    clf, _ = fitted("flagship")
    plain = clf.next_question()
    first, second = plain.candidates[:2]
    ratio = first.reduction / second.reduction
    assert clf.next_question(costs={first.feature: 0.99 * ratio}).feature == first.feature
    dear = clf.next_question(costs={first.feature: 1.01 * ratio})
    assert dear.feature == second.feature
    assert dear.candidates[1].per_price == pytest.approx(second.reduction / 1.01)
    assert [c.price for c in dear.candidates[:2]] == [1, 1.01 * ratio]
    # By number, and for all features.
    index = clf.feature_names_in_.tolist().index(first.feature)
    assert clf.next_question(costs={index: 1.01 * ratio}).feature == second.feature
    each = np.ones(clf.n_features_in_)
    each[index] = 1.01 * ratio
    assert clf.next_question(costs=each).feature == second.feature


def test_what_cannot_be_found_out_is_not_asked_for():
    clf, _ = fitted("flagship")
    first = clf.next_question().feature
    question = clf.next_question(costs={first: math.inf})
    names = [candidate.feature for candidate in question.candidates]
    assert names
    assert first not in names
    assert "price" not in str(question)
    nothing = clf.next_question(costs=[math.inf] * clf.n_features_in_)
    assert nothing.feature is None
    assert nothing.why_nothing == "Nothing to ask: 7 missing values cannot be asked for"


def test_questions_that_reduce_nothing_come_last_whatever_they_cost():
    reduction = np.array([0.4, np.nan, 0.3, -0.1, 0.0, -0.2, 1e-14])
    prices = np.array([2.0, 1.0, 1.0, 100.0, 1.0, 0.1, 0.001])
    assert rank(reduction, prices).tolist() == [2, 0, 4, 6, 3, 5]
    others = np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.2])
    assert rank(reduction, prices, others).tolist() == [2, 0, 6, 4, 3, 5]


def test_where_no_reply_changes_the_class_the_information_decides():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 1.05, "rare", "usual")
    X[:, 2] = X[:, 1] + rng.normal(0, 0.3, 600)
    clf = EvidentialRuleClassifier(penalty=4.0).fit(X, y)
    known = {"x0": 0.2}  # usual, whatever the others are
    question = clf.next_question(known, measure="error")
    assert len({reply.label for reply in question.replies}) == 1
    told = {c.feature: c.reduction for c in clf.next_question(known).candidates}
    same = {round(c.reduction, 9) for c in question.candidates}
    if len(same) == 1:
        assert question.feature == max(told, key=told.get)
    assert clf.next_question(measure="error").feature == "x0"


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_records_come_in_many_forms():
    clf, frame = fitted("flagship")
    row = frame.iloc[[5]].copy()
    row.iloc[0, 1:4] = np.nan
    expected = clf.next_question(row).to_dict()
    known = {k: v for k, v in row.iloc[0].to_dict().items() if not math.isnan(v)}
    array = row.to_numpy()
    assert clf.next_question(array).to_dict() == expected
    assert clf.next_question(array[0]).to_dict() == expected
    for record in (known, known | {"colour": None}, row.iloc[0], pd.Series(known), row[[*known]]):
        assert clf.next_question(record).to_dict() == expected
    import polars as pl

    assert clf.next_question(pl.from_pandas(row[[*known]])).to_dict() == expected
    assert clf.next_question().to_dict() == clf.next_question({}).to_dict()
    assert clf.next_question().to_dict() == clf.next_question([np.nan] * 7).to_dict()


def people():
    """Return a table with categories, an order, truths and dates."""
    rng = np.random.default_rng(3)
    n = 300
    sizes = ["S", "M", "L"]
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(rng.choice(sizes, n), categories=sizes, ordered=True),
            "<b>colour</b>": rng.choice(["red", "<i>blue</i>", "green"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 999, n), unit="D"),
        }
    )
    is_hot = (frame["<b>colour</b>"] == "red") ^ (rng.random(n) < 0.1)
    is_hot |= (frame["size"] == "L") & (frame["since"] > "2021-06-01")
    return frame, np.where(is_hot, "<u>hot</u>", "cold")


@pytest.fixture(scope="module")
def club():
    frame, y = people()
    return EvidentialRuleClassifier(penalty=3.0).fit(frame, y), frame


def test_categories_and_dates_are_asked_for(club):
    clf, frame = club
    question = clf.next_question()
    assert question.feature == "<b>colour</b>"
    assert [reply.text for reply in question.replies] == ["<i>blue</i>", "green", "red"]
    assert [reply.value for reply in question.replies] == ["<i>blue</i>", "green", "red"]
    later = clf.next_question({"<b>colour</b>": "green", "member": True})
    assert set(later.to_frame()["feature"]) == {"size", "since"}
    since = later.replies_to("since")
    assert all(isinstance(reply.value, datetime) for reply in since)
    assert clf.next_question({"<b>colour</b>": "green", "since": since[-1].value}).feature == "size"
    clf.next_question(frame.iloc[3])
    assert "NaN" not in str(later.to_dict())


def test_a_category_that_was_not_seen_is_not_asked_for_again(club):
    clf, _ = club
    question = clf.next_question({"<b>colour</b>": "violet"})
    assert "<b>colour</b>" not in question.to_frame()["feature"].tolist()
    assert "the value of <b>colour</b> was not seen in training" in str(question.verdict)


def test_names_are_texts(club):
    clf, _ = club
    text = clf.next_question()._repr_html_()
    assert "<b>colour</b>" not in text.replace("Ask for <b>", "")
    assert "&lt;b&gt;colour&lt;/b&gt;" in text
    assert "&lt;i&gt;blue&lt;/i&gt;" in text
    assert "&lt;u&gt;hot&lt;/u&gt;" in text


def test_there_may_be_nothing_to_ask(club):
    clf, frame = club
    question = clf.next_question(frame.iloc[[0]])
    assert repr(question) == "<NextQuestion: nothing to ask: no value is missing>"
    assert (question.feature, question.best, question.replies) == (None, None, [])
    assert str(question).endswith("Nothing to ask: no value is missing.")
    assert "Nothing to ask" in question._repr_html_()
    assert list(question.to_frame().columns) == ["feature", "reduction", "price", "per price"]
    assert question.to_dict()["feature"] is None
    with pytest.raises(ValueError, match="of which there are none"):
        question.replies_to("size")
    whole = frame.iloc[0].to_dict()
    del whole["member"]  # which no rule asks for
    assert not clf.rules_.asks[:, 2].any()
    idle = clf.next_question(whole)
    assert idle.why_nothing == "Nothing to ask: no rule depends on 1 missing value"


def test_questions_are_shown_in_short_and_in_full(club):
    clf, _ = club
    question = clf.next_question()
    said = r"<NextQuestion: <b>colour</b>, expected to tell 0\.\d+ bits, 2 other candidates>"
    assert re.fullmatch(said, repr(question))
    lines = str(question).splitlines()
    assert lines[0].startswith("I don't know. No evidence: ")
    assert any(line.startswith("Ask for <b>colour</b>: it is expected to tell") for line in lines)
    assert all(len(line) <= 88 for line in lines)
    dear = clf.next_question(costs={"size": 5}, measure="ignorance")
    assert re.search(r"reduce the ignorance from 1 to 0\.\d+, at a price of 1\.", dear.to_text())
    assert re.search(r"size 0\.\d+ \(price 5\)", dear.to_text())
    replies = question.to_frame(question.feature)
    assert replies["probability"].sum() == pytest.approx(1)
    columns = [f"probability of {label}" for label in clf.classes_]
    assert_allclose(replies[columns].sum(axis=1), 1)
    with pytest.raises(ValueError, match="did you mean 'size'"):
        question.replies_to("sizes")


def test_a_loaded_model_asks_the_same(club, tmp_path):
    clf, _ = club
    again = load(clf.save(tmp_path / "model.json"))
    known = {"size": "M"}
    costs = {"since": 2}
    assert again.next_question(known, costs).to_dict() == clf.next_question(known, costs).to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"record": {"siz": "M"}}, r"record: there is no feature 'siz'; did you mean 'size'\?"),
        ({"record": {"size": "M", 3: 1}}, "record: there is no feature 3"),
        ({"record": pd.DataFrame({"size": ["M", "L"]})}, "takes one record, got 2"),
        ({"costs": {"sinc": 1}}, r"costs: there is no feature 'sinc'; did you mean 'since'\?"),
        ({"costs": {9: 1}}, "costs: there is no feature 9"),
        ({"costs": {"size": 0}}, "price of 'size' must be a number above 0"),
        ({"costs": {"size": -3}}, "price of 'size' must be a number above 0"),
        ({"costs": {"size": math.nan}}, "price of 'size' must be a number above 0"),
        ({"costs": {"size": "much"}}, "price of 'size' must be a number above 0"),
        ({"costs": {"size": True}}, "price of 'size' must be a number above 0"),
        ({"costs": [1, 2]}, "a price for each of the 4 features"),
        ({"measure": "ignorence"}, r"measure must be one of .*did you mean 'ignorance'\?"),
        ({"measure": "loss"}, "losses belong to measure='loss'"),
        ({"measure": "error", "losses": [[0, 1], [1, 0]]}, "losses belong to measure='loss'"),
        ({"losses": [[0, 1, 2]]}, "a column for each of the 2 classes"),
        ({"losses": [[0, math.nan], [1, 0]]}, "finite numbers"),
        ({"losses": "many"}, "losses must have a row for each action"),
    ],
)
def test_mistakes_are_named(club, arguments, message):
    with pytest.raises(ValueError, match=message):
        club[0].next_question(**arguments)


def test_a_model_of_the_older_form_has_no_questions():
    clf = load(MODELS_OF_FILES / "version-1" / "evidential.json")
    assert clf.form_ == 1
    with pytest.raises(ValueError, match=r"next_question: a model that version 0\.1\.0"):
        clf.next_question()


def test_a_question_is_a_question(club):
    assert isinstance(club[0].next_question(), NextQuestion)
