"""A model evaluated over the plane of two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import feature_number
from fuzzyucs._util.wording import counted
from fuzzyucs.evidence.verdict import Thresholds
from fuzzyucs.metrics import evidence_method
from fuzzyucs.plots._belief_colours import division
from fuzzyucs.plots._style import Array, literal
from fuzzyucs.variables import LinguisticPartition
from fuzzyucs.variables.borders import write_value
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.times import TimeScale

__all__ = ["FeatureAxis", "Limits", "Others", "Plane", "evaluate_plane"]

MARGIN = 0.12  # of the range of the data, on either side
MOST_HELD = 4  # features whose values a caption tells
MOST_AVERAGED = 50  # records over which evidence is averaged
AVERAGE = "average"
FEW_VALUES = 6  # a feature with so few values is held at the most frequent one

Limits = Sequence[tuple[float, float] | None]
Others = Mapping[Any, Any] | Literal["average"] | Any  # a record may be of many types


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
    def spots(self) -> Array:
        """Where the values are drawn."""
        return np.arange(len(self.terms), dtype=float) if self.terms else self.values

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
    torn : ndarray of shape (n_vertical, n_horizontal)
        How far the model is torn between classes: how alike its two greatest beliefs are, times
        the contradiction between rules. Of probabilities, how alike the two greatest are.
    threshold : float
        Greatest ignorance for an answer.
    points : ndarray of shape (n_samples, 2)
        The data in the plane.
    held : dict
        Values at which the other features are held, by name.
    is_average : bool
        Whether all of it is a mean over several records.
    caption : str
        What was done with the other features; empty if there are none.
    """

    features: tuple[FeatureAxis, FeatureAxis]
    classes: NDArray[Any]
    decision: NDArray[np.int64]
    mass: Array
    ignorance: Array | None
    torn: Array
    threshold: float
    points: Array
    held: dict[str, Any]
    is_average: bool
    caption: str


def evaluate_plane(
    estimator: Any,
    X: Any,
    features: Sequence[int | str],
    at: Others | None,
    resolution: int,
    limits: Limits,
) -> Plane:
    """Evaluate a classifier on a grid over two features, the others held or averaged."""
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2, got {resolution}")
    columns = getattr(estimator, "columns_", Columns())
    data = _as_table(columns.numbers(X))
    names = _feature_names(X, data.shape[1])
    chosen = _two_features(features, names)
    variables = _variables(estimator)
    records, how = _others(data, names, variables, columns, at)
    axes = [
        _axis(data[:, f], f, names[f], variables, columns.times.get(f), resolution, limit)
        for f, limit in zip(chosen, limits, strict=True)
    ]
    shape = len(axes[1].values), len(axes[0].values)
    grid = np.stack(np.meshgrid(*(a.values for a in axes)), axis=-1).reshape(-1, 2)
    total = _Total()
    for record in records:
        rows = np.tile(record, (len(grid), 1))
        rows[:, chosen] = grid
        total.add(estimator, columns.restored(X, rows))
    others = [f for f in range(len(names)) if f not in chosen]
    held = {names[f]: _told(columns, f, records[0, f]) for f in others} if how != AVERAGE else {}
    return Plane(
        (axes[0], axes[1]),
        total.classes,
        total.decision().reshape(shape),
        np.moveaxis(total.mean(total.mass), 1, 0).reshape(-1, *shape),
        None if total.ignorance is None else total.mean(total.ignorance).reshape(shape),
        total.mean(total.torn).reshape(shape),
        total.threshold,
        data[:, chosen],
        held,
        how == AVERAGE,
        _caption(held, how, len(records)) if others else "",
    )


