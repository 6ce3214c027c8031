"""Pictures of rules on the page: what they must show, measured in the browser."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier, UCSClassifier
from fuzzyucs._util.class_colours import class_colour
from pages import plain

# What a picture has in each of its panels, and where.
PANELS = """([r, values]) => {
    const record = values.map(value => value === null ? NaN : value);
    const svg = rulePicture(MODEL.rules[r], record);
    document.body.append(svg);
    const box = (one) => {
        const { x, y, width, height } = one.getBBox();
        return [x, y, width, height];
    };
    const panels = [...svg.querySelectorAll("g")].map((group) => {
        const all = (selector, get) => [...group.querySelectorAll(selector)].map(get);
        return {
            bars: all("rect.bar", (bar) => [bar.getAttribute("fill"), ...box(bar)]),
            bands: all(".band", (band) => ({
                fill: band.getAttribute("fill"), points: band.getAttribute("points"),
                opacity: Number(band.getAttribute("fill-opacity")), box: box(band),
            })),
            mark: all("line.mark", (line) => Number(line.getAttribute("x1"))),
            framed: all("rect.mark", box),
            texts: all("text", (text) => text.firstChild.textContent),
            boxes: all("text", box),
        };
    });
    const words = svg.getAttribute("aria-label"), width = svg.viewBox.baseVal.width;
    svg.remove();
    return { panels, words, width };
}"""


@pytest.fixture(scope="module")
def cancer():
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    return EvidentialRuleClassifier(random_state=0).fit(frame, labels), frame, labels


@pytest.fixture(scope="module")
def mixed():
    """Categories with long names, and dates."""
    rng = np.random.default_rng(0)
    n = 400
    kinds = [f"a category with a long name, number {i}" for i in range(12)]
    frame = pd.DataFrame(
        {
            "kind": rng.choice(kinds, n),
            "day": pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D"),
        }
    )
    late = (frame["day"] >= "2013-05-12") & frame["kind"].isin(kinds[:4])
    y = np.where(late, "late", "early")
    return EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y


def record_of(clf, frame, row):
    return [None if np.isnan(x) else x for x in clf.check_table(frame.iloc[[row]])[0].tolist()]


def area_of(points):
    """Return the share of the panel's width times height that a polygon covers."""
    xy = np.array([[float(part) for part in point.split(",")] for point in points.split()])
    x, y = xy.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def test_panels_show_counts_band_and_value(cancer, open_page):
    clf, frame, labels = cancer
    page, rules = open_page(clf, frame, labels), clf.rules_
    table = clf.check_table(frame)
    low, high = table.min(axis=0), table.max(axis=0)
    for rule in range(0, len(rules), 4):
        row = 7 * rule
        found = page.evaluate(PANELS, [rule, record_of(clf, frame, row)])
        asked = rules.asked_features[rule]
        assert len(found["panels"]) == len(asked)
        colour = class_colour(int(rules.named_class[rule]))
        for panel, f in zip(found["panels"], asked, strict=True):
            # Bars are as high as classes are frequent.
            for index, name in enumerate(clf.classes_):
                heights = [bar[4] for bar in panel["bars"] if bar[0] == class_colour(index)]
                counts, _ = np.histogram(table[labels == name, f], np.linspace(low[f], high[f], 25))
                counts = counts[counts > 0]
                np.testing.assert_allclose(
                    np.array(heights) / max(heights), counts / counts.max(), atol=0.02
                )
            # The area under the band is the mean degree of the condition over the axis.
            (band,) = panel["bands"]
            assert (band["fill"], band["opacity"]) == (colour, 0.25)
            steps = np.tile(table[0], (4001, 1))
            steps[:, f] = np.linspace(low[f], high[f], 4001)
            alone = np.array(rules.variables.positions(steps))[:, f]
            degrees = page.evaluate(
                """([r, f, positions]) => {
                    const condition = MODEL.rules[r].if.find((one) => one[0] === f);
                    return positions.map((x) => membership(MODEL.features[f], condition, x));
                }""",
                [rule, int(f), alone.tolist()],
            )
            assert area_of(band["points"]) == pytest.approx(220 * 54 * np.mean(degrees), rel=0.01)
            # The mark is where the value is.
            (at,) = panel["mark"]
            expected = 6 + 220 * (table[row, f] - low[f]) / (high[f] - low[f])
            assert at == pytest.approx(expected, abs=0.01)
            assert panel["texts"][0] == frame.columns[f]
            assert float(panel["texts"][1]) == pytest.approx(table[row, f], rel=1e-5)
        assert rules.condition(rule) in plain(found["words"])


