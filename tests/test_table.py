"""Tables in the types of their columns, and the codes of their values."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from fuzzyucs import EvidentialRuleClassifier, _core
from fuzzyucs.variables.codes import MISSING, count_steps, encode
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticVariable
from fuzzyucs.variables.table import Stored, Table
from fuzzyucs.variables.terms import is_in_turn

PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
SEEDS = st.integers(0, 2**32 - 1)
TYPES = ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def column_of(rng, kind, n):
    """Return numbers of a type, some of them missing, at the ends of the type or negative."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        x = rng.choice([rng.normal(0, 60, n), np.exp(rng.normal(0, 15, n))]).astype(dtype)
        x[rng.random(n) < 0.1] = np.nan
        return x
    limits = np.iinfo(dtype)
    x = rng.integers(max(limits.min, -100), 120, n).astype(dtype)
    x[rng.random(n) < 0.05] = limits.max
    return x


def variable_of(rng, x):
    """Return terms of one of many kinds for some numbers."""
    values = np.unique(x[np.isfinite(x)])
    if len(values) == 0 or rng.random() < 0.1:
        values = np.append(np.unique(rng.normal(size=9)), 1e300)
    if rng.random() < 0.1:
        values = values[:1]
    if rng.random() < 0.5:
        peaks = np.sort(rng.choice(values, min(len(values), int(rng.integers(1, 250))), False))
        ends = peaks + np.append(np.diff(peaks), 0.0) * rng.choice([0.0, 0.5], len(peaks))
        ends = ends if is_in_turn(peaks, ends) else peaks  # halfway between neighbouring floats
        return LinguisticVariable(peaks, tuple(map(str, peaks)), ends=ends)
    groups = rng.integers(0, min(len(values), 200), len(values))
    if rng.random() < 0.5:
        few = values[:250]
        return LinguisticVariable(few, tuple(map(str, few)), True, bool(rng.random() < 0.6))
    return LinguisticVariable.of_groups([values[groups == g].tolist() for g in np.unique(groups)])


def plain_codes(variable, x):
    """Return what `encode` should: positions in steps, as NumPy rounds them."""
    positions = variable.positions(x)
    is_missing = np.isnan(positions)
    codes = np.rint(np.where(is_missing, 0.0, positions) * count_steps(variable))
    return np.where(is_missing, MISSING, codes).astype(np.uint8)


@PROPERTY
@given(SEEDS, st.sampled_from(TYPES))
def test_codes_are_those_of_the_same_numbers_as_floats(seed, kind):
    rng = np.random.default_rng(seed)
    x = column_of(rng, kind, int(rng.integers(1, 400)))
    variable = variable_of(rng, x.astype(float))
    expected = plain_codes(variable, x.astype(float))
    for stored in (x, np.column_stack([x, x, x])[:, 1], x[::-1].copy()[::-1]):
        assert_array_equal(encode(variable, Stored(stored)), expected)
    x.flags.writeable = False
    assert_array_equal(encode(variable, Stored(x)), expected)
    if x.dtype.kind == "i":  # indices of categories
        known = np.where(x < 0, np.nan, x.astype(float))
        assert_array_equal(encode(variable, Stored(x, True)), plain_codes(variable, known))


def test_the_native_codes_refuse_what_does_not_fit():
    x, two = np.zeros(3), np.array([0.0, 1.0])
    for steps in (0, 255, 2**31):
        with pytest.raises(ValueError, match="steps is out of range"):
            _core.encode_ordered(x, False, two, two, steps)
    with pytest.raises(ValueError, match="ends has the wrong length"):
        _core.encode_ordered(x, False, two, two[:1], 1)
    with pytest.raises(ValueError, match="ends has the wrong length"):
        _core.encode_ordered(x, False, two[:0], two[:0], 1)
    with pytest.raises(ValueError, match="x has a type that is not known"):
        _core.encode_ordered(x.astype(np.float16), False, two, two, 1)
    with pytest.raises(ValueError, match="terms has the wrong length"):
        _core.encode_nominal(x, False, two, np.zeros(1, dtype=np.uint8), False)
    with pytest.raises(ValueError, match="terms is out of range"):
        _core.encode_nominal(x, False, two, np.array([0, 255], dtype=np.uint8), False)


