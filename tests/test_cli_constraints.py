"""Constraints on the command line."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from command_line import call
from fuzzyucs import load
from fuzzyucs.cli.constraint_options import constraints_in


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame({"age": rng.integers(20, 80, n), "dose": rng.integers(0, 10, n)})
    frame["ct scan"] = rng.normal(0, 1, n).round(2)
    score = frame["age"] / 20 - frame["dose"] / 3 + frame["ct scan"] + rng.normal(0, 0.5, n)
    frame["state"] = np.array(["good", "fair", "bad"])[np.searchsorted([0, 1.5], score)]
    frame["ill"] = np.where(score > 1, "yes", "no")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


def test_a_model_keeps_to_what_was_asked(table, say):
    model = table.parent / "model.json"
    options = ["--monotonic", "age=1,dose=-1", "--apart", "age+dose", "--price", "ct scan=10"]
    wish = ["fit", str(table), "--target", "ill", "--drop", "state", "-o", str(model), *options]
    status, out, err = say(*wish)
    assert (status, err.count("Error")) == (0, 0)
    assert "Holds for all records: the greater age, the more probable yes, or as probable." in out
    assert "Holds for all records: no rule asks for both age and dose." in out
    assert "Price of the 3 features that rules ask for: 10 of 10." in out
    clf = load(model)
    assert clf.constraints_.monotonic == (1, -1, 0)
    assert clf.constraints_.apart == ((0, 1),)
    assert clf.constraints_.broken(clf.rules_) == []
    assert clf.feature_costs == {"ct scan": 10.0}
    status, out, _ = say(*wish, "--json", "--price-weight", "5")
    assert json.loads(out)["constraints"]["cost_weight"] == 5
    assert load(model).price_ == 0


def test_words_for_classes_have_an_order(table, say):
    model = table.parent / "state.json"
    wish = ["fit", str(table), "--target", "state", "--drop", "ill", "-o", str(model)]
    wish += ["--monotonic", "age=1", "--interact", "age+dose", "--quiet"]
    status, _, err = say(*wish)
    assert status != 0
    assert "needs class_order, the 3 class labels" in err
    status, out, _ = say(*wish, "--class-order", "good,fair,bad")
    assert status == 0
    assert "the higher of the classes good, fair, bad" in out
    clf = load(model)
    assert clf.constraints_.class_order == (2, 1, 0)
    assert clf.constraints_.together == ((0, 1), (2,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--monotonic", "agee=1"], "--monotonic: there is no column 'agee'; did you mean 'age'?"),
        (["--monotonic", "age"], "--monotonic: expected NAME=NUMBER, got 'age'"),
        (["--monotonic", "age=2"], "--monotonic: expected 1, -1 or 0 for 'age', got '2'"),
        (["--monotonic", "age=1,age=1"], "--monotonic: 'age' is named twice"),
        (["--apart", "age"], "--apart: expected two columns and more"),
        (["--apart", "age+sex"], "--apart: there is no column 'sex'"),
        (["--price", "age=x"], "--price: expected a number for 'age', got 'x'"),
        (["--price", "age=-1"], "--price: expected a number from 0 on for 'age'"),
        (["--price", "age=1", "--price-weight", "0"], "--price-weight must be greater than 0"),
        (["--class-order", "yes"], "--class-order: expected each of the classes"),
        (["--monotonic", "age=1", "--estimator", "ucs"], "--monotonic is for --estimator"),
    ],
)
def test_wrong_options_are_refused(table, say, options, message):
    output = table.parent / "none.json"
    wish = ["fit", str(table), "--target", "ill", "--drop", "state", "-o", str(output), *options]
    status, _, err = say(*wish)
    assert status != 0
    assert message in " ".join(err.split())
    assert not output.exists()


def test_names_may_contain_what_separates_them():
    names = ["a,b=1", "a+b", "c"]
    options = {"class_order": None, "apart": None, "interact": ["a+b"], "price_weight": None}
    found = constraints_in(
        names, [0, 1], monotonic=["a,b=1=-1", "c=+1"], price=["a+b=2,c=3"], **options
    )
    assert found == {
        "monotonic_cst": {"a,b=1": -1, "c": 1},
        "interaction_cst": [["a+b"]],
        "feature_costs": {"a+b": 2.0, "c": 3.0},
    }
