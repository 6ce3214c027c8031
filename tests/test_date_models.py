"""Classifiers of dates and durations: what they learn, tell, write and read."""

import json
import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from date_truth import DAY, in_pandas, since, truth
from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    UCSClassifier,
    load,
)
from fuzzyucs.deployment.description import to_numpy
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.times import TimeScale
from outcomes import outcome_of, outcomes
from pages import EVALUATE, as_json, plain


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "day": since("2012-01-01", rng.integers(0, 1500, n) * DAY),
            "at": since("2012-01-01", rng.integers(0, 1500 * DAY, n), "Europe/Berlin"),
            "wait": pd.to_timedelta(rng.integers(0, 400 * 3600, n), "s"),
            "x": rng.normal(size=n),
        }
    )
    late = (frame["day"] >= "2013-05-12") & (frame["wait"] <= pd.Timedelta(days=3, hours=4))
    frame.loc[::29, "day"] = pd.NaT
    return frame, np.where(late, "late", "early")


FRAME, Y = table()
ESTIMATORS = {
    "flagship": EvidentialRuleClassifier(random_state=0),
    "fuzzy": FuzzyUCSClassifier(epochs=3, random_state=0),
    "ucs": UCSClassifier(epochs=3, random_state=0),
}


@pytest.fixture(scope="module", params=ESTIMATORS)
def clf(request):
    return ESTIMATORS[request.param].fit(FRAME, Y)


@pytest.fixture(scope="module")
def flagship():
    return EvidentialRuleClassifier(random_state=0).fit(FRAME, Y)


def test_dates_are_learned(flagship):
    assert flagship.score(*table(seed=1)) > 0.96
    text = flagship.rules_.to_text()
    assert re.search(r"day is at least 2013-0\d-\d\d AND", text)
    assert re.search(r"wait is at most \d days?( \d+ hours?)? ", text)
    assert not re.search(r"(day|at|wait) is [^A]*(small|medium|large)", text)


def test_other_frames_have_the_same_dates(clf):
    for other in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME), FRAME.astype(object)):
        assert Columns.of(other) == clf.columns_
        assert_array_equal(clf.predict_proba(other), clf.predict_proba(FRAME))
    elsewhere = FRAME.assign(at=FRAME["at"].dt.tz_convert("Asia/Tokyo"))
    assert_array_equal(clf.predict_proba(elsewhere), clf.predict_proba(FRAME))


def test_a_missing_date_is_a_missing_value(clf):
    rows = FRAME.head(40).copy()
    rows["day"] = pd.NaT
    numbers = clf.check_table(FRAME.head(40))
    numbers[:, 0] = np.nan
    assert_array_equal(clf.check_table(rows), numbers)
    assert_array_equal(clf.check_table(rows.assign(day=None)), numbers)
    assert_array_equal(clf.check_table(rows.assign(day=np.nan)), numbers)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"day": 15_000.0}, "column 'day' must hold dates without a time zone as in .* got float"),
        ({"day": "2013-05-12"}, "column 'day' must hold dates .* got text .*to_datetime"),
        ({"wait": "3 days"}, "column 'wait' must hold durations .* got text .*to_timedelta"),
        ({"wait": pd.Timestamp("2013")}, "column 'wait' must hold durations .* got dates"),
        ({"day": pd.Timedelta(days=1)}, "column 'day' must hold dates .* got durations"),
        (
            {"day": pd.Timestamp("2013", tz="UTC")},
            "'day' must hold dates without .* got dates with",
        ),
        ({"at": pd.Timestamp("2013")}, "column 'at' must hold dates with a .* got dates without"),
        ({"x": pd.Timestamp("2013")}, "column 'x' must hold numbers as in .* got dates"),
        ({"x": pd.Timedelta(hours=1)}, "column 'x' must hold numbers as in .* got durations"),
    ],
)
def test_columns_that_hold_something_else_are_named(clf, change, message):
    with pytest.raises(ValueError, match=message):
        clf.predict(FRAME.assign(**change))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [datetime(2013, 5, 12), datetime(2013, 5, 12, tzinfo=ZoneInfo("UTC"))],
            "time zone or none",
        ),
        ([date(2013, 5, 12), timedelta(1)], "column 'x' must hold dates alone, got a mixture"),
        ([timedelta(1), date(2013, 5, 12)], "'x' must hold durations alone, got a mixture of date"),
        ([date(2013, 5, 12), "2013-05-13"], "column 'x' must hold dates alone, got a mixture"),
        ([time(12), time(13)], "column 'x' holds times of day such as '12:00:00'"),
        (np.array([0, 10**13], dtype="M8[s]"), "column 'x' must not hold dates outside the years"),
    ],
)
def test_mixed_and_strange_columns_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Columns.of(pd.DataFrame({"x": pd.Series(values, dtype=getattr(values, "dtype", object))}))


