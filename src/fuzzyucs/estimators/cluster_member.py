"""ClusterMember: the rows of one machine of a cluster, and its share of what all machines do.

One member leads: it tells the others what to do, adds up the sums that all of them report, and
tells them the totals. Members talk to each other as workers of Dask do; the client hears of what
they found.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from distributed import get_worker
from distributed.protocol.serialize import to_serialize
from numpy.typing import NDArray

from fuzzyucs._util.memory import keeps_memory
from fuzzyucs.estimators.parts import Part, Whole

__all__ = ["ClusterMember", "Outcome", "Place", "Report", "total_of"]

Sums = NDArray[np.int64]


class Report(NamedTuple):
    """What a machine says when it stops: that it needs sums over all rows, or that it is done.

    Attributes
    ----------
    sums : ndarray or None
        Sums over its own rows; None if it is done.
    result : object
        What it found, which is the same on all machines; the one that leads says it.
    error : BaseException or None
        What made it give up.
    """

    sums: Sums | None
    result: Any = None
    error: BaseException | None = None


class Place(NamedTuple):
    """Where a member is.

    Attributes
    ----------
    address : str
        The address of its worker.
    key : str
        By which the worker knows it.
    """

    address: str
    key: str


class Outcome(NamedTuple):
    """What all machines did together.

    Attributes
    ----------
    result : object
        What they found.
    n_messages, n_bytes : int
        How many sums were taken over all rows, and how many bytes one machine sent for them.
    """

    result: Any
    n_messages: int
    n_bytes: int


class _Channel:
    """Between the thread that works and the event loop, which talks to the client."""

    def __init__(self) -> None:
        self.totals: SimpleQueue[Sums | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._report: asyncio.Future[Report] | None = None

    def expect(self) -> asyncio.Future[Report]:
        """Return the next report, which may be waited for."""
        self._loop = asyncio.get_running_loop()
        self._report = self._loop.create_future()
        return self._report

    def report(self, report: Report) -> None:
        """Report from the thread that works."""
        if self._loop is None or self._report is None:
            raise RuntimeError("nobody waits for a report")
        self._loop.call_soon_threadsafe(_set, self._report, report)

    def add_others(self, sums: Sums) -> Sums:
        """Report sums, and wait for those over all rows."""
        self.report(Report(sums))
        if (total := self.totals.get()) is None:
            raise ConnectionError("the client is gone")
        return total


def _set(future: asyncio.Future[Report], report: Report) -> None:
    if not future.done():  # the client may be gone
        future.set_result(report)


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

    @keeps_memory
    def __init__(self, parts: Sequence[Part], whole: Whole) -> None:
        self._channel = _Channel()
        sharing = whole.sharing(self._channel.add_others)
        self._data = whole.data(Part.joined(parts), sharing)
        self._search: Any = None

    async def lead(self, others: Sequence[Place], name: str, *arguments: Any) -> Outcome:
        """Do something together with all other members, by the name of a method."""
        n_messages = n_bytes = 0
        own, *reports = await _all(
            self.run(name, arguments, leads=True),
            [_tell(place, "run", name, arguments) for place in others],
        )
        while own.sums is not None:
            total = total_of([own, *reports])
            n_messages, n_bytes = n_messages + 1, n_bytes + total.nbytes
            own, *reports = await _all(
                self.proceed(total), [_tell(place, "proceed", total) for place in others]
            )
        return Outcome(own.result, n_messages, n_bytes)

    async def run(self, name: str, arguments: Sequence[Any], leads: bool = False) -> Report:
        """Begin to do something; return the first report."""
        report = self._channel.expect()
        thread = threading.Thread(
            target=_work,
            args=(self._channel, getattr(self, name), arguments, leads),
            name=f"fuzzyucs {name}",
            daemon=True,
        )
        thread.start()
        return await report

    async def proceed(self, total: Sums) -> Report:
        """Go on with sums over all rows; return the next report."""
        report = self._channel.expect()
        self._channel.totals.put(total)
        return await report

    def sums(self, name: str, *arguments: Any) -> Any:
        """Return sums over all rows, by the name of a method of `TrainingData`."""
        found = getattr(self._data, name)
        return found(*arguments) if callable(found) else found

    def begin(self, state: tuple[Any, ...] | None, *arguments: Any) -> None:
        """Begin to grow rules, or go on from a state."""
        self._search = None  # its memory first
        self._search = self._data.begin(*arguments)
        if state is not None:
            self._search.go_on_from(*state)

    def advance(self, stage: Any) -> tuple[Any, ...]:
        """Grow rules with a lower penalty; return them, and what it takes to go on."""
        self._data.advance(self._search, stage)
        return self._search.rules(), self._search.state()

    def scores(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return what the rules say about other rows."""
        found: NDArray[np.float64] = self._search.scores(codes)
        return found

    async def stop(self) -> None:
        """Give up what it does as soon as it needs a sum over all rows."""
        self._channel.totals.put(None)

    def __del__(self) -> None:
        self._channel.totals.put(None)  # a thread that waits would wait forever


def total_of(reports: Sequence[Report]) -> Sums:
    """Add up the sums of all members.

    Parameters
    ----------
    reports : sequence of Report
        What they say.

    Returns
    -------
    ndarray
    """
    sums = [report.sums for report in reports if report.sums is not None]
    if len(sums) < len(reports) or len({len(own) for own in sums}) > 1:
        raise RuntimeError("workers ask for different sums")
    total = sums[0].copy()
    for own in sums[1:]:
        total += own
    return total


async def _all(own: Awaitable[Report], others: Sequence[Awaitable[Report]]) -> list[Report]:
    """Wait for reports; others begin, since they are farther away."""
    *reports, first = await asyncio.gather(*others, own)
    for report in (first, *reports):
        if report.error is not None:
            raise report.error
    return [first, *reports]


async def _tell(place: Place, name: str, *arguments: Any) -> Report:
    """Let another member do something, by the name of a method."""
    sent = [to_serialize(each) for each in arguments]  # type: ignore[no-untyped-call]
    worker = get_worker().rpc(place.address)
    try:
        answer = await worker.actor_execute(actor=place.key, function=name, args=sent)
    except (OSError, KeyError) as problem:  # a worker that began anew at the same address
        raise ConnectionError(f"the worker at {place.address} is gone") from problem
    if answer["status"] != "OK":
        raise answer["exception"]
    report: Report = answer["result"]
    return report


@keeps_memory
def _work(channel: _Channel, work: Any, arguments: Sequence[Any], leads: bool) -> None:
    try:
        found = work(*arguments)
        report = Report(None, found if leads else None)
    except BaseException as error:
        report = Report(None, error=error)
    channel.report(report)
