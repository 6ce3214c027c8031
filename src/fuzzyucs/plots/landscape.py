"""Landscape: decisions and belief masses of a model over two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs.plots import _landscape_panels
from fuzzyucs.plots._belief_colours import belief_colours, division
from fuzzyucs.plots._canvas import canvas_of
from fuzzyucs.plots._landscape_key import draw_border, show_key, write_dont_know
from fuzzyucs.plots._plane import FeatureAxis, Limits, Others, evaluate_plane
from fuzzyucs.plots._style import Array, figure_of, new_axes, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

__all__ = ["BeliefLandscapeDisplay", "FeatureAxis"]


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
            means = self.mass.mean(axis=(1, 2))
            self.shown_ = sorted(
                np.argsort(-means, kind="stable")[: _landscape_panels.MOST].tolist()
            )
            self.axes_, self.images_ = _landscape_panels.draw_panels(self, ax)
            self.figure_, self.text_ = figure_of(self.axes_), None
            return self
        if len(given) > 1:
            raise ValueError(f"one axes is needed, got {len(given)}; panels=True takes several")
        panel: Axes = given[0] if given else new_axes(figsize=(7.6, 5.0))
        self.axes_, self.figure_ = [panel], panel.figure
        self.shown_ = list(range(len(self.classes)))
        self.images_ = [self.plot_belief(panel)]
        canvas_of(self).name_axes(panel)
        if self.caption:
            panel.set_title(
                wrapped(self.caption, _landscape_panels.CAPTION, 3), fontsize=9, loc="left"
            )
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
        canvas, ignorance = canvas_of(self), self.ignorance
        if ignorance is None:
            ignorance = np.zeros(self.mass.shape[1:])
        torn = division(self.mass) if self.torn is None else self.torn
        smooth = {"interpolation": "bilinear" if canvas.is_smooth else "nearest"}
        image = canvas.draw(ax, belief_colours(self.mass, ignorance, torn), **smooth)
        has_border = draw_border(ax, canvas, ignorance, self.threshold)
        self.text_ = write_dont_know(ax, canvas, ignorance > self.threshold)
        means = self.mass.mean(axis=(1, 2))
        show_key(
            ax,
            canvas,
            has_evidence=self.ignorance is not None,
            is_average=self.is_average,
            threshold=self.threshold if has_border else None,
            most=np.argsort(-means, kind="stable").tolist(),
        )
        return image

    plot_decision = _landscape_panels.plot_decision
    plot_mass = _landscape_panels.plot_mass
    plot_ignorance = _landscape_panels.plot_ignorance
