"""Resolution: whether narrow or broad terms let rules predict held-out rows best."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fuzzyucs.estimators.checkpoint import Checkpoint
from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.penalty_path import best_stage, follow_path, path_to, usual_path
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.size_report import Watch
from fuzzyucs.estimators.stage import Stage

__all__ = ["MOST_ROWS", "N_BROAD", "best_path"]

# Number of broad terms of a feature that compete with many narrow ones. Memberships that change
# gradually need fewer rules and are less exposed to chance; narrow terms tell more where there is
# more to tell.
N_BROAD = 4
ALLOWANCE = 1.02  # how many times the held-out loss of narrow terms that of broad ones may be
MOST_ROWS = 3500  # from which on narrow terms alone are about as good, in half the time


def best_path(
    growths: Iterable[Growth],
    penalty: float | None,
    n_jobs: int | None,
    bar: ProgressBar | None,
    checkpoint: Callable[[Growth], Checkpoint | None] = lambda _: None,
    watch: Watch | None = None,
) -> tuple[Growth, list[Stage], Stage]:
    """Follow the path of penalties in narrow terms, then in broad ones, and take the better.

    Parameters
    ----------
    growths : iterable of Growth
        What grows rules: first among narrow terms, then perhaps among broad ones.
    penalty : float, optional
        The last penalty of the path. By default, held-out rows choose it.
    n_jobs : int, optional
        Number of threads.
    bar : ProgressBar, optional
        Where to show progress.
    checkpoint : callable
        Tells where to write down what was found, if anywhere.
    watch : Watch, optional
        Whom to tell about each stage, and who may end the search.

    Returns
    -------
    growth : Growth
        That of the better terms.
    stages : list of Stage
        Its path.
    stage : Stage
        The stage to take.
    """
    found = []
    for growth in growths:
        path = usual_path(growth)
        stages = follow_path(
            growth,
            path if penalty is None else path_to(penalty, path),
            is_asked=penalty is not None,
            n_jobs=n_jobs,
            bar=bar,
            checkpoint=checkpoint(growth),
            watch=watch,
        )
        found.append((growth, stages, best_stage(stages) if penalty is None else stages[-1]))
        if watch is not None and watch.is_stopped:
            break
    narrow, *broad = found
    if broad and broad[0][2].loss <= ALLOWANCE * narrow[2].loss:
        return broad[0]
    return narrow
