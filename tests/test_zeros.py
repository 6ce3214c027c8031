"""Zeros that may stand for missing values: the note of `fit`, and what it advises."""

import numpy as np
import pandas as pd
import pytest

from fuzzyucs import load
from fuzzyucs.cli.main import main
from fuzzyucs.cli.tables.zeros import lone_zeros
from fuzzyucs.variables.columns import NumberColumn

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ([0.0] * 5 + list(np.arange(60.0, 120.0)), True),
        ([0.0] * 5 + list(np.arange(18.2, 60.0, 0.1)), True),
        ([0.0] * 300 + list(RNG.integers(60, 800, 300).astype(float)), True),
        ([0.0] * 5 + list(np.arange(60.0, 120.0)) + [np.nan], True),
        ([0.0] * 2 + list(np.arange(60.0, 120.0)), False),  # few
        ([0.0] * 5 + list(np.arange(1.0, 18.0)), False),  # a count
        ([0.0] * 5 + list(np.arange(60.0, 120.0)) + [-3.0], False),
        ([0.0] * 300 + list(RNG.exponential(1000, 300)), False),  # amounts
        ([0.0] * 5 + list(np.arange(0.5, 30.0, 0.5)), False),
        ([0.0] * 50 + [1.0] * 50, False),  # yes or no
        (list(np.arange(60.0, 120.0)), False),
    ],
)
def test_zeros_far_from_all_other_values_are_found(values, is_told):
    column = NumberColumn("pressure", np.array(values))
    assert list(lone_zeros([column])) == ["pressure"] * is_told


@pytest.fixture
def table(tmp_path):
    n = 200
    pressure = RNG.integers(60, 120, n)
    y = (pressure > 95).astype(int)
    frame = pd.DataFrame({"pressure": pressure, "children": RNG.integers(0, 5, n), "ill": y})
    frame.loc[:19, "pressure"] = 0
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_fit_tells_of_them_and_takes_its_own_advice(table, capsys):
    command = ["fit", str(table), "--target", "ill", "-o", str(table.with_suffix(".json"))]
    assert main(command) == 0
    told = "".join(capsys.readouterr())
    advice = "--missing-marker pressure=0"
    assert "0 may stand for missing: 'pressure' (20 rows; all others 60 or more)" in told
    assert f"if it does: {advice}\n" in told
    assert main([*command, *advice.split()]) == 0
    told = "".join(capsys.readouterr())
    assert "0 may stand" not in told
    assert "missing: 'pressure' 20 (0 20)" in told
    model = load(table.with_suffix(".json"))
    assert model.support_.known.minimum[0] >= 60
    # The model remembers it, of that column alone.
    assert main(["predict", str(table.with_suffix(".json")), str(table)]) == 0
    told = "".join(capsys.readouterr())
    assert "missing: 'pressure' 20 (0 20)" in told
    assert "'children'" not in told.split("missing: ")[1].splitlines()[0]


def test_a_marker_of_a_column_that_is_not_there_is_refused(table, capsys):
    command = ["fit", str(table), "--target", "ill", "-o", str(table.with_suffix(".json"))]
    assert main([*command, "--missing-marker", "presure=0"]) == 2
    told = "".join(capsys.readouterr())
    assert "--missing-marker presure=0: " in told
    assert "has no column 'presure'; did you mean 'pressure'?" in told
    assert not table.with_suffix(".json").exists()
    # A text that stands in the table is a marker as before.
    text = table.read_text().splitlines()
    text[1] = "n=a" + text[1][text[1].index(",") :]
    table.write_text("\n".join(text) + "\n")
    assert main([*command, "--missing-marker", "n=a"]) == 0
