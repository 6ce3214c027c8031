"""Columns of dates and durations: texts about them are true, as pandas sees it."""

import re
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from date_truth import DAY, in_pandas, since, truth
from fuzzyucs import (
    IntervalVariables,
    LinguisticPartition,
)
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.times import TimeScale

N = 300
RNG = np.random.default_rng(4)

COLUMNS = {
    "days": since("2012-01-01", RNG.integers(0, 1500, N) * DAY),
    "few days": since("2024-02-27", RNG.integers(0, 4, N) * DAY),
    "seconds": since("2012-01-01", RNG.integers(0, 1500 * DAY, N)),
    "an hour": since("1969-12-31 23:30:00", RNG.integers(0, 3600, N)),
    "milliseconds": since("2012-01-01", RNG.integers(0, 5000, N) / 1000),
    "local days": pd.Series(
        pd.date_range("2020-01-01", periods=900, tz="Europe/Berlin")[RNG.integers(0, 900, N)]
    ),
    "local hours": since("2020-10-24", RNG.integers(0, 48, N) * 3600, "Europe/Berlin"),
    "offset": since("2020-01-01", RNG.integers(0, 400 * DAY, N), "+05:30"),
    "long ago": since("1702-03-04", RNG.integers(0, 900, N) * DAY),
    "durations": pd.Series(pd.to_timedelta(RNG.integers(-40, 400, N) * 3600, "s")),
    "short durations": pd.Series(pd.to_timedelta(RNG.integers(0, 4000, N), "ms")),
}


def truth_of_interval(text, column):
    """Tell for which values of a column "a <= x <= b" or a part of it is true."""
    low, high = pd.Series(data=True, index=column.index), pd.Series(data=True, index=column.index)
    if found := re.fullmatch(r"x = (.*)", text):
        return (column == in_pandas(found[1], column)).to_numpy()
    if found := re.fullmatch(r"(.*) < x < (.*)", text):
        return column.between(*(in_pandas(t, column) for t in found.groups()), "neither").to_numpy()
    if found := re.fullmatch(r"(?:(.*) <= )?x <= (.*)", text):
        high = column <= in_pandas(found[2], column)
    if found := re.fullmatch(r"x >= (.*)|(.*) <= x.*", text):
        low = column >= in_pandas(found[1] or found[2], column)
    return (low & high).to_numpy()


@pytest.mark.parametrize("way", ["uniform", "quantile", "values"])
@pytest.mark.parametrize("name", COLUMNS)
def test_texts_about_terms_are_true(name, way):
    column = COLUMNS[name].copy()
    column[::17] = None
    frame = column.to_frame("x")
    columns = Columns.of(frame)
    X = columns.values(frame)
    for n_terms in (3, 5, 12):
        partition = LinguisticPartition.of(
            X, ["x"], partition=way, n_terms=n_terms, nominal_features="auto", columns=columns
        )
        assert partition.has_order(0)
        n = int(partition.n_terms[0])
        every = {1 << t for t in range(n)} | {(1 << t) - 1 for t in range(1, n)} | {0b101}
        for condition in sorted(every - {(1 << n) - 1}):
            text = partition.describe_plain(0, condition).removeprefix("x is ")
            if " (" in text:  # terms that are values have names
                text = text.rpartition(" (")[2].removesuffix(")")
            if text.startswith("{"):
                continue
            held = partition.holds(np.array([[condition]], dtype=np.uint64), X)[:, 0]
            assert_array_equal(held, truth(text, column), err_msg=f"{text}")
            if way != "values":
                assert partition.parse_condition(0, text) == condition


@pytest.mark.parametrize("name", COLUMNS)
def test_borders_divide_rows_as_terms_do(name):
    frame = COLUMNS[name].to_frame("x")
    columns = Columns.of(frame)
    X = columns.values(frame)
    partition = LinguisticPartition.of(X, ["x"], partition="quantile", columns=columns)
    for t in range(int(partition.n_terms[0]) - 1):
        text = partition.describe_plain(0, (2 << t) - 1).removeprefix("x is ")
        at_most = partition.positions(X)[:, 0] <= t + 0.5
        assert_array_equal(truth(text, COLUMNS[name]), at_most, err_msg=text)


@pytest.mark.parametrize("name", COLUMNS)
def test_texts_about_intervals_are_true(name):
    frame = COLUMNS[name].to_frame("x")
    columns = Columns.of(frame)
    X = columns.values(frame)
    variables = IntervalVariables.of(X, ["x"], columns)
    positions = variables.positions(X)[:, 0]
    rng = np.random.default_rng(0)
    for low, high in np.sort(rng.choice(np.append(positions, rng.random(50)), (60, 2)), axis=1):
        if low == 0 and high == 1:
            continue
        text = variables.describe(0, (low, high))
        held = (positions >= low) & (positions <= high)
        assert_array_equal(truth_of_interval(text, COLUMNS[name]), held, err_msg=text)


