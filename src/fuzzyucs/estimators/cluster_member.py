"""ClusterMember: the rows of one machine of a cluster, and its share of what all machines do."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.parts import Part, Whole
from fuzzyucs.estimators.sharing import Sharing

__all__ = ["ClusterMember", "Report"]

Sums = NDArray[np.int64]


class Report(NamedTuple):
    """What a machine says when it stops: that it needs sums over all rows, or that it is done.

    Attributes
    ----------
    sums : ndarray or None
        Sums over its own rows; None if it is done.
    error : BaseException or None
        What made it give up.
    """

    sums: Sums | None
    error: BaseException | None = None


class _Channel:
    """Between the thread that works and the one that talks to the client."""

    def __init__(self) -> None:
        self.reports: SimpleQueue[Report] = SimpleQueue()
        self.totals: SimpleQueue[Sums | None] = SimpleQueue()

    def add_others(self, sums: Sums) -> Sums:
        """Report sums, and wait for those over all rows."""
        self.reports.put(Report(sums))
        if (total := self.totals.get()) is None:
            raise ConnectionError("the client is gone")
        return total


class ClusterMember:
    """The rows of one machine: an actor of Dask, which does what the client tells all machines.

    All machines do the same. Where one needs a sum over all rows, it stops, reports its own sum,
    and goes on when it is given the whole one.

    Parameters
    ----------
    parts : sequence of Part
        The partitions that are its own.
    whole : Whole
        What it has to know of all rows.
    """

    def __init__(self, parts: Sequence[Part], whole: Whole) -> None:
        self._channel = _Channel()
        sharing = Sharing(whole.n_rows, whole.greatest_weight, self._channel.add_others)
        self._data = whole.data(Part.joined(parts), sharing)
        self._search: Any = None

    def run(self, name: str, *arguments: Any) -> Report:
        """Begin to do something; return the first report."""
        thread = threading.Thread(
            target=_work,
            args=(self._channel, getattr(self, name), arguments),
            name=f"fuzzyucs {name}",
            daemon=True,
        )
        thread.start()
        return self._channel.reports.get()

    def proceed(self, total: Sums) -> Report:
        """Go on with sums over all rows; return the next report."""
        self._channel.totals.put(total)
        return self._channel.reports.get()

    def sums(self, name: str, *arguments: Any) -> None:
        """Take part in sums over all rows, by the name of a method of `TrainingData`."""
        found = getattr(self._data, name)
        if callable(found):
            found(*arguments)

    def begin(self, state: tuple[Any, ...] | None, *arguments: Any) -> None:
        """Begin to grow rules, or go on from a state."""
        self._search = None  # its memory first
        self._search = self._data.begin(*arguments)
        if state is not None:
            self._search.go_on_from(*state)

    def advance(self, stage: Any) -> None:
        """Grow rules with a lower penalty."""
        self._data.advance(self._search, stage)

    def end(self) -> None:
        """Forget the search."""
        self._search = None

    def __del__(self) -> None:
        self._channel.totals.put(None)  # a thread that waits would wait forever


def _work(channel: _Channel, work: Any, arguments: tuple[Any, ...]) -> None:
    try:
        work(*arguments)
    except BaseException as error:
        channel.reports.put(Report(None, error))
    else:
        channel.reports.put(Report(None))
