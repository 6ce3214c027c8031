"""Tempering: overconfident beliefs, calibrated by two numbers.

Commonalities to the power 1 / T are those of Dempster-Shafer theory again, in the same order: T
says how many times over the same evidence was counted. A discount then takes back a small part of
all evidence, since what all rules exclude still happens now and then. The most believed class stays
the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from fuzzyucs._util import portable_math

__all__ = ["Tempering", "temper"]

GREATEST = 1e4
TINY = 1e-12

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tempering:
    """How far beliefs may be trusted.

    Attributes
    ----------
    temperature : float
        How many times over evidence was counted (T), from 1 to 10,000.
    discount : float
        Share of all evidence that is taken back.
    """

    temperature: float
    discount: float

    @classmethod
    def fit(
        cls, logs: Array, labels: NDArray[Any], sample_weight: Array | None = None
    ) -> Tempering:
        """Find the numbers whose pignistic probabilities predict held-out rows best.

        Parameters
        ----------
        logs : ndarray of shape (n_samples, n_classes + 1)
            Logarithms of the commonalities of rows that the rules have not seen.
        labels : ndarray of shape (n_samples,)
            Numbers of their classes.
        sample_weight : ndarray of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        Tempering
        """
        # A coarse grid first, because the loss may have more than one minimum.
        candidates = np.linspace(0.0, math.log(GREATEST), 30)
        losses = [_best_discount(logs, labels, sample_weight, t)[1] for t in candidates]
        best = int(np.argmin(losses))
        bounds = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
        found = minimize_scalar(
            lambda t: _best_discount(logs, labels, sample_weight, t)[1],
            bounds=bounds,
            method="bounded",
            options={"xatol": 1e-3},
        )
        log_temperature = found.x if found.fun < losses[best] else candidates[best]
        discount, _ = _best_discount(logs, labels, sample_weight, log_temperature)
        return cls(float(portable_math.exp(log_temperature)), discount)

    def apply(self, logs: Array) -> tuple[Array, Array, Array]:
        """Turn logarithms of commonalities into calibrated masses.

        Parameters
        ----------
        logs : ndarray of shape (n_samples, n_classes + 1)
            Logarithms of the commonalities of the classes, then of Theta.

        Returns
        -------
        mass, ignorance, log_agreement : ndarray
            As those of `temper`.
        """
        mass, ignorance, log_agreement = temper(logs, self.temperature)
        kept = 1 - self.discount
        return mass * kept, self.discount + kept * ignorance, log_agreement


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
    >>> from fuzzyucs.evidence.tempering import temper
    >>> logs = np.log([[0.9, 0.2, 0.1]])
    >>> [part.round(3) for part in temper(logs, 1.0)]
    [array([[0.8, 0.1]]), array([0.1]), array([0.])]
    >>> [part.round(3) for part in temper(logs, 4.0)]
    [array([[0.381, 0.098]]), array([0.52]), array([0.])]
    """
    tempered = logs / temperature
    greatest = tempered[:, :-1].max(axis=1)
    is_possible = np.isfinite(greatest)
    shift = np.where(is_possible, greatest, 0.0)[:, np.newaxis]
    commonality = portable_math.exp(tempered - shift)
    theta = commonality[:, -1]
    mass = np.maximum(commonality[:, :-1] - theta[:, np.newaxis], 0.0)
    total = mass.sum(axis=1) + theta
    whole = np.where(is_possible, total, 1.0)
    log_agreement = np.where(is_possible, shift[:, 0] + portable_math.log(whole), -np.inf)
    return (
        mass / whole[:, np.newaxis],
        np.where(is_possible, theta / whole, 1.0),
        np.minimum(log_agreement, 0.0),
    )


def _best_discount(
    logs: Array, labels: NDArray[Any], sample_weight: Array | None, log_temperature: float
) -> tuple[float, float]:
    """Return the discount that fits a temperature best, and the log-loss with it."""
    n_classes = logs.shape[1] - 1
    mass, ignorance, _ = temper(logs, float(portable_math.exp(log_temperature)))
    own = mass[np.arange(len(labels)), labels] + ignorance / n_classes

    def loss(discount: float) -> float:
        p = (1 - discount) * own + discount / n_classes
        return -float(np.average(portable_math.log(np.maximum(p, TINY)), weights=sample_weight))

    least = 1 / (len(labels) + 1)  # what did not happen in so many rows may happen in the next
    found = minimize_scalar(loss, bounds=(least, 1.0), method="bounded")
    candidates = [(loss(least), least), (float(found.fun), float(found.x))]
    best, discount = min(candidates)
    return discount, best
