"""Tables and a summary beside the published numbers, in Markdown, LaTeX and HTML.

Reports read only the store.
"""

from __future__ import annotations

import html
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from fuzzyucs.experiment.claims import check_claims
from fuzzyucs.experiment.figures import write_figures
from fuzzyucs.experiment.measured import Measured, collect, runtime, summarise
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.tables import TABLES

__all__ = ["write_report"]


@dataclass(frozen=True)
class _Content:
    """What all formats show."""

    tables: list[Measured]
    summaries: list[tuple[str, pd.DataFrame]]
    preface: str
    pictures: list[str]


def write_report(
    store: Store,
    folder: Path,
    names: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    *,
    figures: bool = True,
) -> list[Path]:
    """Write all tables that the store has results for, and figures.

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
    list of path
        The files written.
    """
    tables = [part for name in names or TABLES for part in collect(store, name, datasets)]
    folder.mkdir(parents=True, exist_ok=True)
    pictures = write_figures(folder / "figures", tables) if figures else []
    content = _Content(
        tables, _summaries(tables, store), _preface(store), [path.stem for path in pictures]
    )
    written = []
    for suffix, render in (("md", _markdown), ("html", _html), ("tex", _latex)):
        path = folder / f"report.{suffix}"
        path.write_text(render(content), encoding="utf-8")
        written.append(path)
    return written + pictures


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
    runs = f"{high} runs" if low == high else f"{low} to {high} runs"
    number = "" if known.number is None else f"Table {known.number}: "
    return f"{number}{known.title}{data} ({runs})"


def _preface(store: Store) -> str:
    days = store.dates()
    when = "" if days is None else ", " + " to ".join(sorted({*days}))
    packages = ("fuzzyucs", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    python = f"Python {platform.python_version()}"
    return f"{len(store):,} training runs{when}. Reported with {versions}, {python}."


def _summaries(tables: list[Measured], store: Store) -> list[tuple[str, pd.DataFrame]]:
    """Return what is worth knowing first, as far as there is anything."""
    summary = summarise(tables)
    if not summary.empty:
        summary["mean difference"] = summary["mean difference"].map("{:.2f}".format)
        summary["within"] = [
            "" if pd.isna(share) else f"{share:.0%}" for share in summary["within"]
        ]
        summary = summary.astype(str).set_index("table")
    times = runtime(store).round(4).astype(str).set_index("epochs")
    systems = pd.DataFrame(
        store.systems(), columns=["system", "version", "runs", "failed", "because"]
    ).set_index("system")
    found = [
        ("What the article claims", _claims(tables)),
        ("How near we are", summary),
        ("Table 5: CPU seconds of a run (machines differ: compare systems only)", times),
        ("Systems", systems),
    ]
    return [(title, cells) for title, cells in found if not cells.empty]


def _claims(tables: list[Measured]) -> pd.DataFrame:
    """Return a line for each claim of the article that could be checked."""
    rows = [
        (claim.text, "yes" if verdict.held else "no", verdict.ours, verdict.published)
        for claim, verdict in check_claims(tables)
        if verdict.held is not None
    ]
    return pd.DataFrame(rows, columns=["claim", "held", "ours", "published"]).set_index("claim")


def _markdown_table(cells: pd.DataFrame, corner: str) -> str:
    lines = [
        "| " + " | ".join([corner, *map(str, cells.columns)]) + " |",
        "|---|" + "---|" * len(cells.columns),
    ]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in cells.itertuples()]
    return "\n".join(lines)


CAPTIONS = {
    "figure5": "Figure 5: decision boundaries (on data like the article's, which are not given)",
    "figure6": "Figure 6: belief masses of Dempster-Shafer inference, first run",
    "figure7": "Figure 7: the same, run with the lowest training accuracy",
}


def _caption(picture: str) -> str:
    return CAPTIONS.get(picture, "Average ranks; joined systems do not differ significantly")


def _markdown(content: _Content) -> str:
    parts = ["# Reproduction of the article", content.preface, LEGEND]
    for title, cells in content.summaries:
        parts += [f"## {title}", _markdown_table(cells, str(cells.index.name))]
    for table in content.tables:
        parts += [f"## {_heading(table)}", _markdown_table(table.cells, "data")]
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
    for title, cells in content.summaries:
        parts += [f"<h2>{title}</h2>", cells.reset_index().to_html(index=False, border=0)]
    for table in content.tables:
        parts += [f"<h2>{html.escape(_heading(table))}</h2>", table.cells.to_html(border=0)]
    for name in content.pictures:
        parts.append(f'<h2>{html.escape(_caption(name))}</h2><img src="figures/{name}.png" alt="">')
    return "\n".join([*parts, "</body></html>", ""])


def _latex_text(text: object) -> str:
    special = {"~": r"$\sim$", "_": r"\_", "%": r"\%", "#": r"\#", "&": r"\&"}
    return "".join(special.get(character, character) for character in str(text))


def _latex(content: _Content) -> str:
    parts = [f"% {content.preface}", f"% {LEGEND}"]
    for table in content.tables:
        cells = table.cells
        lines = [
            r"\begin{table}",
            rf"\caption{{{_latex_text(_heading(table))}}}",
            rf"\begin{{tabular}}{{l{'r' * len(cells.columns)}}}",
            " & ".join(["data", *map(_latex_text, cells.columns)]) + r" \\ \hline",
        ]
        lines += [" & ".join(map(_latex_text, row)) + r" \\" for row in cells.itertuples()]
        parts.append("\n".join([*lines, r"\end{tabular}", r"\end{table}"]))
    for name in content.pictures:
        caption = _latex_text(_caption(name))
        graphic = rf"\includegraphics[width=\linewidth]{{figures/{name}.png}}"
        parts.append(f"\\begin{{figure}}\n{graphic}\n\\caption{{{caption}}}\n\\end{{figure}}")
    return "\n\n".join(parts) + "\n"
