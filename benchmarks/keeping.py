"""Results that are kept as they come, so that a benchmark may be stopped and continued later."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from rich.progress import track

Row = dict[str, Any]


def run_missing(
    store: Path,
    jobs: Sequence[tuple[Any, ...]],
    names: Sequence[str],
    measure: Callable[..., Row],
    n_jobs: int,
) -> list[Row]:
    """Run the jobs whose results the store lacks, and return the results of all jobs.

    Parameters
    ----------
    store : Path
        A line of JSON for each finished job.
    jobs : sequence of tuple
        Arguments of `measure`.
    names : sequence of str
        What the arguments are called in a result.
    measure : callable
        Returns the result of a job.
    n_jobs : int
        Number of processes.
    """
    done = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    results = {tuple(row[name] for name in names): row for row in done}
    missing = [job for job in jobs if job not in results]
    parallel = Parallel(n_jobs, return_as="generator_unordered")
    with store.open("a") as file:
        rows = parallel(delayed(measure)(*job) for job in missing)
        for row in track(rows, "runs", total=len(missing)):
            print(json.dumps(row), file=file, flush=True)
            results[tuple(row[name] for name in names)] = row
    return [results[job] for job in jobs]
