"""Columns of tables in parts: the same as of the whole table, from a few values of each part."""

import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fuzzyucs.variables.columns import ColumnError
from fuzzyucs.variables.excerpts import Excerpt, merged_columns
from fuzzyucs.variables.frames import Columns


def days(*texts, zone=None):
    return (
        pd.Series(pd.to_datetime(list(texts), format="ISO8601"))
        .dt.as_unit("us")
        .dt.tz_localize(zone)
    )


def objects(*values):
    return pd.Series(list(values), dtype=object)


def categories(values, labels, ordered=False):
    return pd.Series(pd.Categorical(values, categories=labels, ordered=ordered))


PARTS = {
    "numbers": [pd.Series([1.5, np.nan]), pd.Series([2, 3])],
    "text": [pd.Series(["red", "blue", "red"]), pd.Series(["green", None, "blue"])],
    "text as objects": [objects("red", None, "blue"), objects("green", "blue")],
    "texts of numbers": [objects("1", "2"), objects("3", "10")],
    "texts of numbers and words": [objects("2", "1"), objects("red", "1.0")],
    "words, then a number as text": [pd.Series(["red"]), pd.Series(["7"])],
    "booleans": [pd.Series([True, True]), pd.Series([True])],
    "booleans as objects": [objects(None, True), objects(True, None)],
    "booleans and numbers": [objects(True, False), pd.Series([0.5])],
    "nullable booleans": [pd.Series([None, True], dtype="boolean")] * 2,
    "nullable numbers": [pd.Series([None, 1], dtype="Int64"), pd.Series([2], dtype="Int64")],
    "categories": [categories(["b", "b"], ["c", "b", "a"]), categories(["c"], ["c", "b", "a"])],
    "a category without rows": [categories(["b"], ["c", "b"]), categories([None], ["c", "b"])],
    "ordered": [
        categories(["S"], ["S", "M", "L"], ordered=True),
        categories(["L", None], ["S", "M", "L"], ordered=True),
    ],
    "categories of numbers": [categories([3], [3, 1]), categories([1, 3], [3, 1])],
    "days": [days("2013-05-12", "2014-01-01"), days("2013-05-13")],
    "days and seconds": [days("2013-05-12", None), days("2013-05-12 10:00:01", "2013-05-13")],
    "hours, then minutes": [days("2013-05-12 10:00"), days("2013-05-12 10:30", "2013-05-12")],
    "microseconds": [days("2013-05-12"), days("2013-05-12 10:00:00.000001")],
    "a zone": [
        days("2013-05-12", zone="Europe/Berlin"),
        days("2013-11-12 08:00", zone="Europe/Berlin"),
    ],
    "several zones": [
        days("2013-05-12", "2013-05-13", zone="Europe/Berlin"),
        days("2013-05-12", zone="Asia/Kolkata"),
    ],
    "dates of Python": [objects(date(2013, 5, 12)), objects(None, datetime(2013, 5, 12, 6, 30))],
    "offsets of Python": [
        objects(
            datetime(2013, 5, 12, tzinfo=timezone(timedelta(hours=1))),
            datetime(2013, 5, 12, 1, tzinfo=timezone(timedelta(hours=1))),
        ),
        objects(
            datetime(2013, 5, 12, 7, tzinfo=timezone(timedelta(hours=1))),
            datetime(2013, 5, 12, 7, tzinfo=timezone(timedelta(hours=2))),
        ),
    ],
    "durations": [pd.Series(pd.to_timedelta([3, 4], "D")), pd.Series(pd.to_timedelta([90], "min"))],
    "durations of Python": [objects(timedelta(3)), objects(timedelta(0, 5), None)],
    "nothing": [objects(None), objects(None, None)],
    "nothing, then text": [objects(None, None), objects("red")],
    "text, then nothing": [pd.Series(["red", "blue"]), pd.Series([None], dtype="str")],
    "no numbers, then text": [pd.Series([np.nan]), objects("red", "blue")],
    "nothing, then dates": [objects(None), days("2013-05-12 10:00")],
    "no dates, then dates": [days(None), days("2013-05-12 10:00", None)],
    "durations, then none": [pd.Series(pd.to_timedelta([3], "h")), objects(None)],
    "no rows, then text": [pd.Series([], dtype=object), pd.Series(["red", "blue"])],
    "text of Arrow": [
        pd.Series(["red", "1"], dtype=pd.ArrowDtype(pa.string())),
        pd.Series(["blue", None], dtype=pd.ArrowDtype(pa.string())),
    ],
    "days of Arrow": [
        pd.Series([date(2013, 5, 12)], dtype=pd.ArrowDtype(pa.date32())),
        pd.Series([date(2013, 5, 13)], dtype=pd.ArrowDtype(pa.date32())),
    ],
    "decimals": [objects(Decimal("1.5")), objects(Decimal("2"), 3)],
}
REFUSED = {
    "numbers and text": [pd.Series([1.5, np.nan, 2.5]), objects("red")],
    "text and whole numbers": [objects("red"), pd.Series([1, 2])],
    "booleans and text": [pd.Series([True]), objects("red")],
    "dates and text": [days("2013-05-12", "2013-05-13"), objects("red")],
    "text and dates": [objects("red"), objects(date(2013, 5, 12))],
    "dates and durations": [days("2013-05-12"), pd.Series(pd.to_timedelta([3], "D"))],
    "with and without a zone": [
        days("2013-05-12", zone="Europe/Berlin"),
        days("2013-05-13", "2013-05-14"),
    ],
    "a mixture in one part": [objects("red", 1.5, None), objects("blue", 2)],
    "lists": [objects(None), objects([1.0], [2.0])],
    "times of day": [objects(time(12)), objects(time(13))],
}


