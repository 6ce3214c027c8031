"""The article's tables as they are printed: means, marks, shades, ranks and p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from fuzzyucs.experiment.measured import Measured, compare_means
from fuzzyucs.experiment.statistics import FEWEST_PAIRS, SIGNIFICANT, Comparison
from fuzzyucs.experiment.tables import TABLES, VARIANTS, datasets_of, marks_of, published_of

__all__ = ["ARTICLE", "Cell", "Grid", "Row", "count_marks", "plain_grid", "print_table", "show"]

ARTICLE = "the article"
SHOWN = {
    "RandomForest": "Random Forest",
    "FuzzyUCS": "Fuzzy-UCS",
    " membership": " by degree",
    " one": " by count",
}
"""Names of columns that are shown otherwise than they are called in the published numbers."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
        Its value.
    mark : str
        What stands behind the value: ``+``, ``-`` or ``~``; arrows and daggers of a rank.
    shade : {"", "best", "worst"}
        Whether it is the best or the worst of its row.
    far : bool
        Whether it is far from the article's value.
    note : str
        More about it, for those who point at it.
    """

    text: str
    mark: str = ""
    shade: str = ""
    far: bool = False
    note: str = ""


class Row(NamedTuple):
    """A row of a table, with what stands in front of it."""

    label: str
    cells: list[Cell]


@dataclass(frozen=True)
class Grid:
    """A table of a report.

    Attributes
    ----------
    title : str
        Its heading.
    corner : str
        What the first column holds.
    groups : list of (str, list of str)
        Headings of columns, in groups that have headings of their own.
    rows, footer : list of Row
        Those that may be sorted, and those that stay below.
    """

    title: str
    corner: str
    groups: list[tuple[str, list[str]]]
    rows: list[Row]
    footer: list[Row] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """Headings of all columns but the first."""
        return [title for _, titles in self.groups for title in titles]


def plain_grid(title: str, table: pd.DataFrame) -> Grid:
    """Make a table of texts.

    Parameters
    ----------
    title : str
        Its heading.
    table : DataFrame
        The name of its index stands in the corner.

    Returns
    -------
    Grid

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.experiment.layout import plain_grid
    >>> grid = plain_grid("Runs", pd.DataFrame({"runs": [3]}, pd.Index(["ucs"], name="system")))
    >>> grid.corner, grid.columns, grid.rows[0].cells[0].text
    ('system', ['runs'], '3')
    """
    rows = [
        Row(str(label), [Cell(str(text)) for text in texts]) for label, *texts in table.itertuples()
    ]
    return Grid(title, str(table.index.name), [("", list(map(str, table.columns)))], rows)


@dataclass(frozen=True)
class _Side:
    """One group of columns: the article's means, or those of one set of runs."""

    title: str
    means: pd.DataFrame
    marks: pd.DataFrame | None
    comparison: Comparison | None
    measured: Measured | None = None


def print_table(parts: Sequence[Measured]) -> Grid:
    """Print a part of a table as the article does: its means, and ours beside them.

    Parameters
    ----------
    parts : sequence of Measured
        The same table and split, once for each of the `VARIANTS` that have runs.

    Returns
    -------
    Grid
        Below the data sets: average ranks with arrows (better or worse than the reference) and
        daggers (one if the signed-rank test finds a significant difference, two if it does after
        Holm's correction), positions, numbers of marks, p-values, and that of Friedman's test.
    """
    name = parts[0].name
    sides = [*_article(parts), *map(_ours, parts)]
    present = {dataset for part in parts for dataset in part.mean.index}
    datasets = [dataset for dataset in datasets_of(name) if dataset in present]
    rows = [
        Row(dataset, [cell for side in sides for cell in _cells(name, side, dataset)])
        for dataset in datasets
    ]
    footer = [
        Row(label, [cell for side in sides for cell in cells_of(name, side)])
        for label, cells_of in FOOTER.items()
    ]
    footer = [row for row in footer if any(cell.text for cell in row.cells)]
    groups = [(side.title, [_title(system) for system in side.means]) for side in sides]
    return Grid(_heading(parts), "data", groups, rows, footer)


