"""Codes of values, made natively from numbers of any type."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fuzzyucs import _core
from fuzzyucs.variables.codes import MISSING, count_steps, encode
from fuzzyucs.variables.linguistic import LinguisticVariable
from fuzzyucs.variables.table import Stored
from fuzzyucs.variables.terms import is_in_turn

PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
SEEDS = st.integers(0, 2**32 - 1)
TYPES = ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def column_of(rng, kind, n):
    """Return numbers of a type, some of them missing, at the ends of the type or negative."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        x = rng.choice([rng.normal(0, 60, n), np.exp(rng.normal(0, 15, n))]).astype(dtype)
        x[rng.random(n) < 0.1] = np.nan
        return x
    limits = np.iinfo(dtype)
    x = rng.integers(max(limits.min, -100), 120, n).astype(dtype)
    x[rng.random(n) < 0.05] = limits.max
    return x


def variable_of(rng, x):
    """Return terms of one of many kinds for some numbers."""
    values = np.unique(x[np.isfinite(x)])
    if len(values) == 0 or rng.random() < 0.1:
        values = np.append(np.unique(rng.normal(size=9)), 1e300)
    if rng.random() < 0.1:
        values = values[:1]
    if rng.random() < 0.5:
        values = values[::2]  # others lie between them, some halfway
    if rng.random() < 0.5:
        peaks = np.sort(rng.choice(values, min(len(values), int(rng.integers(1, 250))), False))
        ends = peaks + np.append(np.diff(peaks), 0.0) * rng.choice([0.0, 0.5], len(peaks))
        ends = ends if is_in_turn(peaks, ends) else peaks  # halfway between neighbouring floats
        return LinguisticVariable(peaks, tuple(map(str, peaks)), ends=ends)
    groups = rng.integers(0, min(len(values), 200), len(values))
    if rng.random() < 0.5:
        few = values[:250]
        return LinguisticVariable(few, tuple(map(str, few)), True, bool(rng.random() < 0.6))
    return LinguisticVariable.of_groups([values[groups == g].tolist() for g in np.unique(groups)])


def plain_codes(variable, x):
    """Return what `encode` should: positions in steps, as NumPy rounds them."""
    positions = variable.positions(x)
    is_missing = np.isnan(positions)
    codes = np.rint(np.where(is_missing, 0.0, positions) * count_steps(variable))
    return np.where(is_missing, MISSING, codes).astype(np.uint8)


@PROPERTY
@given(SEEDS, st.sampled_from(TYPES))
def test_codes_are_those_of_the_same_numbers_as_floats(seed, kind):
    rng = np.random.default_rng(seed)
    x = column_of(rng, kind, int(rng.integers(1, 400)))
    variable = variable_of(rng, x.astype(float))
    expected = plain_codes(variable, x.astype(float))
    for stored in (x, np.column_stack([x, x, x])[:, 1], x[::-1].copy()[::-1]):
        assert_array_equal(encode(variable, Stored(stored)), expected)
    x.flags.writeable = False
    assert_array_equal(encode(variable, Stored(x)), expected)
    if x.dtype.kind == "i":  # indices of categories
        known = np.where(x < 0, np.nan, x.astype(float))
        assert_array_equal(encode(variable, Stored(x, True)), plain_codes(variable, known))


def test_the_native_codes_refuse_what_does_not_fit():
    x, two = np.zeros(3), np.array([0.0, 1.0])
    for steps in (0, 255, 2**31):
        with pytest.raises(ValueError, match="steps is out of range"):
            _core.encode_ordered(x, False, two, two, steps)
    with pytest.raises(ValueError, match="ends has the wrong length"):
        _core.encode_ordered(x, False, two, two[:1], 1)
    with pytest.raises(ValueError, match="ends has the wrong length"):
        _core.encode_ordered(x, False, two[:0], two[:0], 1)
    with pytest.raises(ValueError, match="x has a type that is not known"):
        _core.encode_ordered(x.astype(np.float16), False, two, two, 1)
    with pytest.raises(ValueError, match="terms has the wrong length"):
        _core.encode_nominal(x, False, two, np.zeros(1, dtype=np.uint8), False)
    with pytest.raises(ValueError, match="terms is out of range"):
        _core.encode_nominal(x, False, two, np.array([0, 255], dtype=np.uint8), False)
