"""The report in a real browser: its numbers and words are those of the library."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier, load
from fuzzyucs._util.wording import percent
from fuzzyucs.explain.explaining import NO_ANSWER
from kinds import MODELS, fitted_model, records
from outcomes import outcomes
from pages import EVALUATE, as_json, plain, table_of_categories


@pytest.mark.parametrize("name", MODELS)
def test_the_page_computes_what_the_library_computes(name, open_page):
    clf, (frame, y) = fitted_model(name)
    page = open_page(clf, frame, y)
    rows = records(frame)
    found = page.evaluate(EVALUATE, as_json(rows))
    table = pd.DataFrame(rows, columns=frame.columns)
    evidence = clf.predict_evidence(table)

    def compare(key, expected):
        assert_allclose([r[key] for r in found], expected, rtol=0, atol=1e-9)

    compare("mass", evidence.mass)
    compare("ignorance", evidence.ignorance)
    compare("weak", evidence.weak_evidence)
    compare("probability", clf.predict_proba(table))
    if clf.support is not None:
        compare("novelty", evidence.novelty)
        for r, row in zip(found, rows, strict=True):
            names = [clf.rules_.variables.feature_names[f] for f in r["reasons"]]
            assert names == [reason.feature for reason in clf.support_.reasons(row)]
    answers = np.searchsorted(clf.classes_, clf.predict(table))
    assert [r["best"] for r in found] == answers.tolist()
    rules = clf.deciding_rules
    degrees = np.zeros((len(rows), len(rules)))
    for r, row in zip(found, degrees, strict=True):
        for index, degree in r["degrees"]:
            row[index] = degree
    expected = rules.freeze().membership(rules.variables.positions(rows))
    assert_allclose(degrees, expected, rtol=0, atol=1e-12)


def check_coherence(found, rates):
    """Check that belief and the base rate's part of the ignorance make up each probability."""
    mass, probability = (np.array([r[key] for r in found]) for key in ("mass", "probability"))
    ignorance = np.array([r["ignorance"] for r in found])
    assert_allclose(probability, mass + np.outer(ignorance, rates), rtol=0, atol=1e-12)
    assert_allclose(mass.sum(axis=1) + ignorance, 1, rtol=0, atol=1e-12)
    assert (mass >= 0).all()
    assert probability.argmax(axis=1).tolist() == [r["best"] for r in found]


@pytest.mark.parametrize("name", ["flagship", "fused", "named nominal"])
def test_the_page_judges_as_the_library_does(name, open_page):
    clf, (frame, y) = fitted_model(name)
    page = open_page(clf, frame, y)
    rows = np.vstack([records(frame), frame.to_numpy(dtype=float)[::3]])
    found = page.evaluate(EVALUATE, as_json(rows))
    check_coherence(found, clf.base_rates_)
    evidence = clf.predict_evidence(pd.DataFrame(rows, columns=frame.columns))
    assert_allclose([r["contradiction"] for r in found], evidence.contradiction, atol=1e-9)
    assert [r["missing"] for r in found] == evidence.n_missing.tolist()
    assert [r["verdict"] for r in found] == evidence.verdict.tolist()
    assert [r["reason"] for r in found] == evidence.reason.tolist()
    assert set(evidence.verdict) == {"answer", "torn", "unknown"}


def test_a_record_of_which_nothing_is_known_gets_the_base_rates(open_page):
    clf, (frame, y) = fitted_model("flagship")
    clf = clf.with_base_rates([0.0, 0.9, 0.1])  # one class is impossible here
    page = open_page(clf, frame, y)
    (found,) = page.evaluate(EVALUATE, [[None] * frame.shape[1]])
    assert_allclose(found["probability"], [0.0, 0.9, 0.1], rtol=0, atol=1e-12)
    check_coherence([found], clf.base_rates_)
    # Novelty has a share in the ignorance, even of an empty record.
    assert found["ignorance"] == pytest.approx(1, abs=1e-12)
    assert found["weak"] == pytest.approx(1, abs=1e-12)
    assert (found["verdict"], found["reason"]) == ("unknown", "missing")
    assert found["contradiction"] == 0
    page.evaluate("WHAT_IF.setRecord(MODEL.features.map(() => NaN))")
    answer = plain(page.locator("#answer").inner_text())
    assert answer.startswith("I don't know. No evidence: ")
    assert plain(page.locator("#guess").inner_text()) == "Without evidence: third 90 %"
    assert page.locator("#ledger button.fold").all_inner_texts() == [
        f"{len(clf.rules_)} rules that ask for missing values"
    ]


