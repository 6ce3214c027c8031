"""Tables in packed files, in workbooks of Excel and as JSON."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest

from fuzzyucs.cli.tables.file import read_table, split_sheet
from fuzzyucs.cli.tables.pieces import open_pieces
from fuzzyucs.cli.tables.unpacking import unpacked

CSV = "size,colour\n1.5,red\n2.5,\n"
EXPECTED = {"size": ["1.5", "2.5"], "colour": ["red", ""]}
TYPED = {"size": [1.5, 2.5], "colour": ["red", ""]}


def cells_of(table):
    return {name: cells.tolist() for name, cells in table.columns.items()}


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__dot__", ".").replace("__slash__", "/"), content)
    return file.getvalue()


def both_ways(path):
    """Read a table as a whole and piece by piece, and check that both are the same."""
    table = read_table(path)
    ((share, piece),) = open_pieces(str(path)).read()
    assert share == 1
    assert repr(cells_of(piece)) == repr(cells_of(table))  # NaN is not equal to itself
    return table


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(CSV.encode()),
        bz2.compress(CSV.encode()),
        lzma.compress(CSV.encode("utf-16")),
        zipped(table__dot__csv=CSV),
        zipped(table__dot__csv=CSV, __MACOSX__slash__x="", data__slash__="", __dot__DS_Store="?"),
    ],
    ids=["gzip", "bzip2", "xz", "zip", "zip of a Mac"],
)
def test_packed_tables_are_read(tmp_path, content):
    path = tmp_path / "table.packed"
    path.write_bytes(content)
    table = both_ways(path)
    assert cells_of(table) == EXPECTED
    assert any(remark.startswith("unpacked") for remark in table.remarks)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(a__dot__csv=CSV, b__dot__csv=CSV), "one table, .* several files: 'a.csv', 'b.csv'"),
        (zipped(), "one table, but the archive has no file"),
        (gzip.compress(CSV.encode())[:-9], "cannot be unpacked"),
        (zipped(a__dot__csv=CSV * 99)[:-200], "cannot be unpacked"),
        (lzma.compress(CSV.encode())[:-9], "cannot be unpacked"),
    ],
)
def test_archives_that_hold_no_table_are_refused(tmp_path, content, message):
    path = tmp_path / "table.packed"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table(path)


def test_a_small_file_cannot_fill_the_memory():
    bomb = gzip.compress(b"0" * 10_000_000)
    assert len(bomb) < 20_000
    with pytest.raises(ValueError, match=r"holds more than 1,000,000 bytes once it is unpacked"):
        unpacked("bomb.csv.gz", bomb, 1_000_000)


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setenv("FUZZYUCS_MOST_BYTES", "100000")


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("packed", [*PACKERS, "zip", "none", "workbook", "parquet"])
def test_a_table_that_would_fill_the_memory_is_refused(tmp_path, packed):
    path, n_rows = tmp_path / "bomb", 100_000
    text = b"size\n" + b"0\n" * n_rows
    if packed == "zip":
        path.write_bytes(deflated({"a.csv": text}))
    elif packed == "workbook":
        path.write_bytes(deflated({"xl/workbook.xml": text}))
    elif packed == "parquet":
        pd.DataFrame({"size": np.zeros(n_rows)}).to_parquet(path)
        assert path.stat().st_size < 10_000
    else:
        path.write_bytes(PACKERS.get(packed, bytes)(text))
    expected = r"more than (100,000 bytes|12,500 cells).*--memory.*set FUZZYUCS_MOST_BYTES"
    with pytest.raises(ValueError, match=expected):
        read_table(path)


def deflated(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("value", ["0", "many", "-1"])
def test_the_limit_must_be_a_number(tmp_path, monkeypatch, value):
    monkeypatch.setenv("FUZZYUCS_MOST_BYTES", value)
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(ValueError, match=r"FUZZYUCS_MOST_BYTES must be a number of bytes, got"):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.parametrize("read", [read_table, open_pieces])
def test_devices_without_an_end_are_refused_at_once(device, read):
    with pytest.raises(ValueError, match=f"{device} is not a text file"):
        read(device)


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("read", [read_table, lambda path: next(open_pieces(path).read())[1]])
def test_a_pipe_is_read_once_and_up_to_the_limit(tmp_path, read):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write(text):
        with contextlib.suppress(BrokenPipeError), pipe.open("w") as file:
            file.write(text)

    for text, message in [(CSV, None), ("size\n" + "0\n" * 2_000_000, "more than 100,000 bytes")]:
        writer = threading.Thread(target=write, args=(text,))
        writer.start()
        if message is None:
            assert cells_of(read(str(pipe))) == EXPECTED
        else:
            with pytest.raises(ValueError, match=message):
                read(str(pipe))
        writer.join()


@pytest.mark.usefixtures("small_limit")
def test_a_workbook_with_a_far_cell_takes_no_room_for_what_is_between(tmp_path):
    """Sheets may say that they have a billion cells, of which nearly all are empty."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["size", "colour"])
    book.active.append([1.5, "red"])
    book.active.cell(row=50_000, column=1, value=2.5)
    book.save(tmp_path / "far.xlsx")
    assert cells_of(read_table(tmp_path / "far.xlsx")) == TYPED
    book.active.cell(row=50_001, column=14_000, value="x")
    book.save(tmp_path / "far.xlsx")
    with pytest.raises(ValueError, match="more than 12,500 cells"):
        read_table(tmp_path / "far.xlsx")


