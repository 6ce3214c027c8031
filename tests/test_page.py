"""The report in a real browser: its numbers are the library's, and people can use it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine, make_classification

from browser import browser
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

RNG = np.random.default_rng(7)


def mixed_table(n=400):
    """A table with all that features can be."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "length": x,
            "<script>alert(1)</script>": 100 * x + rng.normal(0, 40, n),
            "colour": rng.integers(0, 4, n).astype(float),
            "count": rng.poisson(3, n).astype(float),
            "constant": 1.0,
            "often missing": np.where(rng.random(n) < 0.4, np.nan, x + rng.normal(size=n)),
            "& 'quoted' \"names\"": rng.exponential(size=n) * 1e-6,
        }
    )
    y = np.where(x + (frame["colour"] == 2) + rng.normal(0, 0.4, n) > 0.5, "<b>ill</b>", "well")
    y[(x < -1) & (rng.random(n) < 0.7)] = "third"
    return frame, y


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


def records(frame, n=200):
    """Rows with holes, strange values and values that were never seen."""
    rng = np.random.default_rng(11)
    X = frame.to_numpy(dtype=float)
    chosen = np.column_stack([rng.choice(column, n) for column in X.T])
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    wide = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low), chosen.shape)
    chosen = np.where(rng.random(chosen.shape) < 0.3, wide, chosen)
    holes = rng.random(chosen.shape) < rng.choice([0.0, 0.2, 0.6], (n, 1))
    chosen = np.where(holes, np.nan, chosen)
    chosen[0] = np.nan
    return chosen


