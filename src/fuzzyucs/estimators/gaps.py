"""Gaps that depend on the class: missing values that would be evidence."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from fuzzyucs.variables.table import Table

__all__ = ["informative_gaps", "warn_of_gaps"]

SIGNIFICANT = 0.001  # probability up to which a dependence is taken for more than chance
NAMED = 5  # features in a message


def informative_gaps(
    X: NDArray[np.float64] | Table, labels: NDArray[np.uint32], n_classes: int
) -> list[int]:
    """Find features whose values are missing more often in some classes than in others.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or Table
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
    table = Table.of(X)
    rows = np.bincount(labels, minlength=n_classes).astype(float)
    probability = {}
    for feature, column in enumerate(table.columns):
        is_missing = column.are_missing()
        if not is_missing.any() or is_missing.all():
            continue
        gaps = np.bincount(labels[is_missing], minlength=n_classes)
        observed = np.stack([gaps, rows - gaps])
        expected = observed.sum(axis=1, keepdims=True) * rows / rows.sum()
        ratio = observed[observed > 0] / expected[observed > 0]
        g = 2 * float(observed[observed > 0] @ np.log(ratio))
        probability[feature] = float(chi2.sf(g, max(int((rows > 0).sum()) - 1, 1)))
    found = [f for f, p in probability.items() if p * len(probability) < SIGNIFICANT]
    found = [f for f in found if not _is_told(table, table.columns[f].are_missing())]
    return sorted(found, key=lambda feature: (probability[feature], feature))


def _is_told(table: Table, gaps: NDArray[np.bool_]) -> bool:
    """Tell whether a feature has one value where there is a gap, and another one elsewhere."""
    for feature in range(table.n_features):
        x = table.column(feature)
        there, elsewhere = x[gaps], x[~gaps]
        is_constant = (there == there[0]).all() and (elsewhere == elsewhere[0]).all()
        if is_constant and there[0] != elsewhere[0]:
            return True
    return False


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
        f"where the model is used, add columns that say so, such as {f'{first} is known'!r}; with "
        f"pandas for example X.assign(**{{{f'{first} is known'!r}: X[{first!r}].notna()}})"
    )
    warnings.warn(message, UserWarning, stacklevel=stacklevel)
