"""Tables of the page, on a phone as well, and where the keyboard goes on."""

import re

import pytest

from looks import LOOKS, fitted, wait_for_flips


@pytest.fixture(scope="module")
def models():
    known = {}

    def get(name):
        if name not in known:
            known[name] = fitted(name)
        return known[name]

    return get


@pytest.fixture
def look(models, open_page):
    """Open the report of a model in one of the ways to look at it."""

    def look(name, way="1280"):
        options, medium = LOOKS[way]
        page = open_page(*models(name), **options)
        page.emulate_media(media=medium)
        wait_for_flips(page)
        return page

    return look


def test_a_phone_shows_the_numbers_of_rules(look):
    page = look("iris", "390")
    row = page.locator("#rule-table tbody tr").first
    width = page.evaluate("document.documentElement.clientWidth")
    for cell in row.locator("td").all():
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    named = row.locator("td.number").evaluate_all("cells => cells.map(c => c.dataset.title)")
    assert named[:2] == ["Applies to", "Share"]


def test_focus_stays_where_a_suggestion_was_taken(look):
    page = look("cancer")
    page.locator("#flips .flip").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "panel"
    assert page.evaluate("$('flips').inert")  # changes of the earlier record
    wait_for_flips(page)
    assert not page.evaluate("$('flips').inert")
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "all-missing"


def test_each_class_has_recall_and_precision(models, look):
    clf, frame, y = models("cancer")
    page = look("cancer")
    rows = page.locator("#class-table tbody tr").all_inner_texts()
    answer = clf.answer(frame)
    is_answer = answer.evidence.verdict == "answer"
    for label, row in zip(clf.classes_, rows, strict=True):
        is_own, is_said = y == label, answer.labels == label
        hits, given = int((is_own & is_said).sum()), int((is_said & is_answer).sum())
        found = int((is_own & is_said & is_answer).sum())
        assert [int(n) for n in re.findall(r"\((\d+) of", row)] == [hits, hits, found, found]
        totals = [is_own.sum(), is_said.sum(), is_own.sum(), given]
        assert [int(n) for n in re.findall(r"of (\d+)\)", row)] == totals
