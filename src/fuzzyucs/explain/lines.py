"""The lines of a ledger: what a person reads, and as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.wording import counted
from fuzzyucs.decisions.entry import Entry

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.explain.ledger import Explanation

__all__ = ["ledger_frame", "ledger_lines"]


def ledger_lines(
    explanation: Explanation, *, every: bool = False, most: int | None = None
) -> list[Entry]:
    """Return the lines of a ledger, see `Explanation.ledger`.

    Parameters
    ----------
    explanation : Explanation
    every : bool
        Whether every rule has a line of its own.
    most : int, optional
        Greatest number of lines of single rules.

    Returns
    -------
    list of Entry
    """
    parts: dict[str, list[Entry]] = {"first": [], "single": [], "neutral": []}
    parts |= {"less": [], "absent": [], "silent": []}
    for entry in explanation.ordered():
        parts[_part(explanation, entry, every)].append(entry)
    single = parts["single"]
    shown = single if most is None else single[:most]
    rest, neutral, less, absent, silent = (
        single[len(shown) :],
        *(parts[name] for name in ("neutral", "less", "absent", "silent")),
    )
    texts = (
        (rest, f"{len(rest)} more"),
        (
            neutral,
            counted(len(neutral), "rule about other classes", "rules about other classes"),
        ),
        (
            less,
            f"{counted(len(less), 'rule that matches', 'rules that match')} less than neutral",
        ),
        (
            absent,
            counted(len(absent), "expert's rule", "experts' rules") + " without a match",
        ),
        (
            silent,
            f"{counted(len(silent), 'rule that asks', 'rules that ask')} for missing values",
        ),
    )
    gathered = [Entry.together(entries, text) for entries, text in texts if entries]
    return [*parts["first"], *shown, *gathered]


def ledger_frame(explanation: Explanation, *, every: bool = False) -> pd.DataFrame:
    """Return a ledger as a pandas DataFrame, see `Explanation.to_frame`.

    Parameters
    ----------
    explanation : Explanation
    every : bool
        Whether every rule has a line of its own.

    Returns
    -------
    pandas.DataFrame
    """
    entries = explanation.ledger(every=every)
    columns: dict[str, Any] = {
        "entry": [entry.text for entry in entries],
        "conclusion": [entry.conclusion for entry in entries],
        "degree": [np.nan if entry.degree is None else entry.degree for entry in entries],
        f"for {explanation.prediction}": [explanation.contribution(entry) for entry in entries],
    }
    for i, label in enumerate(explanation.classes):
        columns[f"{explanation.unit} of {label}"] = [entry.amounts[i] for entry in entries]
    if any(entry.undecided is not None for entry in entries):
        columns["don't know"] = [
            np.nan if entry.undecided is None else entry.undecided for entry in entries
        ]
    if explanation.has_base_rates:
        columns["kind"] = [entry.kind for entry in entries]
    return import_pandas().DataFrame(columns)


def _part(explanation: Explanation, entry: Entry, every: bool) -> str:
    """Tell with which others an entry shares a line."""
    if entry.kind == "base rates":
        return "first"
    if every or not entry.kind:
        return "single"
    if entry.kind == "matches less":
        return "less"
    if entry.kind == "no match":
        return "absent"
    if entry.kind == "unknown" and not entry.amounts.any():
        return "silent"
    return "neutral" if explanation.contribution(entry) == 0 else "single"
