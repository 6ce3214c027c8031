"""Machines that share rows, played by threads."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core

Sums = NDArray[np.int64]


class Hub:
    """Where machines meet: each brings sums over its rows and leaves with those over all."""

    def __init__(self, n_machines: int) -> None:
        self.brought: list[Sums] = [np.empty(0, dtype=np.int64)] * n_machines
        self.barrier = threading.Barrier(n_machines)
        self.n_messages = self.n_bytes = 0

    def door(self, machine: int) -> Callable[[Sums], Sums]:
        """Return the function by which a machine shares its sums."""

        def add_others(sums: Sums) -> Sums:
            self.brought[machine] = sums
            self.barrier.wait(60)
            total = np.sum(self.brought, axis=0)
            if machine == 0:
                self.n_messages += 1
                self.n_bytes += sums.nbytes
            self.barrier.wait(60)
            return total

        return add_others


def run_together(
    n_machines: int,
    n_rows: int,
    greatest_weight: float,
    work: Callable[[int, _core.SharedRows], Any],
) -> tuple[list[Any], Hub]:
    """Let machines do the same work with their rows; return what each found, and the hub."""
    hub = Hub(n_machines)

    def one(machine: int) -> Any:
        try:
            return work(machine, _core.SharedRows(n_rows, greatest_weight, hub.door(machine)))
        except BaseException:
            hub.barrier.abort()
            raise

    with ThreadPoolExecutor(n_machines) as pool:
        return list(pool.map(one, range(n_machines))), hub
