"""Views: the variables of several models, side by side, over the columns of one table.

Two models divide the same feature into different terms. Rules of both keep their conditions if each
has its own view of the column: the linguistic variable that it was learned with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables import holding, locating
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.table import Table

__all__ = ["ViewedPartition"]


@dataclass(frozen=True, eq=False)
class ViewedPartition(LinguisticPartition):
    """Several linguistic variables for each column of a table.

    It is a partition whose features are views. Rules ask for views; records have a value for each
    column, from which `positions` finds that on every view.

    Parameters
    ----------
    feature_names, minimum, maximum, columns, n_terms, special, forest, is_believed, borders
        As in `LinguisticPartition`, one entry for each view. Views of a column have its name.
    feature_of_view : ndarray of shape (n_views,)
        Index of the column that each view is of.
    table_variables : LinguisticPartition
        The columns themselves, with all values that any of the views knows.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.views import ViewedPartition
    >>> old, new = (LinguisticPartition.uniform(np.array([[0.0], [end]]), 3, ["size"])
    ...             for end in (4.0, 8.0))
    >>> both = ViewedPartition(
    ...     ("size", "size"),
    ...     np.zeros(2),
    ...     np.array([4.0, 8.0]),
    ...     np.array([3, 3], dtype=np.uint32),
    ...     feature_of_view=np.array([0, 0]),
    ...     table_variables=new,
    ... )
    >>> both.positions(np.array([[3.0], [np.nan]]))
    array([[1.5 , 0.75],
           [ nan,  nan]])
    """

    feature_of_view: NDArray[np.intp] = None  # type: ignore[assignment]  # has to be given
    table_variables: LinguisticPartition = None  # type: ignore[assignment]  # has to be given

    def __repr__(self) -> str:
        names = self.table_variables.feature_names
        features = counted(len(names), "feature", "features")
        views = counted(self.n_features, "view", "views")
        return short_repr(self, f"{views} of {features} ({some(names)})")

    def positions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate the values of records on every view; shape (n_samples, n_views)."""
        return locating.positions(self, self._viewed(X))

    def holds(
        self, conditions: NDArray[np.uint64], X: NDArray[np.float64] | Table
    ) -> NDArray[np.bool_]:
        """Tell for which records every condition of a rule holds, as its text says."""
        table = Table.of(X)
        columns = [table.column(feature) for feature in range(table.n_features)]
        return holding.holds(self, conditions, self._viewed(np.column_stack(columns)))

    def by_feature(self, of_views: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each column whether something is true of any view of it."""
        n_features = self.table_variables.n_features
        found = np.zeros((*of_views.shape[:-1], n_features), dtype=bool)
        for view, feature in enumerate(self.feature_of_view.tolist()):
            found[..., feature] |= of_views[..., view]
        return found

    def renamed(self, names: Sequence[str]) -> Self:
        """Return the variables with other names of the columns."""
        return replace(
            self,
            feature_names=tuple(names[feature] for feature in self.feature_of_view.tolist()),
            table_variables=self.table_variables.renamed(names),
        )

    def _viewed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ascontiguousarray(np.asarray(X)[:, self.feature_of_view])
