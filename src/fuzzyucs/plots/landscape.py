"""Landscape: decisions and belief masses of a model over two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs.plots._plane import FeatureAxis, Limits, evaluate_plane
from fuzzyucs.plots._style import FILLS, Array, figure_of, literal, panels, show_times, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

__all__ = ["BeliefLandscapeDisplay", "FeatureAxis"]

LEAST = 1e-12  # least mass that is drawn differently from 0
MOST = 6  # classes that have a panel
MOST_HELD = 4  # features whose values are written above the panels
MARKERS = ("o", "s", "^", "D", "v")  # for more classes than colours
PALE = 0.6  # of white in the colour of a region


class BeliefLandscapeDisplay:
    r"""Decisions, masses of the classes and of "I don't know" over two features.

    Like the article's Figures 4 to 6, for any model and any two features; the others are held at
    some value. Models without evidence have probabilities instead, and no ignorance. Create it by
    `from_estimator`. `plot` draws all panels, `plot_decision`, `plot_mass` and `plot_ignorance`
    draw single panels.

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
        Values at which the other features are held, by name; dates as text.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panels: decision, classes, ignorance.
    figure_ : matplotlib Figure
        Figure of the axes.
    images_ : list of matplotlib AxesImage
        Images of the panels.
    shown_ : list of int
        Indices of the classes that have a panel: at most six, those with most mass.

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
    ...     clf, X, y=y, resolution=20, ax=Figure().subplots(1, 4)
    ... )
    >>> [panel.get_title() for panel in display.axes_]
    ['decision', 'mass of 0', 'mass of 1', 'mass of "I don\'t know"']
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    images_: list[AxesImage]
    shown_: list[int]

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
    ) -> None:
        self.features = features
        self.classes = classes
        self.decision = decision
        self.mass = mass
        self.ignorance = ignorance
        self.points = points
        self.labels = labels
        self.held = held

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Mapping[Any, float] | None = None,
        resolution: int = 150,
        limits: Limits = (None, None),
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the decisions and masses of a classifier.

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
        at : dict, optional
            Values of other features, by index or name; NaN is a missing value. By default the
            median, or the most frequent value of nominal features and those with few values.
        resolution : int, default=150
            Points along each axis. A nominal feature has a stripe for each value instead.
        limits : tuple of two tuples, default=(None, None)
            Least and greatest value along each axis; None is the range of the data and a margin.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each panel; by default a new figure.

        Returns
        -------
        BeliefLandscapeDisplay
        """
        return cls.of(estimator, X, features, y, at=at, resolution=resolution, limits=limits).plot(
            ax=ax
        )

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Mapping[Any, float] | None = None,
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
        plane = evaluate_plane(estimator, X, features, at or {}, resolution, limits)
        return cls(
            plane.features,
            plane.classes,
            plane.decision,
            plane.mass,
            plane.ignorance,
            points=plane.points,
            labels=None if y is None else np.asarray(y),
            held=plane.held,
        )

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw all panels.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each panel; by default a new figure.

        Returns
        -------
        BeliefLandscapeDisplay
            The display itself.
        """
        means = self.mass.mean(axis=(1, 2))
        self.shown_ = sorted(np.argsort(-means, kind="stable")[:MOST].tolist())
        n_panels = 1 + len(self.shown_) + (self.ignorance is not None)
        n_columns = n_panels if n_panels <= 3 else -(-n_panels // (-(-n_panels // 4)))
        axes = panels(ax, n_panels, n_columns=n_columns, size=(3.3, 3.0))
        images = [self.plot_decision(axes[0])]
        images += [
            self.plot_mass(class_index, panel)
            for class_index, panel in zip(self.shown_, axes[1:], strict=False)
        ]
        if self.ignorance is not None:
            images.append(self.plot_ignorance(axes[-1]))
        for i, panel in enumerate(axes):
            panel.set_xlabel(wrapped(self.features[0].name, 40, 2))
            if i % n_columns == 0:
                panel.set_ylabel(wrapped(self.features[1].name, 40, 2))
        self.axes_, self.figure_, self.images_ = axes, figure_of(axes), images
        _show_classes(axes[0], self.classes, self.decision)
        if ax is None and self.held:
            self.figure_.suptitle(_held_text(self.held), fontsize=9, color="0.3")
        return self

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
        if x.terms:
            ax.set_xticks(range(len(x.terms)), [literal(term) for term in x.terms])
        if y.terms:
            ax.set_yticks(range(len(y.terms)), [literal(term) for term in y.terms])
        for axis, drawn in ((x, ax.xaxis), (y, ax.yaxis)):
            if axis.scale is not None and not axis.terms:
                show_times(drawn, axis.scale)
                drawn.set_tick_params(labelrotation=30 if drawn is ax.xaxis else 0, labelsize=8)
        return image

    def _draw_points(self, ax: Axes) -> None:
        if self.points is None:
            return
        x, y = (axis.coordinates(self.points[:, i]) for i, axis in enumerate(self.features))
        size = float(np.clip(3000 / max(len(x), 1), 7, 22))
        look: dict[str, Any] = {"s": size, "edgecolors": "white", "linewidths": 0.3, "zorder": 2}
        if self.labels is None:
            ax.scatter(x, y, c="black", **look)
            return
        for index, label in enumerate(self.classes):
            turn, colour = divmod(index, len(FILLS))
            rows = self.labels == label
            marker = MARKERS[turn % len(MARKERS)]
            ax.scatter(x[rows], y[rows], c=FILLS[colour], marker=marker, **look)


def _show_classes(ax: Axes, classes: NDArray[Any], decision: NDArray[np.int64]) -> None:
    """Show a legend of the colours; of many classes, those that are predicted most."""
    from matplotlib.patches import Patch

    predicted, counts = np.unique(decision[decision >= 0], return_counts=True)
    known = range(len(classes))
    most = known if len(known) <= MOST else predicted[np.argsort(-counts, kind="stable")[:MOST]]
    colours = _pale(len(classes))
    handles = [Patch(facecolor=colours[i], edgecolor="0.4", lw=0.5) for i in sorted(most)]
    names = [wrapped(classes[i], 20, 1) for i in sorted(most)]
    ax.legend(handles, names, fontsize=7, framealpha=0.85, loc="best", handlelength=1.2)


def _held_text(held: Mapping[str, Any]) -> str:
    """Return the values at which the other features are held, or the first of them, as text."""
    parts = [
        f"{name} = {value}"
        if isinstance(value, str)
        else f"{name} missing"
        if np.isnan(value)
        else f"{name} = {value:.4g}"
        for name, value in held.items()
    ]
    more = [f"and {len(parts) - MOST_HELD} more"] if len(parts) > MOST_HELD else []
    return literal(f"held: {', '.join(parts[:MOST_HELD] + more)}")


def _pale(n_classes: int) -> list[tuple[float, float, float]]:
    """Return the colours of regions."""
    from matplotlib.colors import to_rgb

    colours = [to_rgb(FILLS[i % len(FILLS)]) for i in range(n_classes)]
    return [
        (PALE + (1 - PALE) * red, PALE + (1 - PALE) * green, PALE + (1 - PALE) * blue)
        for red, green, blue in colours
    ]
