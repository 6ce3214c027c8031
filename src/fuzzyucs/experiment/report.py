"""Tables and a summary beside the published numbers, in Markdown, HTML, LaTeX and CSV.

Results come only from the store.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from fuzzyucs._util.files import write_text
from fuzzyucs.experiment.claims import CLAIMS, Claim, Verdict, check_claims
from fuzzyucs.experiment.content import Chapter, Content, Picture
from fuzzyucs.experiment.figures import caption, write_figures
from fuzzyucs.experiment.gaps import find_gaps
from fuzzyucs.experiment.html_report import render_html
from fuzzyucs.experiment.latex_report import render_latex
from fuzzyucs.experiment.layout import Grid, plain_grid, print_table
from fuzzyucs.experiment.markdown_report import render_markdown
from fuzzyucs.experiment.measured import Measured, collect, runtime, tidy
from fuzzyucs.experiment.problems import Problem, Problems
from fuzzyucs.experiment.properties import PROPERTIES
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.summary import (
    Verdicts,
    agreement_grid,
    claims_grid,
    farthest_grid,
    in_short,
    runtime_grid,
)
from fuzzyucs.experiment.tables import TABLES, VARIANTS, variants_of

__all__ = ["Report", "write_report"]

FORMATS: dict[str, Callable[[Content], str]] = {
    "md": render_markdown,
    "html": render_html,
    "tex": render_latex,
}
LEGEND = [
    "Beside the means are those of the article. Marks tell whether the runs of a system are "
    "significantly better (+), worse (-) or neither (~) than those of the reference (signed-rank "
    "test, 0.05).",
    "The best value of a row is green (bold in Markdown), the worst peach (in italics).",
    "≠: farther from the article's value than 3 standard errors of the difference, which takes two "
    "runs, and than 1.5 points of accuracy or F1, or 0.015 of a mass. In the HTML page, pointing "
    "at a value shows how far.",
    "Rank: average rank, with an arrow if it is better (↑) or worse (↓) than the reference's; † if "
    "the signed-rank test over data sets finds a difference (p < 0.05), †† if it still does after "
    "Holm's correction and Friedman's test finds one, too. Tests need six data sets. The article's "
    "ranks and p-values are computed from its means of the same data sets and systems.",
    "+/-/~: number of data sets with each mark.",
]


class Report(NamedTuple):
    """What was written, and what could not be."""

    paths: list[Path]
    problems: list[Problem]


def write_report(
    store: Store,
    folder: Path,
    names: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    *,
    figures: bool = True,
    data_dir: str | None = None,
) -> Report:
    """Write all tables that the store has results for, what is missing from them, and figures.

    An error costs the table or figure that it occurs in, and the report names it.

    Parameters
    ----------
    store : Store
    folder : path
        Where to write ``report.md``, ``report.html``, ``report.tex`` and ``report.csv``, which has
        all means of the tables.
    names : iterable of str, optional
        Only these tables (keys of `TABLES`).
    datasets : iterable of str, optional
        Only these data sets.
    figures : bool
        Whether to draw figures, into the folder ``figures``.
    data_dir : str, optional
        Folder of the article's data, whose properties are counted.

    Returns
    -------
    Report
        The files written, and the errors met.
    """
    asked = list(TABLES if names is None else names)
    chosen = None if datasets is None else list(datasets)
    problems = Problems()
    found: dict[str, list[Measured]] = {}
    for name in asked:
        with problems.confined(f"table {name}"):
            found[name] = [
                part
                for variant in variants_of(name)
                for part in collect(store, name, chosen, variant)
            ]
    measured = [part for parts in found.values() for part in parts]
    folder.mkdir(parents=True, exist_ok=True)
    pictures = write_figures(folder / "figures", measured, problems) if figures else []
    tables = _tables(measured, problems)
    setting = _setting(data_dir, chosen, problems)
    overview, details = _summaries(store, list(found), measured, problems)
    drawn = [Picture(path.stem, caption(path.stem)) for path in pictures]
    chapters = [
        *overview,
        Chapter("Setting", grids=setting),
        Chapter("Results", LEGEND if tables else [], tables),
        Chapter("Figures", pictures=drawn),
        *details,
    ]
    chapters.append(Chapter("Errors", grids=_full([plain_grid(ERRORS, _errors(problems))])))
    content = Content(_preface(store), [part for part in chapters if not part.is_empty])
    makers: dict[str, Callable[[], str]] = {
        **{f"report.{suffix}": partial(render, content) for suffix, render in FORMATS.items()},
        "report.csv": lambda: str(tidy(measured).to_csv(index=False)),
    }
    written = []
    for name, make in makers.items():
        with problems.confined(name):
            write_text(folder / name, make())
            written.append(folder / name)
    return Report(written + pictures, problems)


ERRORS = "Errors in this report"


def _tables(measured: Sequence[Measured], problems: Problems) -> list[Grid]:
    groups: dict[tuple[str, str], list[Measured]] = {}
    for part in measured:
        groups.setdefault((part.name, part.split), []).append(part)
    grids = []
    for (name, split), parts in groups.items():
        with problems.confined(f"table {name}, {split}"):
            grids.append(print_table(parts))
    return grids


def _setting(data_dir: str | None, datasets: list[str] | None, problems: Problems) -> list[Grid]:
    """Return the article's tables of data sets and hyperparameters."""
    grids = []
    for number, make in PROPERTIES.items():
        with problems.confined(f"table {number}"):
            grids.append(make(data_dir, datasets))
    return _full(grids)


