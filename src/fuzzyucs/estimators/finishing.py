"""Finishing: rules that were grown become models of all sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fuzzyucs.estimators.expert_evidence import ExpertEvidence
from fuzzyucs.estimators.experts import ExpertRules
from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.stage import Stage
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.linguistic import Beliefs
from fuzzyucs.variables.merging import merge_terms
from fuzzyucs.variables.table import Table

__all__ = ["GrownPath"]


class GrownPath:
    """Rules grown with one penalty after the other.

    Many rows gave good rules when a part was held out; few have to give them all together.

    Parameters
    ----------
    growth : Growth
        What grows rules.
    stages : sequence of Stage
        Penalties, and what rules said about held-out rows with each.
    n_models : int
        Number of models to fuse. Each of several is grown without another part of the rows.
    missing : {"belief", "mean"}
        What a missing value means.
    everything : TrainingData or another object with its methods
        All rows, which weigh the rules.
    table : Table
        Rows that tell what terms mean; of a large table, a sample.
    experts : ExpertRules, optional
        Rules that experts stated, which come besides.
    """

    def __init__(
        self,
        growth: Growth,
        stages: Sequence[Stage],
        n_models: int,
        missing: Beliefs,
        everything: Any,
        table: Table,
        experts: ExpertRules | None = None,
    ) -> None:
        self.data, self.table = everything, table
        self.experts = experts
        self.fine, self.missing = growth.fine, missing
        self.constraints = growth.constraints
        self.stages = stages
        of_path = [stage.grown for stage in stages if stage.grown is not None]
        if n_models == 1 and of_path:
            self.models = [of_path]
            return
        path = [(stage.penalty, stage.most) for stage in stages]
        self.models = [growth.grow(path, rows) for rows in growth.parts(n_models)]

    def finish(self, max_rules: int | None) -> ProfiledRuleSet:
        """Make a model of the last stage, or of the first that has as many rules as are wanted.

        Terms that the rules do not tell apart are merged, and the rules weighed on all rows. Some
        turn out to be worth little then, so that it may take a later stage to have enough.

        Parameters
        ----------
        max_rules : int, optional
            Greatest number of rules of each of the models that are fused, without those of
            experts.
        """
        if max_rules is None:
            return self._fused(len(self.stages) - 1, None)
        n_stated = 0 if self.experts is None else len(self.experts.claims)
        counts = [max(grown.n_rules for grown in at) for at in zip(*self.models, strict=True)]
        enough = [number for number, n in enumerate(counts) if n >= max_rules]
        first, *later = enough or [len(self.stages) - 1]
        rules = self._fused(first, max_rules)
        for number in later:
            if len(rules) - n_stated >= max_rules:
                break
            found = self._fused(number, max_rules)
            rules = max(rules, found, key=len)
        return rules

    def _fused(self, number: int, max_rules: int | None) -> ProfiledRuleSet:
        """Make a model of a stage."""
        data, stage, grown = self.data, self.stages[number], [m[number] for m in self.models]
        parts = [g.accepted for g in grown]
        if self.experts is not None:
            parts.append(self.experts.accepted(self.fine))
        accepted = [np.concatenate(sets) for sets in zip(*parts, strict=True)]
        variables, conditions = merge_terms(self.fine, accepted, self.table)
        alone = None if self.constraints is None else self.constraints.are_alone
        variables = variables.with_beliefs(self.table, self.missing, alone=alone)
        ends = np.cumsum([g.n_rules for g in grown])
        *learned, stated = np.split(conditions, ends)
        beside = None
        if self.experts is not None:
            beside = ExpertEvidence(data, variables, self.experts, stated)
        weighing = Weighing(data, variables, stage.answer_threshold, self.constraints, beside)
        # Few rules are chosen by a great penalty, but need not be shrunk by it.
        last = self.stages[-1].penalty
        models = zip(learned, grown, strict=True)
        fused = weighing.fuse(
            [
                weighing.finish(rules, g.profile, stage.penalty, max_rules, last)
                for rules, g in models
            ]
        )
        return fused if beside is None else beside.added_to(fused)
