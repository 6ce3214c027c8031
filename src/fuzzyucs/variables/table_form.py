"""How the table that a model learned from was read, so that others are read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["DATE_PARTS", "DateForm", "TableForm"]

DATE_PARTS = ("year", "month", "weekday", "days")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class DateForm:
    """How a column of dates as text became features.

    Parameters
    ----------
    style : str
        How dates are written: a format of `datetime.strptime`, or ``"ISO8601"``.
    origin : str
        The date from which days are counted, as 2013-05-12.

    Examples
    --------
    >>> from fuzzyucs.variables.table_form import DateForm
    >>> form = DateForm("ISO8601", "2013-01-01")
    >>> form.feature("admission", "month"), form.feature("admission", "days")
    ('month of admission', 'days from 2013-01-01 to admission')
    """

    style: str
    origin: str

    def feature(self, column: str, part: str) -> str:
        """Return the name of a feature.

        Parameters
        ----------
        column : str
            Name of the column of dates.
        part : {"year", "month", "weekday", "days"}
            What the feature holds; days are those since the origin.

        Returns
        -------
        str
        """
        if part == "days":
            return f"days from {self.origin} to {column}"
        return f"{part} of {column}"


@dataclass(frozen=True)
class TableForm:
    """How a table in a file was read.

    Parameters
    ----------
    markers : tuple of str
        Markers of missing values, besides the usual ones.
    units : mapping of str to str
        Units of numbers, by column.
    dates : mapping of str to DateForm
        How dates were read, by column.
    target : str, optional
        The column that held the class.

    Examples
    --------
    >>> from fuzzyucs.variables.table_form import DateForm, TableForm
    >>> dates = {"born": DateForm("%d.%m.%Y", "1950-01-01")}
    >>> form = TableForm(("unknown",), {"age": "years"}, dates)
    >>> form.source("month of born"), form.source("age")
    (('born', 'month'), None)
    """

    markers: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, DateForm] = field(default_factory=dict)
    target: str | None = None

    def source(self, feature: str) -> tuple[str, str] | None:
        """Return the column of dates that a feature comes from, and which part of it.

        Parameters
        ----------
        feature : str
            Name of a feature.

        Returns
        -------
        tuple of str, or None
            None if the feature is a column of the table.
        """
        for column, form in self.dates.items():
            for part in DATE_PARTS:
                if feature == form.feature(column, part):
                    return column, part
        return None

    def columns_for(self, features: Iterable[str]) -> list[str]:
        """Return the columns that features come from, each once.

        Parameters
        ----------
        features : iterable of str
            Names of features.

        Returns
        -------
        list of str
        """
        found = ((self.source(feature) or (feature,))[0] for feature in features)
        return list(dict.fromkeys(found))

    def __bool__(self) -> bool:
        """Tell whether there is anything to remember."""
        return bool(self.markers or self.units or self.dates or self.target is not None)
