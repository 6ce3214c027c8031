"""Columns of dates and durations in data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.columns import Array, Categories, Column, ColumnError
from fuzzyucs.variables.times import EPOCH, MIDNIGHT, SIZES, TICK, Kind, TimeScale, time_zone

__all__ = ["TimeColumn", "times_of_arrow", "times_of_objects", "times_of_pandas", "times_of_polars"]

Ticks = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TimeColumn(Column):
    """A column of dates or durations.

    Parameters
    ----------
    name : object
        Its name.
    kind : {"date", "duration"}
        What it holds.
    zone : str or None
        The time zone of dates that have one.
    ticks : ndarray of int64 of shape (n_rows,)
        Microseconds since the beginning of 1970, or of a duration.
    wall : ndarray of int64 of shape (n_rows,)
        The same by a clock in the time zone.
    is_known : ndarray of bool of shape (n_rows,)
        Which values are not missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyucs.variables.time_columns import times_of_pandas
    >>> column = times_of_pandas("day", pd.Series(pd.to_datetime(["2013-05-12", None])))
    >>> column.time_scale()
    TimeScale(kind='date', unit='day', zone=None)
    >>> column.seconds(column.time_scale())
    array([1.3683168e+09,           nan])
    """

    kind: Kind
    zone: str | None
    ticks: Ticks
    wall: Ticks
    is_known: NDArray[np.bool_]

    @classmethod
    def of_seconds(cls, name: Any, scale: TimeScale, values: Array) -> TimeColumn:
        """Make a column of numbers that stand for dates or durations, NaN where they are missing.

        Examples
        --------
        >>> import numpy as np
        >>> from fuzzyucs.variables.time_columns import TimeColumn
        >>> from fuzzyucs.variables.times import TimeScale
        >>> TimeColumn.of_seconds("wait", TimeScale("duration"), np.array([90.0, np.nan])).labels()
        [datetime.timedelta(seconds=90), None]
        """
        is_known = ~np.isnan(values)
        known = np.where(is_known, values, 0.0)
        whole = np.floor(known)
        ticks = whole.astype(np.int64) * SIZES["second"]
        ticks += np.rint((known - whole) * SIZES["second"]).astype(np.int64)
        return cls(name, scale.kind, scale.zone, ticks, ticks, is_known)

    def labels(self) -> list[Any]:
        """Return the values as Python has them, None where they are missing."""
        return [self._label(row) if known else None for row, known in enumerate(self.is_known)]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.ticks)

    def first(self) -> Any:
        """Return the value of the first row."""
        return self._label(0) if self.n_rows and self.is_known[0] else None

    def categories(self) -> Categories | None:
        """Return None: dates are no categories."""
        return None

    def time_scale(self) -> TimeScale:
        """Return how numbers stand for the dates or durations."""
        if self.zone is not None:
            self._check_zone(self.zone)
        known = self.wall[self.is_known]
        unit = next(unit for unit, size in SIZES.items() if not (known % size).any())
        return TimeScale(self.kind, unit, self.zone)

    def seconds(self, known: TimeScale) -> Array:
        """Return the column as numbers, NaN where they are missing."""
        own, example = TimeScale(self.kind, zone=self.zone), self._known_example()
        if own.holds != known.holds and example is not None:
            raise ColumnError(
                self.name,
                f"must hold {known.holds} as in the training data, got {own.holds} such as "
                f"{example!r}",
            )
        return np.where(self.is_known, self.ticks / SIZES["second"], np.nan)

    def numbers(self) -> Array:
        """Refuse to be a column of numbers, unless all values are missing."""
        return self._missing("numbers")

    def indices(self, known: Categories) -> Array:
        """Refuse to be a column of categories, unless all values are missing."""
        return self._missing(known.holds)

    def _missing(self, wanted: str) -> Array:
        if (example := self._known_example()) is not None:
            raise ColumnError(
                self.name,
                f"must hold {wanted} as in the training data, got {self.kind}s such as {example!r}",
            )
        return np.full(self.n_rows, np.nan)

    def _known_example(self) -> str | None:
        if not self.is_known.any():
            return None
        row = int(np.argmax(self.is_known))
        # By the clock, since the zone may not be known here.
        return TimeScale(self.kind).write(float(self.wall[row]) / SIZES["second"])

    def _label(self, row: int) -> Any:
        return TimeScale(self.kind, zone=self.zone).label(float(self.ticks[row]) / SIZES["second"])

    def _check_zone(self, zone: str) -> None:
        try:
            time_zone(zone)
        except ValueError as problem:
            raise ColumnError(self.name, f"has a time zone that is not known: {problem}") from None


def times_of_pandas(name: Any, column: Any) -> TimeColumn:
    """Read a column of pandas' type for dates or durations."""
    kind: Kind = "date" if column.dtype.kind == "M" else "duration"
    is_known = column.notna().to_numpy()
    zone = _pandas_zone(column)
    ticks = wall = _pandas_ticks(name, column, is_known)
    if zone is not None:
        wall = _pandas_ticks(name, column.dt.tz_localize(None), is_known)
    return TimeColumn(name, kind, _zone_name(zone), ticks, wall, is_known)


def times_of_polars(column: Any) -> TimeColumn:
    """Read a column of polars' types Date, Datetime and Duration."""
    import polars as pl

    kind: Kind = "duration" if column.dtype == pl.Duration else "date"
    zone = getattr(column.dtype, "time_zone", None)
    is_known = column.is_not_null().to_numpy()

    def ticks(values: Any) -> Ticks:
        own_zone = getattr(values.dtype, "time_zone", None)
        exact = pl.Duration("us") if kind == "duration" else pl.Datetime("us", own_zone)
        found: Ticks = values.cast(exact).to_physical().fill_null(0).to_numpy().astype(np.int64)
        return found

    own = ticks(column)
    wall = ticks(column.dt.replace_time_zone(None)) if zone else own
    return _in_range(TimeColumn(column.name, kind, _zone_name(zone), own, wall, is_known))


