"""Evidence weights: strengths, how many times the evidence of each rule should count.

The article lets every micro-rule count once. Rules overlap and share data, so that the same
evidence counts many times, and beliefs come out near 0 and 1. Here each rule's evidence counts
w >= 0 times,

    log q_i(x) = b_i + sum_k w_k log(1 - mu_k(x) (exp_k - cm_ki) / (exp_k + s)),

which stays within Dempster-Shafer theory, since a power of a commonality is a commonality.
Strengths that maximise the likelihood of the training data, with a penalty for each rule, are the
solution of a convex problem. Most of them are 0. The article's inference is the special case
w = numerosity, s = 0, b = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs._util import portable_math
from fuzzyucs._util.short_repr import short_repr
from fuzzyucs.evidence.commonality import log_commonality

__all__ = ["EvidenceWeights", "choose_penalty", "fit_weights", "folds", "held_out_loss", "softmax"]

DOUBT = 2.0
RIDGE = 1.0
PENALTIES = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125)
PATIENCE = 2  # penalties in a row that may be worse than the best before the search for it ends
TINY = 1e-12
LEAST_STRENGTH = 1e-3  # of a rule worth keeping

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EvidenceWeights:
    """What `fit_weights` found.

    Attributes
    ----------
    strength : ndarray of shape (n_rules,)
        How many times the evidence of each rule counts (w).
    prior : ndarray of shape (n_classes,)
        Logarithms of what classes are worth before any evidence (b).
    class_experience : ndarray of shape (n_rules, n_classes)
        Sums of the degrees to which the training data of each class matched (cm).
    doubt : float
        Experience that every rule grants to "I don't know" (s).
    objective : float
        Negative log-likelihood with penalties.
    converged : bool
        Whether it is the least possible, up to the tolerance.
    """

    strength: Array
    prior: Array
    class_experience: Array
    doubt: float
    objective: float
    converged: bool

    def __repr__(self) -> str:
        end = "converged" if self.converged else "not converged"
        return short_repr(self, f"{len(self.strength)} rules", f"{len(self.prior)} classes", end)

    def log_odds(self, degrees: Array) -> Array:
        """Return b + sum w log f of each class, up to a constant of each row.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_rules)
            Degrees to which rules match.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        experience = self.class_experience.sum(axis=1, keepdims=True)
        against = (experience - self.class_experience) / (experience + self.doubt)
        scores = np.tile(self.prior, (len(degrees), 1))
        for rule in np.flatnonzero(self.strength):
            logs = log_commonality(degrees[:, rule, np.newaxis], against[rule])
            scores += self.strength[rule] * logs
        return scores

    def evidence(self, degrees: Array, sample_weight: Array | None = None) -> Array:
        """Return the evidence of each rule: how far it shifts the odds of classes, in all rows.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_rules)
            Degrees to which rules match.
        sample_weight : ndarray of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        ndarray of shape (n_rules,)
            Strength times the sum of the logarithms of the odds between the classes that the rule
            favours most and least.
        """
        weight = np.ones(len(degrees)) if sample_weight is None else sample_weight
        experience = self.class_experience.sum(axis=1)
        whole = experience + self.doubt
        most, least = (
            log_commonality(degrees * (experience - best) / whole)
            for best in (self.class_experience.max(axis=1), self.class_experience.min(axis=1))
        )
        carried: Array = self.strength * (weight @ (most - least))
        return carried


def fit_weights(
    degrees: Array,
    labels: NDArray[Any],
    n_classes: int,
    *,
    penalty: float | ArrayLike,
    sample_weight: Array | None = None,
    doubt: float = DOUBT,
    ridge: float = RIDGE,
    tolerance: float = 1e-7,
    max_steps: int = 200,
) -> EvidenceWeights:
    """Find evidence weights by penalised likelihood.

    Minimises ``-sum log p(label) + sum penalty * w + ridge / 2 * sum (b - share) ** 2`` over
    w >= 0 and b, p being the softmax of the class scores above and share the logarithms of how
    frequent classes are (of one row more each, less their mean), by Newton's method.

    Parameters
    ----------
    degrees : ndarray of shape (n_samples, n_rules)
        Degrees in [0, 1] to which rules match the training data.
    labels : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
        Number of classes.
    penalty : float or array-like of shape (n_rules,)
        Penalty of a strength of 1, for all rules or for each.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    doubt : float
        Experience that every rule grants to "I don't know" (s).
    ridge : float
        Penalty of a prior that differs from how frequent classes are.
    tolerance : float
        How far the objective may be from the least possible, about.
    max_steps : int
        Greatest number of Newton steps.

    Returns
    -------
    EvidenceWeights

    Examples
    --------
    Two rules that say the same share the evidence; one that says nothing gets none.

    >>> import numpy as np
    >>> from fuzzyucs.evidence.weighting import fit_weights
    >>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> degrees = np.array([[1.0, 1.0, 1.0]] * 3 + [[0.0, 0.0, 1.0]] * 5)
    >>> found = fit_weights(degrees, labels, 2, penalty=0.1)
    >>> found.strength[2], found.strength[:2].sum() > 0.5
    (np.float64(0.0), np.True_)
    """
    solver = _solver(degrees, labels, n_classes, sample_weight, doubt, ridge)
    _set_penalty(solver, penalty, degrees.shape[1])
    converged = _solve(solver, tolerance, max_steps)
    return _result(solver, doubt, converged=converged)


