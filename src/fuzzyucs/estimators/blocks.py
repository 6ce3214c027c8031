"""Blocks of rows: what is done to each row of a large table is done to some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fuzzyucs._util.threads import granted_threads
from fuzzyucs.variables.table import Table

__all__ = ["Result", "in_blocks"]

MOST_VALUES = 2**17  # of a block, so that it stays in the cache
LEAST_ROWS = 256  # of a block, so that to begin one costs little beside the work

Result = TypeVar("Result")


def in_blocks(
    work: Callable[[NDArray[np.float64]], Result],
    table: Table | Iterable[Table],
    n_jobs: int | None = None,
) -> list[Result]:
    """Do something to blocks of rows.

    Parameters
    ----------
    work : callable
        What to do to some rows, as floats of 64 bits.
    table : Table or iterable of Table
        All rows; several tables one after the other.
    n_jobs : int, optional
        Number of threads, as in joblib.

    Returns
    -------
    list
        Results in the order of the rows; of a table without rows, one.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.blocks import in_blocks
    >>> from fuzzyucs.variables.table import Table
    >>> table = Table.of(np.ones((10_000, 30)))
    >>> [len(sums) for sums in in_blocks(lambda rows: rows.sum(axis=1), table)]
    [4369, 4369, 1262]
    """
    if not isinstance(table, Table):
        return [result for part in table for result in in_blocks(work, part, n_jobs)]
    step = max(LEAST_ROWS, MOST_VALUES // table.n_features)
    if len(table) <= step:
        return [work(table.rows())]
    found: list[Result] = Parallel(granted_threads(n_jobs), prefer="threads", require="sharedmem")(
        delayed(lambda rows: work(table.rows(rows)))(slice(first, first + step))
        for first in range(0, len(table), step)
    )
    return found