# Columns and rows


@pytest.mark.parametrize("kind", [*TYPES, "f2", "b1"])
def test_an_array_stays_in_its_type_and_in_its_place(kind):
    X = np.array([[0, 1, 0], [1, 1, 0]]).astype(kind)
    table = Table.of(X)
    assert table.shape == X.shape
    assert np.shares_memory(table.columns[0].values, X) is (kind != "f2")
    assert_array_equal(table.rows(), X.astype(float))
    assert_array_equal(table.rows(slice(1, 2)), X[1:].astype(float))
    assert table.rows().dtype == table.column(0).dtype == np.float64
    assert_array_equal(table.column(2), [0.0, 0.0])
    copied = table.copy()
    X[:] = 1
    assert_array_equal(copied.rows(), [[0, 1, 0], [1, 1, 0]])


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0, 2.0]], dtype=">f8"),
        np.array([[1.0, 2.0]], dtype=np.longdouble),
        np.array([[1.0, 2.0]], dtype=object),
        np.frombuffer(b"\0" + np.array([1.0, 2.0]).tobytes(), offset=1).reshape(1, 2),
    ],
)
def test_unusual_arrays_become_floats(X):
    assert Stored.of(X) is None
    assert_array_equal(Table.of(X).rows(), [[1.0, 2.0]])


def test_tables_are_divided_and_joined():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 5, (100_000, 3)).astype(np.int8)
    columns = [Stored(X[:, 0]), Stored(X[:, 1].astype(np.float32)), Stored(X[:, 2], True)]
    table, expected = Table(columns), X.astype(float)
    expected[X[:, 2] < 0, 2] = np.nan
    assert_array_equal(table.rows(), expected)
    assert_array_equal(np.concatenate([table.rows(rows) for rows in table.blocks()]), expected)
    assert len(list(table.blocks())) > 1
    for made in (table.copy(), Table.joined([table.part(slice(0, 7)), table.part(slice(7, None))])):
        assert_array_equal(made.rows(), expected)
        assert [c.values.dtype for c in made.columns] == [np.int8, np.float32, np.int8]
        assert not np.shares_memory(made.columns[0].values, X)
    some = rng.permutation(len(X))[:50]
    assert_array_equal(table.take(some).rows(), expected[some])
    assert_array_equal(table.take(X[:, 0] > 0).rows(), expected[X[:, 0] > 0])
    missing = np.column_stack([column.are_missing() for column in table.columns])
    assert_array_equal(missing, np.isnan(expected))
    wide = Table.joined([table, Table.of(np.full((1, 3), 0.1))])
    assert_array_equal(wide.rows(slice(-1, None)), [[0.1, 0.1, 0.1]])


# Frames


