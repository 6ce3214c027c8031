"""Errors that cost a report one of its parts, but never the others."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["Problem", "Problems"]


class Problem(NamedTuple):
    """A part of a report that could not be made, and why."""

    part: str
    error: str


class Problems(list[Problem]):
    """The problems met so far.

    Examples
    --------
    >>> from fuzzyucs.experiment.problems import Problems
    >>> problems = Problems()
    >>> with problems.confined("table 3"):
    ...     1 / 0
    >>> problems
    [Problem(part='table 3', error='ZeroDivisionError: division by zero')]
    """

    @contextmanager
    def confined(self, part: str) -> Iterator[None]:
        """Note an error of the block as a problem of this part, and go on after it."""
        try:
            yield
        except Exception as error:
            text = "".join(traceback.format_exception_only(error)).strip()
            self.append(Problem(part, text))
