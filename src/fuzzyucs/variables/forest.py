"""TermForest: what is usual in a table, as counts of linguistic terms and of pairs of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.locating import Located

__all__ = ["TermForest", "count_groups"]

UNITS = 65536  # of a degree: sums of whole numbers do not depend on the order of rows

Array = NDArray[np.float64]

MOST_FEATURES = 1000  # among which dependences are looked for; time grows with their pairs
MOST_GROUPS = 64  # of neighbouring terms; tables of more pairs would be almost empty


@dataclass(frozen=True, eq=False)
class TermForest:
    """Features as a forest: each depends on at most one other, its parent.

    It is the forest that tells most about the table (Chow and Liu), with fuzzy counts: the edges
    with the greatest mutual information, as far as it exceeds what chance would make of it.

    Parameters
    ----------
    n_terms : ndarray of shape (n_features,)
        Number of terms of each feature; 0 if the feature takes no part.
    parent : ndarray of shape (n_features,)
        Number of each feature's parent; -1 if it has none.
    marginal : ndarray
        Probabilities of the terms of all features, one after the other.
    joint : ndarray
        For each feature with a parent, a table of probabilities with a row for each term of the
        parent, one after the other. Of more than 64 terms there are 64 groups of neighbours
        instead, within which each term has the same share whatever the parent's term is: term t
        of n belongs to group ``t * 64 // n``.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.forest import TermForest
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> x = np.linspace(0, 1, 50)
    >>> X = np.column_stack([x, 1 - x])
    >>> partition = LinguisticPartition.uniform(X, 3, ["up", "down"])
    >>> forest = TermForest.grow(partition.positions(X), partition.n_terms)
    >>> forest.parent
    array([-1,  0], dtype=int32)
    >>> forest.believe(partition.positions(np.array([[0.0, np.nan]])), 1).round(2)
    array([[0.01, 0.32, 0.67]])
    """

    n_terms: NDArray[np.uint32]
    parent: NDArray[np.int32]
    marginal: Array
    joint: Array

    def __repr__(self) -> str:
        features = counted(len(self.parent), "feature", "features")
        return short_repr(self, features, f"{int((self.parent >= 0).sum())} with a parent")

    @classmethod
    def grow(cls, positions: Array | Located, n_terms: NDArray[np.uint32]) -> TermForest:
        """Find the forest of a table.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features) or Located
            Where values lie on their variables. NaN is ignored.
        n_terms : ndarray of shape (n_features,)
            Number of terms of each feature; 0 if the feature takes no part.

        Returns
        -------
        TermForest
        """
        return cls.grow_folds(positions, n_terms, 1)[-1]

    @classmethod
    def independent(cls, positions: Array | Located, n_terms: NDArray[np.uint32]) -> TermForest:
        """Return a forest in which no feature depends on another.

        Parameters
        ----------
        positions, n_terms
            As in `grow`.

        Returns
        -------
        TermForest

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.forest import TermForest
        >>> positions = np.array([[0.0], [1.0], [0.5], [np.nan]])
        >>> TermForest.independent(positions, np.array([2], dtype=np.uint32)).marginal
        array([0.5, 0.5])
        """
        counts = [np.zeros(n) for n in n_terms.tolist()]
        n_known = [0] * len(counts)
        for _, block in Located.of(positions):
            for feature, (column, sums) in enumerate(zip(block.T, counts, strict=True)):
                known = column[~np.isnan(column), np.newaxis]
                degrees = np.maximum(1.0 - np.abs(known - np.arange(len(sums))), 0.0)
                sums += np.rint(degrees * UNITS).sum(axis=0)
                n_known[feature] += len(known)
        shares = [
            (sums / UNITS + 1 / max(len(sums), 1)) / (n + 1)
            for sums, n in zip(counts, n_known, strict=True)
        ]
        parents = np.full(len(n_terms), -1, dtype=np.int32)
        return cls(n_terms, parents, np.concatenate([*shares, np.empty(0)]), np.empty(0))

    @classmethod
    def grow_without(
        cls, positions: Array | Located, n_terms: NDArray[np.uint32], alone: NDArray[np.bool_]
    ) -> TermForest:
        """Find the forest of a table in which some features stand alone.

        Parameters
        ----------
        positions, n_terms
            As in `grow`.
        alone : ndarray of shape (n_features,)
            Features that neither depend on others nor others on them.

        Returns
        -------
        TermForest
        """
        located = Located.of(positions)
        grown = cls.grow(located, np.where(alone, 0, n_terms).astype(np.uint32))
        every = cls.independent(located, n_terms).marginals()
        shares = [
            own if is_alone else other
            for own, other, is_alone in zip(every, grown.marginals(), alone, strict=True)
        ]
        return cls(n_terms, grown.parent, np.concatenate(shares), grown.joint)

    def without_edges(self) -> TermForest:
        """Return the forest with the same probabilities of terms, but without dependences."""
        parents = np.full(len(self.n_terms), -1, dtype=np.int32)
        return TermForest(self.n_terms, parents, self.marginal, np.empty(0))

    def marginals(self) -> list[Array]:
        """Return the probabilities of the terms of each feature."""
        return np.split(self.marginal, np.cumsum(self.n_terms[:-1]))

    @classmethod
    def grow_folds(
        cls, positions: Array | Located, n_terms: NDArray[np.uint32], n_folds: int
    ) -> list[TermForest]:
        """Find the forest of all rows, last, and before it those of all rows but a fold's.

        Row i belongs to fold ``i % n_folds``. Of more than `MOST_FEATURES` features with terms none
        depends on another, and a warning says so: to compare all pairs would take too long.
        """
        located = Located.of(positions)
        grower = _core.ForestGrower(len(located), n_terms, n_folds)
        for rows, block in located:
            grower.read(rows.start, block)
        n_varied = int(np.count_nonzero(n_terms))
        finds_edges = n_varied <= MOST_FEATURES
        if not finds_edges:
            warnings.warn(
                f"dependences are looked for among at most {MOST_FEATURES:,} features, and there "
                f"are {n_varied:,}: for novelty and missing values, each feature counts by itself. "
                "Select features first if that matters; support=None and missing='mean' do without",
                stacklevel=1,  # the same line, so that it is shown once
            )
        return [cls(*forest.arrays()) for forest in grower.grow(finds_edges)]

    @cached_property
    def native(self) -> _core.TermForest:
        """The forest as a native object."""
        return _core.TermForest(self.n_terms, self.parent, self.marginal, self.joint)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def surprise(self, positions: Array, scale: Array) -> Array:
        """Return how surprising each value is, given the parent's: minus the log-likelihood.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features)
            Where values lie on their variables.
        scale : ndarray
            By how much the membership of each term is multiplied.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            0 for missing values.
        """
        return self.native.surprise(np.ascontiguousarray(positions), scale)

    def believe(self, positions: Array, feature: int) -> Array:
        """Return how probable the terms of a feature are, given its known neighbours.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features)
            Where values lie on their variables.
        feature : int
            Number of the feature.

        Returns
        -------
        ndarray of shape (n_samples, n_terms)
        """
        first = int(self.n_terms[:feature].sum())
        everything = self.native.believe(np.ascontiguousarray(positions))
        return everything[:, first : first + int(self.n_terms[feature])]

    def tables(self) -> Iterator[tuple[int, int, Array]]:
        """Yield each feature with a parent, the parent, and the table of pairs of their groups."""
        first = 0
        for feature, parent in enumerate(self.parent.tolist()):
            if parent < 0:
                continue
            shape = tuple(count_groups(self.n_terms[[parent, feature]]).tolist())
            yield feature, parent, self.joint[first : first + shape[0] * shape[1]].reshape(shape)
            first += shape[0] * shape[1]


def count_groups(n_terms: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return how many groups of neighbouring terms features have in tables of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.forest import count_groups
    >>> count_groups(np.array([0, 5, 64, 200]))
    array([ 0,  5, 64, 64])
    """
    return np.minimum(n_terms, MOST_GROUPS)
