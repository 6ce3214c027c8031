"""Tables and a summary beside the published numbers, in Markdown, LaTeX and HTML.

Reports read only the store.
"""

from __future__ import annotations

import html
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from fuzzyucs.experiment.claims import CLAIMS, Claim, Verdict, check_claims
from fuzzyucs.experiment.figures import write_figures
from fuzzyucs.experiment.gaps import find_gaps
from fuzzyucs.experiment.measured import Measured, collect, runtime, summarise
from fuzzyucs.experiment.problems import Problem, Problems
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.tables import TABLES

__all__ = ["Report", "Section", "write_report"]

Verdicts = list[tuple[Claim, Verdict]]


class Section(NamedTuple):
    """A titled table of a report; the name of its index stands in the corner."""

    title: str
    cells: pd.DataFrame


@dataclass(frozen=True)
class _Content:
    """What all formats show."""

    tables: list[Section]
    summaries: list[Section]
    preface: str
    pictures: list[str]


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
) -> Report:
    """Write all tables that the store has results for, what is missing from them, and figures.

    An error costs the table or figure that it occurs in, and the report names it.

    Parameters
    ----------
    store : Store
    folder : path
        Where to write ``report.md``, ``report.html`` and ``report.tex``.
    names : iterable of str, optional
        Only these tables (keys of `TABLES`).
    datasets : iterable of str, optional
        Only these data sets.
    figures : bool
        Whether to draw figures, into the folder ``figures``.

    Returns
    -------
    Report
        The files written, and the errors met.
    """
    asked = list(TABLES if names is None else names)
    chosen = None if datasets is None else list(datasets)
    problems = Problems()
    found: dict[str, list[Measured]] = {}
    tables = []
    for name in asked:
        with problems.confined(f"table {name}"):
            found[name] = collect(store, name, chosen)
            tables += [Section(_heading(part), part.cells) for part in found[name]]
    measured = [part for parts in found.values() for part in parts]
    folder.mkdir(parents=True, exist_ok=True)
    pictures = write_figures(folder / "figures", measured, problems) if figures else []
    summaries = _summaries(list(found), measured, store, problems)
    content = _Content(tables, summaries, _preface(store), [path.stem for path in pictures])
    written = []
    for suffix, render in (("md", _markdown), ("html", _html), ("tex", _latex)):
        path = folder / f"report.{suffix}"
        path.write_text(render(content), encoding="utf-8")
        written.append(path)
    return Report(written + pictures, problems)


GAPS = "Missing results"
ERRORS = "Errors in this report"
LEGEND = (
    "Cells are ours / published / difference in standard errors, then the mark of the signed-rank "
    "test over our runs against the reference: + better, - worse, ~ neither. Ranks and p-values "
    "are ours / published."
)


def _heading(table: Measured) -> str:
    known = TABLES[table.name]
    data = {"train": ", training data", "test": ", test data", "model": ""}[table.split]
    counts = table.n_runs.to_numpy()
    low, high = int(counts.min()), int(counts.max())
    runs = f"{low} to {high} runs" if low != high else "1 run" if low == 1 else f"{low} runs"
    number = "" if known.number is None else f"Table {known.number}: "
    return f"{number}{known.title}{data} ({runs})"


