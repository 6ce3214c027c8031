"""Progress of a training run: what an epoch reports, and a bar for terminals and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self, TextIO

from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import duration
from fuzzyucs.estimators.progress_views import Stage, View, choose_view

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
    """Show the progress of work: a bar for each stage, with a label, which ends full.

    A notebook gets bars that are redrawn, a terminal a line that is rewritten, and any other stream
    a line for every tenth of the work.

    Parameters
    ----------
    detailed : bool
        Whether to write a line for each step instead.
    stream : file, optional
        Where to write; standard error by default, or the notebook that the work was begun in.
    n_stages : int
        Greatest number of stages, for a bar that this one is a part of.

    Examples
    --------
    >>> import sys
    >>> from fuzzyucs.progress import ProgressBar
    >>> with ProgressBar(stream=sys.stdout) as bar:
    ...     bar.begin("Counting")
    ...     for number in range(1, 4):
    ...         bar.show(number, 3, f"{number} sheep")
    Counting: 33 %, 1 sheep, ... s left
    Counting: 66 %, 2 sheep, ... s left
    Counting: 100 %, 3 sheep, ... s
    """

    def __init__(
        self, *, detailed: bool = False, stream: TextIO | None = None, n_stages: int = 1
    ) -> None:
        self.detailed = detailed
        self.n_stages = n_stages
        self._n_done = 0
        self._stage: Stage | None = None
        self._start = 0.0
        self._whole = _whole.get() if stream is None else None
        self._view: View = choose_view(sys.stderr if stream is None else stream, stream is None)

    def __repr__(self) -> str:
        stage = self._stage
        return short_repr(self, "no stage" if stage is None else f"{stage.label} {stage.percent}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end("done" if kind is None else "stopped")

    def __call__(self, report: EpochReport) -> None:
        """Show one epoch."""
        if self._stage is None:
            self.begin("Training")
        text = f"epoch {report.epoch} of {report.epochs}, {report.n_rules:,} rules"
        more = ""
        if self.detailed:
            accuracy = f", training accuracy {report.training_accuracy():.4f}"
            more = f", {report.n_covered} covered, {report.n_subsumed} subsumed{accuracy}"
        self.show(report.epoch, report.epochs, text, more)

    def begin(self, label: str) -> None:
        """Begin a stage; the one before is done.

        Parameters
        ----------
        label : str
            What is done in it.
        """
        self._end("done")
        self._start = time.monotonic()
        self._show(Stage(label))

    def show(self, done: int, total: int, text: str, more: str = "") -> None:
        """Show how much of a stage is done.

        Parameters
        ----------
        done, total : int
            Steps.
        text : str
            What to write behind the bar, before the time that is left.
        more : str
            What to write behind that, if `detailed`.
        """
        if self._stage is not None:
            self._show(replace(self._stage, share=done / total, text=text), more)

    @contextmanager
    def part(self, number: int, total: int, text: str) -> Iterator[None]:
        """Let bars that are made within the block move this one, instead of showing themselves.

        Parameters
        ----------
        number, total : int
            Which part of the stage it is, from 0, and of how many.
        text : str
            What to write behind the bar.
        """
        self.show(number, total, text)
        token = _whole.set(_Part(self, number, total, text))
        try:
            yield
        finally:
            _whole.reset(token)

    def close(self) -> None:
        """End the last stage, which is done; the end of a ``with`` block does so, too."""
        self._end("done")

    def _show(self, stage: Stage, more: str = "") -> None:
        stage = replace(stage, seconds=time.monotonic() - self._start)
        self._stage = stage
        if self._whole is not None:
            self._whole.show((self._n_done + stage.share) / self.n_stages, stage.label)
        elif self.detailed:
            if stage.text:
                self._view.write(f"{stage.words}{more}")
        else:
            self._view.show(stage)

    def _end(self, state: str) -> None:
        """End a stage, if there is one."""
        if self._stage is None:
            return
        seconds = time.monotonic() - self._start
        share = 1.0 if state == "done" else self._stage.share
        stage = replace(self._stage, state=state, share=share, seconds=seconds)
        self._n_done += 1
        self._stage = None
        if self._whole is not None:
            self._whole.show(self._n_done / self.n_stages, stage.label)
        elif self.detailed:
            self._view.write(f"{stage.label}: {state} after {duration(seconds)}")
        else:
            self._view.end(stage)


@dataclass(frozen=True)
class _Part:
    """The part of another bar's stage that a bar stands for."""

    bar: ProgressBar
    number: int
    total: int
    text: str

    def show(self, share: float, label: str) -> None:
        done = self.number + min(share, 1.0)
        label = f"{label[:1].lower()}{label[1:]}"
        self.bar.show(round(1000 * done), 1000 * self.total, f"{self.text}, {label}")


_whole: ContextVar[_Part | None] = ContextVar("_whole", default=None)
