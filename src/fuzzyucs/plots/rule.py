"""One rule: what it asks of features, above the records that it was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs.plots import _style
from fuzzyucs.plots._condition import Condition, Record
from fuzzyucs.plots._ink import background, foreground, shade
from fuzzyucs.plots._model import deciding_rules
from fuzzyucs.plots._style import Array, class_look, figure_of, wrapped
from fuzzyucs.plots._ticks import name_ticks, plain_numbers, show_times
from fuzzyucs.rules import RuleSet

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

__all__ = ["RuleDisplay"]

BAND = 0.25  # opacity of what a rule accepts
SIZE = (3.5, 2.5)  # of a panel, in inches
LETTERS = 26  # of a headline, for each column of panels
KEY = 26  # letters in a line of the key
LINE = 0.22  # height of a line of the key, in inches


class RuleDisplay:
    """One rule: a small histogram for each condition, and what the condition accepts.

    Bars are the records, stacked by class in the colours of the classes. The shaded band, in the
    colour of the rule's class, is as high as the degree to which the condition holds: the full
    height is 1. A nominal feature has a bar for each category, and a band behind those that are
    accepted. A record's values are marked by lines. Create it by `from_estimator`.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    rule : int
        Index of the rule among them.
    X : ndarray of shape (n_samples, n_features)
        Numbers that the conditions of rules refer to.
    labels : ndarray of shape (n_samples,), optional
        Class labels of the rows. By default they are not told apart.
    record : ndarray of shape (n_features,), optional
        A record to be marked.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        A panel for each condition.
    figure_ : matplotlib Figure
        Figure of the axes.
    features_ : list of int
        The features that the rule asks for, in the order of panels.
    headline_ : str
        The rule as a sentence.
    bars_ : list of list of list of matplotlib Rectangle
        Bars, by panel and class.
    bands_ : list of matplotlib Artist
        What the conditions accept.
    marks_ : list of matplotlib Line2D or None
        Where the record lies, by panel; None where its value is missing or there is no record.

    See Also
    --------
    RuleHeatmapDisplay : The conditions of many rules.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.plots import RuleDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> display = RuleDisplay.from_estimator(
    ...     clf, 0, X, y, record=X.iloc[[140]], ax=Figure().subplots()
    ... )
    >>> len(display.axes_) == len(clf.rules_.asked_features[0])
    True
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    features_: list[int]
    headline_: str
    bars_: list[list[list[Rectangle]]]
    bands_: list[Artist]
    marks_: list[Line2D | None]

    def __init__(
        self,
        rules: RuleSet,
        rule: int,
        X: Array,
        labels: NDArray[Any] | None = None,
        record: Array | None = None,
    ) -> None:
        self.rules = rules
        self.rule = rule
        self.X = X
        self.labels = labels
        self.record = record

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        rule: int,
        X: Any,
        y: ArrayLike | None = None,
        *,
        record: Any = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw a rule of a classifier.

        Parameters
        ----------
        estimator : fitted rule classifier
            Of any kind.
        rule : int
            Index of the rule in `rules_`, or in `weighted_rules_` if those decide.
        X : array-like of shape (n_samples, n_features)
            Data for the histograms.
        y : array-like of shape (n_samples,), optional
            Class labels of the data.
        record : array-like of shape (1, n_features) or (n_features,), optional
            A record to be marked: a table with one row, like X, or numbers.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each condition; by default a new figure.

        Returns
        -------
        RuleDisplay
        """
        rules, indices = deciding_rules(estimator)
        found = np.flatnonzero(indices == rule)
        if not len(found):
            raise ValueError(f"rule must be the index of a rule that decides, got {rule!r}")
        values = None if record is None else _one_record(estimator, record)
        labels = None if y is None else np.asarray(y)
        data = estimator.check_table(X)
        if labels is not None and len(labels) != len(data):
            raise ValueError(f"X has {len(data)} rows and y has {len(labels)}")
        shown = cls(rules, int(found[0]), data, labels, values)
        return shown.plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each condition; by default a new figure.

        Returns
        -------
        RuleDisplay
            The display itself.
        """
        self.features_ = self.rules.asked_features[self.rule]
        self.headline_ = self.rules.sentence(self.rule)
        n_panels = max(1, len(self.features_))
        n_columns = n_panels if n_panels <= 3 else 2 if n_panels == 4 else 3
        n_rows = -(-n_panels // n_columns)
        # The key stands beside the panels and needs some room of its own, as does the headline.
        least = 0.9 + LINE * (len(self.rules.classes) + 4)
        size = SIZE[0] + 1.9 / n_columns, max(SIZE[1] + 0.6 / n_rows, least / n_rows)
        self.axes_ = _style.panels(ax, n_panels, n_columns=n_columns, size=size)
        self.figure_ = figure_of(self.axes_)
        self.bars_, self.bands_, self.marks_ = [], [], []
        for panel, feature in zip(self.axes_, self.features_, strict=False):
            self._draw_condition(panel, Condition(self.rules, self.rule, feature))
        if not self.features_:
            self.axes_[0].text(0.5, 0.5, "no conditions:\nall records match", ha="center")
            self.axes_[0].set_axis_off()
        for i, panel in enumerate(self.axes_):
            if i % n_columns == 0:
                panel.set_ylabel("Records")
        self._write_headline(n_columns, is_new=ax is None)
        self._show_key(self.axes_[min(n_columns, n_panels) - 1])
        return self

    def _draw_condition(self, ax: Axes, condition: Condition) -> None:
        """Draw bars, the band that the condition accepts, and where the record lies."""
        record = None if self.record is None else condition.place(self.record[condition.feature])
        bins = condition.bins(self.X, record)
        counts = [condition.count(self.X[rows], bins) for rows in self._rows()]
        below = np.zeros(len(counts[0]))
        drawn: list[list[Rectangle]] = []
        for count, look in zip(counts, self._looks(ax), strict=True):
            edge: dict[str, Any] = {"edgecolor": background(ax), "linewidth": 0.3, "zorder": 2}
            bars = ax.bar(bins.left, count, bins.width, bottom=below, align="edge", **(look | edge))
            drawn.append(list(bars))
            below = below + count
        self.bars_.append(drawn)
        ax.set(xlim=bins.limits, ylim=(0, 1.06 * max(float(below.max()), 1.0)))
        self.bands_.append(self._shade(ax, condition, bins.limits))
        self.marks_.append(self._mark(ax, record))
        ax.set_xlabel(wrapped(self.rules.variables.feature_names[condition.feature], 34, 3))
        ax.locator_params(axis="y", integer=True, nbins=5)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(visible=False)
        self._name_values(ax, condition)

    def _shade(self, ax: Axes, condition: Condition, limits: tuple[float, float]) -> Artist:
        """Shade what a condition accepts, as high as the degree to which it holds."""
        look = class_look(int(self.rules.named_class[self.rule]))
        colour = look["facecolor"]
        x, degree = condition.curve(limits)
        fill: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "zorder": 1, "lw": 0}
        band = ax.fill_between(x, degree, color=colour, alpha=BAND, **fill)
        line: dict[str, Any] = {"color": colour, "linewidth": 1.4, "zorder": 3, "clip_on": False}
        ax.plot(x, degree, transform=ax.get_xaxis_transform(), **line)
        return band

    def _mark(self, ax: Axes, record: Record | None) -> Line2D | None:
        """Mark where the record lies; above it, its value and the degree."""
        if record is None:
            return None
        colour = foreground(ax)
        ax.set_title(wrapped(record.text, 34, 2), fontsize=9)
        if np.isnan(record.x):
            return None
        look: dict[str, Any] = {"color": colour, "linewidth": 1.6, "zorder": 4}
        line = ax.axvline(record.x, **look)
        head: dict[str, Any] = {"color": colour, "markersize": 6, "clip_on": False, "zorder": 5}
        ax.plot(record.x, 1.0, "v", transform=ax.get_xaxis_transform(), **head)
        return line

    def _name_values(self, ax: Axes, condition: Condition) -> None:
        if condition.categories:
            name_ticks(ax.xaxis, condition.categories)
            for label, is_in in zip(ax.get_xticklabels(), condition.accepted(), strict=False):
                label.set_fontweight("bold" if is_in else "normal")
        elif condition.scale is not None:
            show_times(ax.xaxis, condition.scale)
            ax.tick_params(axis="x", labelrotation=30, labelsize=8)
        else:
            ax.locator_params(axis="x", nbins=5)
            plain_numbers(ax.xaxis)

    def _rows(self) -> list[NDArray[np.bool_]]:
        """Return the rows of each class, or all of them."""
        if self.labels is None:
            return [np.ones(len(self.X), dtype=bool)]
        return [np.asarray(self.labels == label) for label in self.rules.classes]

    def _looks(self, ax: Axes) -> list[dict[str, Any]]:
        if self.labels is None:
            return [{"facecolor": shade(ax, 0.35)}]
        return [class_look(i) for i in range(len(self.rules.classes))]

    def _write_headline(self, n_columns: int, *, is_new: bool) -> None:
        """Write the rule above the panels."""
        headline = self.headline_
        for sign in (">= ", "<= "):  # which stay with their numbers
            headline = headline.replace(sign, f"{sign[:2]}\N{NO-BREAK SPACE}")
        if is_new:
            text = wrapped(headline, int(1.75 * LETTERS * n_columns) + 18)
            self.figure_.suptitle(text, fontsize=10, x=0.01, ha="left")
            return
        first = self.axes_[0]
        above = first.get_title()
        text = wrapped(headline, 2 * LETTERS)
        first.set_title(f"{text}\n{above}" if above else text, fontsize=9)

    def _show_key(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        own = class_look(int(self.rules.named_class[self.rule]))["facecolor"]
        entries: list[tuple[Any, str]] = [
            (Patch(**look), wrapped(name, KEY, 1))
            for look, name in zip(
                self._looks(ax),
                ["records"] if self.labels is None else self.rules.classes,
                strict=True,
            )
        ]
        if self.features_:
            band = Patch(facecolor=(own, BAND), edgecolor=own, linewidth=1.4)
            entries.append((band, "accepted\n(height: degree)"))
        if any(mark is not None for mark in self.marks_):
            look: dict[str, Any] = {"color": foreground(ax), "linewidth": 1.6, "marker": "v"}
            entries.append((Line2D([], [], **look), "this record"))
        handles, labels = zip(*entries, strict=True)
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)}
        ax.legend(handles, labels, **place, borderaxespad=0, frameon=False, fontsize=8)


def _one_record(estimator: Any, record: Any) -> Array:
    """Return the numbers of one record that conditions of rules refer to."""
    if np.ndim(record) == 1:
        values: Array = np.asarray(record, dtype=np.float64)
        n_features = estimator.n_features_in_
        if len(values) != n_features:
            raise ValueError(f"record must have {n_features} values, got {len(values)}")
        return values
    rows: Array = estimator.check_table(record)
    if len(rows) != 1:
        raise ValueError(f"record must be one row, got {len(rows)} rows")
    only: Array = rows[0]
    return only
