"""Linguistic terms above the histograms of the values that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from fuzzyucs._util.checks import feature_number
from fuzzyucs._util.wording import percent
from fuzzyucs.plots._ink import background, foreground, shade
from fuzzyucs.plots._model import deciding_rules
from fuzzyucs.plots._style import Array, figure_of, literal, panels, wrapped
from fuzzyucs.plots._ticks import name_ticks, plain_numbers, short_number, show_times
from fuzzyucs.variables import LinguisticPartition
from fuzzyucs.variables.borders import write_value
from fuzzyucs.variables.terms import are_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.patches import Patch

__all__ = ["PartitionDisplay"]

MOST = 12  # features, unless more are named
BARS = 30  # of a histogram
MOST_TEXTS = 40  # above terms; there is no room for more
FONT_SIZE = 8
MARGIN = 0.04  # of the range, on either side
TERMS = (0.85, 0.55)  # shades of terms, in turn: colours are for classes


class PartitionDisplay:
    """Linguistic terms of features over the histogram of their values.

    Triangles show the degree to which a term holds, in two greys in turn; above each are its name
    and the value at which it holds fully. Pale bars are the histogram of the data, the highest one
    as high as a degree of 1. A nominal feature has a bar for each value: the share of rows with
    that value. Create it by `from_estimator`.

    Parameters
    ----------
    partition : LinguisticPartition
        The terms.
    X : ndarray of shape (n_samples, n_features), optional
        Data for the histograms.
    features : iterable of int or str, optional
        Which features to show; by default all.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        A panel for each feature.
    figure_ : matplotlib Figure
        Figure of the axes.
    terms_ : list of list of matplotlib Patch
        The terms of each feature: triangles, or bars of a nominal feature. Empty for a feature
        that never varied.
    bars_ : list of list of matplotlib Patch
        The histogram of each feature.

    See Also
    --------
    fuzzyucs.LinguisticPartition : The terms.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import FuzzyUCSClassifier
    >>> from fuzzyucs.plots import PartitionDisplay
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit(X, y)
    >>> display = PartitionDisplay.from_estimator(
    ...     clf, X, ["petal width (cm)"], ax=Figure().subplots()
    ... )
    >>> len(display.terms_[0])
    5
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    terms_: list[list[Patch]]
    bars_: list[list[Patch]]

    def __init__(
        self,
        partition: LinguisticPartition,
        X: Array | None = None,
        features: Iterable[int | str] | None = None,
    ) -> None:
        self.partition = partition
        self.X = X
        self.features = features

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: Iterable[int | str] | None = None,
        *,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the terms of a classifier.

        Parameters
        ----------
        estimator : fitted FuzzyUCSClassifier or EvidentialRuleClassifier
            The classifier with the terms.
        X : array-like of shape (n_samples, n_features)
            Data for the histograms.
        features : iterable of int or str, optional
            Features to show, by index or name. By default all; of more than twelve, those that
            matter most to the rules.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each feature; by default a new figure.

        Returns
        -------
        PartitionDisplay
        """
        rules, _ = deciding_rules(estimator)
        if not isinstance(rules.variables, LinguisticPartition):
            raise TypeError(
                f"linguistic terms are needed, which {type(estimator).__name__} lacks: its rules "
                "have intervals"
            )
        if features is None:
            asked = rules.rule_importance() @ rules.asks
            features = sorted(np.argsort(-asked, kind="stable")[:MOST].tolist())
        return cls(rules.variables, estimator.check_table(X), features).plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each feature; by default a new figure.

        Returns
        -------
        PartitionDisplay
            The display itself.
        """
        names = self.partition.feature_names
        keys = range(len(names)) if self.features is None else self.features
        features = [feature_number(key, names, "features") for key in keys]
        if not features:
            raise ValueError("at least one feature is needed")
        n_columns = 1 if len(features) == 1 else 2 if len(features) <= 6 else 3
        axes = panels(ax, len(features), n_columns=n_columns, size=(4.8, 2.6))
        self.axes_, self.figure_ = axes, figure_of(axes)
        self.terms_, self.bars_ = [], []
        for panel, feature in zip(axes, features, strict=True):
            draw = self._draw_values if self.partition.is_nominal[feature] else self._draw_triangles
            draw(panel, feature)
            panel.set_xlabel(self._title(feature))
            panel.spines[["top", "right"]].set_visible(False)
        return self

    def _title(self, feature: int) -> str:
        name = wrapped(self.partition.feature_names[feature], 50)
        if self.X is None:
            return name
        missing = float(np.isnan(self.X[:, feature]).mean())
        return f"{name} ({percent(missing)} missing)" if missing else name

    def _known(self, feature: int) -> Array:
        column = np.empty(0) if self.X is None else self.X[:, feature]
        return column[~np.isnan(column)]

    def _draw_values(self, ax: Axes, feature: int) -> None:
        """Draw the values of a nominal feature."""
        variable = self.partition.special[feature]
        positions = variable.positions(self._known(feature))
        known = positions[~np.isnan(positions)].astype(int)
        counts = np.bincount(known, minlength=len(variable.terms))
        n_rows = 0 if self.X is None else len(self.X)
        heights = counts / n_rows if n_rows else np.ones(len(counts))
        bars = ax.bar(range(len(counts)), heights, width=0.6, color=shade(ax, 0.45))
        ax.set_xlim(-0.75, max(len(counts), 3) - 0.25)
        name_ticks(ax.xaxis, variable.terms)
        ax.set_ylabel("Share of rows" if n_rows else "Degree")
        self.terms_.append(list(bars))
        self.bars_.append(list(bars) if n_rows else [])

    def _draw_triangles(self, ax: Axes, feature: int) -> None:
        """Draw the terms of an ordered feature."""
        peaks, values = self.partition.peaks(feature), self._known(feature)
        ax.set(ylim=(0, 1), ylabel="Degree")
        if not peaks[-1] > peaks[0]:
            known = (
                "no value is known"
                if np.isnan(peaks[0])
                else f"always {self._written(feature, peaks[0])}"
            )
            ax.text(0.5, 0.5, f"no terms: {known}", ha="center", transform=ax.transAxes)
            ax.set(xticks=[], yticks=[])
            self.terms_.append([])
            self.bars_.append([])
            return
        ends = self.partition.ends(feature)
        outermost = np.concatenate([peaks[:1], ends[-1:], values])
        low, high = float(outermost.min()), float(outermost.max())
        margin = MARGIN * (high - low)
        ax.set_xlim(low - margin, high + margin)
        if feature in self.partition.columns.times:
            show_times(ax.xaxis, self.partition.columns.times[feature])
        plain_numbers(ax.xaxis)
        self.bars_.append(_draw_histogram(ax, values, (low, high)))
        self.terms_.append(_draw_terms(ax, peaks, ends))
        names = self.partition.term_texts(feature)
        if len(names) > MOST_TEXTS:
            return
        if are_names(self.partition.terms(feature)) and feature not in self.partition.columns.times:
            names = [
                f"{name}\n{short_number(peak)}"
                for name, peak in zip(names, peaks.tolist(), strict=True)
            ]
        _name_terms(ax, peaks / 2 + ends / 2, names)

    def _written(self, feature: int, value: float) -> str:
        scale = self.partition.columns.times.get(feature)
        return write_value(value) if scale is None else scale.write(float(value))