def test_values_outside_and_missing_ones(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    f = int(clf.rules_.asked_features[0][0])
    record = record_of(clf, frame, 0)
    record[f] = 1e9
    panel = page.evaluate(PANELS, [0, record])["panels"][0]
    assert panel["mark"] == [226]  # at the end of the axis
    assert panel["texts"][1] == "1000000000"
    record[f] = None
    panel = page.evaluate(PANELS, [0, record])["panels"][0]
    assert panel["mark"] == []
    assert panel["texts"][1] == "missing"


def test_categories_have_a_bar_each(mixed, open_page):
    clf, frame, y = mixed
    page, rules = open_page(clf, frame, y), clf.rules_
    rule = next(r for r in range(len(rules)) if 0 in rules.asked_features[r])
    found = page.evaluate(PANELS, [rule, record_of(clf, frame, 3)])
    panel = found["panels"][list(rules.asked_features[rule]).index(0)]
    assert "4 more" in panel["texts"]
    own = frame["kind"][3]
    rows = [text for text in panel["texts"] if re.fullmatch(r"a cat.*…\w+ \d+", text)]
    assert len(set(rows)) == len(rows) == 8  # names that begin alike are told apart
    assert len(panel["framed"]) == 1
    # The record's own category and all accepted ones are shown, and these are shaded.
    accepted = rules.variables.words(0, int(rules.conditions[rule][0]))
    assert len(accepted) < 8
    assert len(panel["bands"]) == len(accepted)
    assert {text.split()[-1] for text in rows} >= {name.split()[-1] for name in [own, *accepted]}
    for panel in found["panels"]:
        check_apart(panel["boxes"], found["width"])


def test_dates_are_readable(mixed, open_page):
    clf, frame, y = mixed
    page, rules = open_page(clf, frame, y), clf.rules_
    rule = next(r for r in range(len(rules)) if 1 in rules.asked_features[r])
    found = page.evaluate(PANELS, [rule, record_of(clf, frame, 3)])
    panel = found["panels"][list(rules.asked_features[rule]).index(1)]
    first, last = frame["day"].min(), frame["day"].max()
    assert panel["texts"] == ["day", *(f"{day:%Y-%m-%d}" for day in (frame["day"][3], first, last))]


def test_intervals_have_bands_too(open_page):
    X = np.random.default_rng(0).uniform(0, 10, (300, 2))
    y = X[:, 0] > 4
    clf = UCSClassifier(epochs=3, random_state=0).fit(X, y)
    page, rules = open_page(clf, X, y), clf.deciding_rules
    record = X[0].tolist()
    for rule in range(0, len(rules), 10):
        panels = page.evaluate(PANELS, [rule, record])["panels"]
        for panel, f in zip(panels, rules.asked_features[rule], strict=True):
            (band,) = panel["bands"]
            bounds = np.sort(rules.conditions[rule][f])
            assert area_of(band["points"]) == pytest.approx(220 * 54 * np.ptp(bounds), abs=1)


def check_apart(boxes, width):
    for i, (left, top, across, down) in enumerate(boxes):
        assert left >= -0.5
        assert left + across <= width + 0.5
        for x, y, w, h in boxes[:i]:
            is_beside = left >= x + w - 0.5 or x >= left + across - 0.5
            assert is_beside or top >= y + h - 4 or y >= top + down - 4


def test_pictures_unfold_and_follow_the_record(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    assert page.locator("svg.rule-picture").count() == 0  # drawn only when asked for
    page.locator("#rule-table details.picture summary").first.click()
    page.locator("#ledger details.rule summary").first.click()
    shown = page.locator("#rule-table svg.rule-picture")
    shown.wait_for()
    page.locator("#ledger svg.rule-picture").wait_for()
    f = int(clf.rules_.asked_features[0][0])
    page.get_by_label(f"Value of {frame.columns[f]}", exact=True).fill("0")
    assert shown.locator("text.value").first.text_content() == "0"
    assert page.locator("#ledger svg.rule-picture").count() == 1  # stays open
    page.locator("#rule-table details.picture summary").first.press("Enter")
    shown.wait_for(state="detached")
