"""Small Dask clusters of real processes, on the loopback interface alone."""

import multiprocessing
from contextlib import contextmanager
from functools import cache

import dask
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

METHOD = {"distributed.worker.multiprocessing-method": "forkserver"}
NEEDED = ["distributed", "dask.dataframe", "pandas", "fuzzyucs.estimators.cluster_training"]


@cache
def _keep_a_process_ready():
    """Let one process import what all workers need; they are copies of it."""
    with dask.config.set(METHOD):
        get_mp_context()  # Dask has a list of its own, which it makes but once
    multiprocessing.get_context("forkserver").set_forkserver_preload(NEEDED)


@contextmanager
def cluster(n_workers=2, **options):
    """Yield a client of workers with one thread each."""
    _keep_a_process_ready()
    with (
        dask.config.set(METHOD),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            **options,
        ) as workers,
        Client(workers) as client,
    ):
        yield client


def processes(client):
    """Return the numbers of the processes of all workers."""
    return [worker["pid"] for worker in client.run(_own_pid).values()]


def _own_pid():
    import os

    return {"pid": os.getpid()}
