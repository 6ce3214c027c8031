"""Measures of a model on a table that is read piece by piece.

Kept are counts of classes and verdicts, sums in bins of confidence, and the confidence of each row,
that of wrong ones twice: 8 bytes, or 16. Of tables that are not large, probabilities are kept, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.cli.ask import at_base_rates
from fuzzyucs.cli.evaluation import print_evaluation, without_nan
from fuzzyucs.cli.inputs import (
    features_for,
    load_model,
    print_summary,
    read_pieces,
    target_for,
)
from fuzzyucs.cli.terminal import print_json
from fuzzyucs.cli.usefulness import Usefulness, areas, class_figures

if TYPE_CHECKING:
    from fuzzyucs.decisions.decision import Answer
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["Measuring", "evaluate_model"]

BLOCK = 2**18  # rows whose errors are summed up at a time
MOST_PROBABILITIES = 2**24  # that are kept for areas under curves
TINY = float(np.finfo(np.float64).eps)  # least probability in a loss, as scikit-learn has it
N_BINS = 10  # of confidence, as `calibration_error` has by default

Array = NDArray[np.float64]


class Measuring:
    """Measures the answers of a model, some rows at a time.

    Parameters
    ----------
    model : RuleClassifier
        The model.
    """

    def __init__(self, model: RuleClassifier) -> None:
        self.model = model
        n_classes = len(model.classes_)
        self._confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        self._ignorance = 0.0
        self._losses = np.zeros((2, n_classes))  # sums of losses and of their squares
        self._probability: list[Array] | None = []
        self._true: list[NDArray[np.intp]] = []
        self._bins = np.zeros((3, N_BINS))  # rows, right ones, sum of confidence
        self._confidence = array("d")
        self._confidence_if_wrong = array("d")
        self._verdicts: dict[str, list[int]] = {}  # rows and right ones

    def add(self, found: Answer, truth: NDArray[Any]) -> None:
        """Measure some rows.

        Parameters
        ----------
        found : Answer
            What the model says.
        truth : ndarray of shape (n_rows,)
            The true labels.
        """
        classes = self.model.classes_
        true, predicted = (np.searchsorted(classes, labels) for labels in (truth, found.labels))
        np.add.at(self._confusion, (true, predicted), 1)
        self._add_losses(found.probability, true)
        self._ignorance += float(found.evidence.ignorance.sum())
        self._add_bins(found.probability, true)
        confidence = np.asarray(found.evidence.confidence, dtype=np.float64)
        self._confidence.frombytes(confidence.tobytes())
        self._confidence_if_wrong.frombytes(confidence[true != predicted].tobytes())
        if found.evidence.base_rates is not None:
            verdict = np.asarray(found.evidence.verdict)
            for name in np.unique(verdict).tolist():
                own = verdict == name
                counts = self._verdicts.setdefault(name, [0, 0])
                counts[0] += int(own.sum())
                counts[1] += int((own & (true == predicted)).sum())

    def _add_losses(self, probability: Array, true: NDArray[np.intp]) -> None:
        own = probability[np.arange(len(true)), true]
        loss = -np.log(np.clip(own, TINY, 1 - TINY))
        for sums, values in zip(self._losses, (loss, loss**2), strict=True):
            sums += np.bincount(true, values, len(sums))
        if self._probability is not None:
            self._probability.append(probability)
            self._true.append(true)
            if self.n_rows * probability.shape[1] > MOST_PROBABILITIES:
                self._probability = None  # which the areas under curves would need

    def _add_bins(self, probability: Array, true: NDArray[np.intp]) -> None:
        greatest = probability.max(axis=1)
        is_right = probability.argmax(axis=1) == true
        bins = np.searchsorted(np.arange(1, N_BINS) / N_BINS, greatest)
        for sums, weights in zip(self._bins, (None, is_right, greatest), strict=True):
            sums += np.bincount(bins, weights, N_BINS)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._confusion.sum())

    def measures(self) -> dict[str, float]:
        """Return the measures of all rows, as cross-validation has them of each fold."""
        n_rows, hits = self.n_rows, np.diag(self._confusion)
        n_true, n_predicted = self._confusion.sum(axis=1), self._confusion.sum(axis=0)
        occurs = n_true + n_predicted > 0
        f1 = 2 * hits[occurs] / (n_true + n_predicted)[occurs]
        filled = self._bins[0] > 0
        size, right, sums = self._bins[:, filled]
        return {
            "accuracy": float(hits.sum() / n_rows),
            "accuracy_of_the_most_frequent_class": float(n_true.max() / n_rows),
            "macro_f1": float(f1.mean()),
            "balanced_accuracy": float((hits[n_true > 0] / n_true[n_true > 0]).mean()),
            **({} if self._areas is None else {"auc": _mean(self._areas)}),
            "log_loss": float(self._losses[0].sum() / n_rows),
            "calibration_error": float(size / n_rows @ np.abs(right / size - sums / size)),
            "area_under_risk_coverage": _area(
                np.frombuffer(self._confidence), np.frombuffer(self._confidence_if_wrong)
            ),
            "ignorance": self._ignorance / n_rows,
            "rules": float(len(self.model.deciding_rules)),
        }

    @cached_property
    def _areas(self) -> list[float] | None:
        if not self._probability:
            return None
        return areas(np.concatenate(self._true), np.concatenate(self._probability))

    def usefulness(self) -> Usefulness:
        """Return whether the model is better than the shares of the classes in the table."""
        n_true = self._confusion.sum(axis=1)
        n_rows, occurs = self.n_rows, n_true > 0
        of_shares = np.zeros(len(n_true))
        of_shares[occurs] = -np.log(n_true[occurs] / n_rows)
        total, squares = self._losses
        # Mean and mean square of what a row's loss is less than that of the shares.
        gain = float((n_true * of_shares - total).sum() / n_rows)
        square = float((squares - 2 * of_shares * total + n_true * of_shares**2).sum() / n_rows)
        known = self._areas or [np.nan] * len(n_true)
        return Usefulness(
            float(total.sum() / n_rows),
            float(n_true @ of_shares / n_rows),
            float(np.sqrt(max(square - gain**2, 0.0) / max(1, n_rows - 1))),
            class_figures(self.model.classes_.tolist(), self._confusion, known),
            float(np.diag(self._confusion).sum() / n_rows),
        )

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """Return how many rows have each verdict, and how often predictions are right there."""
        from fuzzyucs.evidence.verdict import VERDICTS

        if not self._verdicts:
            return {}
        found = {}
        for name in VERDICTS:
            n_rows, n_right = self._verdicts.get(name, (0, 0))
            found[name] = {
                "rows": n_rows,
                "share": n_rows / self.n_rows,
                "accuracy": n_right / n_rows if n_rows else None,
            }
        return found


def _area(confidence: Array, if_wrong: Array) -> float:
    """Return `area_under_risk_coverage`, with no more memory than the arrays, which are sorted."""
    confidence.sort()
    if_wrong.sort()
    n_rows, total = len(confidence), 0.0
    for first in range(0, n_rows, BLOCK):
        # How many are accepted; the least confident of them may tie with others.
        accepted = np.arange(first + 1, min(first + BLOCK, n_rows) + 1)
        least = confidence[n_rows - accepted]
        n_above, n_tied = _above_and_tied(confidence, least)
        wrong_above, wrong_tied = _above_and_tied(if_wrong, least)
        total += float(
            ((wrong_above + wrong_tied * (accepted - n_above) / n_tied) / accepted).sum()
        )
    return total / n_rows


def _above_and_tied(values: Array, limits: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many of sorted values are greater than each limit, and how many are equal."""
    left, right = (np.searchsorted(values, limits, side) for side in ("left", "right"))
    return len(values) - right, right - left


