"""Rules as sources of evidence, one by one: masses, and amounts in a ledger."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.commonality import held_against, log_commonality
from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["log_commonalities", "sources"]

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
    commonality = np.exp(strength[:, np.newaxis] * logs)
    theta = commonality[:, :, -1:]
    mass = np.maximum(commonality[:, :, :-1] - theta, 0.0)
    masses: Array = mass / (mass.sum(axis=2, keepdims=True) + theta)
    return masses
