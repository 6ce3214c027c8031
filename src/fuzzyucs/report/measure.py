"""What a report tells about a model and the data it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.metrics import (
    area_under_risk_coverage,
    calibration_error,
    reliability_curve,
    risk_coverage_curve,
)
from fuzzyucs.rules.quality import LabelledRows
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.variables import Variables

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["feature_statistics", "performance", "rule_statistics"]

LEAST_PROBABILITY = 1e-3  # in the log-loss, so that no single row decides it
MOST_POINTS = 200  # of a curve
N_BARS = 24
Z = 1.96  # 95 %

Array = NDArray[np.float64]


def performance(
    clf: RuleClassifier, X: Array, y: NDArray[Any], evidence: Evidence, predicted: NDArray[Any]
) -> dict[str, Any]:
    """Measure accuracy and honesty.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted one.
    X : ndarray of shape (n_samples, n_features)
        Data.
    y : ndarray of shape (n_samples,)
        True labels.
    evidence : Evidence
        What the classifier says.
    predicted : ndarray of shape (n_samples,)
        Its answers.

    Returns
    -------
    dict
    """
    classes = clf.classes_
    p = clf._probabilities(clf.rules_.variables.positions(X))
    own = p[np.arange(len(y)), np.searchsorted(classes, y)]
    right = predicted == y
    confidence = evidence.confidence
    coverage, risk, _ = risk_coverage_curve(y, predicted, confidence)
    chosen = np.unique(np.linspace(0, len(coverage) - 1, MOST_POINTS).astype(int))
    accuracy, mean, share = reliability_curve(y, p, classes=classes)
    unsure = evidence.ignorance
    return {
        "rows": len(y),
        "accuracy": float(right.mean()),
        "interval": wilson(int(right.sum()), len(y)),
        "log_loss": float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean()),
        "calibration_error": calibration_error(y, p, classes=classes),
        "risk_coverage": area_under_risk_coverage(y, predicted, confidence),
        "ignorance": float(unsure.mean()),
        "ignorance_right": _mean(unsure[right]),
        "ignorance_wrong": _mean(unsure[~right]),
        "novelty": None if evidence.novelty is None else float(evidence.novelty.mean()),
        "confusion": confusion_matrix(y, predicted, labels=classes).tolist(),
        "coverage": coverage[chosen].tolist(),
        "risk": risk[chosen].tolist(),
        "reliability": [accuracy.tolist(), mean.tolist(), share.tolist()],
    }


def wilson(successes: int, trials: int) -> list[float]:
    """Return Wilson's 95 % interval of a share.

    Examples
    --------
    >>> from fuzzyucs.report.measure import wilson
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    share, scale = successes / trials, 1 + Z**2 / trials
    middle = (share + Z**2 / (2 * trials)) / scale
    half = Z * np.sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2)) / scale
    return [float(max(0.0, middle - half)), float(min(1.0, middle + half))]


def _mean(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None


def rule_statistics(rules: RuleSet, X: Array, y: NDArray[Any]) -> dict[str, Any]:
    """Measure on data how often each rule speaks, and how often it is right.

    Parameters
    ----------
    rules : RuleSet
    X : ndarray of shape (n_samples, n_features)
        Data.
    y : ndarray of shape (n_samples,)
        True labels.

    Returns
    -------
    dict
        ``coverage``, the mean degree, and ``accuracy``, the share of the rule's class in what it
        matches (None if it matches nothing), of each rule.
    """
    data = LabelledRows(rules.variables, rules.classes, X, y)
    known = data.class_experience(rules.without_beliefs().freeze(), len(rules))
    matched, own = known.sum(axis=1), known[np.arange(len(rules)), rules.consequent]
    return {
        "coverage": (matched / len(y)).tolist(),
        "accuracy": [float(o / m) if m > 0 else None for o, m in zip(own, matched, strict=True)],
    }


def feature_statistics(variables: Variables, X: Array) -> list[dict[str, Any]]:
    """Describe the values of each feature: a histogram, the share of missing ones, a usual value.

    Parameters
    ----------
    variables : Variables
        The features.
    X : ndarray of shape (n_samples, n_features)
        Data.

    Returns
    -------
    list of dict
    """
    return [_statistics(variables, feature, X[:, feature]) for feature in range(X.shape[1])]


def _statistics(variables: Variables, feature: int, x: Array) -> dict[str, Any]:
    known = x[np.isfinite(x)]
    missing = float(np.isnan(x).mean())
    if not len(known):
        return {"missing": missing, "usual": None, "edges": [], "counts": []}
    if variables.is_coded(feature) or not variables.has_order(feature):
        values = variables.values_to_try(feature)
        counts = [int((known == value).sum()) for value in values]
        usual = float(values[int(np.argmax(counts))])
        return {"missing": missing, "usual": usual, "edges": values.tolist(), "counts": counts}
    low, high = known.min(), known.max()
    # Halves, because the difference of two doubles may exceed the largest one.
    if not 0 < high / 2 - low / 2 < np.inf:
        return {"missing": missing, "usual": float(low), "edges": [float(low)] * 2, "counts": [1]}
    steps = np.linspace(0.0, 1.0, N_BARS + 1)
    edges = low * (1 - steps) + high * steps
    counts = np.bincount(
        np.clip(np.searchsorted(edges, known, side="right") - 1, 0, N_BARS - 1), minlength=N_BARS
    ).tolist()
    usual = float(np.sort(known)[len(known) // 2])
    if isinstance(variables, IntervalVariables) and variables.decimals[feature] >= 0:
        usual = round(usual, int(variables.decimals[feature]))
    return {"missing": missing, "usual": usual, "edges": edges.tolist(), "counts": counts}
