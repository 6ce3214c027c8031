"""Penalty path: which candidate configuration predicts best, and with which penalty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.search import SearchTask
from fuzzyucs.evidence.weighting import PATIENCE
from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = ["Descent", "find_models"]

PENALTIES = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
ROUNDS = (2, 3, 3, 4, 4, 4, 4, 4, 4)  # of search, for each of the penalties
N_CONTESTED = 3  # first penalties, after which the best candidate goes on alone
CLEARLY = 0.02  # share of the held-out loss by which a candidate must beat the usual one

Step = tuple[float, int]


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
    held_out : ndarray of shape (n_samples, n_classes)
        Probabilities of all rows, each by the fold that did not know it.
    n_worse : int
        Number of penalties since then.
    """

    def __init__(self, task: SearchTask, seed: int) -> None:
        self.task = task
        self.parts = task.folds(seed)
        self.searches = [
            task.search(train, seed + fold) for fold, (train, _) in enumerate(self.parts)
        ]
        self.penalty, self.loss, self.n_worse = np.inf, np.inf, 0
        self.pool: list[NDArray[np.uint64]] = []
        self.held_out: NDArray[np.float64] = np.empty((0, 0))

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
        found = parallel(
            delayed(self.task.descend)(search, penalty, rounds, test)
            for search, (_, test) in zip(self.searches, self.parts, strict=True)
        )
        pool = [rules for rules, _ in found]
        held_out = np.empty((len(self.task.labels), len(self.task.classes)))
        for (_, test), (_, probability) in zip(self.parts, found, strict=True):
            held_out[test] = probability
        loss = self.task.loss(held_out)
        if loss < self.loss or is_asked:
            self.penalty, self.loss, self.pool, self.n_worse = penalty, loss, pool, 0
            self.held_out = held_out
        else:
            self.n_worse += 1
        n_rules = np.mean([len(rules) for rules in pool])
        mean = loss / len(self.task.labels)
        return f"penalty {penalty:g}, {n_rules:.0f} rules", f", held-out loss {mean:.4f}"

    def finish(self, max_rules: int | None) -> ProfiledRuleSet:
        """Weigh what was found, on all data; the task's variables need beliefs for that."""
        return self.task.finish(self.pool, self.penalty, max_rules)


def find_models(
    tasks: Mapping[str, SearchTask],
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
    path = _path(penalty)
    start, rest = path[:N_CONTESTED], path[N_CONTESTED:]
    total = _n_rounds(path) * len(seeds) + _n_rounds(start) * (len(tasks) - 1)
    done = 0

    def descend(model: Descent, steps: list[Step], name: str, number: int) -> Descent:
        nonlocal done
        which = f"model {number + 1}/{len(seeds)}, " if len(seeds) > 1 else ""
        which += f"{name}, " if name else ""
        for price, rounds in steps:
            if model.n_worse == PATIENCE:
                break
            text, more = model.step(parallel, price, rounds, is_asked=penalty is not None)
            done += rounds
            if bar:
                bar.show(done, total, which + text, more)
        return model

    models: list[Descent] = []
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        (winner, usual), *others = tasks.items()
        for number, seed in enumerate(seeds):
            task = models[0].task if models else usual
            model = descend(Descent(task, seed), start, winner, number)
            for name, other in others if not models else ():
                rival = descend(Descent(other, seed), start, name, number)
                if rival.loss < (1 - CLEARLY) * model.loss:
                    winner, model = name, rival
            models.append(descend(model, rest, winner, number))
            model.searches.clear()  # they hold copies of the data
    return models


def _path(penalty: float | None) -> list[Step]:
    """Return penalties, from the greatest to the least, with rounds of search for each."""
    path = list(zip(PENALTIES, ROUNDS, strict=True))
    if penalty is None:
        return path
    return [*(step for step in path if step[0] > penalty), (penalty, ROUNDS[-1])]


def _n_rounds(steps: list[Step]) -> int:
    return sum(rounds for _, rounds in steps)
