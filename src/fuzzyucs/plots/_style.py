"""What all displays share: colours, axes, and texts that are shown literally."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_matplotlib
from fuzzyucs.variables.times import SIZES, TimeScale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "FILLS",
    "LINES",
    "OKABE_ITO",
    "Array",
    "class_look",
    "figure_of",
    "label",
    "line_style",
    "literal",
    "new_axes",
    "panels",
    "show_legend",
    "show_times",
    "wrapped",
]

Array = NDArray[np.float64]

# Colours that colour-blind people can tell apart (Okabe and Ito, 2008); dark ones first.
OKABE_ITO = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#E69F00", "#F0E442", "#000000"),
)
LINES = tuple(colour for colour in OKABE_ITO if colour != "#F0E442")  # yellow lines are hard to see
FILLS = OKABE_ITO[:-1]  # black looks like novelty
HATCHES = ("", "...", "xxx", "***", "\\\\\\")  # for more classes than colours
STYLES = ("-", "--", ":", "-.")
LEAST_TICKS, MOST_TICKS = 2, 4  # of an axis of dates, whose texts are long
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000)
MULTIPLES = (1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000)
BREAK = "\N{ZERO WIDTH SPACE}"


def new_axes(**kwargs: Any) -> Axes:
    """Return the axes of a new figure."""
    ax: Axes = import_matplotlib().subplots(layout="constrained", **kwargs)[1]
    return ax


def panels(
    ax: Axes | Sequence[Axes] | NDArray[Any] | None,
    n_panels: int,
    *,
    n_columns: int,
    size: tuple[float, float],
    widths: Sequence[float] | None = None,
) -> list[Axes]:
    """Return axes for several panels.

    Parameters
    ----------
    ax : matplotlib Axes, sequence of Axes or None
        None makes a new figure, one Axes is divided, and as many as there are panels are used.
    n_panels : int
        Number of panels.
    n_columns : int
        Number of panels side by side.
    size : tuple of float
        Mean width and height of panels of a new figure, in inches.
    widths : sequence of float, optional
        Relative widths of the columns; by default all are equal.

    Returns
    -------
    list of matplotlib Axes
    """
    n_columns = min(n_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    if ax is None:
        pyplot = import_matplotlib()
        shape = (size[0] * n_columns, size[1] * n_rows)
        figure: Figure | SubFigure = pyplot.figure(figsize=shape, layout="constrained")
        grid: Any = figure.add_gridspec(n_rows, n_columns, width_ratios=widths)
    elif isinstance(ax, Sequence | np.ndarray):
        given = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(given) != n_panels:
            raise ValueError(f"{n_panels} axes are needed, got {len(given)}")
        return given
    elif n_panels == 1:
        return [ax]
    else:
        figure, cell = ax.figure, ax.get_subplotspec()
        if cell is None:
            raise ValueError(f"axes outside of a grid cannot be divided; give {n_panels} axes")
        ax.set_axis_off()
        grid = cell.subgridspec(n_rows, n_columns, width_ratios=widths)
    return [figure.add_subplot(grid[divmod(i, n_columns)]) for i in range(n_panels)]


def figure_of(axes: Sequence[Axes]) -> Figure | SubFigure:
    """Return the figure that contains axes."""
    return axes[0].figure


def class_look(index: int) -> dict[str, Any]:
    """Return colour and hatch of a class, by its index."""
    turn, colour = divmod(index, len(FILLS))
    return {"facecolor": FILLS[colour], "hatch": HATCHES[turn % len(HATCHES)]}


def line_style(ax: Axes, kind: str) -> dict[str, Any]:
    """Return a colour and a style that no earlier line of this kind has."""
    number = sum(line.get_gid() == kind for line in ax.get_lines())
    turn, colour = divmod(number, len(LINES))
    return {"color": LINES[colour], "linestyle": STYLES[turn % len(STYLES)]}


def label(name: str | None, value: str | None) -> str:
    """Return a label of a line for the legend."""
    if name is None:
        return value or "_"  # a leading underscore keeps a line out of the legend
    return literal(name) if value is None else f"{literal(name)} ({value})"


def literal(text: Any) -> str:
    """Return text that matplotlib shows literally: no formula, not hidden for an underscore."""
    shown = str(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def wrapped(text: Any, width: int, max_lines: int | None = None) -> str:
    """Return text in lines of limited width, shown literally."""
    parts = str(text).replace("_", f"_{BREAK} ")  # names in one word may be broken, too
    lines = textwrap.wrap(parts, width, max_lines=max_lines, placeholder=" ...")
    return literal("\n".join(lines).replace(f"{BREAK} ", "").replace(BREAK, ""))


def show_legend(ax: Axes) -> None:
    """Show a legend with each name once: displays that share axes also share the diagonal."""
    handles, labels = ax.get_legend_handles_labels()
    first = dict(zip(reversed(labels), reversed(handles), strict=True))
    if first:
        names = list(dict.fromkeys(labels))
        ax.legend([first[name] for name in names], names)


def show_times(axis: Any, scale: TimeScale) -> None:
    """Mark an axis of seconds at round dates or durations.

    Parameters
    ----------
    axis : matplotlib Axis
        An axis with limits.
    scale : TimeScale
        How seconds stand for dates or durations.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter

    low, high = map(float, sorted(axis.get_view_interval()))
    ticks = _month_ticks(scale, low, high) or _unit_ticks(scale, low, high)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: scale.write(float(value))))


def _unit_ticks(scale: TimeScale, low: float, high: float) -> list[float]:
    """Return times between two, a round number of a unit apart."""
    sizes = [(unit, n * size / SIZES["second"]) for unit, size in SIZES.items() for n in MULTIPLES]
    fitting = [(step, unit) for unit, step in sizes if (high - low) / step <= MOST_TICKS]
    step, unit = min(fitting, default=((high - low) / 2, scale.unit))
    wanted = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    ticks = {scale.rounded(value, unit) for value in wanted.tolist()}
    return sorted(tick for tick in ticks if low <= tick <= high)


def _month_ticks(scale: TimeScale, low: float, high: float) -> list[float]:
    """Return the first days of months or years; none of durations, and of a few days."""
    first, last = scale.label(low), scale.label(high)
    if not (isinstance(first, datetime) and isinstance(last, datetime)):
        return []
    begin, end = (12 * day.year + day.month - 1 for day in (first, last))
    step = next((n for n in MONTHS if (end - begin) / n <= MOST_TICKS), MONTHS[-1])
    months = range(begin // step * step, end + 1, step)
    days = [datetime(m // 12, m % 12 + 1, 1, tzinfo=first.tzinfo) for m in months if m >= 12]
    ticks = [tick for tick in map(scale.number, days) if low <= tick <= high]
    return ticks if len(ticks) >= LEAST_TICKS else []
