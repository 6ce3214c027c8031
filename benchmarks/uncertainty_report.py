"""The page about metrics of uncertainty, from what `benchmarks/uncertainty.py` measured."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from class_scores import CLASS_SCORES

__all__ = ["FEW_GAPS", "KINDS", "LEAST", "MISSING", "N_BINS", "TINY", "VERDICTS", "report"]

# What is measured, and how.
KINDS = ("box", "one out", "all out", "shuffled")
MISSING = 0.3
FEW_GAPS = 0.05
N_BINS = 10
VERDICTS = ("answer", "torn", "unknown")
LEAST, TINY = 1e-3, 1e-12  # probabilities below count as these in a log-loss


def means_of(table: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return means over data sets of means over splits, and their standard errors."""
    groups = table.drop(columns="split").groupby("dataset")
    variance = groups.var() / groups.count()
    return groups.mean().mean(), np.sqrt(variance.sum()) / variance.count()


def detection_table(means: pd.Series, errors: pd.Series) -> Iterator[str]:
    kinds = (*KINDS, "unseen class")
    yield "| AUROC | " + " | ".join(kinds) + " |"
    yield "|---|" + "---|" * len(kinds)
    for name in (
        *("novelty", "total ignorance", "weak evidence"),
        *("5 nearest neighbours", "Mahalanobis", "IsolationForest"),
    ):
        cells = [f"{means[f'{k}/{name}']:.3f} ± {errors[f'{k}/{name}']:.3f}" for k in kinds]
        yield f"| {name} | " + " | ".join(cells) + " |"


def belief_table(table: pd.DataFrame) -> Iterator[str]:
    yield "| belief | rows | mean belief | right | standard error |"
    yield "|---|---|---|---|---|"
    for k in range(N_BINS):
        rows, right, belief = (
            table[f"bin {k}/{name}"].sum() for name in ("rows", "right", "belief")
        )
        share = right / rows
        error = np.sqrt(share * (1 - share) / rows)
        yield (
            f"| {k / N_BINS:.1f} to {(k + 1) / N_BINS:.1f} | {rows:,.0f} | {belief / rows:.3f} "
            f"| {share:.3f} | {error:.3f} |"
        )


def verdict_table(table: pd.DataFrame) -> Iterator[str]:
    everything = sum(table[f"{verdict}/rows"].sum() for verdict in VERDICTS)
    yield "| verdict | share of the rows | right if forced to answer |"
    yield "|---|---|---|"
    for verdict in VERDICTS:
        rows, right = (table[f"{verdict}/{name}"].sum() for name in ("rows", "right"))
        yield f"| {verdict} | {rows / everything:.3f} | {right / rows:.3f} |"


def pairs_table(
    title: str, rows: dict[str, tuple[str, ...]], head: tuple[str, ...], values: Any
) -> Iterator[str]:
    means, errors = values
    yield f"| {title} | " + " | ".join(head) + " |"
    yield "|---|" + "---|" * len(head)
    for name, keys in rows.items():
        cells = [f"{means[key]:.3f} ± {errors[key]:.3f}" if key else "" for key in keys]
        yield f"| {name} | " + " | ".join(cells) + " |"


