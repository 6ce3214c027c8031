"""More categories: what a column may hold once further batches have been seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fuzzyucs.variables.columns import Categories, ColumnError
from fuzzyucs.variables.table import Stored, Table

__all__ = ["recoded", "with_more"]


def with_more(column: Any, known: Categories, found: Categories) -> Categories:
    """Return known categories together with those of another batch.

    Parameters
    ----------
    column : object
        Name of the column, for messages.
    known : Categories
        The categories so far.
    found : Categories
        Those of the batch.

    Returns
    -------
    Categories
        The known ones themselves if there are no more. Those without an order are sorted, as
        categories of a single batch are.

    Raises
    ------
    ColumnError
        If the place of a new category among ordered ones is not known.

    Examples
    --------
    >>> from fuzzyucs.variables.columns import Categories
    >>> from fuzzyucs.variables.more_categories import with_more
    >>> with_more("colour", Categories(("blue", "red")), Categories(("green",))).labels
    ('blue', 'green', 'red')
    >>> sizes = Categories(("S", "M"), is_ordered=True)
    >>> with_more("size", sizes, Categories(("S", "M", "L"), is_ordered=True)).labels
    ('S', 'M', 'L')
    >>> with_more("size", sizes, Categories(("L",)))
    Traceback (most recent call last):
    ...
    fuzzyucs.variables.columns.ColumnError: column 'size' has the category 'L', which earlier
    batches did not have, and its place among the ordered ones (S, M) is not known; give all batches
    the same ordered categories
    """
    new = [label for label in found.labels if label not in known.labels]
    if not new:
        return known
    if not known.is_ordered:
        # Of more than one type, text last.
        every = sorted({*known.labels, *new}, key=lambda label: (isinstance(label, str), label))
        return Categories.of(column, every)
    if not (found.is_ordered and _is_part(known.labels, found.labels)):
        raise ColumnError(
            column,
            f"has the category {new[0]!r}, which earlier batches did not have, and its place among "
            f"the ordered ones ({', '.join(known.terms)}) is not known; give all batches the same "
            "ordered categories",
        )
    return Categories.of(column, found.labels, is_ordered=True)


def _is_part(labels: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Tell whether all of some labels are among others, in the same order."""
    return [label for label in others if label in labels] == list(labels)


def recoded(
    table: Table, before: Mapping[int, Categories], after: Mapping[int, Categories]
) -> Table:
    """Return a table whose indices of categories are those among more categories.

    Parameters
    ----------
    table : Table
        Rows.
    before, after : dict of int to Categories
        What the indices stand for now, and what they will, by number of the column.

    Returns
    -------
    Table

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.columns import Categories
    >>> from fuzzyucs.variables.more_categories import recoded
    >>> from fuzzyucs.variables.table import Stored, Table
    >>> table = Table([Stored.of_indices(np.array([1.0, np.nan, 0.0]), 2)])
    >>> before, after = Categories(("blue", "red")), Categories(("blue", "green", "red"))
    >>> recoded(table, {0: before}, {0: after}).column(0)
    array([ 2., nan,  0.])
    """
    columns = list(table.columns)
    for number, known in after.items():
        if before[number] is not known:
            places = {label: place for place, label in enumerate(known.labels)}
            moved = np.array([*(places[label] for label in before[number].labels), np.nan])
            old = np.nan_to_num(table.column(number), nan=len(moved) - 1).astype(np.intp)
            columns[number] = Stored.of_indices(moved[old], len(known.labels))
    return Table(columns)
