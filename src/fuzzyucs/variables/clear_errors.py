"""Clear errors: where in a table is what scikit-learn complains about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fuzzyucs.variables.columns import ColumnError
from fuzzyucs.variables.frames import Columns

__all__ = ["clear_errors", "names_of"]


def names_of(X: Any) -> list[Any]:
    """Return the names of the columns of a frame; of anything else, none.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from fuzzyucs.variables.clear_errors import names_of
    >>> names_of(pd.DataFrame({"size": [1.5]})), names_of(np.ones((1, 1)))
    (['size'], [])
    """
    return list(getattr(X, "column_names", getattr(X, "columns", ())))


@contextmanager
def clear_errors(X: Any, columns: Columns) -> Iterator[None]:
    """Let scikit-learn check a table, and say where an infinite value is, or what to do with text.

    Parameters
    ----------
    X : frame or array-like
        The table.
    columns : Columns
        Which of its columns hold categories, dates or durations.

    Raises
    ------
    ValueError
        In place of that of scikit-learn, which does not tell.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.utils import check_array
    >>> from fuzzyucs.variables.clear_errors import clear_errors
    >>> from fuzzyucs.variables.frames import Columns
    >>> frame = pd.DataFrame({"size": [1.5, float("inf")]})
    >>> with clear_errors(frame, Columns()):
    ...     check_array(frame)
    Traceback (most recent call last):
    ...
    fuzzyucs.variables.columns.ColumnError: column 'size' must hold finite numbers (NaN if they are
    missing), got infinity (inf) in row 1
    """
    try:
        yield
    except ColumnError:
        raise
    except ValueError as problem:
        text = str(problem)
        if "could not convert" in text and not hasattr(X, "columns"):
            raise ValueError(
                "X must hold numbers, unless it is a data frame, whose columns may hold text: "
                f"{text}"
            ) from problem
        if "contains infinity" not in text:
            raise
        values = np.asarray(columns.values(X), dtype=np.float64)
        infinite = np.argwhere(np.isinf(values))
        if not len(infinite):  # it is in something else than the table
            raise
        row, number = infinite[0].tolist()
        name = [*(names_of(X) or range(values.shape[1]))][number]
        raise ColumnError(
            name,
            "must hold finite numbers (NaN if they are missing), got infinity "
            f"({values[row, number]}) in row {row}",
        ) from problem
