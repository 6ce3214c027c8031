"""Reports on the flagship's search, and how a user ends it early."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fuzzyucs.estimators.stage import Stage

__all__ = ["SizeReport", "Watch"]


@dataclass(frozen=True)
class SizeReport:
    """What the search has found with one penalty; given to the ``callback`` of ``fit``.

    Attributes
    ----------
    terms : {"narrow", "broad"}
        The terms in which rules grow: few rows are searched in both.
    penalty : float
        Evidence that a rule must have to be taken; it falls from report to report.
    n_rules : float
        Rules, as a mean over folds.
    log_loss : float
        Of held-out rows.
    accuracy : float
        Of held-out rows.
    seconds : float
        Since the search began.
    """

    terms: Literal["narrow", "broad"]
    penalty: float
    n_rules: float
    log_loss: float
    accuracy: float
    seconds: float


class Watch:
    """Tells a callback about the search.

    Parameters
    ----------
    callback : callable, optional
        Takes a `SizeReport`. Once it returns something true, the search ends with the best that it
        has found.

    Attributes
    ----------
    is_stopped : bool
        Whether the callback has ended the search.
    """

    def __init__(self, callback: Callable[[SizeReport], Any] | None = None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, got {type(callback).__name__}")
        self.is_stopped = False
        self._callback = callback
        self._start = time.monotonic()

    def report(self, stage: Stage, *, is_broad: bool) -> None:
        """Report a stage."""
        if self._callback is None:
            return
        found = SizeReport(
            "broad" if is_broad else "narrow",
            stage.penalty,
            stage.n_rules,
            stage.log_loss,
            stage.accuracy,
            time.monotonic() - self._start,
        )
        self.is_stopped = bool(self._callback(found))