def frames_of(parts):
    return [pd.DataFrame({"size": np.arange(float(len(s))), "x": s}) for s in parts]


def whole_of(frames):
    return pd.DataFrame(
        {name: pd.concat([f[name] for f in frames if len(f)]) for name in frames[0].columns}
    )


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_parts_together_are_the_whole(parts):
    frames = frames_of(parts)
    expected = Columns.of(whole_of(frames))
    excerpts = [pickle.loads(pickle.dumps(Excerpt.of(frame))) for frame in frames]
    assert merged_columns(excerpts) == expected
    assert Excerpt.joined([*excerpts, *excerpts]).columns() == expected
    assert merged_columns([Excerpt.joined(excerpts), excerpts[1], excerpts[0]]) == expected


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_one_part_is_the_whole(parts):
    for frame in frames_of(parts):
        assert merged_columns([Excerpt.of(frame)]) == Columns.of(frame)


@pytest.mark.parametrize("parts", REFUSED.values(), ids=REFUSED)
def test_mixtures_are_refused_with_the_message_about_the_whole(parts):
    frames = frames_of(parts)
    with pytest.raises(ColumnError) as expected:
        Columns.of(whole_of(frames))
    with pytest.raises(ColumnError) as problem:
        merged_columns(map(Excerpt.of, frames))
    assert str(problem.value) == str(expected.value)


def test_categories_that_differ_are_joined_as_pandas_unites_them():
    parts = [categories(["b"], ["b", "a"]), categories(["c", "a"], ["c", "a"])]
    whole = pd.DataFrame({"x": pd.api.types.union_categoricals(parts)})
    found = merged_columns(Excerpt.of(part.to_frame("x")) for part in parts)
    assert found == Columns.of(whole)
    assert found.categories[0].labels == ("b", "a", "c")


def test_ordered_categories_that_differ_are_refused():
    parts = [categories(["S"], ["S", "M"], ordered=True), categories(["L"], ["M", "L"], True)]
    message = r"column 'x' must have the same ordered categories in all parts, got \['S', 'M'\] and"
    with pytest.raises(ColumnError, match=message):
        merged_columns(Excerpt.of(part.to_frame("x")) for part in parts)
    tables = [
        pa.table({"x": pa.DictionaryArray.from_arrays([0], own, ordered=True)})
        for own in (["S", "M"], ["M", "L"])
    ]
    with pytest.raises(ColumnError, match=message):
        merged_columns(map(Excerpt.of, tables))


POLARS = {
    "numbers": ([1.5, None], [2, 3], None),
    "text": (["red", "blue"], ["green", None, "blue"], pl.String),
    "nothing, then text": ([None], ["red"], None),
    "enum": (["S"], ["L", None], pl.Enum(["S", "M", "L"])),
    "categorical": (["b", "a"], ["c"], pl.Categorical),
    "booleans": ([True], [None, True], pl.Boolean),
    "dates": ([date(2013, 5, 12)], [date(2013, 5, 13), None], pl.Date),
    "datetimes": ([datetime(2013, 5, 12)], [None, datetime(2013, 5, 12, 10, 30)], pl.Datetime),
    "zone": ([datetime(2013, 5, 12)], [datetime(2013, 5, 12, 9)], pl.Datetime("us", "Asia/Tokyo")),
    "durations": ([timedelta(3)], [timedelta(0, 5400)], pl.Duration),
}


