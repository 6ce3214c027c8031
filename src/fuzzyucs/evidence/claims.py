"""Claims: evidence that experts state, as a prior that data strengthen or weaken.

A claim is a simple support function: where a rule matches, the mass r, its reliability, on one
class, and the rest on "I don't know". Other classes are less probable by the factor 1 - r then, so
that the logarithm of the class's odds grows by the strength s = -log(1 - r) times the degree to
which the rule matches; where it does not match it says nothing. A claim against a class makes its
odds less by the same factor.

A claim is worth a number of records: as if so many had been seen that match the rule and nothing
else, with as many of the class as the claim says. With base rates a, that is the share

    t = a / (a + (1 - a) (1 - r))

of them. The strengths maximise the likelihood of these and of the data together, a convex problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_softmax, logit

__all__ = ["LEAST_STRENGTH", "Claims", "as_reliability", "as_strength", "fit_strengths"]

# What is left of a claim that data take back: enough to name its class.
LEAST_STRENGTH = 1e-6
GREATEST_STRENGTH = 30.0  # of a claim that no data contradict, and that is worth next to nothing
MOST_STEPS = 100
TOLERANCE = 1e-10  # of the gain of a step, in units of the log-likelihood of a row
HALVINGS = 40
SUM_BITS = 61  # of sums in whole numbers, which do not depend on the order of rows

Array = NDArray[np.float64]


def as_strength(reliability: ArrayLike) -> Array:
    """Return the log-odds by which claims of some reliabilities shift the odds of their classes.

    Examples
    --------
    >>> from fuzzyucs.evidence.claims import as_reliability, as_strength
    >>> as_strength([0.5, 0.8]).round(3)
    array([0.693, 1.609])
    >>> as_reliability(as_strength([0.8])).round(3)
    array([0.8])
    """
    return np.asarray(-np.log1p(-np.asarray(reliability, dtype=float)))


def as_reliability(strength: ArrayLike) -> Array:
    """Return the reliabilities of claims of some strengths."""
    return np.asarray(-np.expm1(-np.asarray(strength, dtype=float)))


@dataclass(frozen=True, eq=False)
class Claims:
    """What experts state, one entry per rule.

    Parameters
    ----------
    label : ndarray of shape (n_claims,)
        Index of the class that each claim is about.
    is_against : ndarray of bool of shape (n_claims,)
        Whether it speaks against the class.
    reliability : ndarray of shape (n_claims,)
        Between 0 and 1.
    worth : ndarray of shape (n_claims,)
        How many records each counts as.
    """

    label: NDArray[np.intp]
    is_against: NDArray[np.bool_]
    reliability: Array
    worth: Array

    def __len__(self) -> int:
        return len(self.label)

    @property
    def sign(self) -> Array:
        """1 for claims for a class, -1 for those against one."""
        return np.where(self.is_against, -1.0, 1.0)

    @property
    def strength(self) -> Array:
        """The strengths that the experts state."""
        return as_strength(self.reliability)

    def profiles(self, strength: Array, n_classes: int) -> Array:
        """Return what claims of these strengths say about each class.

        Parameters
        ----------
        strength : ndarray of shape (n_claims,)
            Strengths.
        n_classes : int
            Number of classes.

        Returns
        -------
        ndarray of shape (n_claims, n_classes)
        """
        found = np.zeros((len(self), n_classes))
        found[np.arange(len(self)), self.label] = self.sign * strength
        return found

    def scores(self, degrees: Array, strength: Array, n_classes: int) -> Array:
        """Return what claims say about each class, row by row.

        A row gets the same numbers wherever it stands, to the last bit, which a product of
        matrices does not promise.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_claims)
            Degrees to which the rules match.
        strength : ndarray of shape (n_claims,)
            Strengths.
        n_classes : int
            Number of classes.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        found = np.zeros((len(degrees), n_classes))
        for k, amount in enumerate((self.sign * strength).tolist()):
            found[:, self.label[k]] += amount * degrees[:, k]
        return found


