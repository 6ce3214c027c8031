"""Reading tables in files of any dialect."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyucs.cli.tables.file import read_table

CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=8
).map(str.strip)


def table_of(tmp_path, content, **options):
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def cells_of(table):
    return {name: cells.tolist() for name, cells in table.columns.items()}


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS.filter(bool), CELLS, CELLS), min_size=1, max_size=5),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    is_hinted=st.booleans(),
)
def test_what_was_written_in_any_dialect_is_read(
    tmp_path_factory, rows, separator, encoding, newline, is_hinted
):
    file = io.StringIO(newline="")
    if is_hinted and newline != "\r":  # Excel writes no such files
        file.write(f"sep={separator}{newline}")
    file.write(separator.join(["first", "second", "thïrd"]) + newline)
    writer = csv.writer(file, delimiter=separator, lineterminator=newline, quoting=csv.QUOTE_ALL)
    writer.writerows(rows)
    text = file.getvalue().encode(encoding, errors="replace")
    expected = [[c.encode(encoding, errors="replace").decode(encoding) for c in r] for r in rows]
    table = table_of(tmp_path_factory.mktemp("tables"), text)
    assert table.separator == separator
    assert list(table.columns) == ["first", "second", "thïrd"]
    assert np.array(list(table.columns.values())).T.tolist() == expected


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_though_others_occur(tmp_path, separator):
    others = "".join(other for other in ",;\t|" if other != separator)
    lines = [["size", "text"], ["1", f'"a{others}b"'], ["2", f'"x{separator}y"'], ["3", "c"]]
    table = table_of(tmp_path, "\n".join(separator.join(line) for line in lines))
    texts = [f"a{others}b", f"x{separator}y", "c"]
    assert cells_of(table) == {"size": ["1", "2", "3"], "text": texts}


def test_decimal_commas_are_no_separators(tmp_path):
    table = table_of(tmp_path, "a;b\n1,5;2,5\n3,5;4,5\n")
    assert cells_of(table) == {"a": ["1,5", "3,5"], "b": ["2,5", "4,5"]}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_seen(tmp_path, encoding):
    table = table_of(tmp_path, "größe\tart\n1\tä\n".encode(encoding))
    assert cells_of(table) == {"größe": ["1"], "art": ["ä"]}
    assert encoding.upper() in table.remarks


def test_windows_1252_and_latin_1_are_told(tmp_path):
    table = table_of(tmp_path, "preis,art\n5 €,ä\n".encode("cp1252"))
    assert cells_of(table)["preis"] == ["5 €"]
    assert "Windows-1252" in table.remarks
    assert "Latin-1" in table_of(tmp_path, b"a,b\n\x81,\xe4\n").remarks


def test_empty_lines_and_ends_of_lines_are_no_data(tmp_path):
    table = table_of(tmp_path, "\n a , b ,\n\n1, 2,,\n   \n3,,\n,\n5,6\n,,\n,,\n\n")
    assert cells_of(table) == {"a": ["1", "3", "", "5"], "b": ["2", "", "", "6"]}
    assert table.lines.tolist() == [4, 6, 7, 8]


def test_locations_are_counted_from_one(tmp_path):
    table = table_of(tmp_path, 'sep=,\na,b\n"two\nlines",1\nc,2\n')
    assert [table.location(row) for row in range(2)] == ["row 1 (line 3)", "row 2 (line 5)"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv is empty"),
        (" \n\n", "table.csv is empty"),
        ("a,b\n", "no rows"),
        ("a,b,a,c,b\n1,2,3,4,5\n", "several 'a', 'b'"),
        (",a,b\n0,1,2\n", "column 1;.*index=False"),
        ("a,,b,,c\n0,1,2,3,4\n", "column 2, 4;"),
        ("a,b\n1,2\n3\n", r"row 2 \(line 3\) has 1 values, but there are 2 column names"),
        ("a,b\n1,2\n\n3,4,5\n", r"row 2 \(line 4\) has 3 values"),
        ("a,b\n1,2,3\n", "row 1 .* must be in quotes"),
        ('a,b\n1,"2\n3,4\n', "line 2: .*a quote that is never closed"),
        ("5.1,3.5,1.4\n4.9,3.0,1.3\n", "first line must hold the names"),
        (b"PK\x03\x04rest", "cannot be unpacked"),
        (b"\x1f\x8brest", "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfdrest", "compressed in a way that is not read here"),
        (b"\xd0\xcf\x11\xe0rest", "old format of Excel; save it as .xlsx"),
        (b"a,b\n\x00\x01\x02,3\n", "not a text file"),
    ],
)
def test_what_is_no_table_is_refused_in_words(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        table_of(tmp_path, content)


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*nothing\.csv"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)


def test_a_separator_can_be_given(tmp_path):
    assert cells_of(table_of(tmp_path, "a:b\n1:2\n", separator=":")) == {"a": ["1"], "b": ["2"]}
    with pytest.raises(ValueError, match="one character"):
        table_of(tmp_path, "a:b\n1:2\n", separator="::")


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    table = read_table("-")
    assert (table.name, cells_of(table)) == ("standard input", {"a": ["1"], "b": ["2"]})


def test_rows_far_down_are_not_trusted_either(tmp_path):
    rows = "".join(f"{i},{i}\n" for i in range(2000))
    with pytest.raises(ValueError, match=r"row 2001 \(line 2002\) has 3 values"):
        table_of(tmp_path, f"a,b\n{rows}1,2,3\n")


def test_parquet_says_itself_what_is_a_number(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "size": [1.5, None, 3.0],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "text": [" a", None, "b"],
            "flag": [True, False, True],
            "kind": pd.Categorical(["x", None, "y"]),
            "day": pd.to_datetime(["2024-01-02"] * 3),
        }
    )
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet")
    np.testing.assert_equal(table.columns["size"], [1.5, np.nan, 3.0])
    np.testing.assert_equal(table.columns["count"], [1.0, np.nan, 3.0])
    assert table.columns["text"].tolist() == ["a", "", "b"]
    assert table.columns["flag"].tolist() == ["True", "False", "True"]
    assert table.columns["kind"].tolist() == ["x", "", "y"]
    assert table.columns["day"][0].startswith("2024-01-02")
    assert table.location(1) == "row 2"


def test_parquet_with_lists_or_without_rows_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    pd.DataFrame({"a": [[1, 2], [3]]}).to_parquet(path)
    with pytest.raises(ValueError, match="column 'a' must hold numbers or text"):
        read_table(path)
    pd.DataFrame({"a": [1.0]})[:0].to_parquet(path)
    with pytest.raises(ValueError, match="no rows"):
        read_table(path)
