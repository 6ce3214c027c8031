"""Small pictures of rules: what is shaded is what rules accept, and values are where they are."""

import re

import numpy as np
import pandas as pd
import pytest

from fuzzyucs import EvidentialRuleClassifier, UCSClassifier
from fuzzyucs._util.class_colours import class_colour
from fuzzyucs.explain.rule_picture import MARGIN, WIDTH, condition_svg
from fuzzyucs.variables.sketching import sketch
from kinds import mixed_table
from markup import Elements


def random_table(n_rows=300):
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=n_rows), rng.choice(["red", "green", "blue"], n_rows)
    grades = pd.Categorical(rng.choice(list("LMH"), n_rows), list("LMH"), ordered=True)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n_rows), "D")
    frame = pd.DataFrame({"size": size, "colour": colour, "grade": grades, "day": day})
    y = np.where((size > 0) ^ (colour == "red") | (grades == "H"), "yes", "<no>")
    return frame, y


@pytest.fixture(scope="module")
def model():
    return EvidentialRuleClassifier().fit(*random_table())


def test_outlines_are_the_degrees_of_rules():
    """Of conditions of all kinds, the native engine says the same at random values."""
    frame, y = mixed_table()
    clf = EvidentialRuleClassifier().fit(frame, y)
    rules, variables = clf.rules_, clf.rules_.variables
    rng = np.random.default_rng(1)
    n_checked = 0
    for rule in range(len(rules)):
        for feature in rules.asked_features[rule]:
            condition = rules.conditions[rule, feature]
            if not variables.has_order(feature):
                continue
            whole = np.array(
                [[variables.parse_condition(f, None) for f in range(variables.n_features)]],
                dtype=rules.conditions.dtype,
            )
            whole[0, feature] = condition
            low, high = variables.minimum[feature], variables.maximum[feature]
            X = np.tile(np.where(np.isnan(variables.minimum), 0, variables.minimum), (50, 1))
            X[:, feature] = rng.uniform(low, high, 50)
            degrees = rules[:1].with_conditions(whole).freeze().membership(variables.positions(X))
            points = np.array(variables.outline(feature, condition))
            told = np.interp(X[:, feature], points[:, 0], points[:, 1])
            np.testing.assert_allclose(told, degrees[:, 0], atol=1e-6)
            n_checked += 1
    assert n_checked > 3


def test_intervals_are_drawn_as_they_are_read():
    rng = np.random.default_rng(0)
    X = rng.uniform(2, 9, size=(200, 2))
    rules = UCSClassifier(epochs=5, random_state=0).fit(X, X[:, 0] > 5).rules_
    for rule in range(len(rules)):
        for feature in rules.asked_features[rule]:
            outline = rules.variables.outline(feature, rules.conditions[rule, feature])
            inside = [x for x, degree in outline if degree == 1]
            low, high = rules.variables.interval(feature, rules.conditions[rule, feature])
            assert inside[0] == pytest.approx(max(low, outline[0][0]))
            assert inside[-1] == pytest.approx(min(high, outline[-1][0]))


def lines_of(svg):
    """Return where values are marked."""
    found = Elements.of(svg).attributes["line"]
    return [float(line["x1"]) for line in found if line["x1"] == line["x2"]]


def test_values_are_marked_where_they_lie(model):
    variables = model.rules_.variables
    feature = variables.feature_names.index("size")
    condition = model.rules_.conditions[model.rules_.asks[:, feature], feature][0]
    low, high = variables.minimum[feature], variables.maximum[feature]
    for value, place in [
        (low, MARGIN),
        ((low + high) / 2, WIDTH / 2),
        (high, WIDTH - MARGIN),
    ]:
        found = sketch(variables, feature, condition, value, 0.0)
        assert lines_of(condition_svg(found, "#0072B2")) == [pytest.approx(place, abs=0.1)]
    beyond = lines_of(condition_svg(sketch(variables, feature, condition, 99.0, 0.0), "#000000"))
    assert WIDTH - MARGIN < beyond[0] < WIDTH
    missing = sketch(variables, feature, condition, np.nan, np.nan)
    assert missing.value == "missing"
    assert lines_of(condition_svg(missing, "#000000")) == []


def test_categories_are_boxes_and_those_accepted_are_shaded(model):
    rules = model.rules_
    feature = rules.variables.feature_names.index("colour")
    condition = rules.conditions[rules.asks[:, feature], feature][0]
    accepted = set(rules.variables.words(feature, condition))
    found = sketch(rules.variables, feature, condition, 1.0, 1.0)
    page = Elements.of(condition_svg(found, "#0072B2"))
    boxes = page.attributes["rect"]
    assert len(boxes) == 3
    shaded = {name for name, is_in in found.categories if is_in}
    assert shaded == accepted
    assert sum(box["fill-opacity"] == ".25" for box in boxes) == len(accepted)
    assert found.value in page.texts


def test_an_explanation_draws_the_conditions_of_each_line_in_the_colour_of_its_class(model):
    frame, _ = random_table()
    explanation = model.explain(frame.iloc[[0]])
    html = explanation.to_html()
    page = Elements.of(html)
    lines = [entry.rule for entry in explanation.ledger(most=12) if entry.rule is not None]
    rules = model.rules_
    assert len(page.attributes["svg"]) == sum(len(rules.asked_features[rule]) for rule in lines)
    colours = {class_colour(int(rules.named_class[rule])) for rule in lines}
    drawn = {shape["fill"] for shape in page.attributes["polygon"] + page.attributes["rect"]}
    assert drawn <= colours
    assert "<no>" not in html
    assert not re.search(r"(?:fill|stroke)='(?:black|white|#000|#fff)", html)


def test_dates_and_grades_name_the_ends_of_their_ranges(model):
    variables = model.rules_.variables
    day = random_table()[0]["day"]
    days = tuple(str(end.date()) for end in (day.min(), day.max()))
    for name, ends in [("day", days), ("grade", ("L", "H"))]:
        feature = variables.feature_names.index(name)
        condition = variables.parse_condition(feature, None)
        value = variables.minimum[feature]
        assert sketch(variables, feature, condition, value, 0.0).ends == ends
