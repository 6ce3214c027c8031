"""Models of all kinds, for tests of evaluators that repeat the library's arithmetic elsewhere."""

import copy
from collections import UserDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_wine

from fuzzyucs import (
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    LinguisticPartition,
    UCSClassifier,
)
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.variables.borders import find_borders
from fuzzyucs.variables.coding import as_run, every_terms
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names
from fuzzyucs.variables.table import Table


def mixed_table(n: int = 400) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return a table whose features are nominal, constant, often missing, huge or tiny."""
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


def records(frame: pd.DataFrame, n: int = 200) -> NDArray[np.float64]:
    """Return rows with missing values, values outside of the range and values never seen."""
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


def stored_rows(
    features: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Any]]
) -> NDArray[np.float64]:
    """Return rows of a JSON file as numbers: categories as their indices, unknown ones as NaN."""

    def number(value: Any, feature: Mapping[str, Any]) -> float:
        if value is None or "labels" not in feature:
            return np.nan if value is None else float(value)
        known = feature["labels"]
        return float(known.index(str(value))) if str(value) in known else np.nan

    return np.array([[number(v, f) for v, f in zip(row, features, strict=True)] for row in rows])


class FreshModels(UserDict):
    """Models with tables, by name; every look-up returns a new unfitted model and a new table."""

    def __getitem__(self, name: str) -> tuple[Any, tuple[pd.DataFrame, NDArray[Any]]]:
        clf, (frame, y) = super().__getitem__(name)
        return clone(clf), (frame.copy(), y.copy())


class PlateauClassifier(EvidentialRuleClassifier):
    """A classifier whose terms became wider after the search, with plateaus and narrow edges."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PlateauClassifier":
        """Fit, and replace triangles by plateaus."""
        super().fit(X, y, sample_weight)
        rng, variables = np.random.default_rng(0), self.rules_.variables
        special = dict(variables.special)
        for feature, known in special.items():
            if not known.is_nominal and len(known.peaks) > 1:
                widths = np.append(np.diff(known.peaks), 0.0)
                ends = known.peaks + widths * rng.choice([0.0, 0.4, 0.8], len(widths))
                special[feature] = replace(known, ends=ends)
        wider = replace(variables, special=special)
        table = np.asarray(self.columns_.values(X), dtype=float)
        wider = replace(wider, borders=find_borders(wider, table))
        self.rules_ = replace(self.rules_, variables=wider)
        self.__class__ = EvidentialRuleClassifier  # a model like others, which can be saved
        return self


