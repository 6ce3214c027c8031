"""Training on files that are read in batches, within a limit of memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.arrow_files import format_of
from fuzzyucs.variables.batches import Batches

__all__ = ["classes_in", "is_for_batches", "open_batches"]


def is_for_batches(data: str, memory: str | None) -> bool:
    """Tell whether a table is read in batches: if memory is limited, and whatever is no one file.

    Parameters
    ----------
    data : str
        The table; ``"-"`` is standard input.
    memory : str, optional
        Greatest memory.

    Returns
    -------
    bool
    """
    if data == "-":
        if memory is not None:
            raise ValueError("--memory: standard input is read as a whole; name a file")
        return False
    path = Path(data)
    if memory is not None and path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"--memory: {data} can be read only once, as a whole; name a file")
    is_arrow = path.is_dir() or (path.is_file() and format_of(path) == "ipc")
    return memory is not None or is_arrow


def open_batches(
    data: str, target: str, drop: Sequence[str], memory: str | None, **options: Any
) -> Batches:
    """Open a table to learn from.

    Parameters
    ----------
    data : str
        The table.
    target : str
        The column that holds the class.
    drop : sequence of str
        Columns to leave out.
    memory : str, optional
        Greatest memory.
    **options
        Options of tables that are read as a whole; batches have none of them.

    Returns
    -------
    Batches
    """
    for name, given in options.items():
        if given:
            raise ValueError(
                f"--{name.replace('_', '-')} is not for tables that are read in batches, as with "
                "--memory: Parquet says what its columns hold"
            )
    chosen = [name.strip() for entry in drop for name in entry.split(",")]
    return Batches(data, target, drop=chosen, memory=memory)


def classes_in(batches: Batches) -> NDArray[Any]:
    """Return the classes that occur in a table.

    Parameters
    ----------
    batches : Batches
        The table, with its target.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    found: list[NDArray[Any]] = []
    first = 0
    for frame in batches.frames([str(batches.target)]):
        labels = batches.labels(frame, first)
        assert labels is not None
        found = [np.unique(np.concatenate([*found, labels]))]
        first += len(frame)
    if not found:
        raise ValueError(f"{batches.name} has no rows")
    return found[0]
