"""The article's tables: the jobs that they need, and the values that they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fuzzyucs.experiment.metrics import METRICS
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.published import published_marks, published_means
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS

__all__ = [
    "TABLES",
    "VARIANTS",
    "Column",
    "Table",
    "datasets_of",
    "jobs_of",
    "marks_of",
    "measure",
    "published_of",
    "variants_of",
]

VARIANTS = {"said": "as the article says", "program": "as the article's program"}
"""Two sets of runs of UCS and Fuzzy-UCS: by the article's text, and with what its program does
otherwise (``as_published=True``)."""


@dataclass(frozen=True)
class Column:
    """A column of a table: the jobs that it needs, and the answers that it evaluates.

    Attributes
    ----------
    system : str
        Name of the system whose jobs are needed.
    answer : str
        The way to decide.
    settings : tuple of (str, value) pairs
        Settings of the jobs besides the number of epochs.
    split : str or None
        The data that are evaluated, if they are the same in all parts of a table.
    """

    system: str
    answer: str
    settings: tuple[tuple[str, Any], ...] = ()
    split: str | None = None

    def job(self, dataset: str, seed: int, epochs: int) -> Job:
        """Return the job of a run."""
        length = {"epochs": epochs} if SYSTEMS[self.system].has_epochs else {}
        return Job.of(self.system, dataset, seed, **dict(self.settings), **length)

    def of_variant(self, variant: str) -> Column:
        """Return the same column of another of the `VARIANTS`; other systems have only one."""
        if variant == "said" or self.system not in ("fuzzyucs", "ucs"):
            return self
        return replace(self, settings=(*self.settings, ("as_published", True)))


COLUMNS = {
    answer: Column(name, answer) for name, system in SYSTEMS.items() for answer in system.answers
}
FUZZY = ("VOTE", "SWIN", "DS")
RULES = ("UCS", *FUZZY)
TREES = ("RandomForest", "XGBoost")


def _columns(*answers: str) -> dict[str, Column]:
    return {answer: COLUMNS[answer] for answer in answers}


def _ablation(suffixes: Mapping[str, str], name: str) -> dict[str, Column]:
    """Every way to decide with each value of a parameter; the first is the default."""
    columns = {}
    for scheme in FUZZY:
        for index, (suffix, value) in enumerate(suffixes.items()):
            settings = ((name, value),) if index else ()
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
    number : int or None
        Its number in the article, None if it is ours.
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
        Training and test data, ``("both",)`` if columns tell which, or ``("model",)`` for sizes.
    pairs : tuple of pairs
        Instead of a reference for all: systems, each with a variant that is compared with it alone.
    """

    number: int | None
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

    @property
    def tolerance(self) -> float:
        """The difference from a published mean that is small, whatever the spread of runs."""
        return {"accuracy": 1.5, "macro_f1": 1.5, "idk_mass": 0.015}.get(self.metric, 0.0)


def _tables() -> Iterator[tuple[str, Table]]:
    """Describe the tables, in the order of the article."""
    rules = _columns(*RULES)
    for number, epochs in ((3, 10), (4, 50)):
        title = f"Macro F1 after {epochs} epochs"
        yield f"f1_{epochs}", Table(number, title, "macro_f1", epochs, rules)
    for epochs in (5, 10, 50):
        title = f'Mean mass of "I don\'t know" after {epochs} epochs'
        for prefix, way, metric in (
            ("", "as published", "idk_mass"),
            ("exact_", "exact", "ignorance"),
        ):
            columns = {
                "Training": Column("fuzzyucs", "DS", split="train"),
                "Test": Column("fuzzyucs", "DS", split="test"),
            }
            heading = f"{title}, {way}"
            table = Table(6, heading, metric, epochs, columns, "Training", ("both",))
            yield f"{prefix}idk_{epochs}", table
    ranges = _ablation({"(-1,1]": "signed", "(0,1]": "unsigned"}, "fitness_range")
    title = "Fitness in (-1, 1] or (0, 1]: accuracy after 50 epochs"
    yield "fitness_range", Table(7, title, "accuracy", 50, ranges, None, pairs=_pairs(ranges))
    updates = _ablation({"membership": "membership", "one": "count"}, "experience_update")
    title = "Experience by membership degree or by counting: accuracy after 50 epochs"
    yield "experience_update", Table(8, title, "accuracy", 50, updates, None, pairs=_pairs(updates))
    for first, name, where, columns in (
        (9, "acc", "", rules),
        (12, "artificial", " on artificial problems", rules),
        (15, "large", " on larger data sets", rules),
        (17, "exstracs", " beside scikit-ExSTraCS", _columns("ExSTraCS", *RULES)),
    ):
        for number, epochs in enumerate((10, 50), start=first):
            title = f"Accuracy{where} after {epochs} epochs"
            yield f"{name}_{epochs}", Table(number, title, "accuracy", epochs, columns)
    sized = {**_columns("ExSTraCS", "UCS"), "FuzzyUCS": COLUMNS["DS"]}
    for epochs in (10, 50):
        title = f"Number of macro-rules after {epochs} epochs"
        table = Table(19, title, "macro_rules", epochs, sized, "FuzzyUCS", ("model",))
        yield f"ruleset_size_{epochs}", table
    title = "Accuracy after 50 epochs, beside forests and boosting"
    yield "sota_50", Table(20, title, "accuracy", 50, _columns(*TREES, *RULES))
    title = "Accuracy after 50 epochs, beside systems that are not in the article"
    others = [answer for answer in COLUMNS if answer not in (*TREES, *RULES, "ExSTraCS")]
    yield "others_50", Table(None, title, "accuracy", 50, _columns(*others, *TREES, "DS"))
    for metric, columns in (
        *((metric, _columns(*TREES)) for metric in ("trees", "depth", "nodes")),
        ("macro_rules", {name: sized[name] for name in ("UCS", "FuzzyUCS")}),
    ):
        title = f"Model complexity: {metric.replace('_', '-')}"
        yield f"complexity_{metric}", Table(21, title, metric, 50, columns, None, ("model",))


