"""Accuracy and number of rules during training."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from fuzzyucs.estimators.progress import EpochReport
from fuzzyucs.plots._ink import shade
from fuzzyucs.plots._style import OKABE_ITO, Array, figure_of, panels, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay:
    """Accuracy and number of rules after each epoch.

    For estimators that learn in epochs. Create it by `from_estimator`.

    Parameters
    ----------
    training_accuracy : ndarray of shape (n_epochs,)
        Accuracy on the training data after each epoch.
    n_rules : ndarray of shape (n_epochs,)
        Number of (macro-)rules after each epoch.
    test_accuracy : ndarray of shape (n_epochs,), optional
        Accuracy on other data after each epoch.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        Accuracy above, rules below.
    figure_ : matplotlib Figure
        Figure of the axes.
    lines_ : list of matplotlib Line2D
        Training accuracy, number of rules, and test accuracy, if there is one.

    See Also
    --------
    sklearn.model_selection.LearningCurveDisplay : Accuracy over the number of training rows, for
        every estimator.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import FuzzyUCSClassifier
    >>> from fuzzyucs.plots import LearningCurveDisplay
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> display = LearningCurveDisplay.from_estimator(
    ...     FuzzyUCSClassifier(random_state=0), X, y, epochs=5, ax=Figure().subplots(2)
    ... )
    >>> display.n_rules.shape
    (5,)
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    lines_: list[Line2D]

    def __init__(
        self,
        training_accuracy: Array,
        n_rules: NDArray[np.int64],
        test_accuracy: Array | None = None,
    ) -> None:
        self.training_accuracy = training_accuracy
        self.n_rules = n_rules
        self.test_accuracy = test_accuracy

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        X_test: Any = None,
        y_test: ArrayLike | None = None,
        *,
        epochs: int | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Train a copy of an estimator and draw its progress.

        Parameters
        ----------
        estimator : FuzzyUCSClassifier or UCSClassifier
            One whose ``fit`` takes a callback; fitted or not, it does not change. Steps after the
            last epoch (evidence weights, calibration) are not included.
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.
        X_test : array-like of shape (n_test_samples, n_features), optional
            Other data to test on.
        y_test : array-like of shape (n_test_samples,), optional
            Their class labels.
        epochs : int, optional
            Number of epochs; by default that of the estimator.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.

        Returns
        -------
        LearningCurveDisplay
        """
        if not _reports_epochs(estimator):
            raise TypeError(
                f"{type(estimator).__name__} does not learn in epochs: its fit takes no callback; "
                "for its accuracy over the number of training rows see "
                "sklearn.model_selection.LearningCurveDisplay"
            )
        if (X_test is None) != (y_test is None):
            raise ValueError("X_test and y_test must be given together")
        reports: list[tuple[float, int, float]] = []

        def listen(report: EpochReport) -> None:
            test = np.nan if X_test is None else report.model.score(X_test, y_test)
            reports.append((report.training_accuracy(), report.n_rules, test))

        copy = clone(estimator)
        if epochs is not None:
            copy.set_params(epochs=epochs)
        copy.fit(X, y, callback=listen)
        training, n_rules, test = map(np.array, zip(*reports, strict=True))
        return cls(training, n_rules, None if X_test is None else test).plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or two; by default a new figure.

        Returns
        -------
        LearningCurveDisplay
            The display itself.
        """
        self.axes_ = panels(ax, 2, n_columns=1, size=(6.4, 2.2))
        self.figure_ = figure_of(self.axes_)
        above, below = self.axes_
        epochs = np.arange(1, len(self.n_rules) + 1)
        # A single point makes no line, and few points are easier to read with markers.
        style: dict[str, Any] = {"marker": "o" if len(epochs) <= 30 else "", "markersize": 3.5}
        blue, orange, green = OKABE_ITO[:3]
        accuracy = above.plot(
            epochs, self.training_accuracy, color=blue, label="training data", **style
        )
        rules = below.plot(epochs, self.n_rules, color=green, **style)
        self.lines_ = [*accuracy, *rules]
        if self.test_accuracy is not None:
            style |= {"color": orange, "linestyle": "--", "label": "test data"}
            self.lines_ += above.plot(epochs, self.test_accuracy, **style)
        above.set_ylabel("Accuracy")
        below.set(xlabel="Epoch", ylabel="Rules")
        below.set_ylim(bottom=0, top=1.08 * max(self.n_rules))
        above.sharex(below)
        above.tick_params(labelbottom=False)
        below.locator_params(axis="x", integer=True)
        for panel in self.axes_:
            panel.grid(color=shade(panel, 0.1))
            panel.set_axisbelow(True)
        show_legend(above)
        return self


def _reports_epochs(estimator: Any) -> bool:
    """Tell whether the ``fit`` of an estimator calls back after each epoch."""
    if not hasattr(estimator, "fit") or not hasattr(estimator, "epochs"):
        return False
    return "callback" in signature(estimator.fit).parameters
