"""Measures of a model on tables in pieces, and training within a limit of memory."""

import json
from contextlib import nullcontext
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from command_line import call
from fuzzyucs import load
from fuzzyucs.cli.cross_validation import by_verdict, measure
from fuzzyucs.cli.main import main
from fuzzyucs.cli.measuring import Measuring

N_ROWS = 600


def make_table(seed, n_rows=N_ROWS):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["size", "mass", "noise"])
    frame["colour"] = rng.choice(["red", "blue", "green"], n_rows)
    score = frame["size"] + (frame["colour"] == "red") + rng.normal(scale=0.5, size=n_rows)
    frame["kind"] = np.select([score < -0.3, score < 0.8], ["low", "middle"], "high")
    frame.loc[rng.random(n_rows) < 0.1, "mass"] = np.nan
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    make_table(0).to_parquet(folder / "train.parquet")
    make_table(1).to_parquet(folder / "test.parquet")
    make_table(1).to_csv(folder / "test.csv", index=False)
    for name in ("evidential", "fuzzyucs"):
        fit = ["fit", str(folder / "train.parquet"), "--target", "kind", "-q", "--estimator", name]
        assert main([*fit, "-o", str(folder / f"{name}.json")]) == 0
    return folder


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr("fuzzyucs.cli.tables.pieces.PIECE_BYTES", 20_000)
    monkeypatch.setattr("fuzzyucs.variables.batches.BATCH_BYTES", 3_000)


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


@pytest.mark.parametrize("model", ["evidential", "fuzzyucs"])
@pytest.mark.parametrize("table", ["test.parquet", "test.csv"])
def test_measures_are_those_in_memory(folder, say, model, table):
    clf, frame = load(folder / f"{model}.json"), make_table(1)
    truth = frame["kind"].to_numpy()
    answer = clf.answer(frame.drop(columns="kind"))
    labels, counts = np.unique(truth, return_counts=True)
    expected = measure(clf, answer, truth, labels[counts.argmax()])
    path = folder / f"{model}.json"
    status, out, _ = say("evaluate", path, folder / table, "--target", "kind", "--json")
    found = json.loads(out)
    assert (status, found["rows"]) == (0, N_ROWS)
    assert found["measures"] == pytest.approx(expected, rel=1e-12)
    judged = [] if model == "fuzzyucs" else [(answer.evidence.verdict, answer.labels == truth)]
    assert found.get("verdicts", {}) == by_verdict(judged)


@pytest.mark.parametrize("is_predicted", [True, False])
def test_classes_that_do_not_occur(folder, is_predicted):
    clf = load(folder / "evidential.json")
    frame = make_table(1)
    frame = frame[frame["kind"] != "middle"]
    if not is_predicted:
        frame = frame[clf.predict(frame.drop(columns="kind")) != "middle"]
    truth, answer = frame["kind"].to_numpy(), clf.answer(frame.drop(columns="kind"))
    measuring = Measuring(clf)
    for rows in (slice(0, 50), slice(50, None)):
        measuring.add(clf.answer(frame.drop(columns="kind")[rows]), truth[rows])
    labels, counts = np.unique(truth, return_counts=True)
    # scikit-learn warns of classes that are predicted and do not occur.
    warned = pytest.warns(UserWarning, match="y_pred contains classes not in y_true")
    with warned if is_predicted else nullcontext():
        expected = measure(clf, answer, truth, labels[counts.argmax()])
    assert measuring.measures() == pytest.approx(expected, rel=1e-12)


def test_the_table_of_measures(folder, say):
    command = ["evaluate", folder / "evidential.json", folder / "test.parquet", "--target", "kind"]
    status, out, err = say(*command)
    assert (status, "600 rows, 5 columns, Parquet" in err) == (0, True)
    lines = out.splitlines()
    assert lines[0].startswith("Of use: log loss")
    assert any(line.split() == ["measure", "value"] for line in lines)
    assert any(line.startswith("macro F1 ") for line in lines)
    assert any(line.split() == ["verdict", "rows", "share", "right"] for line in lines)
    assert say(*command, "-q")[2] == ""


