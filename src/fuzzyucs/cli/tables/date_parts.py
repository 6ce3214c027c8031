"""Dates as text: in which style they are written, and the features that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

import numpy as np

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.cli.tables.cells import Cells
from fuzzyucs.variables.columns import CategoryColumn, Column, ColumnError, NumberColumn
from fuzzyucs.variables.table_form import DATE_PARTS, WEEKDAYS, DateForm

__all__ = ["DateOrder", "NotADateError", "find_style", "first_date", "parts_of"]

DateOrder = Literal["dmy", "mdy"]

ISO = "ISO8601"
_DAYS = {
    "dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y", "%d-%m-%y"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y", "%m/%d/%y", "%m-%d-%y", "%m.%d.%y"),
    "": (
        *("%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y"),
        *("%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
    ),
}
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S")


class NotADateError(ValueError):
    """A text that is no date in the style of its column.

    Parameters
    ----------
    text : str
        The text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no date in this style")
        self.text = text


def find_style(cells: Cells, order: DateOrder | None = None) -> str:
    """Find the style in which all dates of a column are written.

    Parameters
    ----------
    cells : Cells
        The column.
    order : {"dmy", "mdy"}, optional
        Whether the day or the month comes first, if the dates do not tell.

    Returns
    -------
    str
        A format of `datetime.strptime`, or ``"ISO8601"``.

    Raises
    ------
    ColumnError
        If no style fits all dates, or the order of day and month is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.cells import Cells
    >>> from fuzzyucs.cli.tables.date_parts import find_style
    >>> find_style(Cells.of("born", np.array(["31.12.1970", "1.2.1980"], dtype=object), ()))
    '%d.%m.%Y'
    """
    if not cells.texts:
        problem = "holds numbers, not dates" if cells.n_known else "holds no value"
        raise ColumnError(cells.name, problem)
    if _fits(cells.texts, ISO):
        return ISO
    found: dict[str, str] = {}
    for kind, styles in _DAYS.items():
        for style in (day + time for time in _TIMES for day in styles):
            if _fits(cells.texts, style):
                found.setdefault(kind, style)
    if "" in found:
        return found[""]
    if order is not None and order in found:
        return found[order]
    if len(found) == 2:
        if "." in found["dmy"][:3]:
            return found["dmy"]  # with points, days come first
        raise ColumnError(
            cells.name,
            f"holds dates such as {cells.texts[0]!r} whose first number may be the day or the "
            "month; name the order: --date-order dmy or --date-order mdy",
        )
    if found and order is None:
        return next(iter(found.values()))
    raise ColumnError(
        cells.name,
        f"holds dates such as {cells.texts[0]!r}, not all of which are written in one style; write "
        "them as 2013-05-12, or leave the column out",
    )


def parts_of(cells: Cells, form: DateForm) -> dict[str, Column]:
    """Return the features that are made of a column of dates.

    Parameters
    ----------
    cells : Cells
        The column.
    form : DateForm
        How it is read.

    Returns
    -------
    dict of str to Column
        By part: the year, the month from 1 to 12, the weekday as a category, and the days since the
        origin.

    Raises
    ------
    NotADateError
        If a text is no such date.
    """
    pd = import_pandas()
    dates = _parsed(cells.texts, form.style)
    wrong = np.flatnonzero(pd.isna(dates))
    if len(wrong):
        raise NotADateError(cells.texts[wrong[0]])
    days = (dates.normalize() - pd.Timestamp(date.fromisoformat(form.origin))).days
    weekday = np.array([*dates.day_of_week, -1], dtype=np.intp)[cells.codes]

    def numbers(part: str, values: Any) -> Column:
        name = form.feature(cells.name, part)
        return NumberColumn(name, cells.spread(np.asarray(values, dtype=float).tolist()))

    columns: tuple[Column, ...] = (
        numbers("year", dates.year),
        numbers("month", dates.month),
        CategoryColumn(form.feature(cells.name, "weekday"), WEEKDAYS, weekday, is_ordered=True),
        numbers("days", days),
    )
    return dict(zip(DATE_PARTS, columns, strict=True))


def first_date(cells: Cells, style: str) -> str:
    """Return the earliest date of a column, as 2013-05-12."""
    return str(_parsed(cells.texts, style).min().date().isoformat())


def _parsed(texts: Sequence[str], style: str) -> Any:
    """Return dates without a time zone, NaT for other texts."""
    found = import_pandas().to_datetime(
        list(texts), format=style, errors="coerce", utc=style == ISO
    )
    return found.tz_localize(None) if found.tz is not None else found


def _fits(texts: Sequence[str], style: str) -> bool:
    # A few tell most styles apart quickly.
    return not any(_parsed(some, style).hasnans for some in (texts[:20], texts))
