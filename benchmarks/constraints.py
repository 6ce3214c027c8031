"""What constraints cost: directions beside scikit-learn's boosting, and prices of measurements.

    python benchmarks/constraints.py [--store constraints.jsonl] [--output docs/constraints_cost.md]
        [--jobs 1] [--splits 5]

Directions: all data sets of the article with two classes (but those of more than 30 features or
fewer than 100 rows), stratified splits into three quarters and one quarter. Of the training part,
the five features with the greatest rank correlation with the class, as far as that exceeds 0.2,
get its sign as their direction: the same for both systems. Prices: the table of heart disease, with
the prices that P. D. Turney published. Nothing was chosen by these splits. Needs FUZZYUCS_DATA.
Finished runs are kept in a store, so that a run may be stopped and continued later.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import warnings
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load
from keeping import run_missing

TABLES = (
    *("bnk", "can", "dbt", "hrt", "hpt", "hcl", "mam", "pis", "pha", "pmp", "rsn", "sir", "smk"),
    *("tip", "tit", "wbc"),
)
SYSTEMS = ("flagship", "flagship, directions", "boosting", "boosting, directions")
LEAST_CORRELATION = 0.2
MOST_DIRECTIONS = 5
N_STEPS = 15
BREAKS = 0.01  # by which a probability moves against the direction
# In Canadian dollars: P. D. Turney, Journal of Artificial Intelligence Research 2, 1995.
PRICES = (1, 1, 1, 1, 7.27, 5.2, 15.5, 102.9, 87.3, 87.3, 87.3, 100.9, 102.9)
WEIGHTS = (0.0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
NAMES = ("table", "system", "split")

Array = NDArray[Any]


def directions_of(X: Array, y: Array) -> list[int]:
    """Return the directions that a training part suggests."""
    found = np.zeros(X.shape[1])
    for feature, x in enumerate(X.T):
        known = ~np.isnan(x)
        if len(np.unique(x[known])) > 1:
            found[feature] = spearmanr(x[known], y[known]).statistic
    clear = np.argsort(-abs(found), kind="stable")[:MOST_DIRECTIONS]
    chosen = [f for f in clear if abs(found[f]) > LEAST_CORRELATION]
    return [int(np.sign(found[f])) if f in chosen else 0 for f in range(len(found))]


def breaks(clf: Any, X: Array, X_train: Array, directions: list[int]) -> float:
    """Return for what share of records and directions a probability moves the wrong way."""
    found = []
    for feature in np.flatnonzero(directions).tolist():
        steps = np.nanquantile(X_train[:, feature], np.linspace(0, 1, N_STEPS))
        rows = np.repeat(X, N_STEPS, axis=0)
        rows[:, feature] = np.tile(steps, len(X))
        p = clf.predict_proba(rows)[:, 1].reshape(len(X), N_STEPS) * directions[feature]
        found.append((np.diff(p, axis=1) < -BREAKS).any(axis=1))
    return float(np.mean(found)) if found else 0.0


def split(table: str, number: int) -> list[Array]:
    X, y = load(table, os.environ.get("FUZZYUCS_DATA"))
    parts = train_test_split(X, y, test_size=0.25, stratify=y, random_state=100 + number)
    return [np.asarray(part) for part in parts]


def measure(table: str, system: str, number: int) -> dict[str, Any]:
    """Return the scores of a system on a split."""
    warnings.simplefilter("ignore")
    X, X_test, y, y_test = split(table, number)
    result: dict[str, Any] = {"table": table, "system": system, "split": number}
    if system.startswith("price"):
        weight = float(system.split()[1])
        params = {"feature_costs": PRICES, "cost_weight": weight} if weight else {}
        clf: Any = EvidentialRuleClassifier(**params).fit(X, y)
        asked = clf.rules_.asks.any(axis=0)
        result |= {"price": float(np.array(PRICES)[asked].sum()), "features": int(asked.sum())}
    else:
        directions = directions_of(X, y)
        wish = directions if "directions" in system else None
        if system.startswith("flagship"):
            clf = EvidentialRuleClassifier(monotonic_cst=wish).fit(X, y)
        else:
            clf = HistGradientBoostingClassifier(monotonic_cst=wish, random_state=0).fit(X, y)
        result |= {
            "directions": int(np.count_nonzero(directions)),
            "breaks": breaks(clf, X_test, X, directions),
        }
    rules = len(clf.rules_) if hasattr(clf, "rules_") else None
    return result | {
        "accuracy": float(clf.score(X_test, y_test)),
        "log_loss": float(log_loss(y_test, clf.predict_proba(X_test), labels=clf.classes_)),
        "rules": rules,
    }


def spread(values: pd.Series, digits: int, factor: float = 1.0) -> str:
    """Write a mean over splits and its standard error."""
    mean, error = values.mean() * factor, values.sem() * factor
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def report(runs: pd.DataFrame, n_splits: int) -> str:
    """Write the page."""
    by_split = runs[runs["system"].isin(SYSTEMS)].groupby(["system", "split"])
    means = by_split[["accuracy", "log_loss", "breaks", "rules"]].mean()
    lines = [
        "# Cost of constraints",
        "",
        f"Written by `benchmarks/constraints.py` on {datetime.date.today()} (fuzzyucs "
        f"{version('fuzzyucs')}, scikit-learn {version('scikit-learn')}, Python "
        f"{platform.python_version()}).",
        "",
        "## Directions",
        "",
        f"{len(TABLES)} data sets of the article with two classes, {n_splits} stratified splits of "
        "each, a quarter held out. The five features of the training part with the greatest rank "
        f"correlation with the class, as far as that exceeds {LEAST_CORRELATION}, get its sign as "
        "their direction (`monotonic_cst`). Boosting is scikit-learn's "
        "`HistGradientBoostingClassifier`; both systems have default parameters otherwise, and get "
        "the same directions. *Against the direction*: share of held-out records and features with "
        f"a direction for which the probability moves by more than {BREAKS} against it somewhere "
        f"between {N_STEPS} quantiles of the feature. Means over the tables, ± standard error over "
        "the splits.",
        "",
        "| system | accuracy | log-loss | against the direction | rules |",
        "|---|---|---|---|---|",
    ]
    for system in SYSTEMS:
        own = means.loc[system]
        rules = "" if own["rules"].isna().all() else f"{own['rules'].mean():.0f}"
        lines.append(
            f"| {system} | {spread(own['accuracy'], 1, 100)} | {spread(own['log_loss'], 3)} "
            f"| {spread(own['breaks'], 1, 100)} % | {rules} |"
        )
    lines += [
        "",
        "What the directions change, on average over the splits of each table (± standard error "
        "over the splits):",
        "",
        "| table | directions | flagship: accuracy | flagship: log-loss | boosting: accuracy "
        "| boosting: log-loss |",
        "|---|---|---|---|---|---|",
    ]
    for table in TABLES:
        own = runs[runs["table"] == table].set_index(["system", "split"])
        cells = [f"{own.loc['flagship', 'directions'].mean():.1f}"]
        for system in ("flagship", "boosting"):
            with_, without = own.loc[f"{system}, directions"], own.loc[system]
            cells.append(spread(with_["accuracy"] - without["accuracy"], 1, 100))
            cells.append(spread(with_["log_loss"] - without["log_loss"], 3))
        lines.append(f"| {table} | {' | '.join(cells)} |")
    lines += [
        "",
        "Accuracies are in points. The directions follow the data here; directions against them "
        "were not measured.",
        "",
        "## Prices",
        "",
        "Heart disease (`hrt`, 303 rows, 13 features), with the prices of the measurements in "
        "Canadian dollars that P. D. Turney published (*Cost-Sensitive Classification*, Journal of "
        "Artificial Intelligence Research 2, 1995): 1 for age, sex, chest pain and blood pressure, "
        "5 to 16 for tests of blood and the resting electrocardiogram, 87 to 103 for what takes "
        f"exercise or a scan; {sum(PRICES):.2f} in all. `cost_weight` is by how much the mean "
        "log-loss has to fall for a dollar; 0 stands for a model without prices. "
        f"{n_splits} splits, means ± standard error.",
        "",
        "| cost_weight | price of a record | features | rules | accuracy | log-loss |",
        "|---|---|---|---|---|---|",
    ]
    for weight in WEIGHTS:
        own = runs[runs["system"] == f"price {weight:g}"]
        lines.append(
            f"| {weight:g} | {spread(own['price'], 0)} | {own['features'].mean():.1f} "
            f"| {own['rules'].mean():.0f} | {spread(own['accuracy'], 1, 100)} "
            f"| {spread(own['log_loss'], 3)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("constraints.jsonl"))
    parser.add_argument("--output", type=Path, default=Path("docs/constraints_cost.md"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--splits", type=int, default=5)
    arguments = parser.parse_args()
    splits = range(arguments.splits)
    jobs: list[tuple[Any, ...]] = [
        ("hrt", f"price {weight:g}", number) for number, weight in product(splits, WEIGHTS)
    ]
    jobs += [(t, system, number) for number, t, system in product(splits, TABLES, SYSTEMS)]
    runs = run_missing(arguments.store, jobs, NAMES, measure, arguments.jobs)
    arguments.output.write_text(report(pd.DataFrame(runs), arguments.splits))


if __name__ == "__main__":
    main()
