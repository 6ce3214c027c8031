"""The article's tables: which jobs they need, and what they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from fuzzyucs.experiment.metrics import METRICS
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.published import published_means
from fuzzyucs.experiment.store import Store

__all__ = ["TABLES", "Column", "Table", "datasets_of", "jobs_of", "measure", "published_of"]


@dataclass(frozen=True)
class Column:
    """A system as it stands in a table: the jobs it takes, and the answers it is judged by.

    Attributes
    ----------
    system : str
        Name of the system whose jobs are needed.
    answer : str
        The way to decide.
    settings : tuple of (str, value) pairs
        Settings of the jobs besides the number of epochs.
    has_epochs : bool
        Whether the system presents the data several times.
    most_runs : int
        Slow systems run fewer splits.
    """

    system: str
    answer: str
    settings: tuple[tuple[str, Any], ...] = ()
    has_epochs: bool = True
    most_runs: int = 1_000_000

    def job(self, dataset: str, seed: int, epochs: int) -> Job:
        """Return the job of a run."""
        settings = dict(self.settings) | ({"epochs": epochs} if self.has_epochs else {})
        return Job.of(self.system, dataset, seed, **settings)


FUZZY = {name: Column("fuzzyucs", name) for name in ("VOTE", "SWIN", "DS")}
RULES = {"UCS": Column("ucs", "UCS"), **FUZZY}
TREES = {
    "RandomForest": Column("random_forest", "RandomForest", has_epochs=False),
    "XGBoost": Column("xgboost", "XGBoost", has_epochs=False),
}
EXSTRACS = {"ExSTraCS": Column("exstracs", "ExSTraCS", most_runs=2)}


def _ablation(suffixes: Mapping[str, str], name: str) -> dict[str, Column]:
    """Every way to decide with each value of a parameter; the first is the default."""
    columns = {}
    for scheme in FUZZY:
        for place, (suffix, value) in enumerate(suffixes.items()):
            settings = ((name, value),) if place else ()
            columns[f"{scheme} {suffix}"] = Column("fuzzyucs", scheme, settings)
    return columns


def _pairs(columns: Mapping[str, Column]) -> tuple[tuple[str, str], ...]:
    """Return neighbours: each default with its variant."""
    names = list(columns)
    return tuple(zip(names[::2], names[1::2], strict=True))


@dataclass(frozen=True)
class Table:
    """One of the article's tables.

    Attributes
    ----------
    title : str
        What it shows.
    metric : str
        What is computed from answers (see `metrics`), or the size of a model.
    epochs : int
        Length of the training.
    columns : dict
        Name in the article and `Column`.
    reference : str or None
        The system with which the others are compared.
    splits : tuple of str
        Training and test data, or ``("model",)`` for sizes.
    pairs : tuple of pairs
        Instead of a reference for all: systems, each with a variant that is compared with it alone.
    """

    title: str
    metric: str
    epochs: int
    columns: Mapping[str, Column]
    reference: str | None = "DS"
    splits: tuple[str, ...] = ("train", "test")

    pairs: tuple[tuple[str, str], ...] = ()

    def reference_of(self, system: str) -> str | None:
        """Return the system that another is compared with, None if there is none."""
        for other, changed in self.pairs:
            if changed == system:
                return other
        return None if self.reference == system else self.reference

    @property
    def greater_is_better(self) -> bool:
        """Whether the greatest value is the best."""
        return self.metric in ("accuracy", "macro_f1")


def _tables() -> Iterator[tuple[str, Table]]:
    for epochs in (10, 50):
        after = f"after {epochs} epochs"
        for name, title, metric in (
            ("f1", f"Macro F1 {after}", "macro_f1"),
            ("acc", f"Accuracy {after}", "accuracy"),
            ("artificial", f"Accuracy on artificial problems {after}", "accuracy"),
            ("large", f"Accuracy on larger data sets {after}", "accuracy"),
        ):
            yield f"{name}_{epochs}", Table(title, metric, epochs, RULES)
        title = f"Accuracy {after}, beside scikit-ExSTraCS"
        yield f"exstracs_{epochs}", Table(title, "accuracy", epochs, {**EXSTRACS, **RULES})
    for epochs in (5, 10, 50):
        title = f'Mean mass of "I don\'t know" after {epochs} epochs'
        columns = {"DS": FUZZY["DS"]}
        yield f"idk_{epochs}", Table(f"{title}, as published", "idk_mass", epochs, columns, None)
        yield f"exact_idk_{epochs}", Table(f"{title}, exact", "ignorance", epochs, columns, None)
    ranges = _ablation({"(-1,1]": "signed", "(0,1]": "unsigned"}, "fitness_range")
    title = "Fitness in (-1, 1] or (0, 1]: accuracy after 50 epochs"
    yield "fitness_range", Table(title, "accuracy", 50, ranges, None, pairs=_pairs(ranges))
    updates = _ablation({"membership": "membership", "one": "count"}, "experience_update")
    title = "Experience by membership degree or by counting: accuracy after 50 epochs"
    yield "experience_update", Table(title, "accuracy", 50, updates, None, pairs=_pairs(updates))
    sized = {**EXSTRACS, "UCS": RULES["UCS"], "FuzzyUCS": RULES["DS"]}
    for epochs in (10, 50):
        title = f"Number of macro-rules after {epochs} epochs"
        table = Table(title, "macro_rules", epochs, sized, "FuzzyUCS", ("model",))
        yield f"ruleset_size_{epochs}", table
    title = "Accuracy after 50 epochs, beside forests and boosting"
    yield "sota_50", Table(title, "accuracy", 50, {**TREES, **RULES})
    for metric in ("trees", "depth", "nodes"):
        title = f"Model complexity of forests and boosting: {metric}"
        yield f"complexity_{metric}", Table(title, metric, 50, TREES, None, ("model",))


TABLES: dict[str, Table] = dict(_tables())


def published_of(name: str, split: str) -> pd.DataFrame | None:
    """Return the published numbers of a table, None if the article has none."""
    table = TABLES[name]
    base, _, epochs = name.rpartition("_")
    if name.startswith("exact_"):
        return None
    if base in ("idk", "ruleset_size"):
        means = published_means(base, split, int(epochs))
    elif base == "complexity":
        means = published_means(base, split, metric=table.metric)
    else:
        means = published_means(name, split)
    return means[[column for column in table.columns if column in means]]


def jobs_of(names: Iterable[str], datasets: Iterable[str] | None, runs: int) -> Iterator[Job]:
    """List the jobs that tables need; runs in the outermost loop.

    Parameters
    ----------
    names : iterable of str
        Keys of `TABLES`.
    datasets : iterable of str, optional
        Only these data sets.
    runs : int
        Number of splits.

    Yields
    ------
    Job
        Every job once.
    """
    wanted = None if datasets is None else set(datasets)
    seen: dict[Job, None] = {}
    for seed in range(runs):
        for name in names:
            table = TABLES[name]
            for dataset in datasets_of(name):
                if wanted is not None and dataset not in wanted:
                    continue
                for column in table.columns.values():
                    if seed < column.most_runs:
                        seen.setdefault(column.job(dataset, seed, table.epochs))
    yield from seen


def datasets_of(name: str) -> list[str]:
    """Return the data sets of a table, in the article's order."""
    published = published_of(name.removeprefix("exact_"), TABLES[name].splits[0])
    assert published is not None
    return list(published.index)