def evaluate_model(
    model: Path,
    data: str,
    target: str | None,
    *,
    base_rates: list[str] | None,
    table_options: Sequence[Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure a model on a table, and print that.

    Parameters
    ----------
    model : Path
        File of the model.
    data : str
        The table.
    target : str, optional
        The column that holds the class; by default the one that the model remembers.
    base_rates : list of str, optional
        How probable classes are without evidence in this table.
    table_options : sequence
        Separator, decimal mark and markers of missing values.
    as_json, quiet : bool
        Whether to print JSON, and nothing about the table.
    """
    clf = at_base_rates(load_model(model, data), base_rates)
    target = target_for(target, clf)
    measuring = Measuring(clf)
    for reader in read_pieces(clf, data, *table_options, others=[target], quiet=quiet):
        truth = reader.labels_for(target, clf.classes_)
        measuring.add(clf.answer(features_for(clf, reader)), truth)
    print_summary(reader, quiet)
    measures, verdicts = measuring.measures(), measuring.verdicts()
    useful = measuring.usefulness()
    if as_json:
        print_json(
            {
                "model": str(model),
                "estimator": type(clf).__name__,
                "rows": measuring.n_rows,
                "measures": without_nan(measures),
                "classes": [own.as_dict() for own in useful.classes],
                "of_use": useful.is_useful,
            }
            | ({"verdicts": verdicts} if verdicts else {})
        )
        return
    columns = {"value": {name: [value] for name, value in measures.items()}}
    print_evaluation(useful, columns, verdicts)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