def _full(grids: Iterable[Grid]) -> list[Grid]:
    """Leave out tables without rows."""
    return [grid for grid in grids if grid.rows]


def _preface(store: Store) -> str:
    days = store.dates()
    when = "" if days is None else ", " + " to ".join(sorted({*days}))
    packages = ("fuzzyucs", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    python = f"Python {platform.python_version()}"
    return f"{len(store):,} training runs{when}. Reported with {versions}, {python}."


def _summaries(
    store: Store, names: list[str], measured: list[Measured], problems: Problems
) -> tuple[list[Chapter], list[Chapter]]:
    """Return the chapters that come before the tables, and those that come after them."""
    seconds: dict[str, pd.DataFrame] = {}
    verdicts: dict[str, list[tuple[Claim, Verdict]]] = {}
    for variant in VARIANTS:
        of_variant = [part for part in measured if part.variant == variant]
        if not of_variant and variant != "said":
            continue
        with problems.confined("table 5"):
            seconds[variant] = runtime(store, variant)
        verdicts[variant] = check_claims(of_variant, problems, seconds.get(variant))
    gaps = pd.DataFrame()
    with problems.confined("missing results"):
        gaps = _gaps(names, measured, verdicts)
    makers: dict[str, Callable[[], Grid]] = {
        "claims": lambda: claims_grid(verdicts),
        "agreement": lambda: agreement_grid(measured),
        "farthest": lambda: farthest_grid(measured),
        "runtime": lambda: runtime_grid(seconds),
        "systems": lambda: plain_grid("Systems", _systems(store)),
        "gaps": lambda: plain_grid("Missing results", gaps),
    }
    made: dict[str, list[Grid]] = {}
    for part, make in makers.items():
        with problems.confined(part):
            made[part] = _full([make()])
    short: list[str] = []
    with problems.confined("in short"):
        n_gaps = sum(name in TABLES for name in gaps.index)
        short = in_short(verdicts, measured, n_gaps, len(problems))
    before = [
        Chapter("In short", short),
        Chapter("Claims", grids=made.get("claims", [])),
        Chapter("Agreement", grids=made.get("agreement", []) + made.get("farthest", [])),
    ]
    after = [
        Chapter("Runtime", grids=made.get("runtime", [])),
        Chapter("Runs", grids=made.get("systems", []) + made.get("gaps", [])),
    ]
    return before, after


def _systems(store: Store) -> pd.DataFrame:
    columns = ["system", "version", "runs", "failed", "because"]
    return pd.DataFrame(store.systems(), columns=columns).set_index("system")


def _gaps(names: list[str], measured: list[Measured], verdicts: Verdicts) -> pd.DataFrame:
    """Return what the tables lack, and how many claims could not be checked for lack of runs."""
    gaps = find_gaps(names, measured)
    n_open = sum(verdict.held is None for _, verdict in verdicts["said"])
    if n_open:
        text = f"runs for {n_open} of {len(CLAIMS)} claims"
        gaps.loc["What the article claims"] = text
    return gaps


def _errors(problems: Problems) -> pd.DataFrame:
    return pd.DataFrame(problems, columns=["part", "error"]).set_index("part")
