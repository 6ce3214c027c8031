"""Rules as sources of evidence, one by one: masses, and amounts in a ledger."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util import portable_math
from fuzzyucs.evidence.commonality import held_against, log_commonality
from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["log_commonalities", "sources"]

LEAST_LOG = -700.0  # whose exponential has all its digits

Array = NDArray[np.float64]


def log_commonalities(rules: RuleSet, degrees: Array) -> Array:
    """Return what each rule adds to the logarithm of each commonality, that of Theta last.

    Parameters
    ----------
    rules : RuleSet
    degrees : ndarray of shape (n_rules,)
        Degrees to which rules match a record.

    Returns
    -------
    ndarray of shape (n_rules, n_classes + 1)
    """
    against = held_against(rules.weights, rules.rule_ignorance)
    logs = log_commonality(degrees[:, np.newaxis], against)
    amounts: Array = rules.evidence_strength[:, np.newaxis] * logs
    return amounts


def sources(rules: RuleSet, degrees: Array, count: NDArray[np.uint32]) -> Array:
    """Return the masses that each source gives to classes.

    Parameters
    ----------
    rules : RuleSet
    degrees : ndarray of shape (n_samples, n_rules)
        Degrees to which rules match.
    count : ndarray of shape (n_rules,)
        How many sources each rule stands for; they share its strength.

    Returns
    -------
    ndarray of shape (n_samples, n_rules, n_classes)
        What they lack to 1 is mass of "I don't know".
    """
    strength = rules.evidence_strength / count
    if (strength == 1).all() and not rules.rule_ignorance.any():
        plain: Array = degrees[:, :, np.newaxis] * rules.weights
        return plain
    against = held_against(rules.weights, rules.rule_ignorance)
    logs = log_commonality(degrees[:, :, np.newaxis], against)
    # A rule of strength 0 says nothing, whatever it holds against a class.
    scaled = np.multiply(
        strength[:, np.newaxis], logs, out=np.zeros(logs.shape), where=strength[:, np.newaxis] > 0
    )
    # Masses are relative: where all commonalities would vanish, the greatest is taken for 1.
    greatest = scaled.max(axis=2, keepdims=True)
    scaled -= np.where((greatest < LEAST_LOG) & (greatest > -np.inf), greatest, 0.0)
    commonality = portable_math.exp(scaled)
    theta = commonality[:, :, -1:]
    mass = np.maximum(commonality[:, :, :-1] - theta, 0.0)
    total = mass.sum(axis=2, keepdims=True) + theta
    masses: Array = mass / np.where(total > 0, total, 1.0)
    return masses
