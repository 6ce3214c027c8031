"""Pictures of doubt: risk and coverage, reliability, and what the rules leave open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.metrics import (
    answers_of,
    area_under_risk_coverage,
    calibration_error,
    confidence_of,
    evidence_method,
    reliability_curve,
    risk_coverage_curve,
)
from fuzzyucs.plots._style import (
    FILLS,
    Array,
    class_look,
    label,
    line_style,
    literal,
    new_axes,
    show_legend,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["EvidenceDisplay", "ReliabilityDisplay", "RiskCoverageDisplay"]

MAX_ROWS = 20
BARS = 20  # of the histogram
VISIBLE = 0.005  # what a bar must be worth to deserve a line in the legend


class RiskCoverageDisplay:
    """Error rate among accepted rows against the share of accepted rows.

    The flatter the line stays at the bottom, the better confidence tells right from wrong. Several
    displays can share axes. Best made by `from_estimator` or `from_predictions`.

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
        Where the curve is.
    figure_ : matplotlib Figure
        What the axes are in.
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
    >>> X, y = load_iris(return_X_y=True)
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
            How sure the predictions are.
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


class ReliabilityDisplay:
    """Accuracy against confidence of the most probable class, in bins.

    On the diagonal, confidence can be taken at its word; below it, it is too high. Light bars show
    how many rows have which confidence. Best made by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    accuracy : ndarray of shape (n_bins,)
        Share of right predictions in each bin.
    confidence : ndarray of shape (n_bins,)
        Mean confidence in each bin.
    histogram : ndarray of shape (n_bars,), optional
        Share of rows in parts of equal width from 0 to 1.
    error : float, optional
        Calibration error, for the legend.
    name : str, optional
        Name of the classifier, for the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the curve is.
    figure_ : matplotlib Figure
        What the axes are in.
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
    >>> X, y = load_iris(return_X_y=True)
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
            Bins of equal width or of equally many rows.
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
            Bins of equal width or of equally many rows.
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
        sure = np.asarray(y_prob, dtype=float).max(axis=1).clip(0, 1)
        histogram = np.histogram(sure, bins=BARS, range=(0, 1))[0] / len(sure)
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
            ax.plot([0, 1], [0, 1], "--", color="0.5", lw=1, gid="diagonal", label="ideal")
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
            edgecolor="white",
            linewidth=0.5,
            zorder=0,
            label="share of rows",
        )


class EvidenceDisplay:
    """What the rules say about a handful of rows, and what they leave open.

    A bar for each row: the mass of each class, then the ignorance. If somebody looked for novelty,
    the ignorance is shown in two parts: what the rules leave undecided about familiar inputs, and
    novelty. Best made by `from_estimator` or `from_evidence`.

    Parameters
    ----------
    evidence : Evidence
        Of at most 20 rows.
    row_names : sequence, optional
        Names of the rows; by default their numbers.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the bars are.
    figure_ : matplotlib Figure
        What the axes are in.
    bars_ : list of matplotlib BarContainer
        The parts of the bars, from left to right, labelled as in the legend. Of many classes,
        those that no row believes in are left out.

    See Also
    --------
    fuzzyucs.Evidence : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fuzzyucs import Evidence
    >>> from fuzzyucs.plots import EvidenceDisplay
    >>> evidence = Evidence(
    ...     np.array(["ill", "well"]), np.array([[0.7, 0.1]]), np.array([0.2]), np.array([0.0])
    ... )
    >>> display = EvidenceDisplay.from_evidence(evidence, ax=Figure().subplots())
    >>> [bars.get_label() for bars in display.bars_]
    ['ill', 'well', "I don't know"]
    >>> strange = evidence.discount(np.array([0.5]))
    >>> display = EvidenceDisplay.from_evidence(strange, ax=Figure().subplots())
    >>> [bars.get_label() for bars in display.bars_]
    ['ill', 'well', 'weak evidence', 'novelty']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    bars_: list[BarContainer]

    def __init__(self, evidence: Evidence, *, row_names: Sequence[Any] | None = None) -> None:
        self.evidence = evidence
        self.row_names = row_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        ax: Axes | None = None,
        row_names: Sequence[Any] | None = None,
    ) -> Self:
        """Draw what a classifier says.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_evidence``, also as last step of a pipeline.
        X : array-like of shape (n_samples, n_features)
            At most 20 rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        row_names : sequence, optional
            Names of the rows; by default the index of a pandas frame, else their numbers.

        Returns
        -------
        EvidenceDisplay
        """
        method = evidence_method(estimator)
        if method is None:
            raise TypeError(
                f"evidence needs predict_evidence, which {type(estimator).__name__} lacks"
            )
        if row_names is None and hasattr(X, "iloc"):
            row_names = list(X.index)
        return cls.from_evidence(method(X), ax=ax, row_names=row_names)

    @classmethod
    def from_evidence(
        cls,
        evidence: Evidence,
        *,
        ax: Axes | None = None,
        row_names: Sequence[Any] | None = None,
    ) -> Self:
        """Draw given evidence.

        Parameters
        ----------
        evidence : Evidence
            Of at most 20 rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        row_names : sequence, optional
            Names of the rows; by default their numbers.

        Returns
        -------
        EvidenceDisplay
        """
        return cls(evidence, row_names=row_names).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        EvidenceDisplay
            The display itself.
        """
        names = self._check_rows()
        ax = new_axes(figsize=(7.5, 1.4 + 0.32 * len(names))) if ax is None else ax
        rows, left = np.arange(len(names)), np.zeros(len(names))
        self.bars_ = []
        for name, mass, look in self._parts():
            bars = ax.barh(rows, mass, left=left, height=0.7, label=literal(name), **look)
            self.bars_.append(bars)
            left = left + mass
        ax.set_yticks(rows, [literal(name) for name in names])
        ax.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel="Belief mass")
        ax.legend(
            self.bars_,
            [str(bars.get_label()) for bars in self.bars_],
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0,
            frameon=False,
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _check_rows(self) -> list[Any]:
        n_rows = len(self.evidence)
        if not 1 <= n_rows <= MAX_ROWS:
            raise ValueError(f"from 1 to {MAX_ROWS} rows can be shown, got {n_rows}; select some")
        names = list(range(n_rows) if self.row_names is None else self.row_names)
        if len(names) != n_rows:
            raise ValueError(f"row_names must name each of {n_rows} rows, got {len(names)} names")
        return names

    def _parts(self) -> Iterable[tuple[str, Array, dict[str, Any]]]:
        """Yield names, masses and looks of the parts, from left to right."""
        evidence, shown = self.evidence, {"edgecolor": "white", "linewidth": 0.6}
        few = len(evidence.classes) <= len(FILLS)
        for i, name in enumerate(evidence.classes):
            if few or evidence.mass[:, i].max() >= VISIBLE:
                yield str(name), evidence.mass[:, i], shown | class_look(i)
        if evidence.set_mass is not None and evidence.set_mass.size:
            look = shown | {"facecolor": "0.93", "hatch": "|||", "edgecolor": "0.6"}
            yield "several classes", evidence.set_mass.sum(axis=1), look
        weak = shown | {"facecolor": "0.85", "hatch": "////", "edgecolor": "0.55"}
        if evidence.novelty is None:
            yield "I don't know", evidence.ignorance, weak
        else:
            yield "weak evidence", (evidence.ignorance - evidence.novelty).clip(0), weak
            yield "novelty", evidence.novelty, shown | {"facecolor": "0.3"}
