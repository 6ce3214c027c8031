"""FileRows: training data in a file that is read in batches, and sums over all its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.parts import Part, Whole
from fuzzyucs.estimators.row_sample import Hashes, LeftOut, RowSample, RowSketch
from fuzzyucs.estimators.rows_elsewhere import RowsElsewhere
from fuzzyucs.estimators.searching import SearchStage
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.variables.batches import Batches
from fuzzyucs.variables.frames import Columns

__all__ = ["FileRows", "parts_of"]

CHUNK = 2**16  # rows that are looked at together

Array = NDArray[np.float64]


def parts_of(batches: Batches, columns: Columns) -> Iterator[Part]:
    """Read the rows of a file that count, about `CHUNK` at a time.

    Parameters
    ----------
    batches : Batches
        The file.
    columns : Columns
        What its columns hold.

    Yields
    ------
    Part
    """
    waiting: list[Part] = []
    n_waiting = n_read = 0
    for batch in batches.tables(columns):
        if batch.table.has_infinity:
            raise ValueError(f"{batches.name} contains infinity")
        n = len(batch.table)
        weight = np.ones(n) if batch.weights is None else batch.weights
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise ValueError(
                f"{batches.name}: column {batches.sample_weight!r} must hold finite sample weights "
                f"from 0 on, but one of the {n} rows from row {n_read} on has none"
            )
        n_read += n
        labels = np.asarray(batch.labels)
        waiting.append(Part(batch.table, labels, weight).that_count())
        n_waiting += len(waiting[-1].y)
        if n_waiting >= CHUNK:
            yield Part.joined(waiting)
            waiting, n_waiting = [], 0
    if n_waiting:
        yield Part.joined(waiting)


class FileRows(RowsElsewhere):
    """All rows of a file, with the methods of `TrainingData`.

    Rules grow in some of the rows, as many as memory allows, and are fitted to them; which rows
    follows from their values. Everything that is counted is counted in all rows, which are read for
    it.

    Parameters
    ----------
    batches : Batches
        The file.
    columns : Columns
        What its columns hold.
    whole : Whole
        What is to be known of all rows.
    most_rows : int
        How many different rows there is memory for.
    """

    def __init__(self, batches: Batches, columns: Columns, whole: Whole, most_rows: int) -> None:
        super().__init__(whole)
        self.batches, self.columns = batches, columns
        self.most_rows = most_rows

    def sample(self) -> RowSample:
        """Return rows that stand for all."""
        sketch = self._sketch()
        found = sketch.sample(self.count_copies)
        self._some = sketch.training_rows()
        return found

    def _sketch(self) -> RowSketch:
        sketch: RowSketch | None = None
        for part in parts_of(self.batches, self.columns):
            data = self.whole.data(part)
            greatest = None if sketch is None else sketch.greatest
            own = RowSketch.of(data, self.most_rows, greatest)
            sketch = own if sketch is None else RowSketch.merged([sketch, own])
        if sketch is None:
            raise ValueError(f"{self.batches.name} has no rows that count")
        return sketch

    @property
    def n_grown(self) -> int:
        """Number of different rows that rules grow in."""
        return len(self._some[1])

    @property
    def _share(self) -> float:
        """Share of all weight that these rows have."""
        share = self._some[0].sample_weight.sum() / self.class_weight.sum()
        return float(min(share, 1.0))

    @cached_property
    def _some(self) -> tuple[TrainingData, Hashes]:
        return self._sketch().training_rows()

    def fit_profiles(self, *arguments: Any) -> Array:
        """Do the same as `TrainingData.fit_profiles` with the rows that rules grew in."""
        about: Any = (*arguments[:-1], arguments[-1] * self._share)
        return self._some[0].fit_profiles(*about)

    def begin(self, features: Any, numbers: Any, left_out: LeftOut, settings: Any) -> Any:
        """Begin to grow rules, with the arguments of `TrainingData.begin`."""
        data, hashes = self._some
        rows = data.take(left_out.others(hashes))
        return rows.begin(features, numbers, LeftOut(None, hashes[:0]), settings)

    def advance(self, search: _core.RuleGrowth, stage: SearchStage) -> None:
        """Grow rules with a lower penalty, and fit their profiles."""
        data = self._some[0]
        data.advance(search, replace(stage, tolerance=stage.tolerance * self._share))

    def state(self, search: _core.RuleGrowth) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        return search.state()

    def go_on(self, search: _core.RuleGrowth, state: tuple[Any, ...]) -> None:
        """Go on with a new search where another one was."""
        search.go_on_from(*state)

    def _sum(self, name: str, *arguments: Any) -> Any:
        """Return what a method of `TrainingData` says of all rows, which are read part by part.

        To each part, the parts before it are other machines.
        """
        totals: list[NDArray[np.int64]] = []

        def add_others(sums: NDArray[np.int64]) -> NDArray[np.int64]:
            total = sums + totals.pop() if totals else sums
            totals.append(total)
            return total

        found = None
        sharing = self.whole.sharing(add_others)
        for part in parts_of(self.batches, self.columns):
            asked = getattr(self.whole.data(part, sharing), name)
            found = asked(*arguments) if callable(asked) else asked
        return found
