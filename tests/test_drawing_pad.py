"""The drawing pad: mouse, fingers and keys draw, and the page answers as Python does."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from fuzzyucs import EvidentialRuleClassifier, UCSClassifier
from fuzzyucs._util.class_colours import class_colour
from pages import plain, serious

NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
ZERO = [
    (4 - 3.3 * math.cos(turn / 12 * 2 * math.pi), 4 + 1.9 * math.sin(turn / 12 * 2 * math.pi))
    for turn in range(13)
]
SCRIBBLE = [(0.5, 0.5), (7.5, 7.5), (7.5, 0.5), (0.5, 7.5), (3.0, 0.5), (2.0, 7.5), (6.0, 0.5)]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True, as_frame=True)
    labels = NAMES[y]
    return EvidentialRuleClassifier(random_state=0).fit(X[::2], labels[::2]), X[1::2], labels[1::2]


@pytest.fixture
def pad(digits, open_page):
    options = {"image_shape": (8, 8), "examples": 10}
    page = open_page(*digits, report=options, viewport={"width": 1280, "height": 900})
    page.locator("#pad").scroll_into_view_if_needed()
    page.evaluate("$('what-if').scrollIntoView({ behavior: 'instant' })")
    return page


def settle(page):
    """Wait until the record shows what was drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def draw(page, points):
    """Draw a line through points, given by row and column."""
    box = page.locator("#pad").bounding_box()
    places = [
        (box["x"] + column / 8 * box["width"], box["y"] + row / 8 * box["height"])
        for row, column in points
    ]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=6)
    page.mouse.up()
    settle(page)


def clear(page):
    page.get_by_role("button", name="Clear").click()
    settle(page)


def record_in(page):
    return np.array(page.evaluate("WHAT_IF.record"), dtype=float)


def painted(page):
    """Return how dark the pixels of the canvas are, from 0 to 1."""
    data = page.evaluate(
        """() => {
            const { width, height } = $("pad");
            const copy = make("canvas", { width, height });
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage($("pad"), 0, 0);
            return Array.from(context.getImageData(0, 0, width, height).data);
        }"""
    )
    return (255 - np.array(data).reshape(-1, 4)[:, 0]) / (255 - 22)


def check_answer(page, clf, columns):
    """Check that the page says of its record what Python says."""
    evidence = clf.predict_evidence(pd.DataFrame([record_in(page)], columns=columns))
    result = page.evaluate(
        """() => {
            const { mass, ignorance, probability, novelty, verdict } =
                MODEL.evaluate(WHAT_IF.record);
            return { mass, ignorance, probability, novelty, verdict };
        }"""
    )
    assert_allclose(result["mass"], evidence.belief[0], rtol=0, atol=1e-9)
    assert_allclose(result["probability"], evidence.probability[0], rtol=0, atol=1e-9)
    assert_allclose(result["ignorance"], evidence.ignorance[0], rtol=0, atol=1e-9)
    assert_allclose(result["novelty"], evidence.novelty[0], rtol=0, atol=1e-9)
    assert result["verdict"] == evidence.verdict[0]
    return result["verdict"]


def test_a_stroke_changes_the_verdict_and_a_scribble_gets_no_answer(pad, digits):
    clf, X, _ = digits
    clear(pad)
    assert record_in(pad).sum() == 0
    before = pad.locator("#answer").inner_text()
    draw(pad, ZERO)
    answer = plain(pad.locator("#answer").inner_text())
    assert answer != before
    assert answer.startswith("Zero. ")
    assert check_answer(pad, clf, X.columns) == "answer"
    draw(pad, SCRIBBLE)
    assert plain(pad.locator("#answer").inner_text()).startswith("I don't know. ")
    assert check_answer(pad, clf, X.columns) == "unknown"


def test_the_canvas_shows_the_record(pad, digits):
    clf, X, _ = digits
    first = record_in(pad)
    assert (X.to_numpy() == first).all(axis=1).any()  # an example, not typical values
    assert_allclose(painted(pad), first / 16, atol=0.01)
    draw(pad, [*ZERO, *SCRIBBLE])  # also where the data have little ink
    drawn = record_in(pad)
    assert (drawn >= first).all()
    assert (drawn > first).any()
    assert_allclose(painted(pad), drawn / 16, atol=0.01)
    variables = clf.rules_.variables
    assert (drawn >= variables.minimum).all()
    assert (drawn <= variables.maximum).all()
    pad.get_by_role("button", name="Typical values").click()
    assert_allclose(painted(pad), record_in(pad) / 16, atol=0.01)
    usual = pad.evaluate("DATA.features.map(({ usual }) => usual)")
    assert record_in(pad).tolist() == usual


