"""Missing values in training and prediction, beside methods that take them natively.

    python benchmarks/gaps.py [--store gaps.jsonl] [--output docs/gaps.md] [--jobs 2]

The article's complete data sets of up to 350 rows, splits of `fuzzyucs reproduce` with the numbers
60 and 61, which served no design. Needs FUZZYUCS_DATA and the extra `peers`. Finished runs are kept
in a store, so that a run may be stopped and continued later.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from interpret.glassbox import ExplainableBoostingClassifier
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from class_scores import CLASS_SCORES, class_scores, without_parts
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.run import split
from fuzzyucs.experiment.tables import datasets_of
from keeping import run_missing

SPLITS = range(60, 62)
MOST_ROWS = 350
SHARE = 0.3
GROUP = 3
TINY = 1e-12
SCENARIOS = (
    "complete",
    "30 % at random, test only",
    "30 % at random, both",
    "more in some classes, both",
    "the most important column, test only",
    "all but one of three, both",
)

Array = NDArray[Any]
Make = Callable[[int], Any]


def at_random(X: Array, rng: np.random.Generator) -> Array:
    return np.where(rng.random(X.shape) < SHARE, np.nan, X)


def by_class(X: Array, y: Array, rng: np.random.Generator) -> Array:
    """Delete values of the first half of the columns, mostly in the first half of the classes."""
    rate = np.where(y < (y.max() + 1) / 2, 0.5, 0.1)[:, np.newaxis]
    deleted = rng.random(X.shape) < rate
    deleted[:, (X.shape[1] + 1) // 2 :] = False
    return np.where(deleted, np.nan, X)


def one_of_each_group(X: Array, rng: np.random.Generator) -> Array:
    """Keep one value of every three neighbouring columns."""
    kept = np.zeros(X.shape, dtype=bool)
    for first in range(0, X.shape[1], GROUP):
        width = min(GROUP, X.shape[1] - first)
        kept[np.arange(len(X)), first + rng.integers(width, size=len(X))] = True
    return np.where(kept, X, np.nan)


def most_important(X: Array, y: Array) -> int:
    """Return the column with the greatest importance to a model of complete data."""
    model = EvidentialRuleClassifier(random_state=0, support=None).fit(X, y)
    return int(model.feature_importances_.argmax())


def without(X: Array, column: int) -> Array:
    deleted = X.copy()
    deleted[:, column] = np.nan
    return deleted


def deleted(name: str, train: Any, test: Any, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the training and test data of a scenario."""
    (X, y), (Z, z) = train, test
    match SCENARIOS.index(name):
        case 0:
            return X, Z
        case 1:
            return X, at_random(Z, rng)
        case 2:
            return at_random(X, rng), at_random(Z, rng)
        case 3:
            return by_class(X, y, rng), by_class(Z, z, rng)
        case 4:
            return X, without(Z, most_important(X, y))
        case _:
            return one_of_each_group(X, rng), one_of_each_group(Z, rng)


