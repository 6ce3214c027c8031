"""Records in the address of the page, and verdicts as pictures."""

import re
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs._util.class_colours import class_colour
from pages import as_json, plain

STRANGE = ["red", "", "~7", "a&b=c#d +é%", "<i>blue</i>"]
SVG = "{http://www.w3.org/2000/svg}"
IS_SAME = """([a, b]) => a.length === b.length &&
    a.every((value, f) => Object.is(value, b[f] === null ? NaN : b[f]))"""


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    n = 300
    frame = pd.DataFrame(
        {
            "weight": rng.normal(size=n),
            "colour & kind": pd.Categorical(rng.choice(STRANGE, n), categories=STRANGE),
            "day": pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "at": (
                pd.Timestamp("2012-01-01", tz="Europe/Berlin")
                + pd.to_timedelta(rng.integers(0, 10**9, n), "s")
            ),
            "wait": pd.to_timedelta(rng.integers(0, 10**6, n), "s"),
            "fine": pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 10**9, n), "us"),
            "code": rng.integers(0, 2, n).astype(float),
        }
    )
    y = np.where((frame["weight"] > 0) ^ (frame["colour & kind"] == "red"), "yes", "no")
    frame.loc[::17, "weight"] = np.nan
    return EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y


@pytest.fixture
def opened(model, open_page, chromium):
    """Open the page, and again with other addresses."""
    page, pages = open_page(*model), []

    def reopen(address):
        pages.append(chromium.new_page())
        pages[-1].goto(address)
        return pages[-1]

    yield page, reopen
    for other in pages:
        other.close()


def link_of(page):
    """Return the address of the page once it follows the record."""
    page.evaluate(
        """() => new Promise((done) => {
            const look = () => (SHARING.timer ? setTimeout(look, 20) : done());
            look();
        })"""
    )
    return page.url


def test_a_link_brings_back_records_exactly(opened, model):
    page, reopen = opened
    clf, frame, _ = model
    rows = clf.check_table(frame[:30])
    rows[0] = np.nan
    rows[1, 0], rows[2, 0], rows[3, 0] = 0.1 + 0.2, 1e-300, -123456789.123
    rows[4, 3] += 0.25  # between the seconds of the data
    for row in as_json(rows):
        assert page.evaluate(
            """row => {
                const record = asRecord(row), typical = record.map(() => 7);
                const found = readRecordHash(MODEL, recordHash(MODEL, record), typical).record;
                return record.every((value, f) => Object.is(value, found[f]));
            }""",
            row,
        )
    wanted = as_json(rows)[4]
    page.evaluate("row => WHAT_IF.setRecord(asRecord(row))", wanted)
    other = reopen(link_of(page))
    assert other.evaluate(IS_SAME, [other.evaluate("WHAT_IF.record"), wanted])
    shown = [found.locator("#answer").inner_text() for found in (page, other)]
    assert shown[0] == shown[1]
    assert other.locator(".actions .note").inner_text() == ""


def test_links_are_for_people(opened, model):
    page, _ = opened
    page.locator("#input-1").select_option(label="a&b=c#d +é%")
    page.get_by_label("Value of weight", exact=True).fill("1.25")
    page.locator('.input[data-feature="2"] .missing input').check()
    known = dict(
        parse_qsl(urlsplit(link_of(page)).fragment.removeprefix("record?"), keep_blank_values=True)
    )
    assert list(known) == list(model[1].columns)
    assert known["weight"] == "1.25"
    assert known["colour & kind"] == "a&b=c#d +é%"
    assert known["day"] == ""
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", known["at"])


def test_the_history_does_not_fill(opened):
    page, _ = opened
    before = page.evaluate("history.length")
    for value in ("1", "2", "3"):
        page.get_by_label("Value of weight", exact=True).fill(value)
        assert f"weight={value}" in link_of(page)
    assert page.evaluate("history.length") == before


