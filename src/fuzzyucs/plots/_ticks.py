"""Texts along axes: names of categories that do not overlap, plain numbers, round dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from fuzzyucs.plots._style import wrapped
from fuzzyucs.variables.borders import write_value
from fuzzyucs.variables.times import SIZES, TimeScale

__all__ = ["cut_short", "name_ticks", "plain_numbers", "short_number", "show_times"]

LEAST_TICKS, MOST_TICKS = 2, 4  # of an axis of dates, whose texts are long
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000)
MULTIPLES = (1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000)
SIZES_OF_NAMES = (9.0, 8.0, 7.0)  # of names of categories, in points, as far as there is room
SMALLEST = 5.5  # of those that stand upright
LETTER = 0.6  # mean width of a letter, of its size
LINE = 1.25  # height of a line of text, of its size
LONGEST = 24  # letters in a line of a name that stands upright or at the left
LINES = 3  # of a name
ROOM = 0.8  # of the axes that is left when other texts have taken theirs
ACROSS = 0.5  # of the axes that upright names may take
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def name_ticks(axis: Any, names: Sequence[Any]) -> None:
    """Name the categories along an axis, which lie at 0, 1, 2 and so on.

    Names lie in some lines below their category if there is room, else they stand upright. Of too
    many categories, every second or third is named.

    Parameters
    ----------
    axis : matplotlib Axis
        An axis with limits.
    names : sequence
        Names of the categories.
    """
    box, per_point = axis.axes.get_window_extent(), axis.axes.figure.dpi / 72
    is_horizontal = axis.axis_name == "x"
    along, across = (box.width, box.height) if is_horizontal else (box.height, box.width)
    low, high = axis.get_view_interval()
    room = ROOM * along / per_point / max(high - low, 1.0)  # for each category, in points
    if is_horizontal:
        for size in SIZES_OF_NAMES:
            texts = [_folded(name, int(room / (LETTER * size)) - 1) for name in names]
            if all(texts):
                axis.set_ticks(range(len(names)), texts, fontsize=size)
                return
    step = max(1, int(np.ceil(LINE * SMALLEST / room - 1e-9)))
    shown = range(0, len(names), step)
    for n_lines in range(1, LINES + 1):
        points = min(step * room / (n_lines * LINE), SIZES_OF_NAMES[0])
        if n_lines > 1 and points < SIZES_OF_NAMES[-1]:
            break  # better cut short than too small
        size = points
        letters = int(np.clip(ACROSS * across / per_point / (LETTER * size), 4, LONGEST))
        texts = [cut_short(names[i], letters, n_lines) for i in shown]
        if not any(text.endswith(ELLIPSIS) for text in texts):
            break
    axis.set_ticks(shown, texts, fontsize=size, rotation=90 if is_horizontal else 0)


def _folded(name: Any, letters: int) -> str:
    """Return a name in few lines that break between words; empty if it does not fit."""
    if letters < 3 or any(len(word) > letters for word in re.split(r"\s|(?<=_)", str(name))):
        return ""
    text = wrapped(name, letters)
    return text if text.count("\n") < LINES else ""


def cut_short(text: Any, letters: int, n_lines: int = 1) -> str:
    """Return a text in at most some lines, shown literally; what does not fit is cut off.

    Examples
    --------
    >>> from fuzzyucs.plots._ticks import cut_short
    >>> cut_short("owner without a mortgage", 12)
    'owner witho…'
    >>> print(cut_short("owner without a mortgage", 13, 2))
    owner without
    a mortgage
    """
    lines = wrapped(text, letters).split("\n")
    if len(lines) <= n_lines:
        return "\n".join(lines)
    rest = " ".join(lines[n_lines - 1 :])[: letters - 1].rstrip()
    return "\n".join([*lines[: n_lines - 1], f"{rest}{ELLIPSIS}"])


def short_number(value: float) -> str:
    """Write a number with four digits, or all digits before its decimal point.

    Examples
    --------
    >>> from fuzzyucs.plots._ticks import short_number
    >>> [short_number(value) for value in (0.123456, 65600.0, 2.0)]
    ['0.1235', '65600', '2']
    """
    return write_value(float(f"{value:.4g}"))


def plain_numbers(axis: Any) -> None:
    """Write the numbers along an axis in full: no powers of ten, no offset."""
    from matplotlib.ticker import ScalarFormatter

    if isinstance(axis.get_major_formatter(), ScalarFormatter):
        greatest = max(map(abs, axis.get_view_interval()))
        if 1e-4 <= greatest < 1e12:
            axis.get_major_formatter().set_scientific(False)
        axis.get_major_formatter().set_useOffset(False)


def show_times(axis: Any, scale: TimeScale) -> None:
    """Mark an axis of seconds at round dates or durations.

    Parameters
    ----------
    axis : matplotlib Axis
        An axis with limits.
    scale : TimeScale
        How seconds stand for dates or durations.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter

    low, high = map(float, sorted(axis.get_view_interval()))
    ticks = _month_ticks(scale, low, high) or _unit_ticks(scale, low, high)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: scale.write(float(value))))


def _unit_ticks(scale: TimeScale, low: float, high: float) -> list[float]:
    """Return times between two, a round number of a unit apart."""
    sizes = [(unit, n * size / SIZES["second"]) for unit, size in SIZES.items() for n in MULTIPLES]
    fitting = [(step, unit) for unit, step in sizes if (high - low) / step <= MOST_TICKS]
    step, unit = min(fitting, default=((high - low) / 2, scale.unit))
    wanted = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    ticks = {scale.rounded(value, unit) for value in wanted.tolist()}
    return sorted(tick for tick in ticks if low <= tick <= high)


def _month_ticks(scale: TimeScale, low: float, high: float) -> list[float]:
    """Return the first days of months or years; none of durations, and of a few days."""
    first, last = scale.label(low), scale.label(high)
    if not (isinstance(first, datetime) and isinstance(last, datetime)):
        return []
    begin, end = (12 * day.year + day.month - 1 for day in (first, last))
    step = next((n for n in MONTHS if (end - begin) / n <= MOST_TICKS), MONTHS[-1])
    months = range(begin // step * step, end + 1, step)
    days = [datetime(m // 12, m % 12 + 1, 1, tzinfo=first.tzinfo) for m in months if m >= 12]
    ticks = [tick for tick in map(scale.number, days) if low <= tick <= high]
    return ticks if len(ticks) >= LEAST_TICKS else []
