"""Commands that write and ask: nothing is replaced by accident, and rows keep their names."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from command_line import call, make_fruit, rows_in


@pytest.fixture
def folder(tmp_path):
    return make_fruit(tmp_path)


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


def commands(folder, output):
    table, model = folder / "fruit.csv", folder / "model.json"
    target = ["--target", "fruit"]
    return {
        "demo": ["demo", "-o", output],
        "fit": ["fit", table, *target, "-o", output],
        "predict": ["predict", model, table, "-o", output],
        "report": ["report", model, table, *target, "-o", output],
    }


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("fit", "fruit.csv"),
        *(
            (name, source)
            for name in ("predict", "report")
            for source in ("fruit.csv", "model.json")
        ),
    ],
)
def test_an_input_is_never_replaced(folder, say, name, source):
    before = (folder / source).read_bytes()
    status, _, err = say(*commands(folder, folder / source)[name], *["--force"])
    assert status == 2
    assert "would replace the input" in err
    assert (folder / source).read_bytes() == before


@pytest.mark.parametrize("name", ["demo", "fit", "predict", "report"])
@pytest.mark.parametrize("content", ["name,age\nAda,36\n", "{}", "<html></html>", "PAR1 nonsense"])
def test_a_file_of_somebody_else_is_replaced_by_force_alone(folder, say, name, content):
    output = folder / "other.txt"
    output.write_text(content)
    status, out, err = say(*commands(folder, output)[name])
    assert (status, out) == (2, "")
    assert f"{output} exists and was not written by fuzzyucs" in err
    assert "--force" in err
    assert output.read_text() == content
    assert say(*commands(folder, output)[name], "--force")[0] == 0
    assert output.read_text() != content


@pytest.mark.parametrize("name", ["demo", "fit", "predict", "report"])
def test_our_own_files_are_replaced(folder, say, name):
    output = folder / "own"
    for _ in range(2):
        status, _, err = say(*commands(folder, output)[name])
        assert status == 0, err


@pytest.mark.parametrize("more", [["-o", "own.parquet"], ["-o", "own.json", "--json"]])
def test_our_own_predictions_are_replaced(folder, say, more, monkeypatch):
    monkeypatch.chdir(folder)
    for _ in range(2):
        status, _, err = say("predict", "model.json", "fruit.csv", *more)
        assert status == 0, err


def test_a_swapped_model_and_table_are_noticed(folder, say):
    table, model = folder / "fruit.csv", folder / "model.json"
    for command in (
        ["predict", table, model],
        ["explain", table, model],
        ["evaluate", table, model, "--target", "fruit"],
        ["report", table, model, "--target", "fruit", "-o", folder / "page.html"],
    ):
        status, _, err = say(*command)
        assert status == 2
        assert f"{model} is a model and {table} is none; the model comes first" in err
    status, _, err = say("fit", model, "--target", "fruit", "-o", folder / "x.json")
    assert status == 2
    assert "is a model, not a table" in err


def keyed(folder):
    frame = pd.read_csv(folder / "fruit.csv")
    frame.insert(0, "id", [f"0{i}" for i in range(1_000_000, 1_000_000 + len(frame))])
    frame["number"] = np.arange(len(frame)) + 12_345_678_901
    return frame


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_chosen_columns_stand_beside_the_answers(folder, say, suffix):
    frame, table = keyed(folder), folder / f"keyed.{suffix}"
    if suffix == "csv":
        frame.to_csv(table, index=False)
    elif suffix == "parquet":
        frame.to_parquet(table)
    else:
        frame.to_json(table, orient="records", lines=True)
    status, out, err = say("predict", folder / "model.json", table, "--keep", "id,number", "-q")
    assert status == 0, err
    rows = rows_in(out)
    assert list(rows[0])[:3] == ["id", "number", "prediction"]
    assert [row["id"] for row in rows] == frame["id"].tolist()
    assert [row["number"] for row in rows] == frame["number"].astype(str).tolist()
    _, alone, _ = say("predict", folder / "model.json", folder / "fruit.csv", "-q")
    assert [row["prediction"] for row in rows] == [row["prediction"] for row in rows_in(alone)]
    for form in (["-o", folder / "out.parquet"], ["-o", folder / "out.json", "--json"]):
        status, _, err = say("predict", folder / "model.json", table, "--keep", "id", *form)
        assert status == 0, err
    assert pd.read_parquet(folder / "out.parquet")["id"].tolist() == frame["id"].tolist()
    found = json.loads((folder / "out.json").read_text())
    assert [row["id"] for row in found] == frame["id"].tolist()


def test_a_column_that_cannot_be_kept_is_named(folder, say):
    predict = ["predict", folder / "model.json", folder / "fruit.csv"]
    status, out, err = say(*predict, "--keep", "wieght")
    assert (status, out) == (2, "")
    assert "--keep" in err
    assert "did you mean 'weight'?" in err
    pd.read_csv(folder / "fruit.csv").assign(novelty=1).to_csv(folder / "own.csv", index=False)
    status, out, err = say(
        "predict", folder / "model.json", folder / "own.csv", "--keep", "novelty"
    )
    assert (status, out) == (2, "")
    assert "--keep: 'novelty' is the name of an answer, too" in err


def test_several_rows_are_explained(folder, say):
    explain = ["explain", folder / "model.json", folder / "fruit.csv", "-q"]
    alone = [json.loads(say(*explain, "--row", row, "--json")[1]) for row in (2, 5)]
    _, out, _ = say(*explain, "--row", "2,5", "--json")
    found = list(map(json.loads, out.splitlines()))
    assert found == [{"row": 2, **alone[0]}, {"row": 5, **alone[1]}]
    _, out, _ = say(*explain, "--row", "all", "--json")
    assert [json.loads(line)["row"] for line in out.splitlines()] == list(range(1, 61))
    _, out, _ = say(*explain, "--row", "2-3")
    assert [line for line in out.splitlines() if line.startswith("Row ")] == ["Row 2", "Row 3"]
    _, out, _ = say(*explain, "--row", "2-3", "--html")
    assert out.count("<h3>Row ") == 2


@pytest.mark.parametrize("rows", ["0", "61", "5-3", "2-", "x", "", "1-99"])
def test_rows_that_there_are_not_are_refused(folder, say, rows):
    explain = ["explain", folder / "model.json", folder / "fruit.csv", "--row", rows]
    status, out, err = say(*explain)
    assert (status, out) == (2, "")
    assert "--row: " in err
