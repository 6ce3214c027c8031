"""Rules to look through and to edit: sorted, filtered, dropped, changed, merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import feature_number, select_rows
from fuzzyucs.rules.arrays import RuleArrays
from fuzzyucs.rules.conditions import canonical, given_condition

__all__ = ["EditableRules"]

TOLERANCE = 1e-12  # between weights that count as equal


class EditableRules(RuleArrays):
    """Rules of which others can be made."""

    def sort(self, by: str = "numerosity", *, ascending: bool = False) -> Self:
        """Return the rules in the order of one of their quantities.

        Parameters
        ----------
        by : {"numerosity", "experience", "fitness", "consequent", "weight", "conditions", ...}
            The quantity: any array with a number for each rule, the weight of the class that a rule
            predicts, or the number of its conditions. Equal rules keep their order.
        ascending : bool
            Whether the least come first.

        Returns
        -------
        RuleSet
        """
        values = self._quantity(by, "by")
        return self[np.argsort(values if ascending else -values, kind="stable")]

    def _quantity(self, name: str, parameter: str) -> NDArray[np.float64]:
        """Return a number for each rule."""
        names = [name for name in self.array_names() if getattr(self, name).ndim == 1]
        if name in names:
            values: NDArray[np.float64] = getattr(self, name).astype(float)
            return values
        if name == "weight":
            return self._own(self.weights)
        if name == "conditions":
            counts: NDArray[np.float64] = self.asks.sum(axis=1).astype(float)
            return counts
        choices = [*names, "weight", "conditions"]
        raise ValueError(f"{parameter} must be one of {choices}, got {name!r}")

    def filter(
        self,
        *,
        feature: Any = None,
        label: Any = None,
        text: str | None = None,
        least: Mapping[str, float] | None = None,
    ) -> Self:
        """Return the rules that fulfil all that is asked of them.

        Parameters
        ----------
        feature : str, int or sequence of them, optional
            Name or number of a feature that rules ask something of; of several, all of them.
        label : optional
            Label of the class that rules predict.
        text : str, optional
            What the sentences of rules contain, in small or capital letters.
        least : mapping of str to float, optional
            Least values of quantities, which have names as in `sort`: ``{"experience": 10}``.

        Returns
        -------
        RuleSet

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from fuzzyucs import EvidentialRuleClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> rules = EvidentialRuleClassifier(random_state=0).fit(X, y).rules_
        >>> print(rules.filter(feature="petal width (cm)", label=0, least={"weight": 0.9}))
        <WeightedRuleSet: ...>
        """
        kept = np.ones(len(self), dtype=bool)
        for key in _several(feature):
            kept &= self.asks[:, feature_number(key, self.variables.feature_names, "feature")]
        if label is not None:
            labels = self.classes.tolist()
            if label not in labels:
                raise ValueError(f"label must be one of {labels[:10]}, got {label!r}")
            kept &= self.consequent == labels.index(label)
        for name, value in (least or {}).items():
            kept &= self._quantity(name, "least") >= value
        if text is not None:
            sought = text.casefold()
            found = [sought in self.sentence(rule).casefold() for rule in range(len(self))]
            kept &= np.array(found, dtype=bool)
        return self[kept]

    def drop(self, rules: Any) -> Self:
        """Return the other rules.

        Parameters
        ----------
        rules : int, slice, mask or sequence of int
            Places of the rules to leave out.

        Returns
        -------
        RuleSet
        """
        return self[np.delete(np.arange(len(self)), self._places(rules))]

    def _places(self, rules: Any) -> NDArray[np.intp]:
        try:
            return select_rows(len(self), rules)
        except IndexError as error:
            raise IndexError(
                f"rules must be places among the {len(self)} rules, a slice or a mask, "
                f"got {rules!r}"
            ) from error

    def edit(self, rule: int, conditions: Mapping[Any, Any]) -> Self:
        """Return the rules with other conditions in one of them.

        Its statistics stay what they were until `assess` finds them anew.

        Parameters
        ----------
        rule : int
            Place of the rule.
        conditions : mapping
            What it is to ask of features, by name or number; features that are not mentioned keep
            their conditions. Linguistic: names of terms, or values of a nominal feature. Intervals:
            the least and the greatest value in the feature's own units, or None for no bound; there
            is none at the edge of the training data, either. None asks nothing of a feature.

        Returns
        -------
        RuleSet

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from fuzzyucs import EvidentialRuleClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
        >>> wish = {"petal width (cm)": ["very small", "small"], "sepal width (cm)": None}
        >>> edited = clf.rules_.edit(0, wish).assess(X, y)
        >>> "petal width (cm) is at most small" in edited.condition(0)
        True
        >>> clf.with_rules(edited).score(X, y) > 0.9
        True
        """
        place = self._places(rule)
        if len(place) != 1:
            raise IndexError(f"rule must be the place of one rule, got {rule!r}")
        changed = self.conditions.copy()
        for key, wanted in conditions.items():
            feature = feature_number(key, self.variables.feature_names, "conditions")
            changed[place[0], feature] = given_condition(self.variables, feature, wanted)
        return replace(self, conditions=changed)

    def merge(self, least_experience: float = 10.0) -> Self:
        """Return the rules with equivalent ones made one, which decide the same.

        Rules are equivalent if they match the same data to the same degrees, predict the same class
        and have the same weights and fitness. What was counted for each (numerosity, strength,
        evidence) is added up; all else is that of the most experienced of them, the time stamp that
        of the latest. The rule stands where the first of them stood.

        Parameters
        ----------
        least_experience : float
            The `inference_experience` of the classifier: rules with so much or less take no part in
            decisions, and are not merged with others.

        Returns
        -------
        RuleSet
        """
        groups = self._equivalent(least_experience)
        best = [max(group, key=lambda rule: self.experience[rule]) for group in groups]
        arrays: dict[str, Any] = {}
        for name in {"numerosity", "strength", "evidence", "time_stamp"} & set(self.array_names()):
            array = getattr(self, name)
            parts = (array[group] for group in groups)
            together = [part.max() if name == "time_stamp" else part.sum() for part in parts]
            arrays[name] = np.array(together, dtype=array.dtype)
        return replace(self[np.array(best, dtype=np.intp)], **arrays)

    def _equivalent(self, least_experience: float) -> list[list[int]]:
        """Group the places of rules that say the same."""
        _, doubt = self._strength_and_doubt(np.ones(len(self), dtype=bool))
        says = np.column_stack([self.weights, self.fitness, doubt])
        conditions = canonical(self.variables, self.conditions)
        alike: dict[tuple[Any, ...], list[list[int]]] = {}
        for rule, condition in enumerate(conditions):
            takes_part = bool(self.experience[rule] > least_experience)
            key = (condition.tobytes(), int(self.consequent[rule]), takes_part)
            groups = alike.setdefault(key, [])
            for group in groups:
                if np.abs(says[rule] - says[group[0]]).max() <= TOLERANCE:
                    group.append(rule)
                    break
            else:
                groups.append([rule])
        return sorted(group for groups in alike.values() for group in groups)


def _several(wanted: Any) -> Iterable[Any]:
    if wanted is None:
        return []
    is_single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
    return [wanted] if is_single else wanted
