"""UCS in plain Python: what it does otherwise than Fuzzy-UCS, to be compared with the article.

The conventions of `reference` hold here, too: age order, and sums over the population in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import reference

CHILD_FITNESS = 0.01


@dataclass
class Settings(reference.Settings):
    learning_rate: float = 0.2
    mutation_step: float = 0.1
    covering_range: float = 1.0


class Rule(reference.Rule):
    """The condition is a pair of bounds for each feature, in any order; acc is the accuracy."""

    accuracy = 0.0

    def is_more_general_than(self, condition: list[tuple[float, float]]) -> bool:
        mine, theirs = intervals(self.condition), intervals(condition)
        return mine != theirs and all(
            low <= lower and upper <= high
            for (low, high), (lower, upper) in zip(mine, theirs, strict=True)
        )


def intervals(condition):
    return [(min(bounds), max(bounds)) for bounds in condition]


class Learner(reference.Learner):
    def __init__(self, n_features: int, n_classes: int, settings: Settings, seed: int) -> None:
        super().__init__([0] * n_features, n_classes, settings, seed)
        self.n_features = n_features

    def matches(self, rule: Rule, x: list[float]) -> bool:
        return all(
            math.isnan(value) or low <= min(max(value, 0.0), 1.0) <= high
            for (low, high), value in zip(intervals(rule.condition), x, strict=True)
        )

    def degree(self, rule: Rule, x: list[float]) -> float:  # noqa: ARG002
        return 1.0

    def needs_covering(self, correct_set: list[Rule], degrees: dict[Rule, float]) -> bool:  # noqa: ARG002
        return not correct_set

    def cover(self, x: list[float], y: int) -> Rule:
        condition = []
        for value in x:
            dont_care = self.rng.uniform() < self.settings.dont_care_rate
            lower, upper = 0.0, 1.0
            if not dont_care and not math.isnan(value):
                value = min(max(value, 0.0), 1.0)
                lower = max(0.0, value - self.rng.uniform() * self.settings.covering_range)
                upper = min(1.0, value + self.rng.uniform() * self.settings.covering_range)
            swapped = self.rng.uniform() < 0.5
            condition.append((upper, lower) if swapped else (lower, upper))
        rule = Rule(condition, y, [], fitness=0.0, set_size=0.0, time_stamp=self.time)
        self.insert(rule)
        return rule

    def update(self, rule: Rule, degree: float, y: int) -> None:  # noqa: ARG002
        self.forget(rule, 1.0)
        rule.experience += 1
        rule.class_experience[y] += 1
        rule.weights = [c / rule.experience for c in rule.class_experience]
        rule.accuracy = rule.class_experience[rule.consequent] / rule.experience
        rule.fitness = self.power(rule.accuracy)
        rule.set_count = int(rule.class_experience[rule.consequent])

    def update_set_size(self, rule: Rule, size: int) -> None:
        if rule.experience < 1 / self.settings.learning_rate:
            rule.set_size += (size - rule.set_size) / rule.experience
        else:
            rule.set_size += (size - rule.set_size) * self.settings.learning_rate

    def may_subsume(self, rule: Rule) -> bool:
        return (
            rule.experience > self.settings.subsumption_experience
            and rule.accuracy > self.settings.fitness_threshold
        )

    def strength(self, rule: Rule) -> float:
        return rule.fitness

    def worth(self, rule: Rule) -> float:
        return rule.fitness / rule.numerosity

    def child(self, parent: Rule) -> Rule:
        weights = [1 / self.n_classes] * self.n_classes
        return Rule(
            list(parent.condition),
            parent.consequent,
            weights,
            CHILD_FITNESS,
            parent.set_size,
            self.time,
        )

    def cross(self, first: list[tuple[float, float]], second: list[tuple[float, float]]) -> None:
        for i in range(self.n_features):
            coins = self.rng.next() >> 62
            (p, q), (r, s) = first[i], second[i]
            if coins & 1:
                p, r = r, p
            if coins & 2:
                q, s = s, q
            first[i], second[i] = (p, q), (r, s)

    def mutate(self, rule: Rule) -> None:
        for i, bounds in enumerate(rule.condition):
            if self.rng.uniform() < self.settings.mutation_rate:
                rule.condition[i] = tuple(self.move(bound) for bound in bounds)
        if self.rng.uniform() < self.settings.mutation_rate and self.n_classes > 1:
            others = [c for c in range(self.n_classes) if c != rule.consequent]
            rule.consequent = others[self.rng.below(len(others))]

    def move(self, bound: float) -> float:
        step = (2 * self.rng.uniform() - 1) * self.settings.mutation_step
        return min(max(bound + step, 0.0), 1.0)

    def subsumes(self, parent: Rule, child: Rule) -> bool:
        return parent.consequent == child.consequent and super().subsumes(parent, child)

    def is_identical(self, rule: Rule, child: Rule) -> bool:
        seen = list if self.settings.as_published else intervals
        return rule.consequent == child.consequent and seen(rule.condition) == seen(child.condition)