def fit_strengths(
    claims: Claims,
    degrees: Array,
    labels: NDArray[Any],
    log_rates: Array,
    *,
    sample_weight: Array | None = None,
) -> Array:
    """Find strengths by the likelihood of data and of what the claims are worth.

    Parameters
    ----------
    claims : Claims
        What experts state.
    degrees : ndarray of shape (n_samples, n_claims)
        Degrees to which the rules match the data.
    labels : ndarray of shape (n_samples,)
        Class indices.
    log_rates : ndarray of shape (n_classes,)
        Logarithms of the base rates.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    ndarray of shape (n_claims,)
        Strengths, 1e-6 at least.

    Examples
    --------
    A claim of reliability 0.8 makes a class with the base rate 0.5 probable by 5 in 6. Of twelve
    records that match, six have the class; worth twelve records, it ends in the middle, 8 in 12.

    >>> import numpy as np
    >>> from fuzzyucs.evidence.claims import Claims, as_reliability, fit_strengths
    >>> one = np.array([0.8]), np.array([12.0])
    >>> claims = Claims(np.array([1]), np.array([False]), *one)
    >>> labels = np.repeat([0, 1], 6)
    >>> found = fit_strengths(claims, np.ones((12, 1)), labels, np.log([0.5, 0.5]))
    >>> as_reliability(found).round(3)
    array([0.5])
    """
    weight = np.ones(len(labels)) if sample_weight is None else sample_weight
    problem = _Problem(claims, degrees, labels, log_rates, weight)
    strength = claims.strength
    value, slope, curvature = problem.at(strength)
    for _ in range(MOST_STEPS):
        is_free = ~((strength <= LEAST_STRENGTH) & (slope > 0))
        is_free &= ~((strength >= GREATEST_STRENGTH) & (slope < 0))
        step = np.zeros(len(strength))
        part = curvature[np.ix_(is_free, is_free)]
        ridge = 1e-9 * max(float(np.trace(part)), 1e-9) * np.eye(len(part))
        step[is_free] = -np.linalg.solve(part + ridge, slope[is_free])
        for _ in range(HALVINGS):
            tried = np.clip(strength + step, LEAST_STRENGTH, GREATEST_STRENGTH)
            expected = -float(slope @ (tried - strength))
            found = problem.at(tried)
            if found[0] <= value - 1e-4 * expected:
                break
            step /= 2
        else:
            break  # what is left is rounding
        strength, (value, slope, curvature) = tried, found
        if expected <= TOLERANCE:
            break
    return strength


class _Problem:
    """Minus the logarithm of the likelihood, with derivatives by strengths."""

    def __init__(
        self,
        claims: Claims,
        degrees: Array,
        labels: NDArray[Any],
        log_rates: Array,
        weight: Array,
    ) -> None:
        self.claims, self.degrees, self.labels, self.weight = claims, degrees, labels, weight
        self.log_rates = log_rates
        self.rows = np.arange(len(labels))
        own = np.minimum(np.exp(log_rates[claims.label]), 1 - 1e-12)
        self.start = logit(own)  # log-odds without evidence
        self.wanted = expit(self.start + claims.sign * claims.strength)
        greatest = max(float(weight.max(initial=0.0)), 1.0) * max(len(labels), 1) * 64
        self.unit = 2.0 ** (SUM_BITS - int(np.ceil(np.log2(greatest))))

    def _sum(self, terms: Array) -> Array:
        """Add up terms, at most 64 times the greatest weight each, in whole numbers."""
        sums: Array = np.rint(terms * self.unit).astype(np.int64).sum(axis=0) / self.unit
        return sums

    def at(self, strength: Array) -> tuple[float, Array, Array]:
        """Return the value, its slopes and its curvature."""
        claims, n = self.claims, len(strength)
        scores = self.log_rates + claims.scores(self.degrees, strength, len(self.log_rates))
        logs = log_softmax(scores, axis=1)
        losses = np.minimum(-logs[self.rows, self.labels], 64.0)
        probability = np.exp(logs)
        # What a claim adds to, row by row, and its mean over the classes.
        own = probability[:, claims.label]
        is_own = self.labels[:, np.newaxis] == claims.label
        weighted = self.weight[:, np.newaxis] * self.degrees
        slope = self._sum(weighted * (own - is_own)) * claims.sign
        curvature = np.empty((n, n))
        for k in range(n):
            is_same = claims.label == claims.label[k]
            spread = own[:, k, np.newaxis] * (is_same - own)
            part = self._sum(weighted[:, k, np.newaxis] * self.degrees * spread)
            curvature[k] = part * claims.sign[k] * claims.sign
        value = float(self._sum(self.weight * losses))
        odds = self.start + claims.sign * strength
        likely = expit(odds)
        value += float(
            -(claims.worth * (self.wanted * _log(odds) + (1 - self.wanted) * _log(-odds))).sum()
        )
        slope += claims.worth * claims.sign * (likely - self.wanted)
        curvature[np.diag_indices(n)] += claims.worth * likely * (1 - likely)
        return value, slope, curvature


def _log(odds: Array) -> Array:
    """Return the logarithm of a probability, given its log-odds."""
    logs: Array = -np.logaddexp(0.0, -odds)
    return logs
