"""What follows the evolution of rules: tempering and evidence weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.estimators.presenting import TrainingRows
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.evidence.weighting import LEAST_STRENGTH, choose_penalty, fit_weights, folds
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.rules.weighted import WeightedRuleSet

__all__ = ["cross_validated_tempering", "weigh_rules"]


def cross_validated_tempering(
    rules: EvolvedRuleSet,
    new_learner: Callable[[], _core.LinguisticLearner],
    rows: TrainingRows,
    *,
    epochs: int,
    least_experience: float,
    seed: int,
) -> Tempering:
    """Train without each of some folds and see how sure its rules may be of it.

    Parameters
    ----------
    rules : EvolvedRuleSet
        Rules from all data, whose variables and classes those of the folds share.
    new_learner : callable
        Makes a learner without rules.
    rows : TrainingRows
        The training data.
    epochs : int
        How long to train.
    least_experience : float
        Rules with this experience or less take no part in decisions.
    seed : int
        How to divide the data.

    Returns
    -------
    Tempering
    """
    logs = np.zeros((len(rows.labels), len(rules.classes) + 1))
    for train, test in folds(rows.labels, seed):
        learner, seen = new_learner(), rows[train]
        for _ in range(epochs):
            seen.present_to(learner)
        found = EvolvedRuleSet(rules.variables, rules.classes, **learner.export_rules())
        frozen = found.experienced(least_experience).freeze()
        logs[test] = frozen.log_commonalities(rows[test].positions)
    return Tempering.fit(logs, rows.labels, rows.weight)


def weigh_rules(
    rules: EvolvedRuleSet, rows: TrainingRows, seed: int
) -> tuple[WeightedRuleSet, NDArray[np.intp]]:
    """Find out how many times the evidence of evolved rules should count.

    Parameters
    ----------
    rules : EvolvedRuleSet
        The rules to weigh.
    rows : TrainingRows
        The training data.
    seed : int
        How to divide the data when the penalty is chosen.

    Returns
    -------
    weighted : WeightedRuleSet
        The rules that are needed.
    kept : ndarray of int
        Their indices in `rules`.
    """
    degrees = rules.freeze().membership(rows.positions)
    n_classes = len(rules.classes)
    data = degrees, rows.labels, n_classes
    penalty = choose_penalty(*data, sample_weight=rows.weight, seed=seed)
    found = fit_weights(*data, sample_weight=rows.weight, penalty=penalty)
    kept = np.flatnonzero(found.strength > LEAST_STRENGTH)
    weighted = WeightedRuleSet.of(
        rules.variables,
        rules.classes,
        rules.conditions[kept],
        strength=found.strength[kept],
        evidence=found.evidence(degrees, rows.weight)[kept],
        class_experience=found.class_experience[kept],
        prior=found.prior,
        doubt=found.doubt,
    )
    return weighted, kept