class WithGapColumns:
    """The flagship with a column for each column that has gaps: whether the value is known."""

    def __init__(self, seed: int) -> None:
        self.model = EvidentialRuleClassifier(random_state=seed, support=None)

    def _extended(self, X: Array) -> Array:
        return np.hstack([X, (~np.isnan(X[:, self.gaps])).astype(float)])

    def fit(self, X: Array, y: Array) -> WithGapColumns:
        """Fit to data with the columns added."""
        self.gaps = np.flatnonzero(np.isnan(X).any(axis=0))
        self.model.fit(self._extended(X), y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return probabilities of the classes."""
        return np.asarray(self.model.predict_proba(self._extended(X)))


SYSTEMS: dict[str, Make] = {
    "flagship": lambda seed: EvidentialRuleClassifier(random_state=seed),
    'flagship, `missing="mean"`': lambda seed: EvidentialRuleClassifier(
        random_state=seed, missing="mean"
    ),
    "flagship, gap columns": WithGapColumns,
    "HistGradientBoosting": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "EBM": lambda seed: ExplainableBoostingClassifier(
        random_state=seed, n_jobs=1, outer_bags=4, max_rounds=2000
    ),
}


def measure(
    dataset: str, seed: int, scenario: str, system: str, *, data_dir: str
) -> dict[str, Any]:
    """Fit a system to a split of a data set with values deleted, and measure it."""
    warnings.simplefilter("ignore")
    X, y = load(dataset, data_dir)
    train, test = split(np.asarray(X, dtype=float), y, seed)
    rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
    X_train, X_test = deleted(scenario, train, test, rng)
    model = SYSTEMS[system](seed).fit(X_train, train[1])
    probability = model.predict_proba(X_test)
    known = np.isin(test[1], model.classes_)
    index = np.searchsorted(model.classes_, test[1]).clip(max=len(model.classes_) - 1)
    own = np.where(known, probability[np.arange(len(index)), index], 0.0)
    right = known & (probability.argmax(axis=1) == index)
    scores = class_scores(test[1], model.classes_[probability.argmax(axis=1)])
    return {
        "dataset": dataset,
        "split": seed,
        "scenario": scenario,
        "system": system,
        "accuracy": 100 * float(right.mean()),
        "log-loss": float(-np.log(np.maximum(own, TINY)).mean()),
        **{name: 100 * value for name, value in scores.items()},
    }


def cell(table: pd.DataFrame, scenario: str, system: str, name: str, digits: int) -> str:
    """Return the mean over data sets with its standard error over splits."""
    chosen = table[(table["scenario"] == scenario) & (table["system"] == system)]
    by_split = chosen.groupby("split")[name].mean()
    if by_split.isna().all():
        return "-"
    return f"{by_split.mean():.{digits}f} ± {by_split.std() / len(by_split) ** 0.5:.{digits}f}"


def report(table: pd.DataFrame) -> str:
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("fuzzyucs", "interpret-core", "scikit-learn")
    )
    sets = table["dataset"].nunique()
    table = without_parts(table)
    lines = [
        "# Missing values",
        "",
        f"Written by `benchmarks/gaps.py` on {datetime.date.today()} ({versions}, Python "
        f"{platform.python_version()}).",
        "",
        f"The {sets} complete data sets of the article with up to {MOST_ROWS:,} rows, shuffle "
        f"splits 90/10 with the numbers {SPLITS[0]} and {SPLITS[-1]}. Means over data "
        "sets, ± standard error over splits; EBM with four outer bags and at "
        "most 2,000 rounds. *More in some classes*: "
        "half of the columns lose 50 % of their values in the first half of the classes and 10 % "
        "in the others. *All but one of "
        f"three*: of every {GROUP} neighbouring columns each row has one value. To the flagship, "
        "that a value is missing is no evidence; *gap columns* says what happens if it is told "
        "so by a column for each column with gaps.",
        "",
    ]
    for name, digits in (("accuracy", 1), ("log-loss", 3), *((name, 1) for name in CLASS_SCORES)):
        lines += [f"| {name} | " + " | ".join(SYSTEMS) + " |", "|---|" + "---|" * len(SYSTEMS)]
        lines += [
            f"| {scenario} | "
            + " | ".join(cell(table, scenario, system, name, digits) for system in SYSTEMS)
            + " |"
            for scenario in SCENARIOS
        ]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("gaps.jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    sets = []
    for name in datasets_of("acc_10"):
        X, y = load(name, options.data_dir)
        if len(y) <= MOST_ROWS and not np.isnan(np.asarray(X, dtype=float)).any():
            sets.append(name)
    names = ("dataset", "split", "scenario", "system")
    jobs = list(product(sets, SPLITS, SCENARIOS, SYSTEMS))
    one = partial(measure, data_dir=options.data_dir)
    text = report(pd.DataFrame(run_missing(options.store, jobs, names, one, options.jobs)))
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
