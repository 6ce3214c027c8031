"""Stage: what rules that grew with one penalty say about held-out rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.estimators.growth import Grown
from fuzzyucs.evidence.verdict import least_confidence
from fuzzyucs.evidence.weighting import held_out_losses

__all__ = ["Stage", "Step"]

Step = tuple[float, int]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stage:
    """What was found with one penalty, on held-out rows.

    Attributes
    ----------
    penalty : float
        The penalty of a rule.
    most : int
        How many rules might grow with it.
    n_rules : float
        Number of rules, on the mean over folds.
    accuracy : float
        Share of the rows whose most probable class is the true one, by weight.
    log_loss : float
        Mean log-loss of the rows, by weight.
    answer_threshold : float
        From which probability on answers are right often enough.
    losses : ndarray of shape (n_tested,)
        Log-loss and error of each row, and what the features cost that rules ask for, by its
        weight.
    grown : Grown, optional
        The rules themselves, if there was but one fold.
    """

    penalty: float
    most: int
    n_rules: float
    accuracy: float
    log_loss: float
    answer_threshold: float
    losses: Array
    grown: Grown | None = None

    @classmethod
    def of(
        cls,
        step: Step,
        n_rules: float,
        probability: Array,
        labels: NDArray[np.uint32],
        weight: Array,
        grown: Grown | None = None,
        fee: float = 0.0,
    ) -> Stage:
        """Compare probabilities of held-out rows with their classes.

        The fee is what the features of the rules cost, as a part of the mean log-loss.
        """
        is_right = probability.argmax(axis=1) == labels
        losses = held_out_losses(probability, labels, weight)
        accuracy = float((is_right * weight).sum() / weight.sum())
        return cls(
            *step,
            n_rules,
            accuracy,
            float(losses.sum() / weight.sum()) - (1 - accuracy),
            least_confidence(probability.max(axis=1), is_right),
            losses + fee * weight if fee else losses,
            grown,
        )

    @property
    def loss(self) -> float:
        """Sum over all held-out rows."""
        return float(self.losses.sum())
