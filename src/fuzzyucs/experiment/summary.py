"""Summaries of a report: claims, agreement with the article, and all of it in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fuzzyucs._util.wording import percent
from fuzzyucs.experiment.claims import CLAIMS, Claim, Verdict
from fuzzyucs.experiment.layout import ARTICLE, Cell, Grid, Row, show
from fuzzyucs.experiment.measured import Measured, summarise
from fuzzyucs.experiment.tables import RULES, TABLES, VARIANTS

__all__ = [
    "Verdicts",
    "agreement_grid",
    "claims_grid",
    "farthest_grid",
    "in_short",
    "runtime_grid",
]

Verdicts = Mapping[str, Sequence[tuple[Claim, Verdict]]]
"""What became of the claims in each of the `VARIANTS` that have runs."""

HELD = {True: Cell("yes", shade="best"), False: Cell("no", shade="worst"), None: Cell("not run")}
N_FARTHEST = 12
SPLITS = {"train": "training", "test": "test", "both": "training and test", "model": ""}


def claims_grid(verdicts: Verdicts) -> Grid:
    """Print the claims that could be checked: whether they held, and the numbers that decide."""
    found: dict[str, dict[str, Verdict]] = {}
    for variant, pairs in verdicts.items():
        for claim, verdict in pairs:
            found.setdefault(claim.text, {})[variant] = verdict
    missing = Verdict(None)
    rows = []
    for text, of_claim in found.items():
        known = [verdict for verdict in of_claim.values() if verdict.held is not None]
        if not known:
            continue
        cells = []
        for variant in verdicts:
            verdict = of_claim.get(variant, missing)
            cells += [HELD[verdict.held], Cell("" if verdict.held is None else verdict.ours)]
        rows.append(Row(text, [*cells, Cell(known[0].published)]))
    groups = [(VARIANTS[variant], ["held", "result"]) for variant in verdicts]
    return Grid("What the article claims", "claim", [*groups, (ARTICLE, ["result"])], rows)


def _kind(system: str) -> str:
    name = system.split(" ")[0]
    if name in ("UCS", "ExSTraCS"):
        return name
    return "Fuzzy-UCS" if name in (*RULES, "FuzzyUCS", "Training", "Test") else "others"


def agreement_grid(measured: Iterable[Measured]) -> Grid:
    """Count the means that are near the published ones, for each table and kind of system."""
    summary = summarise(measured)
    kinds = ["Fuzzy-UCS", "UCS", "ExSTraCS", "others"]
    title = "Means near the published ones"
    if summary.empty:
        return Grid(title, "table", [], [])
    summary["kind"] = summary["system"].map(_kind)
    summary["near"] = (summary["within"] * summary["data sets"]).round()
    summary = summary.dropna(subset="near")
    groups, cells = [], {}
    for variant in [name for name in VARIANTS if name in set(summary["variant"])]:
        of_variant = summary[summary["variant"] == variant]
        present = [kind for kind in kinds if kind in set(of_variant["kind"])]
        if variant != "said":  # the others have only one set of runs
            present = [kind for kind in present if kind in ("Fuzzy-UCS", "UCS")]
        groups.append((VARIANTS[variant], present))
        for (name, split, kind), part in of_variant.groupby(["table", "split", "kind"]):
            near, total = int(part["near"].sum()), int(part["data sets"].sum())
            cells[name, split, variant, kind] = Cell(
                f"{near}/{total}",
                shade="best" if near == total else "worst" if near < 0.8 * total else "",
                note=percent(near / total),
            )
    order = dict.fromkeys(zip(summary["table"], summary["split"], strict=True))
    rows = []
    for name, split in order:
        label = ", ".join(part for part in (TABLES[name].title, SPLITS[split]) if part)
        keys = [
            (name, split, variant, kind)
            for variant, (_, present) in zip(VARIANTS, groups, strict=False)
            for kind in present
        ]
        rows.append(Row(label, [cells.get(key, Cell("")) for key in keys]))
    return Grid(title, "table", groups, rows)


def farthest_grid(measured: Iterable[Measured]) -> Grid:
    """List the means that are farthest from the published ones, in standard errors."""
    rows = []
    for table in measured:
        if table.difference is None:
            continue
        gaps = (table.difference / table.standard_error).where(table.far).stack()
        for (dataset, system), gap in gaps.dropna().items():
            if abs(gap) != float("inf"):
                rows.append((abs(gap), gap, table, dataset, system))
    rows.sort(key=lambda row: -row[0])
    found = []
    for _, gap, table, dataset, system in rows[:N_FARTHEST]:
        assert table.published is not None
        texts = [
            ", ".join(part for part in (TABLES[table.name].title, SPLITS[table.split]) if part),
            system,
            VARIANTS[table.variant],
            show(table.name, table.mean.loc[dataset, system]),
            show(table.name, table.published.loc[dataset, system]),
            f"{gap:+.1f}",
        ]
        found.append(Row(dataset, list(map(Cell, texts))))
    columns = ["table", "system", "runs", "ours", "published", "standard errors"]
    title = f"Farthest from the article (the first {N_FARTHEST})"
    return Grid(title, "data", [("", columns)], found)


def runtime_grid(seconds: Mapping[str, pd.DataFrame]) -> Grid:
    """Print the CPU seconds of a run, for each of the `VARIANTS` that have runs."""
    known = pd.concat(seconds.values()) if seconds else pd.DataFrame(columns=["epochs", "system"])
    groups = []
    for epochs in (10, 50):
        present = set(known.loc[known["epochs"] == epochs, "system"])
        if present:
            groups.append((f"{epochs} epochs", [name for name in RULES if name in present]))
    sides = {VARIANTS[name]: (table, "ours") for name, table in seconds.items() if len(table)}
    if sides:
        sides = {ARTICLE: (known.drop_duplicates(["epochs", "system"]), "published"), **sides}
    rows = []
    for label, (table, column) in sides.items():
        values = table.set_index(["epochs", "system"])[column]
        cells = []
        for title, names in groups:
            part = {name: values.get((int(title.split()[0]), name)) for name in names}
            shown = [value for value in part.values() if value is not None]
            for value in part.values():
                if value is None:
                    cells.append(Cell("no run"))
                    continue
                shade = "best" if value == min(shown) else "worst" if value == max(shown) else ""
                cells.append(Cell(f"{value:.4g}", shade=shade))
        rows.append(Row(label, cells))
    title = "Table 5: CPU seconds of a run (machines differ: compare systems only)"
    return Grid(title, "runs", groups, rows)


def in_short(
    verdicts: Verdicts, measured: Sequence[Measured], n_gaps: int, n_problems: int
) -> list[str]:
    """Tell in a few sentences what came out."""
    sentences = []
    for variant, pairs in verdicts.items():
        checked = [verdict.held for _, verdict in pairs if verdict.held is not None]
        if checked:
            sentences.append(
                f"Runs {VARIANTS[variant]}: {sum(checked)} of the {len(checked)} claims of the "
                f"article that could be checked held{_agreement(measured, variant)}."
            )
    sentences += _failures(verdicts)
    n_open = len(CLAIMS) - max(
        (sum(verdict.held is not None for _, verdict in pairs) for pairs in verdicts.values()),
        default=0,
    )
    if n_open:
        sentences.append(f"{n_open} of {len(CLAIMS)} claims could not be checked for lack of runs.")
    if n_gaps:
        tables = "1 table lacks" if n_gaps == 1 else f"{n_gaps} tables lack"
        sentences.append(f"{tables} results: see Missing results.")
    if n_problems:
        parts = "1 part" if n_problems == 1 else f"{n_problems} parts"
        sentences.append(f"Lost to errors: {parts} of this report; see the last table.")
    return sentences


def _agreement(measured: Sequence[Measured], variant: str) -> str:
    """Tell the share of means that are near the published ones."""
    summary = summarise(part for part in measured if part.variant == variant)
    if summary.empty:
        return ""
    summary = summary.dropna(subset="within")
    summary["kind"] = summary["system"].map(_kind)
    texts = []
    for kind in ("Fuzzy-UCS", "UCS"):
        part = summary[summary["kind"] == kind]
        total = int(part["data sets"].sum())
        if total:
            near = (part["within"] * part["data sets"]).sum()
            texts.append(f"{near:.0f} of {total} of {kind} ({percent(near / total)})")
    return f"; near the published means are {' and '.join(texts)}" if texts else ""


def _failures(verdicts: Verdicts) -> list[str]:
    """List the claims that did not hold, by the sets of runs in which they did not."""
    failed: dict[tuple[str, ...], list[str]] = {}
    for claim in CLAIMS:
        where = tuple(
            variant
            for variant, pairs in verdicts.items()
            if any(other is claim and verdict.held is False for other, verdict in pairs)
        )
        if where:
            failed.setdefault(where, []).append(claim.text)
    several = len(verdicts) > 1
    return [
        f"Did not hold{_where(where) if several else ''}: {'; '.join(texts)}."
        for where, texts in failed.items()
    ]


def _where(variants: tuple[str, ...]) -> str:
    return " in either" if len(variants) == len(VARIANTS) else f" {VARIANTS[variants[0]]}"
