"""Small Dask clusters of real processes, on the loopback interface alone."""

from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def cluster(n_workers=2, **options):
    """Yield a client of workers with one thread each."""
    with (
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
