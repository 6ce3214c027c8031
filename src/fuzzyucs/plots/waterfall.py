"""Waterfall: the contributions of rules to one prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fuzzyucs._util.wording import percent
from fuzzyucs.explain import Explanation
from fuzzyucs.plots._ink import background, shade
from fuzzyucs.plots._style import Array, class_look, new_axes, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["WaterfallDisplay"]

TOTAL, BASE, LINE = 0.65, 0.4, 0.5  # shades between ground and text
ABSENT = 0.5  # opacity of rules that match less than neutral
WIDTH = 60  # characters of a line
MOST_LINES = 3  # for an entry
NOTICEABLE = 0.005  # least amount that novelty takes back for a bar of its own
BEYOND = 0.3  # of the span of finite sums: how far an arrow to infinity goes


class WaterfallDisplay:
    """Contributions of rules for and against a prediction, and their sum.

    Each bar begins where the one above it ended, the greatest contribution on top; the last bar is
    the lead of the prediction over the next class. A bar has the colour of the one of both classes
    that it speaks for. Where base rates count, they come first; rules that match less than neutral
    have paler bars, and novelty takes back some before the last bar. An infinite contribution, by
    which a rule excludes a class, is an arrow to the edge; the bars after it add up the finite
    contributions only. Create it by `from_estimator` or `from_explanation`.

    Parameters
    ----------
    explanation : Explanation
        Of one record.
    max_entries : int, default=10
        Number of entries that are shown; the others share a bar.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the bars.
    figure_ : matplotlib Figure
        Figure of the axes.
    bars_ : matplotlib BarContainer
        A bar for each entry, one for the others if there are more, and the total.
    lines_ : list of matplotlib Line2D
        Lines from the end of a bar to the beginning of the next.
    amounts_ : ndarray of shape (n_bars,)
        Contributions that the bars show; infinite where a bar is cut.

    See Also
    --------
    fuzzyucs.Explanation : The ledger in words and numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.plots import WaterfallDisplay
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> explanation = clf.explain(X.iloc[[70]])
    >>> display = WaterfallDisplay.from_explanation(explanation, ax=Figure().subplots())
    >>> bool(abs(sum(display.amounts_[:-1]) - display.amounts_[-1]) < 1e-10)
    True
    """

    ax_: Axes
    figure_: Figure | SubFigure
    bars_: BarContainer
    lines_: list[Line2D]
    amounts_: Array

    _kinds: list[str]

    def __init__(self, explanation: Explanation, *, max_entries: int = 10) -> None:
        self.explanation = explanation
        self.max_entries = max_entries

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, max_entries: int = 10, ax: Axes | None = None
    ) -> Self:
        """Draw the explanation of one prediction of a classifier.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``explain``.
        X : array-like of shape (1, n_features) or (n_features,)
            One record.
        max_entries : int, default=10
            Number of entries that are shown.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        WaterfallDisplay
        """
        if not hasattr(estimator, "explain"):
            raise TypeError(f"a waterfall needs explain, which {type(estimator).__name__} lacks")
        return cls.from_explanation(estimator.explain(X), max_entries=max_entries, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, *, max_entries: int = 10, ax: Axes | None = None
    ) -> Self:
        """Draw a given explanation.

        Parameters
        ----------
        explanation : Explanation
            Of one record.
        max_entries : int, default=10
            Number of entries that are shown.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        WaterfallDisplay
        """
        return cls(explanation, max_entries=max_entries).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        WaterfallDisplay
            The display itself.
        """
        labels = self._find_amounts()
        if ax is None:
            n_lines = max(text.count("\n") + 1 for text in labels)
            ax = new_axes(figsize=(9, 1.2 + (0.18 + 0.12 * n_lines) * len(labels)))
        self.ax_, self.figure_ = ax, ax.figure
        finite = np.where(np.isfinite(self.amounts_), self.amounts_, 0.0)
        sums = np.cumsum(finite[:-1])
        starts = np.array([0.0, *sums])
        starts[-1] = 0.0
        ends = self._cut(starts + finite, starts)
        rows = np.arange(len(labels))
        self.bars_ = ax.barh(rows, ends - starts, left=starts, height=0.62, zorder=2)
        for row, bar in enumerate(self.bars_):
            bar.set(**self._look(row))
        self.lines_ = self._join(sums)
        ax.axvline(0, color=shade(ax, 0.6), lw=0.8, zorder=1)
        ax.set_yticks(rows, labels, fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(labels) - 0.5, -0.5)
        self._write_amounts(starts, ends)
        self._name_axes()
        return self

    def _look(self, row: int) -> dict[str, Any]:
        """Return the look of a bar: that of a class, paler where rules match less than neutral."""
        from matplotlib.colors import to_rgba

        known, kind = self.explanation, [*self._kinds, "total"][row]
        if kind in ("base rates", "novelty", "total"):
            return {"facecolor": shade(self.ax_, TOTAL if kind == "total" else BASE)}
        look = class_look(known.class_index if self.amounts_[row] >= 0 else known.rival_index)
        opacity = ABSENT if kind == "matches less" else 1.0
        return look | {"facecolor": to_rgba(look["facecolor"], opacity)}

    def _find_amounts(self) -> list[str]:
        """Set the contributions that the bars show, and return their labels."""
        if self.max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, got {self.max_entries}")
        known = self.explanation
        if known.has_base_rates:
            return self._find_amounts_with_rates()
        ordered, total = known.ordered(), known.total
        shown = ordered[: self.max_entries]
        amounts = [known.contribution(entry) for entry in shown]
        labels = [wrapped(entry.text, WIDTH, MOST_LINES) for entry in shown]
        more = [known.contribution(entry) for entry in ordered[self.max_entries :]]
        if more:
            infinite = {amount for amount in more if np.isinf(amount)}
            # Exclusions of both classes have no sum: neither direction is drawn.
            amounts.append(sum(more) if len(infinite) < 2 else 0.0)
            labels.append(f"{len(more)} more")
        self._kinds = [""] * len(amounts)
        self.amounts_ = np.array([*amounts, total], dtype=float)
        return [*labels, self._lead_label()]

    def _find_amounts_with_rates(self) -> list[str]:
        """Do so for base rates, rules with profiles, and what novelty takes back."""
        known = self.explanation
        shown = known.ledger(most=self.max_entries)
        amounts = [known.contribution(entry) for entry in shown]
        labels = [wrapped(entry.text, WIDTH, MOST_LINES) for entry in shown]
        self._kinds = [entry.kind for entry in shown]
        novelty, taken = known.evidence.novelty, known.taken_back
        if novelty is not None and abs(taken) >= NOTICEABLE:
            amounts.append(taken)
            labels.append(f"taken back, because of novelty {percent(novelty[0])}")
            self._kinds.append("novelty")
        else:
            taken = 0.0
        self.amounts_ = np.array([*amounts, known.total + taken], dtype=float)
        return [*labels, self._lead_label()]

    def _lead_label(self) -> str:
        known = self.explanation
        return wrapped(f"lead of {known.prediction} over {known.rival}", WIDTH, 2)

    def _cut(self, ends: Array, starts: Array) -> Array:
        """Return the ends of bars, infinite ones cut a little beyond the others."""
        low, high = min(starts.min(), ends.min()), max(starts.max(), ends.max())
        reach = BEYOND * (high - low) or 1.0
        cut = np.where(self.amounts_ == np.inf, high + reach, ends)
        shown: Array = np.where(self.amounts_ == -np.inf, low - reach, cut)
        return shown

    def _join(self, sums: Array) -> list[Line2D]:
        """Draw lines from each bar to the next, at the sums of finite contributions."""
        if not np.isfinite(self.amounts_).all():
            sums = sums[:-1]  # the bar of the total does not end at the sum of finite ones
        look: dict[str, Any] = {"color": shade(self.ax_, LINE), "lw": 0.8, "zorder": 1}
        return [
            self.ax_.plot([x, x], [row - 0.31, row + 1.31], **look)[0] for row, x in enumerate(sums)
        ]

    def _write_amounts(self, starts: Array, ends: Array) -> None:
        """Write each contribution at the end of its bar, with an arrow where it is infinite."""
        low, high = min(0.0, starts.min(), ends.min()), max(0.0, starts.max(), ends.max())
        margin = 0.14 * (high - low) or 1.0
        self.ax_.set_xlim(low - margin, high + margin)
        for row, (amount, end) in enumerate(zip(self.amounts_, ends, strict=True)):
            sign = -1 if amount < 0 else 1
            self.ax_.annotate(
                f"{amount:+.2f}".replace("-", "\N{MINUS SIGN}").replace("inf", "\N{INFINITY}"),
                (end, row),
                xytext=(sign * (4 if np.isfinite(amount) else 9), 0),
                textcoords="offset points",
                ha="left" if sign > 0 else "right",
                va="center",
                fontsize=8,
                bbox={"facecolor": background(self.ax_), "edgecolor": "none", "pad": 0.6},
                fontweight="bold" if row == len(ends) - 1 else "normal",
            )
            if np.isinf(amount):
                colour = self.bars_[row].get_facecolor()
                marker = ">" if sign > 0 else "<"
                self.ax_.plot(end, row, marker, color=colour, ms=12, clip_on=False, zorder=3)

    def _name_axes(self) -> None:
        from matplotlib.patches import Patch

        known = self.explanation
        probability = known.probability[known.class_index]
        title = f"{wrapped(known.prediction, 40, 1)} (probability {probability:.2f})"
        if known.verdict is not None:
            title = wrapped(known.verdict, WIDTH, 2)
        # The verdict is long: it stands above the legend, not beside it.
        self.ax_.set_title(title, loc="left", pad=None if known.verdict is None else 20)
        unit = known.unit[:1].upper() + known.unit[1:]
        rival, own = (wrapped(label, 24, 1) for label in (known.rival, known.prediction))
        self.ax_.set_xlabel(f"{unit} for {own} against {rival}")
        self.ax_.spines[["top", "right", "left"]].set_visible(False)
        self.ax_.legend(
            [Patch(**class_look(i)) for i in (known.class_index, known.rival_index)],
            [f"for {own}", f"for {rival}"],
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=2,
            frameon=False,
            fontsize=8,
            borderaxespad=0.2,
        )
