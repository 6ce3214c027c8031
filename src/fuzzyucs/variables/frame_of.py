"""Columns put together to a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.variables.columns import CategoryColumn, Column
from fuzzyucs.variables.time_columns import TimeColumn

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_of"]


def frame_of(columns: Sequence[Column]) -> pd.DataFrame:
    """Return a data frame whose types say what the columns hold.

    Parameters
    ----------
    columns : sequence of Column
        Columns of numbers, categories, dates or durations with different names.

    Returns
    -------
    pandas.DataFrame
        Columns of type float64, category, datetime64 or timedelta64.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.columns import CategoryColumn, NumberColumn
    >>> from fuzzyucs.variables.frame_of import frame_of
    >>> height = NumberColumn("height", np.array([1.65, np.nan]))
    >>> sex = CategoryColumn("sex", ("f", "m"), np.array([1, 0]))
    >>> frame_of([height, sex])
       height sex
    0    1.65   m
    1     NaN   f
    """
    pandas = import_pandas()
    return pandas.DataFrame(
        {
            column.name: pandas.Categorical.from_codes(
                column.codes, categories=list(column.labels), ordered=column.is_ordered
            )
            if isinstance(column, CategoryColumn)
            else column.labels()
            if isinstance(column, TimeColumn)
            else column.numbers()
            for column in columns
        }
    )
