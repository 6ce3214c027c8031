"""Memory that workers of Dask would give back to the system at once, kept while they compute.

Dask starts workers with the environment variable ``MALLOC_TRIM_THRESHOLD_``, so that the C library
gives back what is freed. Arrays that live for a moment then cost several times their time, because
the system has to find empty memory for each of them.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["keeping_memory", "keeps_memory"]

VARIABLE = "MALLOC_TRIM_THRESHOLD_"
TRIM, MMAP = -1, -3  # parameters of mallopt
USUAL_MMAP = 2**17  # bytes from which on memory comes from the system
KEPT_TRIM, KEPT_MMAP = 2**30, 2**25

P = ParamSpec("P")
Result = TypeVar("Result")

_lock = threading.Lock()
_n_inside = 0


@contextmanager
def keeping_memory() -> Iterator[None]:
    """Let memory that is freed serve again in this process, and give it back at the end.

    Several threads may be inside; the last one gives memory back. Without the environment variable,
    or without the functions of the GNU C library, nothing happens.

    Yields
    ------
    None

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs._util.memory import keeping_memory
    >>> with keeping_memory():
    ...     float((np.arange(5.0) + 1).sum())
    15.0
    """
    global _n_inside
    usual = os.environ.get(VARIABLE, "")
    library: Any = ctypes.CDLL(None) if os.name == "posix" and usual.isdecimal() else None
    if not hasattr(library, "mallopt") or not hasattr(library, "malloc_trim"):
        yield
        return
    with _lock:
        _n_inside += 1
        if _n_inside == 1:
            library.mallopt(TRIM, KEPT_TRIM)
            library.mallopt(MMAP, KEPT_MMAP)
    try:
        yield
    finally:
        with _lock:
            _n_inside -= 1
            if _n_inside == 0:
                library.mallopt(TRIM, int(usual))
                library.mallopt(MMAP, USUAL_MMAP)
                library.malloc_trim(0)


def keeps_memory(function: Callable[P, Result]) -> Callable[P, Result]:
    """Decorate a function that does so while it runs."""

    @wraps(function)
    def keeping(*args: P.args, **kwargs: P.kwargs) -> Result:
        with keeping_memory():
            return function(*args, **kwargs)

    return keeping