def _article(parts: Sequence[Measured]) -> Iterator[_Side]:
    """Yield the published means of the same data sets and systems."""
    name, split = parts[0].name, parts[0].split
    published, marks = published_of(name, split), marks_of(name, split)
    if published is None:
        return
    rows = {dataset for part in parts for dataset in part.mean.index}
    columns = {system for part in parts for system in part.mean.columns}
    published, marks = (
        side.loc[[row for row in side.index if row in rows], [c for c in side if c in columns]]
        for side in (published, marks)
        if side is not None
    )
    yield _Side(ARTICLE, published, marks, compare_means(name, published))


def _ours(part: Measured) -> _Side:
    return _Side(VARIANTS[part.variant], part.mean, part.marks, part.comparison, part)


def _title(system: str) -> str:
    """Return the heading of a column, which may be broken into lines."""
    for name, shown in SHOWN.items():
        system = system.replace(name, shown)
    return system


def _heading(parts: Sequence[Measured]) -> str:
    known = TABLES[parts[0].name]
    data = {"train": ", training data", "test": ", test data"}.get(parts[0].split, "")
    counts = pd.concat([part.n_runs.stack() for part in parts])
    low, high = int(counts.min()), int(counts.max())
    runs = f"{low} to {high} runs" if low != high else "1 run" if low == 1 else f"{low} runs"
    number = "" if known.number is None else f"Table {known.number}: "
    return f"{number}{known.title}{data} ({runs})"


def _cells(name: str, side: _Side, dataset: str) -> Iterator[Cell]:
    if dataset not in side.means.index:
        yield from (Cell("no run") for _ in side.means)
        return
    means = side.means.loc[dataset]
    shades = _shades(name, means)
    for system, mean in means.items():
        if math.isnan(mean):
            yield Cell("no run")
            continue
        mark = "" if side.marks is None else str(side.marks.loc[dataset, system])
        far, note = False, ""
        if side.measured is not None:
            far, note = _beside_the_article(side.measured, dataset, str(system))
        yield Cell(show(name, mean), mark, shades[system], far, note)


def _beside_the_article(part: Measured, dataset: str, system: str) -> tuple[bool, str]:
    """Tell whether a mean is far from the article's, and how far."""
    n_runs = int(part.n_runs.loc[dataset, system])
    note = "1 run" if n_runs == 1 else f"{n_runs} runs"
    if part.difference is None or math.isnan(part.difference.loc[dataset, system]):
        return False, note
    gap, unit = part.difference.loc[dataset, system], part.standard_error.loc[dataset, system]
    note += f", {gap:+.4g} from the article"
    if unit > 0:
        note += f" ({gap / unit:+.1f} standard errors)"
    return bool(part.far.loc[dataset, system]), note


def _shades(name: str, values: pd.Series) -> dict[object, str]:
    """Shade the best and the worst of a row; of two, only the better, as the article does."""
    table = TABLES[name]
    shades: dict[object, str] = dict.fromkeys(values.index, "")
    compared = table.pairs or ((tuple(values.index),) if table.reference else ())
    for names in compared:
        known = values.reindex(names).dropna()
        if len(known) < 2:
            continue
        shown = known.map(lambda value: float(show(name, value)))
        best, worst = (shown.max(), shown.min())
        if not table.greater_is_better:
            best, worst = worst, best
        for system, value in shown.items():
            if value == best:
                shades[system] = "best"
            elif value == worst and len(known) > 2:
                shades[system] = "worst"
    return shades


def _ranks(name: str, side: _Side) -> Iterator[Cell]:
    found = side.comparison
    if found is None:
        yield from _nothing(side)
        return
    ranks = found.ranks
    ordered = TABLES[name].pairs or [tuple(ranks.index)]
    shades = {}
    for group in ordered:
        known = ranks.reindex(group).dropna().round(9)
        for system, rank in known.items():
            worst = "worst" if rank == known.max() and len(known) > 2 else ""
            shades[system] = "best" if rank == known.min() else worst
    for system in side.means.columns:
        reference = TABLES[name].reference_of(system)
        mark = "" if reference not in ranks else _arrow(found, system, str(reference))
        yield Cell(f"{ranks[system]:.2f}", mark, shades.get(system, ""))