def times_of_arrow(name: Any, column: Any) -> TimeColumn:
    """Read a column of Arrow's types for dates, timestamps and durations."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind: Kind = "duration" if pa.types.is_duration(column.type) else "date"
    zone = getattr(column.type, "tz", None)
    is_known = pc.is_valid(column).to_numpy(zero_copy_only=False)

    def ticks(values: Any) -> Ticks:
        own_zone = getattr(values.type, "tz", None)
        exact = pa.duration("us") if kind == "duration" else pa.timestamp("us", own_zone)
        whole = pc.cast(pc.cast(values, exact, safe=False), pa.int64())
        return np.asarray(whole.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)

    own = ticks(column)
    wall = own if zone is None else ticks(pc.local_timestamp(column))
    return _in_range(TimeColumn(name, kind, _zone_name(zone), own, wall, is_known))


def times_of_objects(name: Any, values: Iterable[Any]) -> TimeColumn | None:
    """Read a column of Python's dates or durations; None if its first value is none of these.

    Parameters
    ----------
    name : object
        Name of the column.
    values : iterable
        Objects, None where they are missing.

    Returns
    -------
    TimeColumn or None
    """
    values = [_python(value) for value in values]
    known = [value for value in values if value is not None]
    if not known or not isinstance(known[0], date | timedelta):
        return None
    wanted = timedelta if isinstance(known[0], timedelta) else date
    others = sorted({type(value).__name__ for value in known if not isinstance(value, wanted)})
    if others:
        kinds = sorted({*others, type(known[0]).__name__})
        what = "durations" if wanted is timedelta else "dates"
        raise ColumnError(name, f"must hold {what} alone, got a mixture of {', '.join(kinds)}")
    if wanted is timedelta:
        ticks = _spread(values, lambda value: value // TICK)
        return TimeColumn(name, "duration", None, ticks, ticks, _are_known(values))
    known = [_as_datetime(value) for value in known]
    aware = [value for value in known if value.tzinfo is not None]
    if 0 < len(aware) < len(known):
        naive = next(value for value in known if value.tzinfo is None)
        raise ColumnError(
            name,
            f"must hold dates that all have a time zone or none, got {str(aware[0])!r} and "
            f"{str(naive)!r}",
        )
    wall = _spread(
        values, lambda value: (_as_datetime(value).replace(tzinfo=None) - MIDNIGHT) // TICK
    )
    if not aware:
        return TimeColumn(name, "date", None, wall, wall, _are_known(values))
    ticks = _spread(values, lambda value: (value - EPOCH) // TICK)
    zones = {_zone_name(value.tzinfo) for value in aware}
    if len(zones) > 1:  # offsets of one place in summer and in winter, or several places
        return TimeColumn(name, "date", "UTC", ticks, ticks, _are_known(values))
    return TimeColumn(name, "date", zones.pop(), ticks, wall, _are_known(values))


def _python(value: Any) -> Any:
    """Return a date of NumPy as Python's."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return value.astype(f"{value.dtype.kind}8[us]").item()
    return value


def _as_datetime(value: date) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day)


def _spread(values: Sequence[Any], ticks: Any) -> Ticks:
    return np.array([0 if value is None else ticks(value) for value in values], dtype=np.int64)


def _are_known(values: Sequence[Any]) -> NDArray[np.bool_]:
    return np.array([value is not None for value in values], dtype=bool)


def _zone_name(zone: tzinfo | str | None) -> str | None:
    """Name a time zone so that `time_zone` finds it; an offset if it has no other name."""
    if zone is None or isinstance(zone, str):
        return zone
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zoneinfo's and pytz's
    if name is not None:
        return str(name)
    size = zone.utcoffset(None)
    if size is None:
        return str(zone)
    minutes = size // timedelta(minutes=1)
    if minutes == 0:
        return "UTC"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _pandas_zone(column: Any) -> Any:
    """Return the time zone of a column, which may be of Arrow's type; None if it has none."""
    own = getattr(column.dtype, "tz", None)
    return getattr(getattr(column.dtype, "pyarrow_dtype", None), "tz", None) if own is None else own


def _pandas_ticks(name: Any, column: Any, is_known: NDArray[np.bool_]) -> Ticks:
    kind = column.dtype.kind
    if _pandas_zone(column) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    try:
        values = column.to_numpy(dtype=f"{kind}8[us]")
    except (ValueError, OverflowError) as problem:
        raise _far(name, kind == "M") from problem
    ticks = np.where(is_known, values.astype(np.int64), 0)
    _check_range(name, ticks, kind == "M")
    return ticks


def _in_range(column: TimeColumn) -> TimeColumn:
    _check_range(column.name, column.wall, column.kind == "date")
    return column


def _check_range(name: Any, ticks: Ticks, is_date: bool) -> None:
    if not is_date or not len(ticks):
        return
    least, greatest = ((day - MIDNIGHT) // TICK for day in (datetime.min, datetime.max))
    if ticks.min() < least or ticks.max() > greatest:
        raise _far(name, is_date)


def _far(name: Any, is_date: bool) -> ColumnError:
    what = "dates outside the years 1 to 9999" if is_date else "durations that are too long"
    return ColumnError(name, f"must not hold {what}")
