"""Gaps that depend on the class: missing values that would be evidence."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

__all__ = ["informative_gaps", "warn_of_gaps"]

SIGNIFICANT = 0.001  # probability up to which a dependence is taken for more than chance
NAMED = 5  # features in a message


def informative_gaps(
    X: NDArray[np.float64], labels: NDArray[np.uint32], n_classes: int
) -> list[int]:
    """Find features whose values are missing more often in some classes than in others.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training data.
    labels : ndarray of shape (n_samples,)
        Indices of the classes.
    n_classes : int
        Number of classes.

    Returns
    -------
    list of int
        Indices of the features, the most dependent first: those for which a G-test, corrected for
        the number of features with gaps (Bonferroni), is significant at 0.001, and whose gaps no
        other feature tells exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.gaps import informative_gaps
    >>> X = np.ones((60, 2))
    >>> X[:20, 0] = X[::3, 1] = np.nan
    >>> informative_gaps(X, np.repeat(np.array([0, 1], dtype=np.uint32), 30), 2)
    [0]
    """
    is_missing = np.isnan(X)
    features = np.flatnonzero(is_missing.any(axis=0) & ~is_missing.all(axis=0))
    rows = np.bincount(labels, minlength=n_classes).astype(float)
    probability = {}
    for feature in features.tolist():
        gaps = np.bincount(labels[is_missing[:, feature]], minlength=n_classes)
        observed = np.stack([gaps, rows - gaps])
        expected = observed.sum(axis=1, keepdims=True) * rows / rows.sum()
        ratio = observed[observed > 0] / expected[observed > 0]
        g = 2 * float(observed[observed > 0] @ np.log(ratio))
        probability[feature] = float(chi2.sf(g, max(int((rows > 0).sum()) - 1, 1)))
    found = [f for f, p in probability.items() if p * len(features) < SIGNIFICANT]
    found = [feature for feature in found if not _is_told(X, is_missing[:, feature])]
    return sorted(found, key=lambda feature: (probability[feature], feature))


def _is_told(X: NDArray[np.float64], gaps: NDArray[np.bool_]) -> bool:
    """Tell whether a feature has one value where there is a gap, and another one elsewhere."""
    there, elsewhere = X[gaps], X[~gaps]
    is_constant = (there == there[0]).all(axis=0) & (elsewhere == elsewhere[0]).all(axis=0)
    return bool((is_constant & (there[0] != elsewhere[0])).any())


def warn_of_gaps(names: Sequence[str], *, stacklevel: int) -> None:
    """Warn if gaps of some features depend on the class, and tell what to do.

    Parameters
    ----------
    names : sequence of str
        These features. If there are none, nothing happens.
    stacklevel : int
        Whose line to blame; 1 is this function's own.
    """
    if not names:
        return
    listed = ", ".join(repr(name) for name in names[:NAMED])
    if len(names) > NAMED:
        listed += f" and {len(names) - NAMED} more"
    first = names[0]
    message = (
        f"whether values are missing depends on the class (features {listed}), but that a value is "
        "missing is no evidence to this model. If values will be missing for the same reasons "
        "where the model is used, add columns that say so, for example "
        f"X.assign(**{{{f'{first} is known'!r}: X[{first!r}].notna()}})"
    )
    warnings.warn(message, UserWarning, stacklevel=stacklevel)
