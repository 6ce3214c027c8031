"""Clusters: training data that the workers of a Dask cluster hold in parts.

All workers take the same steps in the same order. Where a step needs a sum over all rows, each
worker sends its own to all others. Decisions follow from such sums, which are whole numbers, so
that all workers decide the same, and the same as one machine with all rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from distributed import Client, wait
from numpy.typing import NDArray

from fuzzyucs._util.memory import keeps_memory
from fuzzyucs.estimators.cluster_member import ClusterMember, Order, Outcome, Place
from fuzzyucs.estimators.parts import Part, Whole
from fuzzyucs.estimators.row_sample import RowSample, RowSketch, sketched
from fuzzyucs.estimators.rows_elsewhere import RowsElsewhere
from fuzzyucs.estimators.searching import SearchStage

__all__ = ["ClusterRows", "ClusterSearch"]

MOST_LOSSES = 10  # of workers, in one step
MERGED = 8  # sketches at a time
FETCHED = 2  # sketches, at most
PATIENCE = 600  # seconds to wait for another worker

Array = NDArray[np.float64]
Result = TypeVar("Result")


class ClusterSearch:
    """A search for rules in the rows of all machines.

    Parameters
    ----------
    rows : ClusterRows
        The rows.
    arguments : tuple
        By which a machine begins the search.
    """

    def __init__(self, rows: ClusterRows, arguments: tuple[Any, ...]) -> None:
        self.arguments = arguments
        self.state: tuple[Any, ...] | None = None  # after the last stage
        self.found: tuple[NDArray[np.uint64], Array, Array] | None = None  # by then
        self._rows = rows

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.rules()[0])

    def rules(self) -> tuple[NDArray[np.uint64], Array, Array]:
        """Return sets of terms, profiles and neutral degrees."""
        if self.found is None:
            raise RuntimeError("nothing has grown yet")
        return self.found

    def scores(self, codes: NDArray[np.uint8]) -> Array:
        """Return logarithms of odds of all classes for other rows."""
        return self._rows.scores(self, codes)


class Crew:
    """Machines that do the same at the same time.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.

    Attributes
    ----------
    actors : dict of Place and distributed.Actor
        A `ClusterMember` on each worker.
    n_messages, n_bytes : int
        How many sums were taken over all rows, and how many bytes each machine sent to each other
        one for them.
    """

    def __init__(self, client: Client) -> None:
        self.actors: dict[Place, Any] = {}
        self.n_messages = self.n_bytes = 0
        self._client = client
        self._n_orders = 0

    def run(self, name: str, *arguments: Any) -> Any:
        """Let all members do something, by name; return what they found."""
        self._n_orders += 1
        try:
            outcome = self._client.sync(self._run, Order(self._n_orders, name, arguments))
        except BaseException:
            self._stop()
            raise
        self.n_messages += outcome.n_messages
        self.n_bytes += outcome.n_bytes
        return outcome.result

    async def _run(self, order: Order) -> Outcome:
        first = next(iter(self.actors))
        calls = []
        for place, actor in self.actors.items():
            others = [other for other in self.actors if other != place]
            calls.append(_method(actor, "run")(order, others, place == first))
        outcomes: list[Outcome] = await asyncio.gather(*calls)
        return outcomes[0]

    def _stop(self) -> None:
        """Let members that are still at work give up."""
        for actor in self.actors.values():
            with suppress(ConnectionError):
                _method(actor, "stop")()


def _method(actor: Any, name: str) -> Callable[..., Any]:
    """Return a method of an actor."""
    try:
        found: Callable[..., Any] = getattr(actor, name)
    except RuntimeError as problem:  # as Dask says it
        raise ConnectionError("a worker is gone") from problem
    return found


class ClusterRows(RowsElsewhere):
    """The rows of all machines, with the methods of `TrainingData`.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    load : callable
        Returns futures of all partitions, each a `Part` with at least one row. It is called again
        if a worker is lost.
    whole : Whole
        What every machine has to know of all rows.
    """

    def __init__(self, client: Client, load: Callable[[], Sequence[Any]], whole: Whole) -> None:
        super().__init__(whole)
        self.client = client
        self._load = load
        self._parts: Sequence[Any] | None = load()
        self._search: ClusterSearch | None = None
        self._futures: dict[str, Any] = {}  # of members, by address
        self.crew = Crew(client)
        self.n_losses = 0

    def sample(self) -> RowSample:
        """Return rows that stand for all."""
        return self._sketch.sample(self.count_copies)

    @cached_property
    def _sketch(self) -> RowSketch:
        def look(greatest: int | None) -> RowSketch:
            parts = self._parts or self._load()
            about = {"whole": self.whole, "greatest": greatest}
            sketches = self.client.map(_sketch_of, parts, **about, pure=False)
            while len(sketches) > FETCHED:
                groups = [sketches[k : k + MERGED] for k in range(0, len(sketches), MERGED)]
                sketches = self.client.map(_merged, groups, pure=False)
            return RowSketch.merged(self.client.gather(sketches))

        return sketched(self.n_rows, look)

    def fit_profiles(self, *arguments: Any) -> Array:
        """Do the same as `TrainingData.fit_profiles`."""
        found: Array = self._sum("fit_profiles", *arguments)
        return found

    def begin(self, *arguments: Any) -> ClusterSearch:
        """Begin to grow rules, with the arguments of `TrainingData.begin`."""
        return ClusterSearch(self, arguments)

    def advance(self, search: ClusterSearch, stage: SearchStage) -> None:
        """Grow rules with a lower penalty, and fit their profiles.

        If a worker is lost, the stage begins again from what the one before left.
        """
        search.found, search.state = self._in(search, "advance", stage)
        self._show(stage, search.n_rules)

    def scores(self, search: ClusterSearch, codes: NDArray[np.uint8]) -> Array:
        """Return what the rules of a search say about other rows."""
        found: Array = self._in(search, "scores", codes)
        return found

    def state(self, search: ClusterSearch) -> tuple[Any, ...]:
        """Return what it takes to go on with a search."""
        if search.state is None:
            raise RuntimeError("nothing has grown yet")
        return search.state

    def go_on(self, search: ClusterSearch, state: tuple[Any, ...]) -> None:
        """Go on with a search where another one was."""
        search.state, self._search = state, None

    def close(self) -> None:
        """Let the workers forget their rows."""
        self._dismiss()
        self._parts = None

    def _in(self, search: ClusterSearch, name: str, *arguments: Any) -> Any:
        """Do something with a search, which begins anew if other workers have to do it."""

        def work() -> Any:
            if search is not self._search:
                self._together("begin", search.state, *search.arguments)
                self._search = search
            return self._together(name, *arguments)

        return self._with_replacements(work)

    def _sum(self, name: str, *arguments: Any) -> Any:
        return self._with_replacements(lambda: self._together("sums", name, *arguments))

    def _together(self, name: str, *arguments: Any) -> Any:
        """Let all machines do the same."""
        if not self.crew.actors:
            self.crew.actors = self._new_actors()
        return self.crew.run(name, *arguments)

    def _new_actors(self) -> dict[Place, Any]:
        """Let workers have the rows that are there."""
        parts = self._parts if self._parts is not None else self._load()
        wait(parts)
        own = _shared_out(parts, self.client)
        self._futures = {
            address: self.client.submit(
                ClusterMember, its, self.whole, workers=[address], actor=True, pure=False
            )
            for address, its in own.items()
            if its
        }
        actors = {
            Place(address, future.key): future.result() for address, future in self._futures.items()
        }
        self._parts = None  # members have what they need
        return actors

    def _with_replacements(self, work: Callable[[], Result]) -> Result:
        """Do something; if a worker is lost, do it again with others."""
        for _ in range(MOST_LOSSES):
            try:
                return work()
            except (OSError, TimeoutError) as problem:
                lost = problem
                self.n_losses += 1
                self._dismiss()
                self.client.wait_for_workers(1, timeout=PATIENCE)
        raise ConnectionError(f"lost a worker {MOST_LOSSES} times in one step") from lost

    def _dismiss(self) -> None:
        self.crew.actors = {}
        self.client.cancel(list(self._futures.values()))  # even if something refers to them
        self._futures, self._search = {}, None

    def _show(self, stage: SearchStage, n_rules: int) -> None:
        """Let a task with a telling name appear on the dashboard."""
        name = f"penalty {stage.penalty:.3g}, {n_rules} rules"
        self.client.submit(_nothing, key=(name, self.crew.n_messages), pure=False)


def _shared_out(parts: Sequence[Any], client: Client) -> dict[str, list[Any]]:
    """Return the partitions that each worker is to have: its own, but no more than its share."""
    own: dict[str, list[Any]] = {place: [] for place in sorted(client.nthreads())}
    most = -(-len(parts) // len(own))
    places = client.who_has(parts)
    left = []
    for part in parts:
        room = [place for place in places[part.key] if len(own.get(place, parts)) < most]
        if room:
            min((own[place] for place in sorted(room)), key=len).append(part)
        else:
            left.append(part)
    for part in left:
        min(own.values(), key=len).append(part)
    return own


@keeps_memory
def _sketch_of(part: Part, whole: Whole, greatest: int | None) -> RowSketch:
    return RowSketch.of(whole.data(part), None, greatest)


@keeps_memory
def _merged(sketches: Sequence[RowSketch]) -> RowSketch:
    return RowSketch.merged(sketches)


def _nothing() -> None:
    pass
