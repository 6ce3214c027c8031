"""Exponentials and logarithms: those of long decimals, with the same bits on every machine."""

import hashlib
import math
from collections.abc import Callable
from decimal import Context, Decimal

import numpy as np
import pytest

from fuzzyucs._util import portable_math

LONG = Context(prec=60)
FEW_UNITS = 5 * 2.0**-53  # of the last place

EXACT: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": lambda x: LONG.exp(x),
    "expm1": lambda x: LONG.subtract(LONG.exp(x), 1),
    "log": lambda x: LONG.ln(x),
    "log1p": lambda x: LONG.ln(LONG.add(1, x)),
}


def some_numbers(name: str) -> np.ndarray:
    """Return numbers of all sizes that the function is defined for."""
    rng = np.random.default_rng(3)
    signs = rng.choice([-1.0, 1.0], 150)
    sizes = signs * 10 ** rng.uniform(-20, 2.8, 150)
    if name in ("exp", "expm1"):
        return np.concatenate([sizes, [0.0, 1.0, -1.0, 699.9, 700.1, 709.7, -707.9]])
    if name == "log":
        near = 1 + signs * 10 ** rng.uniform(-15, -1, 150)
        ends = [np.finfo(float).tiny, 5e-324, 1e-310, np.finfo(float).max, 0.5, 2.0]
        return np.concatenate([np.exp(sizes.clip(-700, 700)), near, ends])
    return np.concatenate([np.where(sizes > -1, sizes, -1 / sizes), [-0.5, 1e300, -1 + 2**-53]])


@pytest.mark.parametrize("name", EXACT)
def test_results_are_those_of_long_decimals(name: str) -> None:
    x = some_numbers(name)
    found = getattr(portable_math, name)(x)
    for number, value in zip(x.tolist(), found.tolist(), strict=True):
        exact = EXACT[name](Decimal(number))
        error = abs(LONG.subtract(Decimal(value), exact))
        assert error <= abs(exact) * Decimal(FEW_UNITS) + Decimal("5e-324"), (number, value, exact)


def test_numbers_without_a_finite_result() -> None:
    inf, nan = math.inf, math.nan
    odd = [inf, -inf, nan, 0.0, -1.0, 1e308]
    np.testing.assert_array_equal(portable_math.exp(odd), [inf, 0, nan, 1, np.exp(-1.0), inf])
    np.testing.assert_array_equal(portable_math.log(odd[:5]), [inf, nan, nan, -inf, nan])
    np.testing.assert_array_equal(portable_math.log1p(odd[:5]), [inf, nan, nan, 0, -inf])
    np.testing.assert_array_equal(portable_math.expm1([inf, -inf, nan, 0.0]), [inf, -1, nan, 0])
    np.testing.assert_array_equal(portable_math.power([0.0, 1.0], 3.0), [0, 1])
    np.testing.assert_allclose(portable_math.power([4.0, 0.25], 2.5), [32, 1 / 32], rtol=1e-15)


def test_arrays_keep_their_shape() -> None:
    x = np.arange(12.0).reshape(2, 3, 2).transpose(2, 0, 1)  # not contiguous
    np.testing.assert_allclose(portable_math.exp(x), np.exp(x), rtol=1e-15)
    assert portable_math.log(2.0).shape == ()


def test_bits_are_those_of_every_machine() -> None:
    """NumPy's own differ between processors with AVX-512 and those without."""
    digests = {
        name: hashlib.sha256(getattr(portable_math, name)(np.arange(-4, 9, 2.0**-9)).tobytes())
        for name in ("exp", "expm1")
    } | {
        name: hashlib.sha256(getattr(portable_math, name)(np.arange(1, 9000.0) / 64).tobytes())
        for name in ("log", "log1p")
    }
    assert {name: digest.hexdigest()[:12] for name, digest in digests.items()} == {
        "exp": "d0de0d1b87e7",
        "expm1": "9d7128b6a25d",
        "log": "bcde8371a673",
        "log1p": "0a5011940630",
    }
