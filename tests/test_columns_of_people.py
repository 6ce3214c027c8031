"""Columns as people have them, from the table through the model file to other tables."""

import json

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from command_line import call, rows_in
from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.date_parts import find_style
from fuzzyucs.cli.tables.units import common_unit, split_unit
from fuzzyucs.variables.table_form import TableForm

N_ROWS = 120


def clients():
    """Return a table whose columns all tell something about the class."""
    rng = np.random.default_rng(1)
    is_ill = np.arange(N_ROWS) % 2 == 0
    age = rng.integers(20, 50, N_ROWS) + 30 * is_ill
    days = rng.integers(0, 700, N_ROWS) + 500 * is_ill
    visit = pd.Timestamp("2019-03-01") + pd.to_timedelta(days, unit="D")
    return pd.DataFrame(
        {
            "client": rng.permutation(N_ROWS) + 1000,
            "age": [f"{a} years" if a % 5 else f"{a}" for a in age],
            "income": [f"${1000 + 40.25 * a:,.2f}" for a in age],
            "share": [f"{a} %" for a in age],
            "postcode": [f"0{4000 + i}" for i in rng.integers(0, 9, N_ROWS)],
            "size": rng.choice(["small", "medium", "large"], N_ROWS),
            "visit": visit.strftime("%d/%m/%Y"),
            "ill": np.where(is_ill, "yes", "no"),
        }
    )


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "clients.csv"
    clients().to_csv(path, index=False)
    return path


def fit(capsys, table, *options, status=0):
    model = table.parent / "model.json"
    found, _, messages = call(capsys, "fit", table, "--target", "ill", "-o", model, *options)
    assert found == status, messages
    return (fuzzyucs.load(model) if status == 0 else None), messages


def test_units_are_read_and_kept(capsys, table):
    clf, messages = fit(capsys, table, "--dates")
    assert "numbers with a unit: 'age' (years), 'income' ($), 'share' (%)" in messages
    assert clf.table_form_.units == {"age": "years", "income": "$", "share": "%"}
    assert not set(clf.columns_.categories) & {
        list(clf.feature_names_in_).index(name) for name in ("age", "income", "share")
    }
    other = clients()
    plain = other.assign(
        age=other["age"].str.replace(" years", ""),
        income=other["income"].str.replace("[$,]", "", regex=True),
        share=other["share"].str.replace(" ", ""),
    )
    answers = []
    for frame in (other, plain):
        frame.to_csv(table.parent / "other.csv", index=False)
        status, out, messages = call(
            capsys, "predict", table.parent / "model.json", table.parent / "other.csv"
        )
        assert status == 0, messages
        answers.append(out)
    assert answers[0] == answers[1]
    wrong = other.assign(age=other["age"].str.replace("years", "months"))
    wrong.to_csv(table.parent / "other.csv", index=False)
    status, _, messages = call(
        capsys, "predict", table.parent / "model.json", table.parent / "other.csv"
    )
    assert status == 2
    assert "expected a number in years, got" in messages
    assert "months" in messages


def test_codes_and_identifiers_are_recognised(capsys, table):
    clf, messages = fit(capsys, table, "--dates")
    names = list(clf.feature_names_in_)
    assert "'postcode' has codes with zeros at the beginning" in messages
    assert clf.columns_.categories[names.index("postcode")].labels[0] == "04000"
    assert "'client' numbers the rows; if that carries no information: --drop client" in messages
    assert "client" in names
    clf, messages = fit(capsys, table, "--dates", "--drop-unusable")
    assert "left out, because they cannot be used: 'client'" in messages
    assert "client" not in clf.feature_names_in_
    clf, _ = fit(capsys, table, "--dates", "--type", "postcode=number,client=category", status=2)
    clf, _ = fit(capsys, table, "--dates", "--type", "postcode=number", "--ignore", "client")
    assert names.index("postcode") - 1 not in clf.columns_.categories
    assert "client" not in clf.feature_names_in_


def test_unusable_columns_are_left_out_when_asked_for(capsys, table):
    frame = clients().assign(note=[f"note {i}" for i in range(N_ROWS)], same="x")
    frame.to_csv(table, index=False)
    _, messages = fit(capsys, table, status=2)
    for name in ("visit", "note", "same"):
        assert f"column '{name}' holds" in messages
    assert "or all of these: --drop-unusable" in messages
    clf, messages = fit(capsys, table, "--drop-unusable")
    assert "left out, because they cannot be used: 'visit', 'note', 'same', 'client'" in messages
    assert list(clf.feature_names_in_) == ["age", "income", "share", "postcode", "size"]


