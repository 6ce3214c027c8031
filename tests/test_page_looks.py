"""What people see of a report, in a real browser: colours, labels, print, phone, axe-core."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs._util.class_colours import class_colour
from fuzzyucs.variables.coding import accepted_terms
from looks import LOOKS, SHEET, fitted, wait_for_flips
from outcomes import outcomes
from pages import as_json, plain, serious
from soaking import only

NAMES = ("iris", "cancer", "passengers", "occupations", "wine by vote")


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


def rgb(colour):
    return "rgb({}, {}, {})".format(*(int(colour[k : k + 2], 16) for k in (1, 3, 5)))


FEW = [("occupations", "dark"), ("cancer", "390"), *((name, "1280") for name in NAMES)]


@pytest.mark.parametrize(("name", "way"), only(FEW, product(NAMES, ["1280", "dark", "390"])))
def test_axe_finds_no_serious_violation(name, way, look):
    page = look(name, way)
    page.locator("#ledger summary").first.click()
    page.locator("summary", has_text="Parameters").click()
    assert serious(page) == []
    page.evaluate("WHAT_IF.setRecord(MODEL.features.map(() => NaN))")
    wait_for_flips(page)
    assert serious(page) == []


def test_axe_can_fail(look):
    page = look("cancer")
    page.evaluate("document.getElementById('answer').style.color = '#cccccc'")
    assert [name for name, _ in serious(page)] == ["color-contrast"]


def test_the_page_begins_with_the_what_if(look):
    page = look("iris", "390")
    order = ["what-if", "card", "performance", "rules", "variables"]
    assert page.evaluate("[...document.querySelectorAll('section')].map(s => s.id)") == order
    links = page.locator("nav a")
    assert [link.get_attribute("href") for link in links.all()] == [f"#{name}" for name in order]
    for link in links.all():  # none is hidden on a phone
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert page.locator("#answer").bounding_box()["y"] < 844


WIDE = """width => [...document.querySelectorAll("body *")].filter(e => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.right > width + 0.5 && !e.closest(".scroll, .skip, .histogram") &&
        getComputedStyle(e).visibility !== "hidden";
}).map(e => e.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wider_than_a_phone(name, look):
    page = look(name, "390")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(WIDE, 390) == []


# Pairs of texts that overlap: names, numbers and words in charts, bars and lists of the page.
OVERLAPS = """() => {
    const kinds = "svg[role=img], .category, .belief, .share, .input";
    const groups = [...document.querySelectorAll(kinds)];
    const found = [];
    for (const group of groups) {
        const texts = [...group.querySelectorAll("text, .label, .amount, .track, label, .words")]
            .map(e => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
        for (const e of group.querySelectorAll(".label, .amount")) {
            const isCut = getComputedStyle(e).overflowX === "hidden";
            if (e.scrollWidth > e.clientWidth && !isCut || e.clientWidth < 20) {
                found.push(`no room for ${e.textContent}`);
            }
        }
        texts.forEach(([a, one], i) => texts.slice(i + 1).forEach(([b, other]) => {
            const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
            if (wide > 1 && high > 1) found.push(`${a.textContent} | ${b.textContent}`);
        }));
    }
    return {n: groups.length, found};
}"""


@pytest.mark.parametrize("way", ["1280", "390", "print"])
@pytest.mark.parametrize("name", ["passengers", "occupations"])
def test_no_labels_overlap(name, way, look):
    page = look(name, way)
    result = page.evaluate(OVERLAPS)
    assert result["n"] > 10
    assert result["found"] == []
    # Long names of categories are cut by an ellipsis, and told in full by a title.
    cut = page.locator("#partitions .category .label")
    assert all(label.get_attribute("title") == label.inner_text() for label in cut.all())


STYLE = "(e, name) => getComputedStyle(e)[name]"


@pytest.mark.parametrize("name", ["cancer", "occupations", "wine by vote"])
def test_paper_is_light_and_has_bars_and_whole_columns(name, look):
    page = look(name, "print")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    body = page.locator("body")
    assert body.evaluate(STYLE, "backgroundColor") == "rgb(255, 255, 255)"
    assert body.evaluate(STYLE, "color") == "rgb(0, 0, 0)"
    bars = page.locator("#beliefs .mass, #importance .track span, #ledger .track span").all()
    drawn = [bar for bar in bars if bar.evaluate("e => e.getBoundingClientRect().width > 1")]
    assert len(drawn) > 5
    for bar in drawn:
        assert bar.evaluate(STYLE, "printColorAdjust") == "exact"
        assert bar.evaluate(STYLE, "backgroundColor") not in (
            "rgba(0, 0, 0, 0)",
            "rgb(255, 255, 255)",
        )
    assert page.evaluate("document.documentElement.scrollWidth") == SHEET
    assert page.evaluate(WIDE.replace(".scroll, ", ""), SHEET) == []
    # The record is told, and what the model says of it; controls are not printed.
    assert page.locator("#answer").is_visible()
    assert page.locator("#ledger").is_visible()
    assert page.locator(".input").first.is_visible()
    for hidden in ("nav", "#theme", "input[type=range]", ".band", "#feature-text", "#rule-text"):
        assert not page.locator(hidden).first.is_visible()


def test_paper_shows_every_value_of_the_record(models, look):
    page = look("passengers", "print")
    _, frame, _ = models("passengers")
    shown = page.locator(".input")
    assert [box.is_visible() for box in shown.all()] == [True] * frame.shape[1]
    page.evaluate("WHAT_IF.setValue(2, NaN)")
    values = page.evaluate(
        "MODEL.features.map((feature, f) => written(feature, WHAT_IF.record[f]))"
    )
    for f, (name, value) in enumerate(zip(frame.columns, values, strict=True)):
        box = page.locator(f"[data-feature='{f}'] .name")
        assert box.inner_text().split("\n") == [name, "missing" if f == 2 else value]


@pytest.mark.parametrize("way", ["1280", "dark"])
def test_classes_have_their_colours_everywhere(way, models, look):
    clf, _, _ = models("iris")
    page = look("iris", way)
    best = page.evaluate("MODEL.evaluate(WHAT_IF.record).best")
    answer = page.locator("#answer")
    assert answer.evaluate(STYLE, "borderLeftColor") == rgb(class_colour(best))
    assert answer.locator("b").inner_text().lower() == f"{clf.classes_[best]}."
    colours = [class_colour(c) for c in range(3)]
    bars = page.locator("#beliefs .belief .mass").all()
    assert [bar.evaluate(STYLE, "backgroundColor") for bar in bars] == list(map(rgb, colours))
    for chart in page.locator(".histogram").all():
        fills = [path.get_attribute("fill") for path in chart.locator("path").all()]
        assert fills == [colour for colour in colours if colour in fills] != []
    swatches = page.locator("#confusion thead .swatch").all()
    assert [s.evaluate(STYLE, "backgroundColor") for s in swatches] == list(map(rgb, colours))
    flip = page.locator("#flips .flip:not(.none)").first
    label = flip.locator("b").inner_text()
    own = colours[clf.classes_.tolist().index(label)]
    assert flip.evaluate(STYLE, "borderLeftColor") == rgb(own)
    assert page.locator("#flips .flip.none b").first.inner_text() == "no answer"


def test_who_does_not_know_is_grey(look):
    page = look("iris", "1280")
    page.evaluate("WHAT_IF.setRecord(MODEL.features.map(() => NaN))")
    answer = page.locator("#answer")
    assert plain(answer.inner_text()).startswith("I don't know. ")
    assert answer.evaluate(STYLE, "borderLeftColor") == "rgb(64, 70, 77)"
    assert plain(page.locator("#because").inner_text()) == "100 % of the answer is left open."


def test_the_answer_is_reached_by_keyboard(look):
    page = look("cancer")
    panel = page.locator("#panel")
    assert panel.evaluate("e => e.scrollHeight > e.clientHeight")
    assert panel.get_attribute("tabindex") == "0"  # some browsers take panels that scroll without
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "panel"
    panel.evaluate("e => { e.onscrollend = () => { e.dataset.scrolled = 'yes'; }; }")
    page.keyboard.press("End")
    page.wait_for_selector("#panel[data-scrolled]")
    assert panel.evaluate("e => e.scrollTop") > 0


def test_a_phone_shows_the_features_that_matter_first(look):
    page = look("cancer", "390")
    visible = page.locator(".input:visible")
    assert visible.count() == 8
    page.locator("#feature-text").fill("error")
    assert visible.count() == 10  # all that are found
    page.locator("#feature-text").fill("")
    more = page.get_by_role("button", name="Show 22 more features")
    more.click()
    assert visible.count() == 30
    assert not more.is_visible()


def test_terms_that_are_numbers_are_not_told_twice(open_page):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"eyes": rng.integers(0, 17, 400).astype(float), "same": 1.0})
    y = np.where(frame["eyes"] % 2, "odd", "even")
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, n_terms=17).fit(frame, y)
    page = open_page(clf, frame, y)
    notes = page.locator("#partitions .note").all_inner_texts()
    assert notes == ["17 terms", "always the same"]
    for value, expected in (("3", ""), ("3.5", "= 3 (0.50), = 4 (0.50)"), ("0", "<= 0")):
        box = page.locator("[data-feature='0']")
        box.locator("input[type=number]").fill(value)
        assert box.locator(".words").inner_text() == expected


