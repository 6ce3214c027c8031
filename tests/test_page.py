"""The report in a real browser: its numbers are those of the library, and its controls work."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from browser import browser
from fuzzyucs import EvidentialRuleClassifier, load
from kinds import MODELS, records


def table_of_categories(n=300):
    """A table with text, an order, and truths."""
    rng = np.random.default_rng(5)
    sizes = ["S", "M", "L", "XL"]
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(rng.choice(sizes, n), categories=sizes, ordered=True),
            "colour": rng.choice(["red", "<i>blue</i>", "green"], n),
            "weight": rng.normal(size=n),
            "old": rng.random(n) < 0.5,
        }
    )
    hot = (frame["colour"] == "red") & (frame["size"] >= "L") | (frame["weight"] > 1)
    return frame, np.where(hot, "yes", "no")


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture
def open_page(chromium, tmp_path):
    pages = []

    def open_page(clf, X, y, **options):
        path = clf.report(X, y, tmp_path / "report.html")
        page = chromium.new_page(**options)
        problems, requests = [], []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append((page, problems, requests))
        return page

    yield open_page
    for page, problems, requests in pages:
        page.close()
        assert problems == []
        assert len(requests) == 1, "nothing but the file itself is asked for"


def as_json(rows):
    return [[None if np.isnan(value) else float(value) for value in row] for row in rows]


EVALUATE = """rows => rows.map(row => {
    const record = row.map(value => value === null ? NaN : value);
    const r = MODEL.evaluate(record);
    const entries = ledgerEntries(MODEL, r);
    const flips = record.flatMap((_, f) => [
        findFlip(MODEL, record, f, r.matched, r.best), findLoss(MODEL, record, f, r.best)]);
    return {mass: r.mass, ignorance: r.ignorance, weak: r.weak, novelty: r.novelty, best: r.best,
            probability: r.probability, contradiction: r.contradiction,
            verdict: r.verdict, reason: r.reason, missing: r.nMissing,
            words: r.verdict ? verdictWords(MODEL, record, r) : null,
            degrees: r.matched.rules.map(e => [e.index, e.degree * e.believed]),
            reasons: r.reasons.map(e => e.feature),
            kinds: entries.map(e => [e.index, e.kind]),
            rival: rivalOf(MODEL, r),
            flips: flips.filter(flip => flip !== null).sort(compareFlips).map(flip => ({...flip,
                words: flipWords(MODEL.features[flip.feature], record[flip.feature], flip) +
                    MODEL.classes[flip.label] + (
                    isNovelFlip(MODEL, record, flip, r.novelty) ? " (unlike anything seen)" : "")})),
            sums: r.scores.map((_, c) => entries.reduce((t, e) => t + e.amounts[c], 0))};
})"""


def plain(text):
    """Return a text of the page as Python writes it."""
    text = text.replace("\xa0", " ").replace("→", "->").replace("’", "'")
    return re.sub(r"e([+-])(\d)\b", r"e\g<1>0\2", text)


@pytest.mark.parametrize("name", MODELS)
def test_the_page_computes_what_the_library_computes(name, open_page):
    clf, (frame, y) = MODELS[name]
    clf.fit(frame, y)
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
    clf, (frame, y) = MODELS[name]
    clf.fit(frame, y)
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
    clf, (frame, y) = MODELS["flagship"]
    clf.fit(frame, y)
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
    assert page.locator("#answer").inner_text().startswith("I don’t know. No evidence: ")
    assert plain(page.locator("#guess").inner_text()) == "Without evidence: third 90 %"
    assert page.locator("#ledger button.fold").all_inner_texts() == [
        f"{len(clf.rules_)} rules that ask for missing values"
    ]


@pytest.mark.parametrize("name", ["ds", "ds, missing values", "vote", "ucs", "weighted"])
def test_the_page_explains_as_the_library_does(name, open_page):
    clf, (frame, y) = MODELS[name]
    clf.fit(frame, y)
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


@pytest.mark.parametrize("name", ["flagship", "fused", "two classes"])
def test_the_page_explains_in_the_words_of_the_library(name, open_page):
    """Verdicts, kinds of entries, and all flips: of values, of missing ones, of losses."""
    if name == "two classes":
        frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
        clf = EvidentialRuleClassifier(random_state=0).fit(frame[::2], y[::2])
    else:
        clf, (frame, y) = MODELS[name]
        clf.fit(frame, y)
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
        mean = {None: None} | dict(enumerate(clf.rules_.mean))
        degree = {entry.rule: entry.degree for entry in explanation.entries}
        for index, kind in r["kinds"]:
            is_close = index is not None and abs(degree[index] - mean[index]) < 1e-12
            assert kind == kinds[index] or is_close
        assert [plain(f["words"]) for f in r["flips"]] == list(map(str, explanation.flips))
        for flip in explanation.flips:
            n_flips[flip.kind] += 1
    assert min(n_flips.values()) > 0


@pytest.mark.parametrize("support", ["auto", None])
def test_flips_are_true_and_none_is_left_out(support, open_page):
    """Every value of a fine grid is tried with the library."""
    frame, y = table_of_categories()
    frame = frame.assign(weight=frame["weight"].where(np.arange(len(frame)) % 5 > 0))
    clf = EvidentialRuleClassifier(random_state=0, support=support).fit(frame, y)
    page = open_page(clf, frame, y)
    codes = clf.columns_.numbers(frame).to_numpy(dtype=float)

    def answers(rows):
        labels = clf.columns_.categories
        table = pd.DataFrame(rows, columns=frame.columns).astype(object)
        for f, categories in labels.items():
            known = list(categories.labels)
            table.iloc[:, f] = [None if np.isnan(x) else known[int(x)] for x in rows[:, f]]
        table["weight"] = table["weight"].astype(float)
        return np.searchsorted(clf.classes_, clf.predict(table))

    rows = codes[:12].copy()
    rows[::3, 1] = np.nan
    found = page.evaluate(EVALUATE, as_json(rows))
    own = answers(rows)
    low, high = np.nanmin(codes, axis=0), np.nanmax(codes, axis=0)
    for r, row, answer in zip(found, rows, own, strict=True):
        changed = np.tile(row, (len(r["flips"]), 1))
        flips = [f for f in r["flips"] if not np.isinf(f["distance"] or np.inf) or "share" in f]
        for k, flip in enumerate(r["flips"]):
            value = flip["value"]
            changed[k, flip["feature"]] = np.nan if flip.get("isLoss") or value is None else value
        assert answers(changed).tolist() == [f["label"] for f in r["flips"]]
        for f in range(len(row)):
            grid = np.arange(high[f] + 1) if f != 2 else np.linspace(low[f], high[f], 300)
            tried = np.tile(row, (len(grid), 1))
            tried[:, f] = grid
            is_other = (answers(tried) != answer).any()
            assert is_other <= any(flip["feature"] == f for flip in flips)


def test_categories_have_menus(open_page):
    frame, y = table_of_categories()
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    page = open_page(clf, frame, y)
    assert page.locator("#input-0").evaluate("menu => menu.tagName") == "SELECT"
    assert page.locator("#input-0 option").all_inner_texts() == ["S", "M", "L", "XL"]
    assert set(page.locator("#input-1 option").all_inner_texts()) == {"<i>blue</i>", "green", "red"}
    for record in ({"size": "XL", "colour": "red"}, {"size": "S", "colour": "<i>blue</i>"}):
        page.locator("#input-0").select_option(label=record["size"])
        page.locator("#input-1").select_option(label=record["colour"])
        page.locator("#input-3").select_option(label="True")
        weight = page.evaluate("WHAT_IF.record[2]")
        explanation = clf.explain({**record, "weight": weight, "old": True})
        assert_allclose(shown_probabilities(page), 100 * explanation.probability, atol=0.051)
        assert plain(page.locator("#answer").inner_text()) == str(explanation.verdict)
        wait_for_flips(page)
        shown = page.locator("#flips button").all_inner_texts()
        assert list(map(plain, shown)) == list(map(str, explanation.flips))


def wait_for_flips(page):
    page.wait_for_selector(
        f"#flips[data-done='{page.evaluate('WHAT_IF.search')}']", state="attached"
    )


@pytest.fixture(scope="module")
def cancer():
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    return EvidentialRuleClassifier(random_state=0).fit(frame, labels), frame, labels


def shown_probabilities(page):
    return page.eval_on_selector_all(
        "#beliefs .belief .amount", "cells => cells.map(cell => parseFloat(cell.textContent))"
    )


BARS = """[...document.querySelectorAll("#beliefs .belief")].map(row =>
    [...row.querySelectorAll(".track span")].map(part => parseFloat(part.style.width)))"""


def check_bars(page, evidence):
    """Check that bars are belief and the base rate's part of the ignorance."""
    assert_allclose(shown_probabilities(page), 100 * evidence.probability[0], atol=0.051)
    shared = evidence.base_rates * evidence.ignorance[0]
    expected = 100 * np.column_stack([evidence.belief[0], shared])
    assert_allclose(page.evaluate(BARS), expected, atol=1e-3)
    best = page.locator("#beliefs .belief.best .label").inner_text()
    assert best == evidence.classes[np.sum(page.evaluate(BARS), axis=1).argmax()]
    measures = [evidence.ignorance, evidence.contradiction, evidence.novelty]
    shown = page.locator("#beliefs .measures b").all_inner_texts()
    assert [plain(text) for text in shown] == [f"{100 * m[0]:.1f} %" for m in measures]


