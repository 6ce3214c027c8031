"""What was missing or unknown in the cells of a table, counted piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.cli.tables.numbers import canonical
from fuzzyucs.cli.tables.wording import N_NAMED, short

__all__ = ["Tally"]


@dataclass
class Tally:
    """Counts of missing values and of categories that a model does not know.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    missing : dict of str to Counter
        How often each marker of missing values occurs, by column.
    unknown : dict of str to Counter
        How often each unknown category occurs, by column.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.cells import Cells
    >>> from fuzzyucs.cli.tables.tally import Tally
    >>> tally = Tally()
    >>> for texts in (["f", "?"], ["m", "?"]):
    ...     tally.add_rows(2, [Cells.of("sex", np.array(texts, dtype=object), markers=())])
    >>> tally.missing_notes()
    ["missing: 'sex' 2 (? 2)"]
    """

    n_rows: int = 0
    missing: dict[str, Counter[str]] = field(default_factory=dict)
    unknown: dict[str, Counter[str]] = field(default_factory=dict)

    def add_rows(self, n_rows: int, columns: Iterable[Cells]) -> None:
        """Count rows, and the missing values in their columns."""
        self.n_rows += n_rows
        for cells in columns:
            self.missing.setdefault(cells.name, Counter()).update(cells.missing)

    def add_unknown(self, cells: Cells, labels: Sequence[Any]) -> None:
        """Count the texts of a column that are none of the labels known."""
        known = set(map(str, labels))
        found = {
            text: count
            for text, count in cells.size.items()
            if text not in known and canonical(text) not in known
        }
        self.unknown.setdefault(cells.name, Counter()).update(found)

    def unknown_notes(self) -> list[str]:
        """Tell which categories a model does not know."""
        notes = []
        for name, counts in self.unknown.items():
            texts = [f"{short([text])} {count}" for text, count in counts.items()]
            if texts:
                shown = ", ".join(texts[:N_NAMED]) + (", ..." if len(texts) > N_NAMED else "")
                notes.append(f"unknown to the model, hence missing: {name!r} ({shown})")
        return notes

    def missing_notes(self) -> list[str]:
        """Tell which values are missing."""
        found = []
        for name, counts in self.missing.items():
            total = counts.total()
            if total == self.n_rows:
                found.append(f"{name!r} all")
            elif total:
                kinds = ", ".join(f"{short([t])} {count}" for t, count in counts.items())
                found.append(f"{name!r} {total} ({kinds})")
        return [f"missing: {', '.join(found)}"] if found else []
