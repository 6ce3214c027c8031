"""Dask collections: methods that map over them lazily, without an import of Dask for others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["in_memory", "is_dask", "lazy_over_dask", "refuse_dask"]

Method = TypeVar("Method", bound=Callable[..., Any])


def is_dask(X: Any) -> bool:
    """Tell whether something is a collection of Dask, without an import of Dask.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    bool

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from fuzzyucs.estimators.lazy import is_dask
    >>> is_dask(da.ones((4, 2))), is_dask(np.ones((4, 2)))
    (True, False)
    """
    # Nobody can have made one before Dask was imported. Other libraries have collections with a
    # graph, too; those know how to become arrays.
    is_loaded = "dask" in sys.modules
    module = type(X).__module__.partition(".")[0]
    return is_loaded and module in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def in_memory(*collections: Any) -> tuple[Any, ...]:
    """Return collections of Dask as tables in this process; others stay what they are."""
    if not any(map(is_dask, collections)):
        return collections
    import dask

    return tuple(dask.compute(*collections))


def refuse_dask(X: Any, name: str = "X") -> None:
    """Refuse a collection of Dask where values are needed at once.

    Parameters
    ----------
    X : object
        Anything.
    name : str
        Of the parameter, for the message.

    Examples
    --------
    >>> import dask.array as da
    >>> from fuzzyucs.estimators.lazy import refuse_dask
    >>> refuse_dask(da.ones((4, 2)))
    Traceback (most recent call last):
    TypeError: X must be in memory, got a Dask Array; call its compute() first
    """
    if is_dask(X):
        kind = type(X).__name__
        raise TypeError(f"{name} must be in memory, got a Dask {kind}; call its compute() first")


def lazy_over_dask(method: Method) -> Method:
    """Let a method that answers row by row map lazily over Dask arrays and data frames.

    Parameters
    ----------
    method : callable
        A method of a classifier whose first argument is a table.

    Returns
    -------
    callable
        The same for tables in memory. Of a collection, what `fuzzyucs.estimators.dask_predictions`
        makes of it.
    """

    @wraps(method)
    def mapped(self: Any, X: Any, **options: Any) -> Any:
        if not is_dask(X):
            return method(self, X, **options)
        from fuzzyucs.estimators.dask_predictions import map_method

        return map_method(self, method.__name__, X, options)

    return cast(Method, mapped)
