"""Sentences of the page beside the verdict: what the evidence adds, what to trust, what changes."""

import numpy as np
import pandas as pd
import pytest

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs._util.wording import apart
from fuzzyucs.report.kinds import KINDS
from fuzzyucs.report.measure import report_data
from pages import plain
from tables import table_by_chance

RATES = "{classes: ['lives', 'dies'], base_rates: [0.79, 0.21], answer_threshold: 0.75}"


@pytest.fixture(scope="module")
def clinic():
    """Two columns that depend on each other, and one that no rule asks for."""
    rng = np.random.default_rng(0)
    sugar = rng.normal(100, 20, 800).round()
    frame = pd.DataFrame(
        {
            "sugar": sugar,
            "insulin": (sugar + rng.normal(0, 3, 800)).round(),
            "age": rng.integers(20, 80, 800).astype(float),
        }
    )
    frame.loc[rng.random(800) < 0.2, "age"] = np.nan
    y = np.where(sugar + rng.normal(0, 8, 800) > 115, "ill", "well")
    return EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y


def test_typical_values_that_nobody_has_set_are_told(clinic, open_page):
    clf, frame, y = clinic
    page = open_page(clf, frame, y)
    box = page.locator("[data-feature='0'] input[type=number]")
    box.fill("150")
    words = plain(page.locator("#answer").inner_text()) + plain(page.locator("#trust").inner_text())
    usual = page.evaluate("DATA.features[1].usual")
    assert f"insulin {usual:g} (a typical value that you have not set)" in words
    assert "You have not set insulin: the typical value stands there, and counts." in words
    assert "sugar 150 (a typical" not in words
    page.locator("#forget").click()
    missing = page.evaluate("WHAT_IF.record.map(Number.isNaN)")
    assert missing == [False, True, True]
    assert "that you have not set" not in page.locator("#answer").inner_text()
    # A value that was set is the user's own, as is all of a record.
    page.locator("#reset").click()
    page.locator("[data-feature='1'] input[type=number]").fill(f"{usual:g}")
    box.fill("150")
    words = page.locator("#answer").inner_text() + page.locator("#trust").inner_text()
    assert "Unlike anything seen" in words
    assert "that you have not set" not in words
    page.evaluate("v => WHAT_IF.setRecord([150, v, 50])", usual)
    words = page.locator("#answer").inner_text() + page.locator("#trust").inner_text()
    assert "that you have not set" not in words


def test_answers_are_counted_for_complete_incomplete_and_strange_rows(clinic):
    clf, frame, y = clinic
    frame = frame.copy()
    frame.iloc[:5, 0] = 500
    data = report_data(clf, frame, y)["performance"]
    evidence, said = clf.predict_evidence(frame), clf.predict(frame)
    is_strange = evidence.novelty >= 0.1
    is_strange[:5] = True
    is_missing = frame.isna().any(axis=1).to_numpy() & ~is_strange
    masks = dict(zip(KINDS, [~is_strange & ~is_missing, is_missing, is_strange], strict=True))
    assert min(mask.sum() for mask in masks.values()) > 5
    for name, mask in masks.items():
        found = data["kinds"][name]
        assert (found["rows"], found["right"]) == (mask.sum(), (said == y)[mask].sum())
        for index, label in enumerate(clf.classes_):
            own = mask & (evidence.verdict == "answer") & (said == label)
            assert found["answers"][index] == [own.sum(), (said == y)[own].sum()]
        assert sum(verdict["rows"] for verdict in found["verdicts"]) == mask.sum()


