"""Growth of rules by histograms, in plain NumPy and written to be read; the engine's twin.

A state is a matrix with a row for each row of the table: its weight, then for each class the weight
if it is the row's own, p and p (1 - p), all in whole units and times the degree to which the row is
matched. Of two classes the second alone is kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from growth_parts import (
    Array,
    Condition,
    Constraints,
    Feature,
    Matched,
    Premise,
    State,
    Sums,
    neutral_degree,
    softmax,
)

UNIT = 2**18  # of the greatest weight of a row
FULL = 256  # the degree of a row that matches fully
MISSING = 255  # the code of a missing value
LEAST_IN_QUESTION = UNIT // 1024  # of the probability of a class, if there are more than two
LEAST_OF_MANY = UNIT // 128  # of more than 100
ORDERS = 32  # classes by which terms without order are put in order
GREATEST_ENTRY = 2.0  # of a profile
RIDGE = 1e-3
NEARLY = 0.98
GRID = 24
BEAMS = 3
MOST_CONDITIONS = 5
LEAST_GROWTH = 1.002
STILL_GOOD = 0.8
FREE = Constraints()


def scaled(value: State, degree: NDArray[np.int64]) -> State:
    """Multiply by degrees; half a unit is rounded up."""
    return (value * degree + FULL // 2) // FULL


@dataclass
class Measures:
    """A coded table, the rules that were grown so far, and what they and others say in it."""

    features: list[Feature]
    y: NDArray[np.uint32]
    weight: Array
    n_classes: int
    penalty: float
    condition_cost: float
    least_experience: float
    max_conditions: int = MOST_CONDITIONS
    most_partners: int = 10**9
    constraints: Constraints = FREE
    rules: list[Premise] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scale = self.weight.max() / UNIT
        # The classes from the lowest to the highest.
        self.order = list(self.constraints.class_order or range(self.n_classes))
        self.partners = list(range(len(self.features)))

    def price(self, n_conditions: int) -> float:
        """Return the penalty of a rule."""
        return self.penalty * (1 + self.condition_cost * n_conditions)

    def sign(self, premise: Sequence[Condition]) -> int:
        """Tell for which classes a rule has to speak: higher ones (1), lower ones (-1), any (0)."""
        return self.constraints.sign(self.features, premise)

    def fee(self, asked: Iterable[int]) -> float:
        """Return what features cost of which the rules make no use so far."""
        units = np.rint(self.weight / self.weight.max() * UNIT).sum()
        return self.constraints.fee(self.rules, asked) * float(units * self.scale)

    # What the rules say

    def degrees_by_code(self, condition: Condition) -> NDArray[np.int64]:
        """Return the degree to which values of each code meet a condition."""
        feature, terms = condition
        _, n_terms, is_nominal, steps, shares = self.features[feature]
        found = np.zeros(256, dtype=np.int64)
        if is_nominal:
            found[list(terms)] = FULL
        else:
            for code in range(steps * (n_terms - 1) + 1):
                t, away = divmod(code, steps)
                # Whole steps of the terms below and above, rounded to a 256th.
                near = (t in terms) * (steps - away) + (t + 1 in terms) * away
                found[code] = (near * FULL + steps // 2) // steps
        share = 0.0
        for t in sorted(terms):
            share += shares[t]
        found[MISSING] = np.rint(min(share, 1.0) * FULL)
        return found

    def restricted(self, rows: Matched, condition: Condition) -> Matched:
        """Return rows to the degree to which they meet one more condition."""
        by_row = self.degrees_by_code(condition)[self.features[condition[0]].codes]
        degree = scaled(rows.degree, by_row)
        state = scaled(rows.state, by_row[:, np.newaxis])
        return Matched(state * (degree > 0)[:, np.newaxis], degree)

    def matched(self, premise: Premise, rows: Matched) -> Matched:
        """Return rows to the degree to which they meet all conditions."""
        for condition in premise:
            rows = self.restricted(rows, condition)
        return rows

    def rows(self, p: Array) -> Matched:
        """Return all rows, fully matched, with their probabilities."""
        kept = range(1, 2) if self.n_classes == 2 else range(self.n_classes)
        unit = self.weight / self.weight.max() * UNIT
        columns = [np.rint(unit)]
        for c in kept:
            probability = np.rint(p[:, c] * unit)
            spread = np.rint(p[:, c] * (1 - p[:, c]) * unit)
            least = LEAST_IN_QUESTION if self.n_classes <= 100 else LEAST_OF_MANY
            is_asked = (self.n_classes == 2) | (probability >= least)
            columns += [np.rint(unit) * (self.y == c), probability * is_asked, spread * is_asked]
        state = np.stack(columns, axis=1).astype(np.int64)
        return Matched(state, np.full(len(self.y), FULL))

    # What a condition would bring

    def in_weights(self, sums: Array) -> Sums:
        """Return sums of a state, with columns as it has, in sample weights."""
        sums = (sums * self.scale).T
        return Sums(sums[0], sums[1::3], sums[2::3], sums[3::3])

    def gain(self, inside: Sums, everything: Sums, price: float, sign: int = 0) -> Array:
        """Return by how much rules that match some of the rows would improve the objective.

        With a sign, these rules have to speak for higher classes (1) or for lower ones (-1).
        """
        few = self.least_experience
        is_few = (inside.weight < few) | (everything.weight - inside.weight < few)
        if sign and self.n_classes > 2:
            return np.where(is_few, 0.0, self.step_gain(inside, everything, price, sign))
        mean = inside.weight / everything.weight
        factor = 1.0 if self.n_classes == 2 else self.n_classes / (self.n_classes - 1)
        gain = np.zeros(np.shape(inside.weight))
        for c in range(len(everything.own)):
            own, spread = inside.own[c], inside.spread[c]
            drift = everything.own[c] - everything.probability[c]
            slope = own - inside.probability[c] - mean * drift
            excess = abs(slope) - price
            is_seen = slope * (own - mean * everything.own[c]) > 0
            is_seen &= slope * sign >= 0
            without = everything.spread[c] - spread
            curvature = factor * ((1 - mean) * (1 - mean) * spread + mean * mean * without) + RIDGE
            gain += np.where((excess > 0) & is_seen, parabola(excess, curvature), 0.0)
        return np.where(is_few, 0.0, gain)

    def step_gain(self, inside: Sums, everything: Sums, price: float, sign: int) -> Array:
        """Return the gain by the best step: all classes from one on, against all others.

        The spread of several classes together is at most the sum of theirs, and that of the others.
        """
        mean = inside.weight / everything.weight
        best = np.zeros(np.shape(inside.weight))
        spreads = inside.spread, (everything.spread - inside.spread.T).T
        for step in range(1, self.n_classes):
            low, high = self.order[:step], self.order[: step - 1 : -1]
            own, all_own = inside.own[high].sum(axis=0), everything.own[high].sum()
            drift = all_own - everything.probability[high].sum()
            slope = own - inside.probability[high].sum(axis=0) - mean * drift
            below = [part[low].sum(axis=0) for part in spreads]
            spread, other = (
                np.minimum(part, every[self.order].sum(axis=0) - part)
                for part, every in zip(below, spreads, strict=True)
            )
            excess = abs(slope) - price
            is_seen = (slope * (own - mean * all_own) > 0) & (slope * sign > 0) & (excess > 0)
            curvature = (1 - mean) * (1 - mean) * spread + mean * mean * other + RIDGE
            best = np.maximum(best, np.where(is_seen, parabola(excess, curvature), 0.0))
        return best

    # Profiles

    def degrees_and_neutral(self, premise: Premise, p: Array) -> tuple[Array, float]:
        """Return to which degree rows match a rule, and the degree at which it says nothing."""
        rows = self.rows(p)
        sums = [r.state.sum(axis=0) * self.scale for r in (self.matched(premise, rows), rows)]
        own, all_rows = (np.append(s[1::3], s[0] - s[1::3].sum())[: self.n_classes] for s in sums)
        neutral = neutral_degree(own, all_rows)
        known, open_part, by_chance = np.ones(len(self.y)), np.ones(len(self.y)), 1.0
        is_open = np.zeros(len(self.y), dtype=bool)
        for condition in premise:
            feature = self.features[condition[0]]
            degrees = self.degrees_by_code(condition)[feature.codes] / FULL
            share = min(sum(feature.shares[t] for t in sorted(condition[1])), 1.0)
            is_missing = feature.codes == MISSING
            known *= np.where(is_missing, 1.0, degrees)
            open_part *= np.where(is_missing, share, 1.0)
            is_open |= is_missing
            by_chance *= share
        together = np.minimum(neutral / max(by_chance, 1e-300) * open_part, 1.0)
        return np.where(is_open, known * together, known), neutral

    def start(self, premise: Premise, scores: Array) -> Array:
        """Return the first profile of a new rule, if rows have these logarithms of odds."""
        p = softmax(scores)
        degrees, neutral = self.degrees_and_neutral(premise, p)
        price, truth = self.price(len(premise)), np.eye(self.n_classes)[self.y]
        shares = self.weight @ truth / self.weight.sum()
        matched = (self.weight * degrees) @ truth
        is_more = (matched + 2 * shares) / (matched.sum() + 2) > shares
        factor = 1.0 if self.n_classes == 2 else self.n_classes / (self.n_classes - 1)
        slope = (degrees - neutral) @ (self.weight[:, np.newaxis] * (truth - p))
        curvature = (degrees - neutral) ** 2 @ (self.weight[:, np.newaxis] * p * (1 - p))
        entry = np.sign(slope) * np.maximum(abs(slope) - price, 0) / (factor * curvature + 1e-10)
        entry = np.where((entry > 0) == is_more, np.clip(entry, -GREATEST_ENTRY, GREATEST_ENTRY), 0)
        if self.n_classes == 2:
            entry[0] = 0
            entry[1] = entry[1] if entry[1] * self.sign(premise) >= 0 else 0
        elif self.sign(premise):
            entry = self.first_step(premise, p)
        shift = (degrees - neutral)[:, np.newaxis]
        while self.objective(scores + shift * entry) + price * abs(entry).sum() > self.objective(
            scores
        ):
            entry = entry / 2
        return entry

    def first_step(self, premise: Premise, p: Array) -> Array:
        """Return the first profile of a rule with a sign, if there are more than two classes."""
        degrees, neutral = self.degrees_and_neutral(premise, p)
        price, sign, found = self.price(len(premise)), self.sign(premise), (0.0, 0.0, 0)
        shares = np.bincount(self.y, self.weight, self.n_classes) / self.weight.sum()
        for step in range(1, self.n_classes):
            high = self.order[step:]
            is_high, chance = np.isin(self.y, high), p[:, high].sum(axis=1)
            matched = self.weight * degrees
            usual = shares[high].sum()
            is_more = (matched @ is_high + 2 * usual) / (matched.sum() + 2) > usual
            slope = (degrees - neutral) @ (self.weight * (is_high - chance))
            spread = self.weight * chance * (1 - chance)
            curvature = (degrees - neutral) ** 2 @ spread + 1e-10
            size = min((abs(slope) - price) / curvature, GREATEST_ENTRY)
            gain = size * (abs(slope) - price) - size * size / 2 * curvature
            if size > 0 and gain > found[0] and (slope > 0) == is_more and slope * sign > 0:
                found = gain, size * np.sign(slope), step
        entry = np.zeros(self.n_classes)
        entry[self.order[found[2] :]] = found[1] if found[2] else 0.0
        return entry

    def objective(self, scores: Array) -> float:
        """Return the likelihood's part of the objective."""
        chosen = softmax(scores)[np.arange(len(self.y)), self.y]
        return float(-self.weight @ np.log(chosen))


