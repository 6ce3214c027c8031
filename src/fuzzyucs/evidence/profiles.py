"""Class profiles: what each rule says about each class.

A rule speaks where it matches more, and where it matches less, than is expected of a record of
which nothing is known,

    log p_i(x) = log a_i + sum_k (mu_k(x) - mean_k) beta_ki + constant,

a being base rates, mu_k the degree to which rule k matches, mean_k its mean and beta_k its profile.
Profiles that maximise the likelihood of the training data, with a penalty, are the solution of a
convex problem. A rule may speak by its natural profile, how many times more frequent each class is
where it matches, for the price of one entry; entries that differ from it have a price of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core

__all__ = ["ClassProfiles", "fit_profiles", "fit_rule_profiles"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClassProfiles:
    """What `fit_profiles` found.

    Attributes
    ----------
    profile : ndarray of shape (n_rules, n_classes)
        What each rule adds to the log-odds of each class for each degree more (beta).
    mean : ndarray of shape (n_rules,)
        Degree to which each rule is expected to match if nothing is known.
    log_shares : ndarray of shape (n_classes,)
        Logarithms of the shares of the classes in the training data. A class without rows counts
        as half a row.
    objective : float
        Negative log-likelihood with penalties.
    converged : bool
        Whether it is the least possible, up to the tolerance.
    """

    profile: Array
    mean: Array
    log_shares: Array
    objective: float
    converged: bool

    def log_odds(self, degrees: Array) -> Array:
        """Return the score of each class, up to a constant of each row.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_rules)
            Degrees to which rules match.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores: Array = self.log_shares + (degrees - self.mean) @ self.profile
        return scores


def fit_profiles(
    degrees: Array,
    labels: NDArray[Any],
    n_classes: int,
    *,
    penalty: float | ArrayLike,
    mean: Array | None = None,
    sample_weight: Array | None = None,
    start: Array | None = None,
    tolerance: float = 1e-7,
    max_sweeps: int = 200,
) -> ClassProfiles:
    """Find class profiles by penalised likelihood.

    A profile is ``w * g + d``. g is the natural profile of a rule: logarithms of how many times
    more frequent classes are where it matches, divided by their range. w >= 0 is its strength; d
    adjusts single entries, each in the direction of g. Newton's method, for all w and then for d of
    one class after the other, minimises ``-sum log p(label) + sum penalty * (w + sum abs(d))``.
    Base rates are the shares of the classes. With two classes, only d of the second is not 0.

    Parameters
    ----------
    degrees : ndarray of shape (n_samples, n_rules)
        Degrees in [0, 1] to which rules match the training data.
    labels : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
        Number of classes.
    penalty : float or array-like of shape (n_rules,)
        Penalty of a strength or an adjustment of 1, for all rules or for each.
    mean : ndarray of shape (n_rules,), optional
        Degree to which each rule is expected to match if nothing is known; by default the weighted
        mean of its degrees.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    start : ndarray of shape (n_rules, n_classes), optional
        Profiles to begin with, for speed.
    tolerance : float
        How far the objective may be from the least possible, about.
    max_sweeps : int
        Greatest number of Newton steps for each class.

    Returns
    -------
    ClassProfiles

    Examples
    --------
    A rule that matches half of the rows, most of them of the second class, and one that matches
    all, which carries no information.

    >>> import numpy as np
    >>> from fuzzyucs.evidence.profiles import fit_profiles
    >>> labels = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    >>> degrees = np.array([[0.0, 1.0]] * 4 + [[1.0, 1.0]] * 4)
    >>> fit_profiles(degrees, labels, 2, penalty=0.1).profile.round(1)
    array([[0. , 1.9],
           [0. , 0. ]])
    """
    weight = np.ones(len(labels)) if sample_weight is None else sample_weight
    if mean is None:
        mean = np.clip(weight @ degrees / weight.sum(), 0.0, 1.0)
    solver = _core.ClassProfiles(labels.astype(np.uint32), weight, n_classes)
    penalties = np.broadcast_to(np.asarray(penalty, dtype=float), degrees.shape[1])
    for column, centre, price in zip(degrees.T, mean, penalties, strict=True):
        solver.add(np.ascontiguousarray(column), float(centre), float(price))
    return _solved(solver, mean, start, tolerance, max_sweeps)


def fit_rule_profiles(
    rules: _core.RuleDegrees,
    positions: Array,
    labels: NDArray[np.uint32],
    n_classes: int,
    *,
    penalty: Array,
    mean: Array,
    sample_weight: Array,
    start: Array | None = None,
    tolerance: float = 1e-7,
    max_sweeps: int = 200,
) -> ClassProfiles:
    """Do the same as `fit_profiles` without a table of all degrees, which may be large.

    Parameters
    ----------
    rules : RuleDegrees
        The rules.
    positions : ndarray of shape (n_samples, n_features)
        Where the training data lie among the terms.
    labels, n_classes, penalty, mean, sample_weight, start, tolerance, max_sweeps
        As in `fit_profiles`; penalties and means for each rule.

    Returns
    -------
    ClassProfiles
    """
    solver = _core.ClassProfiles(labels, sample_weight, n_classes)
    rules.add_to(solver, positions, mean, penalty)
    return _solved(solver, mean, start, tolerance, max_sweeps)


def _solved(
    solver: _core.ClassProfiles,
    mean: Array,
    start: Array | None,
    tolerance: float,
    max_sweeps: int,
) -> ClassProfiles:
    if start is not None:
        solver.begin_with(np.ascontiguousarray(start))
    # A few steps at a time, to let Ctrl-C in.
    converged = any(solver.fit(tolerance, 5) for _ in range(-(-max_sweeps // 5)))
    return ClassProfiles(solver.profiles(), mean, solver.log_shares(), solver.objective, converged)
