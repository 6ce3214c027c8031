"""How far to rely on each source, by the likelihood of held-out rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from fuzzyucs.rules.fused import FusedRuleSet

__all__ = ["weights_by_likelihood"]

PENALTY = 2.0  # of a squared distance of 1 from the default
NEGLIGIBLE = 1e-6
IMPOSSIBLE = -700.0  # logarithm of a base rate of 0

Array = NDArray[np.float64]


def weights_by_likelihood(
    rules: FusedRuleSet,
    X: Array,
    labels: NDArray[np.uint32],
    is_used: NDArray[np.bool_],
) -> Array:
    """Find by what to multiply the evidence of each source.

    Parameters
    ----------
    rules : FusedRuleSet
        Rules, each of one source.
    X : ndarray of shape (n_samples, n_features)
        Held-out rows.
    labels : ndarray of shape (n_samples,)
        Indices of their classes.
    is_used : ndarray of bool of shape (n_sources,)
        Sources that have any influence.

    Returns
    -------
    ndarray of shape (n_sources,)
        Non-negative numbers, 0 for sources without influence.
    """
    said = _said(rules, X)  # sources, rows, classes
    with np.errstate(divide="ignore"):
        rates = np.maximum(np.log(rules.base_rates), IMPOSSIBLE)
    rows = np.arange(len(labels))
    used = np.flatnonzero(is_used)

    def loss(factors: Array) -> tuple[float, Array]:
        logs = log_softmax(rates + np.tensordot(factors, said[used], 1), axis=1)
        wrong = np.exp(logs)
        wrong[rows, labels] -= 1
        slope = np.einsum("ic,sic->s", wrong, said[used]) + 2 * PENALTY * (factors - 1)
        return float(-logs[rows, labels].sum() + PENALTY * ((factors - 1) ** 2).sum()), slope

    start = np.ones(len(used))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(used))
    found = np.zeros(len(is_used))
    found[used] = np.where(best.x > NEGLIGIBLE, best.x, 0.0)
    return found


def _said(rules: FusedRuleSet, X: Array) -> Array:
    """Return what each source adds to the log-odds of the classes."""
    positions = rules.variables.positions(X)
    shift = np.asarray(rules.freeze().membership(positions)) - rules.neutral
    found = np.zeros((len(rules.sources), len(X), len(rules.classes)))
    for source, own in enumerate(rules.origin.T):
        found[source] = shift[:, own] @ rules.profile[own]
    return found
