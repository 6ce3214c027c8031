"""Penalty path: which candidate configuration predicts best, and with which penalty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.search import SearchTask
from fuzzyucs.evidence.weighting import PATIENCE
from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = ["Descent", "find_models"]

GROWTH = "growth"  # the name of its candidate
N_CONTESTED = 3  # first penalties, after which the best candidate goes on alone
CLEARLY = 0.02  # share of the held-out loss by which a candidate must beat the usual one

Step = tuple[float, int]


@dataclass(frozen=True, eq=False)
class Stage:
    """What was found with one penalty, in all folds."""

    penalty: float
    pool: list[NDArray[np.uint64]]
    held_out: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def loss(self) -> float:
        """Sum over all held-out rows."""
        return float(self.losses.sum())


class Descent:
    """A path of falling penalties, followed in all folds of a task at once.

    Parameters
    ----------
    task : SearchTask
        What to search for.
    seed : int
        Of the folds and of the search.

    Attributes
    ----------
    penalty : float
        The best penalty so far.
    loss : float
        Held-out loss with it.
    pool : list of ndarray
        The rules that each fold uses with it.
    tested : ndarray of shape (n_tested,)
        Rows that were held out.
    held_out : ndarray of shape (n_tested, n_classes)
        Their probabilities, each by the fold that did not know it.
    n_worse : int
        Number of penalties since then.
    """

    def __init__(self, task: SearchTask, seed: int) -> None:
        self.task = task
        self.parts = task.folds(seed)
        self.searches = [
            task.search(train, seed + fold) for fold, (train, _) in enumerate(self.parts)
        ]
        self.tested = np.concatenate([test for _, test in self.parts])
        self.penalty, self.loss, self.n_worse = np.inf, np.inf, 0
        self.pool: list[NDArray[np.uint64]] = []
        self.held_out: NDArray[np.float64] = np.empty((0, 0))
        self.stages: list[Stage] = []

    def step(
        self, parallel: Parallel, penalty: float, rounds: int, *, is_asked: bool
    ) -> tuple[str, str]:
        """Search with a lower penalty; return a summary of the result, and details.

        Parameters
        ----------
        parallel : joblib.Parallel
            For the folds.
        penalty : float
            The penalty of a rule.
        rounds : int
            Number of rounds of search.
        is_asked : bool
            Whether this penalty is to be taken even if an earlier one was better.
        """
        steps = [
            (search, penalty, rounds, test)
            for search, (_, test) in zip(self.searches, self.parts, strict=True)
        ]
        if len(steps) > 1:
            found = parallel(delayed(self.task.descend)(*step) for step in steps)
        else:  # in this thread, which alone notices Ctrl-C
            found = [self.task.descend(*step) for step in steps]
        pool = [rules for rules, _ in found]
        held_out = np.concatenate([probability for _, probability in found])
        losses = self.task.losses(held_out, self.tested)
        self.stages.append(Stage(penalty, pool, held_out, losses))
        loss = float(losses.sum())
        is_worse = loss >= self.loss and any(map(len, pool))  # no rules yet are no reason to stop
        self.n_worse = self.n_worse + 1 if is_worse and not is_asked else 0
        self._take(self._chosen(is_asked=is_asked))
        n_rules = np.mean([len(rules) for rules in pool])
        return f"penalty {penalty:g}, {n_rules:.0f} rules", f", held-out loss {losses.mean():.4f}"

    def _chosen(self, *, is_asked: bool) -> Stage:
        """Return the stage to take: of those that are about as good as the best, the first."""
        if is_asked:
            return self.stages[-1]
        best = min(self.stages, key=lambda stage: stage.loss)
        for stage in self.stages:
            excess = stage.losses - best.losses
            error = excess.std() * np.sqrt(len(excess))
            if stage is best or excess.sum() <= self.task.allowance * error:
                break
        return stage

    def _take(self, stage: Stage) -> None:
        self.penalty, self.pool, self.held_out = stage.penalty, stage.pool, stage.held_out
        self.loss = min(stage.loss for stage in self.stages)

    def finish(self, max_rules: int | None) -> ProfiledRuleSet:
        """Weigh what was found, on all data; the task's variables need beliefs for that."""
        return self.task.finish(self.pool, self.penalty, max_rules)


def find_models(
    tasks: Mapping[str, SearchTask],
    growth: SearchTask | None,
    seeds: Sequence[int],
    *,
    penalty: float | None,
    n_jobs: int | None,
    bar: ProgressBar | None,
) -> list[Descent]:
    """Follow the path of penalties, once for each model.

    Parameters
    ----------
    tasks : mapping of str to SearchTask
        Candidate configurations, by name. In the first model they compete: the first of them goes
        on unless another predicts held-out data clearly better. The winner is used for all models.
    growth : SearchTask, optional
        Another candidate, which follows the whole path before it is compared, or the only one.
    seeds : sequence of int
        One for each model.
    penalty : float, optional
        The penalty of a rule; otherwise the one that predicts held-out data best.
    n_jobs : int, optional
        Number of threads.
    bar : ProgressBar, optional
        Where to show progress.

    Returns
    -------
    list of Descent
    """
    candidates = [*tasks.values(), *([] if growth is None else [growth])]
    longest = max(len(_path(task, penalty)) for task in candidates)
    n_starts = sum(len(_path(task, penalty)[:N_CONTESTED]) for task in [*tasks.values()][1:])
    n_grown = 0 if growth is None or not tasks else len(_path(growth, penalty))
    done, total = 0, longest * len(seeds) + n_starts + n_grown

    def descend(model: Descent, name: str, steps: slice = slice(None), number: int = 0) -> Descent:
        nonlocal done
        which = f"model {number + 1}/{len(seeds)}, " if len(seeds) > 1 else ""
        which += f"{name}, " if name else ""
        for price, rounds in _path(model.task, penalty)[steps]:
            if model.n_worse == PATIENCE:
                break
            text, more = model.step(parallel, price, rounds, is_asked=penalty is not None)
            done += 1
            if bar:
                bar.show(done, total, which + text, more)
        return model

    def contest(seed: int) -> tuple[str, Descent]:
        """Let the candidates compete; the usual one wins unless another is clearly better."""
        if growth is not None and not tasks:
            return "", descend(Descent(growth, seed), "")
        start, rest = slice(N_CONTESTED), slice(N_CONTESTED, None)
        (winner, usual), *others = tasks.items()
        model = descend(Descent(usual, seed), winner, start)
        for name, other in others:
            rival = descend(Descent(other, seed), name, start)
            if rival.loss < (1 - CLEARLY) * model.loss:
                winner, model = name, rival
        descend(model, winner, rest)
        if growth is not None:
            rival = descend(Descent(growth, seed), GROWTH)
            if rival.loss < (1 - CLEARLY) * model.loss:
                winner, model = GROWTH, rival
        return winner, model

    models: list[Descent] = []
    winner = ""
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for number, seed in enumerate(seeds):
            if models:
                task = models[0].task
                model = descend(Descent(task, seed), winner, number=number)
            else:
                winner, model = contest(seed)
            models.append(model)
            model.searches.clear()  # they hold copies of the data
    return models


def _path(task: SearchTask, penalty: float | None) -> list[Step]:
    """Return penalties, from the greatest to the least, with rounds of search for each."""
    path: list[Step] = list(task.path)
    if penalty is None:
        return path
    return [*(step for step in path if step[0] > penalty), (penalty, path[-1][1])]
