"""Tables and fitted classifiers of all kinds, for tests that repeat their arithmetic elsewhere.

Everything is made anew or copied for each caller, so that no test can change what another gets.
"""

import copy
from functools import cache

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier


def mixed_table(n=400):
    """A table with all that features can be."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "length": x,
            "<script>alert(1)</script>": 100 * x + rng.normal(0, 40, n),
            "colour": rng.integers(0, 4, n).astype(float),
            "count": rng.poisson(3, n).astype(float),
            "constant": 1.0,
            "often missing": np.where(rng.random(n) < 0.4, np.nan, x + rng.normal(size=n)),
            "& 'quoted' \"names\"": rng.exponential(size=n) * 1e-6,
        }
    )
    y = np.where(x + (frame["colour"] == 2) + rng.normal(0, 0.4, n) > 0.5, "<b>ill</b>", "well")
    y[(x < -1) & (rng.random(n) < 0.7)] = "third"
    return frame, y


def wine_table():
    """A table of numbers without holes."""
    return load_wine(return_X_y=True, as_frame=True)


def records(frame, n=200):
    """Rows with holes, strange values and values that were never seen."""
    rng = np.random.default_rng(11)
    X = frame.to_numpy(dtype=float)
    chosen = np.column_stack([rng.choice(column, n) for column in X.T])
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    wide = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low), chosen.shape)
    chosen = np.where(rng.random(chosen.shape) < 0.3, wide, chosen)
    holes = rng.random(chosen.shape) < rng.choice([0.0, 0.2, 0.6], (n, 1))
    chosen = np.where(holes, np.nan, chosen)
    chosen[0] = np.nan
    return chosen


SUPPORT = {"support": "auto"}
ESTIMATORS = {
    "flagship": (EvidentialRuleClassifier(random_state=0), mixed_table),
    "fused": (EvidentialRuleClassifier(random_state=0, n_models=2, missing="match"), wine_table),
    "named nominal": (
        EvidentialRuleClassifier(random_state=0, nominal_features=["colour"], max_rules=15),
        mixed_table,
    ),
    "ds": (FuzzyUCSClassifier(epochs=5, random_state=0), wine_table),
    "ds, doubts": (
        FuzzyUCSClassifier(
            epochs=5, random_state=0, missing="belief", calibrate=True, n_terms=4, **SUPPORT
        ),
        mixed_table,
    ),
    "vote": (FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote"), mixed_table),
    "swin": (
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="swin", missing="belief"),
        mixed_table,
    ),
    "weighted": (
        FuzzyUCSClassifier(
            epochs=5, random_state=0, inference="weighted", missing="belief", **SUPPORT
        ),
        mixed_table,
    ),
    "ucs": (UCSClassifier(epochs=5, random_state=0, **SUPPORT), mixed_table),
}
MORE_ESTIMATORS = {
    "flagship, 13 features": (EvidentialRuleClassifier(random_state=0), wine_table),
    "calibrated": (
        FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=True, missing="belief"),
        wine_table,
    ),
    "vote, beliefs": (
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote", missing="belief"),
        mixed_table,
    ),
}
MODELS = tuple(ESTIMATORS)
MORE_MODELS = tuple(MORE_ESTIMATORS)


@cache
def _fit(name):
    estimator, table = (ESTIMATORS | MORE_ESTIMATORS)[name]
    frame, y = table()
    return clone(estimator).fit(frame, y), frame, y


def trained(name):
    """Return a classifier, the table that it was trained on, and the labels."""
    return copy.deepcopy(_fit(name))