TABLES: dict[str, Table] = dict(_tables())
OURS = {  # tables without published numbers, and others that have the same data sets
    "others_50": "sota_50",
    **{f"exact_idk_{epochs}": f"idk_{epochs}" for epochs in (5, 10, 50)},
}
RUNTIME = 5  # the table that averages the seconds of those runs that others are made of


def published_of(name: str, split: str) -> pd.DataFrame | None:
    """Return the published numbers of a table, None if the article has none."""
    return _published(published_means, name, split)


def marks_of(name: str, split: str) -> pd.DataFrame | None:
    """Return the published marks of a table, None if the article has none."""
    return _published(published_marks, name, split)


def _published(read: Callable[..., pd.DataFrame], name: str, split: str) -> pd.DataFrame | None:
    table = TABLES[name]
    if name in OURS:
        return None
    base, _, epochs = name.removesuffix("_rules").rpartition("_")
    if base == "idk":
        parts = {
            title: read(base, column.split, int(epochs))["DS"]
            for title, column in table.columns.items()
        }
        return pd.DataFrame(parts)
    if base == "ruleset_size":
        found = read(base, split, int(epochs))
    elif base == "complexity":
        found = read(base, split, metric=table.metric)
    else:
        found = read(name, split)
    return found[[column for column in table.columns if column in found]]


def variants_of(name: str) -> list[str]:
    """Return the `VARIANTS` in which a table can differ; ours are about the first alone.

    Examples
    --------
    >>> from fuzzyucs.experiment.tables import variants_of
    >>> variants_of("f1_10"), variants_of("complexity_trees")
    (['said', 'program'], ['said'])
    """
    columns = TABLES[name].columns.values()
    is_affected = any(column.of_variant("program") != column for column in columns)
    return list(VARIANTS) if is_affected and name not in OURS else ["said"]


def jobs_of(
    names: Iterable[str],
    datasets: Iterable[str] | None,
    runs: int,
    variants: Sequence[str] = ("said",),
) -> Iterator[Job]:
    """List the jobs that tables need; runs in the outermost loop.

    Parameters
    ----------
    names : iterable of str
        Keys of `TABLES`.
    datasets : iterable of str, optional
        Only these data sets.
    runs : int
        Number of splits.
    variants : sequence of str
        Which of the `VARIANTS`.

    Yields
    ------
    Job
        Every job once.
    """
    wanted = None if datasets is None else set(datasets)
    chosen = {name: [way for way in variants if way in variants_of(name)] for name in names}
    seen: dict[Job, None] = {}
    for seed, name in product(range(runs), chosen):
        table = TABLES[name]
        for dataset in datasets_of(name):
            if wanted is not None and dataset not in wanted:
                continue
            for variant, column in product(chosen[name], table.columns.values()):
                if seed < SYSTEMS[column.system].most_runs:
                    seen.setdefault(column.of_variant(variant).job(dataset, seed, table.epochs))
    yield from seen


def datasets_of(name: str) -> list[str]:
    """Return the data sets of a table, in the article's order."""
    published = published_of(OURS.get(name, name), TABLES[name].splits[0])
    assert published is not None
    return list(published.index)


def measure(
    store: Store, name: str, datasets: Iterable[str] | None = None, variant: str = "said"
) -> pd.DataFrame:
    """Compute the values of a table, for every run that the store has.

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
    DataFrame
        Columns ``dataset``, ``system`` (as in the article), ``split``, ``seed``, ``value``.
    """
    table = TABLES[name]
    wanted = set(datasets_of(name))
    if datasets is not None:
        wanted &= set(datasets)  # other tables may have other data sets
    columns: dict[tuple[str, object], list[tuple[str, Column]]] = {}
    for title, column in table.columns.items():
        job = column.of_variant(variant).job("", 0, table.epochs)
        columns.setdefault((job.system, job.settings), []).append((title, column))
    rows = []
    for job, sizes, _ in store.jobs():
        if job.dataset not in wanted:
            continue
        for title, column in columns.get((job.system, job.settings), []):
            for split in table.splits:
                if split == "model":
                    value = sizes.get(table.metric, np.nan)
                else:
                    data = column.split or split
                    value = _score(store, job, column.answer, data, table.metric)
                rows.append((job.dataset, title, split, job.seed, value))
    found = pd.DataFrame(rows, columns=["dataset", "system", "split", "seed", "value"])
    own = [name for name, column in table.columns.items() if column.of_variant(variant) != column]
    if variant != "said" and not found["system"].isin(own).any():
        return found.iloc[:0]  # systems that have only one set of runs do not make another
    return found


@lru_cache(maxsize=200_000)  # tables share most of their runs
def _score(store: Store, job: Job, answer: str, split: str, metric: str) -> float:
    needs_evidence = metric in ("ignorance", "idk_mass")
    found = store.answer(job, answer, split, evidence=needs_evidence)
    return METRICS[metric](found, store.truth(job.dataset, job.seed, split))
