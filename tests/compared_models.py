"""Tables and models on which the page, NumPy and ONNX are compared with the library."""

from collections import UserDict

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_wine

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier


class FreshModels(UserDict):
    """Models with tables, by name; every look-up returns a new unfitted model and a new table."""

    def __getitem__(self, name):
        clf, (frame, y) = super().__getitem__(name)
        return clone(clf), (frame.copy(), y.copy())


def mixed_table(n=400):
    """A table with all kinds of features."""
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


def records(frame, n=200):
    """Rows with missing values, values outside of the training data and unknown values."""
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


MIXED = mixed_table()
WINE = load_wine(return_X_y=True, as_frame=True)
SUPPORT = {"support": "auto"}
MODELS = FreshModels(
    {
        "flagship": (EvidentialRuleClassifier(random_state=0), MIXED),
        "fused": (EvidentialRuleClassifier(random_state=0, n_models=2, missing="match"), WINE),
        "named nominal": (
            EvidentialRuleClassifier(random_state=0, nominal_features=["colour"], max_rules=15),
            MIXED,
        ),
        "ds": (FuzzyUCSClassifier(epochs=5, random_state=0), WINE),
        "ds, calibrated": (
            FuzzyUCSClassifier(
                epochs=5, random_state=0, missing="belief", calibrate=True, n_terms=4, **SUPPORT
            ),
            MIXED,
        ),
        "vote": (FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote"), MIXED),
        "swin": (
            FuzzyUCSClassifier(epochs=5, random_state=0, inference="swin", missing="belief"),
            MIXED,
        ),
        "weighted": (
            FuzzyUCSClassifier(
                epochs=5, random_state=0, inference="weighted", missing="belief", **SUPPORT
            ),
            MIXED,
        ),
        "ucs": (UCSClassifier(epochs=5, random_state=0, **SUPPORT), MIXED),
    }
)