def measure(store: Store, name: str, datasets: Iterable[str] | None = None) -> pd.DataFrame:
    """Compute what a table shows, for every run that the store has.

    Parameters
    ----------
    store : Store
    name : str
        Key of `TABLES`.
    datasets : iterable of str, optional
        Only these data sets.

    Returns
    -------
    DataFrame
        Columns ``dataset``, ``system`` (as in the article), ``split``, ``seed``, ``value``.
    """
    table = TABLES[name]
    wanted = set(datasets_of(name) if datasets is None else datasets)
    systems = {column.system for column in table.columns.values()}
    rows = []
    for job, sizes, _ in store.jobs():
        if job.dataset not in wanted or job.system not in systems:
            continue
        for title, column in table.columns.items():
            if job != column.job(job.dataset, job.seed, table.epochs):
                continue
            for split in table.splits:
                if split == "model":
                    value = sizes.get(table.metric, np.nan)
                else:
                    value = _score(store, job, column.answer, split, table.metric)
                rows.append((job.dataset, title, split, job.seed, value))
    return pd.DataFrame(rows, columns=["dataset", "system", "split", "seed", "value"])


@lru_cache(maxsize=200_000)  # tables share most of their runs
def _score(store: Store, job: Job, answer: str, split: str, metric: str) -> float:
    needs_evidence = metric in ("ignorance", "idk_mass")
    found = store.answer(job, answer, split, evidence=needs_evidence)
    return METRICS[metric](found, store.truth(job.dataset, job.seed, split))
