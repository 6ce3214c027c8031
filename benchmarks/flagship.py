"""Comparison of the flagship with other classifiers on the article's 30 data sets.

    python benchmarks/flagship.py [--store flagship.sqlite] [--output docs/flagship.md]

Splits are those of `fuzzyucs reproduce` with the numbers 73 to 82 (73 to 77 for the five largest
data sets): design choices were made on others, which are not reported. Needs FUZZYUCS_DATA and the
extra `peers`. Results are kept in a store, so that a run may be stopped and continued later.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.metrics import METRICS
from fuzzyucs.experiment.monitor import Monitor
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.run import run
from fuzzyucs.experiment.statistics import compare
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS
from fuzzyucs.experiment.tables import COLUMNS, datasets_of

FLAGSHIP = "Evidential"
COMPARED = (FLAGSHIP, "RandomForest", "XGBoost")
SLOW, SLOW_RUNS = "EBM", 1  # compared on fewer splits, and not on the largest data sets
FIRST, RUNS, FEW_RUNS = 73, 10, 5
N_LARGE = 5
EPOCHS = 50
N_PREDICTED = 200_000
DESIGN = (
    "Design choices were made on ten-fold cross-validations with other seeds; no split of these "
    "tables was used before."
)
# By their titles, what they are called in the library, and how many digits are shown.
SCORES = {
    "accuracy": ("accuracy", 2),
    "macro F1": ("macro_f1", 2),
    "balanced accuracy": ("balanced_accuracy", 2),
    "log-loss": ("log_loss", 3),
}
ENOUGH = 0.98  # share of the runs that a system needs to be in the tables


def large_data_sets(data_dir: str) -> list[str]:
    sizes = {name: len(load(name, data_dir)[1]) for name in datasets_of("acc_10")}
    return sorted(sizes, key=lambda name: -sizes[name])[:N_LARGE]


def jobs(large: list[str], answers: tuple[str, ...]) -> Iterator[tuple[str, Job]]:
    for seed in range(FIRST, FIRST + RUNS):
        for dataset in datasets_of("acc_10"):
            if dataset in large and seed >= FIRST + FEW_RUNS:
                continue
            for answer in answers:
                if answer == SLOW and (dataset in large or seed >= FIRST + SLOW_RUNS):
                    continue
                yield answer, COLUMNS[answer].job(dataset, seed, EPOCHS)


def results(store: Store, large: list[str]) -> pd.DataFrame:
    known = {job: (sizes, seconds) for job, sizes, seconds in store.jobs()}
    everything = (*COMPARED, SLOW)
    wanted = list(jobs(large, everything))
    share = {name: np.mean([job in known for n, job in wanted if n == name]) for name in everything}
    rows = []
    for name, job in wanted:
        if job not in known or share[name] < ENOUGH:
            continue
        sizes, seconds = known[job]
        answer = store.answer(job, COLUMNS[name].answer, "test")
        truth = store.truth(job.dataset, job.seed, "test")
        rows.append(
            {
                "system": name,
                "dataset": job.dataset,
                "seed": job.seed,
                **{name: METRICS[metric](answer, truth) for name, (metric, _) in SCORES.items()},
                "rules": sizes.get("macro_rules", np.nan),
                "conditions": sizes.get("conditions", np.nan),
                "nodes": sizes.get("nodes", np.nan),
                "seconds": seconds,
            }
        )
    return pd.DataFrame(rows)


def spread(table: pd.DataFrame, name: str) -> pd.Series:
    """Return the standard error of the mean over data sets, from the spread over splits."""
    groups = table.groupby(["system", "dataset"])[name]
    variance = (groups.var() / groups.count()).groupby("system")
    return np.sqrt(variance.sum()) / variance.count()


def number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:,.{digits}f}"


def summary(table: pd.DataFrame, large: list[str]) -> Iterator[str]:
    by_set = table.groupby(["system", "dataset"], sort=False).mean(numeric_only=True)
    means = by_set.groupby("system", sort=False).mean()
    small = by_set[~by_set.index.get_level_values("dataset").isin(large)]
    fit = small["seconds"].groupby("system").mean()
    runs = table.groupby("system").size()
    titles = (*SCORES, "rules (conditions)", "nodes", "fit, 25 smaller (s)")
    yield "| system | " + " | ".join(titles) + " | runs |"
    yield "|---|" + "---|" * (len(titles) + 1)
    errors = {name: spread(table, name) for name in SCORES}
    for name in COMPARED:
        if name not in means.index:
            continue
        row = means.loc[name]
        rules = number(row["rules"], 0)
        if not np.isnan(row["conditions"]):
            rules += f" ({row['conditions']:.1f})"
        scores = " | ".join(
            f"{row[score]:.{digits}f} ± {errors[score][name]:.{digits}f}"
            for score, (_, digits) in SCORES.items()
        )
        yield (
            f"| {name} | {scores} "
            f"| {rules} | {number(row['nodes'], 0)} | {fit[name]:.2f} | {runs[name]} |"
        )


def differences(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return by how much the flagship exceeds each system run by run, and the standard error."""
    runs = table.pivot_table(index=["dataset", "seed"], columns="system", values=name)
    groups = runs.rsub(runs[FLAGSHIP], axis=0).groupby("dataset")
    error = np.sqrt((groups.var() / groups.count()).sum()) / groups.ngroups
    return pd.DataFrame({"mean": groups.mean().mean(), "error": error})


