"""IntervalVariables: intervals in the data's own units."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fuzzyucs import IntervalVariables


def variables_of(*columns, names=None):
    X = np.array(columns, dtype=float).T
    return IntervalVariables.of(X, names or [f"x{i}" for i in range(X.shape[1])])


LENGTHS = variables_of([4.3, 5.1, 7.9], names=["length"])


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ((0.15, 0.51), "4.9 <= length <= 6.1"),
        ((0.51, 0.15), "4.9 <= length <= 6.1"),
        ((0.0, 0.51), "length <= 6.1"),
        ((0.15, 1.0), "length >= 4.9"),
        ((0.0, 1.0), "length is anything"),
        ((1.0, 1.0), "length >= 7.9"),
        ((0.0, 0.0), "length <= 4.3"),
        ((0.16, 0.17), "length = 4.9"),
        ((0.171, 0.172), "4.9 < length < 5.0"),  # no value with one decimal lies inside
    ],
)
def test_intervals_in_symbols(condition, text):
    assert LENGTHS.describe(0, condition) == text
    assert LENGTHS.is_dont_care(0, condition) == (text == "length is anything")


@pytest.mark.parametrize(
    ("column", "decimals", "text"),
    [
        ([0, 1, 1, 0], 0, "x0 >= 1"),
        ([10, 20, 37, np.nan], 0, "x0 >= 19"),
        ([0.5, 0.25, 1.125], 3, "x0 >= 0.513"),
        ([-2.5, -1.0, 7.0], 1, "x0 >= 0.4"),
        ([1 / 3, 2 / 3, 1.0], -1, "x0 >= 0.5333"),
        ([math.pi * 1e-9, 1e-8], -1, "x0 >= 5.199e-09"),
        ([math.pi * 1e12, 1e13], -1, "x0 >= 5199114857513"),
        ([0.0, 1e300], -1, "x0 >= 3e+299"),
        ([-1.7e308, 1.7e308], -1, "x0 >= -6.8e+307"),
        ([0.0, 123456789.0], 0, "x0 >= 37037037"),
        ([1.7e9, 1.7005e9], 0, "x0 >= 1700150000"),
        (np.array([4.3, 5.1, 7.9], dtype=np.float32), 1, "x0 >= 5.4"),
        ([0.0, 0.25, 12345.0], -1, "x0 >= 3704"),
        ([1.0, 2.0, 1.999999, 1.5], -1, "x0 >= 1.300"),
        ([0.0, 1000.0, 0.1], 1, "x0 >= 300.0"),
        ([0.0, 1000.1, 0.2], -1, "x0 >= 300"),
        ([0.0, math.pi * 1e6], -1, "x0 >= 942478"),
    ],
)
def test_digits_follow_the_data(column, decimals, text):
    variables = variables_of(column)
    assert variables.decimals.tolist() == [decimals]
    assert variables.describe(0, (0.3, 1.0)) == text


def test_close_bounds_on_continuous_data_do_not_look_alike():
    variables = variables_of([0.0, math.pi / 4, 1.0])
    assert variables.describe(0, (0.12341, 0.12349)) == "0.1234 <= x0 <= 0.1235"
    assert variables.describe(0, (0.0, 1e-6)) == "x0 <= 0.000001"
    assert variables.describe(0, (0.5, 0.5)) == "x0 = 0.500"


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    steps=st.lists(st.integers(-400, 400), min_size=2, max_size=8, unique=True),
    decimals=st.integers(0, 3),
    condition=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    snap=st.tuples(st.booleans(), st.booleans()),
)
def test_a_written_interval_means_what_the_rule_does(steps, decimals, condition, snap):
    """Every value with the precision of the data is inside the text exactly if the rule matches."""
    # Neighbours, so that the data have as many decimals as the grid.
    column = [step / 10**decimals for step in {*steps, min(steps) + 1}]
    variables = variables_of(column)
    grid = np.arange(min(steps), max(steps) + 1) / 10**decimals
    positions = variables.positions(grid[:, None])[:, 0]
    # Some bounds right on a value of the grid.
    condition = [
        positions[int(bound * (len(positions) - 1))] if snaps else bound
        for bound, snaps in zip(condition, snap, strict=True)
    ]
    matches = (min(condition) <= positions) & (positions <= max(condition))
    text = variables.describe(0, condition)
    if text == "x0 is anything":
        inside = np.full(len(grid), True)
    elif " = " in text:
        inside = grid == float(text.split(" = ")[1])
    elif between := re.match(r"(\S+) < x0 < (\S+)", text):
        inside = (grid > float(between[1])) & (grid < float(between[2]))
    else:
        low = re.match(r"(\S+) <= x0", text) or re.match(r"x0 >= (\S+)", text)
        high = re.search(r"x0 <= (\S+)", text)
        inside = np.full(len(grid), True)
        if low:
            inside &= grid >= float(low[1])
        if high:
            inside &= grid <= float(high[1])
    assert_array_equal(inside, matches, err_msg=text)


def test_features_without_a_range():
    variables = variables_of(
        [7.0, 7.0], [np.nan, np.nan], [0.0, 5e-324], names=["same", "unknown", "too narrow"]
    )
    for feature, name in enumerate(variables.feature_names):
        assert variables.is_dont_care(feature, (0.2, 0.9))
        assert not variables.is_dont_care(feature, (0.6, 0.9))
        assert variables.describe(feature, (0.6, 0.9)) == f"{name} is missing"
        assert variables.condition_as_dict(feature, (0.6, 0.9)) == {
            "feature": feature,
            "accepts": "missing",
        }


def test_bounds_in_json_are_exact_and_null_at_the_edge():
    variables = variables_of([10.0, 20.0])
    assert variables.condition_as_dict(0, (0.25, 0.5)) == {
        "feature": 0,
        "lower": 12.5,
        "upper": 15.0,
    }
    assert variables.condition_as_dict(0, (0.5, 0.0)) == {
        "feature": 0,
        "lower": None,
        "upper": 15.0,
    }
    assert variables.feature_as_dict(0) == {"name": "x0", "minimum": 10.0, "maximum": 20.0}


def test_positions_lie_between_0_and_1():
    variables = variables_of([0.0, 4.0], [7.0, 7.0])
    table = np.array([[1.0, 7.0], [-9.0, 8.0], [99.0, np.nan], [np.nan, 7.0]])
    assert_array_equal(
        variables.positions(table), [[0.25, 0.5], [0, 0.5], [1, np.nan], [np.nan, 0.5]]
    )
