"""Progress of a training run: what an epoch reports, and a bar for the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

__all__ = ["EpochReport", "ProgressBar"]


@dataclass(frozen=True)
class EpochReport:
    """What a training epoch did; given to the ``callback`` of ``fit`` after each epoch.

    Attributes
    ----------
    epoch : int
        Number of the epoch, from 1.
    epochs : int
        Number of epochs to come in all.
    n_rules : int
        Rules in the population (macro-rules).
    n_micro_rules : int
        Sum of their numerosities.
    n_covered : int
        Rules made by covering in this epoch.
    n_subsumed : int
        Rules absorbed by more general ones in this epoch.
    n_evolved : int
        Runs of the genetic algorithm in this epoch.
    """

    epoch: int
    epochs: int
    n_rules: int
    n_micro_rules: int
    n_covered: int
    n_subsumed: int
    n_evolved: int
    _score: Callable[[], float] = field(repr=False, compare=False)

    def training_accuracy(self) -> float:
        """Classify the training data with the rules as they are now. Costs time only if called.

        Returns
        -------
        float
            Share of correctly classified rows.
        """
        return self._score()


class ProgressBar:
    """Show the progress of training on a stream.

    A terminal or notebook gets one line that is rewritten; any other stream gets a line for
    every tenth of the work.

    Parameters
    ----------
    title : str
        What is under way.
    detailed : bool
        Whether to write a line with the training accuracy after each epoch instead.
    stream : file, optional
        Where to write; standard error by default.
    """

    _width = 30

    def __init__(self, title: str, *, detailed: bool = False, stream: TextIO | None = None) -> None:
        self.title = title
        self.detailed = detailed
        self.stream = sys.stderr if stream is None else stream
        self._start = time.monotonic()
        self._rewrites = "ipykernel" in sys.modules or self.stream.isatty()

    def __call__(self, report: EpochReport) -> None:
        """Show one epoch."""
        if self.detailed:
            accuracy = f", training accuracy {report.training_accuracy():.4f}"
            events = f", {report.n_covered} covered, {report.n_subsumed} subsumed"
            self._write(self._line(report) + events + accuracy + "\n")
        elif self._rewrites:
            self._write("\r" + self._line(report) + self._end(report))
        elif report.epoch * 10 // report.epochs > (report.epoch - 1) * 10 // report.epochs:
            self._write(self._line(report) + "\n")

    def _line(self, report: EpochReport) -> str:
        share = report.epoch / report.epochs
        filled = round(share * self._width)
        bar = "#" * filled + "." * (self._width - filled)
        left = (time.monotonic() - self._start) * (1 - share) / share
        return (
            f"{self.title} [{bar}] epoch {report.epoch}/{report.epochs}, "
            f"{report.n_rules} rules, {left:.1f} s left"
        )

    def _end(self, report: EpochReport) -> str:
        return "\n" if report.epoch == report.epochs else "    "

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
