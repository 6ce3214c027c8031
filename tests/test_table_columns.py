"""What the columns of tables hold."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.tables.choices import Choices
from fuzzyucs.cli.tables.file import TableFile, read_table
from fuzzyucs.cli.tables.numbers import number_in
from fuzzyucs.cli.tables.reader import TableReader
from fuzzyucs.variables.columns import ColumnError
from fuzzyucs.variables.frames import Columns

SWAPPED = str.maketrans({",": ".", ".": ","})


def reader_of(columns, separator=",", **options):
    cells = {
        name: np.array(values, dtype=float)
        if isinstance(values[0], float)
        else np.array(values, dtype=object)
        for name, values in columns.items()
    }
    return TableReader(TableFile("table.csv", cells, separator=separator), **options)


def learn(columns, separator=",", target="class", nominal=(), drop=(), choices=None, **options):
    choices = choices or {}
    n_rows = len(next(iter(columns.values())))
    labels = ["a", "b"] * (n_rows // 2) + ["a"] * (n_rows % 2)
    reader = reader_of({"class": labels} | columns, separator, **options)
    X, y = reader.training_data(target, Choices(nominal, drop, **choices))
    return X, y, reader


# Numbers


@given(st.floats(-1e12, 1e12), st.integers(0, 6), st.sampled_from(",' \u00a0\u202f\u2019"))
def test_numbers_are_read_as_people_write_them(number, n_digits, mark):
    text = f"{number:,.{n_digits}f}"
    value = float(text.replace(",", ""))
    assert number_in(text.replace(",", mark)) == value
    assert number_in(text.replace(",", "")) == value
    swapped = text.translate(SWAPPED)
    assert number_in(swapped if mark == "," else swapped.replace(".", mark), ",") == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_as_programs_write_them(number):
    assert number_in(repr(number)) == number
    assert number_in(repr(number).translate(SWAPPED), ",") == number


@given(st.text(alphabet="0123456789.,-+eE '", max_size=8))
def test_nothing_but_numbers_is_read(text):
    number = number_in(text)
    plain = text.translate({ord(mark): None for mark in ", '"})
    if number is not None:
        assert number == float(plain)
    elif plain == text:
        with pytest.raises(ValueError, match="could not convert"):
            float(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1.2.3",
        "1,23",
        "12,34.5",
        "1234,567",
        "0,123",
        "1,234 567",
        "nan",
        "inf",
        "1_000",
        "--1",
        "1e",
        ".",
        "5 mg",
        "12%",
    ],
)
def test_what_is_no_number_is_none(text):
    assert number_in(text) is None


def test_signs_and_ends():
    assert number_in("\u22125") == -5
    assert number_in("+.5e-1") == 0.05
    assert number_in("5.") == 5


@pytest.mark.parametrize(
    ("columns", "separator", "values"),
    [
        ({"x": ["1.5", "2"]}, ";", [1.5, 2]),
        ({"x": ["1,5", "2"]}, ";", [1.5, 2]),
        ({"x": ["1,5", "2"]}, ",", [1.5, 2]),  # in quotes
        ({"x": ["1.234", "2.345"]}, ",", [1.234, 2.345]),
        ({"x": ["1,234", "2,345"]}, ",", [1234, 2345]),
        ({"x": ["1.234", "2.345"], "z": ["0,5", "1"]}, ";", [1234, 2345]),
        ({"x": ["1,234", "2,345"], "z": ["0.5", "1"]}, ";", [1234, 2345]),
        ({"x": ["1.234", "0.345"]}, ";", [1.234, 0.345]),
        ({"x": ["1.234,5", "2"]}, ";", [1234.5, 2]),
    ],
)
def test_the_decimal_mark_is_found_in_all_columns(columns, separator, values):
    X, _, _ = learn(columns, separator)
    assert X["x"].tolist() == values


def test_an_ambiguous_decimal_mark_is_asked_for():
    with pytest.raises(ValueError, match=r"column 'x': '1\.234' could be .*--decimal"):
        learn({"x": ["1.234", "2.345"]}, ";")
    X, _, _ = learn({"x": ["1.234", "2.345"]}, ";", decimal=",")
    assert X["x"].tolist() == [1234, 2345]
    with pytest.raises(ValueError, match="point in column 'x' and a comma in column 'z'"):
        learn({"x": ["1.5", "2.5"], "z": ["1,5", "2,5"]}, ";")


# Kinds of columns


def test_kinds_come_from_all_rows():
    numbers = [str(i % 7) for i in range(3000)]
    with pytest.raises(ValueError, match=r"column 'x', row 3001: expected a number, got 'none'"):
        learn({"x": [*numbers, "none"]})


def test_every_marker_of_missing_values_is_counted():
    markers = ["", "NA", "n/a", "NaN", "NULL", "?", "-", ".", "#N/A", "na"]
    X, _, reader = learn({"x": [*markers, "5"], "z": list("uvuvuvuvuv?")})
    assert X["x"].isna().tolist() == [True] * 10 + [False]
    assert X["z"].isna().tolist() == [False] * 10 + [True]
    expected = "'x' 10 (empty 1, NA 1, n/a 1, NaN 1, NULL 1, ? 1, - 1, . 1, #N/A 1, na 1), "
    assert f"missing: {expected}'z' 1 (? 1)" in reader.notes


def test_other_words_among_numbers_are_told_with_advice():
    cells = ["1", "2", "not known", "4", "5", "nix"]
    with pytest.raises(ValueError, match=r"row 3: .*'not known' \(elsewhere 'nix'\)") as told:
        learn({"x": cells})
    assert "--missing-marker 'not known'" in str(told.value)
    assert "--nominal x" in str(told.value)
    X, _, reader = learn({"x": cells}, markers=["not known", "nix"])
    np.testing.assert_equal(X["x"].to_numpy(), [1, 2, np.nan, 4, 5, np.nan])
    assert "missing: 'x' 2 (not known 1, nix 1)" in reader.notes


def test_numbers_can_mean_missing():
    X, _, _ = learn({"x": ["1", "-999", "3"], "z": [1.0, -999.0, 3.0]}, markers=["-999"])
    np.testing.assert_equal(X.to_numpy(), [[1, 1], [np.nan, np.nan], [3, 3]])


def test_text_and_booleans_are_nominal():
    X, y, reader = learn({"x": ["yes", "no", "yes", ""], "z": ["True", "False", "", "True"]})
    assert X["x"].cat.categories.tolist() == ["no", "yes"]
    assert X["x"].tolist()[:3] == ["yes", "no", "yes"]
    assert X["z"].cat.codes.tolist() == [1, 0, -1, 1]
    assert y.tolist() == ["a", "b", "a", "b"]
    assert "nominal: 'x' (no, yes), 'z' (False, True)" in reader.notes


def test_codes_can_be_made_nominal_and_columns_left_out():
    columns = {"x": ["10", "20", "10"], "z": [1.0, 2.0, 2.0], "a,b": ["1", "2", "3"]}
    X, _, reader = learn(columns, nominal=["x,z"], drop=["a,b"])
    assert X["x"].cat.categories.tolist() == ["10", "20"]
    assert X["z"].cat.categories.tolist() == ["1", "2"]
    assert list(X) == ["x", "z"]
    assert "left out: 'a,b'" in reader.notes


def test_columns_that_cannot_be_used_are_told_together():
    n_rows = 40
    columns = {
        "name": [f"person {i}" for i in range(n_rows)],
        "born": [f"{i % 28 + 1}.03.1970" for i in range(n_rows)],
        "note": ["text"] * n_rows,
        "place": [f"town {i}" for i in range(n_rows - 1)] + ["town 0"],
    }
    with pytest.raises(ValueError, match="column 'name' holds a different text") as told:
        learn(columns)
    message = str(told.value)
    assert "column 'born' holds dates such as '1.03.1970'; --dates makes year" in message
    assert "column 'note' holds 'text' in every row" in message
    assert "'place'" not in message  # any number of categories will do
    leave_out = "--drop name --drop born --drop note, or all of these: --drop-unusable"
    assert message.endswith(leave_out)


def test_columns_are_typed_once(monkeypatch):
    monkeypatch.setattr("fuzzyucs.variables.frames._ObjectColumn", None)  # which inspects values
    cells = {"code": ["10", "20", "?", "10"], "x": ["1", "2", "3", ""], "z": ["u", "", "v", "u"]}
    X, _, reader = learn(cells, nominal=["code"])
    assert list(map(str, X.dtypes)) == ["category", "float64", "category"]
    columns = Columns.of(X)
    assert {i: known.labels for i, known in columns.categories.items()} == {
        0: ("10", "20"), 2: ("u", "v"),
    }  # fmt: skip
    asked = reader_of(cells).features_for({"code": ("10", "20"), "x": None, "z": ("u", "v")})
    np.testing.assert_equal(columns.numbers(asked).to_numpy(), columns.numbers(X).to_numpy())
    assert reader.notes == [
        "nominal: 'code' (10, 20), 'z' (u, v)",
        "missing: 'code' 1 (? 1), 'x' 1 (empty 1), 'z' 1 (empty 1)",
    ]


def test_tables_and_data_frames_have_the_same_limits_and_words():
    cells = ["12:30:00", "09:15:00", "12:30:00"]
    with pytest.raises(ColumnError) as in_frame:
        Columns.of(pd.DataFrame({"x": map(datetime.time.fromisoformat, cells)}))
    with pytest.raises(ValueError, match="--drop x") as in_table:
        learn({"x": cells})
    assert str(in_frame.value) in str(in_table.value)


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-01-31", "2023-12-01"],
        ["2024-01-31 12:30:00", "2023-12-01T10:00Z"],
        ["31/01/2024", "1/2/24"],
        ["31.1.2024", "01.02.2023"],
        ["5-Jan-2024", "12 March 2023"],
        ["Jan 5, 2024", "March 12 2023"],
    ],
)
def test_dates_are_refused(dates):
    with pytest.raises(ValueError, match=r"holds dates such as .*; --dates makes year, month"):
        learn({"when": [*dates, dates[0]]})


def test_times_of_day_are_refused():
    with pytest.raises(ValueError, match=r"times of day such as '12:30'.*hours since midnight"):
        learn({"when": ["12:30", "9:15 PM", "12:30"]})


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match="column 'x', row 2: expected a finite number"):
        learn({"x": ["1", "1e999"]})
    with pytest.raises(ValueError, match="column 'x', row 2: expected a finite number"):
        learn({"x": [1.0, np.inf]})


def test_a_column_without_values_is_told():
    X, _, reader = learn({"x": ["", "NA"], "z": ["1", "2"]})
    assert X["x"].isna().all()
    assert "missing: 'x' all" in reader.notes


def test_a_count_of_rows_is_remarked():
    _, _, reader = learn({"id": ["1", "2", "3"], "x": ["1", "2", "2"]})
    assert "'id' numbers the rows; if that carries no information: --drop id" in reader.notes


# Labels


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0"], [1, 0]),
        (["1.0", "0.0"], [1, 0]),
        ([1.0, 0.0], [1, 0]),
        (["+", "-"], ["+", "-"]),
        (["0.5", "1.5"], ["0.5", "1.5"]),
        (["yes", "1"], ["yes", "1"]),
    ],
)
def test_labels_stay_what_they_are(cells, labels):
    _, y, _ = learn({"y": cells}, target="y")
    assert y.tolist() == labels


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "", "b", "NA"], "2 rows of table.csv have no 'y', the first is row 2"),
        ([f"{i}.5" for i in range(30)], "30 different numbers such as 0.5: a quantity"),
    ],
)
def test_labels_that_are_none_are_refused(cells, message):
    with pytest.raises(ValueError, match=message):
        learn({"y": cells}, target="y")


def test_labels_are_compared_with_those_of_a_model():
    reader = reader_of({"y": ["1.0", "0", "1"]})
    assert reader.labels_for("y", np.array([0, 1])).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"column 'y', row 2: expected a class .*'1', '2'.* '0'"):
        reader.labels_for("y", np.array([1, 2]))


# Names


def test_names_that_do_not_exist_are_told_with_the_nearest():
    with pytest.raises(ValueError, match=r"--target: .* no column 'Clas'; did you mean"):
        learn({"x": ["1", "2"]}, target="Clas")
    with pytest.raises(ValueError, match=r"--drop: .*'y'\n  it has 'class', 'x'"):
        learn({"x": ["1", "2"]}, drop=["y"])
    with pytest.raises(ValueError, match="no column besides 'class'"):
        learn({"x": ["1", "2"]}, drop=["x"])
    assert closest("q", ["abc"]) == ""


def test_features_are_found_as_a_model_knows_them():
    reader = reader_of({"z": ["u", "w", "?"], "more": ["1", "2", "3"], "x": ["1", "", "3"]})
    X = reader.features_for({"x": None, "z": ("u", "v")})
    assert list(X) == ["x", "z"]
    np.testing.assert_equal(X["x"].to_numpy(), [1, np.nan, 3])
    assert X["z"].cat.codes.tolist() == [0, -1, -1]
    assert X["z"].cat.categories.tolist() == ["u", "v"]
    assert reader.notes == [
        "unknown to the model, hence missing: 'z' (w 1)",
        "missing: 'x' 1 (empty 1), 'z' 1 (? 1)",
        "not asked for by the model: 'more'",
    ]


def test_categories_need_not_be_text():
    reader = reader_of({"flag": ["True", "False"], "code": ["1.0", "2"]})
    X = reader.features_for({"flag": (False, True), "code": ("1", "2")})
    assert X["flag"].tolist() == [True, False]
    assert X["code"].tolist() == ["1", "2"]


def test_one_row_is_enough_to_ask_a_model():
    X = reader_of({"x": ["5"], "z": ["u"]}).features_for({"x": None, "z": ("u", "v")})
    assert X.iloc[0].tolist() == [5, "u"]


def test_features_that_a_model_misses_are_told():
    reader = reader_of({"Hight": ["1"], "z": ["2"]})
    with pytest.raises(ValueError, match="'height'; did you mean 'Hight'") as told:
        reader.features_for({"height": None, "age": None, "z": None})
    assert "'age'\n  columns besides: 'Hight'" in str(told.value)
    with pytest.raises(ValueError, match="column 'z', row 1: expected a number, got 'many'"):
        reader_of({"z": ["many"]}).features_for({"z": None})


def test_the_summary_tells_what_was_decided(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x;z;y\n1,5;u;a\n?;v;b\n2,5;u;b\n")
    reader = TableReader(read_table(path))
    reader.training_data("y")
    assert reader.summary().splitlines() == [
        f"{path}: 3 rows, 3 columns, separated by semicolons",
        "  nominal: 'z' (u, v)",
        "  missing: 'x' 1 (? 1)",
        "  decimal comma",
    ]


def test_the_summary_of_a_single_row(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x\n1\n")
    assert (
        TableReader(read_table(path))
        .summary()
        .splitlines()[0]
        .startswith(f"{path}: 1 row, 1 column")
    )


def test_a_quantity_is_no_class():
    numbers = [str(3000 + 25 * (i % 90)) for i in range(400)]
    numbers[5] = ""
    with pytest.raises(ValueError, match="holds 90 different numbers such as 3000: a quantity"):
        reader_of({"mass": numbers, "x": numbers}).training_data("mass")
    codes = [str(i % 90) for i in range(1800)]  # each of them often enough
    assert len(set(reader_of({"code": codes, "x": codes}).training_data("code")[1])) == 90
