"""Where values lie among the terms of linguistic variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.variables.table import Table

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["Located", "ordered_terms", "positions", "stored_rows"]

Array = NDArray[np.float64]


def positions(partition: LinguisticPartition, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Locate values among the terms.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Values in the units of the training data.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        0 is where the first term is fully true, 1 the second, and so on. Values beyond the training
        range are clipped, a constant feature lies in the middle, and NaN stays NaN.
    """
    found = _core.locate(np.ascontiguousarray(X), *partition.ordered_terms)
    even = [feature for feature in range(partition.n_features) if feature not in partition.special]
    if even:
        found[:, even] = (partition.scale(X) * (partition.n_terms - 1.0))[:, even]
    for feature in np.flatnonzero(partition.is_nominal).tolist():
        found[:, feature] = partition.special[feature].positions(X[:, feature])
    return found


def stored_rows(partition: LinguisticPartition, table: Table) -> _core.StoredRows:
    """Prepare rows that are located among the terms whenever they are read.

    Parameters
    ----------
    table : Table
        Rows, which must not change.

    Returns
    -------
    StoredRows
        The native object, which a `RuleDegrees` takes in place of `positions`.
    """
    rows = _core.StoredRows(len(table))
    for feature, column in enumerate(table.columns):
        x, special = (column.values, column.is_coded), partition.special.get(feature)
        if special is None:
            ends = float(partition.minimum[feature]), float(partition.maximum[feature])
            rows.add_even(*x, *ends, int(partition.n_terms[feature]))
        elif special.is_nominal:
            terms = special.groups.astype(np.uint8)
            rows.add_nominal(*x, special.peaks, terms, special.takes_nearest)
        else:
            rows.add_ordered(*x, special.peaks, special.ends)
    return rows


def ordered_terms(
    partition: LinguisticPartition,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint32]]:
    """Peaks and ends that are neither even nor nominal, and where those of each feature begin."""
    ordered = {f: known for f, known in partition.special.items() if not known.is_nominal}
    sizes = [len(ordered[f].peaks) if f in ordered else 0 for f in range(partition.n_features)]
    peaks, ends = (
        np.concatenate([np.empty(0), *(getattr(ordered[f], name) for f in sorted(ordered))])
        for name in ("peaks", "ends")
    )
    return peaks, ends, np.cumsum([0, *sizes], dtype=np.uint32)


class Located:
    """Where the rows of a table lie among terms, for a block of them at a time.

    Parameters
    ----------
    table : Table
        The rows.
    positions : callable, optional
        What locates some rows; by default the table holds positions.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> from fuzzyucs.variables.locating import Located
    >>> from fuzzyucs.variables.table import Table
    >>> X = np.array([[0.0], [4.0], [8.0]])
    >>> located = Located(Table.of(X), LinguisticPartition.uniform(X, 3, ["size"]).positions)
    >>> [(rows, positions.ravel().tolist()) for rows, positions in located]
    [(slice(0, 3, None), [0.0, 1.0, 2.0])]
    """

    def __init__(self, table: Table, positions: Callable[[Array], Array] | None = None) -> None:
        self.table = table
        self._positions = positions

    @classmethod
    def of(cls, positions: Array | Located) -> Located:
        """Take positions that are known already."""
        return positions if isinstance(positions, Located) else cls(Table.of(positions))

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        for rows in self.table.blocks():
            values = self.table.rows(rows)
            yield rows, values if self._positions is None else self._positions(values)
