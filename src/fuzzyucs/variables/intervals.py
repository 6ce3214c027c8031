"""Numbers as they are: conditions that accept the values of an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs import _core
from fuzzyucs.variables import conditions, sketching
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.moving import has_moved
from fuzzyucs.variables.precision import CONTINUOUS, RELIABLE, count_decimals
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.variables import Inference, Variables, ranges

__all__ = ["IntervalVariables"]


@dataclass(frozen=True, eq=False, repr=False)
class IntervalVariables(Variables):
    """The features of a table as plain numbers, for rules such as ``4.9 <= length <= 6.1``.

    A condition is a pair of bounds in any order, in [0, 1] over the training range; it accepts the
    values between them. A missing value is always accepted.

    Parameters
    ----------
    feature_names : tuple of str
        Names of the features.
    minimum, maximum : ndarray of shape (n_features,)
        Range of each feature, in its own units. NaN where every training value was missing.
    decimals : ndarray of shape (n_features,)
        Digits after the decimal point in the training data. Bounds are written with as many: to
        data of that precision the written rule and the real one are the same. -1 where the data
        have fractions finer than a ten-thousandth of their range.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import IntervalVariables
    >>> variables = IntervalVariables.of(np.array([[4.3], [5.1], [7.9]]), ["length"])
    >>> variables.describe(0, (0.51, 0.15))
    '4.9 <= length <= 6.1'
    >>> variables.describe(0, (0.51, 0.0))
    'length <= 6.1'
    >>> variables.positions(np.array([[6.1], [99.0], [np.nan]]))
    array([[0.5],
           [1. ],
           [nan]])
    """

    is_crisp: ClassVar[bool] = True

    decimals: NDArray[np.int64]

    parse_condition = conditions.parse_interval
    canonical = conditions.canonical_intervals
    outline = sketching.interval_outline

    @classmethod
    def of(
        cls,
        X: NDArray[np.float64] | Table,
        feature_names: Sequence[str],
        columns: Columns | None = None,
    ) -> IntervalVariables:
        """Find the ranges and the precision of training data.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or Table
            Training data. NaN is ignored.
        feature_names : sequence of str
            Names of the columns.
        columns : Columns, optional
            Features whose numbers stand for categories; more than two need an order.

        Returns
        -------
        IntervalVariables
        """
        known = columns or Columns()
        for feature, categories in known.categories.items():
            if not categories.is_ordered and len(categories.labels) > 2:
                raise ValueError(
                    f"column {feature_names[feature]!r} holds categories without order, which "
                    "intervals cannot express: encode it, for example one-hot"
                )
        minimum, maximum = ranges(X)
        names, table = tuple(map(str, feature_names)), Table.of(X)
        decimals = [
            count_decimals(table.column(i)[:, np.newaxis], minimum[[i]], maximum[[i]])
            for i in range(table.n_features)
        ]
        return cls(names, minimum, maximum, np.concatenate(decimals), columns=known)

    def positions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Locate values in the training range.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Values in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Values in [0, 1]. Those beyond the training range are clipped, a constant feature lies
            in the middle, and NaN stays NaN.
        """
        return self.scale(X)

    def with_range(
        self, minimum: NDArray[np.float64], maximum: NDArray[np.float64]
    ) -> IntervalVariables:
        """Return the variables with other ranges of their features."""
        return replace(self, minimum=minimum, maximum=maximum)

    @property
    def movable(self) -> NDArray[np.bool_]:
        """Which features hold numbers, and no categories."""
        return np.array([not self.is_coded(feature) for feature in range(self.n_features)])

    def rewrite(
        self, conditions: NDArray[np.float64], old: IntervalVariables
    ) -> NDArray[np.float64]:
        """Say of these ranges what conditions said of those of other variables.

        Bounds keep their values. One at an end of the old range accepted all values beyond, and
        is at the end of the new one.

        Parameters
        ----------
        conditions : ndarray of shape (n_rules, n_features, 2)
            Bounds in [0, 1] over the ranges of `old`.
        old : IntervalVariables
            The variables with the ranges that they had.

        Returns
        -------
        ndarray of shape (n_rules, n_features, 2)

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs import IntervalVariables
        >>> old = IntervalVariables.of(np.array([[0.0], [10.0]]), ["length"])
        >>> new = old.with_range(np.array([0.0]), np.array([20.0]))
        >>> new.rewrite(np.array([[[0.2, 0.8]], [[0.5, 1.0]]]), old).tolist()
        [[[0.1, 0.4]], [[0.25, 1.0]]]
        """
        rewritten = np.array(conditions, dtype=np.float64)
        for feature in np.flatnonzero(has_moved(self, old) & self.movable).tolist():
            bounds = rewritten[:, feature]
            low, high = bounds.min(axis=1), bounds.max(axis=1)
            if old._is_constant(feature):
                # All values lay in the middle.
                accepts = (low <= 0.5) & (high >= 0.5)
                values = np.full_like(bounds, old.minimum[feature])
                bounds[accepts] = (0.0, 1.0)
            else:
                accepts = np.zeros(len(bounds), dtype=bool)
                values = old.minimum[feature] * (1 - bounds) + old.maximum[feature] * bounds
            if self._is_constant(feature):
                continue
            inner = (bounds > 0) & (bounds < 1) & ~accepts[:, np.newaxis]
            # As in `scale`.
            units = (values / 2 - self.minimum[feature] / 2) / self._half_width(feature)
            bounds[inner] = np.clip(units, 0.0, 1.0)[inner]
        return rewritten

    def interval(self, feature: int, condition: ArrayLike) -> tuple[float, float]:
        """Return the least and the greatest value accepted, in the feature's own units.

        Infinite where a bound lies at the edge of the training data: values beyond are accepted,
        too.
        """
        lower, upper = _sorted(condition)
        return (
            -math.inf if lower == 0 else self._value(feature, lower),
            math.inf if upper == 1 else self._value(feature, upper),
        )

    def describe(self, feature: int, condition: ArrayLike) -> str:
        """Put an interval into symbols: one-sided where a bound is at the edge of the data."""
        name = self.feature_names[feature]
        if self.is_dont_care(feature, condition):
            return f"{name} is anything"
        if self._is_constant(feature):
            return f"{name} is missing"
        if self.is_coded(feature):
            return f"{name} is {' or '.join(self._categories(feature, condition)) or 'missing'}"
        if feature in self.columns.times:
            return self._dates(feature, condition)
        digits = int(self.decimals[feature])
        if digits == CONTINUOUS:
            low, high = self.interval(feature, condition)
            digits = self._enough_digits(feature, low, high)
        else:
            low, high = self._accepted(feature, condition)
            if low > high:  # between two values with the precision of the data
                return f"{_written(high, digits)} < {name} < {_written(low, digits)}"
        at_least, at_most = _written(low, digits), _written(high, digits)
        if at_least == at_most:
            return f"{name} = {at_least}"
        if math.isinf(low):
            return f"{name} <= {at_most}"
        if math.isinf(high):
            return f"{name} >= {at_least}"
        return f"{at_least} <= {name} <= {at_most}"

    def is_dont_care(self, feature: int, condition: ArrayLike) -> bool:
        """Tell whether an interval accepts everything, and so says nothing about the feature."""
        lower, upper = _sorted(condition)
        if self._is_constant(feature):
            return lower <= 0.5 <= upper
        return lower == 0 and upper == 1

    def dont_cares(self, conditions: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which intervals of many rules say nothing about a feature."""
        lower, upper = conditions.min(axis=2), conditions.max(axis=2)
        accepts_middle = (lower <= 0.5) & (upper >= 0.5)
        accepts_all = (lower == 0) & (upper == 1)
        is_constant = ~(self.maximum / 2 - self.minimum / 2 > 0)
        found: NDArray[np.bool_] = np.where(is_constant, accepts_middle, accepts_all)
        return found

    def condition_as_dict(self, feature: int, condition: ArrayLike) -> dict[str, Any]:
        """Return the feature and the exact bounds in its units, null at the edge of the data."""
        if self._is_constant(feature):
            return {"feature": feature, "accepts": "missing"}
        bounds = zip(("lower", "upper"), self.interval(feature, condition), strict=True)
        return {"feature": feature} | {
            name: bound if math.isfinite(bound) else None for name, bound in bounds
        }

    def freeze(
        self,
        conditions: NDArray[np.float64],
        weights: NDArray[np.float64],
        fitness: NDArray[np.float64],
        strength: NDArray[np.float64],
        ignorance: NDArray[np.float64],
        consequent: NDArray[np.uint32],
    ) -> Inference:
        """Prepare rules for fast inference."""
        return _core.IntervalInference(
            self.n_features, conditions, weights, fitness, strength, ignorance, consequent
        )

    def _dates(self, feature: int, condition: ArrayLike) -> str:
        """Put an interval of dates or durations into symbols, in units that the data have."""
        name, scale = self.feature_names[feature], self.columns.times[feature]
        lower, upper = _sorted(condition)
        low, high = self.interval(feature, condition)
        if lower > 0:
            # Around a bound, the unit before it may still be accepted, because doubles are rounded.
            near = [*scale.neighbours(low), *scale.neighbours(scale.rounded(low, up=True))]
            low = min((v for v in near if self._unit(feature, v) >= lower), default=low)
        if upper < 1:
            near = [*scale.neighbours(high), *scale.neighbours(scale.rounded(high))]
            high = max((v for v in near if self._unit(feature, v) <= upper), default=high)
        if low > high:  # between two values with the precision of the data
            return f"{scale.write(high)} < {name} < {scale.write(low)}"
        if low == high:
            return f"{name} = {scale.write(low)}"
        at_least = "" if math.isinf(low) else scale.write(low)
        at_most = "" if math.isinf(high) else scale.write(high, is_end=True)
        if not at_least:
            return f"{name} <= {at_most}"
        return f"{at_least} <= {name} <= {at_most}" if at_most else f"{name} >= {at_least}"

    def _categories(self, feature: int, condition: ArrayLike) -> list[str]:
        """Return the categories that an interval accepts."""
        lower, upper = _sorted(condition)
        terms = self.columns.categories[feature].terms
        # Codes beyond the range of the data count as its nearest end.
        units = [min(max(self._unit(feature, code), 0.0), 1.0) for code in range(len(terms))]
        return [term for term, unit in zip(terms, units, strict=True) if lower <= unit <= upper]

    def _enough_digits(self, feature: int, low: float, high: float) -> int:
        """Digits that show a thousandth of the range, or more if both bounds would look alike."""
        digits = 3 - math.floor(math.log10(self._half_width(feature)) + math.log10(2))
        first = max(low, float(self.minimum[feature]))
        last = min(high, float(self.maximum[feature]))
        while first < last and _written(first, digits) == _written(last, digits):
            digits += 1
        return digits

    def _half_width(self, feature: int) -> float:
        """Half of the range, because the whole may be too much for a double."""
        return float(self.maximum[feature]) / 2 - float(self.minimum[feature]) / 2

    def _is_constant(self, feature: int) -> bool:
        return not self._half_width(feature) > 0

    def _accepted(self, feature: int, condition: ArrayLike) -> tuple[float, float]:
        """Return the least and the greatest accepted value that has the precision of the data."""
        lower, upper = _sorted(condition)
        low, high = self.interval(feature, condition)
        factor = 10.0 ** int(self.decimals[feature])
        if lower > 0:
            step = math.floor(low * factor) - 1
            while self._unit(feature, step / factor) < lower:
                step += 1
            low = step / factor
        if upper < 1:
            step = math.ceil(high * factor) + 1
            while self._unit(feature, step / factor) > upper:
                step -= 1
            high = step / factor
        return low, high

    def _value(self, feature: int, unit: float) -> float:
        return float(self.minimum[feature]) * (1 - unit) + float(self.maximum[feature]) * unit

    def _unit(self, feature: int, value: float) -> float:
        """Locate a value exactly as `scale` does."""
        return (value / 2 - float(self.minimum[feature]) / 2) / self._half_width(feature)


def _sorted(condition: ArrayLike) -> tuple[float, float]:
    p, q = np.asarray(condition, dtype=np.float64).tolist()
    return (p, q) if p <= q else (q, p)


def _written(bound: float, digits: int) -> str:
    """Write a number with so many digits after the decimal point, in powers of ten if unwieldy."""
    if math.isinf(bound):
        return str(bound)
    if digits <= 6 and abs(bound) < 10.0**RELIABLE:
        return f"{bound:.{max(digits, 0)}f}"
    magnitude = math.floor(math.log10(abs(bound))) if bound else 0
    return f"{bound:.{min(max(magnitude + digits, 0), 16) + 1}g}"
