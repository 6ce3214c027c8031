"""The systems that `tables.py` compares: defaults, one thread, frames as each takes them best.

Run as a program, it does one run and prints the result as JSON:

    python benchmarks/table_systems.py TABLE MOST_ROWS SEED SYSTEM MOST_SECONDS

The operating system ends it after so many seconds of CPU.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from class_scores import CLASS_SCORES, class_scores
from table_data import load

__all__ = ["EQUAL", "SLOW", "SYSTEMS", "System", "measure"]

TEST_SHARE = 0.25
LEAST_PROBABILITY = 0.001
TINY = 1e-12
ENOUGH_SECONDS = 0.1  # the clock of CPU time is coarse
NO_CATEGORY = "(missing)"
EQUAL = "equal base rates: "  # what scores of a model with these begin with

Sizes = dict[str, float]


def _same(X: pd.DataFrame) -> pd.DataFrame:
    return X


@dataclass(frozen=True)
class System:
    """A classifier with its defaults.

    Attributes
    ----------
    make : callable
        Called with training features and seed; returns the classifier.
    sizes : callable
        Measures a fitted classifier.
    package : str
        The package that has it.
    treatment : str
        How it takes categories and gaps, for the page.
    frame : callable
        What must be done with a frame first; counts as time of fit and of predict.
    """

    make: Callable[[pd.DataFrame, int], Any]
    sizes: Callable[[Any], Sizes]
    package: str
    treatment: str
    frame: Callable[[pd.DataFrame], pd.DataFrame] = _same


def _categories(X: pd.DataFrame) -> list[str]:
    return list(X.select_dtypes("category").columns)


# Libraries are imported where they are needed: each run needs one of them.


def _evidential(_: pd.DataFrame, seed: int) -> Any:
    from fuzzyucs import EvidentialRuleClassifier

    return EvidentialRuleClassifier(random_state=seed)


def _evidential_of_100(_: pd.DataFrame, seed: int) -> Any:
    from fuzzyucs import EvidentialRuleClassifier

    return EvidentialRuleClassifier(max_rules=100, random_state=seed)


def _evidential_sizes(model: Any) -> Sizes:
    rules = model.rules_
    conditions = float(rules.asks.sum(axis=1).mean()) if len(rules) else 0.0
    return {"rules": len(rules), "conditions": conditions}


def _forest(_: pd.DataFrame, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    encoder = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        remainder="passthrough",
    )
    return make_pipeline(encoder, RandomForestClassifier(random_state=seed, n_jobs=1))


def _forest_sizes(model: Any) -> Sizes:
    return {"nodes": sum(tree.tree_.node_count for tree in model[-1].estimators_)}


def _histogram(_: pd.DataFrame, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def _histogram_sizes(model: Any) -> Sizes:
    return {"nodes": sum(len(tree.nodes) for trees in model._predictors for tree in trees)}


def _xgboost(_: pd.DataFrame, seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True)


def _xgboost_sizes(model: Any) -> Sizes:
    trees = model.get_booster().get_dump()
    return {"nodes": sum(len(tree.splitlines()) for tree in trees)}


def _lightgbm(_: pd.DataFrame, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _lightgbm_sizes(model: Any) -> Sizes:
    trees = model.booster_.dump_model()["tree_info"]
    return {"nodes": sum(2 * tree["num_leaves"] - 1 for tree in trees)}


def _catboost(X: pd.DataFrame, seed: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        random_seed=seed,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        cat_features=_categories(X),
    )


def _catboost_sizes(model: Any) -> Sizes:
    return {"nodes": int(np.sum(2 * np.asarray(model.get_tree_leaf_counts()) - 1))}


def _named_gaps(X: pd.DataFrame) -> pd.DataFrame:
    """Make a category of missing categories, which CatBoost refuses."""
    return X.assign(**{c: X[c].astype(object).fillna(NO_CATEGORY) for c in _categories(X)})


def _ebm(_: pd.DataFrame, seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


def _ebm_sizes(model: Any) -> Sizes:
    return {"terms": len(model.term_names_)}


NATIVE = "categories and gaps natively"
SYSTEMS: dict[str, System] = {
    "Evidential": System(_evidential, _evidential_sizes, "fuzzyucs", NATIVE),
    "Evidential100": System(_evidential_of_100, _evidential_sizes, "fuzzyucs", NATIVE),
    "RandomForest": System(
        _forest,
        _forest_sizes,
        "scikit-learn",
        "a column for each category (missing is one of them), gaps in numbers natively",
    ),
    "HistGradientBoosting": System(_histogram, _histogram_sizes, "scikit-learn", NATIVE),
    "XGBoost": System(_xgboost, _xgboost_sizes, "xgboost", f"{NATIVE} (`enable_categorical`)"),
    "LightGBM": System(_lightgbm, _lightgbm_sizes, "lightgbm", NATIVE),
    "CatBoost": System(
        _catboost,
        _catboost_sizes,
        "catboost",
        "categories and gaps in numbers natively, missing categories as one more category",
        _named_gaps,
    ),
    "EBM": System(_ebm, _ebm_sizes, "interpret-core", NATIVE),
}
SLOW = ("CatBoost", "EBM")  # compared with one seed, apart from the others


def _scores(probability: NDArray[Any], truth: NDArray[Any]) -> dict[str, float]:
    answer = probability.argmax(axis=1)
    own = probability[np.arange(len(truth)), truth]
    return {
        "accuracy": 100 * float((answer == truth).mean()),
        "log-loss": float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean()),
        "strict log-loss": float(-np.log(np.maximum(own, TINY)).mean()),
        **{name: 100 * value for name, value in class_scores(truth, answer).items()},
    }


def _equal_scores(model: Any, X: pd.DataFrame, truth: NDArray[Any]) -> dict[str, float]:
    """Return the scores of the same model with equal base rates, if it can have them."""
    if not hasattr(model, "with_base_rates"):
        return {}
    scores = _scores(model.with_base_rates("equal").predict_proba(X), truth)
    return {f"{EQUAL}{name}": scores[name] for name in ("accuracy", *CLASS_SCORES)}


def _predicted(predict: Callable[[], Any]) -> tuple[NDArray[Any], float]:
    """Predict as often as it takes to measure the time; return probabilities and mean seconds."""
    start, times = time.process_time(), 0
    while (spent := time.process_time() - start) < ENOUGH_SECONDS:
        probability = np.asarray(predict(), dtype=float)
        times += 1
    return probability, spent / times


def measure(table: str, most_rows: int, seed: int, system: str) -> dict[str, float]:
    """Fit a system to three quarters of a table, and measure its answers for the others."""
    X, y = load(table, most_rows)
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SHARE, stratify=y, random_state=seed
    )
    chosen = SYSTEMS[system]
    model = chosen.make(train, seed)
    start = time.process_time()
    model.fit(chosen.frame(train), y_train)
    fit_seconds = time.process_time() - start
    probability, predict_seconds = _predicted(lambda: model.predict_proba(chosen.frame(test)))
    if probability.shape != (len(y_test), y.max() + 1) or not np.isfinite(probability).all():
        raise ValueError(f"{system} gave probabilities of shape {probability.shape}, or no numbers")
    return {
        **_scores(probability, y_test),
        **_equal_scores(model, test, y_test),
        **chosen.sizes(model),
        "fit": fit_seconds,
        "predict": predict_seconds,
    }


def main() -> None:
    table, most_rows, seed, system, most_seconds = sys.argv[1:]
    soft = int(most_seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 5))
    warnings.simplefilter("ignore")  # of other libraries
    print(json.dumps(measure(table, int(most_rows), int(seed), system)))


if __name__ == "__main__":
    main()