class FineClassifier(EvidentialRuleClassifier):
    """A classifier with 65 to 255 terms for each ordered feature, and rules of random runs."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "FineClassifier":
        """Fit, and replace variables and rules."""
        super().fit(X, y, sample_weight)
        table = np.asarray(self.columns_.values(X), dtype=float)
        variables = fine_variables(self.rules_.variables, table, seed=0)
        labels = np.searchsorted(self.classes_, y).astype(np.uint32)
        data = TrainingData(self.classes_, Table.of(table), labels, np.ones(len(table)))
        weighing = Weighing(data, variables, self.rules_.answer_threshold)
        conditions = weighing.turned(random_conditions(variables, 60, seed=1))
        self.rules_ = weighing.weigh(conditions, penalty=3.0)
        self.__class__ = EvidentialRuleClassifier  # a model like others, which can be saved
        return self


def fine_variables(
    variables: LinguisticPartition, X: NDArray[np.float64], seed: int
) -> LinguisticPartition:
    """Return variables with more than 64 terms for ordered features, some with plateaus."""
    rng = np.random.default_rng(seed)
    special = {f: v for f, v in variables.special.items() if v.is_nominal}
    for feature in range(variables.n_features):
        low, high = variables.minimum[feature], variables.maximum[feature]
        if feature in special or not low < high:
            continue
        n_terms = int(rng.choice([65, 128, 255, rng.integers(65, 256)]))
        peaks = np.sort(rng.uniform(low, high, n_terms))
        peaks[0], peaks[-1] = low, high
        widths = np.append(np.diff(peaks), 0.0)
        ends = peaks + widths * rng.choice([0.0, 0.4, 0.8], n_terms)
        special[feature] = LinguisticVariable(peaks, term_names(n_terms), ends=ends)
    names, columns = variables.feature_names, variables.columns
    found = LinguisticPartition.of_variables(X, names, special, columns)
    return found.with_beliefs(np.tile(X, (10, 1)))  # so that features depend on each other


def random_conditions(variables: LinguisticPartition, n: int, seed: int) -> NDArray[np.uint64]:
    """Return conditions of rules that ask for one to three features: runs, or any categories."""
    rng = np.random.default_rng(seed)
    varied = np.flatnonzero(variables.n_varied_terms)
    conditions = np.tile(every_terms(variables.n_terms), (n, 1))
    for row in conditions:
        for feature in rng.choice(varied, min(rng.integers(1, 4), len(varied)), replace=False):
            n_terms = int(variables.n_terms[feature])
            if variables.is_nominal[feature]:
                row[feature] = rng.integers(1, 2**n_terms)
                continue
            first, last = sorted(rng.integers(0, n_terms, 2).tolist())
            if rng.random() < 0.5:  # to one end
                first, last = (0, last) if rng.random() < 0.5 else (first, n_terms - 1)
            row[feature] = as_run(first, last, n_terms)
    return conditions


MIXED = mixed_table()
WINE = load_wine(return_X_y=True, as_frame=True)
SUPPORT = {"support": "auto"}
MODELS = FreshModels(
    {
        "flagship": (EvidentialRuleClassifier(random_state=0), MIXED),
        "constrained": (
            EvidentialRuleClassifier(
                monotonic_cst={"length": 1, "count": -1},
                class_order=["third", "well", "<b>ill</b>"],
                apart_features=[["colour", "count"]],
                unused_features=["constant"],
                feature_costs={"often missing": 2.0},
                penalty=1.0,
            ),
            MIXED,
        ),
        "fused": (EvidentialRuleClassifier(random_state=0, n_models=2, missing="mean"), WINE),
        "named nominal": (
            EvidentialRuleClassifier(random_state=0, nominal_features=["colour"], max_rules=15),
            MIXED,
        ),
        "plateaus": (PlateauClassifier(random_state=0, n_terms=[60, 9, 5, 40, 5, 5, 5]), MIXED),
        "fine terms": (FineClassifier(random_state=0), MIXED),
        "ds": (FuzzyUCSClassifier(epochs=5, random_state=0), WINE),
        "ds, missing values": (
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


@cache
def _fitted_once(name: str) -> Any:
    clf, table = MODELS[name]
    return clf.fit(*table)


def fitted_model(name: str) -> tuple[Any, tuple[pd.DataFrame, NDArray[Any]]]:
    """Return copies of a model that was fitted once, and of its table."""
    return copy.deepcopy(_fitted_once(name)), MODELS[name][1]


def small_table() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return a table with three classes, of four columns that do not depend on each other."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    X[:, 3] = rng.integers(0, 9, 300)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.6)
    return X, y


def frame_with_categories(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return a small table as a frame, with columns that hold categories."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["d"] = pd.Categorical.from_codes((X[:, 3] % 3).astype(int), ["x", "y", "z"])
    frame["e"] = pd.Categorical(["only"] * len(X), ordered=True)
    return frame


def models_of_all_kinds(
    X: NDArray[np.float64], y: NDArray[Any]
) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Yield classifiers with features of all kinds, and rows with missing and unknown values."""
    X = np.column_stack([X, np.full(300, np.nan), np.full(300, 4.0), X[:, 3] % 2])
    options = {"random_state": 0, "support": "auto"}
    peaks = {1: {"few": 0.2, "many": 0.7}, 2: [0.1, 0.2, 0.9]}
    rows = np.vstack([X[:50], X[:50] * 1.4 - 0.1, X[::-1][:50] + 0.5])
    rows[::7, 4] = 3.0
    rows[::5, 6] = 0.5  # in the middle of two values
    holes = np.where(np.random.default_rng(2).random(rows.shape) < 0.2, np.nan, rows)
    for clf in (
        FuzzyUCSClassifier(epochs=2, nominal_features="auto", **options),
        FuzzyUCSClassifier(epochs=2, partition=peaks, nominal_features=[3, 5, 6], **options),
        FuzzyUCSClassifier(epochs=2, n_terms=[2, 3, 64, 4, 5, 33, 7], missing="belief", **options),
        FuzzyUCSClassifier(epochs=2, partition="values", n_terms=4, **options),
        EvidentialRuleClassifier(partition=peaks, nominal_features=[3, 4, 5], **options),
        UCSClassifier(epochs=2, **options),
    ):
        yield clf.fit(X, y), np.vstack([rows, holes])


def barely_matching(inference: str) -> tuple[FuzzyUCSClassifier, NDArray[np.float64]]:
    """Return a classifier with one rule of 400 conditions, and rows that hardly match it."""
    X = np.random.default_rng(0).random((20, 400))
    X[:2] = [[0.0], [1.0]]
    clf = FuzzyUCSClassifier(
        epochs=1, random_state=0, inference=inference, inference_experience=0, n_terms=2
    ).fit(X, np.arange(20) % 2)
    conditions = np.ones((1, 400), dtype=np.uint64)
    rules = replace(
        clf.rules_[:1], conditions=conditions, experience=np.ones(1), fitness=np.ones(1)
    )
    rows = np.vstack([np.full((1, 400), 0.99), np.ones((1, 400)), np.zeros((1, 400))])
    rows[2, 0] = 1 - 2.0**-53
    clf = clf.with_rules(rules)
    assert clf.membership(rows)[:, 0].tolist() == [np.finfo(float).tiny, 0.0, 2.0**-53]
    return clf, rows
