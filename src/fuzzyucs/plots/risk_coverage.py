"""Risk and coverage: errors among accepted rows as a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from fuzzyucs.metrics import (
    answers_of,
    area_under_risk_coverage,
    confidence_of,
    risk_coverage_curve,
)
from fuzzyucs.plots._style import Array, label, line_style, new_axes, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["RiskCoverageDisplay"]


class RiskCoverageDisplay:
    """Error rate among accepted rows against the share of accepted rows.

    The longer the line stays near zero, the better confidence separates right from wrong answers.
    Several displays can share axes. Create it by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    coverage : ndarray of shape (n_thresholds,)
        Share of accepted rows.
    risk : ndarray of shape (n_thresholds,)
        Error rate among them.
    area : float, optional
        Area under the curve, for the legend.
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

    See Also
    --------
    fuzzyucs.metrics.risk_coverage_curve : The numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fuzzyucs.plots import RiskCoverageDisplay
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = GaussianNB().fit(X, y)
    >>> display = RiskCoverageDisplay.from_estimator(clf, X, y, ax=Figure().subplots())
    >>> display.line_.get_label()
    'GaussianNB (area 0.0034)'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(
        self,
        coverage: Array,
        risk: Array,
        area: float | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.coverage = coverage
        self.risk = risk
        self.area = area
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a classifier.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_evidence`` or ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,)
            True labels.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            For the legend; by default the class of the estimator.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        RiskCoverageDisplay
        """
        return cls.from_predictions(
            y,
            answers_of(estimator, X),
            confidence_of(estimator, X),
            ax=ax,
            name=type(estimator).__name__ if name is None else name,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        confidence: ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of given predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels.
        confidence : array-like of shape (n_samples,)
            Confidence of the predictions.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        name : str, optional
            For the legend.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        RiskCoverageDisplay
        """
        coverage, risk, _ = risk_coverage_curve(y_true, y_pred, confidence)
        area = area_under_risk_coverage(y_true, y_pred, confidence)
        return cls(coverage, risk, area, name=name).plot(ax=ax, **kwargs)

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
        RiskCoverageDisplay
            The display itself.
        """
        ax = new_axes() if ax is None else ax
        area = None if self.area is None else f"area {self.area:.4f}"
        style = line_style(ax, "risk-coverage") | {
            "label": label(self.name if name is None else name, area),
            "marker": "o" if len(self.coverage) == 1 else "",  # a line needs two points
        }
        (self.line_,) = ax.plot(self.coverage, self.risk, **(style | kwargs))
        self.line_.set_gid("risk-coverage")
        ax.set(xlabel="Coverage (share of rows accepted)", ylabel="Risk (error rate among them)")
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0, auto=None)  # the next display may need more room at the top
        self.ax_, self.figure_ = ax, ax.figure
        show_legend(ax)
        return self
