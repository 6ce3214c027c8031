"""Missing values in training and prediction, beside methods that take them natively.

    python benchmarks/gaps.py [--output docs/gaps.md] [--jobs 2] [--ebm]

The article's complete data sets of up to 350 rows, splits of `fuzzyucs reproduce` with the numbers
60 and 61, which served no design. Needs FUZZYUCS_DATA,
and for `--ebm`, which is slow, the extra `peers`.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.progress import track
from sklearn.ensemble import HistGradientBoostingClassifier

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.run import split
from fuzzyucs.experiment.tables import datasets_of

SPLITS = (60, 61)
MOST_ROWS = 350
SHARE = 0.3
GROUP = 3
TINY = 1e-12

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


def scenarios(train: Any, test: Any, rng: np.random.Generator) -> dict[str, tuple[Array, Array]]:
    (X, y), (Z, z) = train, test
    return {
        "complete": (X, Z),
        "30 % at random, test only": (X, at_random(Z, rng)),
        "30 % at random, both": (at_random(X, rng), at_random(Z, rng)),
        "more in some classes, both": (by_class(X, y, rng), by_class(Z, z, rng)),
        "the most important column, test only": (X, without(Z, most_important(X, y))),
        "all but one of three, both": (one_of_each_group(X, rng), one_of_each_group(Z, rng)),
    }


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
}


def add_ebm() -> None:
    """Compare with EBM as well, which takes most of the time."""
    from interpret.glassbox import ExplainableBoostingClassifier

    SYSTEMS["EBM"] = lambda seed: ExplainableBoostingClassifier(
        random_state=seed, n_jobs=1, outer_bags=4
    )


def measure(dataset: str, seed: int, data_dir: str, ebm: bool) -> list[dict[str, Any]]:
    warnings.simplefilter("ignore")
    if ebm:
        add_ebm()
    X, y = load(dataset, data_dir)
    train, test = split(np.asarray(X, dtype=float), y, seed)
    rows = []
    for name, (X_train, X_test) in scenarios(train, test, np.random.default_rng(seed)).items():
        for system, make in SYSTEMS.items():
            model = make(seed).fit(X_train, train[1])
            probability = model.predict_proba(X_test)
            known = np.isin(test[1], model.classes_)
            index = np.searchsorted(model.classes_, test[1]).clip(max=len(model.classes_) - 1)
            own = np.where(known, probability[np.arange(len(index)), index], 0.0)
            right = known & (probability.argmax(axis=1) == index)
            rows.append(
                {
                    "dataset": dataset,
                    "split": seed,
                    "scenario": name,
                    "system": system,
                    "accuracy": 100 * right.mean(),
                    "log-loss": -np.log(np.maximum(own, TINY)).mean(),
                }
            )
    return rows


def cell(table: pd.DataFrame, scenario: str, system: str, name: str, digits: int) -> str:
    """Return the mean over data sets with its standard error over splits."""
    chosen = table[(table["scenario"] == scenario) & (table["system"] == system)]
    by_split = chosen.groupby("split")[name].mean()
    return f"{by_split.mean():.{digits}f} ± {by_split.std() / len(by_split) ** 0.5:.{digits}f}"


def report(table: pd.DataFrame) -> str:
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("fuzzyucs", "numpy", "scikit-learn")
    )
    sets = table["dataset"].nunique()
    lines = [
        "# Missing values",
        "",
        f"Written by `benchmarks/gaps.py` on {datetime.date.today()} ({versions}, Python "
        f"{platform.python_version()}).",
        "",
        f"The {sets} complete data sets of the article with up to {MOST_ROWS:,} rows, shuffle "
        f"splits 90/10 with the numbers {SPLITS[0]} and {SPLITS[-1]}. Means over data "
        "sets, ± standard error over splits. *More in some "
        "classes*: half of the columns lose 50 % of "
        "their values in the first half of the classes and 10 % in the others. *All but one of "
        f"three*: of every {GROUP} neighbouring columns each row has one value. To the flagship, "
        "that a value is missing is no evidence; *gap columns* says what happens if it is told "
        "so by a column for each column with gaps.",
        "",
    ]
    for name, digits in (("accuracy", 1), ("log-loss", 3)):
        lines += [f"| {name} | " + " | ".join(SYSTEMS) + " |", "|---|" + "---|" * len(SYSTEMS)]
        lines += [
            f"| {scenario} | "
            + " | ".join(cell(table, scenario, system, name, digits) for system in SYSTEMS)
            + " |"
            for scenario in table["scenario"].unique()
        ]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--ebm", action="store_true", help="compare with EBM as well, slowly")
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    if options.ebm:
        add_ebm()
    sets = []
    for name in datasets_of("acc_10"):
        X, y = load(name, options.data_dir)
        if len(y) <= MOST_ROWS and not np.isnan(np.asarray(X, dtype=float)).any():
            sets.append(name)
    jobs = [(name, seed) for name in sets for seed in SPLITS]
    results = Parallel(n_jobs=options.jobs, return_as="generator_unordered")(
        delayed(measure)(name, seed, options.data_dir, options.ebm) for name, seed in jobs
    )
    rows = [row for part in track(results, total=len(jobs)) for row in part]
    table = pd.DataFrame(rows).sort_values(["dataset", "split"], kind="stable")
    order = list(scenarios_order())
    table["scenario"] = pd.Categorical(table["scenario"], order, ordered=True)
    text = report(table.sort_values("scenario", kind="stable"))
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


def scenarios_order() -> list[str]:
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    return list(scenarios((X, y), (X, y), np.random.default_rng(0)))


if __name__ == "__main__":
    main()