MIXED = mixed_table()
WINE = load_wine(return_X_y=True, as_frame=True)
SUPPORT = {"support": "auto"}
MODELS = {
    "flagship": (EvidentialRuleClassifier(random_state=0), MIXED),
    "fused": (EvidentialRuleClassifier(random_state=0, n_models=2, missing="match"), WINE),
    "named nominal": (
        EvidentialRuleClassifier(random_state=0, nominal_features=["colour"], max_rules=15),
        MIXED,
    ),
    "ds": (FuzzyUCSClassifier(epochs=5, random_state=0), WINE),
    "ds, doubts": (
        FuzzyUCSClassifier(
            epochs=5, random_state=0, missing="belief", calibrate=True, n_terms=4, **SUPPORT
        ),
        MIXED,
    ),
    "vote": (FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote"), MIXED),
    "swin": (
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="swin", missing="belief"),
        MIXED,
    ),
    "weighted": (
        FuzzyUCSClassifier(
            epochs=5, random_state=0, inference="weighted", missing="belief", **SUPPORT
        ),
        MIXED,
    ),
    "ucs": (UCSClassifier(epochs=5, random_state=0, **SUPPORT), MIXED),
}


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
    const entries = MODEL.entries(r);
    const flips = FEATURES.map((_, f) => MODEL.flip(record, f, r.matched, r.best));
    return {mass: r.mass, ignorance: r.ignorance, weak: r.weak, novelty: r.novelty, best: r.best,
            probability: r.probability,
            degrees: r.matched.rules.map(e => [e.place, e.degree * e.believed]),
            reasons: r.reasons.map(e => e.feature), flips,
            sums: r.scores.map((_, c) => entries.reduce((t, e) => t + e.amounts[c], 0))};
})"""


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
    rules = clf._deciding_rules()
    degrees = np.zeros((len(rows), len(rules)))
    for r, row in zip(found, degrees, strict=True):
        for place, degree in r["degrees"]:
            row[place] = degree
    expected = rules.freeze().membership(rules.variables.positions(rows))
    assert_allclose(degrees, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["flagship", "ds", "ds, doubts", "vote", "ucs", "weighted"])
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
        theirs = {frame.columns[f["feature"]]: f for f in r["flips"] if f is not None}
        assert mine.keys() == theirs.keys()
        for feature, flip in mine.items():
            n_flips += 1
            assert theirs[feature]["value"] == pytest.approx(flip.other, rel=1e-9, abs=1e-12)
            assert clf.classes_[theirs[feature]["label"]] == flip.label
            assert theirs[feature]["distance"] == pytest.approx(flip.distance, abs=1e-9)
    assert n_flips > 3


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
        weight = page.evaluate("record[2]")
        explanation = clf.explain({**record, "weight": weight, "old": True})
        expected = 100 * np.append(explanation.evidence.mass[0], explanation.evidence.ignorance[0])
        assert_allclose(beliefs(page), expected, atol=0.051)
        assert page.locator("#answer b").inner_text() == explanation.prediction
        page.wait_for_selector(f"#flips[data-done='{page.evaluate('search')}']", state="attached")
        shown = page.locator("#flips button").all_inner_texts()
        assert [text.replace("→", "->") for text in shown] == list(map(str, explanation.flips))


@pytest.fixture(scope="module")
def cancer():
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malignant")
    return EvidentialRuleClassifier(random_state=0).fit(frame, labels), frame, labels


def beliefs(page):
    return page.eval_on_selector_all(
        "#beliefs .belief .amount", "cells => cells.map(cell => parseFloat(cell.textContent))"
    )


def test_sliders_move_beliefs(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    f = frame.columns.get_loc("worst area")
    usual = page.evaluate("record.slice()")
    page.locator(f"#input-{f}").focus()
    for _ in range(60):
        page.keyboard.press("PageUp")
    assert page.evaluate(f"record[{f}]") == frame["worst area"].max()
    record = np.array(usual)
    record[f] = frame["worst area"].max()
    evidence = clf.predict_evidence(pd.DataFrame([record], columns=frame.columns))
    expected = 100 * np.append(evidence.mass[0], evidence.ignorance[0])
    assert_allclose(beliefs(page), expected, atol=0.051)
    page.locator(f"#input-{f}").fill("1000")  # as the mouse would
    assert page.evaluate(f"record[{f}]") == 1000
    page.locator(f"#input-{f}-missing").check()
    record[f] = np.nan
    evidence = clf.predict_evidence(pd.DataFrame([record], columns=frame.columns))
    expected = 100 * np.append(evidence.mass[0], evidence.ignorance[0])
    assert_allclose(beliefs(page), expected, atol=0.051)
    assert page.locator(f"#input-{f}").is_disabled()
    page.locator("#reset").click()
    assert page.evaluate("record.slice()") == usual


def test_a_number_can_be_typed_beyond_the_range(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    f = frame.columns.get_loc("worst texture")
    box = page.locator(f"[data-feature='{f}'] input[type=number]")
    box.fill("500")
    assert page.evaluate(f"record[{f}]") == 500
    unusual = page.locator("#unusual").inner_text()
    assert "worst texture 500 is outside of the training data" in unusual
    assert page.locator(".input.unusual").get_attribute("data-feature") == str(f)
    box.fill("")
    box.blur()
    assert box.input_value() == "500"


def test_a_click_on_a_flip_changes_the_answer(cancer, open_page):
    clf, frame, labels = cancer
    page = open_page(clf, frame, labels)
    p = clf.predict_proba(frame)[:, 0]
    row = frame.iloc[int(np.argmin(np.abs(p - 0.6)))]
    page.evaluate(
        """row => {
            row.forEach((value, f) => { record[f] = value; controls[f].show(); });
            update();
        }""",
        row.tolist(),
    )
    before = page.locator("#answer b").inner_text()
    page.wait_for_selector("#flips button")
    text = page.locator("#flips button").first.inner_text()
    flip = clf.explain(row).flips[0]
    assert text.startswith(flip.feature)
    assert text.endswith(str(flip.label))
    page.locator("#flips button").first.click()
    assert page.locator("#answer b").inner_text() == flip.label != before


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
    page.get_by_role("button", name="Coverage").click()
    shares = [float(text.rstrip(" %")) for text in page.locator(cells.format(5)).all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    page.get_by_role("button", name="Coverage").press("Enter")
    shares = [float(text.rstrip(" %")) for text in page.locator(cells.format(5)).all_inner_texts()]
    assert shares == sorted(shares)
    expected = 100 * clf.membership(frame).mean(axis=0)
    assert_allclose(shares, np.sort(expected), atol=0.051)


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


def test_a_large_model_stays_fluid(open_page):
    X, y = make_classification(
        600, 100, n_informative=20, n_redundant=20, n_classes=3, random_state=0
    )
    clf = EvidentialRuleClassifier(random_state=0, penalty=0.25, n_terms=9).fit(X, y)
    assert len(clf.rules_) >= 200
    clf = clf.with_rules(clf.rules_[:200])
    page = open_page(clf, X, y)
    times = page.evaluate(
        """() => {
            const times = [];
            for (let k = 0; k < 60; ++k) {
                const start = performance.now();
                setValue(k % 100, FEATURES[k % 100].minimum + k / 100);
                document.body.offsetHeight;  // lay the page out
                times.push(performance.now() - start);
            }
            return times.sort((a, b) => a - b);
        }"""
    )
    assert times[len(times) // 2] < 16