def test_sliders_move_beliefs(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    f = frame.columns.get_loc("worst area")
    usual = page.evaluate("WHAT_IF.record.slice()")
    page.locator(f"#input-{f}").focus()
    for _ in range(60):
        page.keyboard.press("PageUp")
    assert page.evaluate(f"WHAT_IF.record[{f}]") == frame["worst area"].max()
    record = np.array(usual)
    record[f] = frame["worst area"].max()
    check_bars(page, clf.predict_evidence(pd.DataFrame([record], columns=frame.columns)))
    page.locator(f"#input-{f}").fill("1000")  # as the mouse would
    assert page.evaluate(f"WHAT_IF.record[{f}]") == 1000
    page.locator(f"#input-{f}-missing").check()
    record[f] = np.nan
    check_bars(page, clf.predict_evidence(pd.DataFrame([record], columns=frame.columns)))
    assert page.locator(f"#input-{f}").is_disabled()
    page.locator("#reset").click()
    assert page.evaluate("WHAT_IF.record.slice()") == usual


def test_a_number_can_be_typed_beyond_the_range(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    f = frame.columns.get_loc("worst texture")
    box = page.locator(f"[data-feature='{f}'] input[type=number]")
    box.fill("500")
    assert page.evaluate(f"WHAT_IF.record[{f}]") == 500
    low, high = frame["worst texture"].min(), frame["worst texture"].max()
    text = f"Unlike anything seen: worst texture 500 is outside {low} to {high}"
    assert page.locator("#answer").inner_text() == f"I don’t know. {text}"
    assert page.locator("#answer").get_attribute("data-verdict") == "unknown"
    assert page.locator(".input.unusual").get_attribute("data-feature") == str(f)
    box.fill("")
    box.blur()
    assert box.input_value() == "500"


def test_a_click_on_a_flip_changes_the_answer(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    p = clf.predict_proba(frame)[:, 0]
    row = frame.iloc[int(np.argmin(np.abs(p - 0.6)))]
    best = "#beliefs .best .label"
    page.evaluate("row => WHAT_IF.setRecord(row)", row.tolist())
    before = page.locator(best).inner_text()
    wait_for_flips(page)
    flip = clf.explain(row).flips[0]
    text = page.locator("#flips button").first.inner_text()
    assert plain(text) == str(flip)
    page.locator("#flips button").first.click()
    assert page.locator(best).inner_text() == flip.label != before
    wait_for_flips(page)
    lost = page.locator("#flips button", has_text="→ (missing)")
    if lost.count():
        name = lost.first.inner_text().rsplit(" → ")[0].rsplit(" ", 1)[0]
        lost.first.click()
        assert page.locator(f"#input-{frame.columns.get_loc(name)}-missing").is_checked()


def test_the_ledger_starts_at_the_base_rates_and_folds_what_does_not_apply(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    row = frame.iloc[3]
    page.evaluate("row => WHAT_IF.setRecord(row)", row.tolist())
    explanation = clf.explain(row)
    ledger = explanation.ledger(most=12)
    shown = page.locator("#ledger tr:not([hidden])")
    amounts = [text.split("\t")[0] for text in shown.all_inner_texts()]
    expected = [explanation.contribution(entry) for entry in ledger]
    expected += [explanation.total, explanation.taken_back]
    expected.append(explanation.total + explanation.taken_back)
    assert_allclose(
        [float(a.replace("−", "-")) for a in amounts], expected, rtol=0, atol=0.00051
    )
    assert plain(shown.first.inner_text()).endswith(ledger[0].text)
    own = clf.rules_.applies_to(ledger[1].rule)
    assert own in plain(shown.nth(1).inner_text())
    fold = page.locator("#ledger button.fold")
    absent = [entry for entry in explanation.entries if entry.kind == "does not apply"]
    assert fold.all_inner_texts() == [f"{len(absent)} rules that do not apply"]
    assert fold.get_attribute("aria-expanded") == "false"
    before = shown.count()
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true"
    assert shown.count() == before + len(absent)
    page.evaluate("WHAT_IF.update()")  # it stays open
    assert shown.count() == before + len(absent)


def test_rules_are_filtered_and_sorted(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    rules = clf.rules_
    cells = "#rule-table tbody tr td:nth-child({})"
    assert page.locator(cells.format(1)).count() == len(rules)
    texts = [rules.condition(rule) for rule in range(len(rules))]
    page.locator("#rule-text").fill("WORST TEXTURE")
    shown = page.locator(cells.format(1)).all_inner_texts()
    assert sorted(shown) == sorted(text for text in texts if "worst texture" in text)
    page.locator("#rule-class").select_option(label="malignant")
    assert set(page.locator(cells.format(2)).all_inner_texts()) <= {"malignant"}
    page.locator("#rule-text").fill("")
    page.locator("#rule-class").select_option(label="all")
    page.locator("#rule-feature").select_option(label="mean texture")
    f = frame.columns.get_loc("mean texture")
    assert page.locator(cells.format(1)).count() == rules.asks[:, f].sum()
    assert (
        page.locator("#rule-count").inner_text()
        == f"{rules.asks[:, f].sum()} of {len(rules)} rules"
    )
    page.locator("#rule-feature").select_option(label="all")
    rows = page.locator("#rule-table tbody tr")
    for r, text in enumerate(rows.all_inner_texts()):
        assert plain(text).split("\t")[2:6] == rules.shown_values(r)
    head = page.get_by_role("button", name="Applies to")
    head.click()
    counts = [int(text) for text in page.locator(cells.format(3)).all_inner_texts()]
    assert counts == sorted(rules.applies.sum(axis=1), reverse=True)
    head.press("Enter")
    counts = [int(text) for text in page.locator(cells.format(3)).all_inner_texts()]
    assert counts == sorted(rules.applies.sum(axis=1))
    page.get_by_role("button", name="Applies here").click()
    shares = [float(plain(t)[:-2]) for t in page.locator(cells.format(7)).all_inner_texts()]
    holds = rules.variables.holds(rules.conditions, frame.to_numpy()).mean(axis=0)
    assert_allclose(shares, 100 * np.sort(holds)[::-1], atol=0.51)


def test_rules_of_other_kinds_have_their_own_columns(open_page):
    clf, (frame, y) = MODELS["weighted"]
    clf.fit(frame, y)
    page = open_page(clf, frame, y)
    page.get_by_role("button", name="Coverage").click()
    cells = page.locator("#rule-table tbody tr td:nth-child(5)").all_inner_texts()
    shares = [float(text.rstrip(" %")) for text in cells]
    assert shares == sorted(shares, reverse=True)
    rules = clf.deciding_rules.without_beliefs()
    degrees = rules.freeze().membership(rules.variables.positions(frame.to_numpy()))
    expected = np.sort(100 * degrees.mean(axis=0))[::-1][: len(shares)]
    assert_allclose(shares, expected, atol=0.051)
    assert not page.locator("#verdicts").is_visible()
    assert page.locator("#answer").inner_text().startswith("Answer: ")


def test_the_card_tells_base_rates_and_when_answers_are_given(open_page):
    frame, y = table_of_categories()
    clf = EvidentialRuleClassifier(random_state=0, class_weight="balanced").fit(frame, y)
    page = open_page(clf, frame, y)
    card = dict(plain(text).split("\t") for text in page.locator("#facts tr").all_inner_texts())
    share = np.mean(y == "yes")
    assert card["Base rates"] == (
        "no 50 %, yes 50 % (shares of the training data as weighted by class_weight='balanced'; "
        f"of its rows: no {100 * (1 - share):.0f} %, yes {100 * share:.0f} %)"
    )
    threshold = clf.rules_.answer_threshold
    assert card["Answers"] == f"at most a tenth wrong on held-out rows (threshold {threshold:.2f})"
    assert card["Rules"].startswith(f"{len(clf.rules_)}, ")
    assert "Form" not in card
    given = open_page(clf.with_base_rates({"yes": 0.1, "no": 0.9}), frame, y)
    text = given.locator("#facts").inner_text()
    assert "no 90 %, yes 10 % (given)" in plain(text)


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
    assert "silent where they do not apply" in page.locator("#older-form").inner_text()
    found = page.evaluate(EVALUATE, as_json(rows))
    assert_allclose([r["probability"] for r in found], clf.predict_proba(table), atol=1e-9)
    assert_allclose([r["mass"] for r in found], clf.predict_evidence(table).mass, atol=1e-9)
    assert clf.classes_[[r["best"] for r in found]].tolist() == y.tolist()


def test_names_are_texts(open_page):
    clf, (frame, y) = MODELS["flagship"]
    clf.fit(frame, y)
    page = open_page(clf, frame, y)
    assert page.locator("b:text-is('ill')").count() == 0
    assert "<b>ill</b>" in page.locator("#confusion").inner_text()
    assert "<script>alert(1)</script>" in page.locator("#partitions").inner_text()
    assert page.locator('h3:text-is("& \'quoted\' \\"names\\"")').count() == 1


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(cancer, open_page, width, scheme):
    clf, frame, labels = cancer
    page = open_page(
        clf, frame, labels, viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    assert dark == (scheme == "dark")
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


def test_every_control_has_a_name(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    nameless = page.evaluate(
        """[...document.querySelectorAll("input, select, button")].filter(e =>
            !(e.labels && e.labels.length) && !e.getAttribute("aria-label") && !e.textContent.trim()
        ).map(e => e.outerHTML)"""
    )
    assert nameless == []


SEARCH = """async n_changes => {
    let clock = 0;
    const tasks = [];  // number of features that each task of the browser has searched
    const find = findFlip, later = setTimeout;
    performance.now = () => clock;
    findFlip = (...args) => {
        clock += 4;
        ++tasks[tasks.length - 1];
        return find(...args);
    };
    window.setTimeout = (go, delay) => later(() => { tasks.push(0); go(); }, delay);
    for (let k = 0; k < n_changes; ++k) {
        const { minimum, maximum } = MODEL.features[k];
        WHAT_IF.setValue(k, (minimum + maximum) / 2);
    }
    const atOnce = tasks.length;
    while (Number(document.getElementById("flips").dataset.done) !== WHAT_IF.search) {
        await new Promise(done => later(done, 10));
    }
    return {atOnce, tasks};
}"""


def test_flips_are_searched_in_small_steps_and_for_the_last_change_alone(cancer, open_page):
    """So that sliders stay responsive: a step ends after 6 ms, two features of 4 ms each."""
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    found = page.evaluate(SEARCH, 5)
    assert found["atOnce"] == 0
    assert sum(found["tasks"]) == frame.shape[1]
    assert max(found["tasks"]) == 2
