"""Plan of an evaluation: jobs, each one training of one system on one split of a data set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

__all__ = ["Job", "plan"]


@dataclass(frozen=True)
class Job:
    """One training run. Equal jobs give equal results, on any machine.

    Attributes
    ----------
    system : str
        Name in `fuzzyucs.experiment.systems.SYSTEMS`.
    dataset : str
        Identifier of a data set.
    seed : int
        Number of the split, and seed of the system.
    settings : tuple of (str, value) pairs
        Parameters that differ from the system's defaults, sorted by name. UCS and Fuzzy-UCS with
        ``as_published=True`` are the article's program, else what its text says.

    Examples
    --------
    >>> from fuzzyucs.experiment.plan import Job
    >>> job = Job.of("fuzzyucs", "irs", 3, epochs=10)
    >>> job.key
    '["fuzzyucs", "irs", 3, {"epochs": 10}]'
    >>> Job.from_key(job.key) == job
    True
    >>> Job.of("ucs", "irs", 3, epochs=10, as_published=True).key
    '["ucs", "irs", 3, {"as_published": true, "epochs": 10}]'
    """

    system: str
    dataset: str
    seed: int
    settings: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, system: str, dataset: str, seed: int, **settings: Any) -> Job:
        """Make a job; the order of the settings does not matter."""
        return cls(system, dataset, seed, tuple(sorted(settings.items())))

    @property
    def key(self) -> str:
        """The job as text: the same for equal jobs, different for others."""
        return json.dumps([self.system, self.dataset, self.seed, dict(self.settings)])

    @classmethod
    def from_key(cls, key: str) -> Job:
        """Read a job from its text."""
        system, dataset, seed, settings = json.loads(key)
        return cls.of(system, dataset, seed, **settings)


def plan(
    systems: Iterable[str],
    datasets: Iterable[str],
    runs: int,
    settings: Iterable[Mapping[str, Any]] = ({},),
) -> Iterator[Job]:
    """List the jobs of an evaluation: every system on every data set.

    Runs come in the outermost loop, so that early results cover all data sets.

    Parameters
    ----------
    systems, datasets : iterable of str
        Names.
    runs : int
        Number of splits.
    settings : iterable of mappings
        Parameters of the systems; there are separate jobs for every mapping.

    Yields
    ------
    Job

    Examples
    --------
    >>> from fuzzyucs.experiment.plan import plan
    >>> jobs = list(plan(["ucs"], ["irs", "wne"], 2, [{"epochs": 10}]))
    >>> [(job.dataset, job.seed) for job in jobs]
    [('irs', 0), ('wne', 0), ('irs', 1), ('wne', 1)]
    """
    if runs < 1:
        raise ValueError(f"runs must be at least 1, got {runs}")
    choices = product(range(runs), list(settings), list(datasets), list(systems))
    for seed, chosen, dataset, system in choices:
        yield Job.of(system, dataset, seed, **chosen)
