"""Progress of a training run: what an epoch reports, and a bar for the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

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
    model : FuzzyUCSClassifier or UCSClassifier
        The classifier as it is now, fitted and independent of the training that goes on: score it
        on validation data, look at its rules, keep it.
    """

    epoch: int
    epochs: int
    n_rules: int
    n_micro_rules: int
    n_covered: int
    n_subsumed: int
    n_evolved: int
    model: Any = field(repr=False)
    _score: Callable[[], float] = field(repr=False, compare=False)

    def training_accuracy(self) -> float:
        """Classify the training data with the rules of this epoch. Costs time only if called.

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
    detailed : bool
        Whether to write a line with the training accuracy after each epoch instead.
    stream : file, optional
        Where to write; standard error by default.
    """

    _width = 20

    def __init__(self, *, detailed: bool = False, stream: TextIO | None = None) -> None:
        self.detailed = detailed
        self.stream = sys.stderr if stream is None else stream
        self._start = time.monotonic()
        self._rewrites = not detailed and ("ipykernel" in sys.modules or self.stream.isatty())
        self._open_line = ""

    def __call__(self, report: EpochReport) -> None:
        """Show one epoch."""
        text = f"epoch {report.epoch}/{report.epochs}, {report.n_rules} rules"
        more = ""
        if self.detailed:
            accuracy = f", training accuracy {report.training_accuracy():.4f}"
            more = f", {report.n_covered} covered, {report.n_subsumed} subsumed{accuracy}"
        self.show(report.epoch, report.epochs, text, more)

    def show(self, done: int, total: int, text: str, more: str = "") -> None:
        """Show how much of the work is done.

        Parameters
        ----------
        done, total : int
            Steps.
        text : str
            What to write behind the bar, before the time that is left.
        more : str
            What to write behind that, if `detailed`.
        """
        line = self._line(done / total, text)
        if self.detailed:
            self._write(line + more + "\n")
        elif self._rewrites:
            self._write("\r" + line.ljust(len(self._open_line)))
            self._open_line = line
        elif done * 10 // total > (done - 1) * 10 // total:
            self._write(line + "\n")

    def close(self) -> None:
        """End the line, so that whatever is written next starts on its own."""
        if self._open_line:
            self._write("\n")
            self._open_line = ""

    def _line(self, share: float, text: str) -> str:
        filled = round(share * self._width)
        bar = "#" * filled + "." * (self._width - filled)
        left = (time.monotonic() - self._start) * (1 - share) / share
        return f"[{bar}] {text}, {left:.1f} s left"

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
