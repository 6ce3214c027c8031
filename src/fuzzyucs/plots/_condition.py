"""One condition of a rule, as a picture needs it: bars, degrees, and where a record lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.plots._style import Array
from fuzzyucs.plots._ticks import short_number
from fuzzyucs.rules import RuleSet
from fuzzyucs.variables import LinguisticPartition
from fuzzyucs.variables.times import TimeScale

__all__ = ["Bins", "Condition", "Record"]

BARS = 24  # of a histogram
STEPS = 600  # of a curve
MARGIN = 0.03  # of the range, on either side
HALF = 0.4  # of the width of a category's bar


@dataclass(frozen=True, eq=False)
class Bins:
    """Where bars of a histogram stand.

    Parameters
    ----------
    left, width : ndarray of shape (n_bars,)
        Left edges and widths of the bars.
    limits : tuple of float
        Limits of the drawn axis.
    """

    left: Array
    width: Array
    limits: tuple[float, float]


@dataclass(frozen=True)
class Record:
    """Where a record lies: on the axis (NaN: nowhere), and its value and the degree in words."""

    x: float
    text: str


class Condition:
    """What a rule asks of one feature.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    rule : int
        Index of the rule.
    feature : int
        Index of the feature.
    """

    def __init__(self, rules: RuleSet, rule: int, feature: int) -> None:
        self.feature = feature
        self._variables = rules.variables
        of_view = rules.variables.feature_of_view
        others = {int(of_view[f]): None for f in rules.asked_features[rule] if f != feature}
        self._alone = rules[[rule]].edit(0, others).without_beliefs()
        self._values = _listed_values(rules, feature)
        self.categories: tuple[str, ...] = tuple(
            _name(rules, feature, value) for value in self._values.tolist()
        )
        self.scale: TimeScale | None = rules.variables.columns.times.get(feature)

    def degrees(self, values: Array) -> Array:
        """Return the degrees to which values fulfil the condition."""
        table = self._variables.table_variables
        rows = np.full((len(values), table.n_features), np.nan)
        rows[:, self._variables.feature_of_view[self.feature]] = values
        positions = self._variables.positions(rows)
        return np.asarray(self._alone.freeze().membership(positions))[:, 0]

    def accepted(self) -> NDArray[np.bool_]:
        """Tell which categories are accepted."""
        return self.degrees(self._values) >= 0.5

    def bins(self, X: Array, record: Record | None) -> Bins:
        """Divide the range of the data, or name the categories."""
        if self.categories:
            places = np.arange(len(self.categories), dtype=float)
            width = np.full(len(places), 2 * HALF)
            return Bins(places - HALF, width, (-0.5, len(places) - 0.5))
        known = X[~np.isnan(X[:, self.feature]), self.feature]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        if not low < high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, BARS + 1)
        ends = [low, high] if record is None or np.isnan(record.x) else [low, high, record.x]
        margin = MARGIN * (max(ends) - min(ends))
        return Bins(edges[:-1], np.diff(edges), (min(ends) - margin, max(ends) + margin))

    def count(self, X: Array, bins: Bins) -> Array:
        """Return the number of rows in each bar; missing values are in none."""
        column = X[:, self.feature]
        known = column[~np.isnan(column)]
        if self.categories:
            return np.array([(known == value).sum() for value in self._values], dtype=float)
        edges = np.append(bins.left, bins.left[-1] + bins.width[-1])
        return np.histogram(known, edges)[0].astype(float)

    def curve(self, limits: tuple[float, float]) -> tuple[Array, Array]:
        """Return the degree over the axis, as corners of a line."""
        if self.categories:
            places = np.arange(len(self.categories))
            x = np.column_stack([places - 0.5, places + 0.5]).ravel()
            return x, np.repeat(self.degrees(self._values), 2)
        x = np.linspace(*limits, STEPS)
        return x, self.degrees(x)

    def place(self, value: float) -> Record:
        """Tell where a value of a record lies."""
        if np.isnan(value):
            return Record(np.nan, "this record: missing")
        is_number = not self.categories and self.scale is None
        shown = short_number(value) if is_number else self._variables.write(self.feature, value)
        if self.categories and value not in self._values:
            return Record(np.nan, f"this record: {shown}, not seen in training")
        degree = float(self.degrees(np.array([value]))[0])
        x = float(np.flatnonzero(self._values == value)[0]) if self.categories else float(value)
        return Record(x, f"this record: {shown} (degree {degree:.2g})")


def _listed_values(rules: RuleSet, feature: int) -> Array:
    """Return the values of a feature that are categories; none of numbers and dates."""
    variables = rules.variables
    if isinstance(variables, LinguisticPartition):
        return variables.listed_values(feature) if variables.is_listed(feature) else np.empty(0)
    return variables.values_to_try(feature) if variables.is_coded(feature) else np.empty(0)


def _name(rules: RuleSet, feature: int, value: float) -> str:
    variables = rules.variables
    if isinstance(variables, LinguisticPartition):
        return variables.value_name(feature, value)
    return variables.write(feature, value)