@pytest.mark.parametrize(("one", "two", "dtype"), POLARS.values(), ids=POLARS)
def test_parts_of_polars(one, two, dtype):
    frames = [pl.DataFrame({"x": pl.Series(v, dtype=dtype, strict=False)}) for v in (one, two)]
    whole = pl.concat(frames, how="vertical_relaxed")
    assert merged_columns(map(Excerpt.of, frames)) == Columns.of(whole)


ARROW = {
    "numbers": (pa.array([1.5, None]), pa.array([2.0])),
    "text": (pa.array(["red", "blue", "red"]), pa.array(["green", None])),
    "nothing, then text": (pa.nulls(2), pa.array(["red"])),
    "dictionaries": (
        pa.array(["b", "a"]).dictionary_encode(),
        pa.array(["c", None, "a"]).dictionary_encode(),
    ),
    "ordered": tuple(
        pa.DictionaryArray.from_arrays(pa.array([i], pa.int8()), ["S", "M", "L"], ordered=True)
        for i in (0, 2)
    ),
    "booleans": (pa.array([True]), pa.array([None, True])),
    "days": (pa.array([date(2013, 5, 12)]), pa.array([date(2013, 5, 13), None])),
    "seconds": (pa.array([datetime(2013, 5, 12)]), pa.array([datetime(2013, 5, 12, 1, 1, 1)])),
    "zone": tuple(
        pa.array([datetime(2013, 5, 12, 6)] * n, pa.timestamp("ms", "Asia/Kolkata")) for n in (1, 2)
    ),
    "durations": (pa.array([timedelta(3)]), pa.array([timedelta(0, 60)])),
}


@pytest.mark.parametrize("as_batches", [False, True])
@pytest.mark.parametrize("parts", ARROW.values(), ids=ARROW)
def test_parts_of_arrow(parts, as_batches):
    tables = [pa.table({"x": values}) for values in parts]
    expected = Columns.of(pa.concat_tables(tables, promote_options="permissive"))
    if as_batches:
        tables = [pa.record_batch({"x": values}) for values in parts]
    assert merged_columns(map(Excerpt.of, tables)) == expected


def test_types_that_do_not_go_together_are_refused():
    message = "column 'x' must have one type in all parts, got "
    with pytest.raises(ColumnError, match=message + "string and double"):
        merged_columns(Excerpt.of(pa.table({"x": v})) for v in (["red"], [1.5]))
    with pytest.raises(ColumnError, match=message + "Date and String"):
        merged_columns(Excerpt.of(pl.DataFrame({"x": v})) for v in ([date(2013, 5, 12)], ["red"]))


def test_excerpts_are_small():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=10_000),
            "text": rng.choice(["red", "blue", "green"], 10_000),
            "day": pd.Timestamp("2013-05-12")
            + pd.to_timedelta(rng.integers(0, 10**6, 10_000), "s"),
        }
    )
    assert max(map(len, Excerpt.of(frame).values)) <= 12
    table = pa.Table.from_pandas(frame)
    assert max(map(len, Excerpt.of(table).values)) <= 12
    assert max(map(len, Excerpt.of(pl.DataFrame(frame)).values)) <= 12


def test_parts_must_have_the_same_columns():
    with pytest.raises(ValueError, match="at least one part"):
        merged_columns([])
    parts = [Excerpt.of(pd.DataFrame({name: [1.0]})) for name in "xy"]
    with pytest.raises(
        ValueError, match=r"with the columns \['x'\], got one of pandas with \['y'\]"
    ):
        merged_columns(parts)
    parts = [Excerpt.of(pd.DataFrame({"x": [1.0]})), Excerpt.of(pl.DataFrame({"x": [1.0]}))]
    with pytest.raises(ValueError, match="got one of polars"):
        merged_columns(parts)
    with pytest.raises(TypeError, match="must be a frame"):
        Excerpt.of(np.ones((2, 2)))
