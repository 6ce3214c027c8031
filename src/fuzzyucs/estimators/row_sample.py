"""Row samples: some rows that stand for all, wherever and in whatever order these are.

What rows are in a sample follows from their values: those with the least hashes, with how many
copies they have. Samples of parts can be merged, so that machines need not show each other all
their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.table import Stored, Table

if TYPE_CHECKING:
    from fuzzyucs.estimators.training import TrainingData

__all__ = ["N_SAMPLED", "LeftOut", "RowSample", "RowSketch", "sketched"]

N_SAMPLED = 2**18  # different rows of a sample; tables without more rows need none
N_HELD_OUT = 2**15  # different rows that tell which penalty is best
ENOUGH = 1.05  # times as many rows as a sample has should have hashes up to some number
LEAST_LEFT = 8  # of so many sampled rows, one may be held out
FREQUENT = 1000  # a row is frequent if one of so many is its copy
FEW_VALUES = 256  # of a column: then a sample has all of them
GLIMPSE = 4096  # rows that tell at once that a column has more

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows that rules do not grow in.

    Parameters
    ----------
    greatest : int or None
        Rows with hashes up to that one are left out; None leaves out no row by this.
    kept : ndarray of shape (n,)
        Hashes, ascending, of rows that are not left out all the same.
    part, n_parts : int
        If there are several parts: rows of that part are left out, too.
    """

    greatest: int | None
    kept: Hashes
    part: int = 0
    n_parts: int = 1

    def others(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Tell which rows are not left out, by their hashes."""
        stays = np.ones(len(hashes), dtype=bool)
        if self.greatest is not None:
            stays &= hashes > np.uint64(self.greatest)
        if self.n_parts > 1:
            stays &= (hashes >> np.uint64(7)) % np.uint64(self.n_parts) != np.uint64(self.part)
        return stays | np.isin(hashes, self.kept)


@dataclass(frozen=True, eq=False)
class RowSketch:
    """Different rows that may get into a sample; sketches of parts can be merged.

    Attributes
    ----------
    rows : TrainingData
        The rows, by ascending hash.
    hashes : ndarray of shape (n,)
        Their hashes.
    copies : ndarray of shape (n,)
        How often each occurs, if it is one of those with the least hashes.
    may_be_frequent : ndarray of shape (n,)
        Whether it was frequent in a part.
    has_few : ndarray of shape (n_features,)
        Whether a column has no more than `FEW_VALUES` different values.
    n_rows : int
        Number of all rows.
    size : int
        How many rows with the least hashes it has, if there are as many.
    """

    rows: TrainingData
    hashes: Hashes
    copies: NDArray[np.int64]
    may_be_frequent: NDArray[np.bool_]
    has_few: NDArray[np.bool_]
    n_rows: int
    size: int

    @classmethod
    def of(
        cls, data: TrainingData, size: int | None = None, greatest: int | None = None
    ) -> RowSketch:
        """Look at the rows of one part, some at a time.

        Parameters
        ----------
        data : TrainingData
            The rows.
        size : int, optional
            How many rows with the least hashes to keep; by default `N_SAMPLED`.
        greatest : int, optional
            If rows with greater hashes are known not to be among these.
        """
        size = N_SAMPLED if size is None else size
        if (n := len(data.labels)) > 2 * size:
            starts = range(0, n, size)
            blocks = (data.take(np.arange(k, min(k + size, n))) for k in starts)
            return reduce(
                lambda a, b: cls.merged([a, b]), (cls.of(b, size, greatest) for b in blocks)
            )
        hashes, first, copies = np.unique(data.hashes, return_index=True, return_counts=True)
        frequent = copies * FREQUENT >= len(data.labels)
        has_few = np.array([_has_few(column) for column in data.table.columns])
        if greatest is not None:
            copies = np.where(hashes <= np.uint64(greatest), copies, 0)
        rows = data.take(first)
        return cls(rows, hashes, copies, frequent, has_few, len(data.labels), size)._pruned()

    @classmethod
    def merged(cls, parts: Sequence[RowSketch]) -> RowSketch:
        """Return what the sketch of all rows would be."""
        table = Table.joined([part.rows.table for part in parts])
        labels = np.concatenate([part.rows.labels for part in parts])
        weight = np.concatenate([part.rows.sample_weight for part in parts])
        rows = replace(parts[0].rows, table=table, labels=labels, sample_weight=weight)
        every = np.concatenate([part.hashes for part in parts])
        hashes, first, number = np.unique(every, return_index=True, return_inverse=True)
        copies = np.zeros(len(hashes), dtype=np.int64)
        np.add.at(copies, number, np.concatenate([part.copies for part in parts]))
        frequent = np.zeros(len(hashes), dtype=bool)
        np.logical_or.at(frequent, number, np.concatenate([p.may_be_frequent for p in parts]))
        has_few = np.all([part.has_few for part in parts], axis=0)
        n_rows, size = sum(part.n_rows for part in parts), parts[0].size
        return cls(rows.take(first), hashes, copies, frequent, has_few, n_rows, size)._pruned()

    def _pruned(self) -> RowSketch:
        """Leave out rows that are in no sample; copies of witnesses count as unknown."""
        is_sampled = (np.arange(len(self.hashes)) < self.size) & (self.copies > 0)
        kept, has_few = is_sampled | self.may_be_frequent, self.has_few.copy()
        for feature, column in enumerate(self.rows.table.columns):
            x = column.floats()
            known = np.flatnonzero(~np.isnan(x))
            if len(known):
                # Of equal values, the first: the row with the least hash.
                kept[known[[x[known].argmin(), x[known].argmax()]]] = True
            if has_few[feature]:
                values, first = np.unique(x[known], return_index=True)
                has_few[feature] = column.is_coded or len(values) <= FEW_VALUES
                kept[known[first]] |= has_few[feature]
        return RowSketch(
            self.rows.take(kept),
            self.hashes[kept],
            np.where(is_sampled | self.may_be_frequent, self.copies, 0)[kept],
            self.may_be_frequent[kept],
            has_few,
            self.n_rows,
            self.size,
        )

    def sample(self, count_copies: Callable[[Hashes], NDArray[np.int64]]) -> RowSample:
        """Return the sample of all rows.

        Parameters
        ----------
        count_copies : callable
            Tells how many of all rows have each of some hashes.
        """
        asked = np.flatnonzero(self.may_be_frequent)
        counted = count_copies(self.hashes[asked])
        copies, frequent = self.copies.copy(), np.zeros(len(self.hashes), dtype=bool)
        frequent[asked] = counted * FREQUENT >= self.n_rows
        copies[asked] = np.where(frequent[asked], counted, copies[asked])
        # Rows that were frequent in a part alone are in no sample for that.
        found = replace(self, copies=copies, may_be_frequent=frequent, size=N_SAMPLED)
        return found._pruned()._sample()

    @property
    def greatest(self) -> int | None:
        """Greatest hash of the rows that it keeps; None if there is room for more."""
        return int(self.hashes[self.size - 1]) if (self.copies > 0).sum() >= self.size else None

    def training_rows(self) -> tuple[TrainingData, Hashes]:
        """Return the rows with the least hashes, each with the weight of all its copies."""
        kept = np.arange(len(self.hashes)) < self.size
        kept &= self.copies > 0
        rows = self.rows.take(kept)
        weight = rows.sample_weight * self.copies[kept]
        return replace(rows, sample_weight=weight), self.hashes[kept]

    def _sample(self) -> RowSample:
        """Return the sample, if no other rows but frequent ones may be."""
        is_frequent = self.may_be_frequent
        is_sampled = np.arange(len(self.hashes)) < self.size
        copies = np.where(is_sampled | is_frequent, self.copies, 1)
        share = min(1.0, N_SAMPLED / int(copies.sum()))
        times = np.maximum(np.rint(copies * share), 1).astype(np.intp)
        repeated = np.repeat(np.arange(len(copies)), times)
        candidates = np.flatnonzero(is_sampled & ~is_frequent)
        held_out = candidates[: min(N_HELD_OUT, len(candidates) // LEAST_LEFT)]
        greatest = int(self.hashes[held_out[-1]]) if len(held_out) else None
        if greatest is None:  # so many copies that rules need not be tried on others
            held_out = np.flatnonzero(is_sampled)
        tried = self.rows.take(held_out)
        return RowSample(
            self.rows.take(repeated),
            replace(tried, sample_weight=tried.sample_weight * copies[held_out]),
            LeftOut(greatest, self.hashes[is_frequent]),
        )


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows that stand for all.

    Attributes
    ----------
    rows : TrainingData
        About as many copies of each row as it has among all rows, in proportion.
    held_out : TrainingData
        Different rows to try rules on, with the weights of all their copies.
    left_out : LeftOut
        These rows among all.
    """

    rows: TrainingData
    held_out: TrainingData
    left_out: LeftOut


def sketched(n_rows: int, sketch: Callable[[int | None], RowSketch]) -> RowSketch:
    """Make a sketch of many rows, most of which need no second look.

    Parameters
    ----------
    n_rows : int
        Number of all rows.
    sketch : callable
        Makes a sketch; gets the greatest hash that rows with the least may have, or None.

    Returns
    -------
    RowSketch
    """
    share = ENOUGH * N_SAMPLED / max(n_rows, 1)
    if share < 1:
        found = sketch(int(share * 2**64))
        if found.greatest is not None:
            return found
    return sketch(None)  # rows have so many copies that few of them differ


def _has_few(column: Stored) -> bool:
    """Tell whether a column may have few values; rows at the beginning may tell at once."""
    some = column.values[:GLIMPSE]
    return column.is_coded or len(np.unique(some)) <= FEW_VALUES + 1  # one may be missing
