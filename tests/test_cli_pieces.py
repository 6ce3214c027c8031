"""Commands on tables in pieces: the same as on the whole table, and nothing is half-written."""

import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import call, fruit_table, make_fruit, rows_in
from fuzzyucs.cli.ask import _predictions
from fuzzyucs.cli.inputs import features_for, load_model
from fuzzyucs.cli.tables.file import read_table
from fuzzyucs.cli.tables.pieces import open_pieces
from fuzzyucs.cli.tables.reader import TableReader

N_ROWS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a model and tables of all kinds."""
    folder = make_fruit(tmp_path_factory.mktemp("fruit"))
    text = fruit_table(N_ROWS)
    text = text.replace("yellow,pear", "?,pear", 3).replace("blue,plum", "purple,plum", 20)
    text = text.replace("green,pear", "NA,pear", 2)
    (folder / "large.csv").write_text(text)
    table = read_table(folder / "large.csv")
    frame = pd.DataFrame(table.columns).replace({"colour": {"?": None, "NA": None}})
    frame["weight"] = pd.to_numeric(frame["weight"])
    frame["number"] = np.arange(len(frame))
    frame.to_parquet(folder / "large.parquet", row_group_size=90)
    pyarrow.feather.write_feather(pa.Table.from_pandas(frame), folder / "large.arrow")
    (folder / "parts").mkdir()
    for i in range(4):
        part = pa.Table.from_pandas(frame.iloc[100 * i : 100 * i + 100], preserve_index=False)
        pq.write_table(part, folder / "parts" / f"{i}.parquet")
    return folder


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Let pieces be so small that all tables have many."""
    monkeypatch.setattr("fuzzyucs.cli.tables.pieces.PIECE_BYTES", 10_000)
    monkeypatch.setattr("fuzzyucs.variables.batches.BATCH_BYTES", 2_000)
    monkeypatch.setattr("fuzzyucs.cli.predictions.GROUP_ROWS", 64)
    monkeypatch.setattr("fuzzyucs.cli.predictions.N_CHARACTERS", 500)


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


TABLES = ["large.csv", "large.parquet", "large.arrow", "parts"]


def in_memory(folder, name):
    """Return predictions of a whole table in memory, and what is said about it."""
    clf = load_model(folder / "model.json")
    reader = TableReader(
        read_table(folder / ("large.csv" if name == "large.csv" else "large.parquet"))
    )
    X = features_for(clf, reader)
    return partial(_predictions, clf, X, None), reader


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_many_pieces(folder, name):
    pieces = list(open_pieces(str(folder / name)).read())
    assert len(pieces) > 3
    shares = [share for share, _ in pieces]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert [piece.first_row for _, piece in pieces] == np.cumsum(
        [0, *(piece.n_rows for _, piece in pieces[:-1])]
    ).tolist()


