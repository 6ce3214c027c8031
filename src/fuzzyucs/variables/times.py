"""Dates and durations: seconds that are written and read as people do."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from numbers import Real
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

import numpy as np

__all__ = ["KINDS", "SIZES", "Kind", "TimeScale", "Unit", "time_zone"]

Kind = Literal["date", "duration"]
Unit = Literal["day", "hour", "minute", "second", "millisecond", "microsecond"]

SIZES: dict[Unit, int] = {  # in microseconds
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
KINDS: tuple[Kind, ...] = get_args(Kind)
UNITS = tuple(SIZES)
SAID: tuple[Unit, ...] = ("day", "hour", "minute", "second")  # of which texts of durations consist
EXACT = 2.0**33  # seconds, 272 years, up to which doubles tell microseconds apart
MIDNIGHT = datetime(1970, 1, 1)
EPOCH = MIDNIGHT.replace(tzinfo=UTC)
TICK = timedelta(microseconds=1)

_OFFSET = re.compile(r"(?:UTC)?([+-])(\d\d):(\d\d)")
_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[+-]\d\d:\d\d)?"
_PART = r"\d+(?:\.\d+)? (?:day|hour|minute|second)s?"
_PATTERNS = {
    "date": rf"\d{{4}}-\d\d-\d\d(?:[ T]{_CLOCK})?",
    "duration": rf"(?:minus )?{_PART}(?: {_PART})*",
}


@cache
def time_zone(name: str) -> tzinfo:
    """Return a time zone by its name in the IANA database, or by an offset such as "+02:00".

    Examples
    --------
    >>> from fuzzyucs.variables.times import time_zone
    >>> time_zone("+02:00")
    datetime.timezone(datetime.timedelta(seconds=7200))
    """
    if name == "UTC":
        return UTC
    if found := _OFFSET.fullmatch(name):
        size = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(size if found[1] == "+" else -size)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"there is no time zone {name!r} on this machine") from error


@dataclass(frozen=True)
class TimeScale:
    """How the numbers of a column stand for dates or durations.

    Dates are seconds since the beginning of 1970 (of UTC, if the column has a time zone; else by
    the clock that the data have), durations are seconds. Doubles tell microseconds apart up to 272
    years from zero: in dates from 1698 to 2241. Farther dates are exact to the millisecond.

    Parameters
    ----------
    kind : {"date", "duration"}
        What the numbers stand for.
    unit : {"day", "hour", "minute", "second", "millisecond", "microsecond"}
        The largest unit of which all training values are whole numbers.
    zone : str, optional
        The time zone of dates: a name of the IANA database, or an offset such as "+02:00". Texts
        have the time of that zone. None: the data have no time zone.

    Examples
    --------
    >>> from datetime import datetime
    >>> from fuzzyucs.variables.times import TimeScale
    >>> born = TimeScale("date")
    >>> born.number(datetime(2013, 5, 12)), born.write(1368316800.0)
    (1368316800.0, '2013-05-12')
    >>> TimeScale("date", "minute").write(1368366600.0)
    '2013-05-12 13:50'
    >>> TimeScale("duration", "hour").write(273600.0)
    '3 days 4 hours'
    """

    kind: Kind
    unit: Unit = "day"
    zone: str | None = None

    @property
    def holds(self) -> str:
        """What the column holds, for messages."""
        if self.kind == "duration":
            return "durations"
        return f"dates with{'out' if self.zone is None else ''} a time zone"

    @property
    def pattern(self) -> str:
        """What texts of values look like, as a regular expression."""
        return _PATTERNS[self.kind]

    @property
    def step(self) -> float:
        """The unit in seconds."""
        return SIZES[self.unit] / SIZES["second"]

    def as_dict(self) -> dict[str, str | None]:
        """Return the scale as JSON has it."""
        return {"kind": self.kind, "unit": self.unit, "zone": self.zone}

    def write(self, value: float, *, is_end: bool = False) -> str:
        """Write a number of seconds as a date or a duration.

        Parameters
        ----------
        value : float
            The number.
        is_end : bool
            Whether it is the end of a range. A date with a time of day then has one also at
            midnight, since "at most" a day could mean the whole of it.

        Returns
        -------
        str
        """
        if self.kind == "duration":
            return self._duration(_ticks(value))
        try:
            return self._date(_ticks(value), is_end and self.unit != "day")
        except OverflowError:
            return f"{value:.0f} seconds since 1970"

    def read(self, text: str) -> float:
        """Read what `write` wrote, or raise ValueError."""
        if not re.fullmatch(self.pattern, text):
            example = "2013-05-12 14:30" if self.kind == "date" else "3 days 4 hours"
            raise ValueError(f"expected a {self.kind} such as {example!r}, got {text!r}")
        if self.kind == "date":
            found = datetime.fromisoformat(text)
            if self.zone is not None and found.tzinfo is None:
                found = found.replace(tzinfo=time_zone(self.zone))
            return self.number(found)
        words = text.removeprefix("minus ").split()
        parts: dict[str, float] = {}
        for amount, unit in zip(words[::2], words[1::2], strict=True):
            name = f"{unit.removesuffix('s')}s"
            parts[name] = parts.get(name, 0.0) + float(amount)
        size = self.number(timedelta(**parts))
        return -size if text.startswith("minus") else size

    def number(self, value: Any) -> float:
        """Return the seconds of a date or duration; text is read, numbers stay.

        Parameters
        ----------
        value : date, datetime, timedelta, str or number
            Something that the column could hold, also of NumPy or pandas.

        Returns
        -------
        float
        """
        if isinstance(value, np.datetime64 | np.timedelta64):
            value = value.astype(f"{value.dtype.kind}8[us]").item()
        if isinstance(value, str):
            return self.read(value)
        if isinstance(value, timedelta) and self.kind == "duration":
            return _seconds(value // TICK)
        if isinstance(value, date) and self.kind == "date":
            if not isinstance(value, datetime):
                value = datetime(value.year, value.month, value.day)
                value = value if self.zone is None else value.replace(tzinfo=time_zone(self.zone))
            if (value.tzinfo is None) != (self.zone is None):
                raise ValueError(f"expected {self.holds}, got {str(value)!r}")
            return _seconds((value - (MIDNIGHT if self.zone is None else EPOCH)) // TICK)
        if isinstance(value, Real):
            return float(value)
        raise ValueError(f"expected {self.holds}, got {value!r}")

    def label(self, value: float) -> datetime | timedelta | float:
        """Return the date or duration that a number stands for; the number if there is none."""
        try:
            size = _ticks(value) * TICK
            if self.kind == "duration":
                return size
            if self.zone is None:
                return MIDNIGHT + size
            return (EPOCH + size).astimezone(time_zone(self.zone))
        except OverflowError:
            return value

    def shortest(self, low: float, high: float, wanted: float) -> float:
        """Return the number of a span with the largest unit, and of those the nearest to another.

        Examples
        --------
        >>> from fuzzyucs.variables.times import TimeScale
        >>> scale = TimeScale("date", "second")
        >>> spans = [("2013-05-11 07:30:10", "2013-05-12 03:00"), ("2013-05-12", "2013-05-12")]
        >>> spans = [[scale.read(text) for text in span] for span in spans]
        >>> [scale.write(scale.shortest(*span, span[0])) for span in spans]
        ['2013-05-12', '2013-05-12']
        """
        nearest = min(max(wanted, low), high)
        for unit in UNITS:
            around = [self.rounded(nearest, unit, up=up) for up in (False, True)]
            possible = [number for number in around if low <= number <= high]
            if possible:
                return min(possible, key=lambda number: abs(number - nearest))
        return nearest

    def rank(self, value: float) -> int:
        """Tell how small the units are that it takes to write a number: 0 for whole days."""
        return next((k for k, u in enumerate(UNITS) if self.rounded(value, u) == value), len(UNITS))

    def unit_for(self, width: float) -> Unit:
        """Return the largest unit up to a thousandth of a range, but none below the column's own.

        Examples
        --------
        >>> from fuzzyucs.variables.times import TimeScale
        >>> scale = TimeScale("date", "second")
        >>> scale.unit_for(4e8), scale.unit_for(4e6), TimeScale("date", "day").unit_for(4e6)
        ('day', 'hour', 'day')
        """
        units = UNITS[: UNITS.index(self.unit) + 1]
        most = width * SIZES["second"] / 1000
        return next((unit for unit in units if SIZES[unit] <= most), self.unit)

    def neighbours(self, value: float) -> list[float]:
        """Return whole numbers of the column's unit: two up to a value, two above it."""
        size, ticks = SIZES[self.unit], _ticks(value, math.floor)
        try:
            first = self._wall(ticks) // size
            return [self._instant((first + k) * size, ticks) for k in range(-1, 3)]
        except OverflowError:  # at the end of the year 9999
            return [_seconds((ticks // size + k) * size) for k in range(-1, 3)]

    def rounded(self, value: float, unit: Unit | None = None, *, up: bool = False) -> float:
        """Round a number down or up to whole units of the time that texts have.

        Parameters
        ----------
        value : float
            The number.
        unit : str, optional
            The unit; by default that of the column.
        up : bool
            Whether to round up.

        Returns
        -------
        float
        """
        size = SIZES[unit or self.unit]
        try:
            ticks = _ticks(value, math.ceil if up else math.floor)
            wall = self._wall(ticks)
            return self._instant(-(-wall // size) * size if up else wall // size * size, ticks)
        except OverflowError:
            return value

    def _wall(self, ticks: int) -> int:
        """Return the microseconds that a clock in the zone of the column shows."""
        if self.zone is None:
            return ticks
        offset = (EPOCH + ticks * TICK).astimezone(time_zone(self.zone)).utcoffset()
        return ticks + (offset or timedelta()) // TICK

    def _instant(self, wall: int, near: int) -> float:
        """Return the seconds at which a clock in the zone of the column shows microseconds.

        Times of day are counted from one near by, as if clocks were not put back in between.
        """
        if wall % SIZES["day"] == 0:
            return _seconds(self._moment(wall))
        return _seconds(wall - (self._wall(near) - near))

    def _moment(self, wall: int) -> int:
        if self.zone is None:
            return wall
        shown = (MIDNIGHT + wall * TICK).replace(tzinfo=time_zone(self.zone))
        return (shown - EPOCH) // TICK

    def _date(self, ticks: int, has_clock: bool) -> str:
        wall = self._wall(ticks)
        shown = MIDNIGHT + wall * TICK
        text = f"{shown.year:04d}-{shown.month:02d}-{shown.day:02d}"
        is_double = self._moment(wall) != ticks  # when clocks were put back
        if wall % SIZES["day"] or has_clock or is_double:
            text += f" {shown.hour:02d}:{shown.minute:02d}"
        if wall % SIZES["minute"]:
            text += f":{shown.second:02d}"
        if wall % SIZES["second"]:
            text += f".{shown.microsecond:06d}".rstrip("0")
        if is_double:
            minutes = (wall - ticks) // SIZES["minute"]
            text += f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
        return text

    def _duration(self, ticks: int) -> str:
        rest, parts = abs(ticks), []
        for unit in SAID:
            amount, rest = divmod(rest, SIZES[unit])
            text = str(amount)
            if unit == "second" and rest:
                text += f".{rest:06d}".rstrip("0")
            if text != "0":
                parts.append(f"{text} {unit}{'' if text == '1' else 's'}")
        if not parts:
            return f"0 {self.unit if self.unit in SAID else 'second'}s"
        return ("minus " if ticks < 0 else "") + " ".join(parts)


def _ticks(value: float, rounds: Any = round) -> int:
    """Return microseconds; of dates that are far away, whole milliseconds."""
    whole = math.floor(value)
    unit: Unit = "microsecond" if abs(value) <= EXACT else "millisecond"
    per_second = SIZES["second"] // SIZES[unit]
    part = (value - whole) * per_second
    # What is not a whole number only because doubles have no more digits counts as one.
    nearest = round(part)
    is_whole = whole + nearest / per_second == value
    return (whole * per_second + (nearest if is_whole else rounds(part))) * SIZES[unit]


def _seconds(ticks: int) -> float:
    return ticks / SIZES["second"]
