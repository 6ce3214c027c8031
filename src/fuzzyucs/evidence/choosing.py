"""Choices by evidence: the action that costs least, and the classes that stay possible."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from fuzzyucs.evidence.evidence import Evidence

__all__ = ["decide", "predict_set"]


def decide(
    evidence: Evidence, costs: ArrayLike | None = None, *, optimism: float | None = None
) -> NDArray[Any]:
    """Choose what costs least.

    Parameters
    ----------
    costs : array-like of shape (n_actions, n_classes), optional
        ``costs[a, i]`` is the cost of action a if class i is true. By default an action is to
        name a class, which costs 1 if it is wrong.
    optimism : float, optional
        From 0 to 1. None takes expected costs under `probability`. A number takes Hurwicz's
        criterion: what is left undecided between classes counts as the cheapest of them with
        this weight, and as the dearest with the rest; the prior stays out. 0 goes by beliefs,
        1 by plausibilities.

    Returns
    -------
    ndarray of shape (n_samples,)
        Class labels if there are as many actions as classes, else numbers of actions.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> evidence = Evidence(
    ...     np.array(["ill", "well"]), np.array([[0.1, 0.6]]), np.array([0.3]), np.array([0.0])
    ... )
    >>> evidence.decide()
    array(['well'], dtype='<U4')
    >>> evidence.decide([[0, 1], [10, 0]])  # to miss an illness is ten times worse
    array(['ill'], dtype='<U4')
    >>> evidence.decide([[0, 1], [10, 0], [0.3, 0.3]])  # 2: ask a doctor
    array([2])
    """
    n_classes = len(evidence.classes)
    if costs is None and optimism is None:
        return np.asarray(evidence.classes[evidence.probability.argmax(axis=1)])
    table = 1.0 - np.eye(n_classes) if costs is None else np.asarray(costs, dtype=float)
    if table.ndim != 2 or table.shape[1] != n_classes or not np.isfinite(table).all():
        raise ValueError(
            f"costs must hold finite numbers, a row for each action and a column for each of "
            f"the {n_classes} classes, got shape {table.shape}"
        )
    if optimism is None:
        expected = evidence.probability @ table.T
    else:
        if not (isinstance(optimism, Real) and 0 <= optimism <= 1):
            raise ValueError(f"optimism must lie between 0 and 1, got {optimism!r}")
        expected = evidence.mass @ table.T
        expected += np.outer(evidence.ignorance, _hurwicz(table, optimism))
        if evidence.sets is not None and evidence.set_mass is not None:
            undecided = [_hurwicz(table[:, members], optimism) for members in evidence.sets]
            expected += evidence.set_mass @ np.reshape(undecided, (-1, len(table)))
    best: NDArray[np.intp] = expected.argmin(axis=1)
    return np.asarray(evidence.classes[best]) if len(table) == n_classes else best


def predict_set(evidence: Evidence) -> NDArray[np.bool_]:
    """Tell which classes cannot be ruled out.

    A class is ruled out if another is believed more than it is plausible. The most probable
    class always stays.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Whether each class stays possible.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> masses, ignorance = np.array([[0.5, 0.2, 0.0], [0.9, 0.1, 0.0]]), np.array([0.3, 0.0])
    >>> Evidence(np.array([0, 1, 2]), masses, ignorance, np.zeros(2)).predict_set()
    array([[ True,  True, False],
           [ True, False, False]])
    """
    possible: NDArray[np.bool_] = evidence.plausibility >= evidence.belief.max(
        axis=1, keepdims=True
    )
    possible[np.arange(len(evidence)), evidence.probability.argmax(axis=1)] = True
    return possible


def _hurwicz(costs: NDArray[np.float64], optimism: float) -> NDArray[np.float64]:
    """Return the cost of each action if nothing but the set of possible classes is known."""
    cost: NDArray[np.float64] = optimism * costs.min(axis=1) + (1 - optimism) * costs.max(axis=1)
    return cost
