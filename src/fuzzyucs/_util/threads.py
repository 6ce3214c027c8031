"""Threads: how many a call may start, also inside of the tasks of a cluster."""

from __future__ import annotations

import os
import sys

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend

__all__ = ["granted_threads"]

VARIABLE = "OMP_NUM_THREADS"


def granted_threads(n_jobs: int | None) -> int:
    """Return how many threads of this process `n_jobs` means here.

    Threads share memory, so what joblib's backends for clusters (Dask, Ray) have elsewhere does not
    count. Inside of a task there are other tasks beside it: None is one thread then, and numbers
    are limited by the environment variable ``OMP_NUM_THREADS``, in which Dask, Ray and joblib
    tell their processes how many threads a task may have. In a task of Dask or Ray without that
    variable, it is one.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1, unless a context of joblib says otherwise; -1 is all cores, -2 all
        but one.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> from joblib import parallel_config
    >>> from fuzzyucs._util.threads import granted_threads
    >>> granted_threads(None), granted_threads(3)
    (1, 3)
    >>> with parallel_config(n_jobs=2):
    ...     granted_threads(None)
    2
    """
    backend, usual = get_active_backend()
    in_cluster = _in_task_of_dask() or _in_task_of_ray()
    # Backends of other packages spread work over other machines.
    is_local = type(backend).__module__ == "joblib._parallel_backends"
    if is_local and not in_cluster:
        wanted = int(effective_n_jobs(n_jobs))
    else:  # where joblib would count processes, which a task may not start
        wanted = _on_this_machine(usual if n_jobs is None and is_local else n_jobs)
    if not in_cluster and not getattr(backend, "nesting_level", 0):
        return wanted
    told = os.environ.get(VARIABLE, "")
    if told.isdecimal() and int(told) > 0:
        return min(wanted, int(told))
    return 1 if in_cluster else wanted


def _on_this_machine(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; None is one thread, and -1 all cores")
    return n_jobs if n_jobs > 0 else max(1, int(cpu_count()) + 1 + n_jobs)


def _in_task_of_dask() -> bool:
    """Tell whether a worker of Dask runs this thread's code, without an import of Dask."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except (AttributeError, ValueError):
        return False
    return True


def _in_task_of_ray() -> bool:
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return False
    return bool(ray.get_runtime_context().worker.mode == ray.WORKER_MODE)