def test_explanations_tell_dates(flagship):
    row = FRAME.iloc[[3]]
    explanation = flagship.explain(row)
    assert explanation.record["day"] == FRAME["day"][3]
    assert explanation.record["at"] == FRAME["at"][3]
    assert explanation.record["wait"] == FRAME["wait"][3]
    assert f"day {FRAME['day'][3]:%Y-%m-%d} is " in explanation.to_text()
    found = json.loads(json.dumps(explanation.to_dict()))
    assert found["record"]["day"] == str(FRAME["day"][3])


def test_flips_to_dates_are_true(clf):
    n_found = 0
    for row in range(1, 60):
        own = outcomes(clf, FRAME.iloc[[row]])[0]
        for flip in clf.explain(FRAME.iloc[[row]]).flips:
            if flip.feature == "x" or flip.kind != "change":
                continue
            changed = FRAME.iloc[[row]].copy()
            changed[flip.feature] = flip.other
            assert outcomes(clf, changed)[0] == outcome_of(flip) != own
            text = flip.text.rpartition(" -> ")[2]
            assert in_pandas(text, FRAME[flip.feature]) == flip.other
            if flip.feature == "day":
                assert re.fullmatch(r"day \d{4}-\d\d-\d\d -> \d{4}-\d\d-\d\d", flip.text)
            n_found += 1
    assert n_found or clf is not ESTIMATORS["flagship"]


def test_flips_of_missing_dates_are_true(flagship):
    """A record with few hours under way depends on the day, which is not known."""
    row = FRAME.iloc[[0]].assign(wait=pd.Timedelta(hours=5), day=pd.NaT)
    own = outcomes(flagship, row)[0]
    (flip,) = [f for f in flagship.explain(row).flips if f.kind == "known" and f.feature == "day"]
    said = flip.text.removeprefix("day (missing) -> ")
    assert re.fullmatch(r"(at least|at most) \d{4}-\d\d-\d\d", said)
    days = pd.Series(pd.date_range("2012-01-01", "2016-02-01"))
    answers = outcomes(flagship, pd.concat([row] * len(days)).assign(day=days.to_numpy()))
    assert outcome_of(flip) != own
    assert_array_equal(truth(said, days), answers == outcome_of(flip))


def test_rules_are_counted_as_pandas_counts(flagship):
    rules = flagship.rules_
    held = rules.variables.holds(rules.conditions, flagship.check_table(FRAME))
    for index in range(len(rules)):
        expected = np.ones(len(FRAME), dtype=bool)
        for part in rules.condition(index).split(" AND "):
            name, _, said = part.partition(" is ")
            if name in ("day", "at", "wait"):
                expected &= truth(said, FRAME[name])
            elif name == "x":
                expected &= rules.variables.holds(
                    np.where(np.arange(4) == 3, rules.conditions[[index]], _every(rules)),
                    flagship.check_table(FRAME),
                )[:, 0]
        assert_array_equal(held[:, index], expected, err_msg=rules.condition(index))


