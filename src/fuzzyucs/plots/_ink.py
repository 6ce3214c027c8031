"""Colours that follow the style in use, so that pictures can be read on light and dark grounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["background", "foreground", "shade"]

Colour = tuple[float, float, float]


def foreground(ax: Axes) -> Colour:
    """Return the colour of texts of an axes: black, unless the style has another."""
    from matplotlib.colors import to_rgb

    return to_rgb(ax.xaxis.label.get_color())


def background(ax: Axes) -> Colour:
    """Return the colour behind what is drawn: that of the axes, or of the figure behind it."""
    from matplotlib.colors import to_rgb, to_rgba

    colour = to_rgba(ax.get_facecolor())
    if colour[3] == 1:
        return colour[:3]
    behind = to_rgba(ax.figure.get_facecolor())
    below = behind[:3] if behind[3] else to_rgb("white")
    return _mixed(below, colour[:3], colour[3])


def shade(ax: Axes, amount: float) -> Colour:
    """Return a colour between ground and text.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw with it.
    amount : float
        From 0, the ground, to 1, the colour of texts.

    Returns
    -------
    tuple of float
        Red, green and blue.
    """
    return _mixed(background(ax), foreground(ax), amount)


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = ((1 - share) * a + share * b for a, b in zip(one, other, strict=True))
    return red, green, blue
