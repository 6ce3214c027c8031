"""Training data in files."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzyucs._util.optional import import_pyarrow
from fuzzyucs._util.sizes import size_text
from fuzzyucs.variables.batches import Batches, is_source

__all__ = ["batches_of", "bytes_needed", "fits_in_memory", "in_memory"]

COPIES = 2  # of a table, which training in memory takes about


def batches_of(X: Any, y: Any, sample_weight: Any) -> Batches:
    """Open a file with training data.

    Parameters
    ----------
    X : path, pyarrow.dataset.Dataset or Batches
        The file.
    y : str
        The column that holds classes.
    sample_weight : str or None
        The column that holds how much each row counts.

    Returns
    -------
    Batches
    """
    for parameter, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None and not isinstance(value, str):
            raise ValueError(
                f"{parameter} must name a column if X is a file, got {type(value).__name__}"
            )
    batches = Batches(X, y, sample_weight)
    if batches.target is None:
        raise ValueError(f"y must name the column of {batches.name} that holds the class, got None")
    return batches


def bytes_needed(batches: Batches) -> int:
    """Return about how much memory training in memory takes."""
    return COPIES * batches.n_rows * batches.row_bytes()


def fits_in_memory(batches: Batches) -> bool:
    """Tell whether training in memory takes no more of it than allowed."""
    return batches.memory is None or bytes_needed(batches) <= batches.memory


def in_memory(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Read training data that are not in memory; leave all others as they are.

    Parameters
    ----------
    X : path, pyarrow.dataset.Dataset, Batches or array-like
        Training data.
    y : str or array-like
        The column of a file that holds classes.
    sample_weight : str, array-like or None
        The column of a file that holds how much each row counts.

    Returns
    -------
    X, y, sample_weight
        A table of Arrow, labels and weights.

    Raises
    ------
    ValueError
        If training would need more than the ``memory`` of `Batches`.
    """
    if not is_source(X):
        return X, y, sample_weight
    batches = batches_of(X, y, sample_weight)
    if not fits_in_memory(batches):
        raise ValueError(
            f"memory: training on the {batches.n_rows:,} rows of {batches.name} would take about "
            f"{size_text(bytes_needed(batches))}, but only {size_text(batches.memory or 0)} are "
            "allowed; allow more, drop columns or take a part of the rows"
        )
    if not batches.n_rows:
        raise ValueError(f"{batches.name} has no rows")
    others = [n for n in (batches.target, batches.sample_weight) if n is not None]
    frames, labels, weights, first = [], [], [], 0
    for frame in batches.frames([*batches.names, *others]):
        frames.append(frame.select(batches.names))
        labels.append(batches.labels(frame, first))
        weights.append(batches.weights(frame))
        first += len(frame)
    return (
        import_pyarrow().Table.from_batches(frames),
        np.concatenate([part for part in labels if part is not None]),
        None
        if batches.sample_weight is None
        else np.concatenate([w for w in weights if w is not None]),
    )
