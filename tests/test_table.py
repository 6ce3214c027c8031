"""Tables in the types of their columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Stored, Table

TYPES = ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


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
        np.array([[1.0, 2.0]], dtype=np.longdouble),
        np.array([[1.0, 2.0]], dtype=object),
    ],
)
def test_unusual_arrays_become_floats(X):
    assert Stored.of(X) is None
    assert_array_equal(Table.of(X).rows(), [[1.0, 2.0]])


@pytest.mark.parametrize("code", ["f4", "f8", "i2"])
def test_arrays_that_came_over_a_network_keep_their_types(code):
    values = np.array([1, 2], dtype=code)
    swapped = np.array([[1, 2]], dtype=f">{code}")
    unaligned = np.frombuffer(b"\0" + values.tobytes(), dtype=code, offset=1).reshape(1, 2)
    for X in (swapped, unaligned):
        stored = Stored.of(X)
        assert stored.values.dtype == values.dtype
        assert stored.values.flags.aligned
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
    y = frame["0"].to_numpy(int) + frame["1"].to_numpy(int) > 100
    clf = EvidentialRuleClassifier(random_state=0, penalty=10.0)
    for X in (frame, frame.to_numpy(), np.asfortranarray(frame.to_numpy(dtype=float))):
        whole = clone(clf).fit(X, y).rules_.to_text()
        parts = [X[:300].copy(), X[300:].copy()]
        clf.fit(parts[0], y[:300])
        (parts[0] if X is not frame else parts[0].iloc)[:] = 0
        clf.partial_fit(parts[1], y[300:])
        assert clf.rules_.to_text() == whole


def test_batches_of_arrow_have_names_and_types():
    frame, types = frames()
    y = frame["single"].to_numpy() > 0
    clf = EvidentialRuleClassifier(random_state=0, penalty=10.0)
    clf.fit(pa.RecordBatch.from_pandas(frame), y)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    seen = clf._seen.table
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
