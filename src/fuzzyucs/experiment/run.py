"""Run jobs on the cores of this machine or on a Dask cluster, and store their outcomes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import Any

import joblib
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit

from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.outcome import Outcome
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS, settings_of

__all__ = ["run", "run_job", "split"]

Result = tuple[Outcome, dict[str, NDArray[Any]]] | str
Listener = Callable[[int, int, Job, Result], object]
Arrays = tuple[NDArray[Any], NDArray[Any]]


def split(X: NDArray[Any], y: NDArray[Any], seed: int) -> tuple[Arrays, Arrays]:
    """Split a table as in the article: 90 % training data, 10 % test data.

    Parameters
    ----------
    X, y : ndarray
        Table and classes.
    seed : int
        Number of the split.

    Returns
    -------
    train, test : pairs of arrays

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.run import split
    >>> (_, y_train), (_, y_test) = split(np.zeros((50, 2)), np.arange(50), seed=0)
    >>> len(y_train), len(y_test)
    (45, 5)
    """
    train, test = next(ShuffleSplit(1, test_size=0.1, random_state=seed).split(X))
    return (X[train], y[train]), (X[test], y[test])


def run_job(job: Job, data_dir: str | None = None) -> tuple[Outcome, dict[str, NDArray[Any]]]:
    """Run one job: train on the training split, predict both.

    Parameters
    ----------
    job : Job
    data_dir : str, optional
        Folder of the article's data; by default what ``FUZZYUCS_DATA`` says.

    Returns
    -------
    outcome : Outcome
    truth : dict
        True classes of both splits.
    """
    system = SYSTEMS[job.system]
    if system.version is None:
        raise ModuleNotFoundError(f"{system.package} is not installed")
    (X, y), (X_test, y_test) = split(*load(job.dataset, data_dir), job.seed)
    tables = {"train": X, "test": X_test}
    outcome = system.run(X, y, tables, job.seed, settings_of(job))
    return outcome, {"train": y, "test": y_test}


def _try(job: Job, data_dir: str | None) -> tuple[Job, Any]:
    """Run a job; an error becomes text, because not every exception can be pickled."""
    try:
        return job, run_job(job, data_dir)
    except Exception as error:
        return job, "".join(traceback.format_exception_only(error)).strip()


def run(
    jobs: Iterable[Job],
    store: Store,
    *,
    data_dir: str | None = None,
    n_jobs: int = -1,
    scheduler: str | None = None,
    listener: Listener | None = None,
) -> int:
    """Run the jobs that the store does not have, and store each as soon as it is done.

    If a run is stopped, the store has all jobs that were done, and the next run does the others.

    Parameters
    ----------
    jobs : iterable of Job
    store : Store
    data_dir : str, optional
        Folder of the article's data.
    n_jobs : int
        Number of processes on this machine, -1 for all cores. With 1 all jobs run in this process,
        and a crash of a system in native code ends it.
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://...``), to use its workers instead.
    listener : callable, optional
        Called after each job with the number of jobs done, the number of jobs to do, the job, and
        its result: outcome and true classes, or the error as text.

    Returns
    -------
    int
        Number of jobs that failed.
    """
    todo = store.missing(jobs)
    unknown = {job.system for job in todo} - set(SYSTEMS)
    if unknown:
        raise ValueError(f"systems must be among {sorted(SYSTEMS)}, got {sorted(unknown)}")
    n_done = n_failed = 0
    with _backend(n_jobs, scheduler):
        for job, result in _results(todo, data_dir):
            error = result if isinstance(result, str) else None
            if error is None:
                outcome, truth = result
                store.add(job, outcome, truth, SYSTEMS[job.system].version)
            else:
                store.add_failure(job, error)
                n_failed += 1
            n_done += 1
            if listener is not None:
                listener(n_done, len(todo), job, result)
    return n_failed


def _results(jobs: list[Job], data_dir: str | None) -> Iterator[tuple[Job, Any]]:
    """Yield jobs with their results, as they are done.

    A system may crash its worker process (in native code, or for lack of memory). It is not known
    then which of the running jobs was the cause, so the next ones are run one by one.
    """
    left = dict.fromkeys(jobs)
    while left:
        try:
            for job, result in _parallel(list(left), data_dir):
                del left[job]
                yield job, result
        except Exception as error:
            if not _is_crash(error):
                raise
            for job in list(left)[: 2 * joblib.effective_n_jobs()]:
                try:
                    result = next(_parallel([job], data_dir))[1]
                except Exception as error:
                    if not _is_crash(error):
                        raise
                    result = f"{job.system} crashed its worker process"
                del left[job]
                yield job, result


def _is_crash(error: Exception) -> bool:
    """Tell whether a worker process ended, here or on a cluster."""
    distributed = sys.modules.get("distributed")
    on_cluster = distributed is not None and isinstance(error, distributed.KilledWorker)
    return on_cluster or isinstance(error, BrokenExecutor)


def _parallel(jobs: Iterable[Job], data_dir: str | None) -> Iterator[tuple[Job, Any]]:
    # Batches of one job: a crash would lose the finished jobs of a larger batch.
    parallel = joblib.Parallel(
        batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered"
    )
    results: Iterator[tuple[Job, Any]] = parallel(
        joblib.delayed(_try)(job, data_dir) for job in jobs
    )
    return results


@contextmanager
def _backend(n_jobs: int, scheduler: str | None) -> Iterator[None]:
    if scheduler is None:
        with joblib.parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
            yield
        return
    if not scheduler:  # for want of one, Dask would start a cluster
        raise ValueError(
            "scheduler must be the address of a Dask scheduler, such as tcp://10.0.0.1:8786, got "
            f"{scheduler!r}"
        )
    from distributed import Client

    with Client(scheduler, timeout="30s"), joblib.parallel_config("dask"):
        yield
