"""Reliability diagram: accuracy against confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzyucs.metrics import calibration_error, reliability_curve
from fuzzyucs.plots._ink import background, shade
from fuzzyucs.plots._style import Array, label, line_style, new_axes, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["ReliabilityDisplay"]

BARS = 20  # of the histogram


class ReliabilityDisplay:
    """Accuracy against confidence of the most probable class, in bins.

    On the diagonal, confidence equals accuracy; below it, confidence is too high. Light bars show
    the distribution of confidence. Create it by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    accuracy : ndarray of shape (n_bins,)
        Share of right predictions in each bin.
    confidence : ndarray of shape (n_bins,)
        Mean confidence in each bin.
    histogram : ndarray of shape (n_bars,), optional
        Share of rows in intervals of equal width from 0 to 1.
    error : float, optional
        Calibration error, for the legend.
    name : str, optional
        Name of the classifier, for the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the curve.
    figure_ : matplotlib Figure
        Figure of the axes.
    line_ : matplotlib Line2D
        The curve.
    bars_ : matplotlib BarContainer or None
        The histogram.

    See Also
    --------
    fuzzyucs.metrics.calibration_error : The number.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs.plots import ReliabilityDisplay
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = GaussianNB().fit(X, y)
    >>> display = ReliabilityDisplay.from_estimator(clf, X, y, ax=Figure().subplots(), n_bins=5)
    >>> display.line_.get_label()
    'GaussianNB (error 0.0...)'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D
    bars_: BarContainer | None

    def __init__(
        self,
        accuracy: Array,
        confidence: Array,
        histogram: Array | None = None,
        error: float | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.accuracy = accuracy
        self.confidence = confidence
        self.histogram = histogram
        self.error = error
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        ax: Axes | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a classifier.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,)
            True labels.
        n_bins : int, default=10
            Number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width or with equal numbers of rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            For the legend; by default the class of the estimator.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        ReliabilityDisplay
        """
        if not hasattr(estimator, "predict_proba"):
            raise TypeError(
                f"reliability needs predict_proba, which {type(estimator).__name__} lacks"
            )
        return cls.from_predictions(
            y,
            estimator.predict_proba(X),
            classes=estimator.classes_,
            n_bins=n_bins,
            strategy=strategy,
            ax=ax,
            name=type(estimator).__name__ if name is None else name,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        ax: Axes | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of given probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_prob : array-like of shape (n_samples, n_classes)
            Predicted probabilities.
        classes : array-like of shape (n_classes,), optional
            Labels of the columns; by default the sorted labels in `y_true`, if they are as many.
        n_bins : int, default=10
            Number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width or with equal numbers of rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            For the legend.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        ReliabilityDisplay
        """
        bins: dict[str, Any] = {"classes": classes, "n_bins": n_bins, "strategy": strategy}
        accuracy, confidence, _ = reliability_curve(y_true, y_prob, **bins)
        greatest = np.asarray(y_prob, dtype=float).max(axis=1).clip(0, 1)
        histogram = np.histogram(greatest, bins=BARS, range=(0, 1))[0] / len(greatest)
        error = calibration_error(y_true, y_prob, **bins)
        return cls(accuracy, confidence, histogram, error, name=name).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            For the legend; by default that of the display.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        ReliabilityDisplay
            The display itself.
        """
        ax = new_axes() if ax is None else ax
        error = None if self.error is None else f"error {self.error:.4f}"
        style = line_style(ax, "reliability") | {
            "label": label(self.name if name is None else name, error),
            "marker": "o",
            "markersize": 5,
        }
        if all(line.get_gid() != "diagonal" for line in ax.get_lines()):
            ax.plot([0, 1], [0, 1], "--", color=shade(ax, 0.5), lw=1, gid="diagonal", label="ideal")
        (self.line_,) = ax.plot(self.confidence, self.accuracy, **(style | kwargs))
        self.line_.set_gid("reliability")
        self.bars_ = self._draw_histogram(ax)
        ax.set(xlabel="Confidence (probability of the most probable class)", ylabel="Accuracy")
        ax.set(xlim=(0, 1.01), ylim=(0, 1.02))  # room for markers at 1
        self.ax_, self.figure_ = ax, ax.figure
        show_legend(ax)
        return self

    def _draw_histogram(self, ax: Axes) -> BarContainer | None:
        if self.histogram is None:
            return None
        edges = np.linspace(0, 1, len(self.histogram) + 1)
        return ax.bar(
            edges[:-1],
            self.histogram,
            width=np.diff(edges),
            align="edge",
            color=self.line_.get_color(),
            alpha=0.2,
            edgecolor=background(ax),
            linewidth=0.5,
            zorder=0,
            label="share of rows",
        )
