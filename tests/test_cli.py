"""What a newcomer would try at the command line, mistakes included."""

import json
import re
import subprocess
import sys
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path

import numpy as np
import pytest

from command_line import call, fruit_table, make_fruit, rows_in, shell
from fuzzyucs import FuzzyUCSClassifier, load
from fuzzyucs.cli.main import main

COMMANDS = ["demo", "fit", "predict", "evaluate", "rules", "explain", "report", "reproduce"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_fruit(tmp_path_factory.mktemp("fruit"))


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


# Finding out what there is


def test_help_comes_before_anything_heavy_is_imported():
    code = (
        "import sys, fuzzyucs.cli\n"
        "try: fuzzyucs.cli.main(['--help'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print(sorted({'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["0", "[]"]
    for command in COMMANDS:
        assert f" {command} " in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(say, command):
    status, out, _ = say(command, "--help")
    assert status == 0
    assert f"fuzzyucs {command}" in out.split("Example")[1]


def test_the_command_is_installed():
    (script,) = entry_points(group="console_scripts", name="fuzzyucs")
    assert script.load() is main


def test_the_version_is_told():
    done = shell("--version")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"fuzzyucs {version('fuzzyucs')}\n"


def test_no_command_at_all_shows_help():
    done = shell()
    assert done.returncode == 0
    assert b"evaluate" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fitt"], "fitt"),
        (["fit", "fruit.csv"], "--target"),
        (["fit", "--target", "fruit"], "DATA"),
        (["fit", "fruit.csv", "--traget", "fruit"], "--target"),
        (["fit", "fruit.csv", "--target", "fruit", "--estimator", "forest"], ": 'forest' is not"),
        (["fit", "fruit.csv", "--target", "fruit", "--seed", "-1"], "between 0 and 4294967295"),
        (["report", "fruit.csv", "--target", "fruit", "--seed", "4294967296"], "4294967295, got"),
        (["fit", "fruit.csv", "--target", "fruit", "--max-rules", "none"], "--max-rules"),
        (["fit", "fruit.csv", "--target", "fruit", "--max-rules", "0"], "must be at least 1"),
        (["fit", "fruit.csv", "--target", "fruit", "--decimal", "point"], "must be . or ,"),
        (["fit", "fruit.csv", "--target", "fruit", "--sep", "space"], "must be one character"),
        (["evaluate", "fruit.csv", "--target", "fruit", "--folds", "1"], "must be at least 2"),
        (["report", "fruit.csv", "--target", "fruit", "--test-size", "2"], "between 0 and 1"),
        (["rules", "model.json", "--format", "pdf"], "latex"),
    ],
)
def test_wrong_arguments_exit_with_2_and_say_why(say, arguments, message):
    status, out, err = say(*arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert "--help" in err


def test_without_typer_one_sentence_says_what_to_install(monkeypatch, capsys):
    for name in ("app", "ask", "learn", "options", "reproduce"):
        monkeypatch.delitem(sys.modules, f"fuzzyucs.cli.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "typer", None)
    assert main(["--help"]) == 2
    assert capsys.readouterr().err == (
        "fuzzyucs: the command line needs typer: pip install typer rich pandas\n"
    )


# The way through


def test_a_newcomer_gets_from_the_demo_to_a_report(tmp_path):
    done = shell("demo", "-o", "iris.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"Rules learned from 112 irises" in done.stdout
    assert b"I don't know" in done.stdout
    assert b"fuzzyucs fit iris.csv --target species" in done.stdout
    done = shell("fit", "iris.csv", "--target", "species", "--max-rules", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.match(rb"model.json: [45] rules, training accuracy 9", done.stdout)
    assert done.stderr == b"iris.csv: 150 rows, 5 columns, separated by commas\n"
    done = shell("predict", "model.json", "-", stdin=(tmp_path / "iris.csv").read_bytes(),
                 cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"not asked for" not in done.stderr  # nobody wonders about the target
    rows = rows_in(done.stdout.decode())
    assert len(rows) == 150
    assert rows[0]["prediction"] == "setosa"


def test_predictions_are_the_library_s(folder, say):
    status, out, err = say("predict", folder / "model.json", folder / "fruit.csv")
    assert status == 0
    assert "missing: 'weight' 1 (empty 1)" in err
    rows = rows_in(out)
    assert list(rows[0]) == [
        "prediction", "verdict", "reason", "probability of pear", "probability of plum",
        "belief of pear", "belief of plum", "ignorance", "contradiction", "novelty",
    ]  # fmt: skip
    clf = load(folder / "model.json")
    cells = rows_in(fruit_table())
    X = [{"weight": float(c["weight"] or "nan"), "colour": c["colour"]} for c in cells]
    for i in (0, 1, 30):
        explanation = clf.explain(X[i])
        assert rows[i]["prediction"] == explanation.prediction
        evidence = explanation.evidence
        assert [rows[i][name] for name in ("verdict", "reason")] == [
            explanation.verdict.kind, explanation.verdict.reason,
        ]  # fmt: skip
        expected = [*explanation.probability, *evidence.belief[0], evidence.ignorance[0]]
        found = [float(text) for text in list(rows[i].values())[3:8]]
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_json_is_all_there_is_on_standard_output(folder, say, tmp_path):
    data, model = folder / "fruit.csv", folder / "model.json"
    status, out, _ = say("predict", model, data, "--json")
    records = json.loads(out)
    assert (status, len(records), set(records[0]) >= {"prediction", "novelty"}) == (0, 60, True)
    for record in records:
        for label in ("pear", "plum"):
            rest = record[f"base rate of {label}"] * record["ignorance"]
            belief = record[f"belief of {label}"]
            assert record[f"probability of {label}"] == pytest.approx(belief + rest, abs=1e-12)
    other = tmp_path / "model.json"
    status, out, _ = say("fit", data, "--target", "fruit", "-o", other, "--json")
    assert (status, json.loads(out)["classes"]) == (0, ["pear", "plum"])
    assert json.loads(out)["base_rates"] == [0.5, 0.5]
    status, out, _ = say("explain", model, data, "--row", "2", "--json")
    assert (status, json.loads(out)["prediction"]) == (0, "plum")
    status, out, _ = say("evaluate", data, "--target", "fruit", "--folds", "2", "--json")
    accuracy = json.loads(out)["measures"]["accuracy"]
    assert status == 0
    assert len(accuracy["folds"]) == 2
    assert np.mean(accuracy["folds"]) == accuracy["mean"] > 0.9
    verdicts = json.loads(out)["verdicts"]
    assert list(verdicts) == ["answer", "torn", "unknown"]
    assert sum(found["rows"] for found in verdicts.values()) == 60
    right = sum(found["rows"] * (found["accuracy"] or 0) for found in verdicts.values())
    assert right / 60 == pytest.approx(accuracy["mean"])


def test_quiet_is_quiet(folder, say):
    _, _, err = say("predict", folder / "model.json", folder / "fruit.csv", "--quiet")
    assert err == ""


def test_the_same_model_comes_of_a_table_in_any_dialect(folder, say, tmp_path):
    path, model = tmp_path / "fruit.csv", tmp_path / "model.json"
    path.write_bytes(fruit_table(separator=";", decimal=",", marker="unbekannt").encode("utf-16"))
    fit = ["fit", path, "--target", "fruit", "-o", model, "--max-rules", "4"]
    status, _, err = say(*fit)
    assert status == 2
    assert "column 'weight', row 1 (line 2): expected a number, got 'unbekannt'" in err
    assert not model.exists()
    status, _, err = say(*fit, "--missing-marker", "unbekannt")
    assert status == 0
    assert "decimal comma" in err
    ours, plain = load(model), load(folder / "model.json")
    assert ours.rules_.to_json() == plain.rules_.to_json()


@pytest.mark.parametrize("estimator", ["fuzzyucs", "ucs"])
def test_the_article_s_systems_can_be_chosen(folder, say, tmp_path, estimator):
    model = tmp_path / "model.json"
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "-o", model, "--estimator", estimator]
    fit += ["--drop", "colour"]  # which UCS has no intervals for
    assert say(*fit)[0] == 0
    status, out, _ = say("predict", model, folder / "fruit.csv")
    assert status == 0
    assert rows_in(out)[1]["novelty"] != ""
    assert say("rules", model, "--top", "1")[1].count("THEN") == 1
    status, _, err = say(*fit, "--max-rules", "3")
    assert status == 2
    assert "--max-rules is for --estimator evidential" in err


def test_evaluate_shows_means_and_spread(folder, say):
    status, out, _ = say("evaluate", folder / "fruit.csv", "--target", "fruit", "--folds", "3")
    assert status == 0
    for name in ("accuracy", "log loss", "calibration error", "risk coverage", "ignorance"):
        assert name in out
    assert "±" in out
    heads, *rows = out[out.index("verdict ") :].splitlines()
    assert heads.split() == ["verdict", "rows", "share", "right"]
    assert [row.split()[0] for row in rows] == ["answer", "torn", "unknown"]
    assert sum(int(row.split()[1]) for row in rows) == 60


def test_sizes_that_were_tried_are_shown_when_asked_for(folder, say, tmp_path):
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "-o", tmp_path / "m.json", "-q"]
    _, without, _ = say(*fit)
    status, out, _ = say(*fit, "--sizes")
    assert status == 0
    assert out.startswith(without)
    head, *lines = out[len(without) :].split("\n\n")[1].splitlines()
    assert head.split() == ["rules", "accuracy", "log-loss"]
    clf = load(tmp_path / "m.json")
    shown = [tuple(map(float, line.removeprefix("->").split())) for line in lines]
    path = clf.path_
    true = zip(path["n_rules"], path["accuracy"], path["log_loss"], strict=True)
    assert shown == [(round(n, 1), round(a, 3), round(loss, 3)) for n, a, loss in true]
    marked = [line.startswith("->") for line in lines]
    assert marked == (path["penalty"] == clf.penalty_).tolist()
    _, out, _ = say(*fit, "--sizes", "--json")
    sizes = json.loads(out)["sizes"]
    for name, values in path.items():
        assert [size[name] for size in sizes] == values.tolist()
    assert [size["is_chosen"] for size in sizes] == marked
    _, out, _ = say(*fit, "--sizes", "--max-rules", "2")
    assert "(-> the one chosen, of which --max-rules leaves 2 rules):" in out
    status, _, err = say(*fit, "--sizes", "--estimator", "ucs")
    assert status == 2
    assert "--sizes is for --estimator evidential" in err


def test_base_rates_and_class_weights_of_the_place(folder, say, tmp_path):
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "-o", tmp_path / "model.json", "-q"]
    status, out, _ = say(*fit, "--base-rates", "pear=0.9,plum=0.1", "--class-weight", "balanced")
    assert status == 0
    assert "Without evidence: pear 90 %, plum 10 %" in out
    clf = load(tmp_path / "model.json")
    assert clf.base_rates_.tolist() == [0.9, 0.1]
    (tmp_path / "empty.csv").write_text("weight,colour\n?,?\n")
    status, out, _ = say("predict", tmp_path / "model.json", tmp_path / "empty.csv", "-q")
    (row,) = rows_in(out)
    assert (row["prediction"], row["verdict"], row["reason"]) == ("pear", "unknown", "missing")
    assert float(row["probability of pear"]) == 0.9
    status, _, _ = say(*fit, "--class-weight", "pear=1", "--class-weight", "plum=3")
    assert status == 0
    assert load(tmp_path / "model.json").base_rates_.tolist() == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--base-rates", "pear=0.9"], "--base-rates: 'plum' has no share"),
        (["--base-rates", "peer=1,plum=0"], "got 'peer'; did you mean 'pear'?"),
        (["--base-rates", "pear=0.9,plum=0.2"], "at least 0 and sum to 1, got pear=0.9,plum=0.2"),
        (["--base-rates", "pear=nan,plum=1"], "at least 0 and sum to 1"),
        (["--base-rates", "pear=half,plum=1"], "expected a number for 'pear', got 'half'"),
        (["--base-rates", "pear=1,pear=0"], "'pear' is named twice"),
        (["--base-rates", "even"], "--base-rates: expected LABEL=NUMBER, got 'even'"),
        (["--base-rates", "equal", "--base-rates", "pear=1"], "expected LABEL=NUMBER, got 'equal'"),
        (["--class-weight", "heavy"], "--class-weight: expected LABEL=NUMBER, got 'heavy'"),
        (["--class-weight", "pear=-1"], "class_weight must hold numbers"),
        (["--class-weight", "balanced", "--estimator", "ucs"], "is for --estimator evidential"),
        (["--base-rates", "pear=1,plum=0", "--estimator", "fuzzyucs"], "--base-rates is for"),
        (["--base-rates", "equal", "--estimator", "ucs"], "--base-rates is for"),
    ],
)
def test_numbers_of_classes_that_make_no_sense(folder, say, tmp_path, options, message):
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "-o", tmp_path / "m.json", "-q"]
    status, _, err = say(*fit, *options)
    assert status == 2
    assert message in err
    assert not (tmp_path / "m.json").exists()