def test_shares_are_written_as_the_library_does(open_page):
    clf, (frame, y) = fitted_model("flagship")
    page = open_page(clf, frame, y)
    near = np.logspace(-7, -0.5, 200)
    shares = [*np.linspace(0, 1, 1001), *near, *(1 - near), 0.125, 0.625, 0.0625, 0.99951]
    for decimals in (None, 0, 1):
        found = page.evaluate(
            "([shares, decimals]) => shares.map(share => percent(share, decimals))",
            [[float(share) for share in shares], decimals],
        )
        assert list(map(plain, found)) == [percent(share, decimals) for share in shares]


@pytest.mark.parametrize("rates", [(1, 1, 1), (2, 2, 1), (1, 2, 3)])
def test_guesses_name_all_classes_that_are_most_frequent(rates, open_page):
    clf, (frame, y) = fitted_model("flagship")
    clf = clf.with_base_rates(np.array(rates) / sum(rates))
    page = open_page(clf, frame, y)
    rows = records(frame)[:60]
    verdicts = [clf.explain(pd.DataFrame([r], columns=frame.columns)).verdict for r in rows]
    found = page.evaluate(EVALUATE, as_json(rows))
    assert [plain(r["words"]["guess"]) for r in found] == [verdict.guess for verdict in verdicts]
    assert {verdict.guess[:6] for verdict in verdicts} == {"", "Forced", "Withou"}


@pytest.mark.parametrize("name", ["ds", "ds, missing values", "vote", "ucs", "weighted"])
def test_the_page_explains_as_the_library_does(name, open_page):
    clf, (frame, y) = fitted_model(name)
    page = open_page(clf, frame, y)
    rows = records(frame)[:12]
    found = page.evaluate(EVALUATE, as_json(rows))
    n_flips = 0
    for r, row in zip(found, rows, strict=True):
        explanation = clf.explain(pd.DataFrame([row], columns=frame.columns))
        assert_allclose(r["sums"], explanation.scores, atol=1e-9)
        mine = {f.feature: f for f in explanation.flips}
        theirs = {frame.columns[f["feature"]]: f for f in r["flips"]}
        assert mine.keys() == theirs.keys()
        for feature, flip in mine.items():
            n_flips += 1
            assert theirs[feature]["value"] == pytest.approx(flip.other, rel=1e-9, abs=1e-12)
            assert clf.classes_[theirs[feature]["label"]] == flip.label
            assert theirs[feature]["distance"] == pytest.approx(flip.distance, abs=1e-9)
    assert n_flips > 3


@pytest.mark.parametrize("name", ["flagship", "fused", "plateaus", "two classes"])
def test_the_page_explains_in_the_words_of_the_library(name, open_page):
    """Verdicts, kinds of entries, and all flips: of values, of missing ones, of losses."""
    if name == "two classes":
        frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
        clf = EvidentialRuleClassifier(random_state=0).fit(frame[::2], y[::2])
    else:
        clf, (frame, y) = fitted_model(name)
    page = open_page(clf, frame, y)
    rows = np.vstack([records(frame)[:9], frame.to_numpy(dtype=float)[:6]])
    rows[-1, ::2] = np.nan
    found = page.evaluate(EVALUATE, as_json(rows))
    n_flips = dict.fromkeys(["change", "known", "missing"], 0)
    for r, row in zip(found, rows, strict=True):
        explanation = clf.explain(pd.DataFrame([row], columns=frame.columns))
        words = r["words"]
        assert plain(f"{words['headline']} {words['rest']}") == str(explanation.verdict)
        assert plain(words["guess"]) == explanation.verdict.guess
        assert clf.classes_[r["rival"]] == explanation.rival
        assert_allclose(r["sums"], explanation.scores, atol=1e-9)
        kinds = {entry.rule: entry.kind for entry in explanation.entries}
        mean = {None: None} | dict(enumerate(clf.rules_.neutral))
        degree = {entry.rule: entry.degree for entry in explanation.entries}
        for index, kind in r["kinds"]:
            is_close = index is not None and abs(degree[index] - mean[index]) < 1e-12
            assert kind == kinds[index] or is_close
        assert [plain(f["words"]) for f in r["flips"]] == list(map(str, explanation.flips))
        for flip in explanation.flips:
            n_flips[flip.kind] += 1
    assert min(n_flips.values()) > 0


