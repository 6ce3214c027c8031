"""Rules as a table: the conditions of each rule, and its importance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import counted
from fuzzyucs.plots._ink import background, shade
from fuzzyucs.plots._model import deciding_rules
from fuzzyucs.plots._style import class_look, literal, panels, wrapped
from fuzzyucs.plots._ticks import short_number
from fuzzyucs.rules import RuleSet
from fuzzyucs.variables import IntervalVariables, LinguisticPartition
from fuzzyucs.variables.coding import is_fine, runs
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

__all__ = ["RuleHeatmapDisplay"]

MARGIN = 0.06  # of a cell, on either side
WIDTH = 30  # letters of a line in the last column
NARROWEST = 0.03  # of a cell: the least visible width
FONT_SIZE = 6.5
SIZE = (1.0, 0.36)  # of a cell, in inches
REST = 1.8  # columns that the conditions without a column of their own take
STRIPE, RANGE, LINE, NUMBER = 0.04, 0.13, 0.2, 0.75  # shades between ground and text


class RuleHeatmapDisplay:
    """Conditions of rules on features, one row for each rule.

    A cell spans the range of a feature, from its first term to its last (or from the least value of
    the training data to the greatest). The coloured part is what the rule accepts, its colour is
    the predicted class; the numbers are the bounds between which adjacent terms hold to a degree of
    at least one half. An empty cell means no condition. Features without a column of their own are
    named in the last column. Bars at the right show the importance of each rule. Create it by
    `from_estimator` or `from_rules`.

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
    rest_ : dict of int to matplotlib Text
        What rows ask of features without a column, by row.
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
    rest_: dict[int, Text]
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
            Greatest number of rows. Each class has its share in one half of them, as far as there
            are rules for it; the other half are the most important rules of all classes.
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
            Greatest number of rows. Each class has its share in one half of them, as far as there
            are rules for it; the other half are the most important rules of all classes.
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
        n_rows, n_columns = len(self.rules), max(1.0, len(self.features_))
        hidden = self.rules.asks.copy()
        hidden[:, self.features_] = False
        n_columns += REST if hidden.any() else 0
        size = (SIZE[0] * n_columns + 3.2) / 2, SIZE[1] * n_rows + 1.2
        widths = [n_columns, max(1.0, 0.12 * n_columns)]
        self.ax_, self.side_ax_ = panels(ax, 2, n_columns=2, size=size, widths=widths)
        self.figure_ = self.ax_.figure
        self._draw_frame(n_columns, names)
        self.rest_ = {
            row: self._tell_rest(row, np.flatnonzero(hidden[row]).tolist())
            for row in np.flatnonzero(hidden.any(axis=1)).tolist()
        }
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

    def _draw_frame(self, width: float, row_names: Sequence[Any]) -> None:
        ax, rules, n_rows = self.ax_, self.rules, len(self.rules)
        ax.set(xlim=(0, width), ylim=(n_rows - 0.5, -0.5))
        labels = [
            f"{literal(name)}: {wrapped(rules.label(row), 24, 1)}"
            for row, name in enumerate(row_names)
        ]
        ax.set_yticks(range(n_rows), labels)
        headers = [wrapped(rules.variables.feature_names[f], 13, 3) for f in self.features_]
        places = [column + 0.5 for column in range(len(headers))]
        if width > len(headers) > 0:
            headers.append("and also asks for")
            places.append(len(headers) - 1 + REST / 2)
        ax.set_xticks(places, headers, fontsize=7.5)
        ax.tick_params(length=0)
        ax.xaxis.tick_top()
        ax.grid(visible=False)
        for spine in ax.spines.values():
            spine.set_visible(False)
        for line in (*range(len(self.features_) + 1), width):
            ax.axvline(line, color=shade(ax, LINE), lw=0.6, zorder=0)
        for row in range(0, n_rows, 2):
            ax.axhspan(row - 0.5, row + 0.5, color=shade(ax, STRIPE), lw=0, zorder=-1)

    def _tell_rest(self, row: int, hidden: Sequence[int]) -> Text:
        """Name the features without a column that a rule asks for."""
        names = ", ".join(self.rules.variables.feature_names[f] for f in hidden)
        if len(hidden) > 1 and len(names) > 2 * WIDTH:
            names = f"{counted(len(hidden), 'feature', 'features')}: {names}"
        x = len(self.features_) + MARGIN
        look: dict[str, Any] = {"fontsize": FONT_SIZE, "color": shade(self.ax_, NUMBER)}
        return self.ax_.text(x, row, wrapped(names, WIDTH, 2), va="center", **look)

    def _draw_cell(self, row: int, column: int, feature: int) -> list[Rectangle]:
        """Draw the range of a feature, and the part that a rule accepts."""
        from matplotlib.patches import Rectangle

        rules = self.rules
        condition, width = rules.conditions[row][feature], 1 - 2 * MARGIN
        left, top, height = column + MARGIN, row - 0.3, 0.32
        ground = background(self.ax_)
        look = _look(rules, row) | {"edgecolor": ground, "linewidth": 0.4}
        whole: dict[str, Any] = {"facecolor": shade(self.ax_, RANGE), "linewidth": 0, "zorder": 1}
        self.ax_.add_patch(Rectangle((left, top), width, height, **whole))
        parts = [
            Rectangle((left + a * width, top), (b - a) * width, height, zorder=2, **look)
            for a, b in _accepted(rules, feature, condition)
        ]
        for part in parts:
            self.ax_.add_patch(part)
        for line in _borders(rules, feature):
            x = left + line * width
            self.ax_.plot([x, x], [top, top + height], color=ground, lw=0.6, zorder=3)
        text = literal(_bounds_text(rules, feature, condition))
        self.ax_.text(
            column + 0.5,
            row + 0.25,
            text,
            ha="center",
            va="center",
            fontsize=FONT_SIZE,
            color=shade(self.ax_, NUMBER),
        )
        return parts

    def _draw_bars(self) -> None:
        """Draw the importance of rules, and a legend of their classes."""
        rules, side = self.rules, self.side_ax_
        looks = [_look(rules, row) for row in range(len(rules))]
        self.bars_ = side.barh(range(len(rules)), rules.rule_importance(), height=0.6, zorder=2)
        for bar, look in zip(self.bars_, looks, strict=True):
            bar.set(**look, edgecolor=background(side), linewidth=0.4)
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


def _most_important(rules: RuleSet, max_rules: int) -> NDArray[np.intp]:
    """Return the indices of the most important rules, some of each class, by importance."""
    if max_rules < 1:
        raise ValueError(f"max_rules must be at least 1, got {max_rules}")
    order = np.argsort(-rules.rule_importance(), kind="stable")
    named = rules.named_class[order]
    share = max(1, max_rules // (2 * max(1, len(np.unique(named)))))
    of_own_class = np.zeros(len(order), dtype=int)  # how many of a rule's class come before it
    for label in np.unique(named):
        of_own_class[named == label] = np.arange((named == label).sum())
    first = np.argsort(of_own_class >= share, kind="stable")  # the shares of classes come first
    return order[np.sort(first[:max_rules])]


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
        write = short_number if scale is None else _round_time(scale)
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
