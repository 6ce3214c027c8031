"""ClusterMember: the rows of one machine of a cluster, and its share of what all machines do.

All members do the same. Where one needs a sum over all rows, it sends its own to all others, and
goes on when it has those of all of them. Members talk to each other as workers of Dask do.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from distributed import get_worker
from distributed.protocol.serialize import to_serialize
from numpy.typing import NDArray

from fuzzyucs._util.memory import keeps_memory
from fuzzyucs.estimators.parts import Part, Whole

__all__ = ["ClusterMember", "Order", "Outcome", "Place"]

Sums = NDArray[np.int64]


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


class Order(NamedTuple):
    """What all members are to do.

    Attributes
    ----------
    number : int
        Another one for each order.
    name : str
        The name of a method.
    arguments : tuple
        Its arguments.
    """

    number: int
    name: str
    arguments: tuple[Any, ...]


class Outcome(NamedTuple):
    """What a member found.

    Attributes
    ----------
    result : object
        The same on all machines; None if another one tells it.
    n_messages, n_bytes : int
        How many sums were taken over all rows, and how many bytes it sent to each other member for
        them.
    """

    result: Any
    n_messages: int
    n_bytes: int


class Exchange:
    """Sums of all members, from which each takes the totals.

    The thread that works calls `add_others`; everything else happens in the event loop of the
    worker.
    """

    def __init__(self) -> None:
        self.n_messages = self.n_bytes = 0
        self._n_order = 0
        self._others: Sequence[Place] = ()
        self._totals: SimpleQueue[Sums | Exception] = SimpleQueue()
        self._open: dict[tuple[int, int], list[Sums]] = {}  # by order and message
        self._sending: set[asyncio.Task[None]] = set()

    def begin(self, n_order: int, others: Sequence[Place]) -> None:
        """Prepare for an order."""
        self._n_order, self._others = n_order, others
        self._loop, self._rpc = asyncio.get_running_loop(), get_worker().rpc
        self.n_messages = self.n_bytes = 0

    def add_others(self, sums: Sums) -> Sums:
        """Return sums over all rows, from those of one machine."""
        number = self._n_order, self.n_messages
        self.n_messages += 1
        self.n_bytes += sums.nbytes
        # A copy: others may get it when these are changed already.
        self._loop.call_soon_threadsafe(self._send, number, sums.copy())
        total = self._totals.get()
        if isinstance(total, Exception):
            raise total
        return total

    def receive(self, number: tuple[int, int], sums: Sums) -> None:
        """Take the sums of a member; others may be further than this one."""
        received = self._open.setdefault(number, [])
        received.append(sums)
        # Before an order arrives here, nobody knows how many others there are.
        if number[0] == self._n_order and len(received) > len(self._others):
            self._totals.put(_total(self._open.pop(number)))

    def stop(self, why: Exception | None = None) -> None:
        """Let the thread that works give up when it needs a sum."""
        self._totals.put(why or ConnectionError("a worker or the client is gone"))

    def _send(self, number: tuple[int, int], sums: Sums) -> None:
        for place in self._others:
            task = self._loop.create_task(self._send_to(place, number, sums))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        self.receive(number, sums)

    async def _send_to(self, place: Place, number: tuple[int, int], sums: Sums) -> None:
        sent = to_serialize(sums)  # type: ignore[no-untyped-call]
        try:
            await self._rpc(place.address).actor_execute(
                actor=place.key, function="receive", args=[*number, sent]
            )
        except (OSError, KeyError):  # gone, or begun anew at the same address
            self.stop()
        except Exception as problem:  # or else the thread would wait forever
            self.stop(problem)


def _total(sums: Sequence[Sums]) -> Sums | Exception:
    """Add up the sums of all members, or tell why that cannot be."""
    if len({len(own) for own in sums}) > 1:
        return RuntimeError("workers ask for different sums")
    total = sums[0].copy()
    for own in sums[1:]:
        total += own
    return total


class ClusterMember:
    """The rows of one machine: an actor of Dask, which does what the client tells all machines.

    Parameters
    ----------
    parts : sequence of Part
        The partitions that are its own.
    whole : Whole
        What it has to know of all rows.
    """

    @keeps_memory
    def __init__(self, parts: Sequence[Part], whole: Whole) -> None:
        self._exchange = Exchange()
        sharing = whole.sharing(self._exchange.add_others)
        self._data = whole.data(Part.joined(parts), sharing)
        self._search: Any = None

    async def run(self, order: Order, others: Sequence[Place], tells: bool) -> Outcome:
        """Do something together with all other members; one of them tells the result."""
        self._exchange.begin(order.number, others)
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        threading.Thread(
            target=_work,
            args=(done, getattr(self, order.name), order.arguments),
            name=f"fuzzyucs {order.name}",
            daemon=True,
        ).start()
        result = await done
        exchange = self._exchange
        return Outcome(result if tells else None, exchange.n_messages, exchange.n_bytes)

    async def receive(self, n_order: int, n_message: int, sums: Sums) -> None:
        """Take the sums of another member."""
        self._exchange.receive((n_order, n_message), sums)

    async def stop(self) -> None:
        """Give up what it does as soon as it needs a sum over all rows."""
        self._exchange.stop()

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

    def __del__(self) -> None:
        self._exchange.stop()  # a thread that waits would wait forever


@keeps_memory
def _work(done: asyncio.Future[Any], work: Any, arguments: Sequence[Any]) -> None:
    loop = done.get_loop()
    try:
        loop.call_soon_threadsafe(_set, done, work(*arguments), None)
    except BaseException as error:
        loop.call_soon_threadsafe(_set, done, None, error)


def _set(done: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if done.done():  # the client is gone
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