def frames(n=400):
    """Return the same table in frames of all kinds, and the types to be stored."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "single": rng.normal(size=n).astype(np.float32),
            "byte": rng.integers(-9, 9, n).astype(np.int8),
            "long": rng.integers(-9, 9, n),
            "kind": pd.Categorical(rng.choice(["a", "b", None], n)),
            "many": pd.Categorical([f"c{i:03}" for i in rng.integers(0, 200, n)]),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
            "flag": rng.random(n) < 0.5,
        }
    )
    types = ["float32", "int8", "int64", "int8", "int16", "float64", "int8"]
    return frame, types


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_columns_of_frames_keep_their_types(make):
    frame, types = frames()
    X = make(frame)
    columns = Columns.of(X)
    table = columns.table(X)
    assert [str(column.values.dtype) for column in table.columns] == types
    expected = np.column_stack(
        [
            *(frame[name].to_numpy(float) for name in ("single", "byte", "long")),
            *(frame[n].cat.codes.replace(-1, np.nan).astype(float) for n in ("kind", "many")),
            (frame["day"] - pd.Timestamp(0)).dt.total_seconds(),
            frame["flag"].astype(float),
        ]
    )
    expected[:, 4] = table.column(4) if make is pl.from_pandas else expected[:, 4]
    assert_array_equal(table.rows(), expected)
    assert_array_equal(columns.values(X), expected)


@pytest.mark.parametrize(
    ("column", "stored"),
    [
        (pd.array([1, 2, None], dtype="Int8"), "float32"),
        (pd.array([1, 2, 3], dtype="Int8"), "int8"),
        (pd.array([1, 2**53, None], dtype="Int64"), "float64"),
        (pd.array([1.5, 2, None], dtype="Float32"), "float32"),
        (pd.array([1, 2, None], dtype="int16[pyarrow]"), "float32"),
        (pd.array([1, 2, 3], dtype="uint32[pyarrow]"), "uint32"),
        (pd.arrays.SparseArray([0.0, 0.0, 2.0]), "float64"),
        (np.array([1, 2, 3], dtype=np.float16), "float32"),
        (np.array([1, 2, 3], dtype=np.longdouble), "float64"),
        (pl.Series([1, 2, None], dtype=pl.Int8), "float64"),
        (pl.Series([1, 2, None], dtype=pl.Float32), "float32"),
        (pl.Series([1, 2, 3], dtype=pl.UInt16), "uint16"),
        (pl.Series([1, 2, 3], dtype=pl.Int128), "float64"),
        (pl.Series(["1.5", "2", None]).cast(pl.Decimal(5, 1)), "float64"),
        (pa.chunked_array([[1, 2], [None]], type=pa.int8()), "float64"),
        (pa.chunked_array([[1, 2], [3]], type=pa.int8()), "int8"),
        (pa.array([1, None], type=pa.float32()), "float32"),
    ],
)
def test_numbers_of_all_types(column, stored, monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.frames.FEW_VALUES", 0)
    if isinstance(column, pl.Series):
        X = pl.DataFrame({"x": column})
    elif isinstance(column, pa.Array | pa.ChunkedArray):
        X = pa.table({"x": column})
    else:
        X = pd.DataFrame({"x": column})
    (found,) = Columns.of(X).table(X).columns
    is_arrow = isinstance(column, pa.Array | pa.ChunkedArray)
    values = column.to_pylist() if is_arrow else list(column)
    expected = [np.nan if value is None or value is pd.NA else float(value) for value in values]
    assert_array_equal(found.floats(), expected)
    assert str(found.values.dtype) == stored


def test_partial_fit_does_not_notice_when_the_owner_changes_a_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 99, (600, 5)).astype(np.int8)).rename(columns=str)
    y = frame["0"].to_numpy() + frame["1"].to_numpy() > 100
    clf = EvidentialRuleClassifier(random_state=0, penalty=10.0)
    whole = clone(clf).fit(frame, y).rules_.to_text()
    for batch, labels in ((frame.head(300).copy(), y[:300]), (frame.tail(300).copy(), y[300:])):
        clf.partial_fit(batch, labels, classes=[False, True])
        batch.iloc[:] = 0
    assert clf.rules_.to_text() == whole


def test_batches_of_arrow_have_names_and_types():
    frame, types = frames()
    y = frame["single"].to_numpy() > 0
    clf = EvidentialRuleClassifier(random_state=0, penalty=10.0)
    clf.fit(pa.RecordBatch.from_pandas(frame), y)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    seen, *_ = clf._seen
    assert [str(column.values.dtype) for column in seen.columns] == types
    assert clf.rules_.to_text() == clone(clf).fit(frame, y).rules_.to_text()


def test_infinite_values_are_named_in_any_type():
    frame, _ = frames()
    y = frame["byte"].to_numpy() > 0
    clf = EvidentialRuleClassifier(random_state=0, penalty=10.0).fit(frame, y)
    frame.loc[[3, 9], "single"] = -np.inf
    message = r"column 'single' must hold finite numbers .*, got infinity \(-inf\) in row 3"
    for X in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        for use in (clf.predict, lambda X: clf.fit(X, y), lambda X: clf.partial_fit(X, y)):
            with pytest.raises(ValueError, match=message):
                use(X)
    X = np.zeros((4, 2), dtype=np.float32)
    X[2, 1] = X[3, 0] = np.inf
    with pytest.raises(ValueError, match=r"column 1 must hold finite numbers .* in row 2"):
        clone(clf).fit(X, y[:4])
