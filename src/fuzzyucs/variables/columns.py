"""Columns of numbers or categories, what all columns share, and the messages about them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.variables.table import Stored
from fuzzyucs.variables.times import TimeScale

__all__ = [
    "MOST_CATEGORIES",
    "Categories",
    "CategoryColumn",
    "Column",
    "ColumnError",
    "NumberColumn",
    "as_numbers",
    "clock_refused",
    "dates_refused",
    "indices_of",
    "plain",
    "refuse_dates",
    "refuse_many",
]

MOST_CATEGORIES = 64  # that can have a term each
N_SHOWN = 5  # values in a message
DATES = (date, timedelta, np.datetime64, np.timedelta64)  # a datetime is a date

Array = NDArray[np.float64]


class ColumnError(ValueError):
    """A column that cannot be used as a whole.

    Parameters
    ----------
    column : object
        Its name.
    problem : str
        What is wrong, to follow the name.
    """

    def __init__(self, column: Any, problem: str) -> None:
        super().__init__(f"column {column!r} {problem}")
        self.column = column


def dates_refused(column: Any, example: Any) -> ColumnError:
    """Return the error about a column of text that looks like dates.

    Parameters
    ----------
    column : object
        Name of the column.
    example : object
        One of its values.

    Returns
    -------
    ColumnError

    Examples
    --------
    >>> from fuzzyucs.variables.columns import dates_refused
    >>> print(dates_refused("born", "1970-03-01"))
    column 'born' holds dates such as '1970-03-01' as text; derive numbers from dates first, such
    as an age or a number of days, or leave the column out
    """
    return ColumnError(
        column,
        f"holds dates such as {str(example)!r} as text; derive numbers from dates first, such as "
        "an age or a number of days, or leave the column out",
    )


@dataclass(frozen=True)
class Categories:
    """The values that a column without numbers may hold.

    Parameters
    ----------
    labels : tuple
        The values; their indices stand for them.
    is_ordered : bool
        Whether they come in a meaningful order.
    """

    labels: tuple[Any, ...]
    is_ordered: bool = False

    def __repr__(self) -> str:
        number = counted(len(self.labels), "category", "categories")
        order = "ordered" if self.is_ordered else ""
        return short_repr(self, f"{number} ({some(self.labels)})", order)

    @property
    def terms(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(str, self.labels))

    @property
    def holds(self) -> str:
        """What the column holds, for messages."""
        more = ", ..." if len(self.labels) > N_SHOWN else ""
        return f"categories ({', '.join(self.terms[:N_SHOWN])}{more})"

    @classmethod
    def of(cls, column: Any, labels: Sequence[Any], *, is_ordered: bool = False) -> Categories:
        """Check the categories of a column.

        Parameters
        ----------
        column : object
            Name of the column, for messages.
        labels : sequence
            The values that it may hold.
        is_ordered : bool
            Whether they come in a meaningful order.

        Returns
        -------
        Categories

        Raises
        ------
        ColumnError
            If some look alike.

        Examples
        --------
        >>> from fuzzyucs.variables.columns import Categories
        >>> Categories.of("size", ["S", "M", "L"], is_ordered=True).labels
        ('S', 'M', 'L')
        """
        found = cls(tuple(map(plain, labels)), is_ordered)
        if len(set(found.terms)) < len(labels):
            counts = Counter(found.terms)
            alike = [term for term in found.terms if counts[term] > 1]
            raise ColumnError(column, f"has categories that look alike: {alike[: 2 * N_SHOWN]}")
        return found


def refuse_many(column: Any, categories: Categories) -> None:
    """Refuse a column with more categories than there can be terms.

    Parameters
    ----------
    column : object
        Its name.
    categories : Categories
        Its categories.

    Examples
    --------
    >>> from fuzzyucs.variables.columns import Categories, refuse_many
    >>> refuse_many("town", Categories(tuple(range(65))))
    Traceback (most recent call last):
    ...
    fuzzyucs.variables.columns.ColumnError: column 'town' has 65 categories, at most 64 are
    possible (0, 1, 2, 3, 4, ...); group them, leave the column out, or take an
    EvidentialRuleClassifier, which groups them itself
    """
    n = len(categories.labels)
    if n > MOST_CATEGORIES:
        shown = ", ".join(map(repr, categories.labels[:N_SHOWN]))
        raise ColumnError(
            column,
            f"has {n} categories, at most {MOST_CATEGORIES} are possible ({shown}, ...); group "
            "them, leave the column out, or take an EvidentialRuleClassifier, which groups them "
            "itself",
        )


@dataclass(frozen=True, eq=False)
class Column(ABC):
    """One column of a table.

    Parameters
    ----------
    name : object
        Its name.
    """

    name: Any

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @abstractmethod
    def first(self) -> Any:
        """Return the value of the first row; None if it is missing or there is no row."""

    @abstractmethod
    def categories(self) -> Categories | None:
        """Return the categories to learn about, or None if the column holds numbers."""

    def more_categories(self) -> Categories | None:
        """Return the categories of a further batch of a column that is known to hold some."""
        return self.categories()

    @abstractmethod
    def numbers(self) -> Array:
        """Return the column as numbers, NaN where they are missing."""

    def stored_numbers(self) -> Stored:
        """Return the column as numbers, in as few bytes as they came in."""
        return Stored(self.numbers())

    @abstractmethod
    def indices(self, known: Categories) -> Array:
        """Return the indices of the values among known categories, NaN for all others."""

    def time_scale(self) -> TimeScale | None:
        """Return how numbers stand for dates or durations, or None if the column holds neither."""
        return None

    def seconds(self, known: TimeScale) -> Array:
        """Return dates or durations as numbers; refuse other values, unless all are missing."""
        example = self._known_example()
        if example is not None:
            convert = "to_timedelta" if known.kind == "duration" else "to_datetime"
            hint = f"; pandas.{convert} converts text" if isinstance(example, str) else ""
            kind = "text" if isinstance(example, str) else type(example).__name__
            raise ColumnError(
                self.name,
                f"must hold {known.holds} as in the training data, got {kind} such as "
                f"{example!r}{hint}",
            )
        return np.full(self.n_rows, np.nan)

    @abstractmethod
    def _known_example(self) -> Any:
        """Return a value that is not missing; None if there is none."""


@dataclass(frozen=True, eq=False)
class NumberColumn(Column):
    """A column of numbers.

    Parameters
    ----------
    name : object
        Its name.
    values : ndarray of shape (n_rows,)
        Floats, NaN where they are missing, or whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.columns import NumberColumn
    >>> column = NumberColumn("height", np.array([1.65, np.nan]))
    >>> column.categories() is None, column.numbers()
    (True, array([1.65,  nan]))
    """

    values: NDArray[Any]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.values)

    def first(self) -> Any:
        """Return the number in the first row."""
        is_known = len(self.values) and not np.isnan(self.values[0])
        return float(self.values[0]) if is_known else None

    def categories(self) -> Categories | None:
        """Return None: numbers are no categories."""
        return None

    def numbers(self) -> Array:
        """Return the numbers."""
        return np.asarray(self.values, dtype=np.float64)

    def stored_numbers(self) -> Stored:
        """Return the numbers in their own type."""
        return Stored.of(self.values) or Stored(self.numbers())

    def indices(self, known: Categories) -> Array:
        """Return the indices of the numbers among known categories, if those are numbers, too."""
        is_text = all(isinstance(label, str) for label in known.labels)
        if is_text and not np.isnan(self.values).all():
            raise ColumnError(
                self.name, f"must hold {known.holds} as in the training data, got numbers"
            )
        return indices_of(self.numbers().tolist(), known)

    def _known_example(self) -> Any:
        numbers = self.numbers()
        return next(iter(numbers[~np.isnan(numbers)].tolist()), None)


@dataclass(frozen=True, eq=False)
class CategoryColumn(Column):
    """A column of categories.

    Parameters
    ----------
    name : object
        Its name.
    labels : tuple
        The categories.
    codes : ndarray of shape (n_rows,)
        Index of the category of each row, -1 where it is missing.
    is_ordered : bool
        Whether the categories come in a meaningful order.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.columns import CategoryColumn
    >>> column = CategoryColumn("colour", ("blue", "green", "red"), np.array([2, 0, -1]))
    >>> column.categories().labels  # no row is green
    ('blue', 'red')
    >>> column.indices(column.categories())
    array([ 1.,  0., nan])
    """

    labels: tuple[Any, ...]
    codes: NDArray[np.intp]
    is_ordered: bool = False

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def first(self) -> Any:
        """Return the category of the first row."""
        is_known = len(self.codes) and self.codes[0] >= 0
        return plain(self.labels[self.codes[0]]) if is_known else None

    def categories(self) -> Categories | None:
        """Return the categories that occur, or all of them if they are ordered."""
        labels = self.labels if self.is_ordered else self._seen()
        refuse_dates(self.name, labels)
        return Categories.of(self.name, labels, is_ordered=self.is_ordered) if labels else None

    def numbers(self) -> Array:
        """Return the categories as numbers if they are numbers."""
        seen = self._seen()
        refuse_dates(self.name, seen)
        values = as_numbers(seen)
        if values is None:
            raise ColumnError(
                self.name,
                f"must hold numbers as in the training data, got categories such as {seen[0]!r}",
            )
        numbers = dict(zip(seen, values.tolist(), strict=True))
        return self._spread([numbers.get(label, np.nan) for label in self.labels])

    def indices(self, known: Categories) -> Array:
        """Return the indices of the values among known categories, NaN for all others."""
        return self._spread(indices_of(map(plain, self.labels), known).tolist())

    def _known_example(self) -> Any:
        return plain(next(iter(self._seen()), None))

    def _seen(self) -> tuple[Any, ...]:
        occurs = np.bincount(self.codes[self.codes >= 0], minlength=len(self.labels)) > 0
        return tuple(label for label, seen in zip(self.labels, occurs, strict=True) if seen)

    def _spread(self, values: Sequence[float]) -> Array:
        """Give each row the number of its category."""
        return np.array([*values, np.nan])[self.codes]


def plain(value: Any) -> Any:
    """Return a scalar of NumPy as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def as_numbers(values: Sequence[Any]) -> Array | None:
    """Return values as floats, or None if that cannot be done.

    Examples
    --------
    >>> from fuzzyucs.variables.columns import as_numbers
    >>> as_numbers([1, "2.5", 10**400])
    array([1. , 2.5, inf])
    >>> as_numbers([[1.0], [2.0]]) is None
    True
    """
    try:
        return np.array([_as_float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def indices_of(values: Any, known: Categories) -> Array:
    """Return the indices of plain values among known categories, NaN for all others."""
    found = {label: index for index, label in enumerate(known.labels)}
    return np.array([found.get(value, np.nan) for value in values], dtype=float)


def clock_refused(column: Any, example: Any) -> ColumnError:
    """Return the error about a column of times of day.

    Examples
    --------
    >>> from datetime import time
    >>> from fuzzyucs.variables.columns import clock_refused
    >>> print(clock_refused("begin", time(12)))
    column 'begin' holds times of day such as '12:00:00'; derive numbers from them first, such as
    hours since midnight, or leave the column out
    """
    return ColumnError(
        column,
        f"holds times of day such as {str(example)!r}; derive numbers from them first, such as "
        "hours since midnight, or leave the column out",
    )


def refuse_dates(column: Any, values: Iterable[Any]) -> None:
    """Refuse a column whose first value is a date, a duration or a time of day."""
    first = next((value for value in values if value is not None), None)
    if isinstance(first, time):
        raise clock_refused(column, first)
    if isinstance(first, DATES):
        raise ColumnError(
            column,
            f"holds dates or durations such as {str(first)!r} as categories; give it their own "
            "type, such as datetime64 in pandas, or leave it out",
        )