ENDS = """f => {
    const feature = MODEL.features[f];
    return [feature.minimum, feature.maximum, isListed(feature)];
}"""
BANDS = """f => [...document.querySelectorAll(`[data-feature="${f}"] .band span`)].map(part =>
    [part.style.left, part.style.width].map(parseFloat).concat([part.title]))"""


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", ["iris", "occupations", "wine by vote"])
def test_bands_show_the_answers_along_a_feature(name, gaps, models, look):
    """The oracle is the library, asked at many values."""
    clf, frame, _ = models(name)
    page = look(name)
    numbers = clf.columns_.numbers(frame).to_numpy(dtype=float)
    n_changes = 0
    for row in numbers[:4]:
        record = row.copy()
        record[1] = np.nan if gaps else record[1]
        page.evaluate("row => WHAT_IF.setRecord(row.map(v => v ?? NaN))", as_json([record])[0])
        wait_for_flips(page)
        for f in range(frame.shape[1]):
            low, high, is_listed = page.evaluate(ENDS, f)
            bands = page.evaluate(BANDS, f)
            label = (
                page.locator(f"[data-feature='{f}'] .band").get_attribute("aria-label")
                if bands
                else ""
            )
            if is_listed or np.isnan(record[f]):
                continue
            tried = np.linspace(low, high, 203)[1:-1]
            digits = -1 if clf.support is None else clf.support_.known.decimals[f]
            tried = np.unique(np.round(tried, digits)) if digits >= 0 else tried
            rows = np.tile(record, (len(tried), 1))
            rows[:, f] = tried
            answers = predicted(clf, frame, rows)
            if not bands:
                assert set(answers) == set(predicted(clf, frame, record[np.newaxis]))
                continue
            n_changes += len(bands) - 1
            for value, answer in zip(tried, answers, strict=True):
                place = 100 * (value - low) / (high - low)
                own = [
                    t for start, width, t in bands if start - 0.3 <= place <= start + width + 0.3
                ]
                assert any(text.endswith(f": {answer or 'no answer'}") for text in own)
            told = [title for _, _, title in bands if not title.startswith("here: ")]
            assert label.endswith("; ".join(told))
    assert n_changes > 5


