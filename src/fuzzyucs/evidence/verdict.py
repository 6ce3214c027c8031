"""Verdicts: what evidence amounts to, in one of three states."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import listed

__all__ = ["MOST_ERRORS", "REASONS", "VERDICTS", "Thresholds", "judge", "least_confidence"]

VERDICTS = ("answer", "torn", "unknown")
REASONS = ("", "contradiction", "undecided", "evidence", "missing", "novelty")

MOST_ERRORS = 0.1  # share of the answers that may be wrong on held-out rows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Thresholds:
    """Between which values of evidence verdicts change.

    Attributes
    ----------
    answer : float
        Least probability of the most probable class for an answer.
    ignorance : float
        Greatest ignorance for an answer, and for "torn".
    contradiction : float
        Least contradiction for "torn".
    """

    answer: float = 0.75
    ignorance: float = 0.5
    contradiction: float = 0.5

    def __post_init__(self) -> None:
        for field in fields(self):
            value: float = getattr(self, field.name)
            if not (isinstance(value, Real) and 0 <= value <= 1):
                raise ValueError(f"{field.name} must lie between 0 and 1, got {value!r}")

    def changed(self, **values: float) -> Thresholds:
        """Return the thresholds with other values of some, by name."""
        names = [field.name for field in fields(self)]
        unknown = [name for name in values if name not in names]
        if unknown:
            raise TypeError(f"thresholds are {listed(names)}, got {listed(unknown)}")
        return replace(self, **values)


def judge(
    confidence: Array,
    ignorance: Array,
    contradiction: Array,
    discount: Array,
    n_missing: NDArray[np.int64],
    thresholds: Thresholds,
) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Decide what evidence amounts to.

    Parameters
    ----------
    confidence : ndarray of shape (n_samples,)
        Probability of the most probable class.
    ignorance, contradiction : ndarray of shape (n_samples,)
        As in `Evidence`.
    discount : ndarray of shape (n_samples,)
        Share of the evidence that novelty took back.
    n_missing : ndarray of shape (n_samples,)
        Number of missing values that rules ask for.
    thresholds : Thresholds
        Between which values verdicts change.

    Returns
    -------
    verdict : ndarray of shape (n_samples,)
        "answer", "torn" or "unknown".
    reason : ndarray of shape (n_samples,)
        Why it is no answer. "torn": "contradiction". "unknown": "novelty", "missing" or "evidence"
        if the ignorance is too great, because the record is unlike the training data, because
        values are missing, or because the rules say too little; "undecided" if the evidence does
        not separate the classes that are left enough.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.verdict import Thresholds, judge
    >>> verdict, reason = judge(
    ...     confidence=np.array([0.97, 0.55, 0.55, 0.6, 0.6]),
    ...     ignorance=np.array([0.1, 0.1, 0.1, 0.9, 0.9]),
    ...     contradiction=np.array([0.2, 0.8, 0.1, 0.0, 0.0]),
    ...     discount=np.array([0.0, 0.0, 0.0, 0.8, 0.0]),
    ...     n_missing=np.array([0, 0, 0, 2, 2]),
    ...     thresholds=Thresholds(),
    ... )
    >>> list(zip(verdict.tolist(), reason.tolist()))
    [('answer', ''), ('torn', 'contradiction'), ('unknown', 'undecided'), ('unknown', 'novelty'), \
('unknown', 'missing')]
    """
    is_open = ignorance > thresholds.ignorance
    is_answer = ~is_open & (confidence >= thresholds.answer)
    is_torn = ~is_open & ~is_answer & (contradiction >= thresholds.contradiction)
    verdict = np.select([is_answer, is_torn], VERDICTS[:2], VERDICTS[2])
    # At least half of the ignorance comes from the discount.
    is_novel = is_open & (2 * discount >= ignorance)
    cases = [is_answer, is_torn, is_novel, is_open & (n_missing > 0), is_open]
    reason = np.select(cases, ["", "contradiction", "novelty", "missing", "evidence"], "undecided")
    return verdict, reason


def least_confidence(confidence: Array, is_right: NDArray[np.bool_]) -> float:
    """Find from which probability on answers are right often enough, on held-out rows.

    Parameters
    ----------
    confidence : ndarray of shape (n_samples,)
        Probability of the most probable class of held-out rows.
    is_right : ndarray of shape (n_samples,)
        Whether that class is the true one.

    Returns
    -------
    float
        The least threshold, from `Thresholds.answer` on, from which on no more than a tenth of
        the rows is wrong, one more wrong row included; 1 if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.evidence.verdict import least_confidence
    >>> confidence = np.linspace(0.5, 1.0, 101)
    >>> round(least_confidence(confidence, confidence > 0.8), 2)
    0.79
    """
    order = np.argsort(-confidence, kind="stable")
    ordered, n = confidence[order], np.arange(1, len(order) + 1)
    errors = (np.cumsum(~is_right[order]) + 1) / (n + 1)
    is_last = np.append(ordered[1:] < ordered[:-1], True)  # of rows that are equally sure
    enough = np.flatnonzero((errors <= MOST_ERRORS) & is_last)
    least = float(ordered[enough[-1]]) if len(enough) else 1.0
    return max(least, Thresholds.answer)
