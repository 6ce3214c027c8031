"""Rules as a table: the conditions of each rule, and its importance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fuzzyucs.plots._model import deciding_rules
from fuzzyucs.plots._style import class_look, literal, panels, wrapped
from fuzzyucs.rules import RuleSet
from fuzzyucs.variables import IntervalVariables, LinguisticPartition
from fuzzyucs.variables.coding import is_fine, runs
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.patches import Rectangle

__all__ = ["RuleHeatmapDisplay"]

MARGIN = 0.06  # of a cell, on either side
NARROWEST = 0.03  # of a cell: the least visible width
FONT_SIZE = 6.5
SIZE = (1.0, 0.36)  # of a cell, in inches


class RuleHeatmapDisplay:
    """Conditions of rules on features, one row for each rule.

    A cell spans the range of a feature, from its first term to its last (or from the least value of
    the training data to the greatest). The coloured part is what the rule accepts, its colour is
    the predicted class; the numbers are the bounds between which adjacent terms hold to a degree of
    at least one half. An empty cell means no condition. Bars at the right show the importance of
    each rule. Create it by `from_estimator` or `from_rules`.

    Parameters
    ----------
    rules : RuleSet
        The rules, in the order of rows.
    row_names : sequence, optional
        Names of the rows; by default the indices of the rules.
    max_features : int, default=12
        Greatest number of columns. Features without any condition are left out, then those with
        the fewest conditions of the least important rules.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the cells.
    side_ax_ : matplotlib Axes
        Axes of the bars.
    figure_ : matplotlib Figure
        Figure of the axes.
    features_ : list of int
        The features of the columns.
    cells_ : dict of tuple of int to list of matplotlib Rectangle
        The coloured parts of a cell, by row and feature. Column k is from k to k + 1.
    bars_ : matplotlib BarContainer
        Importance of the rules: fitness times numerosity of evolved ones, else their evidence.

    See Also
    --------
    fuzzyucs.RuleSet.to_text : The rules as sentences.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.plots import RuleHeatmapDisplay
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> display = RuleHeatmapDisplay.from_estimator(clf, max_rules=3, ax=Figure().subplots())
    >>> len(display.bars_)
    3
    """

    ax_: Axes
    side_ax_: Axes
    figure_: Figure | SubFigure
    features_: list[int]
    cells_: dict[tuple[int, int], list[Rectangle]]
    bars_: BarContainer

    def __init__(
        self, rules: RuleSet, *, row_names: Sequence[Any] | None = None, max_features: int = 12
    ) -> None:
        self.rules = rules
        self.row_names = row_names
        self.max_features = max_features

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        max_rules: int = 20,
        max_features: int = 12,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the most important rules of a classifier.

        Parameters
        ----------
        estimator : fitted rule classifier
            Of any kind.
        max_rules : int, default=20
            Greatest number of rows.
        max_features : int, default=12
            Greatest number of columns.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.

        Returns
        -------
        RuleHeatmapDisplay
            Rows are named by the indices of the rules in `rules_`, or in `weighted_rules_` if those
            decide.
        """
        rules, indices = deciding_rules(estimator)
        chosen = _most_important(rules, max_rules)
        shown = cls(rules[chosen], row_names=indices[chosen].tolist(), max_features=max_features)
        return shown.plot(ax=ax)

    @classmethod
    def from_rules(
        cls,
        rules: RuleSet,
        *,
        max_rules: int = 20,
        max_features: int = 12,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the most important of given rules.

        Parameters
        ----------
        rules : RuleSet
            Of any kind.
        max_rules : int, default=20
            Greatest number of rows.
        max_features : int, default=12
            Greatest number of columns.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.

        Returns
        -------
        RuleHeatmapDisplay
        """
        chosen = _most_important(rules, max_rules)
        shown = cls(rules[chosen], row_names=chosen.tolist(), max_features=max_features)
        return shown.plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.

        Returns
        -------
        RuleHeatmapDisplay
            The display itself.
        """
        names = self._check_rows()
        self.features_ = self._choose_features()
        n_rows, n_columns = len(self.rules), max(1, len(self.features_))
        size = (SIZE[0] * n_columns + 3.2) / 2, SIZE[1] * n_rows + 1.2
        widths = [n_columns, max(1.0, 0.12 * n_columns)]
        self.ax_, self.side_ax_ = panels(ax, 2, n_columns=2, size=size, widths=widths)
        self.figure_ = self.ax_.figure
        self._draw_frame(n_rows, n_columns, names)
        self.cells_ = {
            (row, feature): self._draw_cell(row, column, feature)
            for row in range(n_rows)
            for column, feature in enumerate(self.features_)
            if self.rules.asks[row, feature]
        }
        self._draw_bars()
        return self

    def _check_rows(self) -> list[Any]:
        n_rules = len(self.rules)
        if not n_rules:
            raise ValueError("there are no rules to show")
        names = list(range(n_rules) if self.row_names is None else self.row_names)
        if len(names) != n_rules:
            raise ValueError(f"row_names must name each of {n_rules} rows, got {len(names)} names")
        if self.max_features < 1:
            raise ValueError(f"max_features must be at least 1, got {self.max_features}")
        return names

    def _choose_features(self) -> list[int]:
        asks = self.rules.asks
        asked = np.flatnonzero(asks.any(axis=0))
        use = asks.sum(axis=0) + self.rules.rule_importance() @ asks
        best = asked[np.argsort(-use[asked], kind="stable")[: self.max_features]]
        return sorted(best.tolist())

    def _draw_frame(self, n_rows: int, n_columns: int, row_names: Sequence[Any]) -> None:
        ax, rules = self.ax_, self.rules
        ax.set(xlim=(0, n_columns), ylim=(n_rows - 0.5, -0.5))
        labels = [
            f"{literal(name)}: {wrapped(rules.label(row), 24, 1)}"
            for row, name in enumerate(row_names)
        ]
        ax.set_yticks(range(n_rows), labels)
        headers = [wrapped(rules.variables.feature_names[f], 15, 3) for f in self.features_]
        ax.set_xticks(np.arange(len(headers)) + 0.5, headers, fontsize=8)
        ax.tick_params(length=0)
        ax.xaxis.tick_top()
        for spine in ax.spines.values():
            spine.set_visible(False)
        for line in range(n_columns + 1):
            ax.axvline(line, color="0.8", lw=0.6, zorder=0)
        for row in range(0, n_rows, 2):
            ax.axhspan(row - 0.5, row + 0.5, color="0.965", lw=0, zorder=-1)
        names = rules.variables.feature_names
        asked = np.flatnonzero(rules.asks.any(axis=0)).tolist()
        hidden = ", ".join(names[f] for f in asked if f not in self.features_)
        if hidden:
            text = wrapped(f"Also asked for, but seldom: {hidden}", 16 * n_columns, 2)
            ax.set_xlabel(text, fontsize=8)

    def _draw_cell(self, row: int, column: int, feature: int) -> list[Rectangle]:
        """Draw the range of a feature, and the part that a rule accepts."""
        from matplotlib.patches import Rectangle

        rules = self.rules
        condition, width = rules.conditions[row][feature], 1 - 2 * MARGIN
        left, top, height = column + MARGIN, row - 0.3, 0.32
        look = _look(rules, row) | {"edgecolor": "white", "linewidth": 0.4}
        self.ax_.add_patch(Rectangle((left, top), width, height, facecolor="0.88", lw=0, zorder=1))
        parts = [
            Rectangle((left + a * width, top), (b - a) * width, height, zorder=2, **look)
            for a, b in _accepted(rules, feature, condition)
        ]
        for part in parts:
            self.ax_.add_patch(part)
        for line in _borders(rules, feature):
            x = left + line * width
            self.ax_.plot([x, x], [top, top + height], color="white", lw=0.6, zorder=3)
        text = literal(_bounds_text(rules, feature, condition))
        self.ax_.text(
            column + 0.5,
            row + 0.25,
            text,
            ha="center",
            va="center",
            fontsize=FONT_SIZE,
            color="0.3",
        )
        return parts

    def _draw_bars(self) -> None:
        """Draw the importance of rules, and a legend of their classes."""
        rules, side = self.rules, self.side_ax_
        looks = [_look(rules, row) for row in range(len(rules))]
        self.bars_ = side.barh(range(len(rules)), rules.rule_importance(), height=0.6, zorder=2)
        for bar, look in zip(self.bars_, looks, strict=True):
            bar.set(**look, edgecolor="white", linewidth=0.4)
        side.set(ylim=self.ax_.get_ylim(), yticks=[])
        side.set_xlim(left=0)
        side.locator_params(axis="x", nbins=3)
        side.tick_params(labelsize=8)
        title = rules.importance_name.replace(" x ", " x\n")
        side.set_title(title, fontsize=8)
        side.spines[["top", "right"]].set_visible(False)
        # The first rule of each conclusion, by class; those for it come before those against it.
        first: dict[tuple[int, bool], int] = {}
        for row in range(len(rules)):
            first.setdefault((int(rules.named_class[row]), bool(rules.is_against[row])), row)
        side.legend(
            [self.bars_[first[key]] for key in sorted(first)],
            [wrapped(rules.label(first[key]), 24, 1) for key in sorted(first)],
            loc="upper left",
            bbox_to_anchor=(1.05, 1.0),
            borderaxespad=0,
            frameon=False,
            title="predicts",
        )


def _look(rules: RuleSet, rule: int) -> dict[str, Any]:
    """Return colour and hatch of a rule's class; a rule against it is crossed out."""
    look = class_look(int(rules.named_class[rule]))
    return look | {"hatch": "xxxx"} if rules.is_against[rule] else look


def _most_important(rules: RuleSet, max_rules: int) -> Any:
    """Return the indices of the most important rules, the most important first."""
    if max_rules < 1:
        raise ValueError(f"max_rules must be at least 1, got {max_rules}")
    return np.argsort(-rules.rule_importance(), kind="stable")[:max_rules]


def _accepted(rules: RuleSet, feature: int, condition: Any) -> list[tuple[float, float]]:
    """Return the parts of a feature's range that a condition accepts, in shares of the range."""
    if not isinstance(rules.variables, LinguisticPartition):
        low, high = sorted(np.asarray(condition, dtype=float).tolist())
        lack = max(0.0, NARROWEST - (high - low)) / 2
        return [(max(low - lack, 0.0), min(high + lack, 1.0))]
    n_terms = len(rules.variables.terms(feature))
    found = runs(condition, int(rules.variables.n_terms[feature]))
    return [(first / n_terms, min(last + 1, n_terms) / n_terms) for first, last in found]


def _borders(rules: RuleSet, feature: int) -> list[float]:
    """Return the borders between adjacent terms, in shares of the range."""
    if not isinstance(rules.variables, LinguisticPartition):
        return []
    n_terms = len(rules.variables.terms(feature))
    if is_fine(n_terms):
        return []  # there would be more lines than room
    return [term / n_terms for term in range(1, n_terms)]


def _bounds_text(rules: RuleSet, feature: int, condition: Any) -> str:
    """Return the bounds of a condition as text; empty if its terms are not adjacent."""
    variables = rules.variables
    if isinstance(variables, IntervalVariables):
        if not variables.maximum[feature] > variables.minimum[feature]:
            return "missing"
        scale = variables.columns.times.get(feature)
        write = "{:.3g}".format if scale is None else _round_time(scale)
        return _between(*variables.interval(feature, condition), write)
    if not isinstance(variables, LinguisticPartition):
        return ""
    if variables.is_nominal[feature] or variables.is_coded(feature):
        words = variables.phrase(feature, condition)
        return words if len(words) <= 18 else ""
    text = variables.describe_numbers(feature, condition)
    at_most, at_least = "\N{LESS-THAN OR EQUAL TO}", "\N{GREATER-THAN OR EQUAL TO}"
    return text.replace("<=", at_most).replace(">=", at_least)


def _round_time(scale: TimeScale) -> Callable[[float], str]:
    return lambda value: scale.write(scale.rounded(value))


def _between(low: float, high: float, write: Callable[[float], str]) -> str:
    if np.isinf(low) and np.isinf(high):
        return ""
    if np.isinf(low):
        return f"\N{LESS-THAN OR EQUAL TO} {write(high)}"
    if np.isinf(high):
        return f"\N{GREATER-THAN OR EQUAL TO} {write(low)}"
    return f"{write(low)} to {write(high)}"