class _Total:
    """Sums over several records at each point of a grid."""

    classes: NDArray[Any]
    mass: Array
    votes: Array
    torn: Array
    ignorance: Array | None

    def __init__(self) -> None:
        self.n_records = 0
        self.threshold = Thresholds().ignorance

    def add(self, estimator: Any, rows: Any) -> None:
        """Add what a model says about one record at all points."""
        method = evidence_method(estimator)
        ignorance = None
        if method is not None:
            evidence = method(rows)
            classes, mass, ignorance = evidence.classes, evidence.mass, evidence.ignorance
            torn = division(mass.T) * evidence.contradiction
            self.threshold = evidence.thresholds.ignorance
        elif hasattr(estimator, "predict_proba"):
            classes, mass = estimator.classes_, estimator.predict_proba(rows)
            torn = division(mass.T)
        else:
            raise TypeError(
                "a landscape needs predict_evidence or predict_proba, both of which "
                f"{type(estimator).__name__} lacks"
            )
        indices = {label: index for index, label in enumerate(classes.tolist())}
        labels = np.asarray(estimator.predict(rows)).tolist()
        # The last column counts those for which no class is predicted.
        votes = np.eye(len(classes) + 1)[[indices.get(label, -1) for label in labels]]
        if self.n_records:
            mass, votes, torn = self.mass + mass, self.votes + votes, self.torn + torn
            if ignorance is not None and self.ignorance is not None:
                ignorance = self.ignorance + ignorance
        self.classes, self.mass, self.votes = classes, mass, votes
        self.torn, self.ignorance = torn, ignorance
        self.n_records += 1

    def mean(self, part: Array) -> Array:
        """Return a mean over the records."""
        return part if self.n_records == 1 else part / self.n_records

    def decision(self) -> NDArray[np.int64]:
        """Return the class that is predicted for most records, -1 for none."""
        best = self.votes.argmax(axis=1)
        return np.where(best < len(self.classes), best, -1)


def _others(
    data: Array,
    names: Sequence[str],
    variables: LinguisticPartition | None,
    columns: Columns,
    at: Others | None,
) -> tuple[Array, str]:
    """Return records that have the values of the other features, and where these come from."""
    if isinstance(at, str):
        if at != AVERAGE:
            raise ValueError(f"at must be values, a record or {AVERAGE!r}, got {at!r}")
        some = np.linspace(0, len(data) - 1, min(len(data), MOST_AVERAGED)).round().astype(int)
        return data[some], AVERAGE
    if at is None or isinstance(at, Mapping):
        held = _hold(data, names, variables, columns, at or {})
        return held[np.newaxis], "given" if at else "typical"
    record = np.asarray(columns.numbers(at), dtype=np.float64)
    if record.size != len(names):
        raise ValueError(
            f"at must be one record with {len(names)} values, got shape {record.shape}"
        )
    return record.reshape(1, -1), "record"


def _caption(held: Mapping[str, Any], how: str, n_records: int) -> str:
    """Tell what was done with the other features."""
    if how == AVERAGE:
        return f"Mean of the evidence over {counted(n_records, 'record', 'records')}"
    parts = [
        f"{name} missing"
        if not isinstance(value, str) and np.isnan(value)
        else f"{name} = {value if isinstance(value, str) else write_value(value)}"
        for name, value in held.items()
    ]
    more = [f"and {len(parts) - MOST_HELD} more"] if len(parts) > MOST_HELD else []
    where = {
        "typical": "Other features at typical values",
        "given": "Other features held",
        "record": "Other features as in one record",
    }[how]
    return literal(f"{where}: {', '.join(parts[:MOST_HELD] + more)}")


def _told(columns: Columns, feature: int, value: float) -> Any:
    """Return a number, or a category, date or duration as text."""
    if np.isnan(value):
        return value
    scale = columns.times.get(feature)
    if scale is not None:
        return scale.write(float(value))
    label = columns.label(feature, value)
    return value if label is value else str(label)


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
        is_listed = variables is not None and variables.is_listed(feature)
        if is_listed or len(values) <= FEW_VALUES:
            held[feature] = values[counts.argmax()] if len(values) else np.nan
        else:
            held[feature] = np.nanmedian(column)
    for key, value in at.items():
        feature = feature_number(key, names, "at")
        held[feature] = _number(columns, feature, names[feature], value)
    return held


def _number(columns: Columns, feature: int, name: str, value: Any) -> float:
    """Return the number of a value that a feature is to be held at."""
    known = columns.categories.get(feature)
    if feature in columns.times or (known is not None and value in known.labels):
        return columns.number(feature, value)
    if known is not None and isinstance(value, str):
        shown = f"{list(known.terms[:10])}{', ...' if len(known.terms) > 10 else ''}"
        raise ValueError(f"{name!r} has no category {value!r} in training data; it has {shown}")
    return float(value)


def _axis(
    column: Array,
    feature: int,
    name: str,
    variables: LinguisticPartition | None,
    scale: TimeScale | None,
    resolution: int,
    limits: tuple[float, float] | None,
) -> FeatureAxis:
    if variables is not None and variables.is_listed(feature):
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
