"""Finishing: rules grown in all rows become a model."""

from __future__ import annotations

import numpy as np

from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.penalty_path import Stage, path_to
from fuzzyucs.estimators.training import deal
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.evidence.verdict import least_confidence
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.linguistic import Beliefs
from fuzzyucs.variables.merging import merge_terms

__all__ = ["finish"]


def finish(
    growth: Growth,
    stage: Stage,
    n_models: int,
    max_rules: int | None,
    missing: Beliefs,
) -> ProfiledRuleSet:
    """Grow rules in all rows, merge terms that they do not tell apart, and weigh them.

    Parameters
    ----------
    growth : Growth
        What grows rules.
    stage : Stage
        What rules with the penalty to take said about held-out rows: it tells from which
        probability on answers are right.
    n_models : int
        Number of models to fuse. Each of several is grown without another part of the rows.
    max_rules : int, optional
        Greatest number of rules of a model.
    missing : {"belief", "mean"}
        What a missing value means.

    Returns
    -------
    ProfiledRuleSet
    """
    data, path = growth.data, path_to(stage.penalty, growth.path)
    parts = [np.arange(len(data.labels))]
    if n_models > 1:
        parts = [train for train, _ in deal(data, 0, max(n_models, 5))[:n_models]]
    grown = [growth.grow(path, rows) for rows in parts]
    accepted = [np.concatenate(sets) for sets in zip(*(g.accepted for g in grown), strict=True)]
    variables, conditions = merge_terms(growth.fine, accepted, data.X)
    threshold = least_confidence(stage.confidence, stage.is_right)
    weighing = Weighing(data, variables.with_beliefs(data.X, missing), threshold)
    ends = np.cumsum([len(g.profile) for g in grown])[:-1]
    models = zip(np.split(conditions, ends), grown, strict=True)
    return weighing.fuse(
        [weighing.finish(rules, g.profile, stage.penalty, max_rules) for rules, g in models]
    )