def parabola(excess: Array, curvature: Array) -> Array:
    """Return by how much a step along a parabola improves, if it is not too long."""
    near = excess * excess / (2 * curvature)
    far = GREATEST_ENTRY * excess - GREATEST_ENTRY * GREATEST_ENTRY / 2 * curvature
    return np.where(excess <= GREATEST_ENTRY * curvature, near, far)


class Twin(Measures):
    """Finds conditions and rules in a coded table."""

    def find(
        self,
        rows: Matched,
        everything: Sums,
        number: int,
        price: float,
        others: Sequence[Condition] = (),
    ) -> tuple[float, frozenset[int]]:
        """Return the greatest gain by a condition on a feature beside others, and its terms."""
        feature, sign = self.features[number], self.sign(others)
        histogram = np.zeros((256, rows.state.shape[1]), dtype=np.int64)
        np.add.at(histogram, feature.codes, rows.state)
        if feature.is_nominal:
            return self.find_set(histogram, everything, feature, price, sign)
        return self.find_run(histogram, everything, number, price, sign)

    # Runs of terms

    def sums_above(self, histogram: State, feature: Feature) -> Sums:
        """Return the sums over what belongs to each term or to higher ones; last, to none."""
        _, n_terms, _, steps, shares = feature
        known = histogram[: steps * (n_terms - 1) + 1]
        sums = np.zeros((n_terms + 1, histogram.shape[1]))
        share = np.minimum(np.cumsum(shares[::-1])[::-1], 1.0)
        for t in range(n_terms):
            part = np.arange(steps) @ known[steps * (t - 1) : steps * t] if t else 0
            sums[t] = known[steps * t :].sum(axis=0) + part / steps + share[t] * histogram[MISSING]
        return self.in_weights(sums)

    def known_borders(self, number: int) -> set[int]:
        """Return the borders between terms that rules have used; those at the ends count, too."""
        n_terms = self.features[number].n_terms
        found = {0, n_terms}
        for premise in self.rules:
            for feature, terms in premise:
                if feature == number:
                    found |= {t for t in range(1, n_terms) if (t in terms) != (t - 1 in terms)}
        return found

    def find_run(
        self, histogram: State, everything: Sums, number: int, price: float, sign: int
    ) -> tuple[float, frozenset[int]]:
        """Try all runs between some borders, then all near the best of them, then known borders.

        On a monotone feature, runs are open at one side, which tells the sign of the rule.
        """
        n = self.features[number].n_terms
        above = self.sums_above(histogram, self.features[number])

        def gains(runs: list[tuple[int, int]]) -> Array:
            low, end = np.array(runs).T
            inside, direction = above.of(low) - above.of(end), self.constraints.direction(number)
            if not direction:
                return self.gain(inside, everything, price, sign)
            up, down = (self.gain(inside, everything, price, s) for s in (direction, -direction))
            up, down = up * (sign != -direction), down * (sign != direction)
            return np.where(low == 0, down, np.where(end == n, up, 0.0))

        def best_of(runs: list[tuple[int, int]]) -> tuple[float, tuple[int, int]]:
            runs = [run for run in runs if run[0] < run[1] and run != (0, n)]
            found = gains(runs)
            return float(found.max()), runs[int(found.argmax())]  # the first of equal ones

        step = -(-n // GRID)
        borders = [*range(0, n, step), n]
        best, run = best_of([(a, b) for a in borders for b in borders])
        if best <= 0:
            return 0.0, frozenset()

        def near(border: int) -> range:
            if border in (0, n):
                return range(border, border + 1)
            return range(max(border - step + 1, 1), min(border + step, n))

        refined, other = best_of([(a, b) for a in near(run[0]) for b in near(run[1])])
        if refined > best:
            best, run = refined, other
        known, enough = self.known_borders(number), NEARLY * best
        for side in (0, 1):
            if run[side] in known:
                continue
            around = range(max(1, run[side] - 2 * step), min(run[side] + 2 * step, n - 1) + 1)
            moved = [(b, run[1]) if side == 0 else (run[0], b) for b in around if b in known]
            moved = [other for other in moved if other[0] < other[1]]
            if moved:
                at_known, other = best_of(moved)
                if at_known > enough:
                    best, run = at_known, other
        return best, frozenset(range(*run))

    # Sets of terms without order

    def find_set(
        self, histogram: State, everything: Sums, feature: Feature, price: float, sign: int
    ) -> tuple[float, frozenset[int]]:
        """Try the terms in which a class is most, or least, above what the rules expect."""
        n_terms, missing = feature.n_terms, histogram[MISSING]
        sums = self.in_weights(histogram[:n_terms] + np.outer(feature.shares, missing))
        found: tuple[float, frozenset[int]] = (0.0, frozenset())
        slopes = sums.own - sums.probability
        reach = np.abs(slopes).sum(axis=1)
        drifts = abs(everything.own - everything.probability)
        # Enough by some set of terms; classes that move together may do with less.
        moved = np.flatnonzero((reach + drifts > price) | (sign != 0 and self.n_classes > 2))
        leading = moved[np.argsort(-reach[moved], kind="stable")][:ORDERS]
        for c in sorted(leading.tolist()):
            ratio = slopes[c] / (sums.weight + 1)
            order = np.lexsort((np.arange(n_terms), -ratio))
            order = order[sums.weight[order] > 0]
            for turned in (order, order[::-1]):
                if len(order) < 2:
                    continue
                first = sums.of(turned[:-1]).accumulated()
                gains = self.gain(first, everything, price, sign)
                if gains.max() > found[0]:
                    last = int(gains.argmax())
                    found = float(gains[last]), frozenset(turned[: last + 1].tolist())
        return found

    # A rule

    def grow(self, p: Array) -> Premise | None:
        """Add the next rule, if rows have these probabilities; None if none is worth it."""
        self.choose_partners(p)
        found = self.candidates(p)
        if not found:
            return None
        self.rules.append(found[0][1])
        return found[0][1]

    def grow_several(self, scores: Array, most: int) -> list[Array]:
        """Add rules, if rows have these logarithms of odds; return their first profiles.

        What was found beside the best rule is added, too, if it gains nearly as much afterwards.
        """
        profiles: list[Array] = []
        self.choose_partners(softmax(scores))
        while len(profiles) < most and (found := self.candidates(softmax(scores))):
            for number, (expected, premise) in enumerate(found):
                p = softmax(scores)
                if number > 0 and self.gain_of(premise, p) < STILL_GOOD * expected:
                    continue
                if len(profiles) == most:
                    break
                degrees, neutral = self.degrees_and_neutral(premise, p)
                profiles.append(self.start(premise, scores))
                scores = scores + np.outer(degrees - neutral, profiles[-1])
                self.rules.append(premise)
        return profiles

    def choose_partners(self, p: Array) -> None:
        """Of very many features, look for further conditions where one alone gains most."""
        if len(self.features) <= self.most_partners:
            return
        rows = self.rows(p)
        everything = self.in_weights(rows.state.sum(axis=0).astype(float))
        gains = [self.find(rows, everything, f, 0.0)[0] for f in range(len(self.features))]
        order = np.argsort(-np.array(gains), kind="stable")
        self.partners = sorted(order[: self.most_partners].tolist())

    def candidates(self, p: Array) -> list[tuple[float, Premise]]:
        """Return new rules that begin with different features, and their gains, the best first."""
        rows = self.rows(p)
        everything = self.in_weights(rows.state.sum(axis=0).astype(float))
        starts = []
        for number in range(len(self.features)):
            gain, terms = self.find(rows, everything, number, self.price(1))
            gain -= self.fee([number])
            if gain > 0 and self.constraints.may_meet({number}):
                starts.append((gain, [(number, terms)]))
        starts.sort(key=lambda start: -start[0])
        found: dict[Premise, float] = {}
        for gain, premise in starts:
            gain = self.extend(rows, everything, premise, gain)
            gain = self.polish(rows, everything, premise, gain)
            final = tuple(sorted(premise, key=lambda condition: condition[0]))
            if final not in self.rules:
                found.setdefault(final, gain)  # one that was found before is no other beam
            if len(found) == BEAMS:
                break
        ordered = sorted(found.items(), key=lambda item: -item[1])
        return [(gain, premise) for premise, gain in ordered]

    def gain_of(self, premise: Premise, p: Array) -> float:
        """Return how much a rule gains if rows have these probabilities."""
        rows = self.rows(p)
        inside, everything = (
            self.in_weights(part.state.sum(axis=0).astype(float))
            for part in (self.matched(premise, rows), rows)
        )
        price, sign = self.price(len(premise)), self.sign(premise)
        fee = self.fee(feature for feature, _ in premise)
        return float(self.gain(inside, everything, price, sign)) - fee

    def extend(
        self, rows: Matched, everything: Sums, premise: list[Condition], gain: float
    ) -> float:
        """Add the best condition on another feature while the gain grows; return the gain."""
        while len(premise) < min(self.max_conditions, MOST_CONDITIONS):
            matched = self.matched(tuple(premise), rows)
            asked = {feature for feature, _ in premise}
            best, added = gain * LEAST_GROWTH, None
            price = self.price(len(premise) + 1)
            for number in self.partners:
                if number not in asked and self.constraints.may_meet({*asked, number}):
                    found, terms = self.find(matched, everything, number, price, premise)
                    found -= self.fee([*asked, number])
                    if found > best:
                        best, added = found, (number, terms)
            if added is None:
                break
            premise.append(added)
            gain = best
        return gain

    def polish(
        self, rows: Matched, everything: Sums, premise: list[Condition], gain: float
    ) -> float:
        """Change each condition to the best one beside the others; return the gain."""
        for i, (number, _) in enumerate(premise if len(premise) > 1 else []):
            others = (*premise[:i], *premise[i + 1 :])
            matched, price = self.matched(others, rows), self.price(len(premise))
            found, terms = self.find(matched, everything, number, price, others)
            found -= self.fee(feature for feature, _ in premise)
            if found > gain:
                premise[i], gain = (number, terms), found
        return gain
