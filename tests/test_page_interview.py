"""The interview of the report in a real browser: its numbers are those of the library."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fuzzyucs import EvidentialRuleClassifier
from kinds import MODELS, records
from looks import LOOKS, passengers
from pages import as_json, plain, serious

ASK = """([rows, replies]) => rows.map(row => {
    const record = row.map(value => value === null ? NaN : value);
    const matched = MODEL.match(record);
    const isOpen = f => Number.isNaN(record[f]);
    return rankQuestions(askableFeatures(MODEL, matched.positions, isOpen)
        .map(f => questionAbout(MODEL, record, f, matched, replies[f])));
})"""


@pytest.mark.parametrize("name", ["flagship", "fused", "named nominal", "plateaus", "fine terms"])
def test_the_page_asks_what_the_library_asks(name, open_page):
    clf, (frame, y) = MODELS[name]
    clf.fit(frame, y)
    page = open_page(clf, frame, y)
    rows = records(frame)
    rows = np.vstack([rows[:1], rows[np.isnan(rows).sum(axis=1) > 1][1:9]])
    found = page.evaluate(f"rows => ({ASK})([rows, DATA.replies])", as_json(rows))
    n_asked = 0
    for row, questions in zip(rows, found, strict=True):
        expected = clf.next_question(pd.DataFrame([row], columns=frame.columns))
        told = {c.feature: c.reduction for c in expected.candidates}
        bits = {frame.columns[q["feature"]]: q["bits"] for q in questions}
        assert bits.keys() == told.keys()
        n_asked += len(told)
        assert_allclose([bits[name] for name in told], list(told.values()), rtol=0, atol=1e-9)
        best = max(told.values(), default=0.0)
        if best > 0:
            assert told[frame.columns[questions[0]["feature"]]] == pytest.approx(best, abs=1e-9)
        for question in questions[:2]:
            replies = expected.replies_to(frame.columns[question["feature"]])
            theirs = question["replies"]
            assert [r["text"] for r in theirs] == [reply.text for reply in replies]
            assert [r["verdict"] for r in theirs] == [reply.verdict for reply in replies]
            assert [r["reason"] for r in theirs] == [reply.reason for reply in replies]
            for key, attribute in {
                "share": "probability",
                "probability": "class_probability",
                "ignorance": "ignorance",
            }.items():
                mine = [getattr(reply, attribute) for reply in replies]
                assert_allclose([r[key] for r in theirs], mine, rtol=0, atol=1e-9)
    assert n_asked > 10


@pytest.fixture(scope="module")
def cancer():
    from sklearn.datasets import load_breast_cancer

    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = np.where(y == 1, "benign", "malignant")
    return EvidentialRuleClassifier(random_state=0, penalty=8.0).fit(frame, y), frame, y


def done(page, n):
    page.wait_for_function(f"document.getElementById('talk').dataset.done == {n}")


def length_of_interview(clf, row):
    """Return after how many questions there is an answer; 0 if there is none."""
    known, question, n = {}, clf.next_question(), 0
    while question.best is not None and not question.is_answered:
        known[question.feature], n = float(np.round(row[question.feature], 4)), n + 1
        question = clf.next_question(known)
    return n if question.is_answered else 0


def test_an_interview_by_keyboard(cancer, open_page):
    clf, frame, y = cancer
    row = next(frame.loc[i] for i in range(100) if length_of_interview(clf, frame.loc[i]) == 2)
    page = open_page(clf, frame, y)
    assert page.locator("#talk").is_hidden()
    assert page.evaluate("INTERVIEW.work") == 0, "nothing is computed before it begins"
    page.locator("#begin").focus()
    page.keyboard.press("Enter")
    done(page, 1)
    known, expected = {}, clf.next_question()
    n_questions = 0
    while not expected.is_answered:
        n_questions += 1
        assert plain(page.locator("#question").inner_text()) == f"What is {expected.feature}?"
        assert plain(page.locator("#talk-verdict").inner_text()) == verdict_of(expected)
        page.locator("#reply-field input").focus()
        value = float(np.round(row[expected.feature], 4))
        page.keyboard.type(str(value))
        page.keyboard.press("Enter")
        done(page, 1 + n_questions)
        assert page.evaluate("document.activeElement.id") == "question"
        known[expected.feature] = value
        expected = clf.next_question(known)
    assert n_questions == 2
    assert page.locator("#question").inner_text() == "There is an answer."
    assert plain(page.locator("#talk-verdict").inner_text()) == verdict_of(expected)
    why = page.locator("#question-why").inner_text()
    assert why == "It took 2 replies; there are 30 features."
    log = page.locator("#talk-log li")
    assert log.count() == 1 + n_questions
    assert plain(log.first.inner_text()).split("\n")[-1] == "don't know 100 %"
    widths = log.last.locator(".track span").evaluate_all("es => es.map(e => e.style.width)")
    shares = [float(width.rstrip("%")) / 100 for width in widths]
    evidence = expected.evidence
    assert_allclose(shares, [*evidence.belief[0], evidence.ignorance[0]], atol=1e-4)
    # It may go on, and the record can be seen with its explanation.
    page.locator("#go-on").click()
    assert plain(page.locator("#question").inner_text()) == f"What is {expected.feature}?"
    page.locator("#talk-open").click()
    assert plain(page.locator("#answer").inner_text()) == verdict_of(expected)
    record = page.evaluate("WHAT_IF.record.map(x => Number.isNaN(x) ? null : x)")
    assert {
        name: x for name, x in zip(frame.columns, record, strict=True) if x is not None
    } == known


def verdict_of(question):
    return f"{question.verdict.headline}. {question.verdict.sentence}"


def test_replies_are_skipped_and_taken_back(cancer, open_page):
    clf, frame, y = cancer
    page = open_page(clf, frame, y)
    page.locator("#begin").click()
    done(page, 1)
    first = page.locator("#question").inner_text()
    page.locator("#not-known").click()
    done(page, 2)
    second = clf.next_question(costs={clf.next_question().feature: np.inf}).feature
    assert page.locator("#question").inner_text() == f"What is {second}?"
    assert page.locator("#talk-log li").nth(1).inner_text().split("\n")[0].endswith(": not known")
    page.locator("#reply-form").evaluate("form => form.requestSubmit()")
    assert page.locator("#reply-refused").inner_text() == "Type a value, or choose “Not known”."
    page.locator("#take-back").click()
    done(page, 3)
    assert page.locator("#question").inner_text() == first
    assert page.locator("#take-back").is_hidden()
    # A price makes another question the first one.
    page.locator("#other-questions summary").click()
    field = page.locator("#question-table input").first
    field.fill("-1")
    field.blur()
    assert page.locator("#question").inner_text() == first
    page.locator("#question-table input").first.fill("1000")
    page.locator("#question-table input").first.blur()
    dear = clf.next_question(costs={clf.next_question().feature: 1000})
    assert page.locator("#question").inner_text() == f"What is {dear.feature}?"


def test_an_interview_may_begin_with_the_values_of_the_form(cancer, open_page):
    clf, frame, y = cancer
    page = open_page(clf, frame, y)
    page.locator("#begin-here").click()
    done(page, 1)
    assert page.locator("#question").inner_text() in (
        "There is an answer.",
        "Nothing is left to ask.",
    )
    assert page.locator("#talk-log .words").all_inner_texts() == ["30 values known"]


@pytest.fixture(scope="module")
def ship():
    frame, y = passengers()
    rng = np.random.default_rng(1)
    is_late = (frame["booked"] > "1912-02-15").to_numpy()
    y = np.where((frame["sex"] == "female") ^ (rng.random(len(y)) < 0.1) | is_late, "yes", "no")
    y[frame["deck"] == "crew"] = "no"
    return EvidentialRuleClassifier(random_state=0, penalty=4.0).fit(frame, y), frame, y


def test_categories_are_buttons_and_dates_have_a_field(ship, open_page):
    clf, frame, y = ship
    page = open_page(clf, frame, y)
    page.locator("#begin").click()
    known, kinds = {}, set()
    for n in range(1, 4):
        done(page, n)
        if page.locator("#go-on").is_visible():
            page.locator("#go-on").click()
        question = clf.next_question(known)
        assert page.locator("#question").inner_text() == f"What is {question.feature}?"
        buttons = page.locator("#replies button")
        is_date = question.feature == "booked"
        kinds.add("date" if is_date else "category")
        assert page.locator("#reply-field input").count() == int(is_date)
        texts = buttons.locator(".text").all_inner_texts()
        assert texts == [reply.text for reply in question.replies]
        shown = [plain(text) for text in buttons.locator(".chance").all_inner_texts()]
        shares = page.evaluate("INTERVIEW.question.replies.map(r => percent(r.share))")
        assert shown == [plain(share) for share in shares]
        buttons.first.click()
        known[question.feature] = question.replies[0].value
    assert kinds == {"date", "category"}


@pytest.mark.parametrize(("name", "way"), [("cancer", "dark"), ("cancer", "390"), ("ship", "1280")])
def test_axe_finds_no_serious_violation(name, way, open_page, request):
    page = open_page(*request.getfixturevalue(name), **LOOKS[way].options)
    page.locator("#begin").click()
    done(page, 1)
    page.locator("#other-questions summary").click()
    assert serious(page) == []
    page.locator("#replies button").first.click()
    done(page, 2)
    page.locator("#talk-log").hover()
    assert serious(page) == []
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_paper_shows_what_was_replied(cancer, open_page):
    options, medium = LOOKS["print"]
    page = open_page(*cancer, **options)
    page.emulate_media(media=medium)
    assert page.locator("#interview").is_hidden()
    page.emulate_media(media="screen")
    page.locator("#begin").click()
    done(page, 1)
    page.emulate_media(media=medium)
    assert page.locator("#talk-log").is_visible()
    assert (
        page.locator("#interview button").evaluate_all(
            "es => es.filter(e => e.checkVisibility()).length"
        )
        == 0
    )


def test_other_models_have_no_interview(open_page):
    clf, (frame, y) = MODELS["ds"]
    page = open_page(clf.fit(frame, y), frame, y)
    assert page.locator("#interview").is_hidden()