def test_options_of_training_are_refused(folder, say):
    command = ["evaluate", folder / "evidential.json", folder / "test.parquet", "--target", "kind"]
    for option in (["--folds", 3], ["--max-rules", 3], ["--drop", "mass"], ["--nominal", "mass"]):
        status, _, err = say(*command, *option)
        assert (status, f"{option[0]} is for training, but there is a model" in err) == (2, True)
    assert say("evaluate", "a", "b", "c", "--target", "kind")[0] == 2
    status, _, err = say(*command[:-1], "sort")
    assert (status, "--target: " in err, "has no column 'sort'" in err) == (2, True, True)


def test_base_rates_are_those_of_the_option(folder, say):
    command = ["evaluate", folder / "evidential.json", folder / "test.parquet", "--target", "kind"]
    found = [
        json.loads(say(*command, "--json", *more)[1]) for more in ([], ["--base-rates", "equal"])
    ]
    assert found[0]["measures"]["log_loss"] != found[1]["measures"]["log_loss"]


# Training


def test_training_within_a_limit_of_memory(folder, tmp_path, say):
    for name in ("limited", "free"):
        limit = ["--memory", "1GB"] if name == "limited" else []
        fit = ["fit", folder / "train.parquet", "--target", "kind", *limit, "--json", "-q"]
        status, out, err = say(*fit, "-o", tmp_path / f"{name}.json")
        assert (status, err, json.loads(out)["rows"]) == (0, "", N_ROWS)
    limited, free = (load(tmp_path / f"{name}.json") for name in ("limited", "free"))
    assert limited.rules_.to_json() == free.rules_.to_json()


def test_too_little_memory_is_refused(folder, tmp_path, say):
    fit = ["fit", folder / "train.parquet", "--target", "kind", "-o", tmp_path / "model.json"]
    status, _, err = say(*fit, "--memory", "20kB")
    assert (status, "memory: training on the 600 rows" in err) == (2, True)
    assert "only 20 kB are allowed" in err
    assert not (tmp_path / "model.json").exists()
    for size in ("1", "1gb", "much"):
        status, _, err = say(*fit, "--memory", size)
        assert (status, "--memory must be a size such as 800MB or 1GiB" in err) == (2, True)
    status, _, err = say(*fit, "--memory", "1GB", "--sep", ";")
    assert (status, "--sep is not for tables that are read in batches" in err) == (2, True)
    status, _, err = say("fit", "-", *fit[2:], "--memory", "1GB")
    assert (status, "--memory: standard input is read as a whole" in err) == (2, True)


@pytest.mark.parametrize("name", ["parts", "train.arrow"])
def test_training_on_folders_and_files_of_arrow(folder, tmp_path, say, name):
    frame = make_table(0)
    if name == "parts":
        (tmp_path / name).mkdir()
        for i in range(2):
            frame.iloc[300 * i : 300 * i + 300].to_parquet(tmp_path / name / f"{i}.parquet")
    else:
        pyarrow.feather.write_feather(pa.Table.from_pandas(frame), tmp_path / name)
    fit = ["fit", tmp_path / name, "--target", "kind", "-q", "--drop", "noise"]
    weights = ["--class-weight", "balanced", "--base-rates", "low=0.5,middle=0.25,high=0.25"]
    assert say(*fit, *weights, "-o", tmp_path / "model.json")[0] == 0
    fit[1] = folder / "train.parquet"
    assert say(*fit, *weights, "-o", tmp_path / "expected.json")[0] == 0
    found, expected = (load(tmp_path / f"{name}.json") for name in ("model", "expected"))
    assert found.rules_.to_json() == expected.rules_.to_json()