@pytest.fixture
def book(tmp_path):
    def write(**sheets):
        path = tmp_path / "book.xlsx"
        with pd.ExcelWriter(path, engine="openpyxl") as writer:
            for name, frame in sheets.items():
                frame.to_excel(writer, sheet_name=name, index=False)
        return path

    return write


FRAME = pd.DataFrame(
    {
        "size": [1.5, np.nan, 1.234],
        "count": [1, 2, 3],
        "mixed": ["a", 2, None],
        "is_old": [True, False, True],
        "day": pd.to_datetime(["2020-01-31", "2020-02-01", None]),
    }
)


def test_a_workbook_is_read(book):
    path = book(people=FRAME, empty=pd.DataFrame())
    table = both_ways(path)
    assert table.columns["size"].dtype == float  # so that 1.234 is no thousand
    np.testing.assert_array_equal(table.columns["size"], FRAME["size"])
    found = cells_of(table)
    assert found["count"] == [1, 2, 3]
    assert found["mixed"] == ["a", "2", ""]
    assert found["is_old"] == ["true", "false", "true"]
    assert found["day"] == ["2020-01-31", "2020-02-01", ""]
    assert "Excel, sheet 'people'" in table.remarks


def test_a_sheet_can_be_named(book):
    path = book(people=FRAME, other=FRAME[["size", "count"]].iloc[:2])
    with pytest.raises(ValueError, match=r"several sheets: 'people', 'other'; name one of them"):
        read_table(path)
    table = both_ways(f"{path}#other")
    assert list(table.columns) == ["size", "count"]
    assert table.n_rows == 2
    with pytest.raises(ValueError, match="no sheet 'Other'; it has 'people', 'other'"):
        read_table(f"{path}#Other")


def test_a_mark_in_a_name_is_no_sheet(tmp_path):
    path = tmp_path / "table #1.csv"
    path.write_text(CSV)
    assert cells_of(both_ways(path)) == EXPECTED
    assert split_sheet(path) == (str(path), None)
    with pytest.raises(ValueError, match="no workbook, so that it has no sheet 'x'"):
        read_table(f"{path}#x")


def test_a_damaged_workbook_is_refused(book):
    path = book(people=FRAME)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="cannot be unpacked"):
        read_table(path)
    path.write_bytes(zipped(xl__slash__workbook__dot__xml="nonsense"))
    with pytest.raises(ValueError, match="no workbook that can be read"):
        read_table(path)


@pytest.mark.parametrize("form", ["lines", "array", "gzip"])
def test_json_is_read(tmp_path, form):
    records = [{"size": 1.5, "colour": "red", "old": True}, {"size": 2.5, "colour": None}]
    text = "\n".join(map(json.dumps, records)) + "\n"
    if form == "array":
        text = json.dumps(records, indent=1)
    path = tmp_path / "table.jsonl"
    path.write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode())
    table = both_ways(path)
    assert cells_of(table) == TYPED | {"old": ["true", ""]}
    assert table.location(1) == ("row 2" if form == "array" else "row 2 (line 2)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": 1', "line 2: expected JSON, one object per line"),
        ('{"a": 1}\n[1, 2]\n', "line 2: expected an object such as .*, got list"),
        ('{"a": 1}\n{"a": {"b": 2}}\n', "'a' of record 2 must be a number or text, got dict"),
        ('{"": 1}', "a value without a name"),
        ('{"a": 1, "a ": 2}', "differ in more than spaces"),
        ("[{}, 3]", "record 2: expected an object"),
        ('{"format": "fuzzyucs model"}', "is a model, not a table; .* MODEL DATA"),
    ],
)
def test_json_that_is_no_table_is_refused(tmp_path, text, message):
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(path)
