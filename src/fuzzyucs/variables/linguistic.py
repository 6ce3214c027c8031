"""Linguistic variables: how a table of numbers becomes words such as *small* and *large*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables import (
    believing,
    conditions,
    holding,
    locating,
    moving,
    plain_data,
    sketching,
    trying,
    wording,
)
from fuzzyucs.variables.believing import Beliefs
from fuzzyucs.variables.borders import Borders, find_borders
from fuzzyucs.variables.coding import MAX_FINE_TERMS, MAX_TERMS
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.partitioning import Nominal, Partition, Way, find_terms
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.terms import LinguisticVariable, term_names
from fuzzyucs.variables.variables import Variables, ranges

__all__ = [
    "MAX_FINE_TERMS",
    "MAX_TERMS",
    "Beliefs",
    "Borders",
    "LinguisticPartition",
    "LinguisticVariable",
    "term_names",
]


@dataclass(frozen=True, eq=False)
class LinguisticPartition(Variables):
    """The linguistic variables of a table, one per feature.

    Each feature has triangular terms; neighbours cross at 0.5, so that the memberships of a value
    always sum to 1. Unless told otherwise, their peaks divide the training range evenly.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature, in its own units. NaN where every training value was missing.
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature.
    special : dict of int to LinguisticVariable
        Features whose terms are not spread evenly.
    forest : TermForest, optional
        What known values tell about missing ones. Without it a missing value matches everything.
    is_believed : ndarray of shape (n_features,), optional
        Of which features the forest is asked; missing values of the others match everything.
    borders : dict of int to Borders
        Numbers between the terms of features, as texts tell them. Those of other features are
        computed from their peaks.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> partition.peaks(0)
    array([0., 2., 4., 6., 8.])
    >>> partition.positions(np.array([[3.0], [np.nan], [99.0]]))
    array([[1.5],
           [nan],
           [4. ]])
    """

    n_terms: NDArray[np.uint32]
    special: Mapping[int, LinguisticVariable] = field(default_factory=dict)
    forest: TermForest | None = None
    is_believed: NDArray[np.bool_] | None = None
    borders: Mapping[int, Borders] = field(default_factory=dict)

    @classmethod
    def uniform(
        cls, X: NDArray[np.float64], n_terms: int | ArrayLike, feature_names: Sequence[str]
    ) -> LinguisticPartition:
        """Divide the range of each column of ``X`` evenly.

        Parameters
        ----------
        X, n_terms, feature_names
            As in `of`.
        """
        return cls.of(X, feature_names, n_terms=n_terms)

    @classmethod
    def of(
        cls,
        X: NDArray[np.float64] | Table,
        feature_names: Sequence[str],
        *,
        partition: Partition = "uniform",
        otherwise: Way = "uniform",
        n_terms: int | ArrayLike | Literal["auto"] = 5,
        nominal_features: Nominal = None,
        columns: Columns | None = None,
        groups_rest: bool = False,
        with_borders: bool = True,
    ) -> LinguisticPartition:
        """Find linguistic variables for the columns of ``X``.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or Table
            Training data. NaN is ignored.
        feature_names : sequence of str
            Names of the columns.
        partition : {"uniform", "quantile", "values"} or dict
            Peaks that divide the range of a feature evenly, or so that equally many values lie
            between any two; "values" gives each value its own term if a feature has at most 32
            different ones, and does as "quantile" with the others. Or, for features by name or
            number, one of these words, the peaks themselves, or a dict of term names and peaks.
        otherwise : {"uniform", "quantile", "values"}
            How to divide features that a dict does not mention.
        n_terms : int, array-like of shape (n_features,) or "auto"
            Number of terms, for all features or for each. "auto" is 5, from
            500 rows on 7, and from 1,500 rows on 9.
        nominal_features : "auto", sequence or None
            Features without order, by name or number, or as a mask. "auto" takes those that have
            at most six different values and are not in a dict of partitions; since they may have
            an order after all, other values than these count as the nearest of them.
        columns : Columns, optional
            Features whose numbers stand for categories: each is a term, crisp and without order
            unless the categories are ordered.
        groups_rest : bool
            Whether the rarest of more than 64 categories share a term, or neighbours if they are
            ordered. Otherwise so many are refused.
        with_borders : bool
            Whether to find the numbers by which texts tell terms apart. It takes longer than all
            else, for terms that are in no text.

        Returns
        -------
        LinguisticPartition

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.linguistic import LinguisticPartition
        >>> X = np.array([[1.0, 80.0], [2.0, 95.0], [1.0, 180.0]])
        >>> partition = LinguisticPartition.of(
        ...     X,
        ...     ["sex", "glucose"],
        ...     partition={"glucose": {"normal": 90, "elevated": 110, "high": 140}},
        ...     nominal_features=["sex"],
        ... )
        >>> partition.words(0, 0b10), partition.words(1, 0b11)
        (['2'], ['normal', 'elevated'])
        """
        names = tuple(map(str, feature_names))
        table = Table.of(X)
        minimum, maximum = ranges(table)
        known = columns or Columns()
        counts, special = find_terms(
            table,
            (minimum, maximum),
            names,
            partition=partition,
            otherwise=otherwise,
            n_terms=n_terms,
            nominal_features=nominal_features,
            columns=known,
            groups_rest=groups_rest,
        )
        found = cls(names, minimum, maximum, counts, special, columns=known)
        return replace(found, borders=find_borders(found, table)) if with_borders else found

    @classmethod
    def of_variables(
        cls,
        X: NDArray[np.float64],
        feature_names: Sequence[str],
        variables: Mapping[int, LinguisticVariable],
        columns: Columns | None = None,
    ) -> LinguisticPartition:
        """Take variables as they are; only ranges and borders are found in the data.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training data. NaN is ignored.
        feature_names : sequence of str
            Names of the columns.
        variables : mapping of int to LinguisticVariable
            The terms of each feature; one without an entry has two, at the ends of its range.
            Ordered features may have up to 255. A condition on more than 64 terms is a run of
            neighbours (`fuzzyucs.variables.coding.as_run`), for 64 and less it is any set.
        columns : Columns, optional
            Features whose numbers stand for categories. They need an entry each.

        Returns
        -------
        LinguisticPartition

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs import LinguisticPartition
        >>> from fuzzyucs.variables.linguistic import LinguisticVariable
        >>> age = LinguisticVariable(
        ...     np.array([18.0, 45.0]), ("young", "old"), ends=np.array([35.0, 90.0])
        ... )
        >>> X = np.array([[18.0], [39.0], [42.0], [90.0]])
        >>> LinguisticPartition.of_variables(X, ["age"], {0: age}).describe_plain(0, 0b10)
        'age is old (>= 40)'
        """
        names, known = tuple(map(str, feature_names)), columns or Columns()
        lacking = sorted(set(known.categories) - set(variables))
        if lacking:
            raise ValueError(f"variables must have the categories of {names[lacking[0]]!r}")
        minimum, maximum = ranges(X)
        counts = np.full(len(names), 2, dtype=np.uint32)
        for feature, variable in variables.items():
            n, least = len(variable.terms), 2 if maximum[feature] > minimum[feature] else 1
            most = MAX_TERMS if variable.is_nominal else MAX_FINE_TERMS
            if not (least <= n <= most or (n == 1 and variable.is_nominal)):
                raise ValueError(
                    f"variables must have {least} to {most} terms for {names[feature]!r}, got "
                    f"{n}; leave out features that no rule asks for"
                )
            counts[feature] = max(2, n)
        found = cls(names, minimum, maximum, counts, dict(variables), columns=known)
        return replace(found, borders=find_borders(found, X))

    describe = wording.describe
    describe_plain = wording.describe_plain
    describe_run = wording.describe_run
    observe = wording.observe
    outline = sketching.term_outline
    accepted_categories = sketching.accepted_categories
    phrase = wording.phrase
    words = wording.words
    term_texts = wording.term_texts
    is_listed = wording.is_listed
    listed_values = wording.listed_values
    value_name = wording.value_name
    describe_numbers = wording.describe_numbers
    numbered_borders = wording.numbered_borders
    bounds = wording.bounds
    holds = holding.holds
    has_numbers = wording.has_numbers
    speaks_in_numbers = wording.speaks_in_numbers
    parse_condition = conditions.parse_terms
    canonical = conditions.canonical_terms
    is_dont_care = conditions.is_every_term
    dont_cares = conditions.are_every_term
    with_beliefs = believing.with_beliefs
    degrees = believing.degrees
    dependence = believing.dependence
    rule_degrees = believing.rule_degrees
    freeze = believing.freeze
    positions = locating.positions
    stored_rows = locating.stored_rows
    with_range = moving.with_range_of_terms
    movable = property(moving.movable_features)
    rewrite = moving.rewrite_terms
    ordered_terms = cached_property(locating.ordered_terms)
    values_to_try = trying.values_to_try
    feature_as_dict = plain_data.feature_as_dict
    condition_as_dict = plain_data.condition_as_dict

    def __repr__(self) -> str:
        least, most = (int(f(self.n_terms)) for f in (np.min, np.max))
        terms = f"{least} terms each" if least == most else f"{least} to {most} terms each"
        features = counted(self.n_features, "feature", "features")
        return short_repr(self, f"{features} ({some(self.feature_names)})", terms)

    @property
    def n_varied_terms(self) -> NDArray[np.uint32]:
        """Number of terms of each feature; 0 if it never varied."""
        return np.where(self.maximum > self.minimum, self.n_terms, 0).astype(np.uint32)

    @property
    def believed_features(self) -> NDArray[np.bool_]:
        """Of which features the forest is asked for missing values."""
        if self.forest is None or self.is_believed is None:
            return super().believed_features
        return self.is_believed

    def without_beliefs(self) -> LinguisticPartition:
        """Return variables whose missing values match everything."""
        return self if self.forest is None else self._without_beliefs

    @cached_property
    def _without_beliefs(self) -> LinguisticPartition:
        return replace(self, forest=None, is_believed=None)

    @property
    def is_nominal(self) -> NDArray[np.bool_]:
        """Which features have crisp terms without order."""
        nominal = [f in self.special and self.special[f].is_nominal for f in range(self.n_features)]
        return np.array(nominal, dtype=bool)

    def ends(self, feature: int) -> NDArray[np.float64]:
        """Return the values up to which the terms of a feature are fully true."""
        return self.special[feature].ends if feature in self.special else self.peaks(feature)

    def peaks(self, feature: int) -> NDArray[np.float64]:
        """Return the values from which on the terms of a feature are fully true."""
        if feature in self.special:
            return self.special[feature].peaks
        steps = np.linspace(0.0, 1.0, int(self.n_terms[feature]))
        low, high = self.minimum[feature], self.maximum[feature]
        return np.asarray(low * (1.0 - steps) + high * steps)

    def terms(self, feature: int) -> tuple[str, ...]:
        """Return the names of the terms of a feature."""
        if feature in self.special:
            return self.special[feature].terms
        return term_names(int(self.n_terms[feature]))

    def has_order(self, feature: int) -> bool:
        """Tell whether the terms of a feature have an order."""
        return not (feature in self.special and self.special[feature].is_nominal)

    def only(self, feature: int) -> LinguisticPartition:
        """Return the variable of one feature, to locate the values of a single column."""
        one = slice(feature, feature + 1)
        own = {0: self.special[feature]} if feature in self.special else {}
        ranges = self.minimum[one], self.maximum[one]
        return LinguisticPartition(self.feature_names[one], *ranges, self.n_terms[one], own)

    @cached_property
    def steps(self) -> dict[int, trying.Steps]:
        """Values to try of features with order, as far as they were asked for."""
        return {}