def _arrow(found: Comparison, system: str, reference: str) -> str:
    rank, other = found.ranks[system].round(9), found.ranks[reference].round(9)
    arrow = "↓" if rank > other else "↑" if rank < other else ""
    return arrow + ("" if not _has_tests(found) else _daggers(found, system))


def _daggers(found: Comparison, system: str) -> str:
    """Return two if the difference is significant after Holm's correction, and by Friedman's."""
    if found.p[system] >= SIGNIFICANT:
        return ""
    many = not math.isnan(found.p_friedman)
    is_sure = many and found.p_friedman < SIGNIFICANT and found.p_holm[system] < SIGNIFICANT
    return "††" if is_sure else "†"


def _has_tests(found: Comparison) -> bool:
    return found.n_datasets >= FEWEST_PAIRS


def _nothing(side: _Side) -> Iterator[Cell]:
    yield from (Cell("") for _ in side.means.columns)


def _positions(_name: str, side: _Side) -> Iterator[Cell]:
    if side.comparison is None:
        yield from _nothing(side)
        return
    yield from (Cell(f"{side.comparison.positions[system]:g}") for system in side.means.columns)


def count_marks(marks: Iterable[str]) -> tuple[int, int, int]:
    """Count how often a system is better, worse and neither.

    Examples
    --------
    >>> from fuzzyucs.experiment.layout import count_marks
    >>> count_marks(["+", "-", "~", "~"])
    (1, 1, 2)
    """
    found = list(marks)
    return found.count("+"), found.count("-"), found.count("~")


def _counts(name: str, side: _Side) -> Iterator[Cell]:
    for system in side.means.columns:
        if side.marks is None or TABLES[name].reference_of(system) not in side.means:
            yield Cell("")
        else:
            yield Cell("/".join(map(str, count_marks(side.marks[system]))))


def _p(name: str, side: _Side, attribute: str) -> Iterator[Cell]:
    found = side.comparison
    if found is None or not _has_tests(found):
        yield from _nothing(side)
        return
    if attribute == "p_holm" and TABLES[name].pairs:
        yield from _nothing(side)  # of one comparison, there is nothing to correct
        return
    values = getattr(found, attribute)
    for system in side.means.columns:
        yield Cell(f"{values[system]:.3g}" if system in values else "")


def _friedman(_name: str, side: _Side) -> Iterator[Cell]:
    found = side.comparison
    is_known = found is not None and _has_tests(found) and not math.isnan(found.p_friedman)
    for index, _ in enumerate(side.means.columns):
        yield Cell(f"{found.p_friedman:.3g}" if is_known and found and not index else "")


FOOTER = {
    "Rank": _ranks,
    "Position": _positions,
    "+/-/~": _counts,
    "p": lambda name, side: _p(name, side, "p"),
    "p, Holm": lambda name, side: _p(name, side, "p_holm"),
    "p, Friedman": _friedman,
}

DIGITS = {"accuracy": 2, "macro_f1": 2, "trees": 0, "depth": 1, "nodes": 0}
SMALLEST = 1e-4
"""Values below are written with an exponent."""


def show(name: str, value: float) -> str:
    """Write a value as the article does: percent with two digits, sizes and masses with four.

    Examples
    --------
    >>> from fuzzyucs.experiment.layout import show
    >>> show("f1_10", 93.5), show("ruleset_size_10", 811), show("idk_5", 0.0000358)
    ('93.50', '811.0', '3.580E-05')
    """
    metric = TABLES[name].metric
    if metric in DIGITS:
        return f"{value:.{DIGITS[metric]}f}"
    if value == 0:
        return "0"
    if abs(value) < SMALLEST:
        return f"{value:.3E}"
    return f"{value:.{max(0, 3 - math.floor(math.log10(abs(value))))}f}"
