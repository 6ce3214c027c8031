"""Units, labels, examples and shapes of images: what the page says, and what is refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.report import report_page
from fuzzyucs.report.examples import chosen_rows, example_records
from fuzzyucs.report.naming import with_unit
from pages import table_of_categories

FRAME, Y = load_iris(return_X_y=True, as_frame=True)
FRAME.columns = ["sepal length", "sepal width", "petal length", "petal width"]
NAMES = {0: "setosa", 1: "versicolor", 2: "virginica"}
NO_RECORD = "holds the model and counts of the data, but no record of them, and loads nothing"


@pytest.fixture(scope="module")
def clf():
    return EvidentialRuleClassifier(random_state=0).fit(FRAME, Y)


@pytest.fixture(scope="module")
def mixed():
    frame, y = table_of_categories()
    frame["day"] = pd.date_range("2020-01-01", periods=len(frame))
    return EvidentialRuleClassifier(random_state=0, penalty=20.0).fit(frame, y), frame, y


def data_in(page):
    (text,) = re.findall('<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(text)


@pytest.mark.parametrize(
    "model",
    [
        EvidentialRuleClassifier(random_state=0),
        FuzzyUCSClassifier(epochs=2, random_state=0),
        UCSClassifier(epochs=2, random_state=0),
    ],
    ids=["evidential", "fuzzy", "ucs"],
)
def test_units_and_labels_are_in_the_texts_of_rules(model):
    model.fit(FRAME, Y)
    units = {"petal width": "cm", "sepal length": "mm"}
    labels = {**NAMES, "petal width": "width of petals"}
    plain = data_in(report_page(model, FRAME, Y))["model"]
    named = data_in(report_page(model, FRAME, Y, units=units, labels=labels))["model"]
    assert named["classes"] == list(NAMES.values())
    assert [f["name"] for f in named["features"]][3] == "width of petals"
    assert named["features"][3]["column"] == "petal width"
    assert [f.get("unit") for f in named["features"]] == ["mm", None, None, "cm"]
    n_units = 0
    for before, after in zip(plain["rules"], named["rules"], strict=True):
        assert " AND ".join(after["texts"]) == after["text"] or after["text"] == "anything"
        back = re.sub(r"(?<=\d) (cm|mm)(?=\)| AND|\}|$)", "", after["text"])
        assert back.replace("width of petals", "petal width") == before["text"]
        n_units += len(re.findall(r"\d (?:cm|mm)\b", after["text"]))
        assert "petal width" not in after["text"]
    assert n_units > 0 or isinstance(model, FuzzyUCSClassifier)  # which names terms, not numbers


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("age is at most medium (<= 49)", "age is at most medium (<= 49 y)"),
        ("age is small to large (1.5 to 7e-05)", "age is small to large (1.5 to 7e-05 y)"),
        ("age is 5 to 25 or at least 85", "age is 5 to 25 or at least 85 y"),
        ("-4.9 < age < 5.0", "-4.9 < age < 5.0 y"),
        ("age = 3", "age = 3 y"),
        ("children is {0, 2}", "children is {0, 2 y}"),
        ("children is not 3", "children is not 3 y"),
        ("age is {small, large}", "age is {small, large}"),
        ("x1 is large", "x1 is large"),
        ("age is level 3", "age is level 3"),
        ("age is missing", "age is missing"),
    ],
)
def test_a_unit_stands_behind_the_last_number(condition, expected):
    assert with_unit(condition, "y") == expected
    assert with_unit(condition, "") == condition
    backslash = with_unit("x <= 3", r"\1")  # is a text, not a pattern
    assert backslash == r"x <= 3 \1"


def test_a_page_without_labels_is_as_before(clf):
    written = r'"written":"[^"]*"'
    first, second = (
        re.sub(written, "", page)
        for page in (
            report_page(clf, FRAME, Y),
            report_page(clf, FRAME, Y, units={}, labels={}, examples=None),
        )
    )
    assert first == second
    texts = [rule["text"] for rule in data_in(report_page(clf, FRAME, Y))["model"]["rules"]]
    assert texts == [clf.rules_.condition(rule) for rule in range(len(clf.rules_))]


def test_base_rates_have_the_labels():
    model = EvidentialRuleClassifier(random_state=0, penalty=20.0, class_weight="balanced")
    model.fit(FRAME[40:], Y[40:])
    card = data_in(report_page(model, FRAME, Y, labels=NAMES))["card"]
    assert "of its rows: setosa 9.1 %, versicolor 45 %, virginica 45 %" in card["base_rates_are"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": {"petal lenght": "cm"}}, "no feature 'petal lenght'; did you mean 'petal len"),
        ({"units": {9: "cm"}}, "units must name features by name or number, got 9"),
        ({"units": {"petal width": ""}}, "'petal width' must have a text, got ''"),
        ({"units": {"petal width": 3}}, "'petal width' must have a text, got 3"),
        ({"units": {"petal width": "cm", 3: "mm"}}, "'petal width' is named twice"),
        ({"units": ["cm"]}, "units must be a dict, got list"),
        ({"labels": {3: "x"}}, "labels: 3 is neither a class nor a feature"),
        ({"labels": {"0": "x"}}, "labels: '0' is neither a class nor a feature; did you mean 0"),
        ({"labels": {"petal widht": "x"}}, "did you mean 'petal width'?"),
        ({"labels": {0: "class 1"}}, "two classes would be shown as 'class 1'"),
        ({"labels": {"petal width": "petal length"}}, "two features would be shown as 'petal l"),
        ({"labels": {0: " "}}, "0 must have a text"),
        ({"examples": 0}, "from 1 to 150, got 0"),
        ({"examples": 151}, "from 1 to 150, got 151"),
        ({"examples": True}, "a number of records, or a table of them, got True"),
        ({"examples": "all"}, "a number of records, or a table of them, got 'all'"),
        ({"examples": FRAME.iloc[:, :2]}, "feature"),
        ({"image_shape": (2, 3)}, r"image_shape \(2, 3\) has 6 pixels, but the model has 4 feat"),
        ({"image_shape": (2, 2, 3)}, "images in colour are not supported"),
        ({"image_shape": 4}, r"must be \(rows, columns\), such as \(8, 8\), got 4"),
        ({"image_shape": "22"}, "must be"),
        ({"image_shape": (4,)}, "must be"),
        ({"image_shape": (-2, -2)}, "must be"),
        ({"image_shape": (2.0, 2.0)}, "must be"),
    ],
)
def test_wrong_options_are_refused_by_name(clf, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        report_page(clf, FRAME, Y, **options)


def test_only_numbers_have_units_and_are_pixels(mixed):
    clf, frame, y = mixed
    for name, kind in (("colour", "categories"), ("day", "dates or durations")):
        with pytest.raises(ValueError, match=f"units: '{name}' holds {kind}, not numbers"):
            report_page(clf, frame, y, units={name: "kg"})
    with pytest.raises(ValueError, match=r"image_shape needs features .* 'size' holds categories"):
        report_page(clf, frame, y, image_shape=(1, 5))


def test_a_label_that_names_a_class_and_a_feature_is_refused():
    X = pd.DataFrame({"ill": np.arange(40.0), "b": np.arange(40.0) % 7})
    y = np.where(X["ill"] > 20, "ill", "well")
    clf = EvidentialRuleClassifier(random_state=0, penalty=20.0).fit(X, y)
    with pytest.raises(ValueError, match="'ill' names both a class and a feature"):
        report_page(clf, X, y, labels={"ill": "sick"})


def test_records_are_in_the_page_only_if_asked_for(clf):
    page = report_page(clf, FRAME, Y)
    assert NO_RECORD in page
    assert data_in(page)["examples"] == []
    page = report_page(clf, FRAME, Y, examples=4, labels=NAMES)
    assert NO_RECORD not in page
    assert "the model, counts of the data and 4 example records, and loads nothing" in page
    found = data_in(page)["examples"]
    assert len(found) == 4
    for example in found:
        row, label = re.fullmatch(r"Row (\d+), true class (\w+)", example["name"]).groups()
        assert FRAME.iloc[int(row) - 1].tolist() == example["record"]
        assert NAMES[Y[int(row) - 1]] == label
    assert "1 example record," in report_page(clf, FRAME, Y, examples=1)


def test_examples_are_sorted_and_named_as_the_table_has_them(clf):
    shuffled = np.random.default_rng(3).permutation(len(FRAME))
    X, y = FRAME.iloc[shuffled], np.asarray(Y)[shuffled]

    def named(X, **options):
        found = example_records(clf, X, y, 5, ["a", "b", "c"], **options)
        return [example["name"] for example in found], [example["record"] for example in found]

    for numbers, own in ((shuffled + 1, X.reset_index(drop=True)), (shuffled, X)):
        names, records = named(own, **({} if own is X else {"row_numbers": numbers}))
        rows = [int(re.fullmatch(r"Row (\d+), true class [abc]", name)[1]) for name in names]
        assert rows == sorted(rows)
        table = FRAME.set_axis(np.sort(numbers))
        assert records == table.loc[rows].to_numpy().tolist()
    names, records = named(X.set_axis([f"patient {row}" for row in shuffled]))
    rows = [int(re.fullmatch(r"patient (\d+), true class [abc]", name)[1]) for name in names]
    assert records == FRAME.loc[rows].to_numpy().tolist()


def test_examples_may_be_a_table(mixed):
    clf, frame, y = mixed
    chosen = frame.iloc[[3, 5]].assign(weight=[1.5, np.nan])
    chosen.index = ["Anna", "<b>Bert</b>"]
    found = data_in(report_page(clf, frame, y, examples=chosen))["examples"]
    assert [example["name"] for example in found] == ["Anna", "<b>Bert</b>"]
    np.testing.assert_array_equal(
        np.array([example["record"] for example in found], dtype=float), clf.check_table(chosen)
    )
    assert found[1]["record"][2] is None
    unnamed = data_in(report_page(clf, frame, y, examples=frame[:2]))["examples"]
    assert [example["name"] for example in unnamed] == ["Record 1", "Record 2"]


def test_classes_take_turns_among_examples():
    labels = np.repeat([0, 2, 1], [50, 3, 10])
    rows = chosen_rows(labels, 12)
    assert len(set(rows.tolist())) == 12
    assert labels[rows].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0]
    assert sorted(chosen_rows(labels, 63).tolist()) == list(range(63))
    own = rows[labels[rows] == 0]
    assert own[-1] - own[0] > 30  # from all over the table
