"""Variables: the features of a table, their ranges, and what conditions on them look like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.borders import write_number, write_value
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table

__all__ = ["Inference", "Variables", "ranges"]

N_STEPS = 256  # to try over the range of a feature

Inference = _core.LinguisticInference | _core.IntervalInference


@dataclass(frozen=True, eq=False)
class Variables(ABC):
    """The features of a table; what kind of condition they allow is for subclasses to say.

    Rules of all kinds treat their variables alike: they ask them to locate values, to put
    conditions into words and to prepare inference.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature, in its own units. NaN where every training value was missing.
    columns : Columns, optional
        Features whose numbers stand for categories, dates or durations.
    """

    is_crisp: ClassVar[bool] = False  # whether rules match or don't, with nothing in between

    feature_names: tuple[str, ...]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    columns: Columns = field(default_factory=Columns, kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached values

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @property
    def table_variables(self) -> Variables:
        """The columns of the table that records come from: these, unless rules ask for views."""
        return self

    @property
    def feature_of_view(self) -> NDArray[np.intp]:
        """Index of the column that each feature of rules is of."""
        return np.arange(self.n_features)

    def by_feature(self, of_views: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each column whether something is true of what rules ask of it."""
        return of_views

    def renamed(self, names: Sequence[str]) -> Self:
        """Return the variables with other names of the columns."""
        return replace(self, feature_names=tuple(names))

    def scale(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map the training range of each feature to [0, 1].

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Values in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Values beyond the range are clipped, a constant feature lies in the middle, and NaN
            stays NaN.
        """
        # Halves, because the difference of two doubles may exceed the largest one. NaN stays NaN.
        width = self.maximum / 2 - self.minimum / 2
        scaled: NDArray[np.float64] = X / 2
        scaled -= self.minimum / 2
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            scaled /= width
        np.clip(scaled, 0.0, 1.0, out=scaled)
        constant = ~(width > 0)
        scaled[:, constant] = np.where(np.isnan(X[:, constant]), np.nan, 0.5)
        return scaled

    def __repr__(self) -> str:
        features = counted(self.n_features, "feature", "features")
        return short_repr(self, f"{features} ({some(self.feature_names)})")

    @abstractmethod
    def positions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values where the native engine expects them."""

    @abstractmethod
    def with_range(self, minimum: NDArray[np.float64], maximum: NDArray[np.float64]) -> Variables:
        """Return the variables with other ranges of their features."""

    @property
    @abstractmethod
    def movable(self) -> NDArray[np.bool_]:
        """Which features have conditions that can be rewritten for another range."""

    @abstractmethod
    def rewrite(self, conditions: NDArray[Any], old: Any) -> NDArray[Any]:
        """Say of these ranges what conditions said of those of other variables."""

    @property
    def believed_features(self) -> NDArray[np.bool_]:
        """Of which features missing values are estimated from the others; else they match."""
        return np.zeros(self.n_features, dtype=bool)

    def without_beliefs(self) -> Variables:
        """Return variables whose missing values match everything."""
        return self

    @abstractmethod
    def is_dont_care(self, feature: int, condition: Any) -> bool:
        """Tell whether a condition accepts everything, and so says nothing about the feature."""

    @abstractmethod
    def dont_cares(self, conditions: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which conditions of many rules accept everything; shape (n_rules, n_features)."""

    @abstractmethod
    def parse_condition(self, feature: int, wanted: Any) -> Any:
        """Turn what a person asks of a feature into a condition; None asks nothing."""

    @abstractmethod
    def canonical(self, conditions: NDArray[Any]) -> NDArray[Any]:
        """Give conditions that match the same records to the same degrees the same form."""

    @abstractmethod
    def describe(self, feature: int, condition: Any) -> str:
        """Put a condition on a feature into words."""

    def describe_plain(
        self,
        feature: int,
        condition: Any,
        *,
        full: bool = False,  # noqa: ARG002  # only linguistic variables have lists to cut short
    ) -> str:
        """Put a condition into plain words; with `full`, name all categories however many."""
        return self.describe(feature, condition)

    def observe(
        self,
        feature: int,
        condition: Any,
        value: float,
        position: float,
    ) -> str:
        """Put a condition into words, with the value that a record has."""
        if np.isnan(position):
            why = "is missing" if np.isnan(value) else "was not seen in training"
            return f"{self.feature_names[feature]} {why}"
        shown = self.write(feature, value)
        return f"{self.feature_names[feature]} {shown} ({self.describe(feature, condition)})"

    def is_coded(self, feature: int) -> bool:
        """Tell whether the numbers of a feature stand for categories."""
        return feature in self.columns.categories

    def write(self, feature: int, value: float, *, is_end: bool = False) -> str:
        """Write a value in the units or categories of the data; `is_end` as in `write_border`."""
        if feature in self.columns.times and not np.isnan(value):
            return self.columns.times[feature].write(value, is_end=is_end)
        label = self.columns.label(feature, value)
        return write_value(value) if label is value else str(label)

    def write_border(self, feature: int, value: float, *, is_end: bool = False) -> str:
        """Write a border of a feature so that the same number can be read again.

        Parameters
        ----------
        feature : int
            Index of the feature.
        value : float
            The number.
        is_end : bool
            Whether it is the greatest value of a range; see `TimeScale.write`.

        Returns
        -------
        str
        """
        scale = self.columns.times.get(feature)
        return write_number(value) if scale is None else scale.write(value, is_end=is_end)

    def has_order(self, feature: int) -> bool:  # noqa: ARG002  # only terms may have none
        """Tell whether the values of a feature can be more or less."""
        return True

    @abstractmethod
    def outline(self, feature: int, condition: Any) -> list[tuple[float, float]]:
        """Return values, and degrees to which they fulfil a condition; it changes evenly between.

        The first and the last value are the ends of the range. Only of features with order.
        """

    def accepted_categories(
        self,
        feature: int,  # noqa: ARG002  # only terms may have no order
        condition: Any,  # noqa: ARG002  # as above
    ) -> list[tuple[str, bool]]:
        """Return categories without order, and whether a condition accepts them."""
        return []

    def values_to_try(
        self,
        feature: int,
        conditions: NDArray[Any] | None = None,  # noqa: ARG002  # only terms tell what to leave out
    ) -> NDArray[np.float64]:
        """Return values over the range of a feature, in small steps; of categories, all.

        Parameters
        ----------
        feature : int
            Index of the feature.
        conditions : ndarray, optional
            Conditions on the feature; values between which all of them are constant may be left
            out.

        Returns
        -------
        ndarray
        """
        if self.is_coded(feature):
            return np.arange(len(self.columns.categories[feature].labels), dtype=float)
        low, high = self.minimum[feature], self.maximum[feature]
        if not low < high:
            return np.empty(0)
        steps = np.linspace(0.0, 1.0, N_STEPS + 1)
        values: NDArray[np.float64] = low * (1.0 - steps) + high * steps
        return values

    def round_time(self, feature: int, value: float, *, up: bool) -> float:
        """Round a date or duration to a unit that is a thousandth of the range or less."""
        scale = self.columns.times[feature]
        width = 2 * float(self.maximum[feature] / 2 - self.minimum[feature] / 2)
        return scale.rounded(value, scale.unit_for(width), up=up)

    def describe_change(self, feature: int, value: float, other: float) -> str:
        """Put the change of a value into words."""
        before, after = self.write(feature, value), self.write(feature, other)
        if before == after and value != other and not np.isnan([value, other]).any():
            before, after = self.write_border(feature, value), self.write_border(feature, other)
        return f"{self.feature_names[feature]} {before} -> {after}"

    @abstractmethod
    def condition_as_dict(self, feature: int, condition: Any) -> dict[str, Any]:
        """Return a condition on a feature as JSON has it."""

    def feature_as_dict(self, feature: int) -> dict[str, Any]:
        """Return what there is to know about a feature as JSON has it."""
        known = {
            "name": self.feature_names[feature],
            "minimum": _number_or_none(self.minimum[feature]),
            "maximum": _number_or_none(self.maximum[feature]),
        }
        scale = self.columns.times.get(feature)
        return known if scale is None else known | {"time": scale.as_dict()}

    @abstractmethod
    def freeze(
        self,
        conditions: NDArray[Any],
        weights: NDArray[np.float64],
        fitness: NDArray[np.float64],
        strength: NDArray[np.float64],
        ignorance: NDArray[np.float64],
        consequent: NDArray[np.uint32],
    ) -> Inference:
        """Prepare rules for fast inference."""


def ranges(
    X: NDArray[np.float64] | Table,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the greatest value of each column; NaN is ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.variables import ranges
    >>> ranges(np.array([[3.0, np.nan], [1.0, np.nan]]))
    (array([ 1., nan]), array([ 3., nan]))
    """
    table = Table.of(X)
    least, greatest = np.empty((2, table.n_features))
    for feature in range(table.n_features):
        x = table.column(feature)
        # fmin and fmax prefer numbers to NaN.
        least[feature] = np.fmin.reduce(x, initial=np.nan)
        greatest[feature] = np.fmax.reduce(x, initial=np.nan)
    return least + 0.0, greatest + 0.0  # zeros without a sign, whichever comes first


def _number_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