def test_a_model_of_the_older_form_is_marked(folder, say):
    old = Path(__file__).parent / "models" / "version-1" / "evidential.json"
    status, out, err = say("rules", old)
    assert status == 0
    assert "IF " in out
    assert "was saved by version 0.1.0: older form" in err
    assert say("rules", folder / "model.json")[2] == ""


def test_every_rule_can_be_shown(folder, say):
    explain = ["explain", folder / "model.json", folder / "fruit.csv", "-q", "--row", "2"]
    n_rules = len(load(folder / "model.json").rules_)
    _, long, _ = say(*explain, "--every")
    assert long.count(" THEN ") == n_rules
    assert say(*explain, "--every", "--html")[1].count("&rarr;") == n_rules


@pytest.mark.parametrize(
    ("style", "mark"),
    [("text", "IF "), ("markdown", "| if |"), ("latex", r"\toprule"), ("html", "<table"),
     ("csv", '"condition"'), ("json", '"fuzzyucs rules"')],
)  # fmt: skip
def test_rules_in_every_format(folder, say, style, mark):
    status, out, err = say("rules", folder / "model.json", "--format", style)
    assert (status, err) == (0, "")
    assert mark in out


def test_rules_can_be_chosen(folder, say):
    model = folder / "model.json"
    n_rules = say("rules", model)[1].count("THEN")
    out = say("rules", model, "--class", "pear", "--feature", "colour")[1]
    lines = [line for line in out.splitlines() if "THEN" in line]
    assert 0 < len(lines) < n_rules
    assert all("THEN pear" in line and "colour" in line for line in lines)
    assert say("rules", model, "--top", "1")[1].count("THEN") == 1
    status, _, err = say("rules", model, "--class", "Plumb")
    assert (status, "did you mean 'plum'?" in err) == (2, True)
    status, _, err = say("rules", model, "--feature", "wieght")
    assert (status, "did you mean 'weight'?" in err) == (2, True)


