"""What the twin of growth works on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
State = NDArray[np.int64]
Condition = tuple[int, frozenset[int]]  # a feature, and which of its terms
Premise = tuple[Condition, ...]


class Feature(NamedTuple):
    """A column of codes."""

    codes: NDArray[np.uint8]
    n_terms: int
    is_nominal: bool
    steps: int
    shares: Array


def neutral_degree(matched: Array, all_rows: Array) -> float:
    """Return the degree at which a rule leaves the class that it tells most about as it is."""
    parts = [matched, all_rows - matched]  # where the rule matches, and where it does not
    found = (-1.0, 0.0)
    for c, usual in enumerate(all_rows / all_rows.sum()):
        if not 0 < usual < 1:
            continue
        shares = [(part[c] + 2 * usual) / (part.sum() + 2) for part in parts]
        tells = sum(
            part.sum() * (q * np.log(q / usual) + (1 - q) * np.log((1 - q) / (1 - usual)))
            for part, q in zip(parts, shares, strict=True)
        )
        inside, outside, middle = (np.log(q / (1 - q)) for q in (*shares, usual))
        if tells > found[0]:
            found = (tells, (middle - outside) / (inside - outside))
    return float(found[1])


@dataclass(frozen=True)
class Constraints:
    """What rules may ask for; all of it may be left out."""

    monotone: tuple[int, ...] = ()  # of each feature: 1, -1 or 0
    class_order: tuple[int, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    fees: tuple[float, ...] = ()  # of each feature, per unit of weight

    def may_meet(self, asked: set[int]) -> bool:
        """Tell whether a rule may ask for all of these features."""
        is_together = not self.together or any(asked <= set(group) for group in self.together)
        return is_together and all(len(asked & set(group)) < 2 for group in self.apart)

    def direction(self, feature: int) -> int:
        """Return in which direction a feature may move the classes, 0 if in any."""
        return self.monotone[feature] if self.monotone else 0

    def sign(self, features: Sequence[Feature], premise: Sequence[Condition]) -> int:
        """Tell for which classes a rule has to speak: higher ones (1), lower ones (-1), any (0)."""
        signs = {
            self.direction(f) * (1 if features[f].n_terms - 1 in terms else -1)
            for f, terms in premise
        } - {0}
        assert len(signs) < 2
        return signs.pop() if signs else 0

    def fee(self, rules: Sequence[Premise], asked: Iterable[int]) -> float:
        """Return what features cost that no rule asks for, per unit of weight."""
        used = {feature for premise in rules for feature, _ in premise}
        return sum((self.fees[f] for f in asked if self.fees and f not in used), 0.0)


class Matched(NamedTuple):
    """Rows to the degree to which they are matched."""

    state: State
    degree: NDArray[np.int64]


class Sums(NamedTuple):
    """Sums over rows in sample weights: numbers, or one for each of several sets of rows."""

    weight: Array
    own: Array  # a row for each class, as the next two
    probability: Array
    spread: Array

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(*(a - b for a, b in zip(self, other, strict=True)))

    def of(self, index: NDArray[np.intp]) -> "Sums":
        """Return the sums for some of the sets of rows."""
        return Sums(*(part[..., index] for part in self))

    def accumulated(self) -> "Sums":
        """Return the sums over the first set, over the first two, and so on."""
        return Sums(*(np.cumsum(part, axis=-1) for part in self))


def softmax(scores: Array) -> Array:
    """Return probabilities from logarithms of odds."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