def test_the_page_counts_rows_of_the_same_kind_as_the_record(clinic, open_page):
    clf, frame, y = clinic
    page = open_page(clf, frame, y)
    data = page.evaluate("DATA.performance.kinds")
    rows = {
        "incomplete": [80.0, 80.0, None],
        "complete": [80.0, 80.0, 50.0],
        "strange": [500.0, 80.0, None],
    }
    for kind, row in rows.items():
        page.evaluate("row => WHAT_IF.setRecord(row.map(v => v ?? NaN))", row)
        told = plain(page.locator("#trust li").last.inner_text())
        if kind == "strange":
            assert "outside of the training data or with a novelty of at least 10 %" in told
            continue
        given, right = data[kind]["answers"][list(clf.classes_).index("well")]
        such = "such records" if kind == "complete" else "records with missing values"
        assert f"; {right} of {given} answers “well” to {such} were right" in told
        assert told.startswith("1 value is missing" if kind == "incomplete" else "No value is")


@pytest.mark.parametrize(
    ("losses", "kind", "expected"),
    [
        ([], "answer", ""),
        ([[0, 1]], "answer", "The answer depends on knowing a: without it, the answer would be B."),
        (
            [[0, -1], [2, -1]],
            "answer",
            "The answer depends on knowing a and c: without either of them, there would be none "
            "(too uncertain).",
        ),
        (
            [[0, 1], [2, -1]],
            "answer",
            "The answer depends on knowing a and c: without a, the answer would be B; without c, "
            "there would be none (too uncertain).",
        ),
        (
            [[f, -1] for f in range(7)],
            "answer",
            "The answer depends on knowing a, b, c, d and 3 more values: without any one of them, "
            "there would be none (too uncertain).",
        ),
        ([[0, 1], [2, 1]], "unknown", "Without a or c, the answer would be B."),
    ],
)
def test_what_an_answer_depends_on_is_told_apart_from_changes(
    losses, kind, expected, clinic, open_page
):
    page = open_page(*clinic)
    told = page.evaluate(
        """([losses, verdict]) => dependenceWords({classes: ["A", "B"],
            features: [..."abcdefg"].map((name) => ({name})),
            evaluate: () => ({reason: "undecided"})}, [1, 2, 3, 4, 5, 6, 7],
            losses.map(([feature, label]) => ({feature, label, isLoss: true})),
            {verdict, best: 0})""",
        [losses, kind],
    )
    assert told == expected


def test_of_an_empty_record_nothing_can_be_left_out(clinic, open_page):
    page = open_page(*clinic)
    told = page.evaluate(
        """[[NaN, NaN], [1, NaN]].map((record) =>
            noFlipWords({}, record, [], {verdict: "unknown", reason: "missing", best: 0}))"""
    )
    assert told == [
        "Nothing is known, and no single value gives an answer.",
        "No change of one known value within the training data gives an answer, and neither does "
        "leaving one out.",
    ]


def test_the_reason_is_the_base_rate_alone_if_rules_speak_for_the_other_class(clinic, open_page):
    page = open_page(*clinic)
    found = page.evaluate(
        f"""() => [[0.3, "answer"], [-0.2, "answer"], [-0.2, "torn"]].map(([amount, verdict]) => {{
            const matched = {{positions: []}};
            const result = {{matched, verdict, best: 0, probability: [0.8, 0.2]}};
            const entries = [{{kind: "base rates", contribution: 1.3}},
                {{kind: "matches more", contribution: amount, rule: {{if: []}}}}];
            const words = becauseWords({{...{RATES}, scheme: "profile"}}, [], result, entries);
            return make("p", {{}}, ...words).textContent;
        }})"""
    )
    assert [plain(text) for text in found] == [
        "Above all because of the base rate: lives 79 %.",
        "Because of the base rate alone, lives 79 %: together, the rules speak for dies.",
        "For lives: the base rate, 79 %. ",
    ]


def test_numbers_are_told_apart_by_as_many_digits_as_it_takes(clinic, open_page):
    page = open_page(*clinic)
    rng = np.random.default_rng(0)
    pairs = [[0.7468, 0.75], [0.75, 0.75], [0.749999999, 0.75], [0.2, 0.7]]
    pairs += [[p, p + d] for p, d in rng.uniform(0, [0.9, 0.01], (100, 2)).tolist()]
    for (share, other), found in zip(
        pairs, page.evaluate("pairs => pairs.map(([a, b]) => apart(a, b))", pairs), strict=True
    ):
        expected = apart(share, other)
        assert [plain(text) for text in found] == list(expected)
        assert expected[0] != expected[1] or abs(share - other) < 2e-6


