"""Demands: what conditions in words and numbers need of the terms of features.

A condition in numbers is exact: ">= 140" holds for 140 and more, and for nothing else. So the terms
of the feature get a border there, at which one gives way to the next at once. A condition in words
holds to the degree of the terms that it names, which the feature then keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.borders import find_borders
from fuzzyucs.variables.codes import Demand, FineTerms
from fuzzyucs.variables.coding import accepted_terms, every_term
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.phrases import Phrase, Range, terms_of, values_of
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.terms import LinguisticVariable

__all__ = ["Premise", "Premises", "asked_in_numbers"]


@dataclass(frozen=True)
class Premise:
    """What a condition accepts, in whatever terms the feature has.

    Exactly one of these is not None.

    Parameters
    ----------
    ranges : tuple of Range, optional
        Numbers.
    values : frozenset of float, optional
        Values of a feature without order.
    terms : int, optional
        Terms that the feature keeps.
    """

    ranges: tuple[Range, ...] | None = None
    values: frozenset[float] | None = None
    terms: int | None = None

    def accepts(self, variable: LinguisticVariable) -> NDArray[np.bool_]:
        """Tell which terms of a variable, which has the borders that are needed, are accepted."""
        if self.terms is not None:
            return accepted_terms(self.terms, len(variable.terms))
        peaks, ends = variable.peaks, variable.ends
        if self.ranges is not None:
            parts = [(part.low <= peaks) & (ends <= part.high) for part in self.ranges]
            return np.asarray(np.logical_or.reduce(parts))
        members = variable.members or tuple((value,) for value in peaks.tolist())
        assert self.values is not None
        return np.array([self.values.issuperset(group) for group in members])

    @property
    def cuts(self) -> list[float]:
        """Least values above the borders that are needed."""
        found = []
        for part in self.ranges or ():
            found += [part.low] if part.low > -math.inf else []
            found += [math.nextafter(part.high, math.inf)] if part.high < math.inf else []
        return found


def asked_in_numbers(conditions: Sequence[Sequence[tuple[int, Phrase]]]) -> set[int]:
    """Return the features of which some rule asks whether values are more or less than a number."""
    return {f for rule in conditions for f, phrase in rule if phrase.compares}


@dataclass(frozen=True, eq=False)
class Premises:
    """The conditions of rules, and what they need.

    Parameters
    ----------
    rules : list of dict of int to Premise
        What each rule asks of features.
    demands : dict of int to Demand
        Borders that terms need.
    kept : frozenset of int
        Features of which some rule asks in words, and which therefore keep their terms.
    """

    rules: list[dict[int, Premise]]
    demands: dict[int, Demand]
    kept: frozenset[int]

    @classmethod
    def of(
        cls,
        statements: Sequence[Any],
        usual: LinguisticPartition,
        X: NDArray[np.float64] | Table | None,
        told: frozenset[int] = frozenset(),
    ) -> Premises:
        """Find out what conditions ask.

        Parameters
        ----------
        statements : sequence of Statement
            The rules, each with its line and its conditions: features and phrases.
        usual : LinguisticPartition
            Variables with terms that have words.
        X : ndarray of shape (n_samples, n_features) or Table, optional
            Training data, if there are any.
        told : frozenset of int
            Features with terms of a user's own, which have no other borders.
        """
        by_feature: dict[int, list[tuple[int, Phrase]]] = {}
        for rule, statement in enumerate(statements):
            for feature, phrase in statement.conditions:
                by_feature.setdefault(feature, []).append((rule, phrase))
        rules: list[dict[int, Premise]] = [{} for _ in statements]
        demands: dict[int, Demand] = {}
        kept = set()
        for feature, asked in by_feature.items():
            find = _finder(usual, feature, [phrase for _, phrase in asked], told, X)
            for rule, phrase in asked:
                try:
                    rules[rule][feature] = find(phrase)
                except ValueError as error:
                    raise ValueError(f"line {statements[rule].line}: {error}") from None
            found = [rules[rule][feature] for rule, _ in asked]
            cuts = np.unique([cut for premise in found for cut in premise.cuts])
            sets = tuple(premise.values for premise in found if premise.values is not None)
            if len(cuts) or sets:
                demands[feature] = Demand(cuts, sets)
            else:
                kept.add(feature)
        for statement, premises in zip(statements, rules, strict=True):
            if all(_accepts_everything(usual, f, premise) for f, premise in premises.items()):
                raise ValueError(
                    f"line {statement.line}: the rule asks nothing: every value is accepted"
                )
        return cls(rules, demands, frozenset(kept))

    def accepted(self, fine: FineTerms) -> list[NDArray[np.bool_]]:
        """Return for each feature which of its fine terms each rule accepts."""
        found = []
        for number, feature in enumerate(fine.features):
            sets = np.ones((len(self.rules), len(feature.variable.terms)), dtype=bool)
            for rule, premises in enumerate(self.rules):
                if number in premises:
                    sets[rule] = premises[number].accepts(feature.variable)
            found.append(sets)
        return found


def _accepts_everything(usual: LinguisticPartition, feature: int, premise: Premise) -> bool:
    """Tell whether a premise accepts all values that there are."""
    if premise.terms is not None:
        return usual.is_dont_care(feature, premise.terms)
    if premise.values is not None:
        return premise.values.issuperset(usual.listed_values(feature).tolist())
    return False


def _finder(
    usual: LinguisticPartition,
    feature: int,
    phrases: Sequence[Phrase],
    told: frozenset[int],
    X: NDArray[np.float64] | Table | None,
) -> Any:
    """Return what turns phrases about a feature into premises."""
    if not usual.has_order(feature):
        return lambda phrase: _not_empty(Premise(values=values_of(usual, feature, phrase)), phrase)
    has_words = any(_is_in_words(usual, feature, phrase) for phrase in phrases)
    if usual.is_coded(feature) or has_words or feature in told:
        return _terms_finder(usual, feature, X)
    return lambda phrase: Premise(ranges=phrase.ranges)


def _not_empty(premise: Premise, phrase: Phrase) -> Premise:
    if not premise.values:
        raise ValueError(f"no value is {phrase.text!r}")
    return premise


def _is_in_words(usual: LinguisticPartition, feature: int, phrase: Phrase) -> bool:
    """Tell whether a phrase can only be understood by the terms of the feature."""
    if phrase.ranges is None:
        return True
    names = usual.words(feature, every_term(int(usual.n_terms[feature])))
    return phrase.words is None and phrase.text in names  # numbers as names


def _terms_finder(
    usual: LinguisticPartition, feature: int, X: NDArray[np.float64] | Table | None
) -> Any:
    """Return what finds terms by words, or by the numbers between them."""

    def find(phrase: Phrase) -> Premise:
        known, is_date = usual, feature in usual.columns.times
        if X is not None and phrase.ranges and usual.has_numbers(feature) and not is_date:
            column = Table.of(X).column(feature)[:, np.newaxis]
            borders = find_borders(usual.only(feature), column)
            known = replace(usual, borders={**usual.borders, feature: borders[0]})
        try:
            return Premise(terms=terms_of(known, feature, phrase))
        except ValueError as error:
            if phrase.ranges is None:
                raise
            name = usual.feature_names[feature]
            raise ValueError(
                f"{error}. The terms of {name!r} have names, which are given or asked for in "
                "another rule; ask in words or in numbers everywhere"
            ) from None

    return find