def tests(table: pd.DataFrame, name: str, *, greater_is_better: bool) -> Iterator[str]:
    means = table.pivot_table(index="dataset", columns="system", values=name).dropna()
    means = means[[system for system in COMPARED if system in means]]
    found = compare(means, FLAGSHIP, greater_is_better=greater_is_better)
    yield f"| {name} | " + " | ".join(means.columns) + " |"
    yield "|---|" + "---|" * len(means.columns)
    yield "| rank | " + " | ".join(f"{found.ranks[s]:.2f}" for s in means.columns) + " |"
    sign = 1 if greater_is_better else -1
    wins = {s: int((sign * (means[FLAGSHIP] - means[s]) > 0).sum()) for s in means.columns}
    yield (
        "| flagship better on | "
        + " | ".join("" if s == FLAGSHIP else f"{wins[s]} of {len(means)}" for s in means.columns)
        + " |"
    )
    excess, digits = differences(table, name), 2 if greater_is_better else 3
    cells = [f"{excess['mean'][s]:+.{digits}f} ± {excess['error'][s]:.{digits}f}" for s in means]
    cells[0] = ""
    yield "| flagship minus this system, run by run | " + " | ".join(cells) + " |"
    for title, values in (("p (Wilcoxon)", found.p), ("p, Holm", found.p_holm)):
        cells = [f"{values[s]:.2g}" if s in values else "" for s in means.columns]
        yield f"| {title} | " + " | ".join(cells) + " |"


def beside_slow(table: pd.DataFrame) -> Iterator[str]:
    """Compare on the runs that the slow system has finished."""
    runs = table[table["system"] == SLOW][["dataset", "seed"]]
    if not len(runs):
        return
    same = table.merge(runs, on=["dataset", "seed"])
    yield from (
        "",
        f"{SLOW} is slow, and was run on {len(runs)} of these runs, {SLOW_RUNS} for each of the "
        f"{same['dataset'].nunique()} smaller data sets. On these, with the difference run by run "
        "and its standard error over data sets:",
        "",
        "| | flagship | " + SLOW + " | difference |",
        "|---|---|---|---|",
    )
    shown = {name: digits for name, (_, digits) in SCORES.items()} | {"seconds": 2}
    for name, digits in shown.items():
        means = same.pivot_table(index="dataset", columns="system", values=name)
        excess = means[FLAGSHIP] - means[SLOW]
        yield (
            f"| {name} | {means[FLAGSHIP].mean():.{digits}f} | {means[SLOW].mean():.{digits}f} "
            f"| {excess.mean():+.{digits}f} ± {excess.std() / len(excess) ** 0.5:.{digits}f} |"
        )


