"""Zeros that may stand for missing values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fuzzyucs.variables.columns import Column, NumberColumn

__all__ = ["lone_zeros"]

LEAST_ZEROS = 3
LEAST_VALUES = 10  # different ones, besides 0
STEPS = 5  # usual steps between neighbouring values that separate 0 from all others
PART = 0.1  # of the median, by which 0 is separated at least


def lone_zeros(columns: Iterable[Column]) -> dict[str, tuple[int, float]]:
    """Find columns of positive numbers with several zeros, but no other value near 0.

    Parameters
    ----------
    columns : iterable of Column
        The columns of a table.

    Returns
    -------
    dict of str to (int, float)
        By name, the number of zeros and the least other value.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.tables.zeros import lone_zeros
    >>> from fuzzyucs.variables.columns import NumberColumn
    >>> values = {"pressure": [0, 0, 0, *range(40, 90)], "children": [0, 0, 0, *range(1, 12)]}
    >>> lone_zeros(NumberColumn(name, np.array(own, dtype=float)) for name, own in values.items())
    {'pressure': (3, 40.0)}
    """
    found = {}
    for column in columns:
        if not isinstance(column, NumberColumn):
            continue
        numbers = column.numbers()
        values = np.unique(numbers[numbers > 0])
        n_zeros = int((numbers == 0).sum())
        if n_zeros < LEAST_ZEROS or len(values) < LEAST_VALUES or (numbers < 0).any():
            continue
        step, middle = np.median(np.diff(values)), np.median(numbers[numbers > 0])
        if values[0] > STEPS * step and values[0] > PART * middle:
            found[str(column.name)] = n_zeros, float(values[0])
    return found