def _preface(store: Store) -> str:
    days = store.dates()
    when = "" if days is None else ", " + " to ".join(sorted({*days}))
    packages = ("fuzzyucs", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    python = f"Python {platform.python_version()}"
    return f"{len(store):,} training runs{when}. Reported with {versions}, {python}."


def _summaries(
    names: list[str], measured: list[Measured], store: Store, problems: Problems
) -> list[Section]:
    """Return the summaries that come before the tables; empty ones are left out."""
    verdicts = check_claims(measured, problems)
    makers: dict[str, Callable[[], pd.DataFrame]] = {
        "What the article claims": lambda: _claims(verdicts),
        "Differences from the published means": lambda: _differences(measured),
        "Table 5: CPU seconds of a run (machines differ: compare systems only)": (
            lambda: runtime(store).round(4).astype(str).set_index("epochs")
        ),
        "Systems": lambda: _systems(store),
        GAPS: lambda: _gaps(names, measured, verdicts),
    }
    found = []
    for title, make in makers.items():
        with problems.confined(title):
            found.append(Section(title, make()))
    found.append(Section(ERRORS, _errors(problems)))
    return [section for section in found if not section.cells.empty]


def _differences(measured: list[Measured]) -> pd.DataFrame:
    summary = summarise(measured)
    if summary.empty:
        return summary
    summary["mean difference"] = summary["mean difference"].map("{:.2f}".format)
    summary["within"] = ["" if pd.isna(share) else f"{share:.0%}" for share in summary["within"]]
    return summary.astype(str).set_index("table")


def _systems(store: Store) -> pd.DataFrame:
    columns = ["system", "version", "runs", "failed", "because"]
    return pd.DataFrame(store.systems(), columns=columns).set_index("system")


def _gaps(names: list[str], measured: list[Measured], verdicts: Verdicts) -> pd.DataFrame:
    """Return what the tables lack, and how many claims could not be checked for lack of runs."""
    gaps = find_gaps(names, measured)
    n_open = sum(verdict.held is None for _, verdict in verdicts)
    if n_open:
        text = f"runs for {n_open} of {len(CLAIMS)} claims"
        gaps.loc["What the article claims"] = text
    return gaps


def _errors(problems: Problems) -> pd.DataFrame:
    return pd.DataFrame(problems, columns=["part", "error"]).set_index("part")


def _claims(verdicts: Verdicts) -> pd.DataFrame:
    """Return a line for each claim of the article that could be checked."""
    rows = [
        (claim.text, "yes" if verdict.held else "no", verdict.ours, verdict.published)
        for claim, verdict in verdicts
        if verdict.held is not None
    ]
    return pd.DataFrame(rows, columns=["claim", "held", "ours", "published"]).set_index("claim")


def _markdown_table(cells: pd.DataFrame) -> str:
    lines = [
        "| " + " | ".join(map(str, [cells.index.name, *cells.columns])) + " |",
        "|---|" + "---|" * len(cells.columns),
    ]
    lines += ["| " + " | ".join(map(_markdown_text, row)) + " |" for row in cells.itertuples()]
    return "\n".join(lines)


def _markdown_text(text: object) -> str:
    """Keep error messages from ending a cell or a line of a table."""
    return " ".join(str(text).split("\n")).replace("|", r"\|")


CAPTIONS = {
    "figure5": "Figure 5: decision boundaries (on data like the article's, which are not given)",
    "figure6": "Figure 6: belief masses of Dempster-Shafer inference, first run",
    "figure7": "Figure 7: the same, run with the lowest training accuracy",
}


def _caption(picture: str) -> str:
    return CAPTIONS.get(picture, "Average ranks; joined systems do not differ significantly")


def _markdown(content: _Content) -> str:
    parts = ["# Reproduction of the article", content.preface, LEGEND]
    for title, cells in content.summaries + content.tables:
        parts += [f"## {title}", _markdown_table(cells)]
    parts += [f"![{_caption(name)}](figures/{name}.png)" for name in content.pictures]
    return "\n\n".join(parts) + "\n"


STYLE = """
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; font-size: 85%; }
td, th { border-bottom: 1px solid #ddd; padding: 0.2em 0.8em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
"""


def _html(content: _Content) -> str:
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>Reproduction of the article</title><style>{STYLE}</style></head><body>",
        "<h1>Reproduction of the article</h1>",
        f"<p>{html.escape(content.preface)}</p><p>{html.escape(LEGEND)}</p>",
    ]
    for title, cells in content.summaries + content.tables:
        table = cells.reset_index().to_html(index=False, border=0)
        parts += [f"<h2>{html.escape(title)}</h2>", table]
    for name in content.pictures:
        parts.append(f'<h2>{html.escape(_caption(name))}</h2><img src="figures/{name}.png" alt="">')
    return "\n".join([*parts, "</body></html>", ""])


def _latex_text(text: object) -> str:
    special = {character: rf"\{character}" for character in "_%#&${}"}
    special |= {"~": r"$\sim$", "^": r"\^{}", "\\": r"\textbackslash{}"}
    return "".join(special.get(character, character) for character in str(text))


def _latex(content: _Content) -> str:
    parts = [f"% {content.preface}", f"% {LEGEND}"]
    missing = [section for section in content.summaries if section.title in (GAPS, ERRORS)]
    for title, cells in content.tables + missing:
        lines = [
            r"\begin{table}",
            rf"\caption{{{_latex_text(title)}}}",
            rf"\begin{{tabular}}{{l{'r' * len(cells.columns)}}}",
            " & ".join(map(_latex_text, [cells.index.name, *cells.columns])) + r" \\ \hline",
        ]
        lines += [" & ".join(map(_latex_text, row)) + r" \\" for row in cells.itertuples()]
        parts.append("\n".join([*lines, r"\end{tabular}", r"\end{table}"]))
    for name in content.pictures:
        caption = _latex_text(_caption(name))
        graphic = rf"\includegraphics[width=\linewidth]{{figures/{name}.png}}"
        parts.append(f"\\begin{{figure}}\n{graphic}\n\\caption{{{caption}}}\n\\end{{figure}}")
    return "\n\n".join(parts) + "\n"
