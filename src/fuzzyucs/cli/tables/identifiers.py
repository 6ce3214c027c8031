"""Columns that only tell rows apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from fuzzyucs.variables.columns import Column

__all__ = ["identifiers"]

_NAME = re.compile(r"(?i:(^|[\W_])(id|ids|key|uuid|number|no|nr|index)$)|[a-z]I[dD]$")


def identifiers(columns: Iterable[Column]) -> list[str]:
    """Find columns that number the rows, in whatever order.

    Parameters
    ----------
    columns : iterable of Column
        The columns of a table.

    Returns
    -------
    list of str
        Names of those that hold a different whole number in every row: all numbers from the least
        to the greatest, or any if the name says that they are identifiers.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.identifiers import identifiers
    >>> from fuzzyucs.variables.columns import NumberColumn
    >>> values = {"row": [3, 1, 2, 4], "patient_id": [17, 4, 90, 33], "age": [17, 4, 90, 33]}
    >>> identifiers(NumberColumn(name, np.array(own)) for name, own in values.items())
    ['row', 'patient_id']
    """
    found = []
    for column in columns:
        if column.categories() is not None or column.n_rows <= 2:
            continue
        numbers = column.numbers()
        if np.isnan(numbers).any() or (numbers != np.round(numbers)).any():
            continue
        values = np.unique(numbers)
        is_dense = values[-1] - values[0] == column.n_rows - 1
        if len(values) == column.n_rows and (is_dense or _NAME.search(str(column.name))):
            found.append(str(column.name))
    return found