def details(table: pd.DataFrame, name: str, digits: int) -> Iterator[str]:
    groups = table.groupby(["dataset", "system"], sort=False)[name]
    mean, sd = groups.mean().unstack(), groups.std().unstack()
    columns = [system for system in COMPARED if system in mean]
    yield "| data | " + " | ".join(columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for dataset in mean.index:
        cells = [
            f"{mean.loc[dataset, s]:.{digits}f} ± {sd.loc[dataset, s]:.{digits}f}" for s in columns
        ]
        yield f"| {dataset} | " + " | ".join(cells) + " |"


def class_details(table: pd.DataFrame) -> Iterator[str]:
    """Tell the scores in which rare classes count as much as frequent ones."""
    for title, name in (("Macro F1", "macro F1"), ("Balanced accuracy", "balanced accuracy")):
        yield from ("", f"## {title}", "", *details(table, name, 1))


def missing(table: pd.DataFrame) -> Iterator[str]:
    runs = table.groupby("system").size().reindex(COMPARED, fill_value=0)
    lacking = runs[runs < runs.max()]
    if len(lacking):
        texts = [f"{name} {count} of {runs.max()}" for name, count in lacking.items()]
        yield from ("", f"Runs that did not finish in time are left out: {', '.join(texts)} runs.")


def speed(data_dir: str) -> Iterator[str]:
    """Time fits of the largest tables, and predictions of models with at most 50 rules."""
    yield "| data | rows | features | classes | fit (s) | rules | predictions per second |"
    yield "|---|---|---|---|---|---|---|"
    for name in ("can", "seg", "pdy", "phi"):
        X, y = load(name, data_dir)
        start = time.process_time()
        rules = EvidentialRuleClassifier(random_state=0).fit(X, y).rules_
        seconds = time.process_time() - start
        small = EvidentialRuleClassifier(random_state=0, max_rules=50).fit(X, y)
        many = np.tile(X, (N_PREDICTED // len(X) + 1, 1))[:N_PREDICTED]
        best = np.inf
        for _ in range(3):
            start = time.process_time()
            small.predict(many)
            best = min(best, time.process_time() - start)
        yield (
            f"| {name} | {len(X):,} | {X.shape[1]} | {len(small.classes_)} | {seconds:.1f} "
            f"| {len(rules)} | {len(many) / best:,.0f} ({len(small.rules_)} rules) |"
        )


def report(table: pd.DataFrame, large: list[str], data_dir: str) -> str:
    packages = sorted(
        {SYSTEMS[COLUMNS[name].system].package for name in (*COMPARED, SLOW)} | {"numpy"}
    )
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    compared = table[table["system"] != SLOW]
    lines = [
        "# Comparison with other classifiers",
        "",
        f"Written by `benchmarks/flagship.py` on {datetime.datetime.now(datetime.UTC).date()} "
        f"({versions}, Python {platform.python_version()}).",
        "",
        "The flagship is `EvidentialRuleClassifier`, in the tables `Evidential`.",
        "",
        f"The article's 30 data sets, shuffle splits 90/10 with the numbers {FIRST} to "
        f"{FIRST + RUNS - 1} ({FIRST} to {FIRST + FEW_RUNS - 1} for {', '.join(large)}), the same "
        "for all systems. Means over data sets of means over splits, ± standard error over splits. "
        "Probabilities below 0.001 count as 0.001 in the log-loss. Times are CPU seconds of one "
        "thread on a shared machine. Peers run with their defaults; EBM, if it is there, with 4 "
        "outer bags instead of 14.",
        "",
        DESIGN,
        *missing(compared),
        "",
        *summary(table[table["system"] != SLOW], large),
        *beside_slow(table),
        "",
        "Ranks over the data sets, and tests against the flagship:",
        "",
        *tests(compared, "accuracy", greater_is_better=True),
        "",
        *tests(compared, "log-loss", greater_is_better=False),
        "",
        "## Test accuracy",
        "",
        *details(compared, "accuracy", 1),
        *class_details(compared),
        "",
        "## Log-loss",
        "",
        *details(compared, "log-loss", 3),
        "",
        "## Speed",
        "",
        "CPU seconds of one thread for all rows of a table.",
        "",
        *speed(data_dir),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("flagship.sqlite"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--systems", default=",".join((*COMPARED, SLOW)), help="columns to run now")
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    large = large_data_sets(options.data_dir)
    todo = [job for _, job in jobs(large, tuple(options.systems.split(",")))]
    with Store(options.store) as store:
        with Monitor(store.missing(todo)) as monitor:
            run(todo, store, data_dir=options.data_dir, n_jobs=options.jobs, listener=monitor)
        text = report(results(store, large), large, options.data_dir)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
