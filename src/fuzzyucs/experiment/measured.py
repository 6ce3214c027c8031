"""Measured tables: our runs beside the published means."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fuzzyucs.experiment.published import published_means
from fuzzyucs.experiment.statistics import Comparison, compare, mark
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.tables import COLUMNS, RULES, TABLES, datasets_of, measure, published_of

__all__ = ["Measured", "collect", "runtime", "summarise"]

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
    """

    name: str
    split: str
    runs: pd.DataFrame
    published: pd.DataFrame | None

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
        return _compare(self.name, self.mean)

    @cached_property
    def published_comparison(self) -> Comparison | None:
        """The same for the published means."""
        return None if self.published is None else _compare(self.name, self.published)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Return the table as text: ours / published / difference in standard errors.

        Marks tell whether a system's runs are significantly better (+), worse (-) or neither (~)
        than those of the reference. Below: average rank and position, and p-values without and with
        Holm's correction, ours / published.
        """
        digits = _digits(self.name)
        text = pd.DataFrame(index=self.mean.index, columns=self.mean.columns, dtype=object)
        difference, error = self.difference, self.standard_error
        for dataset in text.index:
            for system in text.columns:
                if not self.n_runs.loc[dataset, system]:
                    text.loc[dataset, system] = "no result"
                    continue
                cell = f"{self.mean.loc[dataset, system]:.{digits}f}"
                if difference is not None and not math.isnan(difference.loc[dataset, system]):
                    assert self.published is not None
                    gap, unit = difference.loc[dataset, system], error.loc[dataset, system]
                    sigmas = f"{gap / unit:+.1f}" if unit > 0 else "-" if gap else "0"
                    cell += f" / {self.published.loc[dataset, system]:.{digits}f} / {sigmas}"
                reference = TABLES[self.name].reference_of(system)
                if reference in text.columns:
                    cell += " " + self._mark(dataset, system, reference)
                text.loc[dataset, system] = cell.rstrip()
        return pd.concat([text, self._footer()]).rename_axis("data")

    def _mark(self, dataset: str, system: str, reference: str | None) -> str:
        pairs = self.runs.loc[dataset][[system, reference]].dropna()
        if pairs.empty:
            return ""
        if not TABLES[self.name].greater_is_better:
            pairs = -pairs
        return mark(pairs[system], pairs[reference])

    def _footer(self) -> pd.DataFrame:
        ours, theirs = self.comparison, self.published_comparison
        rows: dict[str, dict[str, str]] = {}
        if ours is None:
            return pd.DataFrame(columns=self.mean.columns)
        for title, attribute, style in (
            ("Rank", "ranks", ".2f"),
            ("Position", "positions", "g"),
            ("p", "p", ".3g"),
            ("p, Holm", "p_holm", ".3g"),
        ):
            rows[title] = {}
            for system in self.mean.columns:
                values = [getattr(side, attribute).get(system) for side in (ours, theirs) if side]
                shown = [format(value, style) for value in values if value is not None]
                rows[title][system] = " / ".join(shown)
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(self.mean.columns))


def _digits(name: str) -> int:
    few = {"macro_rules": 0, "trees": 0, "nodes": 0, "idk_mass": 4, "ignorance": 4}
    return few.get(TABLES[name].metric, 2)


def _compare(name: str, means: pd.DataFrame) -> Comparison | None:
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
    return Comparison(reference="", p_friedman=float("nan"), **series)


def collect(store: Store, name: str, datasets: Iterable[str] | None = None) -> list[Measured]:
    """Compute a table from a store, split by split.

    Parameters
    ----------
    store : Store
    name : str
        Key of `TABLES`.
    datasets : iterable of str, optional
        Only these data sets.

    Returns
    -------
    list of Measured
        Empty if the store has nothing for this table.
    """
    values = measure(store, name, datasets)
    order = [dataset for dataset in datasets_of(name) if dataset in set(values["dataset"])]
    found = []
    for split in TABLES[name].splits:
        part = values[values["split"] == split]
        if part.empty:
            continue
        runs = part.pivot(index=["dataset", "seed"], columns="system", values="value")
        systems = [column for column in TABLES[name].columns if column in runs]
        runs = runs.loc[order, systems]
        published = published_of(name, split)
        if published is not None:
            published = published.reindex(index=order, columns=systems)
        found.append(Measured(name, split, runs, published))
    return found


def summarise(measured: Iterable[Measured]) -> pd.DataFrame:
    """Summarise for each table how much our means differ from the published ones.

    Parameters
    ----------
    measured : iterable of Measured

    Returns
    -------
    DataFrame
        For each table, split and system: number of data sets and runs, mean absolute difference,
        and the share of data sets within max(1.5 points, 3 standard errors), which takes two runs.
    """
    rows = []
    for table in measured:
        if table.difference is None:
            continue
        for system in table.mean.columns:
            gap = table.difference[system].dropna()
            if gap.empty:
                continue
            error = table.standard_error.loc[gap.index, system]
            near = gap.abs() <= np.maximum(1.5, 3 * error)
            runs = table.n_runs.loc[gap.index, system]
            rows.append(
                {
                    "table": table.name,
                    "split": table.split,
                    "system": system,
                    "data sets": len(gap),
                    "runs": int(runs.min()),
                    "mean difference": gap.abs().mean(),
                    "within": near.mean() if error.notna().all() else math.nan,
                }
            )
    return pd.DataFrame(rows)


def runtime(store: Store) -> pd.DataFrame:
    """Average the CPU seconds of a run, training and deciding, over the article's 30 data sets.

    Parameters
    ----------
    store : Store

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
                and job == COLUMNS[name].job(job.dataset, job.seed, epochs)
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