def predicted(clf, frame, rows):
    """Return the answers to rows of numbers, which are indices of categories."""
    table = pd.DataFrame(rows, columns=frame.columns).astype(object)
    for f, categories in clf.columns_.categories.items():
        known = list(categories.labels)
        table.iloc[:, f] = [None if np.isnan(x) else known[int(x)] for x in rows[:, f]]
    for f, name in enumerate(frame.columns):
        if f not in clf.columns_.categories:
            table[name] = table[name].astype(float)
    return outcomes(clf, table)


def test_a_mark_says_from_where_on_the_answer_is_another_one(models, look):
    clf, frame, _ = models("iris")
    page = look("iris")
    record = np.array(page.evaluate("WHAT_IF.record.slice()"))
    flips = clf.explain(pd.DataFrame([record], columns=frame.columns)).flips
    changes = [flip for flip in flips if flip.kind == "change"]
    assert {flip.is_answer for flip in changes} == {False, True}
    for flip in changes:
        f = frame.columns.get_loc(flip.feature)
        words = f"from {flip.other:g} on" if flip.other > record[f] else f"up to {flip.other:g}"
        name = flip.label if flip.is_answer else "no answer"
        mark = page.locator(f"[data-feature='{f}'] .band [title='{words}: {name}']")
        assert mark.count() == 1
        if flip.is_answer:
            colour = class_colour(clf.classes_.tolist().index(flip.label))
            assert mark.evaluate(STYLE, "backgroundColor") == rgb(colour)
        else:
            assert "gradient" in mark.evaluate(STYLE, "backgroundImage")


