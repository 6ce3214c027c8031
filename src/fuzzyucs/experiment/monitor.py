"""Progress of a run: remaining time, and a table of the jobs that are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fuzzyucs.experiment.metrics import accuracy
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.run import Result

__all__ = ["Monitor"]


class Monitor:
    """Show the progress of a run; give it to `run` as listener.

    A terminal shows a bar and a table that are redrawn, and stay at the end with the time that all
    took; other output gets a line for every tenth of the jobs.

    Parameters
    ----------
    jobs : iterable of Job
        The jobs of the run.
    console : rich.console.Console, optional
        Where to write; standard error by default.
    """

    def __init__(self, jobs: Iterable[Job], console: Console | None = None) -> None:
        self._total = Counter(job.system for job in jobs)
        self._done: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._scores: dict[tuple[str, str], list[float]] = {}
        self._console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("Runs"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=self._console,
        )
        self._task = self._progress.add_task("runs", total=sum(self._total.values()))
        self._live = Live(console=self._console, get_renderable=self._view)

    def __enter__(self) -> Monitor:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def __call__(self, n_done: int, n_jobs: int, job: Job, result: Result) -> None:
        """Record a job that is done."""
        self._done[job.system] += 1
        if isinstance(result, str):
            self._failed[job.system] += 1
        else:
            outcome, truth = result
            for (name, split), answer in outcome.answers.items():
                if split == "test":
                    score = accuracy(answer, truth[split])
                    self._scores.setdefault((job.system, name), []).append(score)
        self._progress.update(self._task, completed=n_done)
        tenth = n_done * 10 // n_jobs > (n_done - 1) * 10 // n_jobs
        if tenth and not self._console.is_terminal:
            left = self._progress.tasks[0].time_remaining
            rest = "" if left is None else f", {left:.0f} s left"
            self._console.print(f"{n_done} of {n_jobs} runs done{rest}")

    def _view(self) -> Group:
        table = Table("system", "done", "of", "failed", "mean test accuracy so far")
        for system, total in self._total.items():
            scores = [
                f"{name} {np.mean(values):.1f}"
                for (owner, name), values in self._scores.items()
                if owner == system
            ]
            row = map(str, (self._done[system], total, self._failed[system]))
            table.add_row(system, *row, "  ".join(scores))
        return Group(table, self._progress)
