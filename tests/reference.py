"""Fuzzy-UCS in plain Python: slow, short, and written to be compared with the article.

The native engine must give bit-identical rules for the same seed. Three conventions make that
possible, and they are the only ones that the article leaves open and that matter here:

* rules are kept in the order of their age, and sets are walked from the oldest rule to the youngest
  (a rule made by covering comes last in the sets it joins). It decides ties in a tournament, which
  of two equally general rules subsumes, which of equal rules gains a child, and what a random
  number means in tournament and deletion;
* a product of memberships is taken over groups of four features, each group as (a*b)*(c*d);
* sums over the whole population are taken in integers: votes in units of 2**-16, fitness in units
  of 2**-30, so that they do not depend on the order of summation.

With `as_published` it does what the article's program does and the article does not say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

MASK = 2**64 - 1
SMALLEST = 2.2250738585072014e-308  # the smallest normal double


class Rng:
    """xoshiro256++ seeded by splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.state.append(z ^ (z >> 31))

    def next(self) -> int:
        def rotate(x: int, k: int) -> int:
            return ((x << k) | (x >> (64 - k))) & MASK

        a, b, c, d = self.state
        result = (rotate((a + d) & MASK, 23) + a) & MASK
        c ^= a
        d ^= b
        self.state = [a ^ d, b ^ c, c ^ ((b << 17) & MASK), rotate(d, 45)]
        return result

    def uniform(self) -> float:
        return (self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32

    def shuffled(self, n: int) -> list[int]:
        order = list(range(n))
        for i in range(n, 1, -1):
            j = self.below(i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order


@dataclass
class Settings:
    population_size: int = 2000
    fitness_threshold: float = 0.99
    fitness_exponent: float = 1.0
    crossover_rate: float = 0.8
    mutation_rate: float = 0.04
    deletion_fraction: float = 0.1
    ga_interval: float = 50
    deletion_experience: float = 50
    subsumption_experience: float = 50
    tournament_fraction: float = 0.4
    dont_care_rate: float = 0.33
    correct_set_subsumption: bool = True
    ga_subsumption: bool = True
    forgetting: float = 0.0
    as_published: bool = False
    signed_fitness: bool = True
    membership_experience: bool = True


@dataclass(eq=False)
class Rule:
    """One macro-rule; the article's symbols are exp, cm, v, F, cs, num and ts."""

    condition: list[set[int]]
    consequent: int
    weights: list[float]
    fitness: float
    set_size: float
    time_stamp: int
    experience: float = 0.0
    class_experience: list[float] = field(default_factory=list)
    numerosity: int = 1
    set_sizes_total: int = 0
    set_count: int = 0

    def is_more_general_than(self, condition: list[set[int]]) -> bool:
        return self.condition != condition and all(
            mine >= theirs for mine, theirs in zip(self.condition, condition, strict=True)
        )


def locate(position: float, n_terms: int) -> tuple[int, float]:
    """Segment between two peaks, and the fraction of the way through it."""
    position = min(max(position, 0.0), n_terms - 1.0)
    segment = min(int(position), n_terms - 2)
    return segment, position - segment


def active_terms(position: float, n_terms: int) -> set[int]:
    segment, fraction = locate(position, n_terms)
    active = set()
    if fraction < 1:
        active.add(segment)
    if fraction > 0:
        active.add(segment + 1)
    return active


def term_membership(terms: set[int], position: float, n_terms: int) -> float:
    """Membership in a disjunction of triangular terms, joined by the bounded sum."""
    if math.isnan(position):
        return 1.0
    segment, fraction = locate(position, n_terms)
    below, above = segment in terms, segment + 1 in terms
    if below and above:
        return 1.0
    return 1 - fraction if below else fraction if above else 0.0


class Learner:
    def __init__(self, n_terms: list[int], n_classes: int, settings: Settings, seed: int) -> None:
        self.n_terms = list(n_terms)
        self.n_classes = n_classes
        self.settings = settings
        self.rng = Rng(seed)
        self.rules: list[Rule] = []
        self.time = 0
        self.order: list[int] = []

    @property
    def n_micro_rules(self) -> int:
        return sum(rule.numerosity for rule in self.rules)

    # Matching

    @property
    def matches_everything(self) -> bool:
        """Counting experience in the article's program: rules match whatever their condition."""
        return self.settings.as_published and not self.settings.membership_experience

    def matches(self, rule: Rule, x: list[float]) -> bool:
        return self.matches_everything or all(
            math.isnan(position) or terms & active_terms(position, n)
            for terms, position, n in zip(rule.condition, x, self.n_terms, strict=True)
        )

    def degree(self, rule: Rule, x: list[float]) -> float:
        if self.matches_everything:
            return 1.0
        memberships = [
            term_membership(terms, position, n)
            for terms, position, n in zip(rule.condition, x, self.n_terms, strict=True)
        ]
        product = 1.0
        for i in range(0, len(memberships), 4):
            a, b, c, d = (memberships[i : i + 4] + [1.0] * 3)[:4]
            product *= (a * b) * (c * d)
        return max(product, SMALLEST)

    # One training step: Algorithm 1

    def train_epoch(self, X: list[list[float]], y: list[int]) -> None:
        if not (self.settings.as_published and len(self.order) == len(y)):
            self.order = self.rng.shuffled(len(y))
        for i in self.order:
            self.step(X[i], y[i])

    def step(self, x: list[float], y: int) -> None:
        match_set = [rule for rule in self.rules if self.matches(rule, x)]
        degrees = {rule: self.degree(rule, x) for rule in match_set}
        correct_set = [rule for rule in match_set if rule.consequent == y]
        if self.needs_covering(correct_set, degrees):
            rule = self.cover(x, y)
            degrees[rule] = 1.0
            match_set.append(rule)
            correct_set.append(rule)
            self.delete_if_crowded()
            alive = set(self.rules)
            match_set = [rule for rule in match_set if rule in alive]
            correct_set = [rule for rule in correct_set if rule in alive]
        size = sum(rule.numerosity for rule in correct_set)
        for rule in match_set:
            self.update(rule, degrees[rule], y)
        for rule in correct_set:
            self.update_set_size(rule, size)
        if self.settings.correct_set_subsumption:
            self.subsume(correct_set)
        candidates = [rule for rule in correct_set if rule.fitness >= 0]
        if candidates:
            stamps = sum(rule.numerosity * rule.time_stamp for rule in correct_set)
            if self.time - stamps / size > self.settings.ga_interval:
                for rule in correct_set:
                    rule.time_stamp = self.time
                self.evolve(candidates, degrees)
        self.time += 1

    def needs_covering(self, correct_set: list[Rule], degrees: dict[Rule, float]) -> bool:
        return sum_in_order(degrees[rule] for rule in correct_set) < 1

    def cover(self, x: list[float], y: int) -> Rule:
        condition = []
        for position, n in zip(x, self.n_terms, strict=True):
            dont_care = self.rng.uniform() < self.settings.dont_care_rate
            if dont_care or math.isnan(position):
                condition.append(set(range(n)))
            else:
                condition.append(active_terms(position, n))
        weights = [0.0] * self.n_classes
        weights[y] = 1.0
        rule = Rule(condition, y, weights, fitness=1.0, set_size=1.0, time_stamp=self.time)
        self.insert(rule)
        return rule

    def insert(self, rule: Rule) -> None:
        rule.class_experience = [0.0] * self.n_classes
        self.rules.append(rule)

    def update(self, rule: Rule, degree: float, y: int) -> None:
        gain = degree if self.settings.membership_experience else 1.0
        self.forget(rule, gain)
        rule.experience += gain
        rule.class_experience[y] += gain
        rule.weights = [c / rule.experience for c in rule.class_experience]
        best = max(rule.class_experience)
        rule.consequent = rule.class_experience.index(best)
        weight = best / rule.experience
        rule.fitness = 2 * weight - 1 if self.settings.signed_fitness else weight

    def forget(self, rule: Rule, gain: float) -> None:
        """Not in the article: what a rule has learned fades with each match."""
        if self.settings.forgetting > 0:
            kept = 1 - self.settings.forgetting * gain
            rule.experience *= kept
            rule.class_experience = [c * kept for c in rule.class_experience]

    def update_set_size(self, rule: Rule, size: int) -> None:
        rule.set_sizes_total += size
        rule.set_count += 1
        rule.set_size = rule.set_sizes_total / rule.set_count

    # Subsumption

    def may_subsume(self, rule: Rule) -> bool:
        return (
            rule.experience > self.settings.subsumption_experience
            and rule.fitness > self.settings.fitness_threshold
        )

    def subsume(self, correct_set: list[Rule]) -> None:
        subsumer = None
        for rule in correct_set:
            if self.may_subsume(rule) and (
                subsumer is None or rule.is_more_general_than(subsumer.condition)
            ):
                subsumer = rule
        if subsumer is None:
            return
        # A set that changes while it is walked: the rule after an absorbed one is left out.
        for rule in correct_set if self.settings.as_published else list(correct_set):
            if subsumer.is_more_general_than(rule.condition):
                subsumer.numerosity += rule.numerosity
                correct_set.remove(rule)
                self.rules.remove(rule)

    # Evolution

    def power(self, fitness: float) -> float:
        """F^nu; odd in F, and by multiplication for whole exponents."""
        exponent = self.settings.fitness_exponent
        if exponent == 1:
            return fitness
        base = abs(fitness)
        if exponent == int(exponent) and exponent <= 64:
            power = 1.0
            for _ in range(int(exponent)):
                power *= base
        else:
            power = math.pow(base, exponent)
        return math.copysign(power, fitness)

    def strength(self, rule: Rule) -> float:
        return self.power(rule.fitness)

    def evolve(self, candidates: list[Rule], degrees: dict[Rule, float]) -> None:
        parents = [self.tournament(candidates, degrees) for _ in range(2)]
        children = [self.child(parent) for parent in parents]
        if self.rng.uniform() < self.settings.crossover_rate:
            self.cross(children[0].condition, children[1].condition)
        for child in children:
            self.mutate(child)
        for child in children:
            self.bring_in(child, parents)
            self.delete_if_crowded()

    def child(self, parent: Rule) -> Rule:
        condition = [set(terms) for terms in parent.condition]
        weights = list(parent.weights)
        return Rule(
            condition, parent.consequent, weights, parent.fitness, parent.set_size, self.time
        )

    def tournament(self, candidates: list[Rule], degrees: dict[Rule, float]) -> Rule:
        best, best_value = None, 0.0
        for rule in candidates:
            value = self.strength(rule) * degrees[rule] / rule.numerosity
            if best is None or value > best_value:
                staying_out = 1.0
                for _ in range(rule.numerosity):
                    staying_out *= 1 - self.settings.tournament_fraction
                if self.rng.uniform() < 1 - staying_out:
                    best, best_value = rule, value
        return candidates[self.rng.below(len(candidates))] if best is None else best

    def cross(self, first: list[set[int]], second: list[set[int]]) -> None:
        for i, n in enumerate(self.n_terms):
            coins = self.rng.next() >> (64 - n)
            for term in range(n):
                if coins >> term & 1 and (term in first[i]) != (term in second[i]):
                    first[i] ^= {term}
                    second[i] ^= {term}
            for terms in (first[i], second[i]):
                if not terms:
                    terms.add(self.rng.below(n))

    def mutate(self, rule: Rule) -> None:
        for i, n in enumerate(self.n_terms):
            if self.rng.uniform() >= self.settings.mutation_rate:
                continue
            terms = rule.condition[i]
            if len(terms) == n:
                operation = "contract"
            elif len(terms) == 1:
                operation = "expand" if self.rng.uniform() < 0.5 else "shift"
            else:
                operation = ("expand", "contract", "shift")[self.rng.below(3)]
            if operation == "expand":
                terms.add(self.pick(set(range(n)) - terms))
            elif operation == "contract":
                terms.remove(self.pick(terms))
            else:
                rank = self.rng.below(len(terms))
                moved = sorted(terms)[rank]
                place = rank if self.settings.as_published else moved
                up = place == 0 or (place != n - 1 and self.rng.uniform() < 0.5)
                terms.remove(moved)
                terms.add(place + 1 if up else place - 1)

    def pick(self, terms: set[int]) -> int:
        return sorted(terms)[self.rng.below(len(terms))]

    def bring_in(self, child: Rule, parents: list[Rule]) -> None:
        alive = set(self.rules)
        if self.settings.ga_subsumption:
            for parent in parents:
                if parent in alive and self.subsumes(parent, child):
                    parent.numerosity += 1
                    return
        for rule in self.rules:
            if self.is_identical(rule, child):
                rule.numerosity += 1
                return
        self.insert(child)

    def subsumes(self, parent: Rule, child: Rule) -> bool:
        return self.may_subsume(parent) and parent.is_more_general_than(child.condition)

    def is_identical(self, rule: Rule, child: Rule) -> bool:
        return rule.condition == child.condition

    # Deletion

    def delete_if_crowded(self) -> None:
        if self.n_micro_rules <= self.settings.population_size:
            return
        rules = self.rules
        mean = sum(round(self.strength(rule) * 2**30) for rule in rules) / 2**30
        mean /= self.n_micro_rules
        penalised: list[tuple[Rule, float]] = []
        others: list[tuple[Rule, int]] = []
        for rule in rules:
            vote = rule.set_size * rule.numerosity
            strength = self.strength(rule)
            if (
                mean > 0
                and rule.experience > self.settings.deletion_experience
                and self.worth(rule) < self.settings.deletion_fraction * mean
            ):
                penalised.append((rule, vote * (mean / max(strength, 1e-12))))
            else:
                others.append((rule, round(vote * 2**16)))
        penalised_total = sum_in_order(vote for _, vote in penalised)
        others_total = sum(vote for _, vote in others)
        spot = self.rng.uniform() * (penalised_total + others_total / 2**16)
        if spot < penalised_total or others_total == 0:
            loser = first_beyond(spot, penalised)
        else:
            target = min(int((spot - penalised_total) * 2**16), others_total - 1)
            loser = first_beyond(target, others)
        loser.numerosity -= 1
        if loser.numerosity == 0:
            self.rules.remove(loser)

    def worth(self, rule: Rule) -> float:
        """What is compared with the mean: experienced rules of little worth are penalised."""
        return self.strength(rule)

    # Populations that were learned apart, joined

    def condense(self) -> None:
        for subsumer in list(self.rules) if self.settings.correct_set_subsumption else []:
            if subsumer not in self.rules or not self.may_subsume(subsumer):
                continue
            for rule in list(self.rules):
                is_same_class = rule.consequent == subsumer.consequent
                if is_same_class and subsumer.is_more_general_than(rule.condition):
                    subsumer.numerosity += rule.numerosity
                    self.rules.remove(rule)
        while self.n_micro_rules > self.settings.population_size:
            self.delete_if_crowded()


def sum_in_order(values) -> float:
    """Left to right: from Python 3.12 on, sum() of floats compensates rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


def first_beyond(spot, wheel):
    """Roulette: the first rule whose running total of votes exceeds the spot."""
    running = 0
    for rule, vote in wheel:
        running += vote
        if running > spot:
            return rule
    return wheel[-1][0]


def combine_stepwise(degrees, weights, numerosity) -> list[float] | None:
    """Dempster's rule as the article's program has it: one micro-rule after the other.

    Masses of the classes and of Theta; None where a step leaves so little that the conflict,
    1 - sum, rounds to 1. Rules of degree 0 do not match.
    """
    masses, theta = [0.0] * len(weights[0]), 1.0
    for degree, row, count in zip(degrees, weights, numerosity, strict=True):
        rest = 1 - degree
        for _ in range(count if degree > 0 else 0):
            masses = [
                mass * (degree * v) + mass * rest + theta * (degree * v)
                for mass, v in zip(masses, row, strict=True)
            ]
            theta *= rest
            total = sum_in_order([*masses, theta])
            if 1 - total == 1:
                return None
            masses, theta = [mass / total for mass in masses], theta / total
    return [*masses, theta]
