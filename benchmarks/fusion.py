"""Fusion of models: the article's tables cut into five sites, beside other ways to join them.

    python benchmarks/fusion.py [--store fusion] [--output docs/fusion_figures.md]

Needs FUZZYUCS_DATA. The models of sites are kept in a folder, so that a run may be stopped and
continued later. Of larger tables, 2,000 rows are used.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import warnings
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fusion_sites import (
    HELD_OUT,
    LACKING,
    MOST_ROWS,
    N_SITES,
    SCENARIOS,
    SHARES,
    TEST,
    Array,
    Cut,
    cut,
    model_of,
)
from fuzzyucs import __version__, fuse
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.tables import datasets_of

SPLITS = range(3)
DESIGN_SPLIT = 10
LEAST_PROBABILITY = 1e-3  # in the log-loss, so that no single row dominates it
SIZES = (1, 50, 100, 10**6)  # records at a site
SYSTEMS = (
    "best site by test",
    "site chosen by its own folds",
    "mean site",
    "vote of sites",
    "mean probability",
    "fused",
    "fused, reliability held out",
    "pooled data",
)


def scores(probability: Array, labels: Array) -> tuple[float, float]:
    """Return accuracy in percent, and log-loss."""
    own = probability[np.arange(len(labels)), labels]
    right = probability.argmax(axis=1) == labels
    return 100 * float(right.mean()), float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean())


def own_accuracy(model: Any) -> float:
    """Return what a site knows of its model: its accuracy on folds of its own rows."""
    return float(model.path_["accuracy"][model.path_["penalty"] == model.penalty_][0])


def measure(dataset: str, number: int, scenario: str, store: Path, data_dir: str) -> list[Any]:
    """Measure all systems on one split."""
    found = cut(dataset, number, scenario, data_dir)
    folder = store / f"{dataset}-{number}"
    sites = [
        model_of(folder / scenario.replace(" ", "_") / f"site_{s}.json", found, rows, columns)
        for s, (rows, columns) in enumerate(zip(found.rows, found.columns, strict=True))
    ]
    pooled = model_of(folder / "pooled.json", found, found.pooled, list(found.X.columns))
    test = found.X.iloc[found.test]
    labels = np.searchsorted(np.unique(found.y), found.y[found.test])
    answers = [m.predict_proba(test[c]) for m, c in zip(sites, found.columns, strict=True)]
    alone = [scores(p, labels) for p in answers]
    votes = np.mean([np.eye(p.shape[1])[p.argmax(axis=1)] for p in answers], axis=0)
    chosen = int(np.argmax([own_accuracy(model) for model in sites]))
    plain, tuned = _fused(sites, found)
    every = {
        "best site by test": max(alone),
        "site chosen by its own folds": alone[chosen],
        "mean site": tuple(np.mean(alone, axis=0)),
        "vote of sites": scores(votes, labels),
        "mean probability": scores(np.mean(answers, axis=0), labels),
        "fused": scores(plain.predict_proba(test[list(plain.feature_names_in_)]), labels),
        "fused, reliability held out": scores(
            tuned.predict_proba(test[list(tuned.feature_names_in_)]), labels
        ),
        "pooled data": scores(pooled.predict_proba(test), labels),
    }
    novelty = plain.predict_evidence(test[list(plain.feature_names_in_)]).novelty.mean()
    sizes = {"fused": len(plain.rules_), "pooled data": len(pooled.rules_)}
    sizes["mean site"] = float(np.mean([len(model.rules_) for model in sites]))
    return [
        {
            "dataset": dataset,
            "split": number,
            "records": len(found.pooled) / N_SITES,
            "scenario": scenario,
            "system": system,
            "accuracy": float(accuracy),
            "log-loss": float(loss),
            "rules": sizes.get(system),
            "novelty": float(novelty) if system == "fused" else None,
        }
        for system, (accuracy, loss) in every.items()
    ]


def _fused(sites: list[Any], found: Cut) -> tuple[Any, Any]:
    """Return the fused model, and that whose reliabilities were estimated on held-out rows."""
    plain = fuse(sites)
    rows = found.X.iloc[found.held_out][list(plain.feature_names_in_)]
    return plain, fuse(sites, X=rows, y=found.y[found.held_out])


def cell(table: pd.DataFrame, system: str, name: str, digits: int) -> str:
    """Return the mean over data sets with its standard error over splits."""
    by_split = table[table["system"] == system].groupby("split")[name].mean()
    error = by_split.std(ddof=1) / len(by_split) ** 0.5
    return f"{by_split.mean():.{digits}f} ± {error:.{digits}f}"


def compared(table: pd.DataFrame, system: str, other: str) -> str:
    """Count the data sets on which a system is above, level with and below another."""
    means = table.groupby(["dataset", "system"])["accuracy"].mean().unstack()
    difference = (means[system] - means[other]).round(9)
    return f"{(difference > 0).sum()} / {(difference == 0).sum()} / {(difference < 0).sum()}"


def by_size(table: pd.DataFrame) -> list[str]:
    """Compare fused models with those of pooled data, by the mean number of records at a site."""
    records = table.groupby("dataset")["records"].transform("mean")
    systems = ("site chosen by its own folds", "mean site", "fused", "pooled data")
    lines = [
        "| records at a site | data sets | " + " | ".join(systems) + " |",
        "|---|---|" + "---|" * len(systems),
    ]
    for least, most in pairwise(SIZES):
        own = table[(records >= least) & (records < most)]
        label = f"{least} to {most - 1}" if most < SIZES[-1] else f"{least} and more"
        lines.append(
            f"| {label} | {own['dataset'].nunique()} | "
            + " | ".join(cell(own, system, "accuracy", 2) for system in systems)
            + " |"
        )
    return lines


def report(table: pd.DataFrame) -> str:
    sets, splits = table["dataset"].nunique(), sorted(table["split"].unique())
    shares = "/".join(f"{100 * share:g}" for share in SHARES["unbalanced"])
    lines = [
        "# Fusion of models: figures",
        "",
        f"Written by `python benchmarks/fusion.py` on {datetime.date.today()} (fuzzyucs "
        f"{__version__}, Python {platform.python_version()}); do not edit.",
        "",
        f"The {sets} data sets of the article, {len(splits)} splits each, at most {MOST_ROWS:,} "
        f"rows: {100 * TEST:g} % to test on, {100 * HELD_OUT:g} % held out for the reliabilities "
        f"alone, the rest dealt out to {N_SITES} sites, by class. *Balanced*: equal shares. "
        f"*Unbalanced*: {shares} %. *Features missing*: equal shares, and each site lacks another "
        f"{100 * LACKING:g} % of the columns. Sites exchange model files and nothing else; *pooled "
        "data* is one model of all their rows, which they could not have. *Best site by test* "
        "takes the best of the five on the test rows of each split, which nobody could choose. "
        f"The constant of the weights was chosen on split {DESIGN_SPLIT} of 15 of the sets, which "
        "is not reported. Means over data sets, ± standard error over splits.",
        "",
    ]
    for scenario in SCENARIOS:
        own = table[table["scenario"] == scenario]
        lines += [
            f"## {scenario.capitalize()}",
            "",
            "| | accuracy | log-loss | rules | fused above / level / below |",
            "|---|---|---|---|---|",
        ]
        for system in SYSTEMS:
            rules = own[own["system"] == system]["rules"].mean()
            lines.append(
                f"| {system} | {cell(own, system, 'accuracy', 2)} | "
                f"{cell(own, system, 'log-loss', 3)} | {'' if np.isnan(rules) else f'{rules:.0f}'} "
                f"| {'' if system == 'fused' else compared(own, 'fused', system)} |"
            )
        novelty = own[own["system"] == "fused"]["novelty"].mean()
        lines += ["", f"Mean novelty of test rows by the fused model: {novelty:.3f}.", ""]
    balanced = table[table["scenario"] == SCENARIOS[0]]
    lines += ["## Accuracy by the size of sites (balanced)", "", *by_size(balanced), ""]
    lines += [
        "Sites of few records have few rules, and what none of them has found, their fusion does "
        "not know either.",
        "",
        "In the first three tables, the last column counts the data sets on which the fused model "
        "is more accurate than the system of the row, as accurate, and less accurate, by the mean "
        "over splits.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("fusion"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--splits", default=",".join(map(str, SPLITS)))
    parser.add_argument("--sets", default=",".join(datasets_of("acc_10")))
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = sorted(options.sets.split(","), key=lambda s: len(load(s, options.data_dir)[1]))
    found: list[Any] = []
    for number, name in product(map(int, options.splits.split(",")), sets):
        for scenario in SCENARIOS:
            found += measure(name, number, scenario, options.store, options.data_dir)
        print(number, name, flush=True)
    text = report(pd.DataFrame(found))
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
