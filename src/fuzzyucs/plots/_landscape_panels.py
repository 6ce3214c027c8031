"""Panels of a landscape: decision, masses, ignorance. Methods of `BeliefLandscapeDisplay`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs.plots._canvas import canvas_of
from fuzzyucs.plots._ink import shade
from fuzzyucs.plots._style import figure_of, panels, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from fuzzyucs.plots.landscape import BeliefLandscapeDisplay

__all__ = ["CAPTION", "MOST", "draw_panels", "plot_decision", "plot_ignorance", "plot_mass"]

LEAST = 1e-12  # least mass that is drawn differently from 0
MOST = 6  # classes that have a panel
PALE = 0.6  # of white in the colour of a region
CAPTION = 90  # letters in a line of a caption


def plot_decision(display: BeliefLandscapeDisplay, ax: Axes) -> AxesImage:
    """Draw the predicted classes.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.

    Returns
    -------
    matplotlib AxesImage
    """
    from matplotlib.colors import ListedColormap

    palette = ListedColormap(_pale(len(display.classes))).with_extremes(under="white")
    limits = {"vmin": -0.5, "vmax": len(display.classes) - 0.5}
    image = canvas_of(display).draw(ax, display.decision, cmap=palette, **limits)
    ax.set_title("decision")
    return image


def plot_mass(display: BeliefLandscapeDisplay, class_index: int, ax: Axes) -> AxesImage:
    """Draw the mass of a class.

    Parameters
    ----------
    class_index : int
        Index of the class.
    ax : matplotlib Axes
        Where to draw.

    Returns
    -------
    matplotlib AxesImage
    """
    image = canvas_of(display).draw(ax, display.mass[class_index], cmap="Greys", vmin=0, vmax=1)
    kind = "probability" if display.ignorance is None else "mass"
    ax.set_title(f"{kind} of {wrapped(display.classes[class_index], 20, 1)}")
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    return image


def plot_ignorance(display: BeliefLandscapeDisplay, ax: Axes) -> AxesImage:
    """Draw the mass of "I don't know", on a logarithmic scale.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.

    Returns
    -------
    matplotlib AxesImage
        Masses below 1e-12 are drawn as 1e-12.
    """
    from matplotlib.colors import LogNorm

    if display.ignorance is None:
        raise ValueError("the model has probabilities only, and no ignorance")
    ignorance = np.maximum(display.ignorance, LEAST)
    least = min(0.1, 10.0 ** np.floor(np.log10(ignorance.min())))
    image = canvas_of(display).draw(ax, ignorance, cmap="Greys", norm=LogNorm(least, 1))
    ax.set_title('mass of "I don\'t know"')
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    return image


def draw_panels(
    display: BeliefLandscapeDisplay, ax: Axes | Sequence[Axes] | None
) -> tuple[list[Axes], list[AxesImage]]:
    """Draw a panel for the decision, for classes with most mass, and for the ignorance."""
    n_panels = 1 + len(display.shown_) + (display.ignorance is not None)
    n_columns = n_panels if n_panels <= 3 else -(-n_panels // (-(-n_panels // 4)))
    axes = panels(ax, n_panels, n_columns=n_columns, size=(3.3, 3.0))
    images = [plot_decision(display, axes[0])]
    images += [
        plot_mass(display, class_index, panel)
        for class_index, panel in zip(display.shown_, axes[1:], strict=False)
    ]
    if display.ignorance is not None:
        images.append(plot_ignorance(display, axes[-1]))
    for i, panel in enumerate(axes):
        canvas_of(display).name_axes(panel, has_left=i % n_columns == 0)
    _show_classes(axes[0], display.classes, display.decision)
    if ax is None and display.caption:
        figure_of(axes).suptitle(wrapped(display.caption, CAPTION, 3), fontsize=9)
    return axes, images


def _show_classes(ax: Axes, classes: NDArray[Any], decision: NDArray[np.int64]) -> None:
    """Show a legend of the colours; of many classes, those that are predicted most."""
    from matplotlib.patches import Patch

    predicted, counts = np.unique(decision[decision >= 0], return_counts=True)
    known = range(len(classes))
    most = known if len(known) <= MOST else predicted[np.argsort(-counts, kind="stable")[:MOST]]
    colours, edge = _pale(len(classes)), shade(ax, 0.5)
    handles = [Patch(facecolor=colours[i], edgecolor=edge, lw=0.5) for i in sorted(most)]
    names = [wrapped(classes[i], 20, 1) for i in sorted(most)]
    ax.legend(handles, names, fontsize=7, framealpha=0.85, loc="best", handlelength=1.2)


def _pale(n_classes: int) -> list[tuple[float, float, float]]:
    """Return the colours of regions."""
    from matplotlib.colors import to_rgb

    colours = [to_rgb(class_colour(i)) for i in range(n_classes)]
    return [
        (PALE + (1 - PALE) * red, PALE + (1 - PALE) * green, PALE + (1 - PALE) * blue)
        for red, green, blue in colours
    ]
