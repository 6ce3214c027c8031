"""Penalty path: which penalty lets rules predict held-out rows best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from joblib import Parallel, delayed

from fuzzyucs._util.threads import granted_threads
from fuzzyucs.estimators.checkpoint import Checkpoint
from fuzzyucs.estimators.growth import MANY_ROWS, VERY_MANY_ROWS, Growth
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.size_report import Watch
from fuzzyucs.estimators.stage import Stage, Step

__all__ = ["PATH", "SLOW_PATH", "Stage", "best_stage", "follow_path", "path_to", "usual_path"]


def _path(halved_in: int) -> tuple[Step, ...]:
    """Return penalties that fall by half in some steps, and how many rules may grow with each.

    They are few at great penalties, so that small models have good rules, too.
    """
    steps = range(9 * halved_in + 1)
    return tuple((32.0 * 0.5 ** (s / halved_in), min(int(8 * 1.3**s), 50)) for s in steps)


PATH = _path(2)
# In many rows, where most of the rules are found, penalties fall more slowly: with more rules at
# greater penalties, each says less, and less of it is due to chance.
SLOW_PATH = _path(3)
# Penalties in a row that may be worse than the best, below some numbers of rows, which leave less
# and less to chance.
PATIENCE = ((2000, 4), (MANY_ROWS, 2), (VERY_MANY_ROWS, 3))
LITTLE_PATIENCE = 2  # above
READABLE = 50  # rules; more have to be worth it
ALLOWANCE = 1.0  # standard errors by which a smaller model, still not readable, may be worse


def usual_path(growth: Growth) -> Sequence[Step]:
    """Return the path to follow; of many classes, penalties fall in greater steps."""
    if growth.has_many_classes:
        return PATH[::2]
    return SLOW_PATH if growth.is_alone else PATH


def path_to(penalty: float, path: Sequence[Step] = PATH) -> list[Step]:
    """Return a path that ends with a penalty.

    Examples
    --------
    >>> from fuzzyucs.estimators.penalty_path import path_to
    >>> [(round(penalty, 1), most) for penalty, most in path_to(10.0)]
    [(32.0, 8), (22.6, 10), (16.0, 13), (11.3, 17), (10.0, 22)]
    """
    above = [step for step in path if step[0] > penalty]
    return [*above, (penalty, path[min(len(above), len(path) - 1)][1])]


def best_stage(stages: Sequence[Stage]) -> Stage:
    """Return the stage to take.

    It is the one with the least loss; if that has more rules than people read, the first that is
    worse by no more than chance, among those with more rules and the best of the readable ones.
    """
    best = min(stages, key=lambda stage: stage.loss)
    if best.n_rules <= READABLE:
        return best
    readable = [stage for stage in stages if stage.n_rules <= READABLE]
    larger = [stage for stage in stages if stage.n_rules > READABLE]
    if readable:
        larger.insert(0, min(readable, key=lambda stage: stage.loss))
    for stage in larger:
        excess = stage.losses - best.losses
        if excess.sum() <= ALLOWANCE * excess.std() * np.sqrt(len(excess)):
            return stage
    return best


def follow_path(
    growth: Growth,
    path: Sequence[Step],
    *,
    is_asked: bool,
    n_jobs: int | None,
    bar: ProgressBar | None,
    checkpoint: Checkpoint | None = None,
    watch: Watch | None = None,
) -> list[Stage]:
    """Follow a path of falling penalties in all folds at once.

    Parameters
    ----------
    growth : Growth
        What grows rules.
    path : sequence of (float, int)
        Penalties, and how many rules to grow with each.
    is_asked : bool
        Whether to follow it to its end, even if rules get worse.
    n_jobs : int, optional
        Number of threads.
    bar : ProgressBar, optional
        Where to show progress.
    checkpoint : Checkpoint, optional
        Where to write down each stage, and to go on from, if there is but one fold.
    watch : Watch, optional
        Whom to tell about each stage, and who may end the search.

    Returns
    -------
    list of Stage
        One for each penalty.
    """
    if bar:
        bar.begin("Trying broad terms" if growth.fine.n_broad else "Trying sizes")
    folds = growth.folds()
    searches = [growth.begin(train) for train, _ in folds]
    rows = np.concatenate([test for _, test in folds])
    labels, weight = growth.data.labels[rows], growth.data.sample_weight[rows]
    stages: list[Stage] = []
    if checkpoint is not None and (found := checkpoint.load(growth)) is not None:
        stages, state = found
        growth.go_on(searches[0], state)
    n = growth.n_rows
    patience = next((k for below, k in PATIENCE if n < below), LITTLE_PATIENCE)
    patience = min(patience, 2) if growth.has_many_classes else patience
    with Parallel(granted_threads(n_jobs), prefer="threads", require="sharedmem") as parallel:
        while len(stages) < len(path):
            if _n_worse(stages) == patience and not is_asked:
                break
            penalty, most = step = path[len(stages)]
            grown = None
            if len(searches) > 1:
                counts = parallel(delayed(growth.advance)(s, penalty, most) for s in searches)
            else:  # in this thread, which alone notices Ctrl-C
                counts = [growth.advance(s, penalty, most) for s in searches]
                grown = growth.grown(searches[0])
            parts = zip(searches, folds, strict=True)
            probability = np.concatenate([growth.probabilities(s, test) for s, (_, test) in parts])
            n_rules = float(np.mean(counts))
            fee = float(np.mean([growth.fee(s) for s in searches]))
            stage = Stage.of(step, n_rules, probability, labels, weight, grown, fee)
            stages.append(stage)
            if checkpoint is not None:
                checkpoint.save(stages, growth.state(searches[0]))
            if bar:
                text = f"penalty {penalty:.3g}, {stage.n_rules:.0f} rules"
                more = f", held-out loss {stage.losses.mean():.4f}"
                bar.show(len(stages), len(path), text, more)
            if watch is not None:
                watch.report(stage, is_broad=bool(growth.fine.n_broad))
                if watch.is_stopped:
                    break
    return stages


def _n_worse(stages: Sequence[Stage]) -> int:
    """Return how many stages in a row have been worse than the best so far.

    Where no rule is worth the penalty yet, lower ones may tell.
    """
    n_worse, least = 0, np.inf
    for stage in stages:
        n_worse = n_worse + 1 if stage.loss >= least and stage.n_rules else 0
        least = min(least, stage.loss)
    return n_worse
