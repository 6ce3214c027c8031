"""Measured tables: our runs beside the published means."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from fuzzyucs.experiment.published import published_means
from fuzzyucs.experiment.statistics import Comparison, compare, mark
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.tables import (
    COLUMNS,
    RULES,
    TABLES,
    datasets_of,
    marks_of,
    measure,
    published_of,
)

__all__ = ["Measured", "collect", "compare_means", "runtime", "summarise", "tidy"]

PUBLISHED_RUNS = 30


@dataclass(frozen=True)
class Measured:
    """One split of a table: our runs beside the published means.

    Attributes
    ----------
    name, split : str
        Name of the table, and the split that it is about.
    runs : DataFrame
        Value of each run: index dataset and seed, a column for each system.
    published : DataFrame or None
        The article's means.
    published_marks : DataFrame or None
        Its marks: better, worse or neither than the reference.
    variant : str
        Which of the two sets of runs it shows (`VARIANTS`).
    """

    name: str
    split: str
    runs: pd.DataFrame
    published: pd.DataFrame | None
    published_marks: pd.DataFrame | None = None
    variant: str = "said"

    @cached_property
    def mean(self) -> pd.DataFrame:
        """Mean over the runs; a row for each data set."""
        return self.runs.groupby(level="dataset", sort=False).mean()

    @cached_property
    def n_runs(self) -> pd.DataFrame:
        """Number of runs."""
        return self.runs.groupby(level="dataset", sort=False).count()

    @cached_property
    def standard_error(self) -> pd.DataFrame:
        """Standard error of the difference to the published means, which have errors, too."""
        spread = self.runs.groupby(level="dataset", sort=False).std()
        return spread * np.sqrt(1 / self.n_runs + 1 / PUBLISHED_RUNS)

    @cached_property
    def difference(self) -> pd.DataFrame | None:
        """Our means minus the published ones, None without any."""
        if self.published is None:
            return None
        return (self.mean - self.published).reindex_like(self.mean)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Ranks and tests over the data sets that all systems have been run on."""
        return compare_means(self.name, self.mean)

    @cached_property
    def published_comparison(self) -> Comparison | None:
        """The same for the published means."""
        return None if self.published is None else compare_means(self.name, self.published)

    @cached_property
    def far(self) -> pd.DataFrame:
        """Whether a mean is far from the published one: beyond tolerance and 3 standard errors."""
        if self.difference is None:
            return self.mean.isna() & False
        limit = (3 * self.standard_error).clip(lower=TABLES[self.name].tolerance)
        return self.difference.abs() > limit.fillna(np.inf)  # one run has no spread

    @cached_property
    def marks(self) -> pd.DataFrame:
        """Whether a system's runs are better (+), worse (-) or neither (~) than the reference's."""
        texts = pd.DataFrame("", index=self.mean.index, columns=self.mean.columns)
        for system in texts.columns:
            reference = TABLES[self.name].reference_of(system)
            if reference in texts.columns:
                pairs = self.runs[[system, str(reference)]].dropna()
                pairs = pairs if TABLES[self.name].greater_is_better else -pairs
                for dataset, own in pairs.groupby(level="dataset"):
                    texts.loc[dataset, system] = mark(*own.to_numpy().T)
        return texts


def compare_means(name: str, means: pd.DataFrame) -> Comparison | None:
    """Rank the systems of a table, and test them against its reference.

    Parameters
    ----------
    name : str
        Key of `TABLES`.
    means : DataFrame
        A row for each data set, a column for each system.

    Returns
    -------
    Comparison or None
        None if fewer than two data sets have all systems, or there is nothing to compare.
    """
    table = TABLES[name]
    complete = means.dropna()
    if len(complete) < 2:
        return None
    better = table.greater_is_better
    if table.reference in means:
        return compare(complete, str(table.reference), greater_is_better=better)
    pairs = [pair for pair in table.pairs if set(pair) <= set(means)]
    if not pairs:
        return None
    parts = [compare(complete[list(pair)], pair[0], greater_is_better=better) for pair in pairs]
    series = {
        name: pd.concat([getattr(part, name) for part in parts])
        for name in ("ranks", "positions", "p", "p_holm")
    }
    return Comparison("", len(complete), p_friedman=float("nan"), **series)


