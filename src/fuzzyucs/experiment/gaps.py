"""What a report lacks: tables, data sets, systems and runs that the store has no results for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd

from fuzzyucs.experiment.measured import Measured
from fuzzyucs.experiment.systems import SYSTEMS
from fuzzyucs.experiment.tables import TABLES, VARIANTS, datasets_of

__all__ = ["find_gaps"]

NAMED = 6
"""Longer lists of data sets are given as a number."""


def find_gaps(names: Iterable[str], measured: Iterable[Measured]) -> pd.DataFrame:
    """List what is missing from the tables of a report.

    Parameters
    ----------
    names : iterable of str
        The tables that were asked for (keys of `TABLES`).
    measured : iterable of Measured
        What the store has of them.

    Returns
    -------
    DataFrame
        Index: the tables that are not complete. Column ``missing``: what they lack.

    Examples
    --------
    >>> from fuzzyucs.experiment.gaps import find_gaps
    >>> print(find_gaps(["f1_10"], []).to_string(header=False))
    table
    f1_10  the whole table: no run of it in the store
    """
    found: dict[tuple[str, str], Measured] = {}
    for part in measured:
        found.setdefault((part.name, part.variant), part)  # all splits come from the same runs
    gaps = {}
    for name in names:
        gaps[name] = _gaps_of(name, found.get((name, "said")))
        if (name, "program") in found:
            gaps[f"{name}, {VARIANTS['program']}"] = _gaps_of(name, found[name, "program"])
    rows = [(name, "; ".join(gap)) for name, gap in gaps.items() if gap]
    return pd.DataFrame(rows, columns=["table", "missing"]).set_index("table")


def _gaps_of(name: str, part: Measured | None) -> list[str]:
    """Describe what one table lacks."""
    if part is None:
        return ["the whole table: no run of it in the store"]
    gaps = []
    datasets = datasets_of(name)
    absent = [dataset for dataset in datasets if dataset not in part.n_runs.index]
    if absent:
        gaps.append(_count("data set", absent, len(datasets)))
    unknown = [system for system in TABLES[name].columns if system not in part.n_runs]
    if unknown:
        gaps.append(f"all runs of {', '.join(map(partial(_with_reason, name), unknown))}")
    for system in part.n_runs:
        counts = part.n_runs[system]
        without = list(counts.index[counts == 0])
        if without:
            gaps.append(f"{system} on {_count('data set', without, len(counts))}")
    return gaps


def _with_reason(name: str, column: str) -> str:
    system = SYSTEMS[TABLES[name].columns[column].system]
    return column if system.version else f"{column} ({system.package} is not installed)"


def _count(noun: str, names: Sequence[str], total: int) -> str:
    listed = f" ({', '.join(names)})" if len(names) <= NAMED else ""
    return f"{len(names)} of {total} {noun}s{listed}"
