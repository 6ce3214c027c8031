"""A fit of the flagship to rows in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzzyucs.estimators.expert_models import read_stated
from fuzzyucs.estimators.learning import learn
from fuzzyucs.estimators.reservoir import Reservoir
from fuzzyucs.estimators.row_sample import N_SAMPLED
from fuzzyucs.estimators.sharing import Sharing, exact_weights
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.validation import class_indices, row_weights
from fuzzyucs.rules.expert_report import assess_table

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["fit_rows"]


def fit_rows(
    clf: EvidentialRuleClassifier, seen: Reservoir, checkpoint: Any = None, watch: Any = None
) -> None:
    """Learn from rows that are in memory.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        Knows its parameters, classes, columns and experts' rules.
    seen : Reservoir
        The rows.
    checkpoint, watch
        As of `learn`.
    """
    table, y = seen.table, seen.y
    weight = row_weights(seen.weights(clf.classes_), clf.class_weight, y, clf.classes_)
    if not (counts := weight > 0).all():
        table, y, weight = table.take(counts), y[counts], weight[counts]
    sharing = None
    if len(y) > N_SAMPLED:  # machines that share the rows would find the same sums
        sharing = Sharing(len(y), float(weight.max()), None, bool((weight == 1).all()))
        weight = exact_weights(weight, sharing.n_rows, sharing.greatest_weight)
    labels = class_indices(y, clf.classes_)
    data = TrainingData(clf.classes_, table, labels, weight, sharing)
    stated = read_stated(clf, clf.__dict__.get("_stated"))
    clf._grown = learn(clf, data, checkpoint, watch, stated)
    clf.__dict__.pop("expert_report_", None)
    if stated:
        _refuse_broken(clf)
        clf.expert_report_ = assess_table(clf.rules_, table, labels)


def _refuse_broken(clf: EvidentialRuleClassifier) -> None:
    """Refuse experts' rules that go against what the model has to keep to."""
    constraints = clf.rules_.constraints
    if constraints is not None and (broken := constraints.broken(clf.rules_)):
        raise ValueError(f"an expert's rule goes against a constraint: {broken[0]}")
