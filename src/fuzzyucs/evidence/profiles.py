"""Class profiles: what each rule says about each class.

A rule speaks where it matches more, and where it matches less, than its neutral degree,

    log p_i(x) = log a_i + sum_k (mu_k(x) - neutral_k) beta_ki + constant,

a being base rates, mu_k the degree to which rule k matches, neutral_k the one at which it says
nothing (`neutral_degrees`), and beta_k its profile.
Profiles that maximise the likelihood of the training data, with a penalty, are the solution of a
convex problem. A rule may speak by its natural profile, how many times more frequent each class is
where it matches, for the price of one entry; entries that differ from it have a price of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs._util.short_repr import short_repr

__all__ = ["ClassProfiles", "fit_profiles", "fit_rule_profiles", "neutral_degrees"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClassProfiles:
    """What `fit_profiles` found.

    Attributes
    ----------
    profile : ndarray of shape (n_rules, n_classes)
        What each rule adds to the log-odds of each class for each degree more (beta).
    neutral : ndarray of shape (n_rules,)
        Degree at which each rule says nothing.
    log_shares : ndarray of shape (n_classes,)
        Logarithms of the shares of the classes in the training data. A class without rows counts
        as half a row.
    objective : float
        Negative log-likelihood with penalties.
    converged : bool
        Whether it is the least possible, up to the tolerance.
    """

    profile: Array
    neutral: Array
    log_shares: Array
    objective: float
    converged: bool

    def __repr__(self) -> str:
        n_rules, n_classes = self.profile.shape
        end = "converged" if self.converged else "not converged"
        return short_repr(self, f"{n_rules} rules", f"{n_classes} classes", end)

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
        scores: Array = self.log_shares + (degrees - self.neutral) @ self.profile
        return scores


def neutral_degrees(matched: Array, all_rows: Array) -> Array:
    """Find the degrees at which rules say nothing.

    Suppose that a rule were the only one, and take the class that it tells most about. It makes the
    class more probable where it matches and less where it does not; in between there is a degree
    that leaves it as probable as usual. For a rule that tells little that is its mean degree. That
    a sure sign of a rare class is absent tells more: there it is greater.

    Parameters
    ----------
    matched : ndarray of shape (n_rules, n_classes)
        Sum of the degrees to which each rule matches the rows of each class, times their weights.
    all_rows : ndarray of shape (n_classes,) or (n_rules, n_classes)
        Sum of the weights of the rows of each class.

    Returns
    -------
    ndarray of shape (n_rules,)

    Examples
    --------
    Of 1000 people, 50 are ill. A sign is seen in 100, of whom 40 are ill. Without it 10 of 900
    are, which is much less than usual.

    >>> import numpy as np
    >>> from fuzzyucs.evidence.profiles import neutral_degrees
    >>> neutral_degrees(np.array([[40.0, 60.0]]), np.array([50.0, 950.0])).round(2)
    array([0.38])
    """
    every = np.broadcast_to(all_rows, matched.shape)
    return _core.neutral_degrees(np.ascontiguousarray(matched), np.ascontiguousarray(every))


def fit_profiles(
    degrees: Array,
    labels: NDArray[Any],
    n_classes: int,
    *,
    penalty: float | ArrayLike,
    neutral: Array | None = None,
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
    neutral : ndarray of shape (n_rules,), optional
        Degree at which each rule says nothing; by default `neutral_degrees`.
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
    if neutral is None:
        by_class = weight[:, np.newaxis] * (labels[:, np.newaxis] == np.arange(n_classes))
        neutral = neutral_degrees(degrees.T @ by_class, by_class.sum(axis=0))
    solver = _core.ClassProfiles(labels.astype(np.uint32), weight, n_classes)
    penalties = np.broadcast_to(np.asarray(penalty, dtype=float), degrees.shape[1])
    for column, centre, price in zip(degrees.T, neutral, penalties, strict=True):
        solver.add(np.ascontiguousarray(column), float(centre), float(price))
    return _solved(solver, neutral, start, tolerance, max_sweeps)


def fit_rule_profiles(
    rules: _core.RuleDegrees,
    positions: Array | _core.StoredRows,
    labels: NDArray[np.uint32],
    n_classes: int,
    *,
    penalty: Array,
    neutral: Array,
    sample_weight: Array,
    start: Array | None = None,
    directions: tuple[NDArray[np.int32], Sequence[int]] | None = None,
    tolerance: float = 1e-7,
    max_sweeps: int = 200,
    shared: _core.SharedRows | None = None,
    offset: Array | None = None,
) -> ClassProfiles:
    """Do the same as `fit_profiles` without a table of all degrees, which may be large.

    Parameters
    ----------
    rules : RuleDegrees
        The rules.
    positions : ndarray of shape (n_samples, n_features) or StoredRows
        Where the training data lie among the terms.
    labels, n_classes, penalty, neutral, sample_weight, start, tolerance, max_sweeps
        As in `fit_profiles`; penalties and neutral degrees for each rule.
    directions : tuple, optional
        For each rule 1 if it has to speak for higher classes, -1 for lower ones, 0 for any; and the
        classes from the lowest to the highest. Of more than two classes, the profile of a rule with
        a direction consists of steps, each for all classes from one on.
    shared : SharedRows, optional
        If these are the rows of one of several machines.
    offset : ndarray of shape (n_samples, n_classes), optional
        What other evidence adds to the scores of the classes.

    Returns
    -------
    ClassProfiles
    """
    signs, order = (None, ()) if directions is None else directions
    solver = _core.ClassProfiles(labels, sample_weight, n_classes, shared, list(order))
    rules.add_to(solver, positions, neutral, penalty, signs)
    if offset is not None:
        solver.set_offset(np.ascontiguousarray(offset))
    return _solved(solver, neutral, start, tolerance, max_sweeps)


def _solved(
    solver: _core.ClassProfiles,
    neutral: Array,
    start: Array | None,
    tolerance: float,
    max_sweeps: int,
) -> ClassProfiles:
    if start is not None:
        solver.begin_with(np.ascontiguousarray(start))
    # A few steps at a time, to let Ctrl-C in.
    converged = any(solver.fit(tolerance, 5) for _ in range(-(-max_sweeps // 5)))
    return ClassProfiles(
        solver.profiles(), neutral, solver.log_shares(), solver.objective, converged
    )