def test_brushes_differ(pad):
    inks = []
    for name in ("thin", "medium", "thick"):
        clear(pad)
        pad.get_by_text(name, exact=True).click()
        draw(pad, [(1.5, 4.0), (6.5, 4.0)])
        inks.append(record_in(pad).sum())
    assert inks[0] < inks[1] < inks[2]
    pad.get_by_text("eraser", exact=True).click()
    draw(pad, [(0.0, 4.0), (8.0, 4.0)])
    assert record_in(pad).sum() < inks[2] / 2


def test_a_stroke_covers_pixels_by_their_distance(pad):
    covered = pad.evaluate("[...coverage([8, 8], [4, 1.5], [4, 6.5], 0.65)]")
    for pixel, share in covered:
        row, column = divmod(pixel, 8)
        x, y = column + 0.5, row + 0.5
        nearest = np.linspace(1.5, 6.5, 5001)
        distance = np.hypot(x - 4, y - nearest).min()
        assert share == pytest.approx(np.clip(0.65 + 0.5 - distance, 0, 1), abs=1e-6)
    expected = sum(
        np.hypot(column + 0.5 - 4, row + 0.5 - np.clip(row + 0.5, 1.5, 6.5)) < 1.15
        for row in range(8)
        for column in range(8)
    )
    assert len(covered) == expected


def test_keys_draw(pad):
    clear(pad)
    canvas = pad.get_by_role("application", name="Drawing pad, 8 rows and 8 columns of pixels")
    canvas.focus()
    canvas.press("ArrowUp")
    assert record_in(pad).sum() == 0  # moving alone does not draw
    status = pad.locator(".pad [role=status]")
    assert status.inner_text() == "Row 4, column 5: 0"
    canvas.press("Space")
    settle(pad)
    record = record_in(pad).reshape(8, 8)
    assert np.unravel_index(record.argmax(), (8, 8)) == (3, 4)
    assert status.inner_text() == "Row 4, column 5: 16"
    canvas.press("Shift+ArrowLeft")
    settle(pad)
    line = record_in(pad).reshape(8, 8)
    assert line[3, 3] == line[3, 4] == 16
    canvas.press("Delete")
    settle(pad)
    assert record_in(pad).reshape(8, 8)[3, 3] == 0
    for _ in range(20):
        canvas.press("ArrowRight")
    assert status.inner_text().startswith("Row 4, column 8: ")
    assert pad.locator(".pad-stage .cursor").is_visible()


def test_fingers_draw(digits, open_page):
    options = {"image_shape": (8, 8)}
    page = open_page(
        *digits, report=options, viewport={"width": 390, "height": 844}, has_touch=True
    )
    clear(page)
    page.locator("#pad").scroll_into_view_if_needed()
    page.locator("#pad").tap()
    settle(page)
    assert record_in(page).sum() > 0
    assert page.locator("#pad").evaluate("pad => getComputedStyle(pad).touchAction") == "none"
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390  # nothing is wider than a phone


def test_rules_light_up_their_pixels(pad, digits):
    clf, X, _ = digits
    clear(pad)
    draw(pad, ZERO)
    groups = pad.evaluate(
        """[...document.querySelectorAll(".pad-stage .look")].map((group) => ({
            colour: group.getAttribute("stroke"),
            pixels: [...group.querySelectorAll("[data-pixel]")]
                .map((one) => Number(one.dataset.pixel)),
            places: [...group.querySelectorAll("[data-pixel]")].map((one) => {
                const { x, y, width, height } = one.getBBox();
                return Math.floor(y + height / 2) * 8 + Math.floor(x + width / 2);
            }),
        }))"""
    )
    # Which rules say most, by Python: what they add to the lead of the answer.
    rules = clf.rules_
    record = pd.DataFrame([record_in(pad)], columns=X.columns)
    rival, best = np.argsort(clf.predict_proba(record)[0])[-2:]
    shift = clf.membership(record)[0] - rules.neutral
    added = shift * (rules.profile[:, best] - rules.profile[:, rival])
    added[shift < 1e-12] = 0.0
    strongest = np.argsort(-np.abs(added), kind="stable")[:5]
    assert len(groups) == 5
    for group, rule in zip(groups, strongest, strict=True):
        assert group["pixels"] == group["places"] == list(rules.asked_features[rule])
        assert group["colour"] == class_colour(int(rules.named_class[rule]))
    lines = pad.locator(".pad-rules li").all_inner_texts()
    for line, rule in zip(lines, strongest, strict=True):
        expected = f"{rules.label(rule)} {added[rule]:+.3f}, ".replace("-", "\u2212")
        assert line.startswith(expected)
    pad.get_by_label("Show where rules look").uncheck()
    assert not pad.locator(".pad-stage .look").first.is_visible()
    pad.get_by_label("Show where rules look").check()
    pad.locator(".pad-rules button").nth(1).focus()
    dimmed = pad.locator(".pad-stage .look").evaluate_all(
        "groups => groups.map((group) => group.classList.contains('dim'))"
    )
    assert dimmed == [True, False, True, True, True]