def test_orders_are_kept_by_the_model(capsys, table):
    clf, messages = fit(capsys, table, "--dates", "--ordered", "size=small,medium,large")
    assert "ordered: 'size' (small, medium, large)" in messages
    size = list(clf.feature_names_in_).index("size")
    assert clf.columns_.categories[size].labels == ("small", "medium", "large")
    assert clf.columns_.categories[size].is_ordered
    _, messages = fit(capsys, table, "--dates", "--ordered", "size=small,large", status=2)
    assert "--ordered does not name 'medium'" in messages
    _, messages = fit(capsys, table, "--dates", "--ordered", "sise=small,large", status=2)
    assert "--ordered" in messages
    assert "did you mean 'size'?" in messages
    for wrong in ("size", "size=small", "size=small,small", "size=small,,large"):
        _, messages = fit(capsys, table, "--ordered", wrong, status=2)
        assert "--ordered" in messages
    _, messages = fit(
        capsys, table, "--ordered", "size=small,medium,large", "--nominal", "size", status=2
    )
    assert "'size' cannot be ordered and category" in messages


def test_dates_become_features(capsys, table):
    _, messages = fit(capsys, table, status=2)
    assert "column 'visit' holds dates such as" in messages
    assert "--dates makes year, month, weekday and days of them" in messages
    clf, messages = fit(capsys, table, "--dates")
    frame = clients()
    visit = pd.to_datetime(frame["visit"], format="%d/%m/%Y")
    first = visit.min().date().isoformat()
    days = f"days from {first} to visit"
    parts = ["year of visit", "month of visit", "weekday of visit", days]
    assert list(clf.feature_names_in_)[-4:] == parts
    assert "dates: 'visit', read as %d/%m/%Y, became 'year of visit', 'month of visit'" in messages
    # The same answers as from features that pandas makes.
    by_hand = frame.drop(columns=["visit", "ill"]).assign(
        age=frame["age"].str.removesuffix(" years").astype(float),
        income=frame["income"].str.replace("[$,]", "", regex=True).astype(float),
        share=frame["share"].str.removesuffix(" %").astype(float),
        **dict(
            zip(
                parts,
                (
                    visit.dt.year,
                    visit.dt.month,
                    visit.dt.day_name(),
                    (visit - visit.min()).dt.days,
                ),
                strict=True,
            )
        ),
    )
    _, out, _ = call(capsys, "predict", table.parent / "model.json", table, "--json")
    found = pd.DataFrame(json.loads(out))
    expected = clf.predict_proba(by_hand)[:, list(clf.classes_).index("yes")]
    np.testing.assert_allclose(found["probability of yes"], expected, atol=1e-12)


def test_dates_in_another_style_are_refused(capsys, table):
    fit(capsys, table, "--dates")
    frame = clients()
    frame.loc[3, "visit"] = "2020-05-01"
    frame.to_csv(table.parent / "other.csv", index=False)
    status, _, messages = call(
        capsys, "predict", table.parent / "model.json", table.parent / "other.csv"
    )
    assert status == 2
    expected = "column 'visit', row 4 (line 5): expected a date as in training (%d/%m/%Y), got"
    assert f"{expected} '2020-05-01'" in messages


def cells(*texts):
    return Cells.of("when", np.array(texts, dtype=object), ())


@pytest.mark.parametrize(
    ("texts", "style"),
    [
        (["2020-01-31", "2020-02-01T10:30:00Z"], "ISO8601"),
        (["31.1.2020", "1.2.2020"], "%d.%m.%Y"),
        (["1.2.2020", "3.4.2020"], "%d.%m.%Y"),
        (["31/01/2020 10:30", "01/02/2020 09:00"], "%d/%m/%Y %H:%M"),
        (["01/31/2020", "02/01/2020"], "%m/%d/%Y"),
        (["31/1/20", "1/2/20"], "%d/%m/%y"),
        (["5 Jan 2020", "31 Dec 2021"], "%d %b %Y"),
        (["January 5, 2020", "May 31, 2021"], "%B %d, %Y"),
    ],
)
def test_the_style_of_dates_is_found(texts, style):
    assert find_style(cells(*texts)) == style


def test_days_and_months_are_not_guessed():
    texts = ("01/02/2020", "03/04/2021")
    with pytest.raises(ValueError, match=r"may be the day or the month; .*--date-order dmy or"):
        find_style(cells(*texts))
    assert find_style(cells(*texts), "dmy") == "%d/%m/%Y"
    assert find_style(cells(*texts), "mdy") == "%m/%d/%Y"
    with pytest.raises(ValueError, match="not all of which are written in one style"):
        find_style(cells("31/01/2020", "01/31/2020"))
    with pytest.raises(ValueError, match="not all of which are written in one style"):
        find_style(cells("31/01/2020", "30/01/2020"), "mdy")


