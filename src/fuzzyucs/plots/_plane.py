"""A model evaluated over the plane of two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import feature_number
from fuzzyucs.metrics import evidence_method
from fuzzyucs.plots._style import Array
from fuzzyucs.variables import LinguisticPartition
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.times import TimeScale

__all__ = ["FeatureAxis", "Limits", "Plane", "evaluate_plane"]

MARGIN = 0.05  # of the range of the data, on either side
FEW_VALUES = 6  # a feature with so few values is held at the most frequent one

Limits = Sequence[tuple[float, float] | None]


@dataclass(frozen=True, eq=False)
class FeatureAxis:
    """One of the two features of a landscape.

    Parameters
    ----------
    name : str
        Name of the feature.
    values : ndarray of shape (n_values,)
        Values at which the model is evaluated, ascending.
    terms : tuple of str
        Names of the values of a nominal feature, which are drawn side by side; else empty.
    scale : TimeScale, optional
        How values stand for dates or durations.
    """

    name: str
    values: Array
    terms: tuple[str, ...] = ()
    scale: TimeScale | None = None

    @property
    def edges(self) -> tuple[float, float]:
        """Left edge of the first pixel and right edge of the last."""
        if self.terms:
            return -0.5, len(self.terms) - 0.5
        half = (self.values[-1] - self.values[0]) / (2 * (len(self.values) - 1))
        return float(self.values[0] - half), float(self.values[-1] + half)

    @property
    def limits(self) -> tuple[float, float]:
        """Limits of the drawn axis."""
        return self.edges if self.terms else (float(self.values[0]), float(self.values[-1]))

    def coordinates(self, column: Array) -> Array:
        """Return where values of data are drawn; NaN for missing values."""
        if not self.terms:
            return column
        nearest = np.abs(column[:, np.newaxis] - self.values).argmin(axis=1)
        rows = np.arange(len(column))
        # Points of the same value are spread out, so that they do not hide each other.
        offset = 0.6 * ((rows * 0.6180339887) % 1 - 0.5)
        drawn: Array = np.where(np.isnan(column), np.nan, nearest + offset)
        return drawn


@dataclass(frozen=True, eq=False)
class Plane:
    """Decisions and masses at the points of a grid.

    Parameters
    ----------
    features : tuple of two FeatureAxis
        The horizontal and the vertical feature.
    classes : ndarray of shape (n_classes,)
        Class labels.
    decision : ndarray of shape (n_vertical, n_horizontal)
        Index of the predicted class, -1 for none of them.
    mass : ndarray of shape (n_classes, n_vertical, n_horizontal)
        Masses of the classes, or probabilities.
    ignorance : ndarray of shape (n_vertical, n_horizontal) or None
        Mass of "I don't know". None: `mass` holds probabilities.
    points : ndarray of shape (n_samples, 2)
        The data in the plane.
    held : dict
        Values at which the other features are held, by name.
    """

    features: tuple[FeatureAxis, FeatureAxis]
    classes: NDArray[Any]
    decision: NDArray[np.int64]
    mass: Array
    ignorance: Array | None
    points: Array
    held: dict[str, Any]


def evaluate_plane(
    estimator: Any,
    X: Any,
    features: Sequence[int | str],
    at: Mapping[Any, float],
    resolution: int,
    limits: Limits,
) -> Plane:
    """Evaluate a classifier on a grid over two features, the others held at some value."""
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2, got {resolution}")
    columns = getattr(estimator, "columns_", Columns())
    data = _as_table(columns.numbers(X))
    names = _feature_names(X, data.shape[1])
    chosen = _two_features(features, names)
    variables = _variables(estimator)
    held = _hold(data, names, variables, columns, at)
    axes = [
        _axis(data[:, f], f, names[f], variables, columns.times.get(f), resolution, limit)
        for f, limit in zip(chosen, limits, strict=True)
    ]
    shape = len(axes[1].values), len(axes[0].values)
    rows = np.tile(held, (shape[0] * shape[1], 1))
    rows[:, chosen] = np.stack(np.meshgrid(*(a.values for a in axes)), axis=-1).reshape(-1, 2)
    classes, decision, mass, ignorance = _evaluate(estimator, columns.restored(X, rows))
    return Plane(
        (axes[0], axes[1]),
        classes,
        decision.reshape(shape),
        np.moveaxis(mass, 1, 0).reshape(-1, *shape),
        None if ignorance is None else ignorance.reshape(shape),
        data[:, chosen],
        {name: _told(columns, f, held[f]) for f, name in enumerate(names) if f not in chosen},
    )


def _told(columns: Columns, feature: int, value: float) -> Any:
    """Return a number, or a date or duration as text."""
    scale = columns.times.get(feature)
    return value if scale is None or np.isnan(value) else scale.write(float(value))


def _as_table(X: Any) -> Array:
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
    """Return the linguistic variables of a classifier, if it has any."""
    variables = getattr(getattr(estimator, "rules_", None), "variables", None)
    return variables if isinstance(variables, LinguisticPartition) else None


def _hold(
    data: Array,
    names: Sequence[str],
    variables: LinguisticPartition | None,
    columns: Columns,
    at: Mapping[Any, Any],
) -> Array:
    """Return the value at which each feature is held."""
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
        feature = feature_number(key, names, "at")
        scale = columns.times.get(feature)
        held[feature] = float(value) if scale is None else scale.number(value)
    return held


def _is_listed(variables: LinguisticPartition, feature: int) -> bool:
    """Tell whether the values of a feature are a few categories."""
    return variables.is_coded(feature) or not variables.has_order(feature)


def _axis(
    column: Array,
    feature: int,
    name: str,
    variables: LinguisticPartition | None,
    scale: TimeScale | None,
    resolution: int,
    limits: tuple[float, float] | None,
) -> FeatureAxis:
    if variables is not None and _is_listed(variables, feature):
        values = variables.listed_values(feature)
        names = tuple(variables.value_name(feature, value) for value in values.tolist())
        return FeatureAxis(name, values, names)
    if limits is None:
        known = column[~np.isnan(column)]
        low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
        margin = MARGIN * (high - low) or 0.5
        limits = float(low - margin), float(high + margin)
    if not limits[0] < limits[1]:
        raise ValueError(f"limits must be a lesser and a greater number, got {limits!r}")
    return FeatureAxis(name, np.linspace(*limits, resolution), scale=scale)


def _evaluate(
    estimator: Any, rows: Any
) -> tuple[NDArray[Any], NDArray[np.int64], Array, Array | None]:
    """Return classes, indices of the predicted ones, masses and ignorance."""
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
    indices = {label: index for index, label in enumerate(classes.tolist())}
    labels = np.asarray(estimator.predict(rows)).tolist()
    return classes, np.array([indices.get(label, -1) for label in labels]), mass, ignorance
