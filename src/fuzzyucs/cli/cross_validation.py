"""Measures of what an estimator learns, on each part of a table from the other parts."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss
from sklearn.model_selection import StratifiedKFold

from fuzzyucs._util.wording import counted
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.evidence.verdict import VERDICTS
from fuzzyucs.metrics import area_under_risk_coverage, calibration_error

if TYPE_CHECKING:
    from fuzzyucs.decisions.decision import Answer
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["by_verdict", "cross_validate", "measure"]


def cross_validate(
    clf: RuleClassifier, X: Any, y: Any, folds: int, seed: int
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return measures of each fold, and of the rows of all folds with each verdict.

    Parameters
    ----------
    clf : RuleClassifier
        What learns; if it is verbose, one bar shows the progress of all folds.
    X, y
        The table, and the classes of its rows.
    folds : int
        Number of folds.
    seed : int
        By which rows are dealt to them.

    Returns
    -------
    measures : dict of str to ndarray of shape (folds,)
    verdicts : dict
        As `by_verdict` returns it.
    """
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < folds:
        rarest = labels[counts.argmin()]
        raise ValueError(
            f"--folds: class {str(rarest)!r} has only {counts.min()} rows, too few for {folds} "
            "folds; take fewer, at least 2, or leave out rare classes"
        )
    found: dict[str, list[float]] = {}
    judged: list[tuple[Any, Any]] = []
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y)
    with ProgressBar() if clf.verbose else nullcontext() as bar:
        if bar:
            bar.begin("Cross-validation")
        for k, (train, test) in enumerate(splits):
            with bar.part(k, folds, f"fold {k + 1} of {folds}") if bar else nullcontext():
                model = clone(clf).fit(X.iloc[train], y[train])
            answer = model.answer(X.iloc[test])
            measures = measure(model, answer, y[test], labels[counts.argmax()])
            for name, value in measures.items():
                found.setdefault(name, []).append(value)
            if answer.evidence.base_rates is not None:
                judged.append((answer.evidence.verdict, answer.labels == y[test]))
        if bar:
            bar.show(1, 1, counted(folds, "fold", "folds"))
    return {name: np.array(values) for name, values in found.items()}, by_verdict(judged)


def by_verdict(judged: list[tuple[Any, Any]]) -> dict[str, dict[str, Any]]:
    """Return how many rows have each verdict, and how often predictions are right there."""
    if not judged:
        return {}
    verdict, is_right = (np.concatenate(parts) for parts in zip(*judged, strict=True))
    found = {}
    for name in VERDICTS:
        own = is_right[verdict == name]
        found[name] = {
            "rows": len(own),
            "share": len(own) / len(verdict),
            "accuracy": float(own.mean()) if len(own) else None,
        }
    return found


def measure(
    model: RuleClassifier, found: Answer, truth: Any, most_frequent: Any
) -> dict[str, float]:
    """Return the measures of one fold."""
    classes = model.classes_
    return {
        "accuracy": float((found.labels == truth).mean()),
        "accuracy_of_the_most_frequent_class": float((truth == most_frequent).mean()),
        "macro_f1": float(f1_score(truth, found.labels, average="macro", zero_division=0)),
        "balanced_accuracy": float(balanced_accuracy_score(truth, found.labels)),
        "log_loss": log_loss(truth, found.probability, labels=classes),
        "calibration_error": calibration_error(truth, found.probability, classes=classes),
        "area_under_risk_coverage": area_under_risk_coverage(
            truth, found.labels, found.evidence.confidence
        ),
        "ignorance": float(found.evidence.ignorance.mean()),
        "rules": float(len(model.deciding_rules)),
    }