def test_the_deciding_condition_is_highlighted(models, look):
    """Of a rule that holds, the rarest condition; of another, the one that holds least."""
    clf, frame, _ = models("cancer")
    page = look("cancer")
    rules, variables = clf.rules_, clf.rules_.variables
    rows = frame.to_numpy(dtype=float)
    positions = variables.positions(rows)
    page.evaluate("row => WHAT_IF.setRecord(row)", rows[2].tolist())
    page.locator("#ledger button.fold").first.click()
    states = []
    for box in page.locator("#ledger details.rule").all():
        rule = int(box.get_attribute("data-rule"))
        degrees = {}
        for f in rules.asked_features[rule]:
            condition = rules.conditions[rule, f]
            accepted = accepted_terms(int(condition), int(variables.n_terms[f])).astype(float)
            degree = np.interp(positions[:, f], np.arange(len(accepted)), accepted)
            degrees[variables.describe_plain(f, condition)] = degree[2], degree.mean()
        mark = box.locator("mark")
        chosen = degrees[mark.get_attribute("title")]
        least, rarest = np.min(list(degrees.values()), axis=0)
        states.append(mark.get_attribute("class"))
        assert states[-1] == ("fails" if least < 0.5 else "holds")
        if least < 0.5:
            assert chosen[0] == pytest.approx(least, abs=1e-9)
        else:
            assert chosen[1] <= rarest + 0.05  # the histogram is coarse
    assert set(states) == {"fails", "holds"}
    assert len(states) > 12


def test_values_just_outside_of_the_training_data_are_flagged(models, look):
    clf, frame, _ = models("cancer")
    page = look("cancer")
    f = frame.columns.get_loc("worst area")
    low, high = clf.rules_.variables.minimum[f], clf.rules_.variables.maximum[f]
    box = page.locator(f"[data-feature='{f}']")
    for value, is_outside in ((high, False), (high + 1, True), (low, False), (low - 0.1, True)):
        box.locator("input[type=number]").fill(str(value))
        assert ("outside" in box.get_attribute("class").split()) == is_outside
        words = f"outside of the training data: {low:g} to {high:g}"
        assert (box.locator(".words").inner_text() == words) == is_outside
        told = f"worst area {value:g} is outside {low:g} to {high:g}"
        assert (told in page.locator("#answer").inner_text()) == is_outside