def test_rows_without_a_class_are_left_out_when_asked_for(capsys, table):
    frame = clients()
    frame.loc[[0, 7, 9], "ill"] = ""
    frame.to_csv(table, index=False)
    _, messages = fit(capsys, table, "--dates", status=2)
    assert "3 rows" in messages
    assert "--skip-unlabelled leaves them out" in messages
    clf, messages = fit(capsys, table, "--dates", "--skip-unlabelled")
    assert "left out: 3 rows without 'ill'" in messages
    complete = frame[frame["ill"] != ""]
    complete.to_csv(table, index=False)
    same, _ = fit(capsys, table, "--dates")
    assert clf.rules_.to_text() == same.rules_.to_text()


@pytest.mark.parametrize("wrong", ["age=shape", "age", "=number", "age=numbr"])
def test_types_that_there_are_not_are_refused(capsys, table, wrong):
    _, messages = fit(capsys, table, "--type", wrong, status=2)
    assert "--type: expected a column and one of number, category, date" in messages


def test_a_row_is_found_though_others_were_left_out(capsys, table):
    frame = clients().astype(object)
    frame.loc[[0, 7], "ill"] = ""
    frame.loc[9, "share"] = "?!"
    frame.to_csv(table, index=False)
    _, messages = fit(capsys, table, "--dates", "--skip-unlabelled", status=2)
    assert "column 'share', row 10 (line 11): expected a number" in messages


def test_markers_are_remembered(capsys, table):
    frame = clients().astype(object)
    frame.loc[::7, "share"] = "not known"
    frame.to_csv(table, index=False)
    clf, messages = fit(capsys, table, "--dates", "--missing-marker", "not known")
    assert clf.table_form_.markers == ("not known",)
    status, out, messages = call(capsys, "predict", table.parent / "model.json", table)
    assert status == 0, messages
    assert len(rows_in(out)) == N_ROWS


def test_a_model_that_learns_anew_forgets_the_table(capsys, table):
    clf, _ = fit(capsys, table, "--dates")
    X = np.random.default_rng(0).normal(size=(40, 2))
    clf.fit(X, X[:, 0] > 0)
    assert not hasattr(clf, "table_form_")


def test_long_cells_are_not_echoed(capsys, table):
    frame = clients().astype(object)
    text = "This patient was seen twice, " * 200
    frame.loc[5, "share"] = text
    frame.to_csv(table, index=False)
    _, messages = fit(capsys, table, "--dates", status=2)
    assert "This patient" in messages
    assert len(messages) < 1000
    frame["share"] = [f"{i} {text}" for i in range(N_ROWS)]
    frame.to_csv(table, index=False)
    _, messages = fit(capsys, table, "--dates", status=2)
    assert "holds a different text in every row" in messages
    assert len(messages) < 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("29 years", (29, "years")),
        ("-3.5°C", (-3.5, "°C")),
        ("$1,000.50", (1000.5, "$")),
        ("-$5", (-5, "$")),
        ("EUR 12.50", (12.5, "EUR")),
        ("12%", (12, "%")),
        ("5 kg/m2", (5, "kg/m2")),
        ("1e3 Hz", (1000, "Hz")),
        ("29", None),
        ("years", None),
        ("10-19", None),
        ("10 - 19 years", None),
        ("6 ft 2 in", None),
        ("12:30", None),
        ("2020-01-01", None),
        ("12 May 2020", None),
        ("7 " + "x" * 100, None),
    ],
)
def test_a_unit_follows_or_precedes_a_number(text, expected):
    assert split_unit(text) == expected


def test_most_cells_decide_what_the_unit_is():
    assert common_unit(["5 mg", "1 g"], ".") is None
    assert common_unit(["1st", "2nd", "4th", "5th", "6th"], ".") is None
    assert common_unit(["29 years", "30 years", "old"], ".") == ([29, 30, None], "years")
    assert common_unit(["5 mg", "10 mg", "1 g"], ".") == ([5, 10, None], "mg")
    assert common_unit(["1,5 kg", "2 kg"], ",") == ([1.5, 2], "kg")
    assert common_unit(["1", "2", "3 kg"], ".") is None  # most say nothing


def test_an_empty_form_says_nothing():
    assert not TableForm()
    assert TableForm(("x",))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("share", "column 'share' holds dates such as"),
        ("amount", "column 'amount' holds numbers, not dates"),
        ("empty", "column 'empty' holds no value"),
    ],
)
def test_what_holds_no_dates_cannot_be_read_as_dates(capsys, table, column, message):
    frame = clients().assign(amount=np.arange(N_ROWS) * 1.5, empty=None)
    path = table.with_suffix(".parquet")
    frame.astype({"empty": object}).to_parquet(path)
    _, messages = fit(capsys, path, "--dates", "--type", f"{column}=date", status=2)
    assert message in messages


@pytest.mark.parametrize("option", ["--type=ill=number", "--nominal=ill", "--ordered=ill=no,yes"])
def test_nothing_is_said_about_the_target_in_vain(capsys, table, option):
    _, messages = fit(capsys, table, "--dates", option, status=2)
    assert "'ill' is the target, which holds classes" in messages
