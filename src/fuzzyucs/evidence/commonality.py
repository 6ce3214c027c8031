"""The commonality of one rule: what it leaves to each class. Everything in Python takes it here.

A rule that matches to the degree mu, with the weights v and the ignorance t, is a body of evidence
whose commonality is ``1 - mu (1 - t - v_i)`` for class i and ``1 - mu (1 - t)`` for Theta. The
bracket is what the rule holds against the class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util import portable_math

__all__ = ["held_against", "log_commonality"]

Array = NDArray[np.float64]


def held_against(weights: Array, ignorance: Array) -> Array:
    """Return what rules hold against each class, and last against Theta.

    Parameters
    ----------
    weights : ndarray of shape (n_rules, n_classes)
        Weights of the rules (v).
    ignorance : ndarray of shape (n_rules,)
        Mass that each rule leaves on Theta where it matches fully (t).

    Returns
    -------
    ndarray of shape (n_rules, n_classes + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.commonality import held_against
    >>> held_against(np.array([[0.5, 0.25]]), np.array([0.25]))
    array([[0.25, 0.5 , 0.75]])
    """
    theta = np.zeros((len(weights), 1))
    against: Array = (1 - ignorance)[:, np.newaxis] - np.hstack([weights, theta])
    return against


def log_commonality(degrees: Array, against: Array | float = 1.0) -> Array:
    """Return logarithms of commonalities; that of what is excluded is minus infinity.

    Parameters
    ----------
    degrees : ndarray
        Degrees to which rules match (mu).
    against : ndarray, optional
        What they hold against a class or Theta; of a shape that fits. Left out if the degrees are
        multiplied by it already.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.commonality import log_commonality
    >>> np.exp(log_commonality(np.array([0.0, 0.5, 1.0]), np.array([1.0, 1.0, 1.0])))
    array([1. , 0.5, 0. ])
    """
    return portable_math.log1p(-degrees * against)
