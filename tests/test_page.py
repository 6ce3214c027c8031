"""The report in a real browser: its controls work, and it shows what the library computes."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs._util.wording import percent
from kinds import fitted_model, records
from outcomes import outcomes
from pages import (
    as_json,
    listed_flips,
    named_rules,
    page_ledger,
    plain,
    table_of_categories,
)


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
        amounts = page.locator("#beliefs .belief .amount").all_inner_texts()
        assert list(map(plain, amounts)) == [percent(p) for p in explanation.probability]
        assert plain(page.locator("#answer").inner_text()) == str(explanation.verdict)
        wait_for_flips(page)
        shown = page.locator("#flips button").all_inner_texts()
        assert list(map(plain, shown)) == list(map(str, listed_flips(explanation)))


def wait_for_flips(page):
    page.wait_for_selector(
        f"#flips[data-done='{page.evaluate('WHAT_IF.search')}']", state="attached"
    )


@pytest.fixture(scope="module")
def cancer():
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    return EvidentialRuleClassifier(random_state=0).fit(frame, labels), frame, labels


BARS = """[...document.querySelectorAll("#beliefs .belief")].map(row =>
    [...row.querySelectorAll(".track span")].map(part => parseFloat(part.style.width)))"""


def check_bars(page, evidence):
    """Check that bars are belief and the base rate's part of the ignorance."""
    amounts = page.locator("#beliefs .belief .amount").all_inner_texts()
    assert list(map(plain, amounts)) == [percent(p) for p in evidence.probability[0]]
    if evidence.verdict[0] == "answer":  # the headline says the same
        assert percent(evidence.confidence[0]) in plain(page.locator("#answer").inner_text())
    shared = evidence.base_rates * evidence.ignorance[0]
    expected = 100 * np.column_stack([evidence.belief[0], shared])
    assert_allclose(page.evaluate(BARS), expected, atol=1e-3)
    best = page.locator("#beliefs .belief.best .label").inner_text()
    assert best == evidence.classes[np.sum(page.evaluate(BARS), axis=1).argmax()]
    measures = [evidence.ignorance, evidence.contradiction, evidence.novelty]
    shown = page.locator("#beliefs .measures b").all_inner_texts()
    assert [plain(text) for text in shown] == [percent(m[0]) for m in measures]


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
    assert plain(page.locator("#answer").inner_text()) == f"I don't know. {text}"
    assert page.locator("#answer").get_attribute("data-verdict") == "unknown"
    assert page.locator(".input.unusual").get_attribute("data-feature") == str(f)
    assert page.locator("#record-name b").inner_text() == (
        "Typical values, not a real record, 1 value changed"
    )
    refused = page.locator(f"[data-feature='{f}'] .refused")
    box.press("End")
    page.keyboard.type(",5")  # a decimal comma, and not 5005
    assert page.evaluate(f"WHAT_IF.record[{f}]") == 500.5
    page.keyboard.type("x7")
    told = "“x” is not part of a number; the value stays 500.5."
    assert refused.inner_text() == told
    box.blur()
    assert page.evaluate(f"WHAT_IF.record[{f}]") == 500.5
    assert (box.input_value(), refused.inner_text()) == ("500.5", told)
    box.fill("")
    box.blur()
    assert page.locator(f"#input-{f}-missing").is_checked()
    assert np.isnan(page.evaluate(f"WHAT_IF.record[{f}]"))
    page.locator("#undo").click()
    assert page.locator("#record-name b").inner_text() == "Typical values, not a real record"
    page.locator("#all-missing").click()
    assert page.evaluate("WHAT_IF.record.every(Number.isNaN)")
    assert page.locator("#record-name b").inner_text() == "No value is known"


