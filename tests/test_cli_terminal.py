"""No name in a table, a model or a file controls the terminal; files keep what they are given."""

import csv
import json
import os
import re
import subprocess
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import COMMAND, call, in_terminal, rows_in, shell
from fuzzyucs._util.escaping import visible as clean
from fuzzyucs.cli.terminal import print_json, print_table

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
PEAR, PLUM = "pe\x1b[31mar größe", "pl\x9b2J\u202eum\x07"
GREEN, BLUE = "gr\x1b]0;title\x07een", "bl\x7fue\u2066"
WEIGHT, COLOUR, FRUIT = "wei\x1b[2Jght", "co\u202elour", "fru\x08it 大"
FILE, MODEL = "da\x1b[1Ata.csv", "mo\x9bdel.json"
TRAINING = ["--target", FRUIT, "-o", MODEL, "--max-rules", "4"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table and a model, full of control codes."""
    folder = tmp_path_factory.mktemp("control")
    rng = np.random.default_rng(0)
    with open(folder / FILE, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([WEIGHT, COLOUR, FRUIT])
        for i in range(60):
            pair = (PEAR, GREEN) if i % 2 else (PLUM, BLUE)
            writer.writerow([f"{rng.normal(150 if i % 2 else 40, 10):.2f}", *pair[::-1]])
    done = shell("fit", FILE, *TRAINING, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert_clean(done.stdout.decode(), done.stderr.decode())
    assert r"da\x1b[1Ata.csv: 60 rows" in done.stderr.decode()
    assert r"mo\x9bdel.json: " in done.stdout.decode()
    return folder


@pytest.fixture
def say(folder, monkeypatch, capsys):
    """Return a function that runs a command in that folder."""
    monkeypatch.chdir(folder)
    return partial(call, capsys)


def assert_clean(*texts):
    for text in texts:
        assert not CONTROL.findall(text), repr(text)


@pytest.mark.parametrize(
    ("arguments", "visible"),
    [
        (["rules", MODEL], "IF "),
        (["explain", MODEL, FILE, "--row", "2"], r"Prediction: pe\x1b[31mar größe"),
        (["explain", MODEL, FILE, "--row", "1"], r"Prediction: pl\x9b2J\u202eum\x07"),
        (["evaluate", FILE, "--target", FRUIT, "--folds", "2"], "accuracy"),
        (["report", FILE, "--target", FRUIT, "-o", "\x1b.html"], r"\x1b.html: "),
        (["fit", FILE, "--target", "fru\x1bit"], r"no column 'fru\x1bit'"),
        (["fit", FILE, "--traget\x1b[2J", "x"], r"--traget\x1b[2J"),
        (["fit", FILE, "--target", FRUIT, "--estimator", "\x1b[2J"], r"\x1b[2J"),
        (["fit", FILE, "--target", WEIGHT], r"a quantity"),
        (["fit", "no\x1b[2Jthing.csv", "--target", "x"], r"no file no\x1b[2Jthing.csv"),
        (["fit", FILE, "--target", FRUIT, "-o", FILE], r"replace the input da\x1b[1Ata.csv"),
        (["rules", FILE], r"da\x1b[1Ata.csv is no model"),
        (["rules", "no\x1b[2Jthing"], r"no model no\x1b[2Jthing"),
        (["rules", MODEL, "--class", "apple"], r"pe\x1b[31mar größe"),
        (["predict", MODEL, "other.csv"], r"'wei\x1b[2Jght'"),
        (["predict", MODEL, "unknown.csv"], r"hence missing: 'co\u202elour' (pur\x1b[0mple 1)"),
    ],
)
def test_control_codes_are_made_visible(folder, say, arguments, visible):
    (folder / "other.csv").write_text("x\x1b[2J,z\n1,2\n")
    (folder / "unknown.csv").write_text(f"{WEIGHT},{COLOUR}\n1,pur\x1b[0mple\n")
    _, out, err = say(*arguments)
    if arguments[0] != "predict":  # whose output is data
        assert_clean(out)
    assert_clean(err)
    assert visible in out + err


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", FILE, *TRAINING, "--json"],
        ["predict", MODEL, FILE, "--json"],
        ["explain", MODEL, FILE, "--row", "2", "--json"],
        ["rules", MODEL, "--format", "json"],
    ],
)
def test_json_is_valid_and_escaped(say, arguments):
    status, out, err = say(*arguments)
    assert status == 0
    assert_clean(out, err)
    assert PEAR in texts_in(json.loads(out))


def test_json_has_no_raw_delete_character(capsys):
    print_json({"bl\x7fue": ["\ud800", "\u202e", "ä"]})
    out = capsys.readouterr().out
    assert_clean(out)
    assert json.loads(out) == {"bl\x7fue": ["\ud800", "\u202e", "ä"]}


def texts_in(document):
    if isinstance(document, dict):
        return {text for pair in document.items() for part in pair for text in texts_in(part)}
    if isinstance(document, list):
        return {text for part in document for text in texts_in(part)}
    return {document}


def test_files_and_pipes_get_what_is_in_the_data(folder, say):
    predict = ["predict", MODEL, FILE, "-q"]
    _, out, _ = say(*predict)
    rows = rows_in(out)
    assert [row["prediction"] for row in rows[:2]] == [PLUM, PEAR]
    assert f"probability of {PEAR}" in rows[0]
    say(*predict, "-o", "out.csv")
    assert (folder / "out.csv").read_bytes().decode() == out
    say(*predict, "--json", "-o", "out.json")
    assert json.loads((folder / "out.json").read_text())[1]["prediction"] == PEAR


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", MODEL, FILE, "-q"],
        ["explain", MODEL, FILE, "--row", "2", "-q"],
        ["rules", MODEL],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_terminal_gets_no_control_codes_from_data_either(folder, arguments):
    text = in_terminal(*arguments, cwd=folder, NO_COLOR="1", COLORTERM="")
    assert not CONTROL.findall(re.sub("\x1b\\[[0-9;]*m", "", text))  # but those that are ours
    assert r"pe\x1b[31mar größe" in text


def test_names_that_a_terminal_cannot_encode_do_no_harm(folder):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [*COMMAND, "explain", MODEL, FILE, "--row", "2", "-q"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"pe\x1b[31mar gr\xf6\xdfe" in done.stdout


@given(st.text())
def test_nothing_but_control_codes_is_changed(text):
    cleaned = clean(text)
    assert not CONTROL.findall(cleaned)
    cleaned.encode()  # halves of characters are replaced as well
    if text.isprintable():
        assert cleaned == text
    assert clean("\n".join([text, "a\tb"])).endswith("\na\tb")
    assert clean(cleaned) == cleaned


def test_tables_show_names_as_they_are(capsys):
    print_table(["name", "value"], [["[red]a\x1b[2J[/red]", "1"]])
    out = capsys.readouterr().out
    assert r"[red]a\x1b[2J[/red]" in out
    assert "\x1b" not in out