@pytest.mark.parametrize("name", TABLES)
def test_predictions_of_pieces_are_those_of_the_whole(folder, tmp_path, say, name):
    predictions, reader = in_memory(folder, name)
    expected = predictions(with_rates=False).to_csv(
        index=False, float_format="%.6g", lineterminator="\n"
    )
    status, out, err = say("predict", folder / "model.json", folder / name)
    assert (status, out) == (0, expected)
    head, *notes = err.splitlines()
    assert notes == reader.summary().splitlines()[1:]
    assert f"{N_ROWS} rows" in head
    say("predict", folder / "model.json", folder / name, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == expected


@pytest.mark.parametrize("name", TABLES)
def test_json_of_pieces_is_that_of_the_whole(folder, tmp_path, say, name):
    frame = in_memory(folder, name)[0](with_rates=True)
    expected = frame.to_json(orient="records", indent=1, double_precision=15) + "\n"
    assert say("predict", folder / "model.json", folder / name, "--json", "-q")[1] == expected
    command = ["predict", folder / "model.json", folder / name, "--json", "-q", "-o"]
    say(*command, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == expected
    assert len(json.loads(expected)) == N_ROWS


@pytest.mark.parametrize("name", TABLES)
def test_predictions_are_written_as_parquet(folder, tmp_path, say, name):
    expected = in_memory(folder, name)[0](with_rates=False)
    path = tmp_path / "out.parquet"
    assert say("predict", folder / "model.json", folder / name, "-q", "-o", path)[0] == 0
    found = pq.read_table(path)
    pd.testing.assert_frame_equal(
        found.to_pandas().astype(object), expected.astype(object), check_dtype=False
    )
    assert {str(found.schema.field(n).type) for n in ("prediction", "verdict", "reason")} == {
        "string"
    }
    assert 4 <= pq.ParquetFile(path).num_row_groups < 8


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", None])
def test_nothing_is_half_written(folder, tmp_path, say, name):
    lines = (folder / "large.csv").read_text().splitlines()
    lines[300] = "heavy,blue,plum"
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    command = ["predict", folder / "model.json", tmp_path / "bad.csv", "-q"]
    if name is not None:
        (tmp_path / name).write_text("old")
        command += ["-o", tmp_path / name, "--force"]
    status, out, err = say(*command)
    assert (status, out) == (2, "")
    assert "column 'weight', row 300 (line 301): expected a number, got 'heavy'" in err
    if name is not None:
        assert (tmp_path / name).read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(filter(None, ["bad.csv", name]))


def test_the_bar_counts_rows(folder, tmp_path, say, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    output = tmp_path / "out.csv"
    _, _, err = say("predict", folder / "model.json", folder / "large.parquet", "-o", output)
    counts = re.findall(r"\rClassifying rows .*? %  (\d+) rows", err)
    assert counts[-1] == str(N_ROWS)
    assert re.search(rf"━  100 %  {N_ROWS} rows, [\d.]+ s *\n", err)
    assert len(counts) > 3
    _, _, err = say("predict", folder / "model.json", folder / "large.parquet", "-q", "-o", output)
    assert err == ""


def test_the_decimal_mark_of_the_first_piece_holds(folder, tmp_path, say):
    head, *rows = fruit_table(N_ROWS, separator=";", decimal=",").splitlines()
    # Of the last rows alone, nobody could tell fractions from thousands.
    rows[200:] = [row.replace(";", "0;", 1) for row in rows[200:]]
    (tmp_path / "comma.csv").write_text("\n".join([head, *rows]) + "\n")
    (tmp_path / "point.csv").write_text(fruit_table(N_ROWS))
    expected = say("predict", folder / "model.json", tmp_path / "point.csv", "-q")[1]
    status, out, err = say("predict", folder / "model.json", tmp_path / "comma.csv")
    assert (status, out) == (0, expected)
    assert err.splitlines()[-1].strip() == "decimal comma"


def test_a_pandas_index_is_no_column(folder, tmp_path, say):
    frame = pd.read_parquet(folder / "large.parquet").drop(columns="number")
    expected = say("predict", folder / "model.json", folder / "large.parquet", "-q")[1]
    frame.index = np.random.default_rng(0).permutation(len(frame))
    frame.to_parquet(tmp_path / "unnamed.parquet")
    _, out, err = say("predict", folder / "model.json", tmp_path / "unnamed.parquet")
    assert out == expected
    assert f"{N_ROWS} rows, 3 columns" in err
    frame.index.name = "row"
    frame.to_parquet(tmp_path / "named.parquet")
    _, out, err = say("predict", folder / "model.json", tmp_path / "named.parquet")
    assert out == expected
    assert f"{N_ROWS} rows, 4 columns" in err


CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=8
).map(str.strip)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    hint=st.booleans(),
    empty=st.integers(0, 3),
)
def test_pieces_of_csv_are_the_table(
    tmp_path_factory, rows, separator, encoding, newline, hint, empty
):
    import csv
    import io

    file = io.StringIO(newline="")
    if hint and newline != "\r":
        file.write(f"sep={separator}{newline}")
    file.write(separator.join(["first", "second", "thïrd"]) + newline)
    csv.writer(file, delimiter=separator, lineterminator=newline).writerows(rows)
    file.write((separator * 2 + newline) * empty)
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    path.write_bytes(file.getvalue().encode(encoding, errors="replace"))

    def whole():
        table = read_table(path)
        cells = {name: cells.tolist() for name, cells in table.columns.items()}
        return cells, table.lines.tolist(), table.separator, table.remarks

    def pieced():
        pieces = [piece for _, piece in open_pieces(str(path)).read()]
        cells = {n: [c for p in pieces for c in p.columns[n]] for n in pieces[0].names}
        lines = [int(line) for p in pieces for line in p.lines]
        return cells, lines, pieces[0].separator, pieces[0].remarks

    assert outcome(pieced) == outcome(whole)


def outcome(work):
    try:
        return work()
    except ValueError as problem:
        return str(problem)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\n\n", b"a,b\n", b"a,b\n,\n,\n", b"a,a\n1,2\n", b"1,2\n3,4\n", b"a,\n1,2\n",
        b"a,b\n1,2\n3\n", b"a,b\n1,2,3\n", b'a,b\n1,"2\n', b"PK\x03\x04", b"\x1f\x8b", b"a\0b\n1\n",
        b"sep=;\na;b\n1;2\n", b"a;b\n1;2;\n3;4;\n", b"\xff\xfea\0",
    ],
)  # fmt: skip
def test_pieces_of_odd_files_say_the_same(tmp_path, content):
    path = tmp_path / "odd.csv"
    path.write_bytes(content)

    def whole():
        table = read_table(path)
        return {name: cells.tolist() for name, cells in table.columns.items()}

    def pieced():
        pieces = [piece for _, piece in open_pieces(str(path)).read()]
        return {n: [c for p in pieces for c in p.columns[n]] for n in pieces[0].names}

    assert outcome(pieced) == outcome(whole)


def test_folders_and_files_that_are_none(folder, tmp_path, say):
    status, _, err = say("predict", folder / "model.json", tmp_path / "nothing.parquet")
    assert (status, "there is no file" in err) == (2, True)
    status, _, err = say("predict", folder / "model.json", tmp_path)
    assert (status, "must be a folder of Parquet files" in err) == (2, True)


def test_standard_input_is_read_as_before(folder, say, monkeypatch):
    import io

    expected = say("predict", folder / "model.json", folder / "large.csv", "-q")[1]
    data = io.TextIOWrapper(io.BytesIO((folder / "large.csv").read_bytes()))
    monkeypatch.setattr("sys.stdin", data)
    assert say("predict", folder / "model.json", "-", "-q")[1] == expected
    assert len(rows_in(expected)) == N_ROWS
