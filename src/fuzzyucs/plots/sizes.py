"""What more rules are worth: log-loss and accuracy on held-out rows over the number of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.plots._style import OKABE_ITO, Array, figure_of, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

__all__ = ["SizePathDisplay"]


class SizePathDisplay:
    """Log-loss and accuracy on held-out rows over the number of rules.

    Each point is a size that `fit` tried; a line marks the size of the model. Where the curves are
    flat, `with_size` gives a smaller model that is hardly worse. Create it by `from_estimator`.

    Parameters
    ----------
    n_rules : ndarray of shape (n_sizes,)
        Number of rules, on the mean over folds.
    log_loss : ndarray of shape (n_sizes,)
        Mean log-loss of held-out rows.
    accuracy : ndarray of shape (n_sizes,)
        Share of held-out rows that were classified rightly.
    chosen : float, optional
        Number of rules of the model.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        Log-loss above, accuracy below.
    figure_ : matplotlib Figure
        Figure of the axes.
    lines_ : list of matplotlib Line2D
        Log-loss and accuracy.
    marks_ : list of matplotlib Line2D
        The size of the model in both panels, if it is known.
    text_ : matplotlib Text or None
        Its number of rules.

    See Also
    --------
    fuzzyucs.EvidentialRuleClassifier.with_size : A model with fewer rules.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.plots import SizePathDisplay
    >>> cancer = load_breast_cancer()
    >>> X, y = cancer.data, cancer.target_names[cancer.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y).with_size(5)
    >>> display = SizePathDisplay.from_estimator(clf, ax=Figure().subplots(2))
    >>> display.text_.get_text()
    '5 rules'
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    lines_: list[Line2D]
    marks_: list[Line2D]
    text_: Text | None

    def __init__(
        self, n_rules: Array, log_loss: Array, accuracy: Array, chosen: float | None = None
    ) -> None:
        self.n_rules = n_rules
        self.log_loss = log_loss
        self.accuracy = accuracy
        self.chosen = chosen

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Axes | Sequence[Axes] | None = None, **kwargs: Any
    ) -> Self:
        """Draw the sizes that a classifier could have had.

        Parameters
        ----------
        estimator : EvidentialRuleClassifier
            A fitted one, with `path_`. If it fuses several models (`n_models`), the size marked is
            that of one of them.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        SizePathDisplay
        """
        if hasattr(estimator, "fit"):
            check_is_fitted(estimator)
        if not hasattr(estimator, "path_"):
            raise TypeError(
                "sizes are those that fit of an EvidentialRuleClassifier tried (path_), which "
                f"this {type(estimator).__name__} lacks"
            )
        path, chosen = estimator.path_, float(len(estimator.rules_))
        if estimator.n_models > 1:
            chosen = float(path["n_rules"][path["penalty"] == estimator.penalty_][0])
        return cls(path["n_rules"], path["log_loss"], path["accuracy"], chosen).plot(
            ax=ax, **kwargs
        )

    def plot(self, ax: Axes | Sequence[Axes] | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.
        **kwargs : dict
            For matplotlib's ``plot``.

        Returns
        -------
        SizePathDisplay
            The display itself.
        """
        self.axes_ = panels(ax, 2, n_columns=1, size=(6.4, 2.4))
        self.figure_ = figure_of(self.axes_)
        above, below = self.axes_
        style: dict[str, Any] = {"marker": "o", "markersize": 4.5, "clip_on": False, "zorder": 3}
        blue, orange = OKABE_ITO[:2]
        self.lines_ = [
            *above.plot(self.n_rules, self.log_loss, **(style | {"color": blue} | kwargs)),
            *below.plot(self.n_rules, self.accuracy, **(style | {"color": orange} | kwargs)),
        ]
        above.set_ylabel("Held-out log-loss")
        below.set(xlabel="Number of rules", ylabel="Held-out accuracy")
        above.set_ylim(0, 1.15 * max(self.log_loss) or 1)  # with room for the text
        above.sharex(below)
        above.tick_params(labelbottom=False)
        below.set_xlim(0, 1.04 * max(*self.n_rules, self.chosen or 0, 1))
        below.locator_params(axis="x", integer=True)
        for panel in self.axes_:
            panel.grid(alpha=0.3)
            panel.spines[["top", "right"]].set_visible(False)
        self.figure_.align_ylabels(self.axes_)
        self._mark()
        return self

    def _mark(self) -> None:
        """Mark the size of the model."""
        self.marks_, self.text_ = [], None
        if self.chosen is None:
            return
        above = self.axes_[0]
        colour = above.xaxis.label.get_color()  # to be seen on dark grounds, too
        look: dict[str, Any] = {"color": colour, "linestyle": "--", "linewidth": 1.2, "zorder": 2}
        self.marks_ = [panel.axvline(self.chosen, **look) for panel in self.axes_]
        number = round(self.chosen)
        is_right = self.chosen > np.mean(above.get_xlim())
        self.text_ = above.annotate(
            f"{number:,} rule{'s' * (number != 1)}",
            (self.chosen, 1),
            xycoords=above.get_xaxis_transform(),
            xytext=(-6 if is_right else 6, -2),
            textcoords="offset points",
            ha="right" if is_right else "left",
            va="top",
            color=colour,
            fontweight="bold",
        )
