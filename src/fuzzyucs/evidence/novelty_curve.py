"""The curve from how surprising a record is to its novelty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util import portable_math

__all__ = ["EXPONENT", "ORDINARY", "curve", "ordinary_scores"]

ORDINARY = 0.03  # mean novelty of records like those of the training data
# Records from which on not the share of those as surprising as another counts, but their number: a
# hundred are enough to know what is usual among such records, however many others there are.
MANY = 1000
N_KNOTS = 101
EXPONENT = 1 / (1 / ORDINARY - 1)  # novelty ** EXPONENT is 1 - p
TAIL = 0.1  # share of the records that tell how fast the most surprising become rare

Array = NDArray[np.float64]


def curve(scores: Array, n_rows: int) -> tuple[Array, Array, float]:
    """Describe the scores of ordinary records: knots, their novelty, and the tail beyond.

    Parameters
    ----------
    scores : ndarray of shape (n_scores,)
        How surprising ordinary records are.
    n_rows : int
        Number of records of the training data that they stand for.

    Returns
    -------
    knots, levels : ndarray of shape (n_knots,)
        Ascending scores, and the novelty of a record with each of them.
    tail : float
        By how much the score has to grow to become e times rarer, beyond the greatest.
    """
    ordered = np.sort(scores)
    exponent = _exponent(n_rows)
    # A record with the greatest score of all has p = 1/n; knots are dense where p is small.
    greatest = (1 - 1 / n_rows) ** (1 / exponent)
    levels = np.linspace(0.0, greatest, N_KNOTS)
    ranks = np.minimum(portable_math.power(levels, exponent) * len(ordered), len(ordered) - 1)
    knots = np.interp(ranks, np.arange(len(ordered)), ordered)
    start = np.quantile(ordered, 1 - TAIL)
    excess = ordered[ordered >= start] - start
    return knots, levels, float(max(excess.mean(), 1e-3))


def ordinary_scores(knots: Array, levels: Array, shares: Array, n_rows: int) -> Array:
    """Return the scores that shares of the ordinary records have at most.

    Parameters
    ----------
    knots, levels : ndarray of shape (n_knots,)
        As `curve` returns them.
    shares : ndarray
        From 0 to 1. Below 0.87, where novelty is next to nothing, scores are rough: between the
        least and that of the share 0.87.
    n_rows : int
        Number of records of the training data.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.novelty_curve import curve, ordinary_scores
    >>> scores = np.random.default_rng(0).normal(size=500)
    >>> knots, levels, _ = curve(scores, 500)
    >>> shares = np.array([0.9, 0.99])
    >>> found = ordinary_scores(knots, levels, shares, 500)
    >>> bool(abs(found - np.quantile(scores, shares)).max() < 0.2)
    True
    """
    found: Array = np.interp(shares, portable_math.power(levels, _exponent(n_rows)), knots)
    return found


def _exponent(n_rows: int) -> float:
    """Return which power of 1 - p novelty is the inverse of.

    Of many records, the share p counts as that among MANY: 1 - p becomes its power.
    """
    return EXPONENT / max(1.0, n_rows / MANY)