def _every(rules):
    return np.array([(1 << int(n)) - 1 for n in rules.variables.n_terms], dtype=np.uint64)


def test_model_files_keep_dates(clf, tmp_path):
    path = clf.save(tmp_path / "model.json")
    again = load(path)
    assert again.columns_ == clf.columns_
    assert again.rules_.to_text() == clf.rules_.to_text()
    assert_array_equal(again.predict_proba(FRAME), clf.predict_proba(FRAME))
    document = json.loads(path.read_text())
    assert document["columns"][1] == {
        "feature": 1,
        "time": {"kind": "date", "unit": "second", "zone": "Europe/Berlin"},
    }


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ({"kind": "hour", "unit": "day", "zone": None}, "kind must be one of date, duration"),
        ({"kind": "date", "unit": "week", "zone": None}, "unit must be one of day, hour"),
        ({"kind": "date", "unit": "day", "zone": "Mars/Base"}, "zone must be a time zone that"),
        ({"kind": "duration", "unit": "day", "zone": "UTC"}, "zone must be null"),
        ({"kind": "date", "unit": "day"}, r"must have the keys \['zone'\]"),
    ],
)
def test_wrong_times_in_files_are_refused(time, message, tmp_path):
    clf = ESTIMATORS["ucs"].fit(FRAME, Y)
    path = clf.save(tmp_path / "model.json")
    document = json.loads(path.read_text())
    document["columns"][0]["time"] = time
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message):
        load(path)


def test_exports_take_seconds(clf):
    numbers = np.column_stack(
        [
            *(
                (FRAME[name] - pd.Timestamp(0, tz=zone)) / pd.Timedelta(seconds=1)
                for name, zone in (("day", None), ("at", "UTC"))
            ),
            FRAME["wait"] / pd.Timedelta(seconds=1),
            FRAME["x"],
        ]
    )
    model = to_numpy(clf)
    assert model.features[0]["time"] == {"kind": "date", "unit": "day", "zone": None}
    assert_allclose(model.predict_proba(numbers), clf.predict_proba(FRAME), rtol=0, atol=1e-9)


def test_onnx_tells_the_unit(flagship):
    pytest.importorskip("onnx")
    from fuzzyucs.onnx import to_onnx

    properties = {p.key: json.loads(p.value) for p in to_onnx(flagship).metadata_props}
    assert properties["times"]["wait"] == {"kind": "duration", "unit": "second", "zone": None}


def test_intervals_may_be_asked_for_in_dates():
    variables = ESTIMATORS["ucs"].fit(FRAME, Y).rules_.variables
    condition = variables.parse_condition(0, ("2013-05-12", None))
    assert variables.describe(0, condition) == "day >= 2013-05-12"
    with pytest.raises(ValueError, match=r"range of 'day', 2012-01-0. to 2016-02-0"):
        variables.parse_condition(0, ("1999-01-01", "2000-01-01"))


def test_conditions_that_are_no_dates_are_refused(flagship):
    with pytest.raises(ValueError, match="'day' must be ranges of dates such as 'at most 2013"):
        flagship.rules_.variables.parse_condition(0, "at least 5")
    with pytest.raises(ValueError, match=r"near it there is \d{4}-\d\d-\d\d"):
        flagship.rules_.variables.parse_condition(0, "at least 2012-01-02 00:00:01")


def test_tables_in_files_are_read_as_the_model_asks(flagship, tmp_path):
    from fuzzyucs.cli.inputs import features_for
    from fuzzyucs.cli.tables.file import read_table
    from fuzzyucs.cli.tables.reader import TableReader

    shown = FRAME.head(50).copy()
    scales = flagship.columns_.times
    for feature, name in enumerate(["day", "at", "wait"]):
        seconds = flagship.check_table(FRAME.head(50))[:, feature]
        shown[name] = [None if np.isnan(v) else scales[feature].write(v) for v in seconds]
    path = tmp_path / "table.csv"
    shown.to_csv(path, index=False)
    found = features_for(flagship, TableReader(read_table(path)))
    assert_array_equal(flagship.check_table(found), flagship.check_table(FRAME.head(50)))
    shown["day"] = "soon"
    shown.to_csv(path, index=False)
    with pytest.raises(
        ValueError, match=r"column 'day', row 1 .line 2.: expected a date such as .* 'soon'"
    ):
        features_for(flagship, TableReader(read_table(path)))


