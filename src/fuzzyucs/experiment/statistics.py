"""Comparison of systems over many data sets, as in the article.

The article ranks systems by Friedman's test, compares each with a reference by Wilcoxon's
signed-rank test, and corrects for the number of comparisons by Holm's method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

__all__ = [
    "Comparison",
    "average_ranks",
    "compare",
    "friedman",
    "holm",
    "mark",
    "positions",
    "signed_rank",
]

SIGNIFICANT = 0.05
FEWEST_PAIRS = 6
"""Of five pairs, the signed-rank test finds no difference significant."""


def average_ranks(means: pd.DataFrame, *, greater_is_better: bool = True) -> pd.Series:
    """Rank the systems on each data set and average; the best has rank 1, equals share ranks.

    Parameters
    ----------
    means : DataFrame
        A row for each data set, a column for each system.
    greater_is_better : bool
        Whether the greatest value is the best.

    Returns
    -------
    Series
        Average rank of each system.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.experiment.statistics import average_ranks
    >>> average_ranks(pd.DataFrame({"A": [90, 80], "B": [70, 80]})).tolist()
    [1.25, 1.75]
    """
    return means.rank(axis=1, ascending=not greater_is_better).mean()


def positions(ranks: pd.Series) -> pd.Series:
    """Return the position of each system in the final ranking; equals share positions.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.experiment.statistics import positions
    >>> positions(pd.Series({"A": 1.0, "B": 3.5, "C": 3.5, "D": 2.0})).tolist()
    [1.0, 3.5, 3.5, 2.0]
    """
    return ranks.rank()


def friedman(means: pd.DataFrame) -> float:
    """Return the p-value of Friedman's test that all systems are equally good.

    Examples
    --------
    >>> from fuzzyucs.experiment.published import published_means
    >>> from fuzzyucs.experiment.statistics import friedman
    >>> friedman(published_means("f1_10", "test")) < 0.001
    True
    """
    values = means.to_numpy()
    if (values == values[:, :1]).all():
        return 1.0  # nothing to rank
    return float(stats.friedmanchisquare(*values.T).pvalue)


def holm(p: pd.Series) -> pd.Series:
    """Correct p-values for their number by Holm's step-down method.

    Parameters
    ----------
    p : Series
        A p-value for each comparison.

    Returns
    -------
    Series
        The corrected p-values, in the same order.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.experiment.statistics import holm
    >>> holm(pd.Series({"A": 0.04, "B": 0.01, "C": 0.03})).to_dict()
    {'A': 0.06, 'B': 0.03, 'C': 0.06}
    """
    ordered = p.sort_values(kind="stable")
    factors = np.arange(len(p), 0, -1)
    return (ordered * factors).cummax().clip(upper=1.0).reindex(p.index)


def signed_rank(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test.

    As in the article: pairs without a difference are left out. If all others differ by different
    amounts the distribution is exact, otherwise normal with correction for continuity.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Paired values.

    Returns
    -------
    float
        1 if no pair differs.

    Examples
    --------
    >>> from fuzzyucs.experiment.published import published_means
    >>> from fuzzyucs.experiment.statistics import signed_rank
    >>> means = published_means("f1_10", "test")
    >>> round(signed_rank(means["UCS"], means["DS"]), 5)  # published: 0.00322
    0.00322
    """
    difference = np.asarray(first, float) - np.asarray(second, float)
    difference = difference[difference != 0]
    if not difference.size:
        return 1.0
    has_ties = np.unique(np.abs(difference)).size < difference.size
    method = "approx" if has_ties else "exact"
    return float(stats.wilcoxon(difference, method=method, correction=has_ties).pvalue)


@dataclass(frozen=True)
class Comparison:
    """How systems compare with a reference over many data sets.

    Attributes
    ----------
    reference : str
        The system that all others are compared with; empty if systems were compared in pairs.
    n_datasets : int
        Number of data sets.
    ranks, positions : Series
        Average rank of each system, and its position in the final ranking.
    p_friedman : float
        Whether there is any difference at all.
    p, p_holm : Series
        Wilcoxon's signed-rank test of each system against the reference, without and with Holm's
        correction.
    """

    reference: str
    n_datasets: int
    ranks: pd.Series
    positions: pd.Series
    p_friedman: float
    p: pd.Series
    p_holm: pd.Series


def compare(
    means: pd.DataFrame, reference: str = "DS", *, greater_is_better: bool = True
) -> Comparison:
    """Compare systems with a reference over many data sets.

    Parameters
    ----------
    means : DataFrame
        A row for each data set, a column for each system.
    reference : str
        The system that all others are compared with.
    greater_is_better : bool
        Whether the greatest value is the best.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from fuzzyucs.experiment.published import published_means
    >>> from fuzzyucs.experiment.statistics import compare
    >>> comparison = compare(published_means("f1_10", "test"))
    >>> comparison.ranks.round(2).to_dict()
    {'UCS': 3.2, 'VOTE': 2.32, 'SWIN': 2.63, 'DS': 1.85}
    >>> comparison.p_holm.round(4).to_dict()
    {'UCS': 0.0097, 'VOTE': 0.0332, 'SWIN': 0.0116}
    """
    if reference not in means:
        raise ValueError(f"reference must be one of {list(means)}, got {reference!r}")
    ranks = average_ranks(means, greater_is_better=greater_is_better)
    others = [system for system in means if system != reference]
    p = pd.Series({s: signed_rank(means[s], means[reference]) for s in others}, dtype=float)
    return Comparison(
        reference,
        len(means),
        ranks,
        positions(ranks),
        friedman(means) if len(others) > 1 else float("nan"),
        p,
        holm(p),
    )


def mark(runs: ArrayLike, reference: ArrayLike) -> str:
    """Tell whether a system's runs on one data set are better than those of a reference.

    Parameters
    ----------
    runs, reference : array-like of shape (n_runs,)
        Scores on the same splits.

    Returns
    -------
    {"+", "-", "~"}
        Significantly better, worse, or neither (Wilcoxon's signed-rank test).

    Examples
    --------
    >>> from fuzzyucs.experiment.statistics import mark
    >>> mark([0.9, 0.8, 0.7, 0.9, 0.8, 0.95], [0.5, 0.45, 0.4, 0.61, 0.35, 0.6])
    '+'
    """
    if signed_rank(runs, reference) >= SIGNIFICANT:
        return "~"
    return "+" if np.asarray(runs, float).mean() > np.asarray(reference, float).mean() else "-"