def test_explain_tells_why(folder, say):
    status, out, _ = say("explain", folder / "model.json", folder / "fruit.csv", "--row", "2")
    assert status == 0
    assert out.startswith("Plum. ")
    assert "\nPrediction: plum with " in out
    status, out, _ = say("explain", folder / "model.json", folder / "fruit.csv", "--html")
    assert (status, out.startswith("<div")) == (0, True)
    status, _, err = say("explain", folder / "model.json", folder / "fruit.csv", "--row", "61")
    assert (status, "has rows 1 to 60, got 61" in err) == (2, True)
    status, _, err = say("explain", folder / "model.json", folder / "fruit.csv", "--html", "--json")
    assert (status, "exclude each other" in err) == (2, True)


def test_a_report_on_a_model(folder, say, tmp_path):
    page = tmp_path / "page.html"
    report = ["report", folder / "model.json", folder / "fruit.csv", "--target", "fruit"]
    status, out, _ = say(*report, "-o", page, "--title", "Fruit")
    assert status == 0
    assert re.search(r"page\.html: \d rules, accuracy (9\d\.\d|100\.0) % on 60 rows\n", out)
    assert "<title>Fruit</title>" in page.read_text()
    status, _, err = say("report", folder / "model.json", "--target", "fruit", "-o", page)
    assert (status, "needs a table" in err) == (2, True)
    (tmp_path / "other.csv").write_text("weight,colour,fruit\n1,blue,apple\n")
    status, _, err = say(
        "report", folder / "model.json", tmp_path / "other.csv", "--target", "fruit"
    )
    assert status == 2
    assert "expected a class that the model knows ('pear', 'plum'), got 'apple'" in err