def test_axes_have_dates(flagship):
    from matplotlib.figure import Figure

    from fuzzyucs.plots import PartitionDisplay

    figure = Figure()
    display = PartitionDisplay.from_estimator(
        flagship, FRAME, ["day", "wait"], ax=figure.subplots()
    )
    figure.canvas.draw()
    texts = [[t.get_text() for t in ax.get_xticklabels()] for ax in display.axes_]
    assert {"2012-01-01", "2014-01-01", "2016-01-01"} >= set(texts[0])
    assert len(texts[0]) > 1
    assert "5 days" in texts[1]


# The page


def test_the_page_writes_and_reads_dates(flagship, open_page):
    page = open_page(flagship, FRAME, Y)
    rng = np.random.default_rng(3)
    scales = [
        TimeScale("date", "second"),
        TimeScale("date", "microsecond", "America/New_York"),
        TimeScale("date", "hour", "Europe/Berlin"),
        TimeScale("date", "day", "+05:30"),
        TimeScale("duration", "microsecond"),
        TimeScale("duration", "day"),
    ]
    values = [
        *(rng.integers(-(10**15), 4 * 10**15, 150) / 1e6).tolist(),
        *(rng.integers(-40_000, 40_000, 50) * 86_400.0).tolist(),
        *(1603584000 + rng.integers(0, 48, 30) * 1800.0).tolist(),  # clocks are put back
        *(1585440000 + rng.integers(0, 48, 30) * 1800.0).tolist(),  # and forward
        0.0,
    ]
    for scale in scales:
        shown = page.evaluate(
            """([time, values]) => values.map((value) => [writeTime(time, value, false),
                writeTime(time, value, true), roundTime(time, value, false, "day"),
                roundTime(time, value, true, "hour"),
                roundTime(time, value, true, "millisecond")])""",
            [scale.as_dict(), values],
        )
        expected = [
            [
                scale.write(value),
                scale.write(value, is_end=True),
                scale.rounded(value, "day"),
                scale.rounded(value, "hour", up=True),
                scale.rounded(value, "millisecond", up=True),
            ]
            for value in values
        ]
        assert shown == expected


def test_the_page_tells_flips_to_dates(flagship, open_page):
    page = open_page(flagship, FRAME, Y)
    rows = flagship.check_table(FRAME.iloc[:12])
    for found, row in zip(page.evaluate(EVALUATE, as_json(rows)), range(12), strict=True):
        expected = [str(flip) for flip in flagship.explain(FRAME.iloc[[row]]).flips]
        assert [plain(flip["words"]) for flip in found["flips"]] == expected


def test_dates_are_typed_into_the_page(flagship, open_page):
    page = open_page(flagship, FRAME, Y)
    boxes = [
        page.locator(f"[data-feature='{f}'] input:not([type=range], [type=checkbox])")
        for f in range(3)
    ]
    assert [box.get_attribute("type") for box in boxes] == ["date", "datetime-local", "text"]
    boxes[0].fill("2013-05-12")
    boxes[1].fill("2013-05-12T14:30:05")
    boxes[2].fill("3 days 4 hours")
    scales = flagship.columns_.times
    expected = [
        scales[f].read(text)
        for f, text in enumerate(["2013-05-12", "2013-05-12 14:30:05", "3 days 4 hours"])
    ]
    assert page.evaluate("WHAT_IF.record.slice(0, 3)") == expected
