"""Tables that are read in batches say the same as in memory."""

import re
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs._util.sizes import bytes_in, size_text
from fuzzyucs.cli.tables.choices import Choices
from fuzzyucs.cli.tables.file import read_table
from fuzzyucs.cli.tables.reader import TableReader
from fuzzyucs.variables.batches import Batches
from fuzzyucs.variables.columns import ColumnError
from fuzzyucs.variables.frames import Columns

N_ROWS = 500
SMALL = 2_000  # bytes of a batch, so that there are many
FEATURES = ["size", "count", "flag", "colour", "grade", "day", "wait", "price"]


def make_table(n_rows=N_ROWS, seed=0):
    """Return a table with columns of all kinds, and a class that depends on some of them."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n_rows), rng.integers(0, 4, n_rows)
    is_ill = (size + (colour > 1) + rng.normal(scale=0.3, size=n_rows)) > 0.5
    colours = np.array(["blue", "green", "red", "white"], dtype=object)[colour]
    colours[rng.random(n_rows) < 0.1] = None
    ordered = pa.DictionaryArray.from_arrays(
        pa.array(rng.integers(0, 3, n_rows), pa.int8()), ["S", "M", "L"], ordered=True
    )
    seconds = rng.integers(0, 10**6, n_rows)
    return pa.table(
        {
            "size": pa.array(size.astype(np.float32)),
            "count": pa.array(
                [None if n % 50 == 7 else int(n) for n in rng.integers(0, 99, n_rows)]
            ),
            "flag": pa.array(rng.random(n_rows) < 0.5),
            "colour": pa.array(colours),
            "grade": ordered,
            "day": pa.array([date(2013, 5, 12) + timedelta(int(s) % 400) for s in seconds]),
            "wait": pa.array([timedelta(seconds=int(s)) for s in seconds]),
            "price": pa.array(rng.gamma(2.0, size=n_rows)),
            "ill": pa.array(np.where(is_ill, "yes", "no")),
            "weight": pa.array(rng.integers(1, 4, n_rows).astype(float)),
        }
    )


TABLE = make_table()


def write_folder(folder, table):
    for i in range(3):
        pq.write_table(table.slice(i * 200, 200), folder / f"part-{i}.parquet")
    return folder


def sources(folder, table):
    """Return the same table in all kinds of places."""
    parquet, arrow, parts = folder / "t.parquet", folder / "t.arrow", folder / "parts"
    pq.write_table(table, parquet, row_group_size=170)
    pyarrow.feather.write_feather(table, arrow, compression="uncompressed", chunksize=130)
    parts.mkdir(exist_ok=True)
    write_folder(parts, table)
    return {
        "Parquet": parquet,
        "text": str(parquet),
        "Arrow": arrow,
        "folder": parts,
        "dataset": pyarrow.dataset.dataset(parts),
        "in memory": pyarrow.dataset.dataset(table),
    }


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    return sources(tmp_path_factory.mktemp("batches"), TABLE)


@pytest.fixture(scope="module")
def clf():
    X, y = TABLE.select(FEATURES), TABLE["ill"].to_numpy()
    return EvidentialRuleClassifier(max_rules=6, random_state=0).fit(X, y)


PLACES = ["Parquet", "text", "Arrow", "folder", "dataset", "in memory"]


@pytest.mark.parametrize("place", PLACES)
def test_batches_are_the_table(places, place):
    batches = Batches(places[place], "ill", "weight", batch_bytes=SMALL)
    assert batches.names == FEATURES
    assert batches.n_rows == N_ROWS
    columns = batches.columns()
    whole = TABLE.select(FEATURES)
    assert columns == Columns.of(whole)
    for _ in range(2):  # as often as wanted
        parts = list(batches.tables(columns))
        assert len(parts) > 3
        rows = np.concatenate([part.table.rows() for part in parts])
        np.testing.assert_array_equal(rows, columns.values(whole))
        labels = np.concatenate([part.labels for part in parts])
        np.testing.assert_array_equal(labels, TABLE["ill"].to_numpy())
        weights = np.concatenate([part.weights for part in parts])
        np.testing.assert_array_equal(weights, TABLE["weight"].to_numpy())
    n_bytes = max(frame.nbytes for frame in batches.frames())
    assert n_bytes < 3 * SMALL


def test_compact_types(places):
    batches = Batches(places["Parquet"], "ill", drop=["weight"])
    first = next(batches.tables(batches.columns())).table
    types = {
        name: str(column.values.dtype)
        for name, column in zip(batches.names, first.columns, strict=True)
    }
    compact = {"size": "float32", "flag": "int8", "colour": "int8", "grade": "int8"}
    assert types == types | compact


def test_partitions_of_a_folder_are_columns(tmp_path):
    pyarrow.dataset.write_dataset(
        TABLE,
        tmp_path / "hive",
        format="parquet",
        partitioning=["colour"],
        partitioning_flavor="hive",
    )
    whole = pyarrow.dataset.dataset(tmp_path / "hive", partitioning="hive").to_table()
    batches = Batches(tmp_path / "hive", "ill", "weight", batch_bytes=SMALL)
    assert sorted(batches.names) == sorted(FEATURES)
    columns = batches.columns()
    features = whole.select(batches.names)
    assert columns == Columns.of(features)
    rows = np.concatenate([part.table.rows() for part in batches.tables(columns)])
    np.testing.assert_array_equal(rows, columns.values(features))


def test_a_filtered_dataset_stays_filtered(places):
    is_large = pyarrow.dataset.field("size") > 0
    batches = Batches(places["dataset"].filter(is_large), "ill", batch_bytes=SMALL)
    n_large = int((TABLE["size"].to_numpy() > 0).sum())
    assert sum(len(frame) for frame in batches.frames()) == batches.n_rows == n_large


def test_texts_of_all_batches_count(tmp_path):
    values = ["1"] * 300 + ["red"] + ["2"] * 300
    pq.write_table(pa.table({"x": values, "y": [0, 1, 1] * 200 + [0]}), tmp_path / "t.parquet")
    batches = Batches(tmp_path / "t.parquet", "y", batch_bytes=SMALL)
    assert batches.columns().categories[0].labels == ("1", "2", "red")


def test_too_many_texts_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.batches.MOST_TEXTS", 50)
    table = pa.table({"x": [f"id{i}" for i in range(200)], "y": [0, 1] * 100})
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(
        ColumnError, match=r"column 'x' of .*t.parquet holds more than 50 different"
    ):
        Batches(tmp_path / "t.parquet", "y", batch_bytes=SMALL).columns()


def test_what_is_wrong_is_named(tmp_path, places):
    path = places["Parquet"]
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing\.parquet"):
        Batches(tmp_path / "nothing.parquet")
    with pytest.raises(ValueError, match=r"target must name a column of .*t\.parquet, got 'sick'"):
        Batches(path, "sick")
    with pytest.raises(ValueError, match="sample_weight must name a column"):
        Batches(path, "ill", "mass")
    with pytest.raises(ValueError, match="drop must name a column"):
        Batches(path, "ill", drop=["mass"])
    with pytest.raises(ValueError, match="must differ, got 'ill' twice"):
        Batches(path, "ill", "ill")
    with pytest.raises(ValueError, match="must have a column besides"):
        Batches(path, "ill", drop=[*FEATURES, "weight"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="must be a folder of Parquet files"):
        Batches(tmp_path / "empty")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 is not enough")
    with pytest.raises(ValueError, match=r"broken\.parquet cannot be read"):
        Batches(tmp_path / "broken.parquet")
    missing = pa.table({"x": [1.0] * 300, "y": [0, 1] * 100 + [None] * 100})
    pq.write_table(missing, tmp_path / "t.parquet")
    batches = Batches(tmp_path / "t.parquet", "y", batch_bytes=800)
    with pytest.raises(ValueError, match="column 'y' must have a label in each row, but row 200"):
        list(batches.tables(batches.columns()))


# CSV

CSV = (
    "size, colour ,count,note,code,class\n"
    "1.5,red,1,,+7,-\n"
    "NA, blue,2,n/a,8,+\n"
    '-2e3,"dark, red",3,NULL,9,-\n'
    ".5,?,4,,-1,+\n"
    "7,red,5,-,0,+\n"
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_of_csv_mean_what_the_command_line_reads(tmp_path, separator, monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.csv_files.BLOCK_BYTES", 64)
    path = tmp_path / "t.csv"
    text = (
        CSV
        if separator == ","
        else CSV.replace(",", separator).replace(f"dark{separator}", "dark,")
    )
    path.write_text(text)
    X, y = TableReader(read_table(path)).training_data("class", Choices(drop=["note"]))
    batches = Batches(path, "class", drop=["note"], batch_bytes=100)
    columns = batches.columns()
    assert batches.names == list(X.columns)
    assert batches.n_rows == len(X)
    assert columns.categories[1].labels == tuple(X["colour"].cat.categories)
    parts = list(batches.tables(columns))
    assert len(parts) > 1
    rows = np.concatenate([part.table.rows() for part in parts])
    np.testing.assert_array_equal(rows, Columns.of(X).values(X))
    assert np.concatenate([part.labels for part in parts]).tolist() == y.tolist()
    assert [str(t) for t in batches.schema.types] == [
        "double",
        "string",
        "int64",
        "double",
        "int64",
        "string",
    ]


def test_types_of_csv_come_from_all_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.csv_files.BLOCK_BYTES", 256)
    rows = [f"{i},{i},{i % 2}" for i in range(300)] + ["0.5,word,1"]
    path = tmp_path / "t.csv"
    path.write_text("number,text,y\n" + "\n".join(rows) + "\n")
    batches = Batches(path, "y")
    assert [str(t) for t in batches.schema.types] == ["double", "string", "int64"]
    assert batches.n_rows == 301
    assert len(batches.columns().categories[1].labels) == 301


def test_csv_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "t.csv"
    for text, message in {
        "": "is empty",
        "a,b\n": "has no rows",
        "a,b\n1,2\n3\n": "cannot be read as CSV: .*Expected 2 columns, got 1",
        "a;b\n1,5;x\n2,5;y\n": "column 'a' of .* holds numbers with decimal commas",
    }.items():
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            Batches(path)


# Estimators


@pytest.mark.parametrize("place", PLACES)
def test_predictions_of_files_are_those_in_memory(places, place, clf):
    X, source = TABLE.select(FEATURES), Batches(places[place], batch_bytes=SMALL)
    expected = clf.answer(X)
    np.testing.assert_array_equal(clf.predict(source), expected.labels)
    np.testing.assert_array_equal(clf.predict_proba(source), expected.probability)
    found = clf.predict_evidence(source)
    np.testing.assert_array_equal(found.ignorance, expected.evidence.ignorance)
    np.testing.assert_array_equal(found.novelty, expected.evidence.novelty)
    np.testing.assert_array_equal(clf.answer(source).probability, expected.probability)
    parts = list(clf.answer_batches(source))
    assert len(parts) > 3
    np.testing.assert_array_equal(np.concatenate([p.labels for p in parts]), expected.labels)
    assert clf.score(source, "ill") == pytest.approx(clf.score(X, TABLE["ill"].to_numpy()))
    weighted = clf.score(X, TABLE["ill"].to_numpy(), TABLE["weight"].to_numpy())
    assert clf.score(source, "ill", "weight") == pytest.approx(weighted)
    np.testing.assert_array_equal(clf.predict(places[place]), expected.labels)


def test_evolved_rules_and_rules_without_names(tmp_path):
    X, y = np.asarray(TABLE["price"]).reshape(-1, 1), TABLE["ill"].to_numpy()
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE.select(["price", "ill"]), path)
    clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, y)
    source = Batches(path, "ill", batch_bytes=SMALL)
    np.testing.assert_array_equal(clf.predict(source), clf.predict(X))
    assert clf.score(source, "ill") == pytest.approx(clf.score(X, y))
    with pytest.raises(ValueError, match=r"its 1 features by their order only.*has 2 columns"):
        clf.predict(path)


@pytest.mark.parametrize("place", PLACES)
def test_training_on_a_file_is_training_in_memory(places, place, clf):
    source = Batches(places[place], drop=["weight"], batch_bytes=SMALL, memory="1GB")
    found = EvidentialRuleClassifier(max_rules=6, random_state=0).fit(source, "ill")
    assert found.rules_.to_json() == clf.rules_.to_json()


def test_weights_of_a_file_count(places):
    X, y = TABLE.select(FEATURES), TABLE["ill"].to_numpy()
    weight = TABLE["weight"].to_numpy()
    expected = EvidentialRuleClassifier(max_rules=4).fit(X, y, sample_weight=weight)
    found = EvidentialRuleClassifier(max_rules=4).fit(places["Parquet"], "ill", "weight")
    assert found.rules_.to_json() == expected.rules_.to_json()


def test_training_on_csv(tmp_path):
    frame = TABLE.select(["size", "colour", "price", "ill"])
    path = tmp_path / "t.csv"
    pyarrow.csv.write_csv(frame, path)
    found = EvidentialRuleClassifier(max_rules=4).fit(path, "ill")
    X, y = TableReader(read_table(path)).training_data("ill")
    expected = EvidentialRuleClassifier(max_rules=4).fit(X, y)
    assert found.rules_.to_json() == expected.rules_.to_json()
    np.testing.assert_array_equal(found.predict(path), expected.predict(X))


def test_training_that_needs_more_memory_is_refused(places):
    source = Batches(places["Parquet"], "ill", memory="10kB")
    clf = EvidentialRuleClassifier()
    with pytest.raises(
        ValueError, match=r"memory: training on the 500 rows of .* take about 74 kB"
    ):
        clf.fit(source, None)
    assert not hasattr(clf, "classes_")


def test_mistakes_with_files_are_named(places, clf, tmp_path):
    path = places["Parquet"]
    with pytest.raises(ValueError, match="y must name a column if X is a file, got ndarray"):
        EvidentialRuleClassifier().fit(path, TABLE["ill"].to_numpy())
    with pytest.raises(ValueError, match="y must name the column of"):
        EvidentialRuleClassifier().fit(path, None)
    with pytest.raises(ValueError, match="sample_weight must name a column if X is a file"):
        EvidentialRuleClassifier().fit(path, "ill", TABLE["weight"].to_numpy())
    with pytest.raises(ValueError, match="needs data in memory"):
        clf.membership(path)
    with pytest.raises(TypeError, match="X must be a path"):
        next(clf.answer_batches(TABLE))
    pq.write_table(TABLE.drop_columns(["size", "day"]), tmp_path / "few.parquet")
    with pytest.raises(ValueError, match=r"few\.parquet lacks columns .*: 'size', 'day'"):
        clf.predict(tmp_path / "few.parquet")
    pq.write_table(TABLE.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"none\.parquet has no rows"):
        clf.predict(tmp_path / "none.parquet")
    price = TABLE["price"].to_numpy().copy()
    price[400] = np.inf
    bad = TABLE.set_column(TABLE.schema.get_field_index("price"), "price", pa.array(price))
    pq.write_table(bad, tmp_path / "bad.parquet")
    message = r"bad\.parquet, from row (\d+) on: column 'price' must hold .* in row (\d+)"
    with pytest.raises(ValueError, match=message) as problem:
        clf.predict(Batches(tmp_path / "bad.parquet", batch_bytes=SMALL))
    first, row = map(int, re.search(message, str(problem.value)).groups())
    assert first > 0
    assert first + row == 400


def test_the_global_random_state_is_left_alone(places, clf):
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    clf.predict(places["folder"])
    np.testing.assert_array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize(
    "size", ["800", "1 gigabyte", "1gb", "-1GB", "0MB", "1e3MB", "", 0, True, 1.5]
)
def test_sizes_are_read_strictly(size):
    with pytest.raises(ValueError, match="memory must be a size such as 800MB or 1GiB"):
        bytes_in(size)


def test_sizes():
    assert [bytes_in(s) for s in ("1B", "2kB", "1.5 MiB", "3TB")] == [1, 2000, 1572864, 3 * 10**12]
    assert [size_text(n) for n in (0, 999_600, 12_345_678)] == ["0 B", "1.0 MB", "12 MB"]