def test_a_model_of_an_array_takes_columns_by_their_order(say, tmp_path):
    X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 3.0], [3.0, 2.0]] * 5)
    clf = FuzzyUCSClassifier(epochs=5, random_state=0).fit(X, [0, 0, 1, 1] * 5)
    clf.save(tmp_path / "model.json")
    (tmp_path / "two.csv").write_text("a,b\n0,5\n3,2\n")
    status, out, _ = say("predict", tmp_path / "model.json", tmp_path / "two.csv")
    assert status == 0
    assert [row["prediction"] for row in rows_in(out)] == ["0", "1"]
    assert rows_in(out)[0]["novelty"] == ""  # nothing was learned about it
    (tmp_path / "three.csv").write_text("a,b,c\n0,5,1\n")
    status, _, err = say("predict", tmp_path / "model.json", tmp_path / "three.csv")
    assert (status, "2 features by their order only" in err) == (2, True)


# Mistakes in data and models


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("weight,fruit\n1,pear\n", "lacks columns that the model asks for: 'colour'"),
        ("Weight,colour\n1,blue\n", "'weight'; did you mean 'Weight'?"),
        ("weight,colour\nheavy,blue\n", "column 'weight', row 1 (line 2): expected a number"),
        ("weight,colour\n1,blue\n2\n", "row 2 (line 3) has 1 values"),
        ("weight,colour,colour\n1,blue,red\n", "several 'colour'"),
        ("", "is empty"),
    ],
)
def test_data_that_do_not_fit_the_model(folder, say, tmp_path, content, message):
    (tmp_path / "data.csv").write_text(content)
    status, out, err = say("predict", folder / "model.json", tmp_path / "data.csv")
    assert (status, out) == (2, "")
    assert message in err
    assert "data.csv" in err
    assert "Traceback" not in err


