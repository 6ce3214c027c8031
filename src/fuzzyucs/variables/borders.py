"""Borders between linguistic terms as short numbers that divide the training data exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs.variables.precision import CONTINUOUS, RELIABLE, count_decimals
from fuzzyucs.variables.table import Table
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = [
    "Borders",
    "borders_between",
    "exact_borders",
    "find_borders",
    "short_neighbour",
    "write_number",
    "write_value",
]

LONG, VAST = 1e6, 1e15  # from which on six digits are too few, and all are too many
LEAST_LONG, MOST_SHORT = 15, 12  # digits of a number that stands for another one, and of that
MOST_DIGITS = 17  # that a double can need
TOLERANCE = 0.05  # of the way between two terms, by which their border may be moved


@dataclass(frozen=True, eq=False)
class Borders:
    """Where the terms of an ordered feature end and begin, as texts tell it.

    Two neighbouring terms are equally true on the border between them. A condition that ends with
    the lower one is written "<= at_most", one that begins with the upper one ">= at_least"; both
    numbers are as short as they can be without being wrong for a training value. A value
    beyond one of them and not yet beyond the other never occurred in training, unless it lies
    exactly on the border and belongs to both terms.

    Parameters
    ----------
    at_most, at_least : ndarray of shape (n_terms - 1,)
        Greatest value of each term but the last, and least value of each term but the first. Of
        dates and durations: seconds (see `TimeScale`), in whole days if that is not wrong, else in
        hours, minutes and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> children = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> LinguisticPartition.of(children, ["children"], n_terms=2).borders[0]
    <Borders: 1 / 2>
    """

    at_most: NDArray[np.float64]
    at_least: NDArray[np.float64]

    def __repr__(self) -> str:
        pairs = zip(self.at_most.tolist(), self.at_least.tolist(), strict=True)
        texts = [f"{low:g}" if low == high else f"{low:g} / {high:g}" for low, high in pairs]
        return short_repr(self, some(texts) or "none")

    def as_dict(self) -> dict[str, list[float]]:
        """Return the numbers as JSON has them."""
        return {"at_most": self.at_most.tolist(), "at_least": self.at_least.tolist()}


class _Gap(NamedTuple):
    """The training values around a border, each the nearest of its kind; infinite if none is."""

    below: float  # where the upper term is less than half true
    first: float  # where it is at least half true
    last: float  # where the lower term is at least half true
    above: float  # where it is less than half true

    def allows(self, at_most: float, at_least: float) -> bool:
        """Tell whether two numbers divide the training values as the border does."""
        return self.last <= at_most < self.above and self.below < at_least <= self.first


class _Span(NamedTuple):
    """All numbers from one to another."""

    low: float
    high: float


Pair = tuple[float, float]  # the greatest value below a border and the least one above it


def find_borders(
    partition: LinguisticPartition, X: NDArray[np.float64] | Table
) -> dict[int, Borders]:
    """Find short numbers for the borders between the terms of ordered features.

    Parameters
    ----------
    partition : LinguisticPartition
        Terms.
    X : ndarray of shape (n_samples, n_features) or Table
        Training data. NaN is ignored.

    Returns
    -------
    dict of int to Borders
        Features with order that are numbers and have more than one peak.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.borders import find_borders
    >>> X = np.array([[0.013], [1.2345678], [1.25111], [4.0]])
    >>> partition = LinguisticPartition.uniform(X, 4, ["size"])
    >>> find_borders(partition, X)[0].at_most
    array([0.7, 2. , 3.3])
    """
    table, found = Table.of(X), {}
    for feature in range(partition.n_features):
        if partition.has_numbers(feature):
            x, own = table.column(feature), slice(feature, feature + 1)
            ranges = partition.minimum[own], partition.maximum[own]
            (digits,) = count_decimals(x[:, np.newaxis], *ranges).tolist()
            found[feature] = _Finder(partition, feature, x, digits).borders()
    return found


def borders_between(
    peaks: NDArray[np.float64], ends: NDArray[np.float64], scale: TimeScale | None = None
) -> Borders:
    """Return short numbers for the borders between terms, without data to be true of.

    Parameters
    ----------
    peaks, ends : ndarray of shape (n_terms,)
        Values from which on and up to which the terms are fully true.
    scale : TimeScale, optional
        How they stand for dates or durations.

    Returns
    -------
    Borders

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.borders import borders_between
    >>> borders_between(np.array([18.0, 45.21]), np.array([34.9, 90.0]))
    <Borders: 40>
    """
    exact = ends[:-1] / 2 + peaks[1:] / 2
    slack = 2 * TOLERANCE * (peaks[1:] / 2 - ends[:-1] / 2)
    spans = [_Span(*span) for span in zip(exact - slack, exact + slack, strict=True)]
    numbers = np.array(
        [_shortest_number(*pair, scale) for pair in zip(spans, exact.tolist(), strict=True)]
    )
    return Borders(numbers, numbers)


def exact_borders(
    found: Borders,
    peaks: NDArray[np.float64],
    ends: NDArray[np.float64],
    cuts: NDArray[np.float64],
    scale: TimeScale | None = None,
) -> Borders:
    """Put exact numbers where people asked for them, in place of short ones.

    Parameters
    ----------
    found : Borders
        Borders that are true of training data.
    peaks, ends : ndarray of shape (n_terms,)
        Values from which on and up to which the terms are fully true.
    cuts : ndarray
        Least values above borders that people asked for.
    scale : TimeScale, optional
        If they stand for dates or durations; those that nobody would write stay as they were found.

    Returns
    -------
    Borders

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.borders import Borders, exact_borders
    >>> found = Borders(np.array([50.0]), np.array([50.0]))
    >>> below = np.nextafter(60.0, 0.0)
    >>> exact = exact_borders(
    ...     found, np.array([0.0, 60.0]), np.array([below, 99.0]), np.array([60.0])
    ... )
    >>> exact.at_least.tolist(), exact.at_most.tolist() == [below]
    ([60.0], True)
    """
    is_exact = np.isin(peaks[1:], cuts) & (ends[:-1] == np.nextafter(peaks[1:], -math.inf))

    def exact(numbers: NDArray[np.float64], otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
        is_said = np.array([scale is None or _is_written(n, scale) for n in numbers.tolist()])
        return np.where(is_exact & is_said, numbers, otherwise)

    return Borders(exact(ends[:-1], found.at_most), exact(peaks[1:], found.at_least))


def _is_written(value: float, scale: TimeScale) -> bool:
    """Tell whether a date or duration can be written and read again."""
    try:
        return scale.read(scale.write(value, is_end=True)) == value
    except ValueError:
        return False


def short_neighbour(value: float, towards: float) -> float | None:
    """Return the next double if it is much shorter to write: a border that a range does not reach.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.borders import short_neighbour
    >>> short_neighbour(np.nextafter(140.0, 0.0), np.inf), short_neighbour(140.0, np.inf)
    (140.0, None)
    """
    other = math.nextafter(value, towards)
    is_shorter = _n_digits(value) >= LEAST_LONG and _n_digits(other) <= MOST_SHORT
    return other if is_shorter else None


def write_number(value: float) -> str:
    """Write a number with as many digits as it takes to read the same number again.

    Examples
    --------
    >>> from fuzzyucs.variables.borders import write_number
    >>> [write_number(value) for value in (2.0, -0.1, 23400.0, 1e20, 1.5e-7)]
    ['2', '-0.1', '23400', '1e+20', '1.5e-07']
    """
    return repr(float(value)).removesuffix(".0")


def write_value(value: float) -> str:
    """Write a value with six digits; of a greater number, all digits before the decimal point.

    Examples
    --------
    >>> from fuzzyucs.variables.borders import write_value
    >>> [write_value(value) for value in (2.0, 0.1234567, 12345678901.5, -1e6, 1e15, 1.5e-7)]
    ['2', '0.123457', '12345678902', '-1000000', '1e+15', '1.5e-07']
    """
    if LONG <= abs(value) < VAST:
        return str(math.floor(value + 0.5))  # halves as scripts of pages round them
    return f"{value:.6g}"


class _Finder:
    """The borders of one feature."""

    def __init__(
        self, partition: LinguisticPartition, feature: int, x: NDArray[np.float64], digits: int
    ) -> None:
        self.digits = digits
        self.scale = scale = partition.columns.times.get(feature)
        self.variable = partition.only(feature)
        self.peaks = partition.peaks(feature).tolist()
        self.ends = partition.ends(feature).tolist()
        self.names = [_number_or_none(name, scale) for name in partition.terms(feature)]
        values = np.unique(x[~np.isnan(x)])
        positions = self._positions(values)
        halves = np.arange(len(self.peaks) - 1) + 0.5
        known = [-math.inf, *values.tolist(), math.inf]
        starts = np.searchsorted(positions, halves, "left").tolist()
        ends = np.searchsorted(positions, halves, "right").tolist()
        self.gaps = [
            _Gap(known[start], known[start + 1], known[end], known[end + 1])
            for start, end in zip(starts, ends, strict=True)
        ]

    def borders(self) -> Borders:
        pairs = self._steps()
        found = [self._shortest(t, pair) for t, pair in enumerate(pairs)]
        # Between the numbers of its two borders there must be room for a term without values.
        crowded = {
            self.gaps[t]
            for t in range(1, len(found))
            if self.gaps[t] == self.gaps[t - 1] and found[t - 1][1] > found[t][0]
        }
        for t, gap in enumerate(self.gaps):
            if gap in crowded:
                found[t] = self._common(t) or found[t]
        at_most, at_least = np.maximum.accumulate(np.array(found), axis=0).T
        return Borders(at_most.copy(), at_least.copy())

    def _shortest(self, t: int, pair: Pair | None) -> Pair:
        """Choose the two numbers with the fewest digits, if possible with no value between them."""
        gap = self.gaps[t]
        if gap.last == self.names[t] and gap.first == self.names[t + 1]:
            return gap.last, gap.first  # values that are terms speak for themselves
        options = [pair, self._common(t), self._apart(t)]
        possible = [option for option in options if option is not None and gap.allows(*option)]
        length = _n_digits if self.scale is None else self.scale.rank
        return min(possible, key=lambda option: max(map(length, option)))

    def _steps(self) -> Sequence[Pair | None]:
        """Return for each border the neighbouring numbers with the precision of the data."""
        near = self._near([self._exact(t) for t in range(len(self.gaps))])
        if near is None:
            return [None] * len(self.gaps)
        positions = self._positions(near.ravel()).reshape(near.shape)
        pairs: list[Pair | None] = []
        for t, (values, places) in enumerate(zip(near, positions, strict=True)):
            lower, upper = values[places <= t + 0.5], values[places >= t + 0.5]
            is_between = len(lower) > 0 and len(upper) > 0
            pairs.append((float(lower[-1]), float(upper[0])) if is_between else None)
        return pairs

    def _near(self, exact: Sequence[float]) -> NDArray[np.float64] | None:
        """Return the four nearest numbers with the precision of the data; None if it has none."""
        if self.scale is not None:
            return np.array([self.scale.neighbours(value) for value in exact])
        if self.digits == CONTINUOUS or max(map(abs, exact)) > 10.0**RELIABLE:
            return None
        step = Decimal(1).scaleb(-self.digits)
        below = [Decimal(value).quantize(step, ROUND_FLOOR) for value in exact]
        return np.array([[float(low + i * step) for i in range(-1, 3)] for low in below])

    def _common(self, t: int) -> Pair | None:
        """Return one number for both sides, if there is one."""
        lower, upper = self._spans(t)
        low, high = max(lower.low, upper.low), min(lower.high, upper.high)
        if low > high:
            return None
        number = _shortest_number(_Span(low, high), self._exact(t), self.scale)
        return number, number

    def _apart(self, t: int) -> Pair:
        """Return a number for each side."""
        lower, upper = (
            _shortest_number(span, self._exact(t), self.scale) for span in self._spans(t)
        )
        return lower, upper

    def _spans(self, t: int) -> tuple[_Span, _Span]:
        """Return which numbers are right for both sides of a border, and not far from it."""
        gap, exact = self.gaps[t], self._exact(t)
        slack = 2 * TOLERANCE * (self.peaks[t + 1] / 2 - self.ends[t] / 2)
        near = _Span(exact - slack, exact + slack)
        lower = _Span(gap.last, math.nextafter(gap.above, -math.inf))
        upper = _Span(math.nextafter(gap.below, math.inf), gap.first)
        return _overlap(lower, near), _overlap(upper, near)

    def _exact(self, t: int) -> float:
        """Return the value at which two neighbouring terms are equally true."""
        return float(self.ends[t] / 2 + self.peaks[t + 1] / 2)

    def _positions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.variable.positions(values[:, np.newaxis])[:, 0]


def _overlap(span: _Span, wanted: _Span) -> _Span:
    """Return the numbers that are in both spans; of the first alone, if there are none."""
    low, high = max(span.low, wanted.low), min(span.high, wanted.high)
    return _Span(low, high) if low <= high else span


def _shortest_number(span: _Span, wanted: float, scale: TimeScale | None = None) -> float:
    """Return the number of a span with the fewest digits, and of those the nearest to another."""
    if scale is not None:
        return scale.shortest(*span, wanted)
    if span.low <= 0 <= span.high:
        return 0.0
    nearest = min(max(wanted, span.low), span.high)
    exact = Decimal(nearest)
    for digits in range(1, MOST_DIGITS + 1):
        rounded = [float(context.plus(exact)) for context in _rounding(digits)]
        possible = [number for number in rounded if span.low <= number <= span.high]
        if possible:
            return min(possible, key=lambda number: abs(number - nearest))
    return nearest


@cache
def _rounding(digits: int) -> tuple[Context, Context]:
    """Return how to round down and up to so many significant digits."""
    return Context(prec=digits, rounding=ROUND_FLOOR), Context(prec=digits, rounding=ROUND_CEILING)


def _n_digits(number: float) -> int:
    """Count the significant digits of a number as it is written."""
    mantissa = repr(float(number)).partition("e")[0].lstrip("-").replace(".", "")
    return max(1, len(mantissa.strip("0")))


def _number_or_none(name: str, scale: TimeScale | None) -> float | None:
    """Read the name of a term as a number or a date, if it is one."""
    try:
        number = float(name) if scale is None else scale.read(name)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
