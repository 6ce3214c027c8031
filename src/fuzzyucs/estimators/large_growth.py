"""Growth of rules in a large table, of which a sample tells what terms and penalty to take."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from fuzzyucs.estimators.growth import LEAST_PARTS, Growth, Search
from fuzzyucs.estimators.row_sample import LeftOut, RowSample
from fuzzyucs.estimators.searching import SearchSettings, SearchStage
from fuzzyucs.estimators.training import Rows
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.codes import Codes, FineTerms, encode

__all__ = ["LargeGrowth"]


class LargeGrowth(Growth):
    """Rules grown in all rows but some that are held out.

    Parameters
    ----------
    everything : TrainingData or another object with its methods
        All rows.
    sample : RowSample
        Rows that stand for them.
    fine, settings
        As of `Growth`.
    constraints : Constraints, optional
        What rules have to keep to.
    """

    def __init__(
        self,
        everything: Any,
        sample: RowSample,
        fine: FineTerms,
        settings: SearchSettings,
        constraints: Constraints | None = None,
    ) -> None:
        super().__init__(sample.held_out, fine, settings, constraints)
        self.everything = everything
        self.sample = sample

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.everything.n_rows)

    @cached_property
    def codes(self) -> Codes:
        """The rows that are held out: a row for each usable feature."""
        columns = [self.data.table.columns[number] for number in self.usable.tolist()]
        pairs = zip(self.usable_features, columns, strict=True)
        return np.stack([encode(feature.variable, column) for feature, column in pairs])

    def folds(self) -> list[tuple[Any, Rows]]:
        """Hold out the same rows once."""
        return [(self.sample.left_out, np.arange(len(self.data.labels)))]

    def begin(self, rows: Any) -> Search | None:
        """Begin to grow rules in all rows but those that are left out."""
        if not len(self.usable):
            return None
        search: Search = self.everything.begin(
            self.usable_features, self.usable, rows, self.settings
        )
        return search

    def parts(self, n_models: int) -> list[Any]:
        """Return what each of several models leaves out; of one, nothing."""
        nothing = LeftOut(None, self.sample.left_out.kept)
        if n_models == 1:
            return [nothing]
        n_parts = max(n_models, LEAST_PARTS)
        return [replace(nothing, part=part, n_parts=n_parts) for part in range(n_models)]

    def _advance(self, search: Any, stage: SearchStage) -> None:
        self.everything.advance(search, stage)

    def state(self, search: Any) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        found: tuple[Any, ...] = self.everything.state(search)
        return found

    def go_on(self, search: Any, state: tuple[Any, ...]) -> None:
        """Go on with a search where another one was."""
        self.everything.go_on(search, state)
