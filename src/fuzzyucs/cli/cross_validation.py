"""Measures of what an estimator learns, on each part of a table from the other parts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss
from sklearn.model_selection import StratifiedKFold

from fuzzyucs._util.wording import counted
from fuzzyucs.cli.usefulness import Usefulness, areas, class_figures, macro_area
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.evidence.verdict import VERDICTS
from fuzzyucs.metrics import area_under_risk_coverage, calibration_error

if TYPE_CHECKING:
    from fuzzyucs.decisions.decision import Answer
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["CrossValidation", "by_verdict", "common_measures", "cross_validate", "measure"]

TINY = float(np.finfo(np.float64).eps)  # least probability in a loss, as scikit-learn has it

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CrossValidation:
    """What cross-validation found.

    Attributes
    ----------
    measures : dict of str to ndarray of shape (folds,)
        Measures of the classifier in each fold.
    shares : dict of str to ndarray
        Of always answering the most frequent class, with the shares of the classes as
        probabilities.
    others : dict of str to dict
        Of other classifiers, by their title.
    verdicts : dict
        As `by_verdict` returns it.
    usefulness : Usefulness
        What the rows of all folds tell.
    """

    measures: dict[str, Array]
    shares: dict[str, Array]
    others: dict[str, dict[str, Array]]
    verdicts: dict[str, dict[str, Any]]
    usefulness: Usefulness

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        found: dict[str, Any] = {
            "folds": len(self.measures["accuracy"]),
            "measures": _as_lists(self.measures),
            "shares_alone": _as_lists(self.shares),
            "beside": {title: _as_lists(own) for title, own in self.others.items()},
            "classes": [own.as_dict() for own in self.usefulness.classes],
            "of_use": self.usefulness.is_useful,
        }
        return found | ({"verdicts": self.verdicts} if self.verdicts else {})


def _as_lists(measures: dict[str, Array]) -> dict[str, Any]:
    return {
        name: {
            "mean": float(values.mean()),
            "spread": float(values.std(ddof=1)),
            "folds": values.tolist(),
        }
        for name, values in measures.items()
    }


def cross_validate(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    folds: int,
    seed: int,
    *,
    others: Mapping[str, Any] | None = None,
    costs: Any = None,
) -> CrossValidation:
    """Learn from all folds but one, and measure on that, in turn.

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
    others : mapping of str to estimator, optional
        Classifiers to compare with, by their title.
    costs : array-like of shape (n_classes, n_classes), optional
        What decisions cost, a column for each true class: measured, too.

    Returns
    -------
    CrossValidation
    """
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < folds:
        rarest = labels[counts.argmin()]
        raise ValueError(
            f"--folds: class {str(rarest)!r} has only {counts.min()} rows, too few for {folds} "
            "folds; take fewer, at least 2, or leave out rare classes"
        )
    others = others or {}
    found: dict[str, dict[str, list[float]]] = {}
    judged: list[tuple[Any, Any]] = []
    pooled = Pooled(labels)

    def note(who: str, measures: dict[str, float]) -> None:
        for name, value in measures.items():
            found.setdefault(who, {}).setdefault(name, []).append(value)

    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y)
    with ProgressBar() if clf.verbose else nullcontext() as bar:
        if bar:
            bar.begin("Cross-validation")
        for k, (train, test) in enumerate(splits):
            truth = y[test]
            with bar.part(k, folds, f"fold {k + 1} of {folds}") if bar else nullcontext():
                model = clone(clf).fit(X.iloc[train], y[train])
            answer = model.answer(X.iloc[test])
            note("", measure(model, answer, truth, labels[counts.argmax()], costs))
            shares = np.unique(y[train], return_counts=True)[1] / len(train)
            constant = np.tile(shares, (len(test), 1))
            note("shares", common_measures(truth, constant, labels, costs))
            for title, estimator in others.items():
                fitted = clone(estimator).fit(X.iloc[train], y[train])
                note(
                    title, common_measures(truth, fitted.predict_proba(X.iloc[test]), labels, costs)
                )
            pooled.add(truth, answer, constant)
            if answer.evidence.base_rates is not None:
                judged.append((answer.evidence.verdict, answer.labels == truth))
        if bar:
            bar.show(1, 1, counted(folds, "fold", "folds"))
    arrays = {
        who: {name: np.array(values) for name, values in own.items()} for who, own in found.items()
    }
    return CrossValidation(
        arrays.pop(""), arrays.pop("shares"), arrays, by_verdict(judged), pooled.usefulness()
    )


class Pooled:
    """Answers to the rows of all folds.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        All classes.
    """

    def __init__(self, labels: NDArray[Any]) -> None:
        self.labels = labels
        self._parts: list[tuple[NDArray[Any], NDArray[Any], Array, Array]] = []

    def add(self, truth: NDArray[Any], answer: Answer, shares: Array) -> None:
        """Add a fold: true labels, what the model says, and the shares of the classes."""
        self._parts.append((truth, answer.labels, answer.probability, shares))

    def usefulness(self) -> Usefulness:
        """Return what all rows tell."""
        truth, said, probability, shares = (
            np.concatenate(part) for part in zip(*self._parts, strict=True)
        )
        true = np.searchsorted(self.labels, truth)
        rows = np.arange(len(true))
        losses = [-np.log(np.maximum(p[rows, true], TINY)) for p in (probability, shares)]
        gain = losses[1] - losses[0]
        n_classes = len(self.labels)
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        np.add.at(confusion, (true, np.searchsorted(self.labels, said)), 1)
        return Usefulness(
            float(losses[0].mean()),
            float(losses[1].mean()),
            float(gain.std(ddof=1) / np.sqrt(len(gain))),
            class_figures(self.labels.tolist(), confusion, areas(true, probability)),
            float((truth == said).mean()),
        )


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
    model: RuleClassifier, found: Answer, truth: Any, most_frequent: Any, costs: Any = None
) -> dict[str, float]:
    """Return the measures of one fold."""
    classes = model.classes_
    common = common_measures(truth, found.probability, classes, costs, found.labels)
    accuracy = common.pop("accuracy")
    return {
        "accuracy": accuracy,
        "accuracy_of_the_most_frequent_class": float((truth == most_frequent).mean()),
        **common,
        "calibration_error": calibration_error(truth, found.probability, classes=classes),
        "area_under_risk_coverage": area_under_risk_coverage(
            truth, found.labels, found.evidence.confidence
        ),
        "ignorance": float(found.evidence.ignorance.mean()),
        "rules": float(len(model.deciding_rules)),
    }


def common_measures(
    truth: Any, probability: Array, classes: NDArray[Any], costs: Any = None, labels: Any = None
) -> dict[str, float]:
    """Return the measures that all classifiers have; by default, the most probable class is said.

    With costs, a decision is the class that costs least by the probabilities.
    """
    labels = classes[probability.argmax(axis=1)] if labels is None else labels
    true = np.searchsorted(classes, truth)
    found = {
        "accuracy": float((labels == truth).mean()),
        "macro_f1": float(f1_score(truth, labels, average="macro", zero_division=0)),
        "balanced_accuracy": float(balanced_accuracy_score(truth, labels)),
        "auc": macro_area(true, probability),
        "log_loss": float(log_loss(truth, probability, labels=classes)),
    }
    if costs is not None:
        table = np.asarray(costs)
        decisions = (probability @ table.T).argmin(axis=1)
        found["cost"] = float(table[decisions, true].mean())
    return found
