"""Tables that count as large, because a sample is small where they are used."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fuzzyucs.estimators import fitting_rows, learning, row_sample

N_SAMPLED = 2**10
N_HELD_OUT = 2**7


@contextmanager
def small_samples(n_sampled: int = N_SAMPLED) -> Iterator[None]:
    """Let tables with more rows than a small number be large."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (row_sample, learning, fitting_rows):
            patch.setattr(module, "N_SAMPLED", n_sampled)
        patch.setattr(row_sample, "N_HELD_OUT", N_HELD_OUT)
        yield


def numbers(n: int = 6000, seed: int = 0, n_classes: int = 2) -> tuple[Any, Any]:
    """Return numbers, some missing, some frequent, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    X[:, 3] = np.where(rng.random(n) < 0.6, 0.0, X[:, 3])
    score = X[:, 0] * (X[:, 1] > 0) + X[:, 3] + rng.normal(0, 0.4, n)
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    X[rng.random(n) < 0.1, 2] = np.nan
    return X, y


def mixed(n: int = 6000, seed: int = 0) -> pd.DataFrame:
    """Return a frame with text, dates, numbers, gaps, rare categories, and a target."""
    rng = np.random.default_rng(seed)
    town = rng.choice(["Bonn", "Köln", "Ulm", "Trier"], n, p=[0.5, 0.3, 0.195, 0.005])
    age = rng.integers(18, 90, n)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D")
    score = (age > 60) + 2.0 * (town == "Ulm") + rng.normal(0, 0.5, n)
    income = rng.lognormal(10, 0.5, n).round(0)
    income[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame(
        {
            "town": pd.Series(town, dtype="str"),
            "age": age,
            "since": pd.Series(day).astype("datetime64[s]"),
            "income": income,
            "ill": np.where(score > 1, "yes", "no"),
        }
    )
