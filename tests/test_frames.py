"""Data frames of all kinds: categories are terms, numbers stay numbers, mistakes are named."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal
from sklearn.model_selection import cross_val_score

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    RejectOption,
    UCSClassifier,
    plots,
)
from fuzzyucs.variables.columns import CategoryColumn, ColumnError, NumberColumn
from fuzzyucs.variables.frame_of import frame_of
from fuzzyucs.variables.frames import Columns

SIZES, COLOURS = ["S", "M", "L", "XL"], ["blue", "green", "red"]


def make_frame(n=240):
    rng = np.random.default_rng(0)
    colour = rng.choice([*COLOURS, None], n, p=[0.3, 0.3, 0.395, 0.005])
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(rng.choice(SIZES, n), categories=SIZES, ordered=True),
            "colour": colour,
            "weight": rng.normal(size=n),
            "old": rng.random(n) < 0.5,
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
        }
    )
    frame.loc[3, "count"] = pd.NA
    signal = (colour == "red") & (frame["size"] >= "L") | (frame["weight"] > 1) & frame["old"]
    return frame, np.where(signal, "yes", "no")


FRAME, Y = make_frame()
CODED = pd.DataFrame(
    {
        "size": FRAME["size"].cat.codes.astype(float),
        "colour": FRAME["colour"].map({label: i for i, label in enumerate(COLOURS)}),
        "weight": FRAME["weight"],
        "old": FRAME["old"].astype(float),
        "count": FRAME["count"].astype("Float64").to_numpy(dtype=float, na_value=np.nan),
    }
)
KINDS = {
    "object": FRAME.astype({"colour": object}),
    "string": FRAME.astype({"colour": "string"}),
    "category": FRAME.astype({"colour": "category"}),
    "nullable": FRAME.astype({"weight": "Float64", "old": "boolean"}),
    "arrow types": FRAME.astype({"weight": "double[pyarrow]", "old": "bool[pyarrow]"}),
    "polars": pl.from_pandas(FRAME.astype({"size": str})).with_columns(
        pl.col("size").cast(pl.Enum(SIZES))
    ),
    "polars categorical": pl.from_pandas(FRAME.astype({"size": str})).with_columns(
        pl.col("size").cast(pl.Enum(SIZES)), pl.col("colour").cast(pl.Categorical)
    ),
    "arrow": pa.Table.from_pandas(FRAME),
    "arrow, in chunks": pa.concat_tables(
        [pa.Table.from_pandas(FRAME[:100]), pa.Table.from_pandas(FRAME[100:])]
    ),
}


@pytest.fixture(scope="module")
def clf():
    return EvidentialRuleClassifier(random_state=0).fit(FRAME, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_gives_the_same_model(kind, clf):
    X = KINDS[kind]
    found = EvidentialRuleClassifier(random_state=0).fit(X, Y)
    assert found.rules_.to_json() == clf.rules_.to_json()
    assert found.feature_names_in_.tolist() == list(FRAME.columns)
    assert_array_equal(found.predict_proba(X), clf.predict_proba(FRAME))
    assert_array_equal(clf.predict_proba(X), found.predict_proba(FRAME))
    assert_array_equal(found.predict_evidence(X).novelty, clf.predict_evidence(FRAME).novelty)


def test_categories_are_coded_as_one_would_by_hand(clf):
    assert_array_equal(clf.columns_.numbers(FRAME).to_numpy(), CODED.to_numpy())
    by_hand = EvidentialRuleClassifier(
        random_state=0,
        nominal_features=["colour", "old"],
        partition={"size": {label: code for code, label in enumerate(SIZES)}},
    ).fit(CODED, Y)
    assert_array_equal(by_hand.rules_.conditions, clf.rules_.conditions)
    assert_array_equal(by_hand.predict_proba(CODED), clf.predict_proba(FRAME))


def test_rules_name_categories(clf):
    text = clf.rules_.to_text()
    assert "colour is red" in text or "colour is blue or green" in text
    assert "size is at least L" in text or "size is at most M" in text
    assert "old is" in text
    assert "size is at least L (" not in text, "codes mean nothing to people"
    words = EvidentialRuleClassifier(random_state=0).fit(FRAME[["colour", "size"]], Y).rules_
    assert set(words.variables.terms(0)) == set(COLOURS)
    frame = FuzzyUCSClassifier(epochs=3, random_state=0).fit(FRAME, Y).rules_.to_text()
    assert "colour is {" in frame


def test_ordered_categories_stay_ordered(clf):
    sizes = clf.rules_.conditions[:, 0]
    assert not clf.rules_.variables.is_nominal[0]
    assert clf.rules_.variables.is_nominal[[1, 3]].all()
    for condition in sizes.tolist():
        shifted = condition // (condition & -condition)
        assert shifted & (shifted + 1) == 0, "a run of neighbours"


def test_unknown_categories_are_missing(clf):
    strange, unknown = FRAME.copy(), FRAME.copy()
    strange["colour"], unknown["colour"] = "purple", None
    assert_array_equal(clf.predict_proba(strange), clf.predict_proba(unknown))
    strange, unknown = FRAME.astype({"size": object}), FRAME.astype({"size": object})
    strange["size"], unknown["size"] = "XXL", None
    assert_array_equal(clf.predict_proba(strange), clf.predict_proba(unknown))
    told = clf.explain(strange.iloc[[0]])
    assert told.not_seen == ["size"]
    assert told.missing == []


def test_explanations_show_categories(clf):
    record = {"size": "L", "colour": "red", "weight": 0.0, "old": True, "count": 3}
    explanation = clf.explain(record)
    assert explanation.prediction == "yes"
    assert explanation.record == record
    text = str(explanation)
    assert "colour red is" in text
    flips = {flip.feature: flip for flip in explanation.flips if flip.kind != "missing"}
    assert (flips["size"].value, flips["size"].other) == ("L", "M")
    assert flips["size"].distance == pytest.approx(1 / 3)
    assert flips["colour"].other in ("blue", "green")
    assert explanation.to_dict()["record"]["colour"] == "red"
    assert str(flips["size"]) == "size L -> M gives no"
    row = clf.explain(FRAME.iloc[5])  # a row of a pandas frame
    assert row.record["colour"] == FRAME["colour"][5]


def test_reasons_show_categories():
    rng = np.random.default_rng(0)
    animal = rng.choice(["mouse", "cow"], 400)
    weight = np.where(animal == "cow", rng.normal(600, 50, 400), rng.normal(0.02, 0.003, 400))
    X = pd.DataFrame({"animal": animal, "weight": weight})
    clf = EvidentialRuleClassifier(random_state=0).fit(X, rng.random(400) < 0.5)
    strange = pd.DataFrame({"animal": ["mouse"], "weight": [600.0]})
    (reason,) = clf.support_.reasons(clf.columns_.numbers(strange).to_numpy()[0], most=1)
    assert str(reason) in ("weight 600 given animal mouse", "animal mouse given weight 600")


def test_crisp_rules_take_what_has_an_order():
    X = FRAME.drop(columns="colour")
    clf = UCSClassifier(epochs=5, random_state=0).fit(X, Y)
    text = clf.rules_.to_text()
    assert "size is S or M" in text or "size is L or XL" in text or "size is M or L" in text
    assert "old is True" in text
    codes = CODED.drop(columns="colour")
    assert_array_equal(
        clf.predict(X), UCSClassifier(epochs=5, random_state=0).fit(codes, Y).predict(codes)
    )
    with pytest.raises(ValueError, match="'colour' holds categories without order"):
        UCSClassifier().fit(FRAME, Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": "heavy"}, "column 'weight' must hold numbers as in the training data, got"),
        ({"colour": 2.0}, r"column 'colour' must hold categories .*\(blue, green, red\)"),
        (
            {"weight": pd.Timestamp("2026-01-01")},
            "column 'weight' must hold numbers .* got dates such as '2026-01-01'",
        ),
        (
            {"colour": pd.Timestamp("2026-01-01")},
            r"column 'colour' must hold categories \(blue, green, red\) .* got dates",
        ),
        ({"more": 1}, "unseen at fit time"),
    ],
)
def test_other_columns_than_in_training_are_named(clf, change, message):
    with pytest.raises(ValueError, match=message):
        clf.predict(FRAME.assign(**change))


def test_order_and_names_are_checked(clf):
    with pytest.raises(ValueError, match="same order"):
        clf.predict(FRAME[["colour", "size", "weight", "old", "count"]])
    with pytest.raises(ValueError, match="missing"):
        clf.predict(FRAME.drop(columns="old"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([datetime.time(12)] * 240, "column 'x' holds times of day .* derive numbers"),
        (
            [1, "a"] * 120,
            "'x' must hold numbers, text, dates or durations alone, got a mixture of int, str",
        ),
        ([{}] * 240, "column 'x' must hold numbers, text, dates or durations alone, got dict"),
        ([[1, 2]] * 240, "column 'x' must hold numbers, text, dates or durations alone, got list"),
        ([1.0, np.inf] * 120, r"column 'x' must hold .* got infinity \(inf\) in row 1"),
        ([0, -(10**400)] * 120, r"column 'x' must hold .* got infinity \(-inf\) in row 1"),
        (pd.Categorical([1, "1"] * 120), "column 'x' has categories that look alike"),
    ],
)
def test_columns_that_cannot_be_used_are_named(column, message):
    with pytest.raises(ValueError, match=message):
        EvidentialRuleClassifier().fit(FRAME.assign(x=column), Y)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.set_axis(["size", "colour", "old", "size", "weight"], axis=1), "got 'size' more"),
        (pa.table([list(range(240))] * 2, names=["x", "x"]), "got 'x' more than once"),
        (FRAME[[]], "at least one column"),
        (pl.DataFrame({"x": range(240)}).lazy(), "got a LazyFrame; call its collect"),
    ],
)
def test_frames_that_cannot_be_used_are_refused(frame, message):
    with pytest.raises((ValueError, TypeError), match=message):
        EvidentialRuleClassifier().fit(frame, Y)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_to_predict_are_named(clf, value):
    with pytest.raises(ColumnError, match=r"column 'count' must hold finite numbers .* in row 0"):
        clf.predict(FRAME.assign(count=value))


def test_infinite_values_to_measure_rules_on_are_named(clf):
    with pytest.raises(ColumnError, match=r"column 'weight' must hold finite numbers .* in row 0"):
        clf.rules_.quality(FRAME.assign(weight=np.inf), Y)


def test_files_name_the_column_whose_categories_they_cannot_hold(tmp_path):
    X = FRAME.assign(x=pd.cut(FRAME["weight"], 3))
    clf = EvidentialRuleClassifier(random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="those of column 'x' are of type Interval"):
        clf.save(tmp_path / "model.json")


def test_evolution_needs_a_term_for_each_category():
    X = FRAME.assign(x=[f"id {i}" for i in range(240)])
    message = "column 'x' has 240 categories, at most 64 are possible .* EvidentialRuleClassifier"
    with pytest.raises(ColumnError, match=message):
        FuzzyUCSClassifier(epochs=1).fit(X, Y)


def test_categories_that_are_dates_are_refused():
    X = FRAME.assign(x=pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01"] * 120)))
    with pytest.raises(ColumnError, match=r"column 'x' holds dates .*2020-01-01.* as categories"):
        Columns.of(X)


def test_unknown_dates_in_place_of_categories_are_missing(clf):
    dates, unknown = FRAME.copy(), FRAME.copy()
    dates["colour"], unknown["colour"] = pd.Series([pd.NaT] * len(FRAME)), None
    assert_array_equal(clf.predict_proba(dates), clf.predict_proba(unknown))


def test_numbers_may_come_as_categories(clf):
    X = FRAME.astype({"count": "category"})
    assert_array_equal(clf.predict_proba(X), clf.predict_proba(FRAME))
    with pytest.raises(ColumnError, match=r"'count' must hold numbers .*such as 'few'"):
        clf.predict(FRAME.assign(count=pd.Categorical(["few"] * len(FRAME))))


def test_nothing_in_a_dictionary_of_arrow_is_missing():
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), ["red", None, "blue"])
    X = pa.table({"colour": codes})
    columns = Columns.of(X)
    assert columns.categories[0].labels == ("red", "blue")
    found = columns.numbers(X)["colour"].to_numpy(zero_copy_only=False)
    assert_array_equal(found, [0, np.nan, 1, np.nan])


def test_types_of_columns_decide(monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.frames._ObjectColumn", None)  # which inspects values
    codes = CategoryColumn("code", ("10", "20"), np.array([1, -1, 0]))
    size = CategoryColumn("size", ("S", "M", "L"), np.array([0, 2, 2]), is_ordered=True)
    X = frame_of([codes, NumberColumn("height", np.array([1.5, 2.0, np.nan])), size])
    assert list(map(str, X.dtypes)) == ["category", "float64", "category"]
    columns = Columns.of(X)
    assert columns.categories == {0: codes.categories(), 2: size.categories()}
    assert columns.categories[2].labels == ("S", "M", "L")
    assert_array_equal(columns.numbers(X), [[1, 1.5, 0], [np.nan, 2.0, 2], [0, np.nan, 2]])


def test_times_of_day_in_other_frames_are_refused():
    times = [datetime.time(i % 24) for i in range(240)]
    for frame in (pl.DataFrame({"x": times}), pa.table({"x": times})):
        with pytest.raises(ValueError, match="times of day"):
            EvidentialRuleClassifier().fit(frame, Y)


def test_peaks_for_categories_are_refused():
    with pytest.raises(ValueError, match="peaks for 'colour', which holds categories"):
        EvidentialRuleClassifier(partition={"colour": [0, 1]}).fit(FRAME, Y)


def test_text_that_is_numbers_stays_numbers():
    X = pd.DataFrame({"x": ["1.5", "2", None] * 20, "z": np.arange(60.0)})
    assert Columns.of(X).categories == {}
    assert_array_equal(Columns.of(X).numbers(X)["x"][:3], [1.5, 2, np.nan])


def test_categories_without_rows_and_empty_columns_are_no_problem():
    X = FRAME.assign(
        empty=pd.Series([None] * len(FRAME), dtype=object),
        one=pd.Categorical(["a"] * len(FRAME), categories=["a", "b"]),
        declared=pd.Categorical(["b"] * len(FRAME), categories=["a", "b"], ordered=True),
    )
    clf = EvidentialRuleClassifier(random_state=0).fit(X, Y)
    assert clf.columns_.categories[6].labels == ("a",)
    assert clf.columns_.categories[7].labels == ("a", "b")
    assert clf.score(X, Y) > 0.9


def test_tools_of_rules_take_frames(clf):
    assessed = clf.rules_.assess(FRAME, Y)
    by_hand = clf.rules_.assess(CODED.to_numpy(), Y)
    assert_array_equal(assessed.class_experience, by_hand.class_experience)
    assert len(clf.rules_.quality(FRAME, Y)) == len(clf.rules_)


def test_other_tools_take_frames(clf, tmp_path):
    assert cross_val_score(EvidentialRuleClassifier(random_state=0), FRAME, Y, cv=3).min() > 0.8
    reject = RejectOption(clf, target_coverage=0.8, reject_label="?", cv="prefit").fit(FRAME, Y)
    assert set(reject.predict(FRAME)) <= {"yes", "no", "?"}
    figure = Figure(figsize=(8, 6))
    plots.PartitionDisplay.from_estimator(clf, FRAME, ax=figure.subplots())
    plots.RuleHeatmapDisplay.from_estimator(clf, ax=Figure().subplots())
    plots.BeliefLandscapeDisplay.from_estimator(
        clf, FRAME, features=("weight", "count"), resolution=10, ax=Figure().subplots()
    )
    ordered = plots.BeliefLandscapeDisplay.from_estimator(
        clf, FRAME, features=("weight", "size"), y=Y, resolution=10, ax=Figure().subplots()
    )
    assert ordered.features[1].terms == tuple(SIZES)
    assert clf.report(FRAME, Y, tmp_path / "page.html").stat().st_size > 0


def test_pickles_remember_categories(clf):
    again = pickle.loads(pickle.dumps(clf))
    assert_array_equal(again.predict_proba(FRAME), clf.predict_proba(FRAME))


def test_batches_may_lack_categories():
    clf = FuzzyUCSClassifier(random_state=0, epochs=2)
    clf.partial_fit(FRAME[:100], Y[:100], classes=["no", "yes"])
    clf.partial_fit(FRAME[100:], Y[100:])
    with pytest.raises(ValueError, match="column 'weight' must hold numbers"):
        clf.partial_fit(FRAME.assign(weight="x"), Y)
    assert clf.score(FRAME, Y) > 0.5