def collect(
    store: Store, name: str, datasets: Iterable[str] | None = None, variant: str = "said"
) -> list[Measured]:
    """Compute a table from a store, split by split.

    Parameters
    ----------
    store : Store
    name : str
        Key of `TABLES`.
    datasets : iterable of str, optional
        Only these data sets.
    variant : str
        One of the `VARIANTS`.

    Returns
    -------
    list of Measured
        Empty if the store has nothing for this table.
    """
    values = measure(store, name, datasets, variant)
    order = [dataset for dataset in datasets_of(name) if dataset in set(values["dataset"])]
    found = []
    for split in TABLES[name].splits:
        part = values[values["split"] == split]
        if part.empty:
            continue
        runs = part.pivot(index=["dataset", "seed"], columns="system", values="value")
        systems = [column for column in TABLES[name].columns if column in runs]
        runs = runs.loc[order, systems]
        published, marks = (
            None if side is None else side.reindex(index=order, columns=systems)
            for side in (published_of(name, split), marks_of(name, split))
        )
        found.append(Measured(name, split, runs, published, marks, variant))
    return found


def summarise(measured: Iterable[Measured]) -> pd.DataFrame:
    """Summarise for each table how much our means differ from the published ones.

    Parameters
    ----------
    measured : iterable of Measured

    Returns
    -------
    DataFrame
        For each table, split, variant and system: number of data sets and runs, mean absolute
        difference, and the share of data sets whose means are not far from the published ones
        (see `Measured.far`), which takes two runs.
    """
    rows = []
    for table in measured:
        if table.difference is None:
            continue
        for system in table.mean.columns:
            gap = table.difference[system].dropna()
            if gap.empty:
                continue
            runs = int(table.n_runs.loc[gap.index, system].min())
            near = 1 - table.far.loc[gap.index, system].mean()
            rows.append(
                {
                    "table": table.name,
                    "split": table.split,
                    "variant": table.variant,
                    "system": system,
                    "data sets": len(gap),
                    "runs": runs,
                    "mean difference": gap.abs().mean(),
                    "within": near if runs > 1 else math.nan,
                }
            )
    return pd.DataFrame(rows)


def tidy(measured: Iterable[Measured]) -> pd.DataFrame:
    """Return all means of tables, one in each row.

    Parameters
    ----------
    measured : iterable of Measured

    Returns
    -------
    DataFrame
        Table, split, variant, data set, system, number of runs, mean, its standard deviation over
        runs, the published mean, the difference in its standard errors, and both marks.
    """
    columns = ["table", "split", "variant", "dataset", "system", "runs", "mean", "deviation"]
    columns += ["published", "standard_errors", "mark", "published_mark"]
    rows = []
    for table in measured:
        deviation = table.runs.groupby(level="dataset", sort=False).std()
        for dataset, system in product(table.mean.index, table.mean.columns):
            published: list[object] = ["", "", ""]
            if table.difference is not None and table.published is not None:
                gap = table.difference.loc[dataset, system]
                unit = table.standard_error.loc[dataset, system]
                marks = table.published_marks
                published = [
                    table.published.loc[dataset, system],
                    gap / unit if unit > 0 else math.nan,
                    "" if marks is None else marks.loc[dataset, system],
                ]
            rows.append(
                [table.name, table.split, table.variant, dataset, system]
                + [part.loc[dataset, system] for part in (table.n_runs, table.mean, deviation)]
                + [published[0], published[1], table.marks.loc[dataset, system], published[2]]
            )
    return pd.DataFrame(rows, columns=columns)


def runtime(store: Store, variant: str = "said") -> pd.DataFrame:
    """Average the CPU seconds of a run, training and deciding, over the article's 30 data sets.

    Parameters
    ----------
    store : Store
    variant : str
        One of the `VARIANTS`.

    Returns
    -------
    DataFrame
        For each number of epochs and system, our and the published seconds. Machines differ, so
        only ratios between systems can be compared.
    """
    wanted = set(datasets_of("acc_10"))
    spent: dict[tuple[int, str], list[float]] = {}
    for job, name, seconds in store.seconds():
        for epochs in (10, 50):
            if (
                name in RULES
                and job.dataset in wanted
                and job == COLUMNS[name].of_variant(variant).job(job.dataset, job.seed, epochs)
            ):
                spent.setdefault((epochs, name), []).append(seconds)
    rows = [
        {
            "epochs": epochs,
            "system": name,
            "ours": float(np.mean(spent[epochs, name])),
            "published": float(published_means("runtime", "model", epochs)[name].iloc[0]),
        }
        for epochs in (10, 50)
        for name in RULES
        if (epochs, name) in spent
    ]
    return pd.DataFrame(rows, columns=["epochs", "system", "ours", "published"])