def test_a_page_keeps_its_address_until_a_value_changes(opened):
    page, _ = opened
    assert "#" not in link_of(page)
    page.evaluate("location.hash = '#rules'")
    assert page.locator(".actions .note").inner_text() == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("length=3", "this model has no feature “length”"),
        ("weight=heavy", "“heavy” is not a value of “weight”"),
        ("weight=Infinity", "“Infinity” is not a value of “weight”"),
        ("weight=0x10", "“0x10” is not a value of “weight”"),
        ("weight=1&weight=2", "“weight” is given twice"),
        ("colour+%26+kind=purple", "“purple” is not a value of “colour & kind”"),
        ("colour+%26+kind=~99", "“~99” is not a value of “colour & kind”"),
        ("day=2012-13-45", "“2012-13-45” is not a value of “day”"),
        ("wait=soon", "“soon” is not a value of “wait”"),
        ("", "it names no feature"),
        ("%3Cimg src=x onerror=alert(1)%3E=1", "this model has no feature “<img src”"),
    ],
)
def test_wrong_records_are_ignored_with_a_note(opened, text, problem):
    page, _ = opened
    before = page.evaluate("WHAT_IF.record")
    page.evaluate("text => { location.hash = '#record?' + text; }", text)
    page.locator(".actions .note:not(:empty)").wait_for()
    note = page.locator(".actions .note").inner_text()
    assert note == f"The record in the link was ignored: {problem}."
    assert page.evaluate(IS_SAME, [page.evaluate("WHAT_IF.record"), before])


def test_features_that_a_link_does_not_name_are_typical(opened):
    page, reopen = opened
    typical = page.evaluate("WHAT_IF.record")
    other = reopen(f"{page.url}#record?weight=-2.5")
    assert other.evaluate(IS_SAME, [other.evaluate("WHAT_IF.record"), [-2.5, *typical[1:]]])


def test_labels_do_not_change_links(model, open_page):
    clf, frame, y = model
    page = open_page(clf, frame, y, report={"labels": {"weight": "mass", "yes": "YES!"}})
    page.get_by_label("Value of mass", exact=True).fill("0.5")
    assert "#record?weight=0.5&" in link_of(page)


def test_the_link_is_copied(opened):
    page, _ = opened
    page.evaluate("() => { navigator.clipboard.writeText = (text) => { window.copied = text; }; }")
    page.get_by_label("Value of weight", exact=True).fill("0.75")
    page.get_by_role("button", name="Copy link").click()
    assert page.locator(".actions .note").inner_text() == "Link copied."
    assert page.evaluate("copied") == link_of(page)


def test_a_link_that_cannot_be_copied_is_shown(opened):
    page, _ = opened
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this record")
    assert "#record?weight=" in field.input_value()
    assert page.evaluate("document.activeElement.selectionEnd") == len(field.input_value())


def test_examples_are_a_menu(model, open_page):
    clf, frame, y = model
    page = open_page(clf, frame, y, report={"examples": 4})
    menu = page.get_by_label("Example records")
    names = menu.locator("option").all_inner_texts()
    assert names[0] == "choose one"
    assert len(names) == 5
    menu.select_option(label=names[3])
    row = int(re.search(r"\d+", names[3])[0]) - 1
    assert names[3] == f"Row {row + 1}, true class {y[row]}"
    expected = as_json(clf.check_table(frame.iloc[[row]]))[0]
    assert page.evaluate(IS_SAME, [page.evaluate("WHAT_IF.record"), expected])
    evidence = clf.predict_evidence(frame.iloc[[row]])
    found = page.evaluate("MODEL.evaluate(WHAT_IF.record).probability")
    np.testing.assert_allclose(found, evidence.probability[0], rtol=0, atol=1e-9)
    page.get_by_label("Value of weight", exact=True).fill("9")
    assert menu.input_value() == ""
    assert "4 example records" in page.locator("footer").inner_text()


def test_units_stand_behind_values(model, open_page):
    clf, frame, y = model
    page = open_page(clf, frame, y, report={"units": {"weight": "kg"}})
    field = page.get_by_label("Value of weight in kg", exact=True)
    field.fill("99")
    assert page.locator(".measured .unit").all_inner_texts() == ["kg"]
    assert plain(page.locator("#answer").inner_text()).count("weight 99 kg") == 1
    texts = page.locator("#rule-table tbody td:nth-child(1)").all_inner_texts()
    asked = [text for text in texts if "weight is" in text]
    assert asked
    assert all(re.search(r"weight is [^()]*\([^()]*\d kg\)", text) for text in asked)


def saved(page, tmp_path):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return path


def texts_in(tree):
    return " ".join(plain("".join(text.itertext())) for text in tree.iter(f"{SVG}text"))