def _solver(
    degrees: Array,
    labels: NDArray[Any],
    n_classes: int,
    sample_weight: Array | None,
    doubt: float,
    ridge: float,
) -> _core.EvidenceWeights:
    weight = np.ones(len(labels)) if sample_weight is None else sample_weight
    solver = _core.EvidenceWeights(labels.astype(np.uint32), weight, n_classes, doubt, ridge)
    for column in np.ascontiguousarray(degrees.T):
        solver.add(column, 0.0)
    return solver


def _set_penalty(solver: _core.EvidenceWeights, penalty: float | ArrayLike, n_rules: int) -> None:
    penalties = np.broadcast_to(np.asarray(penalty, dtype=float), n_rules)
    for rule, value in enumerate(penalties):
        solver.set_penalty(rule, float(value))


def _solve(solver: _core.EvidenceWeights, tolerance: float, max_steps: int) -> bool:
    """Take a few steps at a time, to let Ctrl-C in."""
    return any(solver.fit(tolerance, 5) for _ in range(-(-max_steps // 5)))


def _result(solver: _core.EvidenceWeights, doubt: float, *, converged: bool) -> EvidenceWeights:
    return EvidenceWeights(
        solver.weights(),
        solver.prior(),
        solver.class_experience(),
        doubt,
        solver.objective,
        converged,
    )


def choose_penalty(
    degrees: Array,
    labels: NDArray[Any],
    n_classes: int,
    *,
    cost: float | Array = 1.0,
    sample_weight: Array | None = None,
    doubt: float = DOUBT,
    ridge: float = RIDGE,
    seed: int = 0,
    penalties: Sequence[float] = PENALTIES,
) -> float:
    """Find the penalty that predicts held-out data best.

    Parameters
    ----------
    degrees, labels, n_classes, sample_weight, doubt, ridge
        As in `fit_weights`.
    cost : float or ndarray of shape (n_rules,)
        Rule k is penalised by ``penalty * cost[k]``.
    seed : int
        How to divide the data.
    penalties : sequence of float
        Candidates, from the greatest to the least; the search ends when two in a row are worse
        than the best.

    Returns
    -------
    float
        The candidate with the least sum of log-loss and error rate.
    """
    weight = np.ones(len(labels)) if sample_weight is None else sample_weight
    parts = folds(labels, seed)
    solvers = [
        _solver(degrees[train], labels[train], n_classes, weight[train], doubt, ridge)
        for train, _ in parts
    ]
    best, least, n_worse = penalties[0], np.inf, 0
    for penalty in penalties:
        loss = 0.0
        for solver, (_, test) in zip(solvers, parts, strict=True):
            _set_penalty(solver, penalty * np.asarray(cost), degrees.shape[1])
            converged = _solve(solver, 1e-3, 100)
            found = _result(solver, doubt, converged=converged)
            probability = softmax(found.log_odds(degrees[test]))
            loss += held_out_loss(probability, labels[test], weight[test])
        if loss < least:
            best, least, n_worse = penalty, loss, 0
        else:
            n_worse += 1
            if n_worse == PATIENCE:
                break
    return best


def folds(
    labels: NDArray[Any], seed: int, n_folds: int = 4
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Divide rows for cross-validation, each class as evenly as it goes.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    seed : int
        How to shuffle.
    n_folds : int
        Number of parts, if there are as many rows.

    Returns
    -------
    list of (train, test) pairs of indices
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    # Dealt out like cards, class by class: also classes with fewer rows than there are folds.
    dealt = np.empty(len(labels), dtype=int)
    dealt[order[np.argsort(labels[order], kind="stable")]] = np.arange(len(labels)) % n_folds
    parts = [(np.flatnonzero(dealt != k), np.flatnonzero(dealt == k)) for k in range(n_folds)]
    return [(train, test) for train, test in parts if len(train) and len(test)]


def softmax(scores: Array) -> Array:
    """Turn logarithms of odds into probabilities, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.weighting import softmax
    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    odds = portable_math.exp(scores - scores.max(axis=1, keepdims=True))
    result: Array = odds / odds.sum(axis=1, keepdims=True)
    return result


def held_out_losses(probability: Array, labels: NDArray[Any], weight: Array) -> Array:
    """Return the log-loss and error of each row, times its weight."""
    own = probability[np.arange(len(labels)), labels]
    wrong = probability.argmax(axis=1) != labels
    losses: Array = weight * (wrong - portable_math.log(np.maximum(own, TINY)))
    return losses


def held_out_loss(probability: Array, labels: NDArray[Any], weight: Array) -> float:
    """Return the sum of log-loss and errors over the rows."""
    return float(held_out_losses(probability, labels, weight).sum())
