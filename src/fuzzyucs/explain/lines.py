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

LITTLE = "hold too little or not at all"

IDLE = {"unknown": "silent", "no match": "absent"}  # parts of entries that say nothing, by kind


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
    names = ("first", "single", "neutral", "nothing", "absent", "silent")
    parts: dict[str, list[Entry]] = {name: [] for name in names}
    for entry in explanation.ordered():
        parts[_part(explanation, entry, every)].append(entry)
    single = parts["single"]
    shown = single if most is None else single[:most]
    rest = single[len(shown) :]
    more = [entry for entry in rest if entry.kind != "matches less"]
    less = [entry for entry in rest if entry.kind == "matches less"]
    word = " rules" if more and more[0].kind else ""
    groups = [
        (more, f"{len(more)} more{word}"),
        *(
            (own, _less(own))
            for own in (
                [entry for entry in less if explanation.contribution(entry) > 0],
                [entry for entry in less if explanation.contribution(entry) <= 0],
            )
        ),
    ]
    # One rule alone is told as it is.
    others = [own[0] if len(own) == 1 else Entry.together(own, text) for own, text in groups if own]
    texts = {
        "neutral": ("rule about other classes", "rules about other classes"),
        "nothing": ("rule that says nothing", "rules that say nothing"),
        "absent": ("expert's rule without a match", "experts' rules without a match"),
        "silent": ("rule that asks for missing values", "rules that ask for missing values"),
    }
    idle = [
        Entry.together(parts[name], counted(len(parts[name]), *words))
        for name, words in texts.items()
        if parts[name]
    ]
    return [*parts["first"], *shown, *others, *idle]


def _less(entries: list[Entry]) -> str:
    """Say of rules that match less than neutral what they are for, and that they do not hold."""
    if not entries:
        return ""
    aims = sorted({entry.aim for entry in entries})
    aim = f" {aims[0]}" if len(aims) == 1 else ""
    how = "do not hold" if all(entry.fails for entry in entries) else LITTLE
    return f"{len(entries)} rules{aim} {how}"


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
    if not entry.amounts.any():
        return IDLE.get(entry.kind, "nothing")
    return "neutral" if explanation.contribution(entry) == 0 else "single"
