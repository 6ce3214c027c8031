"""Tempering: beliefs that are too sure of themselves, made honest by one number.

Commonalities to the power 1 / T are those of Dempster-Shafer theory again, in the same order: T
says how many times over the same evidence was counted, and the most believed class stays the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

__all__ = ["choose_temperature", "temper"]

GREATEST = 1e4
LEAST_PROBABILITY = 1e-12

Array = NDArray[np.float64]


def temper(logs: Array, temperature: float) -> tuple[Array, Array, Array]:
    """Turn logarithms of commonalities into masses.

    Parameters
    ----------
    logs : ndarray of shape (n_samples, n_classes + 1)
        Logarithms of the commonalities of the classes, then of Theta, before normalisation.
    temperature : float
        How many times over evidence was counted (T).

    Returns
    -------
    mass : ndarray of shape (n_samples, n_classes)
        Normalised masses of the classes.
    ignorance : ndarray of shape (n_samples,)
        Normalised mass of Theta; 1 if no class is possible.
    log_agreement : ndarray of shape (n_samples,)
        Logarithm of what the sources agree on.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.tempering import temper
    >>> logs = np.log([[0.9, 0.2, 0.1]])
    >>> [part.round(3) for part in temper(logs, 1.0)]
    [array([[0.8, 0.1]]), array([0.1]), array([-0.])]
    >>> [part.round(3) for part in temper(logs, 4.0)]
    [array([[0.381, 0.098]]), array([0.52]), array([0.])]
    """
    tempered = logs / temperature
    greatest = tempered[:, :-1].max(axis=1)
    is_possible = np.isfinite(greatest)
    shift = np.where(is_possible, greatest, 0.0)[:, np.newaxis]
    commonality = np.exp(tempered - shift)
    theta = commonality[:, -1]
    mass = np.maximum(commonality[:, :-1] - theta[:, np.newaxis], 0.0)
    total = mass.sum(axis=1) + theta
    whole = np.where(is_possible, total, 1.0)
    with np.errstate(divide="ignore"):
        log_agreement = np.where(is_possible, shift[:, 0] + np.log(whole), -np.inf)
    return (
        mass / whole[:, np.newaxis],
        np.where(is_possible, theta / whole, 1.0),
        np.minimum(log_agreement, 0.0),
    )


def choose_temperature(logs: Array, labels: NDArray[Any]) -> float:
    """Find the temperature whose pignistic probabilities predict held-out rows best.

    Parameters
    ----------
    logs : ndarray of shape (n_samples, n_classes + 1)
        Logarithms of the commonalities of rows that the rules have not seen.
    labels : ndarray of shape (n_samples,)
        Numbers of their classes.

    Returns
    -------
    float
        From 1, evidence counts as it is, to 10,000.
    """
    n_classes = logs.shape[1] - 1
    rows = np.arange(len(labels))

    def loss(log_temperature: float) -> float:
        mass, ignorance, _ = temper(logs, float(np.exp(log_temperature)))
        own = mass[rows, labels] + ignorance / n_classes
        return -float(np.log(np.maximum(own, LEAST_PROBABILITY)).mean())

    # A look around first, because the loss may have more than one valley.
    candidates = np.linspace(0.0, np.log(GREATEST), 30)
    losses = [loss(candidate) for candidate in candidates]
    best = int(np.argmin(losses))
    bounds = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x if found.fun < losses[best] else candidates[best]))