def test_what_speaks_against_an_answer_stands_directly_below_it(models, look):
    clf, frame, labels = models("cancer")
    page = look("cancer")
    page.set_viewport_size({"width": 1280, "height": 720})
    trust = page.locator("#trust")
    evidence = clf.predict_evidence(frame)
    unlike = np.array([bool(clf.support_.outside(row)) for row in frame.to_numpy()])
    unlike |= evidence.novelty >= 0.1
    given = (evidence.verdict == "answer") & ~unlike
    plain_rows = given & (evidence.novelty < 0.05) & (evidence.probability[:, 0] > 0.9)
    row = next(row for row in frame[plain_rows].to_numpy() if not clf.support_.outside(row))
    page.evaluate("row => WHAT_IF.setRecord(row)", row.tolist())
    said = clf.predict(frame)
    (own,) = set(clf.predict(frame[(frame == row).all(axis=1)]))
    given &= said == own
    assert trust.inner_text() == (
        "No value is missing or outside of the training data; "
        f"{(said == labels)[given].sum()} of {given.sum()} answers “{own}” to such records were "
        "right on the data given."
    )
    names = ["worst area", "mean area", "mean radius", "mean texture"]
    strange = row.copy()
    strange[[frame.columns.get_loc(name) for name in names]] = [-500, -1, -1, -1]
    page.evaluate("row => WHAT_IF.setRecord(row)", strange.tolist())
    warned = trust.inner_text().split("\n")[-1]
    every = page.locator("#answer").inner_text() + trust.inner_text()
    for name in names:
        assert every.count(f"{name} -") == 1
    assert warned.startswith("A value is outside of the training data and novelty is ")
    verdict, reason = page.evaluate(
        "(({verdict, reason}) => [verdict, reason])(MODEL.evaluate(WHAT_IF.record))"
    )
    same = unlike & (evidence.verdict == verdict) & (evidence.reason == reason)
    assert f"of the {unlike.sum()} rows outside of the training data or with a novelty" in warned
    assert f"{same.sum()} got this verdict" in warned
    assert plain(warned).endswith(f"was right for {(said == labels)[same].sum()}.")
    page.evaluate("WHAT_IF.setRecord(MODEL.features.map(() => NaN))")
    asked = clf.rules_.asks.any(axis=0).sum()
    assert f"30 values are missing (rules ask for {asked} of them)" in trust.inner_text()
    told = "It is not known how often answers to records with missing values are right: "
    assert trust.inner_text().startswith(told)
    assert f"{asked} values that rules ask for are missing" in page.locator("#answer").inner_text()
    page.locator("#what-if-h").scroll_into_view_if_needed()
    box, answer = trust.bounding_box(), page.locator("#answer").bounding_box()
    assert answer["y"] < box["y"] < answer["y"] + 200


def test_another_record_is_shown_from_the_top_of_the_answer(models, look):
    _, frame, _ = models("cancer")
    page = look("cancer")
    page.set_viewport_size({"width": 1280, "height": 600})
    count = page.locator("#input-count")
    assert count.inner_text() == "30 features, the most important first; scroll for more"
    panel = page.locator("#panel")
    panel.evaluate("panel => { panel.scrollTop = 200; }")
    assert panel.evaluate("panel => panel.scrollTop") > 0
    page.evaluate("row => WHAT_IF.setRecord(row)", frame.iloc[3].tolist())
    assert panel.evaluate("panel => panel.scrollTop") == 0
    page.locator("#inputs").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    page.locator("#input-count:text-is('30 features, the most important first')").wait_for()
    page.locator("#feature-text").fill("worst")
    assert count.inner_text().startswith("10 of 30 features")
    page.locator("#feature-text").fill("")


def test_a_value_that_is_known_again_is_the_one_before(models, look):
    _, frame, _ = models("cancer")
    page = look("cancer")
    page.evaluate("row => WHAT_IF.setRecord(row)", frame.iloc[3].tolist())
    page.locator("#all-missing").click()
    f = frame.columns.get_loc("worst area")
    assert page.evaluate("f => Number.isNaN(WHAT_IF.record[f])", f)
    page.locator(f"#input-{f}-missing").click()
    assert page.evaluate("f => WHAT_IF.record[f]", f) == frame["worst area"].iloc[3]


def test_all_changes_can_be_seen(look):
    page = look("cancer")
    page.evaluate("WHAT_IF.setRecord(MODEL.features.map(() => NaN))")
    wait_for_flips(page)
    flips = page.locator("#flips button.flip")
    more = page.locator("#flips button.fold")
    shown, hidden = flips.count(), int(more.inner_text().split()[1])
    assert more.inner_text() == f"Show {hidden} more changes"
    more.click()
    assert flips.count() == shown + hidden
    assert more.count() == 0


def test_what_torn_answers_lack_is_told(models, look):
    clf, frame, _ = models("cancer")
    evidence = clf.predict_evidence(frame)
    rows = np.flatnonzero(evidence.verdict == "torn")
    assert len(rows)
    page = look("cancer")
    for row in rows[:3]:
        page.evaluate("row => WHAT_IF.setRecord(row)", frame.iloc[row].tolist())
        words = plain(page.locator("#because").inner_text())
        best = clf.classes_[evidence.probability[row].argmax()]
        assert f"cancels out; {best} has " in words
        assert re.search(r"(75 % that an answer needs|needs 75[.0]* %)\.$", words)