def _draw_histogram(ax: Axes, values: Array, edges: tuple[float, float]) -> list[Patch]:
    if not values.size:
        return []
    counts, bins = np.histogram(values, BARS, edges)
    heights = counts / counts.max()
    look: dict[str, Any] = {"color": shade(ax, 0.12), "edgecolor": background(ax)}
    look |= {"linewidth": 0.5, "zorder": 0}
    return list(ax.bar(bins[:-1], heights, width=np.diff(bins), align="edge", **look))


def _draw_terms(ax: Axes, peaks: Array, ends: Array) -> list[Patch]:
    """Draw overlapping triangles or plateaus; the outer terms hold fully beyond the others."""
    before = np.concatenate([[ax.get_xlim()[0]], ends])
    after = np.concatenate([peaks[1:], [ax.get_xlim()[1]]])
    last = len(peaks) - 1
    triangles: list[Patch] = []
    for term in range(len(peaks)):
        top = [peaks[term], ends[term]] if ends[term] > peaks[term] else [peaks[term]]
        x = [before[term], *top, after[term]]
        y = [float(term == 0), *[1.0] * len(top), float(term == last)]
        colour = shade(ax, TERMS[term % len(TERMS)])
        corners = [(x[0], 0.0), *zip(x, y, strict=True), (x[-1], 0.0)]
        (triangle,) = ax.fill(*zip(*corners, strict=True), color=colour, alpha=0.12, zorder=1)
        ax.plot(x, y, color=colour, lw=1.5 if last < MOST_TEXTS else 0.5, zorder=2, clip_on=False)
        triangles.append(triangle)
    return triangles


def _name_terms(ax: Axes, peaks: Array, texts: Sequence[str]) -> None:
    """Write names and numbers above the peaks, moved aside where they would overlap."""
    low, high = ax.get_xlim()
    line = {"arrowstyle": "-", "color": shade(ax, 0.4), "lw": 0.6, "shrinkA": 0, "shrinkB": 0}
    upright = [literal(text.replace(" ", "\n")) for text in texts]
    room = ax.get_window_extent().width / ax.figure.dpi * 72 / FONT_SIZE  # in letters' heights
    widths = np.array([0.68 * max(map(len, text.split("\n"))) + 0.7 for text in upright]) / room
    is_crowded = widths.sum() > 1.05
    if is_crowded:
        upright = [literal(text.replace("\n", "  ")) for text in texts]
        widths = np.full(len(texts), 1.25 / room)
    centres = _spread((peaks - low) / (high - low), widths)
    for text, peak, centre in zip(upright, peaks, centres, strict=True):
        ax.annotate(
            text,
            xy=(peak, 1.0),
            xytext=(centre, 1.09),
            textcoords="axes fraction",
            ha="center",
            va="bottom",
            rotation=90 if is_crowded else 0,
            fontsize=FONT_SIZE,
            linespacing=1.05,
            color=foreground(ax),
            annotation_clip=False,
            arrowprops=line,
        )


def _spread(wanted: Array, widths: Array) -> NDArray[np.float64]:
    """Return coordinates as near as possible to those wanted, in order and without overlap.

    The first text does not begin before 0, where numbers of the vertical axis are.
    """
    gaps = np.concatenate([[0.0], np.cumsum((widths[:-1] + widths[1:]) / 2)])
    centres: Array = isotonic_regression(wanted - gaps, y_min=widths[0] / 2) + gaps
    return centres
