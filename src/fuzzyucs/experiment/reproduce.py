"""Repeat the article's evaluation: select the jobs, run them, write the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fuzzyucs.experiment.data import EMBEDDED
from fuzzyucs.experiment.monitor import Monitor
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.report import write_report
from fuzzyucs.experiment.run import run
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS
from fuzzyucs.experiment.tables import RUNTIME, TABLES, VARIANTS, datasets_of, jobs_of

__all__ = ["choose_tables", "overview", "reproduce"]


def overview() -> str:
    """List all tables and systems.

    Examples
    --------
    >>> from fuzzyucs.experiment.reproduce import overview
    >>> print(overview())
    Tables:
      f1_10 ...
    Systems:
      fuzzyucs ...
    """
    lines = ["Tables:"]
    lines += [
        f"  {name:24} {f'table{table.number}' if table.number else '':9} {table.title}"
        for name, table in TABLES.items()
    ]
    lines += ["Systems:"]
    lines += [
        f"  {name:24} {system.package} {system.version or '(not installed)'}"
        for name, system in SYSTEMS.items()
    ]
    return "\n".join(lines)


def choose_tables(tables: Sequence[str] | None, epochs: int | None) -> list[str]:
    """Return the names of the tables that are asked for.

    Examples
    --------
    >>> from fuzzyucs.experiment.reproduce import choose_tables
    >>> choose_tables(["f1_10", "f1_50"], 10)
    ['f1_10']
    >>> choose_tables(["table6"], 5)  # the article's number
    ['idk_5', 'exact_idk_5']
    """
    numbers: dict[str, list[str]] = {f"table{RUNTIME}": ["acc_10", "acc_50"]}
    for name, table in TABLES.items():
        numbers.setdefault(f"table{table.number}" if table.number else name, []).append(name)
    _check_known("tables", tables, [*TABLES, *numbers])
    names = [name for key in tables or TABLES for name in numbers.get(key, [key])]
    chosen = [name for name in dict.fromkeys(names) if epochs in (None, TABLES[name].epochs)]
    if not chosen:
        raise ValueError(f"none of these tables is about {epochs} epochs")
    return chosen


def reproduce(
    *,
    folder: Path,
    tables: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    epochs: int | None = None,
    runs: int = 30,
    data_dir: str | None = None,
    embedded: bool = False,
    n_jobs: int = -1,
    scheduler: str | None = None,
    figures: bool = True,
    as_published: bool = False,
) -> int:
    """Run the jobs that are missing, and write the report.

    Parameters
    ----------
    folder : path
        Where the store and the report are.
    tables, datasets, systems : sequence of str, optional
        Only these.
    epochs : int, optional
        Only tables of so many epochs.
    runs : int
        Number of splits.
    data_dir : str, optional
        Folder of the article's data.
    embedded : bool
        Only data that need no folder.
    n_jobs : int
        Number of processes.
    scheduler : str, optional
        Address of a Dask scheduler.
    figures : bool
        Whether to draw figures.
    as_published : bool
        Whether to run UCS and Fuzzy-UCS a second time, as the article's program.

    Returns
    -------
    int
        1 if a job failed or a part of the report is lost to an error, else 0. Systems that are not
        installed are not run, unless they were asked for.
    """
    chosen = choose_tables(tables, epochs)
    # In the article's order.
    known = dict.fromkeys(dataset for name in TABLES for dataset in datasets_of(name))
    _check_known("datasets", datasets, known)
    _check_known("systems", systems, SYSTEMS)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"--output must name a folder, but {folder} is a file")
    if n_jobs == 0:
        raise ValueError("--jobs must be a number of processes, or -1 for all cores; got 0")
    if embedded:
        datasets = [name for name in datasets or EMBEDDED if name in EMBEDDED]
        data_dir = None
    variants = list(VARIANTS) if as_published else ["said"]
    jobs: list[Job] = [
        job
        for job in jobs_of(chosen, datasets, runs, variants)
        if systems is None or job.system in systems
    ]
    if not jobs:
        raise ValueError("nothing to do: no table has these data sets and systems")
    absent = {} if systems is not None else _not_installed(jobs)
    jobs = [job for job in jobs if job.system not in absent]
    folder.mkdir(parents=True, exist_ok=True)
    with Store(folder / "results.sqlite") as store:
        with Monitor(store.missing(jobs)) as monitor:
            n_failed = run(
                jobs, store, data_dir=data_dir, n_jobs=n_jobs, scheduler=scheduler, listener=monitor
            )
        paths, problems = write_report(
            store, folder, chosen, datasets, figures=figures, data_dir=data_dir
        )
        print(*paths, sep="\n")
        for system, package in absent.items():
            print(f"not run: {system}, because {package} is not installed (extra peers)")
        for job, error in store.failures().items():
            print(f"failed: {job.system} on {job.dataset}, run {job.seed}: {error}")
        for part, error in problems:
            print(f"not in the report: {part}: {error}")
    return 1 if n_failed or problems else 0


def _not_installed(jobs: Iterable[Job]) -> dict[str, str]:
    """Return the systems of jobs whose packages are missing, with these."""
    names = dict.fromkeys(job.system for job in jobs)
    return {name: SYSTEMS[name].package for name in names if SYSTEMS[name].version is None}


def _check_known(what: str, names: Sequence[str] | None, known: Iterable[str]) -> None:
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise ValueError(f"{what} must be among {', '.join(known)}; got {', '.join(unknown)}")
