"""The plane of two features as axes: an image, the data over it, and texts along both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.plots._plane import FeatureAxis
from fuzzyucs.plots._style import Array, class_marker, wrapped
from fuzzyucs.plots._ticks import name_ticks, plain_numbers, show_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from fuzzyucs.plots.landscape import BeliefLandscapeDisplay

__all__ = ["Canvas", "canvas_of"]

LETTER = 0.1  # width of a letter of a name along an axis, in inches


@dataclass(frozen=True, eq=False)
class Canvas:
    """What all panels of a landscape share.

    Parameters
    ----------
    features : tuple of two FeatureAxis
        The horizontal and the vertical feature.
    classes : ndarray of shape (n_classes,)
        Class labels.
    data : ndarray of shape (n_samples, 2), optional
        Data to draw over images.
    labels : ndarray of shape (n_samples,), optional
        Their true classes.
    """

    features: tuple[FeatureAxis, FeatureAxis]
    classes: NDArray[Any]
    data: Array | None
    labels: NDArray[Any] | None

    @property
    def is_smooth(self) -> bool:
        """Whether both features are numbers."""
        return not any(axis.terms for axis in self.features)

    @property
    def points(self) -> Array:
        """Where the data are drawn; NaN for missing values."""
        if self.data is None:
            return np.empty((0, 2))
        both = (axis.coordinates(self.data[:, i]) for i, axis in enumerate(self.features))
        return np.column_stack(list(both))

    def draw(self, ax: Axes, values: NDArray[Any], **look: Any) -> AxesImage:
        """Draw an image, and the data over it."""
        x, y = self.features
        extent = (*x.edges, *y.edges)
        image = ax.imshow(values, origin="lower", extent=extent, aspect="auto", **look)
        self._draw_points(ax)
        ax.set(xlim=x.limits, ylim=y.limits)
        ax.grid(visible=False)
        for axis, drawn in ((x, ax.xaxis), (y, ax.yaxis)):
            if axis.terms:
                name_ticks(drawn, axis.terms)
            elif axis.scale is not None:
                show_times(drawn, axis.scale)
                drawn.set_tick_params(labelrotation=30 if drawn is ax.xaxis else 0, labelsize=8)
            else:
                plain_numbers(drawn)
        return image

    def name_axes(self, ax: Axes, *, has_left: bool = True) -> None:
        """Write the names of both features; that of the vertical one only at the left."""
        box, letter = ax.get_window_extent(), LETTER * ax.figure.dpi
        ax.set_xlabel(wrapped(self.features[0].name, int(box.width / letter), 3))
        if has_left:
            ax.set_ylabel(wrapped(self.features[1].name, int(box.height / letter), 3))

    def _draw_points(self, ax: Axes) -> None:
        points = self.points
        size = float(np.clip(3000 / max(len(points), 1), 7, 22))
        look: dict[str, Any] = {"s": size, "edgecolors": "white", "zorder": 3}
        look["linewidths"] = 0.16 * size**0.5
        if self.labels is None:
            ax.scatter(points[:, 0], points[:, 1], color="black", **look)
            return
        for index, label in enumerate(self.classes):
            own = points[self.labels == label]
            ax.scatter(own[:, 0], own[:, 1], **class_marker(index), **look)


def canvas_of(display: BeliefLandscapeDisplay) -> Canvas:
    """Return what the panels of a landscape share."""
    return Canvas(display.features, display.classes, display.points, display.labels)
