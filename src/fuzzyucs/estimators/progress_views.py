"""Where progress is shown: in a terminal, a notebook, or a file."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol, TextIO

from fuzzyucs._util.wording import duration
from fuzzyucs._util.wrapping import n_cells, terminal_width

__all__ = ["LogView", "NotebookView", "Stage", "TerminalView", "View", "choose_view"]

LABEL = 20  # cells of a terminal
TEXT = 48  # for numbers and words beside the bar
MOST_BAR, LEAST_BAR = 24, 8


@dataclass(frozen=True)
class Stage:
    """A stage of work.

    Attributes
    ----------
    label : str
        What is done in it.
    share : float
        How much of it is done, from 0 to 1.
    text : str
        What to say about it.
    seconds : float
        How long it has taken so far.
    state : {"under way", "done", "stopped"}
        Whether it goes on, is done, or ended without being done.
    """

    label: str
    share: float = 0.0
    text: str = ""
    seconds: float = 0.0
    state: str = "under way"

    @property
    def n_percent(self) -> int:
        """How much is done; nothing else than all of it is 100 %."""
        return math.floor(100 * self.share + 1e-9)

    @property
    def percent(self) -> str:
        """How much is done, in words."""
        return f"{self.n_percent} %"

    @property
    def time(self) -> str:
        """How long it took, or is going to take."""
        if self.state == "done":
            return duration(self.seconds)
        if self.state == "stopped":
            return f"stopped after {duration(self.seconds)}"
        if not 0 < self.share < 1:
            return ""
        return f"about {duration(self.seconds * (1 - self.share) / self.share)} left"

    @property
    def words(self) -> str:
        """All of it in one line."""
        return f"{self.label}: {', '.join(filter(None, [self.percent, self.text, self.time]))}"


class View(Protocol):
    """What shows stages."""

    def show(self, stage: Stage) -> None:
        """Show a stage that is under way."""

    def end(self, stage: Stage) -> None:
        """Show a stage that is done, or ended otherwise."""

    def write(self, text: str) -> None:
        """Write a line."""


class LogView:
    """Writes a line for every tenth of the work.

    Parameters
    ----------
    stream : file
        Where to write.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._tenth = 0

    def show(self, stage: Stage) -> None:
        """Write a line, if another tenth is done and not all."""
        tenth = math.floor(10 * stage.share)
        if self._tenth < tenth < 10:
            self.write(stage.words)
        self._tenth = tenth

    def end(self, stage: Stage) -> None:
        """Write the last line of a stage."""
        self.write(stage.words)
        self._tenth = 0

    def write(self, text: str) -> None:
        """Write a line."""
        self.stream.write(f"{text}\n")
        self.stream.flush()


class TerminalView(LogView):
    """Rewrites a line, and leaves one for each stage that has ended.

    Parameters
    ----------
    stream : file
        A terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._n_written = 0

    def show(self, stage: Stage) -> None:
        """Rewrite the line."""
        self._rewrite(stage)
        self.stream.flush()

    def end(self, stage: Stage) -> None:
        """Rewrite the line for the last time."""
        self._rewrite(stage)
        self._n_written = 0
        self.write("")

    def _rewrite(self, stage: Stage) -> None:
        # A line that is as wide as the terminal, or wider, could not be rewritten.
        width = terminal_width(self.stream) - 1
        line = bar_line(stage, width, self.stream.encoding or "ascii")
        self.stream.write("\r" + line + " " * (self._n_written - n_cells(line)))
        self._n_written = n_cells(line)


def bar_line(stage: Stage, width: int, encoding: str = "utf-8") -> str:
    """Draw a bar with its label, in one line.

    Parameters
    ----------
    stage : Stage
        What to show.
    width : int
        Greatest number of cells.
    encoding : str
        What the bar is drawn with must be in it.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.estimators.progress_views import Stage, bar_line
    >>> print(bar_line(Stage("Training", 0.5, "epoch 5 of 10", 3.0), 80, "ascii"))
    Training              ######......   50 %  epoch 5 of 10, about 3.0 s left
    >>> print(bar_line(Stage("Training", 1.0, "epoch 10 of 10", 6.0, "done"), 50, "ascii"))
    Training              ########  100 %  6.0 s
    """
    label = stage.label + " " * (LABEL - n_cells(stage.label))
    # The length depends on the width alone, so that the bars of stages are equally long.
    length = min(MOST_BAR, max(LEAST_BAR, width - LABEL - TEXT))
    full, empty = _strokes(encoding)
    n_full = math.floor(stage.share * length)
    line = f"{label}  {full * n_full}{empty * (length - n_full)}  {stage.percent:>5}"
    shorter = [stage.time] if stage.state != "under way" else [stage.text, stage.time]
    for text in (", ".join(filter(None, [stage.text, stage.time])), *shorter):
        if n_cells(f"{line}  {text}") <= width:
            return f"{line}  {text}".rstrip()
    while n_cells(line) > max(width, 0):
        line = line[:-1]
    return line


def _strokes(encoding: str) -> tuple[str, str]:
    try:
        "━─".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "#", "."
    return "━", "─"


class NotebookView:
    """Draws a bar for each stage below the cell of a notebook, one below the other.

    Parameters
    ----------
    stream : file
        Where to write lines.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._ended: list[Stage] = []
        self._handle: Any = None

    def show(self, stage: Stage) -> None:
        """Redraw the bars, with that of a stage that is under way."""
        self._draw([*self._ended, stage])

    def end(self, stage: Stage) -> None:
        """Redraw the bars, and keep that of the stage as it is."""
        self._ended.append(stage)
        self._draw(self._ended)

    def write(self, text: str) -> None:
        """Write a line."""
        self.stream.write(f"{text}\n")

    def _draw(self, stages: list[Stage]) -> None:
        from IPython.display import display

        shown = {
            "text/html": bars_html(stages),
            "text/plain": "\n".join(stage.words for stage in stages),
        }
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def bars_html(stages: list[Stage]) -> str:
    """Draw bars with their labels as HTML, in the colours of the page around it."""
    cell = "padding:.1em .8em .1em 0;text-align:left;border:0;background:none"
    rows = "".join(
        f"<tr style='background:none'><td style='{cell};white-space:nowrap'>{escape(stage.label)}"
        f"</td><td style='{cell}'><div role='progressbar' aria-valuemin='0' aria-valuemax='100' "
        f"aria-valuenow='{stage.n_percent}' aria-label='{escape(stage.label)}' "
        "style='width:14em;height:.7em;border:1px solid currentColor;border-radius:.2em'>"
        f"<div style='height:100%;width:{100 * stage.share:.1f}%;background:currentColor;"
        f"opacity:{0.6 if stage.state == 'done' else 0.4}'></div></div></td>"
        f"<td style='{cell};text-align:right;white-space:nowrap'>{stage.percent}</td>"
        f"<td style='{cell}'>{escape(', '.join(filter(None, [stage.text, stage.time])))}</td></tr>"
        for stage in stages
    )
    table = "border-collapse:collapse;border:0;margin:0;font-variant-numeric:tabular-nums"
    return f"<table style='{table}'>{rows}</table>"


def choose_view(stream: TextIO, may_be_notebook: bool) -> View:
    """Return where to show progress.

    Parameters
    ----------
    stream : file
        Where to write if there is no notebook.
    may_be_notebook : bool
        Whether a notebook is used if the work was begun in one.

    Returns
    -------
    View
    """
    if may_be_notebook and _is_in_notebook():
        return NotebookView(stream)
    return TerminalView(stream) if stream.isatty() else LogView(stream)


def _is_in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")
