"""What explains a landscape: the key of its colours, and the words in its dark region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter

from fuzzyucs._util.wording import percent
from fuzzyucs.plots._belief_colours import ON_UNKNOWN, UNKNOWN
from fuzzyucs.plots._canvas import Canvas
from fuzzyucs.plots._ink import foreground, shade
from fuzzyucs.plots._style import Array, class_look, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.text import Text

__all__ = ["draw_border", "show_key", "write_dont_know"]

DONT_KNOW = "I don't know"
DASHES = (0, (4, 2.5))
MOST_CLASSES = 12  # in the key
ROOMY = 1.6  # of the text: the least room that it needs
FONT_SIZE = 13.0
LETTER = 0.6  # width of a letter, of its size


def show_key(
    ax: Axes,
    canvas: Canvas,
    *,
    has_evidence: bool,
    is_average: bool,
    threshold: float | None,
    most: Sequence[int],
) -> Legend:
    """Show what the colours of a landscape mean, at its right.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of the landscape.
    canvas : Canvas
        Classes and points.
    has_evidence : bool
        Whether there are beliefs and ignorance, or probabilities only.
    is_average : bool
        Whether they are means over several records.
    threshold : float, optional
        Ignorance at the dashed line, if there is one.
    most : sequence of int
        Indices of the classes, those that the landscape shows most first.

    Returns
    -------
    matplotlib Legend
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    classes = canvas.classes
    edge: dict[str, Any] = {"edgecolor": shade(ax, 0.5), "linewidth": 0.6}
    shown = sorted(most[:MOST_CLASSES])
    entries: list[tuple[Any, str]] = [
        (Patch(**(edge | class_look(i))), wrapped(classes[i], 24, 2)) for i in shown
    ]
    if len(classes) > len(shown):
        entries.append((Patch(visible=False), f"and {len(classes) - len(shown)} more classes"))
    if is_average:
        entries.append((Patch(visible=False), "mixed colours: depends\non other features"))
    pale = "rules contradict\neach other" if has_evidence else "classes are about\nequally probable"
    entries.append((Patch(facecolor="white", **edge), f"pale: {pale}"))
    if has_evidence:
        entries.append((Patch(facecolor=UNKNOWN, **edge), f'dark: "{DONT_KNOW}"'))
    if threshold is not None:
        dashes = Line2D([], [], color=foreground(ax), linestyle=DASHES, linewidth=1.2)
        entries.append((dashes, f"{percent(threshold)} ignorance"))
    if len(canvas.points):
        has_labels = canvas.labels is not None
        look: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 6}
        look |= {"markerfacecolor": shade(ax, 0.6), "markeredgecolor": "white"}
        entries.append((Line2D([], [], **look), "records, by class" if has_labels else "records"))
    handles, labels = zip(*entries, strict=True)
    return ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0,
        frameon=False,
        fontsize=9,
        handlelength=1.6,
        labelspacing=0.7,
    )


def draw_border(ax: Axes, canvas: Canvas, ignorance: Array, threshold: float) -> bool:
    """Draw a dashed line where ignorance becomes too great for an answer.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of the landscape.
    canvas : Canvas
        The two features.
    ignorance : ndarray of shape (n_vertical, n_horizontal)
        Mass of "I don't know".
    threshold : float
        Ignorance at the line.

    Returns
    -------
    bool
        Whether there is a line: not among categories, nor if ignorance is nowhere or everywhere
        too great.
    """
    is_unknown = ignorance > threshold
    if not canvas.is_smooth or is_unknown.all() or not is_unknown.any():
        return False
    x, y = (axis.values for axis in canvas.features)
    look: dict[str, Any] = {"linestyles": [DASHES], "linewidths": 1.2, "zorder": 2}
    ax.contour(x, y, ignorance, [threshold], colors=[ON_UNKNOWN], **look)
    return True


def write_dont_know(ax: Axes, canvas: Canvas, is_unknown: NDArray[np.bool_]) -> Text | None:
    """Write "I don't know" where the landscape is dark and nothing else is in the way.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of the landscape, with limits.
    canvas : Canvas
        The two features and the points.
    is_unknown : ndarray of shape (n_vertical, n_horizontal)
        Where it is dark.

    Returns
    -------
    matplotlib Text or None
        None if there is no room.
    """
    coordinates = [axis.spots for axis in canvas.features]
    points = canvas.points
    shape = is_unknown.shape
    is_free = is_unknown.copy()
    points = points[~np.isnan(points).any(axis=1)]
    columns, rows = (
        np.abs(points[:, [axis]] - coordinates[axis]).argmin(axis=1) for axis in (0, 1)
    )
    is_free[rows, columns] = False
    box = ax.get_window_extent()
    per_point = ax.figure.dpi / 72
    width = ROOMY * LETTER * FONT_SIZE * len(DONT_KNOW) * per_point / box.width
    height = ROOMY * 1.4 * FONT_SIZE * per_point / box.height
    # Odd numbers of pixels have a middle one.
    size = [
        max(3, int(np.ceil(share * n)) | 1) for share, n in ((height, shape[0]), (width, shape[1]))
    ]
    fits = minimum_filter(is_free, size=size, mode="constant", cval=False)
    if not fits.any():
        return None
    found_rows, found_columns = np.nonzero(fits)
    # High and far right is where a title of a region is looked for.
    best = np.argmax(found_rows / shape[0] + 0.8 * found_columns / shape[1])
    x, y = coordinates[0][found_columns[best]], coordinates[1][found_rows[best]]
    look: dict[str, Any] = {"color": ON_UNKNOWN, "fontsize": FONT_SIZE, "style": "italic"}
    return ax.text(x, y, DONT_KNOW, ha="center", va="center", zorder=4, **look)
