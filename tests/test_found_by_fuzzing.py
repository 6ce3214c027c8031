"""What `make fuzz` has found in the native engine."""

import numpy as np
from numpy.testing import assert_array_equal

from fuzzyucs import _core
from fuzzyucs.variables.linguistic import LinguisticVariable

LEAST = 5e-324


def test_values_below_neighbouring_terms_at_the_least_numbers_are_not_missing():
    # Half of the least number rounds to 0: the gap between the peaks was 0, and 0 / 0 "missing".
    peaks = np.array([0.0, LEAST, 1.0])
    x = np.array([[-2.0], [0.0], [LEAST], [1.0], [2.0], [np.nan]])
    found = _core.locate(x, peaks, peaks, np.array([0, 3], np.uint32))
    assert_array_equal(found[:, 0], [0, 0, 1, 2, 2, np.nan])
    variable = LinguisticVariable(peaks, ("none", "least", "one"))
    assert_array_equal(variable.positions(x[:, 0]), found[:, 0])
    codes = _core.encode_ordered(x[:, 0].copy(), False, peaks, peaks, 2)
    assert_array_equal(codes, [0, 0, 2, 4, 4, 255])


def test_no_rules_say_nothing_about_many_classes():
    # An offset was added to the address of no weights, which the sanitizer reports.
    n_classes = 20
    rules = _core.LinguisticInference(
        np.array([3], np.uint32),
        np.empty((0, 1), np.uint64),
        np.empty((0, n_classes)),
        *[np.empty(0)] * 3,
        np.empty(0, np.uint32),
    )
    _, masses, agreement, _ = rules.dempster_shafer(np.array([[1.0]]), 0)
    assert_array_equal(masses, [[*[0.0] * n_classes, 1.0]])
    assert_array_equal(agreement, [0.0])


def test_a_range_as_wide_as_numbers_go_is_widened_by_no_margin():
    # An infinite width times a margin of 0 was NaN.
    reader = _core.RecordReader()
    reader.add("x", None, np.nan, np.nan, 3, True)
    for label in "ab":
        reader.add_label(label)
    settings = _core.Settings()
    learner = _core.LinguisticLearner(np.array([3], np.uint32), 2, settings, 0)
    stream = _core.RecordLearner(learner, reader, np.array([0.1]), 0.9, 0.0)
    for number in (-1.7e308, 1.7e308, 0.0):
        stream.learn({"x": number}, "a", True)
    assert stream.ranges == [(-1.7e308, 1.7e308)]
    assert sum(stream.predict({"x": 1.0}).values()) == 1.0
