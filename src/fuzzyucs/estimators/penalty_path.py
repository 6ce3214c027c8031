"""Penalty path: which penalty lets rules predict held-out rows best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fuzzyucs.estimators.growth import PATH, Growth
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.training import Rows
from fuzzyucs.evidence.weighting import held_out_losses

__all__ = ["HeldOut", "Stage", "follow_path", "path_to"]

PATIENCE = 4  # penalties in a row that may be worse than the best
LITTLE_PATIENCE = 2  # where they fall in greater steps
ALLOWANCE = 0.0  # standard errors by which a smaller model may be worse

Array = NDArray[np.float64]
Step = tuple[float, int]


@dataclass(frozen=True, eq=False)
class Stage:
    """What was found with one penalty.

    Attributes
    ----------
    penalty : float
        The penalty of a rule.
    n_rules : float
        Number of rules, on the mean over folds.
    confidence : ndarray of shape (n_tested,)
        The greatest probability of each held-out row, by the fold that did not know it.
    is_right : ndarray of bool of shape (n_tested,)
        Whether it was that of its class.
    losses : ndarray of shape (n_tested,)
        Log-loss and error of each, by its weight.
    """

    penalty: float
    n_rules: float
    confidence: Array
    is_right: NDArray[np.bool_]
    losses: Array

    @property
    def loss(self) -> float:
        """Sum over all held-out rows."""
        return float(self.losses.sum())


@dataclass(frozen=True, eq=False)
class HeldOut:
    """All stages of a path, and the rows that were held out.

    Attributes
    ----------
    rows : ndarray of shape (n_tested,)
        The rows.
    stages : list of Stage
        One for each penalty.
    """

    rows: Rows
    stages: list[Stage]

    def best(self) -> Stage:
        """Return the stage to take: of those about as good as the best, the first."""
        best = min(self.stages, key=lambda stage: stage.loss)
        for stage in self.stages:
            excess = stage.losses - best.losses
            if excess.sum() <= ALLOWANCE * excess.std() * np.sqrt(len(excess)):
                return stage
        return best


def path_to(penalty: float, path: Sequence[Step] = PATH) -> list[Step]:
    """Return the path that ends with a penalty.

    Examples
    --------
    >>> from fuzzyucs.estimators.penalty_path import path_to
    >>> [round(penalty, 1) for penalty, _ in path_to(10.0)]
    [32.0, 22.6, 16.0, 11.3, 10.0]
    """
    return [*(step for step in path if step[0] > penalty), (penalty, path[-1][1])]


def follow_path(
    growth: Growth,
    path: Sequence[Step],
    seed: int,
    *,
    is_asked: bool,
    n_jobs: int | None,
    bar: ProgressBar | None,
) -> HeldOut:
    """Follow a path of falling penalties in all folds at once.

    Parameters
    ----------
    growth : Growth
        What grows rules.
    path : sequence of (float, int)
        Penalties, and how many rules to grow with each.
    seed : int
        Of the folds.
    is_asked : bool
        Whether to follow it to its end, even if rules get worse.
    n_jobs : int, optional
        Number of threads.
    bar : ProgressBar, optional
        Where to show progress.

    Returns
    -------
    HeldOut
    """
    folds = growth.folds(seed)
    searches = [growth.begin(train) for train, _ in folds]
    rows = np.concatenate([test for _, test in folds])
    labels, weight = growth.data.labels[rows], growth.data.sample_weight[rows]
    stages: list[Stage] = []
    n_worse, patience = 0, LITTLE_PATIENCE if growth.has_many_classes else PATIENCE
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for number, (penalty, most) in enumerate(path):
            if len(searches) > 1:
                counts = parallel(delayed(growth.advance)(s, penalty, most) for s in searches)
            else:  # in this thread, which alone notices Ctrl-C
                counts = [growth.advance(s, penalty, most) for s in searches]
            parts = zip(searches, folds, strict=True)
            probability = np.concatenate([growth.probabilities(s, test) for s, (_, test) in parts])
            losses = held_out_losses(probability, labels, weight)
            answers = probability.argmax(axis=1)
            confidence = probability[np.arange(len(answers)), answers]
            stage = Stage(penalty, float(np.mean(counts)), confidence, answers == labels, losses)
            is_worse = stages and stage.loss >= min(s.loss for s in stages)
            # Where no rule is worth the penalty yet, lower ones may tell.
            n_worse = n_worse + 1 if is_worse and stage.n_rules else 0
            stages.append(stage)
            if bar:
                text = f"penalty {penalty:.3g}, {stage.n_rules:.0f} rules"
                more = f", held-out loss {losses.mean():.4f}"
                bar.show(number + 1, len(path), text, more)
            if n_worse == patience and not is_asked:
                break
    return HeldOut(rows, stages)
