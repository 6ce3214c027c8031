"""Landscape: decisions and belief masses of a model over two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs.plots import _style
from fuzzyucs.plots._belief_colours import ON_UNKNOWN, belief_colours, division
from fuzzyucs.plots._ink import shade
from fuzzyucs.plots._landscape_key import show_key, write_dont_know
from fuzzyucs.plots._plane import FeatureAxis, Limits, Others, evaluate_plane
from fuzzyucs.plots._style import Array, class_marker, figure_of, new_axes, wrapped
from fuzzyucs.plots._ticks import name_ticks, plain_numbers, show_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

__all__ = ["BeliefLandscapeDisplay", "FeatureAxis"]

LEAST = 1e-12  # least mass that is drawn differently from 0
MOST = 6  # classes that have a panel
PALE = 0.6  # of white in the colour of a region
CAPTION = 90  # letters in a line
LETTER = 0.1  # width of a letter of a name along an axis, in inches
DASHES = (0, (4, 2.5))


class BeliefLandscapeDisplay:
    r"""What a model believes over two features, and where it says "I don't know".

    One picture: the hue is that of the class that is believed, pale where rules contradict each
    other, dark grey where the model does not know; a dashed line is where ignorance is too great
    for an answer. Other features are held at some value, or the evidence is averaged over records.
    Models without evidence have probabilities instead, and no ignorance. Create it by
    `from_estimator`. With ``panels=True``, or several axes, there are panels instead, like the
    article's Figures 4 to 6: decision, mass of each class, ignorance. `plot_belief`,
    `plot_decision`, `plot_mass` and `plot_ignorance` draw single panels.

    Parameters
    ----------
    features : tuple of two FeatureAxis
        The horizontal and the vertical feature.
    classes : ndarray of shape (n_classes,)
        Class labels.
    decision : ndarray of shape (n_vertical, n_horizontal)
        Index of the predicted class, -1 for none of them.
    mass : ndarray of shape (n_classes, n_vertical, n_horizontal)
        Masses of the classes, or probabilities.
    ignorance : ndarray of shape (n_vertical, n_horizontal), optional
        Mass of "I don't know". None: `mass` holds probabilities.
    points : ndarray of shape (n_samples, 2), optional
        Data to draw over it.
    labels : ndarray of shape (n_samples,), optional
        Their true classes.
    held : dict, optional
        Values at which the other features are held, by name; categories and dates as text.
    torn : ndarray of shape (n_vertical, n_horizontal), optional
        How pale the picture is: how alike the two greatest beliefs are, times the contradiction
        between rules; by default the former alone.
    threshold : float, default=0.5
        Ignorance at the dashed line.
    is_average : bool, default=False
        Whether all of it is a mean over several records.
    caption : str, default=""
        What is written above: what was done with the other features.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The axes; of panels: decision, classes, ignorance.
    figure_ : matplotlib Figure
        Figure of the axes.
    images_ : list of matplotlib AxesImage
        Images of the panels.
    shown_ : list of int
        Indices of the classes that have a panel: at most six, those with most mass. Without
        panels, all classes.
    text_ : matplotlib Text or None
        The words "I don't know" in the dark region, if there is room.

    See Also
    --------
    fuzzyucs.Evidence : The numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.datasets import make_clouds
    >>> from fuzzyucs.plots import BeliefLandscapeDisplay
    >>> X, y = make_clouds(random_state=0)
    >>> clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    >>> display = BeliefLandscapeDisplay.from_estimator(
    ...     clf, X, y=y, resolution=20, ax=Figure().subplots()
    ... )
    >>> display.images_[0].get_array().shape
    (20, 20, 3)
    >>> panels = BeliefLandscapeDisplay.from_estimator(
    ...     clf, X, y=y, resolution=20, ax=Figure().subplots(1, 4)
    ... )
    >>> [panel.get_title() for panel in panels.axes_]
    ['decision', 'mass of 0', 'mass of 1', 'mass of "I don\'t know"']
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    images_: list[AxesImage]
    shown_: list[int]
    text_: Text | None

    def __init__(
        self,
        features: tuple[FeatureAxis, FeatureAxis],
        classes: NDArray[Any],
        decision: NDArray[np.int64],
        mass: Array,
        ignorance: Array | None = None,
        *,
        points: Array | None = None,
        labels: NDArray[Any] | None = None,
        held: Mapping[str, Any] | None = None,
        torn: Array | None = None,
        threshold: float = 0.5,
        is_average: bool = False,
        caption: str = "",
    ) -> None:
        self.features = features
        self.classes = classes
        self.decision = decision
        self.mass = mass
        self.ignorance = ignorance
        self.points = points
        self.labels = labels
        self.held = held
        self.torn = torn
        self.threshold = threshold
        self.is_average = is_average
        self.caption = caption

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Others | None = None,
        resolution: int = 150,
        limits: Limits = (None, None),
        panels: bool | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the beliefs of a classifier.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_evidence``, also as last step of a pipeline, or ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Data to draw over the landscape. They also determine its limits and the values at which
            the other features are held.
        features : tuple of int or str, default=(0, 1)
            The horizontal and the vertical feature, by index or name.
        y : array-like of shape (n_samples,), optional
            Class labels of the data.
        at : dict, record or "average", optional
            The other features. A dict has values by index or name; NaN is a missing value. A record
            is a table with one row, like X. "average": at each point, the mean of the evidence
            about the records of X, of more than fifty of them fifty that are evenly spread over
            X. By default, and where a dict says nothing, the median, or the most frequent value of
            nominal features and those with few values.
        resolution : int, default=150
            Points along each axis. A nominal feature has a stripe for each value instead.
        limits : tuple of two tuples, default=(None, None)
            Least and greatest value along each axis; None is the range of the data and a margin.
        panels : bool, optional
            Whether to draw a panel for each part of the evidence; by default if several axes are
            given.
        ax : matplotlib Axes or sequence of them, optional
            Where to draw; panels divide one, or need one each. By default a new figure.

        Returns
        -------
        BeliefLandscapeDisplay
        """
        shown = cls.of(estimator, X, features, y, at=at, resolution=resolution, limits=limits)
        return shown.plot(ax=ax, panels=panels)

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Others | None = None,
        resolution: int = 150,
        limits: Limits = (None, None),
    ) -> Self:
        """Evaluate a classifier without drawing.

        Parameters
        ----------
        estimator, X, features, y, at, resolution, limits
            As in `from_estimator`.

        Returns
        -------
        BeliefLandscapeDisplay
        """
        plane = evaluate_plane(estimator, X, features, at, resolution, limits)
        return cls(
            plane.features,
            plane.classes,
            plane.decision,
            plane.mass,
            plane.ignorance,
            points=plane.points,
            labels=None if y is None else np.asarray(y),
            held=plane.held,
            torn=plane.torn,
            threshold=plane.threshold,
            is_average=plane.is_average,
            caption=plane.caption,
        )

    def plot(self, ax: Axes | Sequence[Axes] | None = None, *, panels: bool | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Where to draw; panels divide one, or need one each. By default a new figure.
        panels : bool, optional
            Whether to draw a panel for each part of the evidence; by default if several axes are
            given.

        Returns
        -------
        BeliefLandscapeDisplay
            The display itself.
        """
        given = list(np.ravel(np.asarray([] if ax is None else ax, dtype=object)))
        if panels or (panels is None and len(given) > 1):
            return self._plot_panels(ax)
        if len(given) > 1:
            raise ValueError(f"one axes is needed, got {len(given)}; panels=True takes several")
        panel: Axes = given[0] if given else new_axes(figsize=(7.6, 5.0))
        self.axes_, self.figure_ = [panel], panel.figure
        self.shown_ = list(range(len(self.classes)))
        self.images_ = [self.plot_belief(panel)]
        self._name_axes(panel)
        if self.caption:
            panel.set_title(wrapped(self.caption, CAPTION, 3), fontsize=9, loc="left")
        return self

    def _plot_panels(self, ax: Axes | Sequence[Axes] | None) -> Self:
        means = self.mass.mean(axis=(1, 2))
        self.shown_ = sorted(np.argsort(-means, kind="stable")[:MOST].tolist())
        n_panels = 1 + len(self.shown_) + (self.ignorance is not None)
        n_columns = n_panels if n_panels <= 3 else -(-n_panels // (-(-n_panels // 4)))
        axes = _style.panels(ax, n_panels, n_columns=n_columns, size=(3.3, 3.0))
        images = [self.plot_decision(axes[0])]
        images += [
            self.plot_mass(class_index, panel)
            for class_index, panel in zip(self.shown_, axes[1:], strict=False)
        ]
        if self.ignorance is not None:
            images.append(self.plot_ignorance(axes[-1]))
        for i, panel in enumerate(axes):
            self._name_axes(panel, has_left=i % n_columns == 0)
        self.axes_, self.figure_, self.images_, self.text_ = axes, figure_of(axes), images, None
        _show_classes(axes[0], self.classes, self.decision)
        if ax is None and self.caption:
            self.figure_.suptitle(wrapped(self.caption, CAPTION, 3), fontsize=9)
        return self

    def plot_belief(self, ax: Axes) -> AxesImage:
        """Draw beliefs, contradiction and ignorance as one colour, and explain it.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.

        Returns
        -------
        matplotlib AxesImage
        """
        ignorance = np.zeros(self.mass.shape[1:]) if self.ignorance is None else self.ignorance
        torn = division(self.mass) if self.torn is None else self.torn
        colours = belief_colours(self.mass, ignorance, torn)
        is_smooth = not any(axis.terms for axis in self.features)
        image = self._draw(ax, colours, interpolation="bilinear" if is_smooth else "nearest")
        is_unknown = ignorance > self.threshold
        has_border = bool(is_unknown.any() and not is_unknown.all())
        if has_border and is_smooth:
            x, y = (axis.values for axis in self.features)
            look: dict[str, Any] = {"linestyles": [DASHES], "linewidths": 1.2, "zorder": 2}
            ax.contour(x, y, ignorance, [self.threshold], colors=[ON_UNKNOWN], **look)
        points = self._drawn_points()
        spots = tuple(axis.spots for axis in self.features)
        self.text_ = write_dont_know(ax, is_unknown, points, (spots[0], spots[1]))
        has_labels = self.labels is not None
        means = self.mass.mean(axis=(1, 2))
        show_key(
            ax,
            list(self.classes),
            has_evidence=self.ignorance is not None,
            is_average=self.is_average,
            threshold=self.threshold if has_border and is_smooth else None,
            points="" if not len(points) else "records, by class" if has_labels else "records",
            most=np.argsort(-means, kind="stable").tolist(),
        )
        return image

    def plot_decision(self, ax: Axes) -> AxesImage:
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

        palette = ListedColormap(_pale(len(self.classes))).with_extremes(under="white")
        limits = {"vmin": -0.5, "vmax": len(self.classes) - 0.5}
        image = self._draw(ax, self.decision, cmap=palette, **limits)
        ax.set_title("decision")
        return image

    def plot_mass(self, class_index: int, ax: Axes) -> AxesImage:
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
        image = self._draw(ax, self.mass[class_index], cmap="Greys", vmin=0, vmax=1)
        kind = "probability" if self.ignorance is None else "mass"
        ax.set_title(f"{kind} of {wrapped(self.classes[class_index], 20, 1)}")
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
        return image

    def plot_ignorance(self, ax: Axes) -> AxesImage:
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

        if self.ignorance is None:
            raise ValueError("the model has probabilities only, and no ignorance")
        ignorance = np.maximum(self.ignorance, LEAST)
        least = min(0.1, 10.0 ** np.floor(np.log10(ignorance.min())))
        image = self._draw(ax, ignorance, cmap="Greys", norm=LogNorm(least, 1))
        ax.set_title('mass of "I don\'t know"')
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
        return image

    def _draw(self, ax: Axes, values: NDArray[Any], **look: Any) -> AxesImage:
        """Draw a panel, and the data over it."""
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

    def _name_axes(self, ax: Axes, *, has_left: bool = True) -> None:
        box, letter = ax.get_window_extent(), LETTER * ax.figure.dpi
        ax.set_xlabel(wrapped(self.features[0].name, int(box.width / letter), 3))
        if has_left:
            ax.set_ylabel(wrapped(self.features[1].name, int(box.height / letter), 3))

    def _drawn_points(self) -> Array:
        """Return where points are drawn."""
        if self.points is None:
            return np.empty((0, 2))
        both = (axis.coordinates(self.points[:, i]) for i, axis in enumerate(self.features))
        return np.column_stack(list(both))

    def _draw_points(self, ax: Axes) -> None:
        points = self._drawn_points()
        size = float(np.clip(3000 / max(len(points), 1), 7, 22))
        look: dict[str, Any] = {"s": size, "edgecolors": "white", "zorder": 3}
        look["linewidths"] = 0.16 * size**0.5
        if self.labels is None:
            ax.scatter(points[:, 0], points[:, 1], color="black", **look)
            return
        for index, label in enumerate(self.classes):
            own = points[self.labels == label]
            ax.scatter(own[:, 0], own[:, 1], **class_marker(index), **look)


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
