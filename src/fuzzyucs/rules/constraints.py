"""Constraints: what a model has to keep to, whatever its training data say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import counted, listed
from fuzzyucs.variables.coding import runs
from fuzzyucs.variables.linguistic import LinguisticPartition

if TYPE_CHECKING:
    from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = ["Constraints", "Directions"]

ROUNDING = 1e-9  # of an entry of a profile

Array = NDArray[np.float64]


class Directions(NamedTuple):
    """Which rules follow the order of the classes.

    Attributes
    ----------
    signs : ndarray of shape (n_rules,)
        1 of a rule that has to speak for higher classes, -1 for lower ones, 0 if it may speak for
        any.
    order : tuple of int
        The classes from the lowest to the highest.
    """

    signs: NDArray[np.int32]
    order: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Constraints:
    """What a model has to keep to, whatever its training data say.

    An `EvidentialRuleClassifier` makes it of its parameters; the fitted rules remember it, and so
    do model files. `broken` tells whether rules keep to it, from the rules themselves.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    class_order : tuple of int
        Numbers of the classes, from the lowest to the highest.
    monotonic : tuple of int
        For each feature 1 if the probability of higher classes must not fall as it grows, -1 if it
        must not rise, or 0.
    together : tuple of tuple of int
        Sets of features: the features of each rule are in one of them. Empty if it does not matter.
    apart : tuple of tuple of int
        Sets of features: each rule asks for one of them at most.
    unused : tuple of int
        Features that no rule asks for, and that answers do not depend on at all.
    costs : tuple of float
        Price of each feature. Empty if it does not matter.
    cost_weight : float
        How much of the mean log-loss a price of 1 is worth.

    Examples
    --------
    >>> from fuzzyucs.rules.constraints import Constraints
    >>> wish = Constraints(("age", "dose", "site"), (0, 1), monotonic=(1, 0, 0), apart=((1, 2),))
    >>> for sentence in wish.sentences(["well", "ill"]):
    ...     print(sentence)
    the greater age, the more probable ill, or as probable
    no rule asks for both dose and site
    """

    feature_names: tuple[str, ...]
    class_order: tuple[int, ...]
    monotonic: tuple[int, ...]
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    unused: tuple[int, ...] = ()
    costs: tuple[float, ...] = ()
    cost_weight: float = 0.0

    def __repr__(self) -> str:
        n_directed, groups = (
            int(np.count_nonzero(self.monotonic)),
            len(self.together) + len(self.apart),
        )
        return short_repr(
            self,
            counted(n_directed, "direction", "directions") if n_directed else "",
            counted(groups, "set of features", "sets of features") if groups else "",
            f"{len(self.unused)} unused" if self.unused else "",
            "prices" if self.costs else "",
        )

    @property
    def is_monotonic(self) -> bool:
        """Whether any feature has a direction."""
        return any(self.monotonic)

    @property
    def are_alone(self) -> NDArray[np.bool_]:
        """Which features tell nothing about others, nor about novelty."""
        alone: NDArray[np.bool_] = np.array(self.monotonic, dtype=int) != 0
        alone[list(self.unused)] = True
        return alone

    @property
    def directed(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Directions as the engine takes them, and the order of the classes.

        Of two classes in another order than their own, the directions are turned instead.
        """
        own = tuple(range(len(self.class_order)))
        if len(own) == 2 and self.class_order != own:
            return tuple(-sign for sign in self.monotonic), own
        return self.monotonic, self.class_order

    def directions(
        self, variables: LinguisticPartition, conditions: NDArray[np.uint64]
    ) -> Directions | None:
        """Tell which rules follow the order of the classes, and how; None if none has to.

        Parameters
        ----------
        variables : LinguisticPartition
            The features.
        conditions : ndarray of shape (n_rules, n_features)
            Conditions of rules.
        """
        if not self.is_monotonic:
            return None
        monotonic, order = self.directed
        signs = _ends(variables, conditions, monotonic)
        first = np.take_along_axis(signs, (signs != 0).argmax(axis=1)[:, np.newaxis], axis=1)
        return Directions(first[:, 0].astype(np.int32), order)

    def price(self, asks: NDArray[np.bool_]) -> float:
        """Return the sum of the prices of all features that rules ask for: each is paid once.

        Parameters
        ----------
        asks : ndarray of shape (n_rules, n_features)
            Whether a rule asks for a feature.
        """
        return float(np.asarray(self.costs)[asks.any(axis=0)].sum()) if self.costs else 0.0

    def broken(self, rules: ProfiledRuleSet) -> list[str]:
        """Say which rules do not keep to the constraints: none, as they were learned.

        Parameters
        ----------
        rules : ProfiledRuleSet
            The rules, which may have been edited.

        Returns
        -------
        list of str
            A sentence for each; rules are counted from 0.
        """
        found = []
        names, asks = self.feature_names, rules.asks
        monotonic, order = self.directed
        signs = _ends(rules.variables, rules.conditions, monotonic)
        steps = np.diff(rules.profile[:, list(order)], axis=1)
        for rule, asked in enumerate(rules.asked_features):
            about, is_asked = f"rule {rule} ({rules.condition(rule)})", set(asked)
            directed = [f for f in asked if monotonic[f]]
            sides = {int(signs[rule, f]) for f in directed}
            if 0 in sides:
                inside = [f for f in directed if signs[rule, f] == 0]
                text = f"the condition on {listed_names(names, inside)} is not open at one side"
                found.append(f"{about}: {text}")
            elif sides and (len(sides) > 1 or (steps[rule] * min(sides) < -ROUNDING).any()):
                found.append(f"{about} has no direction along {listed_names(names, directed)}")
            if (
                self.together and not any(is_asked <= set(group) for group in self.together)
            ) or any(len(is_asked & set(group)) > 1 for group in self.apart):
                found.append(f"{about} asks for features that must not meet")
        used = [f for f in self.unused if asks[:, f].any()]
        return found + [f"rules ask for {names[f]}" for f in used]

    def sentences(self, classes: Sequence[Any]) -> list[str]:
        """Say what the constraints ask for.

        Parameters
        ----------
        classes : sequence
            Class labels.

        Returns
        -------
        list of str
        """
        names, found = self.feature_names, []
        ordered = [str(classes[c]) for c in self.class_order]
        for feature, sign in enumerate(self.monotonic):
            if not sign:
                continue
            than = "more" if sign > 0 else "less"
            what = ordered[-1]
            if len(ordered) > 2:
                what = f"the higher of the classes {', '.join(ordered)}"
            found.append(
                f"the greater {names[feature]}, the {than} probable {what}, or as probable"
            )
        for group in self.apart:
            few = "both" if len(group) == 2 else "two of"
            found.append(f"no rule asks for {few} {listed_names(names, group)}")
        if self.together:
            sets = "; ".join(listed_names(names, group) for group in self.together)
            found.append(f"a rule asks for features of one of these sets: {sets}")
        if self.unused:
            found.append(f"answers do not depend on {listed_names(names, self.unused)}")
        return found

    def price_text(self, asks: NDArray[np.bool_]) -> str:
        """Say what the features cost that rules ask for; nothing if there are no prices."""
        if not self.costs:
            return ""
        n_asked = int(asks.any(axis=0).sum())
        asked = counted(n_asked, "feature that rules ask for", "features that rules ask for")
        return f"price of the {asked}: {self.price(asks):g} of {sum(self.costs):g}"

    def as_dict(self) -> dict[str, Any]:
        """Return the constraints as JSON has them, by numbers of features and classes."""
        return {
            "class_order": list(self.class_order),
            "monotonic": list(self.monotonic),
            "together": [list(group) for group in self.together],
            "apart": [list(group) for group in self.apart],
            "unused": list(self.unused),
            "costs": list(self.costs),
            "cost_weight": self.cost_weight,
        }


def listed_names(names: Sequence[str], features: Sequence[int]) -> str:
    """Return the names of features as a text."""
    return listed([names[f] for f in features])


def _ends(
    variables: LinguisticPartition, conditions: NDArray[np.uint64], monotonic: Sequence[int]
) -> NDArray[np.int64]:
    """Return for which classes conditions on monotonic features let a rule speak.

    0 where a rule asks nothing, or has a condition that is not open at one side.
    """
    signs = np.zeros(conditions.shape, dtype=np.int64)
    for feature in np.flatnonzero(monotonic).tolist():
        last = int(variables.n_terms[feature]) - 1
        for rule, condition in enumerate(conditions[:, feature].tolist()):
            found = runs(condition, last + 1)
            if len(found) == 1 and (found[0][0] > 0) != (found[0][1] < last):
                signs[rule, feature] = (
                    monotonic[feature] if found[0][0] > 0 else -monotonic[feature]
                )
    return signs