def test_borders_are_whole_days_unless_rows_need_more():
    """Between 10:00 and 18:00 on one day there is no midnight, but there are hours."""
    times = ["2013-05-10", "2013-05-12 10:00", "2013-05-12 18:00", "2013-05-15"]
    frame = pd.DataFrame({"x": map(pd.Timestamp, times)})
    columns = Columns.of(frame)
    peaks = {"x": [datetime(2013, 5, 12, 8), datetime(2013, 5, 12, 20)]}
    X = columns.values(frame)
    partition = LinguisticPartition.of(X, ["x"], partition=peaks, columns=columns)
    assert partition.describe_plain(0, 0b01) == "x is at most 2013-05-12 14:00"
    peaks = {"x": ["2013-05-12 12:10", "2013-05-13 13:07"]}
    partition = LinguisticPartition.of(X, ["x"], partition=peaks, columns=columns)
    assert partition.describe_plain(0, 0b10) == "x is at least 2013-05-13"
    # "At most 2013-05-13" could mean that the afternoon of that day belongs to it.
    assert partition.describe_plain(0, 0b01) == "x is at most 2013-05-13 00:00"


def test_numbers_are_exact_to_the_microsecond():
    low, high = (pd.Timestamp(str(year)).value // 1000 for year in (1700, 2201))
    ticks = np.random.default_rng(1).integers(low, high, 3000)
    for column in (ticks.astype("M8[us]"), ticks.astype("m8[us]")):
        frame = pd.DataFrame({"x": column})
        columns = Columns.of(frame)
        values, scale = columns.values(frame)[:, 0], columns.times[0]
        assert scale.unit == "microsecond"
        assert_array_equal(values, ticks / 1e6)
        assert [scale.label(value) for value in values] == column.tolist()
        assert [scale.read(scale.write(value)) for value in values] == values.tolist()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 hours"),
        (3 * DAY + 4 * 3600, "3 days 4 hours"),
        (DAY, "1 day"),
        (-5400, "minus 1 hour 30 minutes"),
        (61.25, "1 minute 1.25 seconds"),
    ],
)
def test_durations_in_words(seconds, text):
    assert TimeScale("duration", "hour").write(seconds) == text
    assert TimeScale("duration", "hour").read(text) == seconds


def test_an_hour_that_clocks_show_twice():
    zone = ZoneInfo("Europe/Berlin")
    scale = TimeScale("date", "hour", "Europe/Berlin")
    first, second = (datetime(2020, 10, 25, 2, 30, fold=fold, tzinfo=zone) for fold in (0, 1))
    values = [scale.number(first), scale.number(second)]
    assert values[1] - values[0] == 3600
    texts = [scale.write(value) for value in values]
    assert texts == ["2020-10-25 02:30", "2020-10-25 02:30+01:00"]
    assert [scale.read(text) for text in texts] == values


def test_the_last_day_of_all():
    """Tables have it as "never"; clocks in the east are in the year 10000 already."""
    days = pd.Series(["9999-12-31", "2013-01-01"] * 20).astype("M8[s]")
    for column in (days, days.dt.tz_localize("America/New_York"), days.dt.tz_localize("+05:30")):
        frame = column.to_frame("x")
        columns = Columns.of(frame)
        X = columns.values(frame)
        variables = IntervalVariables.of(X, ["x"], columns)
        assert truth_of_interval(variables.describe(0, (0.0, 0.9999999)), column).sum() == 20
        partition = LinguisticPartition.of(X, ["x"], n_terms=2, columns=columns)
        text = partition.describe_plain(0, 0b10).removeprefix("x is ")
        assert_array_equal(truth(text, column), column.dt.year == 9999)


@pytest.mark.parametrize("name", COLUMNS)
def test_all_kinds_of_frames_have_the_same_dates(name):
    frame = COLUMNS[name].mask(np.arange(N) % 7 == 0).to_frame("x")
    scale = Columns.of(frame).times[0]
    if name == "local days":  # by the clock of the place
        assert scale == TimeScale("date", "day", "Europe/Berlin")
    others = [pa.Table.from_pandas(frame)]
    if scale.zone in (None, "Europe/Berlin"):  # polars has no offsets
        others.append(pl.from_pandas(frame))
    for other in others:
        assert Columns.of(other).times == {0: scale}
        found, expected = (Columns.of(x).values(x) for x in (other, frame))
        assert_array_equal(found, expected)


def test_dates_of_several_offsets_are_those_of_utc():
    offsets = [timezone(timedelta(hours=hours)) for hours in (1, 2)]
    dates = [datetime(2024, 1 + i % 6, 1, tzinfo=offsets[i % 2]) for i in range(20)]
    frame = pd.DataFrame({"x": pd.Series(dates, dtype=object)})
    columns = Columns.of(frame)
    assert columns.times[0] == TimeScale("date", "hour", "UTC")
    assert_array_equal(columns.values(frame)[:, 0], [date.timestamp() for date in dates])


def test_whole_days_have_neighbouring_days_as_borders():
    days = pd.date_range("2013-05-01", periods=20, freq="9D")
    frame = days.to_series().to_frame("x")
    columns = Columns.of(frame)
    partition = LinguisticPartition.of(columns.values(frame), ["x"], n_terms=2, columns=columns)
    texts = [partition.describe_plain(0, terms) for terms in (0b01, 0b10)]
    assert texts == ["x is at most 2013-07-25", "x is at least 2013-07-26"]