def report(table: pd.DataFrame) -> str:
    means, errors = values = means_of(table)
    packages = ("fuzzyucs", "numpy", "scikit-learn", "scipy")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    splits = sorted(table["split"].unique())
    unseen = table.dropna(subset="unseen class/novelty")["dataset"].nunique()
    complete = table.dropna(subset="missing/log-loss")["dataset"].nunique()
    share = 100 * (table["support (s)"] / table["fit (s)"]).mean()
    # Runs that older programs kept may lack some of them.
    measured = table.dropna(subset="missing/accuracy").dropna(axis=1)
    scores = ("accuracy", *CLASS_SCORES, "log-loss", "ignorance")
    scores = tuple(name for name in scores if f"missing/{name}" in measured)
    lines = [
        "# Uncertainty",
        "",
        f"Written by `benchmarks/uncertainty.py` on {datetime.datetime.now(datetime.UTC).date()} "
        f"({versions}, Python {platform.python_version()}).",
        "",
        f"The article's {table['dataset'].nunique()} data sets, shuffle splits 90/10 with the "
        f"numbers {splits[0]} to {splits[-1]}. Everything was designed on other "
        "splits. Means over data sets of means over splits, ± standard error over splits. The "
        "model is `EvidentialRuleClassifier(random_state=split)` unless said otherwise. [What the "
        "numbers mean](guide/predictions.md#uncertainty).",
        "",
        "## Novelty detection",
        "",
        "How well a score separates strange records from the test rows: the probability that a "
        "strange record has the higher score. *Box*: uniform in the box of the training data. *One "
        "out*: one value of a test row moved half a range out of its range. *All out*: all of "
        "them. *Shuffled*: every column of the test rows shuffled independently. *Unseen class*: a "
        f"class that was left out in training ({unseen} data sets with three classes or more). "
        "Unlike the distance to nearest neighbours, novelty needs no training data at prediction, "
        "and it gives reasons.",
        "",
        *detection_table(means, errors),
        "",
        f"On ordinary test rows the mean novelty is {means['ordinary/novelty']:.3f} and the mean "
        f"ignorance {means['ordinary/ignorance']:.3f}. If one value is out of range, it is the "
        f"first reason given in {100 * means['one out/first reason is right']:.1f} % of the cases. "
        f"Fitting the support takes {share:.1f} % of the time of a fit.",
        "",
        "## Rejection",
        "",
        "Area under the risk-coverage curve: the mean error rate among the rows of greatest "
        "confidence, over all numbers of rows (less is better). *Mixed*: as many strange records "
        "as test rows, of the four kinds above; every answer about them counts as an error.",
        "",
        *pairs_table(
            "ordered by",
            {
                "confidence, discounted by novelty": ("clean/discounted", "mixed/discounted"),
                "plain probability": ("clean/plain", "mixed/plain"),
                "ignorance": ("clean/ignorance", "mixed/ignorance"),
            },
            ("clean", "mixed"),
            values,
        ),
        "",
        "## Missing values",
        "",
        f"{MISSING:.0%} of all values of the test rows were deleted at random, in the {complete} "
        "data sets that are complete. With complete records the ignorance (weak evidence) is "
        f"{means['missing/ignorance complete']:.3f}.",
        "",
        *pairs_table(
            "",
            {
                "30 % missing": tuple(f"missing/{name}" for name in scores),
            },
            scores,
            values,
        ),
        "",
        f"Trained with {FEW_GAPS:.0%} gaps in all columns, a record without any value has an "
        f"ignorance of at least {table['empty/ignorance'].min():.3f} in all {len(table)} runs, and "
        "its probabilities differ from the shares of the classes by at most "
        f"{table['empty/distance'].max():.3f}.",
        "",
        "## Beliefs and verdicts",
        "",
        "Test rows of all runs, by the belief in their most believed class. A belief can be taken "
        "at its word if at least that share is right.",
        "",
        *belief_table(table),
        "",
        "The calibration error of belief / (1 - ignorance) is "
        f"{means['calibration/belief']:.3f}, that of the probabilities "
        f"{means['calibration/flagship']:.3f}. That novelty takes back evidence costs "
        f"{means['novelty/log-loss']:.4f} of log-loss on these rows.",
        "",
        *verdict_table(table),
        "",
        "## Calibration",
        "",
        f"Probabilities below {LEAST} count as {LEAST} in the log-loss. The forest is "
        "scikit-learn's with isotonic calibration on 5 folds (fewer if a class has fewer rows).",
        "",
        *pairs_table(
            "",
            {
                "flagship": ("log-loss/flagship", "calibration/flagship"),
                "forest, isotonic": ("log-loss/forest", "calibration/forest"),
            },
            ("log-loss", "calibration error"),
            values,
        ),
        "",
        "`FuzzyUCSClassifier` with the article's scheme, plain and with `calibrate=True` (here "
        f"only probabilities below {TINY} are raised to it). The median temperature is "
        f"{table['DS/temperature'].median():.0f}; {table['DS/rows with another answer'].sum():.0f} "
        "test rows of all runs get another answer, or another class with the greatest mass.",
        "",
        *pairs_table(
            "",
            {
                name: (f"DS/log-loss {name}", f"DS/calibration error {name}")
                for name in ("plain", "tempered")
            },
            ("log-loss", "calibration error"),
            values,
        ),
    ]
    return "\n".join(lines) + "\n"
