"""What all displays share: colours, axes, and texts that are shown literally."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.class_colours import CLASS_COLOURS, class_colour
from fuzzyucs._util.escaping import visible
from fuzzyucs._util.optional import import_matplotlib
from fuzzyucs.plots._ink import foreground

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "OKABE_ITO",
    "Array",
    "class_look",
    "class_marker",
    "figure_of",
    "label",
    "line_style",
    "literal",
    "new_axes",
    "panels",
    "show_legend",
    "wrapped",
]

Array = NDArray[np.float64]

# Colours that colour-blind people can tell apart (Okabe and Ito, 2008); dark ones first. Those of
# classes are in `class_colours`.
OKABE_ITO = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#E69F00", "#F0E442", "#000000"),
)
LINES = OKABE_ITO[:6]  # yellow lines are hard to see on white, black ones on black
HATCHES = ("", "...", "xxx", "***", "\\\\\\")  # for more classes than colours
MARKERS = ("o", "s", "^", "D", "v")  # for more classes than colours
STYLES = ("-", "--", ":", "-.")
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
    turn = index // len(CLASS_COLOURS)
    return {"facecolor": class_colour(index), "hatch": HATCHES[turn % len(HATCHES)]}


def class_marker(index: int) -> dict[str, Any]:
    """Return colour and shape of the points of a class, by its index."""
    turn = index // len(CLASS_COLOURS)
    return {"color": class_colour(index), "marker": MARKERS[turn % len(MARKERS)]}


def line_style(ax: Axes, kind: str) -> dict[str, Any]:
    """Return a colour and a style that no earlier line of this kind has."""
    number = sum(line.get_gid() == kind for line in ax.get_lines())
    colours = (*LINES, foreground(ax))
    turn, colour = divmod(number, len(colours))
    return {"color": colours[colour], "linestyle": STYLES[turn % len(STYLES)]}


def label(name: str | None, value: str | None) -> str:
    """Return a label of a line for the legend."""
    if name is None:
        return value or "_"  # a leading underscore keeps a line out of the legend
    return literal(name) if value is None else f"{literal(name)} ({value})"


def literal(text: Any) -> str:
    """Return text that matplotlib shows literally: no formula, not hidden for an underscore."""
    shown = visible(str(text)).replace("$", r"\$")
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