def test_every_value_outside_of_the_training_data_shows_in_the_verdict(open_page):
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, labels)
    page = open_page(clf, frame, labels)
    rows = np.tile(frame.to_numpy()[48], (31, 1))
    rows[np.arange(30), np.arange(30)] = -frame.to_numpy()[48] - 0.1
    rows[30, :2] = -1
    found = page.evaluate(EVALUATE, as_json(rows))
    answers = 0
    for r, row in zip(found, rows, strict=True):
        explanation = clf.explain(pd.DataFrame([row], columns=frame.columns))
        verdict = explanation.verdict
        assert plain(f"{r['words']['headline']} {r['words']['rest']}") == str(verdict)
        assert "is outside" in str(verdict)
        assert [plain(f["words"]) for f in r["flips"]] == list(map(str, explanation.flips))
        assert "well supported" not in str(verdict)
        answers += verdict.kind == "answer"
    assert answers > 5


@pytest.mark.parametrize("support", ["auto", None])
def test_flips_are_true_and_none_is_left_out(support, open_page):
    """Every value of a fine grid is tried with the library."""
    frame, y = table_of_categories()
    frame = frame.assign(weight=frame["weight"].where(np.arange(len(frame)) % 5 > 0))
    clf = EvidentialRuleClassifier(random_state=0, support=support).fit(frame, y)
    page = open_page(clf, frame, y)
    codes = clf.columns_.numbers(frame).to_numpy(dtype=float)

    def answers(rows):
        table = pd.DataFrame(rows, columns=frame.columns).astype(object)
        for f, categories in clf.columns_.categories.items():
            known = list(categories.labels)
            table.iloc[:, f] = [None if np.isnan(x) else known[int(x)] for x in rows[:, f]]
        table["weight"] = table["weight"].astype(float)
        found = outcomes(clf, table)
        return np.array([NO_ANSWER if y is None else list(clf.classes_).index(y) for y in found])

    rows = codes[:12].copy()
    rows[::3, 1] = np.nan
    found = page.evaluate(EVALUATE, as_json(rows))
    own = answers(rows)
    low, high = np.nanmin(codes, axis=0), np.nanmax(codes, axis=0)
    n_found = 0
    for r, row, answer in zip(found, rows, own, strict=True):
        changed = np.tile(row, (len(r["flips"]), 1))
        found_in = {flip["feature"] for flip in r["flips"] if not flip.get("isLoss")}
        for k, flip in enumerate(r["flips"]):
            changed[k, flip["feature"]] = np.nan if flip.get("isLoss") else flip["value"]
        assert answers(changed).tolist() == [f["label"] for f in r["flips"]]
        for f in range(len(row)):
            grid = np.arange(high[f] + 1) if f != 2 else np.linspace(low[f], high[f], 300)
            tried = np.tile(row, (len(grid), 1))
            tried[:, f] = grid
            if (answers(tried) != answer).any():
                assert f in found_in
                n_found += 1
    assert n_found > 3


def test_a_value_that_no_rule_asks_for_may_matter_by_novelty(open_page):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 2000))
    frame = pd.DataFrame({"a": a, "b": b, "c": b + rng.normal(scale=0.02, size=2000)})
    y = np.where(a > 1.2, "rare", "usual")
    clf = EvidentialRuleClassifier(random_state=0, max_rules=1).fit(frame, y)
    assert clf.rules_.asks.tolist() == [[True, False, False]]
    page = open_page(clf, frame, y)
    rows = np.column_stack([np.linspace(1, 2, 101), np.zeros(101), np.zeros(101)])
    said = outcomes(clf, pd.DataFrame(rows, columns=frame.columns))
    row = rows[said == "rare"][0]  # just so
    (found,) = page.evaluate(EVALUATE, as_json([row]))
    explanation = clf.explain(pd.DataFrame([row], columns=frame.columns))
    assert explanation.prediction == "rare"
    assert [plain(f["words"]) for f in found["flips"]] == list(map(str, explanation.flips))
    assert {flip.feature for flip in explanation.flips} >= {"b", "c"}


def test_a_model_of_the_older_form_is_marked_and_answers_as_it_did(open_page):
    path = Path(__file__).parent / "models" / "version-1" / "evidential.json"
    clf = load(path)
    assert clf.form_ == 1
    low, high = clf.rules_.variables.minimum, clf.rules_.variables.maximum
    rows = np.random.default_rng(0).uniform(low, high, (50, len(low)))
    rows[::4, ::2] = np.nan
    table = pd.DataFrame(rows, columns=clf.feature_names_in_)
    y = clf.predict(table)
    page = open_page(clf, table, y)
    assert "older form (saved by version 0.1.0)" in page.locator("#facts").inner_text()
    assert "silent where they do not match" in page.locator("#older-form").inner_text()
    found = page.evaluate(EVALUATE, as_json(rows))
    assert_allclose([r["probability"] for r in found], clf.predict_proba(table), atol=1e-9)
    assert_allclose([r["mass"] for r in found], clf.predict_evidence(table).mass, atol=1e-9)
    assert clf.classes_[[r["best"] for r in found]].tolist() == y.tolist()