def test_examples_are_images_to_click(pad, digits):
    _, X, labels = digits
    buttons = pad.locator(".thumbnails button")
    assert buttons.count() == 10
    name = buttons.nth(3).get_attribute("aria-label")
    buttons.nth(3).click()
    row = int(name.split()[1].rstrip(","))  # as the index of the frame has it
    assert name == f"Row {row}, true class {labels[X.index.get_loc(row)]}"
    assert record_in(pad).tolist() == X.loc[row].tolist()
    assert pad.locator("#examples option:checked").inner_text() == name


def test_a_link_to_a_drawing_wins_over_the_first_example(pad, chromium):
    clear(pad)
    draw(pad, ZERO)
    wanted = record_in(pad)
    link = pad.evaluate("SHARING.link()")
    other = chromium.new_page()
    other.goto(link)
    assert record_in(other).tolist() == wanted.tolist()
    assert_allclose(painted(other), wanted / 16, atol=0.01)
    other.close()


def test_sliders_are_still_there(pad):
    assert not pad.locator("#inputs").is_visible()
    pad.get_by_text("Pixels as numbers").click()
    pad.get_by_label("Value of pixel_3_3", exact=True).fill("5")
    assert painted(pad)[27] == pytest.approx(5 / 16, abs=0.01)
    pad.locator('.input[data-feature="27"] .missing input').check()
    assert pad.locator(".pad-stage .gap").text_content() == "?"
    assert painted(pad)[27] == 0


def test_other_models_and_shapes_have_pads(open_page):
    X = np.random.default_rng(0).uniform(0, 1, (300, 6))
    y = X[:, 1] > 0.5
    clf = UCSClassifier(epochs=3, random_state=0).fit(X, y)
    page = open_page(clf, X, y, report={"image_shape": (2, 3)})
    shape = page.locator("#pad").evaluate("pad => [pad.height, pad.width]")
    assert shape == [2, 3]
    box = page.locator("#pad").bounding_box()
    assert box["width"] / box["height"] == pytest.approx(1.5, rel=0.02)
    clear(page)
    assert record_in(page).tolist() == pytest.approx(X.min(axis=0).tolist(), abs=0.1)
    page.locator("#pad").click(position={"x": box["width"] / 2, "y": box["height"] / 4})
    settle(page)
    assert record_in(page).argmax() == 1
    assert page.locator(".pad-stage .look").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(scheme, digits, open_page):
    options = {"image_shape": (8, 8), "examples": 5, "units": {"pixel_3_3": "ink"}}
    page = open_page(*digits, report=options, color_scheme=scheme)
    page.locator("#rule-table details.picture summary").first.click()
    page.locator("#ledger details.rule summary").first.click()
    page.locator("summary", has_text="Pixels as numbers").click()
    page.evaluate("SHARING.offer('a link')")
    assert serious(page) == []


def test_paper_has_the_image_and_no_tools(pad):
    pad.emulate_media(media="print")
    assert pad.locator("#pad").is_visible()
    assert pad.locator(".pad-rules").is_visible()
    for tool in ("#examples", ".brushes", "#pad-clear", ".thumbnails", ".pad-numbers", ".actions"):
        assert not pad.locator(tool).is_visible()


def test_pages_without_images_have_no_pad(digits, open_page):
    page = open_page(*digits)
    assert page.locator("#pad").count() == 0
    assert page.locator("#inputs").is_visible()
