"""The page by the command line: units, labels, examples, images."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_digits

from command_line import call, make_fruit, shell
from fuzzyucs import load
from fuzzyucs.cli.page_options import texts_by_name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_fruit(tmp_path_factory.mktemp("fruit"))


@pytest.fixture
def say(capsys):
    return lambda *arguments: call(capsys, *arguments)


def data_in(path):
    (text,) = re.findall(
        '<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8")
    )
    return json.loads(text)


@pytest.mark.parametrize("with_model", [True, False], ids=["model", "table alone"])
def test_units_labels_and_examples(folder, say, tmp_path, with_model):
    page = tmp_path / "page.html"
    files = [folder / "model.json"] * with_model + [folder / "fruit.csv"]
    status, _, err = say(
        *("report", *files, "--target", "fruit", "-o", page, "--units", "weight=g"),
        *("--labels", "pear=a pear,weight=mass", "--labels", "plum=plum, or so", "--examples", 3),
    )
    assert (status, "expected NAME=TEXT, got ' or so'" in err) == (2, True)
    status, _, err = say(
        *("report", *files, "--target", "fruit", "-o", page, "--units", "weight=g"),
        *("--labels", "pear=a pear,weight=mass", "--labels", "plum=a plum", "--examples", 3),
    )
    assert status == 0, err
    data = data_in(page)
    assert data["model"]["classes"] == ["a pear", "a plum"]
    feature = data["model"]["features"][0]
    assert (feature["name"], feature["column"], feature["unit"]) == ("mass", "weight", "g")
    assert any(" g)" in rule["text"] for rule in data["model"]["rules"])
    assert len(data["examples"]) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--units", "wieght=g"], "--units: there is no 'wieght'; did you mean 'weight'?"),
        (["--units", "weight"], "--units: expected NAME=TEXT, got 'weight'"),
        (["--units", "weight="], "--units: expected NAME=TEXT, got 'weight='"),
        (["--units", "weight=g,weight=kg"], "--units: 'weight' is named twice"),
        (["--units", "colour=nm"], "'colour' holds categories, not numbers"),
        (["--labels", "paer=x"], "--labels: there is no 'paer'; did you mean 'pear'?"),
        (["--labels", "pear=plum"], "two classes would be shown as 'plum'"),
        (["--examples", "0"], "must be at least 1, got 0"),
        (["--examples", "61"], "--examples must be a number of records from 1 to 60, got 61"),
        (["--image-shape", "8"], "--image-shape: expected ROWSxCOLUMNS, such as 8x8, got '8'"),
        (["--image-shape", "axb"], "--image-shape: expected ROWSxCOLUMNS"),
        (["--image-shape", "8x8"], "--image-shape (8, 8) has 64 pixels, but the model has 2"),
        (["--image-shape", "2x2x3"], "images in colour are not supported"),
        (["--image-shape", "1x2"], "'colour' holds categories"),
    ],
)
def test_wrong_options_are_refused(folder, say, tmp_path, options, message):
    page = tmp_path / "page.html"
    report = ["report", folder / "model.json", folder / "fruit.csv", "--target", "fruit"]
    status, _, err = say(*report, "-o", page, *options)
    assert status == 2
    assert message in re.sub(r"[\s│]+", " ", err)
    assert not page.exists()


def test_names_may_contain_the_signs_between_them():
    names = {"a=b": 1, "a": 2, "c,d": 3}
    assert texts_by_name("--units", ["a=b=x,a=y", "c,d=z"], names) == {1: "x", 2: "y", 3: "z"}


def test_images_get_a_drawing_pad(say, tmp_path):
    digits = load_digits(n_class=2)
    rows = np.column_stack([digits.data.astype(int), digits.target])
    header = ",".join([*digits.feature_names, "digit"])
    np.savetxt(tmp_path / "digits.csv", rows, "%d", ",", header=header, comments="")
    page = tmp_path / "page.html"
    status, _, err = say(
        *("report", tmp_path / "digits.csv", "--target", "digit", "-o", page),
        *("--image-shape", "8x8", "--labels", "0=zero,1=one"),
    )
    assert status == 0, err
    data = data_in(page)
    assert data["image_shape"] == [8, 8]
    assert data["model"]["classes"] == ["zero", "one"]


@pytest.mark.parametrize("with_model", [True, False], ids=["model", "table alone"])
def test_examples_have_the_numbers_of_rows_in_the_file(folder, say, tmp_path, with_model):
    header, *lines = (folder / "fruit.csv").read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + ","  # without a class
    (tmp_path / "fruit.csv").write_text("\n".join([header, *lines]))
    files = [folder / "model.json"] * with_model + [tmp_path / "fruit.csv"]
    status, _, err = say(
        *("report", *files, "--target", "fruit", "-o", tmp_path / "page.html"),
        *("--examples", 12, "--skip-unlabelled"),
    )
    assert status == 0, err
    data = data_in(tmp_path / "page.html")
    rows = [int(example["name"].split()[1].rstrip(",")) for example in data["examples"]]
    assert rows == sorted(rows)
    for row, example in zip(rows, data["examples"], strict=True):
        weight, _, label = lines[row - 1].split(",")
        assert example["record"][0] == (float(weight) if weight else None)
        assert example["name"].endswith(f"true class {label}")


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_a_model_remembers_its_target(folder, say, tmp_path, command):
    options = ["-o", tmp_path / "page.html"] * (command == "report")
    files = [folder / "model.json", folder / "fruit.csv"]
    assert load(files[0]).table_form_.target == "fruit"
    found = say(command, *files, *options)
    assert found[0] == 0, found[2]
    assert "not asked for" not in found[2]
    assert found == say(command, *files, "--target", "fruit", *options)


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_a_target_that_nobody_knows_must_be_named(folder, say, tmp_path, command):
    document = json.loads((folder / "model.json").read_text("utf-8"))
    del document["table_form"]
    (tmp_path / "model.json").write_text(json.dumps(document), "utf-8")
    status, _, err = say(command, tmp_path / "model.json", folder / "fruit.csv")
    assert (status, "--target: the model does not remember" in err) == (2, True), err
    status, _, err = say(command, folder / "fruit.csv")
    assert (status, "--target: name the column that holds the class" in err) == (2, True), err


def test_warnings_are_notes_of_the_command(tmp_path):
    values = [f"{i % 7 if i > 30 else ''},{i % 5 + 4 * (i > 30)},{'ab'[i > 30]}" for i in range(60)]
    (tmp_path / "gaps.csv").write_text("\n".join(["x,z,y", *values]) + "\n")
    fit = ("fit", "gaps.csv", "--target", "y", "--max-rules", 2)
    done = shell(*fit, cwd=tmp_path)
    assert done.returncode == 0
    assert b"\nfuzzyucs: whether values are missing depends on the class" in done.stderr
    assert b".py" not in done.stderr
    assert b"UserWarning" not in done.stderr
    assert shell(*fit, "-q", cwd=tmp_path).stderr == b""