def test_a_click_on_a_flip_changes_the_answer(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    p = clf.predict_proba(frame)[:, 0]
    row = frame.iloc[int(np.argmin(np.abs(p - 0.6)))]
    best = "#beliefs .best .label"
    page.evaluate("row => WHAT_IF.setRecord(row)", row.tolist())
    assert outcomes(clf, row.to_frame().T)[0] is None
    wait_for_flips(page)
    flip = clf.explain(row).flips[0]
    text = page.locator("#flips button").first.inner_text()
    assert plain(text) == str(flip)
    page.locator("#flips button").first.click()
    assert page.locator(best).inner_text() == flip.label
    assert page.locator("#answer").get_attribute("data-verdict") == "answer"
    wait_for_flips(page)
    assert page.locator("#flips button", has_text="→ (missing)").count() == 0


def test_the_ledger_starts_at_the_base_rates_and_folds_what_does_not_apply(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    row = frame.iloc[3]
    page.evaluate("row => WHAT_IF.setRecord(row)", row.tolist())
    explanation = clf.explain(row)
    ledger = explanation.ledger(every=True)
    shown = page.locator("#ledger tr:not([hidden])")
    amounts = [text.split("\t")[0] for text in shown.all_inner_texts()]
    expected, texts = page_ledger(explanation)
    expected += [explanation.total, explanation.taken_back]
    expected.append(explanation.total + explanation.taken_back)
    assert_allclose(
        [float(a.replace("\u2212", "-")) for a in amounts], expected, rtol=0, atol=0.00051
    )
    assert plain(shown.first.inner_text()).endswith(ledger[0].text)
    rule = shown.nth(1)
    first = named_rules(explanation)[0].rule  # which the box names
    own = clf.rules_.applies_to(first)
    assert own not in plain(rule.inner_text())
    rule.locator("summary").click()
    rule.locator(".note").wait_for()
    assert own in plain(rule.inner_text())
    assert clf.rules_.condition(first) in plain(rule.inner_text())
    fold = page.locator("#ledger button.fold")
    assert fold.all_inner_texts() == texts
    assert len(texts) > 0
    assert page.locator("#ledger tr:has(button.fold) .track span").count() == len(texts)
    assert fold.first.get_attribute("aria-expanded") == "false"
    before, hidden = shown.count(), int(texts[0].split()[0])
    fold.first.click()
    assert fold.first.get_attribute("aria-expanded") == "true"
    assert shown.count() == before + hidden
    page.evaluate("WHAT_IF.update()")  # it stays open
    assert shown.count() == before + hidden


def test_the_lines_of_the_ledger_are_those_of_the_library(open_page):
    """Three classes, some values missing: rules may be about other classes, or say nothing."""
    clf, (frame, y) = fitted_model("flagship")
    page = open_page(clf, frame, y)
    folded = set()
    for row in records(frame)[:20]:
        explanation = clf.explain(pd.DataFrame([row], columns=frame.columns))
        page.evaluate("row => WHAT_IF.setRecord(row.map(v => v ?? NaN))", as_json([row])[0])
        shown = page.locator("#ledger tr:not([hidden])").all_inner_texts()
        amounts = [float(text.split("\t")[0].replace("\u2212", "-")) for text in shown]
        expected, texts = page_ledger(explanation)
        expected.append(explanation.total)
        assert_allclose(amounts[: len(expected)], expected, rtol=0, atol=0.00051)
        sides = {1: explanation.prediction, -1: explanation.rival}
        words = [plain(text.split("\t")[2]).strip() for text in shown]
        for amount, text in zip(expected[:-1], words, strict=False):
            assert amount == 0 or text.startswith(f"{sides[np.sign(amount)]}: ")
        words = [text.split(": ", 1)[-1] if text not in texts else text for text in words]
        assert [text for text in words if text in texts] == texts
        folds = page.locator("#ledger button.fold").all_inner_texts()
        assert folds == texts
        folded |= {text.split(" ", 1)[1] for text in folds}
    assert folded & {"rules that ask for missing values", "rule that asks for missing values"}


SENTENCE = """([entry, degrees, side]) => {
    const fs = MODEL.features.map((_, f) => f).filter((f) => MODEL.features[f].kind === "nominal");
    const record = MODEL.features.map((_, f) => f === fs[1] && degrees[1] === null ? NaN : 0);
    const model = {...MODEL, classes: ["no", "yes"]};
    const rule = {if: degrees.map((_, k) => [fs[k % 2], String(k)]), texts: [..."abcde"],
        shares: [0.1, 0.2, 0.3, 0.4, 0.5], label: "no"};
    membership = (_, condition) => degrees[Number(condition[1])];
    const words = ruleSentence(model, record, {kind: "matches", rule, ...entry}, record, side);
    const because = reasonWords(model, record, {kind: "matches", rule, ...entry}, record);
    return [words, because].map((some) => make("p", {}, ...some).textContent);
}"""


@pytest.mark.parametrize(
    ("entry", "degrees", "side", "expected", "because"),
    [
        (
            {"isMore": True},
            [1, 0.87],
            "no",
            "a (here X) and b (here X, to degree 0.87)",
            "a (here X) and b (here X, to degree 0.87)",
        ),
        (
            {"isMore": True},
            [1],
            "yes",
            "a (here X): a rule for no",
            "a (here X)",
        ),
        (
            {"isMore": False},
            [0.7, 0.6],
            "yes",
            "a (here X, to degree 0.70) and b (here X, to degree 0.60), too little to speak for no",
            "a (here X, to degree 0.70) and b (here X, to degree 0.60), too little to speak for no",
        ),
        (
            {"isMore": False},
            [1, 0, 0.4],
            "yes",
            "b does not hold (here X): a rule for no, which also asks that c and a",
            "b does not hold (here X), which a rule for no asks for",
        ),
        (
            {"isMore": True},
            [0.4, 1],
            "no",
            "a holds only to degree 0.40 (here X), enough for a rule for no, "
            "which also asks that b",
            "a holds only to degree 0.40 (here X), enough for a rule for no",
        ),
        (
            {"isMore": False, "kind": "unknown", "degree": 0.4},
            [1, None],
            "yes",
            "b (here missing) and a (here X), expected to hold to degree 0.40, too little to speak "
            "for no",
            "of what other values tell about b (here missing) and a (here X), too little to speak "
            "for no",
        ),
        (
            {"isMore": True},
            [1, 1, 1, 1, 1],
            "no",
            "a (here X) and b (here X) and c (here X) and 2 more conditions",
            "a (here X) and b (here X) and c (here X) and 2 more conditions",
        ),
    ],
)
def test_a_line_names_all_conditions_and_says_why_a_rule_speaks(
    entry, degrees, side, expected, because, open_page
):
    frame, y = table_of_categories()
    frame["shape"] = np.where(frame["old"], "round", "flat")
    page = open_page(EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y)
    told = page.evaluate(SENTENCE, [entry, degrees, side])
    told = [re.sub(r"\(here (?!missing)[^,)]+", "(here X", text) for text in told]
    assert told == [expected, because]


def test_a_near_miss_is_told_from_a_clear_one(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    found = {}
    for degree in (0, 0.001, 0.3):
        found[degree] = page.evaluate(
            """degree => {
                membership = () => degree;
                const rule = MODEL.rules.find((rule) => rule.if.length);
                const [first] = orderedConditions(MODEL, rule, MODEL.features.map(() => 0));
                return conditionWords(MODEL, WHAT_IF.record, rule, first, true)[1];
            }""",
            degree,
        )
    assert found == {
        0: " does not hold",
        0.001: " hardly holds",
        0.3: " holds only to degree 0.30",
    }


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
    clf, (frame, y) = fitted_model("weighted")
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
    assert card["Answers"].startswith(
        f"from a probability of {percent(threshold)} on: of the train"
    )
    counts = {label: int(np.sum(y == label)) for label in ("no", "yes")}
    assert card["Measured on"] == f"300 rows: no {counts['no']}, yes {counts['yes']}"
    assert card["Rules"].startswith(f"{len(clf.rules_)}, ")
    assert "Form" not in card
    given = open_page(clf.with_base_rates({"yes": 0.1, "no": 0.9}), frame, y)
    text = given.locator("#facts").inner_text()
    assert "no 90 %, yes 10 % (given)" in plain(text)


def test_names_are_texts(open_page):
    clf, (frame, y) = fitted_model("flagship")
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
    const find = flipsAlong, later = setTimeout;
    performance.now = () => clock;
    flipsAlong = (...args) => {
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