def test_scales_and_numbers_of_rules_are_explained(clinic, open_page):
    clf, frame, y = clinic
    page = open_page(clf, frame, y)
    page.evaluate("row => WHAT_IF.setRecord(row)", [150.0, 150.0, 50.0])
    measures = plain(page.locator("#beliefs .measures").inner_text())
    for text in (
        "above 50 % there is no answer",
        "from 50 % on they contradict each other",
        "from 10 % on it is unusual",
    ):
        assert text in measures
    assert "typical" not in measures
    page.locator("#ledger details.rule summary").first.click()
    note = plain(page.locator("#ledger details.rule .note").first.inner_text())
    rule = int(page.locator("#ledger details.rule").first.get_attribute("data-rule"))
    explanation = clf.explain(pd.DataFrame([[150.0, 150.0, 50.0]], columns=frame.columns))
    entry = next(entry for entry in explanation.entries if entry.rule == rule)
    rules, amount = clf.rules_, explanation.contribution(entry)
    assert (
        f"not holding and fully holding are {rules.log_odds[rule]:.2f} apart; at degree "
        f"{rules.neutral[rule]:.2f} it says nothing, at {entry.degree:.2f} it says "
        f"{amount:+.3f}"
    ) in note.replace("\u2212", "-")
    assert "where two terms meet" in page.locator("#rule-note").inner_text()


def test_no_line_of_the_ledger_says_nothing(open_page):
    frame, y, _, _ = table_by_chance(3, 300)
    clf = EvidentialRuleClassifier(random_state=0, penalty=2.0).fit(frame, y)
    page = open_page(clf, frame, y)
    for k in range(20):
        page.evaluate(
            "k => WHAT_IF.setRecord(MODEL.features.map((_, f) => k % 5 === f ? NaN "
            ": DATA.features[f].edges[k % DATA.features[f].edges.length] ?? NaN))",
            k,
        )
        for text in page.locator("#ledger tr").all_inner_texts():
            assert not text.startswith("+0.000") or "ask" in text or "base rates" in text
            assert "1 more rule" not in text


NO_FLIPS = """([losses, found]) => noFlipWords({
    scheme: losses === null ? "profile" : "vote",
    features: ["a", "b", "c", "d", "e"].map(name => ({name})),
    evaluate: record => ({best: losses.some(f => Number.isNaN(record[f])) ? 1 : 0}),
}, [1, 2, 3, 4, 5], found, {best: 0})"""


@pytest.mark.parametrize(
    ("losses", "found", "expected"),
    [
        (None, [], ", and it stays the same if any one value is missing."),
        (None, [{"isLoss": True}], "."),
        (None, [{"isLoss": True, "isOutside": True}], ", but leaving out what is outside does:"),
        (None, [{"isKnown": True}], ", but a missing value does if it becomes known:"),
        (
            None,
            [{"isLoss": True}, {"isKnown": True}],
            ", but a missing value does if it becomes known:",
        ),
        (None, [{"isLoss": True}, {"value": 1}], None),
        ([], [], ", and it stays the same if any one value is missing."),
        ([1], [], ", but it would be another one without b."),
        ([1, 3], [], ", but it would be another one without b or without d."),
        ([0, 1, 2, 3], [], ", but it would be another one without any of 4 values, such as a."),
    ],
)
def test_answers_that_rest_on_one_value_are_not_called_stable(
    losses, found, expected, clinic, open_page
):
    text = open_page(*clinic).evaluate(NO_FLIPS, [losses, found])
    none = "No change of one known value within the training data changes the answer"
    assert text == ("" if expected is None else none + expected)