def test_categories_that_the_model_does_not_know_are_missing(folder, say, tmp_path):
    (tmp_path / "data.csv").write_text("fruit,colour,weight\nplum,purple,41\nplum,,41\n")
    status, out, err = say("predict", folder / "model.json", tmp_path / "data.csv")
    assert status == 0
    assert "unknown to the model, hence missing: 'colour' (purple 1)" in err
    first, second = rows_in(out)
    assert first["prediction"] == "plum"
    assert first == second


def test_files_that_are_no_models(folder, say, tmp_path):
    status, _, err = say("predict", folder / "fruit.csv", folder / "fruit.csv")
    assert status == 2
    assert "fruit.csv is no model" in err
    assert "fuzzyucs fit" in err
    status, _, err = say("rules", tmp_path / "nothing.json")
    assert (status, "there is no model" in err) == (2, True)
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert say("rules", tmp_path / "other.json")[0] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("weight,fruit\n1,pear\n2,pear\n", "needs at least 2 classes"),
        ("weight,fruit\n1,pear\n2,\n", "1 rows of"),
        ("weight,kind\n1,pear\n2,plum\n", "has no column 'fruit'"),
        ("fruit\npear\nplum\n", "no column besides 'fruit'"),
        ("weight fruit\n1 pear\n2 plum\n", "has no column 'fruit'"),
        ("day,fruit\n2024-01-02,pear\n2024-01-03,plum\n", "column 'day' holds dates"),
        ("name,fruit\nab,pear\ncd,plum\nef,pear\n", "to leave out: --drop name"),
    ],
)
def test_data_that_cannot_be_learned_from(say, tmp_path, content, message):
    (tmp_path / "data.csv").write_text(content)
    fit = ["fit", tmp_path / "data.csv", "--target", "fruit", "-o", tmp_path / "model.json"]
    status, out, err = say(*fit)
    assert (status, out) == (2, "")
    assert message in err
    assert not (tmp_path / "model.json").exists()


def test_classes_too_rare_for_the_folds(say, tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n1,a\n2,a\n3,a\n4,b\n5,b\n6,b\n7,c\n8,c\n")
    status, _, err = say("evaluate", tmp_path / "data.csv", "--target", "y", "--folds", "3")
    assert status == 2
    assert "class 'c' has only 2 rows, too few for 3 folds" in err
