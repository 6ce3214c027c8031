"""What a model decides and believes over two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.checks import feature_number
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.metrics import evidence_method
from fuzzyucs.plots._style import FILLS, Array, figure_of, literal, panels, wrapped
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticPartition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

__all__ = ["BeliefLandscapeDisplay", "FeatureAxis"]

LEAST = 1e-12  # mass that is told from 0
MARGIN = 0.05  # of the range of the data, on either side
MOST = 6  # classes that have a panel
MOST_HELD = 4  # features whose values are told
FEW_VALUES = 6  # a feature with so few values is held at the most frequent one
MARKERS = ("o", "s", "^", "D", "v")  # for more classes than colours
PALE = 0.6  # of white in the colour of a region

Limits = Sequence[tuple[float, float] | None]


@dataclass(frozen=True, eq=False)
class FeatureAxis:
    """One of the two features of a landscape.

    Parameters
    ----------
    name : str
        Name of the feature.
    values : ndarray of shape (n_values,)
        Values at which the model is asked, ascending.
    terms : tuple of str
        Names of the values of a nominal feature, which are shown side by side; else empty.
    """

    name: str
    values: Array
    terms: tuple[str, ...] = ()

    @property
    def edges(self) -> tuple[float, float]:
        """Where the first pixel begins and the last ends."""
        if self.terms:
            return -0.5, len(self.terms) - 0.5
        half = (self.values[-1] - self.values[0]) / (2 * (len(self.values) - 1))
        return float(self.values[0] - half), float(self.values[-1] + half)

    @property
    def limits(self) -> tuple[float, float]:
        """What is shown."""
        return self.edges if self.terms else (float(self.values[0]), float(self.values[-1]))

    def places(self, column: Array) -> Array:
        """Return where values of data are drawn; NaN if nowhere."""
        if not self.terms:
            return column
        nearest = np.abs(column[:, np.newaxis] - self.values).argmin(axis=1)
        rows = np.arange(len(column))
        aside = 0.6 * ((rows * 0.6180339887) % 1 - 0.5)  # so that points do not hide each other
        found: Array = np.where(np.isnan(column), np.nan, nearest + aside)
        return found


class BeliefLandscapeDisplay:
    r"""Decisions, masses of the classes and of "I don't know" over two features.

    Like the article's Figures 5 to 7, for any model and any two features; the others are held at
    some value. Models without evidence have probabilities instead, and no ignorance. Best made by
    `from_estimator`. `plot` draws everything, `plot_decision`, `plot_mass` and `plot_ignorance`
    draw single panels.

    Parameters
    ----------
    features : tuple of two FeatureAxis
        The horizontal and the vertical feature.
    classes : ndarray of shape (n_classes,)
        Class labels.
    decision : ndarray of shape (n_vertical, n_horizontal)
        Number of the predicted class, -1 for none of them.
    mass : ndarray of shape (n_classes, n_vertical, n_horizontal)
        Masses of the classes, or probabilities.
    ignorance : ndarray of shape (n_vertical, n_horizontal), optional
        Mass of "I don't know". None: `mass` holds probabilities.
    points : ndarray of shape (n_samples, 2), optional
        Data to draw over it.
    labels : ndarray of shape (n_samples,), optional
        Their true classes.
    held : dict, optional
        Values at which the other features are held, by name.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panels: decision, classes, ignorance.
    figure_ : matplotlib Figure
        What the axes are in.
    images_ : list of matplotlib AxesImage
        What the panels show.
    shown_ : list of int
        The classes that have a panel: at most six, those with most mass.

    See Also
    --------
    fuzzyucs.Evidence : The numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.datasets import make_clouds
    >>> from fuzzyucs.plots import BeliefLandscapeDisplay
    >>> X, y = make_clouds(random_state=0)
    >>> clf = EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y)
    >>> display = BeliefLandscapeDisplay.from_estimator(
    ...     clf, X, y=y, resolution=20, ax=Figure().subplots(1, 4)
    ... )
    >>> [panel.get_title() for panel in display.axes_]
    ['decision', 'mass of 0', 'mass of 1', 'mass of "I don\'t know"']
    """

    axes_: list[Axes]
    figure_: Figure | SubFigure
    images_: list[AxesImage]
    shown_: list[int]

    def __init__(
        self,
        features: tuple[FeatureAxis, FeatureAxis],
        classes: NDArray[Any],
        decision: NDArray[np.int64],
        mass: Array,
        ignorance: Array | None = None,
        *,
        points: Array | None = None,
        labels: NDArray[Any] | None = None,
        held: Mapping[str, float] | None = None,
    ) -> None:
        self.features = features
        self.classes = classes
        self.decision = decision
        self.mass = mass
        self.ignorance = ignorance
        self.points = points
        self.labels = labels
        self.held = held

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Mapping[Any, float] | None = None,
        resolution: int = 150,
        limits: Limits = (None, None),
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw what a classifier says.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_evidence``, also as last step of a pipeline, or ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Data to draw over the landscape. They also tell its limits, and where the other
            features are held.
        features : tuple of int or str, default=(0, 1)
            The horizontal and the vertical feature, by number or name.
        y : array-like of shape (n_samples,), optional
            Class labels of the data.
        at : dict, optional
            Values of other features, by number or name; NaN is a missing value. By default the
            median, or the most frequent value of nominal features and those with few values.
        resolution : int, default=150
            Points along each axis. A nominal feature has a stripe for each value instead.
        limits : tuple of two tuples, default=(None, None)
            Least and greatest value along each axis; None is the range of the data and some more.
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each panel; by default a new figure.

        Returns
        -------
        BeliefLandscapeDisplay
        """
        return cls.of(estimator, X, features, y, at=at, resolution=resolution, limits=limits).plot(
            ax=ax
        )

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[int | str, int | str] = (0, 1),
        y: ArrayLike | None = None,
        *,
        at: Mapping[Any, float] | None = None,
        resolution: int = 150,
        limits: Limits = (None, None),
    ) -> Self:
        """Ask a classifier, and draw nothing yet.

        Parameters
        ----------
        estimator, X, features, y, at, resolution, limits
            As in `from_estimator`.

        Returns
        -------
        BeliefLandscapeDisplay
        """
        if resolution < 2:
            raise ValueError(f"resolution must be at least 2, got {resolution}")
        columns = getattr(estimator, "columns_", Columns())
        data = _as_numbers(columns.numbers(X))
        names = _feature_names(X, data.shape[1])
        chosen = _two_features(features, names)
        variables = _variables(estimator)
        held = _hold(data, names, variables, at or {})
        axes = [
            _axis(data[:, f], f, names[f], variables, resolution, limit)
            for f, limit in zip(chosen, limits, strict=True)
        ]
        shape = len(axes[1].values), len(axes[0].values)
        rows = np.tile(held, (shape[0] * shape[1], 1))
        rows[:, chosen] = np.stack(np.meshgrid(*(a.values for a in axes)), axis=-1).reshape(-1, 2)
        answer = _ask(estimator, columns.restored(X, rows))
        return cls(
            (axes[0], axes[1]),
            answer[0],
            answer[1].reshape(shape),
            np.moveaxis(answer[2], 1, 0).reshape(-1, *shape),
            None if answer[3] is None else answer[3].reshape(shape),
            points=data[:, chosen],
            labels=None if y is None else np.asarray(y),
            held={name: held[f] for f, name in enumerate(names) if f not in chosen},
        )

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw all panels.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            One to be divided, or one for each panel; by default a new figure.

        Returns
        -------
        BeliefLandscapeDisplay
            The display itself.
        """
        means = self.mass.mean(axis=(1, 2))
        self.shown_ = sorted(np.argsort(-means, kind="stable")[:MOST].tolist())
        n_panels = 1 + len(self.shown_) + (self.ignorance is not None)
        n_columns = n_panels if n_panels <= 3 else -(-n_panels // (-(-n_panels // 4)))
        axes = panels(ax, n_panels, n_columns=n_columns, size=(3.3, 3.0))
        images = [self.plot_decision(axes[0])]
        images += [
            self.plot_mass(number, panel)
            for number, panel in zip(self.shown_, axes[1:], strict=False)
        ]
        if self.ignorance is not None:
            images.append(self.plot_ignorance(axes[-1]))
        for i, panel in enumerate(axes):
            panel.set_xlabel(wrapped(self.features[0].name, 40, 2))
            if i % n_columns == 0:
                panel.set_ylabel(wrapped(self.features[1].name, 40, 2))
        self.axes_, self.figure_, self.images_ = axes, figure_of(axes), images
        self._show_classes(axes[0])
        if ax is None and self.held:
            self.figure_.suptitle(self._circumstances(), fontsize=9, color="0.3")
        return self

    def plot_decision(self, ax: Axes) -> AxesImage:
        """Draw which class is predicted where.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.

        Returns
        -------
        matplotlib AxesImage
        """
        from matplotlib.colors import ListedColormap

        palette = ListedColormap(_pale(len(self.classes))).with_extremes(under="white")
        limits = {"vmin": -0.5, "vmax": len(self.classes) - 0.5}
        image = self._draw(ax, self.decision, cmap=palette, **limits)
        ax.set_title("decision")
        return image

    def plot_mass(self, number: int, ax: Axes) -> AxesImage:
        """Draw the mass of a class.

        Parameters
        ----------
        number : int
            Number of the class.
        ax : matplotlib Axes
            Where to draw.

        Returns
        -------
        matplotlib AxesImage
        """
        image = self._draw(ax, self.mass[number], cmap="Greys", vmin=0, vmax=1)
        kind = "probability" if self.ignorance is None else "mass"
        ax.set_title(f"{kind} of {wrapped(self.classes[number], 20, 1)}")
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
        return image

    def plot_ignorance(self, ax: Axes) -> AxesImage:
        """Draw the mass of "I don't know", on a logarithmic scale.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.

        Returns
        -------
        matplotlib AxesImage
            Masses below 1e-12 are drawn as that.
        """
        from matplotlib.colors import LogNorm

        if self.ignorance is None:
            raise ValueError("the model has probabilities only, and no ignorance")
        ignorance = np.maximum(self.ignorance, LEAST)
        least = min(0.1, 10.0 ** np.floor(np.log10(ignorance.min())))
        image = self._draw(ax, ignorance, cmap="Greys", norm=LogNorm(least, 1))
        ax.set_title('mass of "I don\'t know"')
        ax.figure.colorbar(image, ax=ax, shrink=0.8)
        return image

    def _draw(self, ax: Axes, values: NDArray[Any], **look: Any) -> AxesImage:
        """Draw a panel, and the data over it."""
        x, y = self.features
        extent = (*x.edges, *y.edges)
        image = ax.imshow(values, origin="lower", extent=extent, aspect="auto", **look)
        self._draw_points(ax)
        ax.set(xlim=x.limits, ylim=y.limits)
        if x.terms:
            ax.set_xticks(range(len(x.terms)), [literal(term) for term in x.terms])
        if y.terms:
            ax.set_yticks(range(len(y.terms)), [literal(term) for term in y.terms])
        return image

    def _draw_points(self, ax: Axes) -> None:
        if self.points is None:
            return
        x, y = (axis.places(self.points[:, i]) for i, axis in enumerate(self.features))
        size = float(np.clip(3000 / max(len(x), 1), 7, 22))
        look: dict[str, Any] = {"s": size, "edgecolors": "white", "linewidths": 0.3, "zorder": 2}
        if self.labels is None:
            ax.scatter(x, y, c="black", **look)
            return
        for number, label in enumerate(self.classes):
            turn, colour = divmod(number, len(FILLS))
            rows = self.labels == label
            marker = MARKERS[turn % len(MARKERS)]
            ax.scatter(x[rows], y[rows], c=FILLS[colour], marker=marker, **look)

    def _show_classes(self, ax: Axes) -> None:
        """Show what the colours mean; of many classes, those that are predicted most."""
        from matplotlib.patches import Patch

        numbers, counts = np.unique(self.decision[self.decision >= 0], return_counts=True)
        known = range(len(self.classes))
        most = known if len(known) <= MOST else numbers[np.argsort(-counts, kind="stable")[:MOST]]
        colours = _pale(len(self.classes))
        handles = [Patch(facecolor=colours[i], edgecolor="0.4", lw=0.5) for i in sorted(most)]
        names = [wrapped(self.classes[i], 20, 1) for i in sorted(most)]
        ax.legend(handles, names, fontsize=7, framealpha=0.85, loc="best", handlelength=1.2)

    def _circumstances(self) -> str:
        """Say where the other features are held, or the first of them."""
        parts = [
            f"{name} missing" if np.isnan(value) else f"{name} = {value:.4g}"
            for name, value in dict(self.held or {}).items()
        ]
        more = [f"and {len(parts) - MOST_HELD} more"] if len(parts) > MOST_HELD else []
        return literal(f"held: {', '.join(parts[:MOST_HELD] + more)}")


def _pale(n_classes: int) -> list[tuple[float, float, float]]:
    """Return the colours of regions."""
    from matplotlib.colors import to_rgb

    colours = [to_rgb(FILLS[i % len(FILLS)]) for i in range(n_classes)]
    return [
        (PALE + (1 - PALE) * red, PALE + (1 - PALE) * green, PALE + (1 - PALE) * blue)
        for red, green, blue in colours
    ]


def _as_numbers(X: Any) -> Array:
    data: Array = np.asarray(X, dtype=np.float64)
    if data.ndim != 2 or data.shape[1] < 1 or not len(data):
        raise ValueError(f"X must be a table with rows and columns, got shape {data.shape}")
    return data


def _feature_names(X: Any, n_features: int) -> list[str]:
    columns = getattr(X, "columns", None)
    return [f"x{i}" for i in range(n_features)] if columns is None else list(map(str, columns))


def _two_features(features: Sequence[Any], names: Sequence[str]) -> list[int]:
    chosen = [feature_number(key, names, "features") for key in features]
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise ValueError(f"features must be two different ones, got {features!r}")
    return chosen


def _variables(estimator: Any) -> LinguisticPartition | None:
    """Return the terms of a classifier, if it has any."""
    if isinstance(estimator, RuleClassifier) and hasattr(estimator, "rules_"):
        variables = estimator.rules_.variables
        return variables if isinstance(variables, LinguisticPartition) else None
    return None


def _hold(
    data: Array, names: Sequence[str], variables: LinguisticPartition | None, at: Mapping[Any, Any]
) -> Array:
    """Return at which value each feature is held."""
    held = np.full(len(names), np.nan)
    for feature in range(len(names)):
        column = data[:, feature]
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        is_listed = variables is not None and _is_listed(variables, feature)
        if is_listed or len(values) <= FEW_VALUES:
            held[feature] = values[counts.argmax()] if len(values) else np.nan
        else:
            held[feature] = np.nanmedian(column)
    for key, value in at.items():
        held[feature_number(key, names, "at")] = float(value)
    return held


def _is_listed(variables: LinguisticPartition, feature: int) -> bool:
    """Tell whether the values of a feature are a few categories."""
    return variables.is_coded(feature) or not variables.has_order(feature)


def _axis(
    column: Array,
    feature: int,
    name: str,
    variables: LinguisticPartition | None,
    resolution: int,
    limits: tuple[float, float] | None,
) -> FeatureAxis:
    if variables is not None and _is_listed(variables, feature):
        variable = variables.special[feature]
        return FeatureAxis(name, variable.peaks, variable.terms)
    if limits is None:
        known = column[~np.isnan(column)]
        low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
        margin = MARGIN * (high - low) or 0.5
        limits = float(low - margin), float(high + margin)
    if not limits[0] < limits[1]:
        raise ValueError(f"limits must be a lesser and a greater number, got {limits!r}")
    return FeatureAxis(name, np.linspace(*limits, resolution))


def _ask(estimator: Any, rows: Any) -> tuple[NDArray[Any], NDArray[np.int64], Array, Array | None]:
    """Return classes, numbers of the predicted ones, masses and ignorance."""
    method = evidence_method(estimator)
    if method is not None:
        evidence = method(rows)
        classes, mass, ignorance = evidence.classes, evidence.mass, evidence.ignorance
    elif hasattr(estimator, "predict_proba"):
        classes, mass, ignorance = estimator.classes_, estimator.predict_proba(rows), None
    else:
        raise TypeError(
            "a landscape needs predict_evidence or predict_proba, both of which "
            f"{type(estimator).__name__} lacks"
        )
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    labels = np.asarray(estimator.predict(rows)).tolist()
    return classes, np.array([numbers.get(label, -1) for label in labels]), mass, ignorance