def test_the_verdict_is_saved_as_svg(tmp_path, open_page):
    frame, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, labels)
    page = open_page(clf, frame, labels, report={"title": "Irises & <others>", "examples": 3})
    page.get_by_label("Example records").select_option(index=2)
    path = saved(page, tmp_path)
    assert path.name == "irises-others-verdict.svg"
    tree = ElementTree.parse(path)
    words = texts_in(tree)
    assert "Irises & <others>" in words
    assert plain(page.locator("#answer").inner_text()) in words
    for amount in page.locator("#beliefs .amount").all_inner_texts():
        assert plain(amount) in words
    fills = {element.get("fill") for element in tree.iter(f"{SVG}rect")}
    assert fills >= {class_colour(index) for index in range(3)}
    # Why, and when not to trust it; the lines add up.
    for told in ("#because", "#trust li"):
        for text in page.locator(told).all_inner_texts():
            assert plain(text) in words
    assert "base rates: setosa 33 %" in words
    amounts = [
        float(plain("".join(text.itertext())).replace("\u2212", "-"))
        for text in tree.iter(f"{SVG}text")
        if re.fullmatch(r"[+\u2212]\d+\.\d{3}", "".join(text.itertext()))
    ]
    assert len(amounts) > 4
    assert sum(amounts[:-1]) == pytest.approx(amounts[-1], abs=0.001 * len(amounts))
    # Rules that contribute, with the record's values.
    assert words.count("The record has ") >= 2
    assert "petal length (cm)" in words
    check_layout(page, path)


def check_layout(page, path):
    """Check that a picture needs nothing else, and that its texts lie inside and apart."""
    text = path.read_text("utf-8")
    assert not re.search(r"(?:href|src|url)\s*[=(]", text)
    boxes = page.evaluate(
        """text => {
            const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
            document.body.append(document.importNode(svg, true));
            const shown = document.body.lastElementChild, frame = shown.viewBox.baseVal;
            const boxes = [...shown.querySelectorAll("text")].map((one) => {
                const { x, y, width, height } = one.getBBox();
                return [x, y, x + width, y + height];
            });
            shown.remove();
            return { boxes, width: frame.width, height: frame.height };
        }""",
        text.partition("\n")[2],
    )
    for i, (left, top, right, bottom) in enumerate(boxes["boxes"]):
        assert left >= 0
        assert top >= 0
        assert right <= boxes["width"]
        assert bottom <= boxes["height"]
        for other in boxes["boxes"][:i]:
            across = min(right, other[2]) - max(left, other[0])
            down = min(bottom, other[3]) - max(top, other[1])
            assert across < 1 or down < 4  # lines may touch


@pytest.mark.parametrize("kind", [EvidentialRuleClassifier, FuzzyUCSClassifier])
def test_any_names_make_valid_svg(kind, tmp_path, open_page):
    strange = "a<b>&\"'\x0b\x00\ufffe]]> " + 30 * "long "
    X = pd.DataFrame({strange: np.arange(80.0), "other": np.arange(80.0) % 7})
    y = np.where(np.arange(80) > 40, strange, "no\x1f")
    options = {"epochs": 3} if kind is FuzzyUCSClassifier else {}
    clf = kind(random_state=0, **options).fit(X, y)
    page = open_page(clf, X, y, report={"title": "\x01 <x>"})
    page.locator("#input-0").fill("70")
    path = saved(page, tmp_path)
    words = texts_in(ElementTree.parse(path))
    assert "a<b>&\"'" in words
    assert "\ufffd" in words
    check_layout(page, path)


def test_no_answer_has_a_picture_too(tmp_path, open_page, model):
    clf, frame, y = model
    page = open_page(clf, frame, y)
    page.evaluate("WHAT_IF.setRecord(WHAT_IF.record.map(() => NaN))")
    words = texts_in(ElementTree.parse(saved(page, tmp_path)))
    assert "I don't know." in words
    assert "missing" in words
    assert plain(page.locator("#trust li").first.inner_text()) in words
    many = np.arange(600) % 12
    X = many[:, np.newaxis] + np.random.default_rng(0).normal(0, 0.1, (600, 1))
    big = EvidentialRuleClassifier(random_state=0).fit(X, many)
    words = texts_in(ElementTree.parse(saved(open_page(big, X, many), tmp_path)))
    assert "5 others" in words
