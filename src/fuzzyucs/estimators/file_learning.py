"""Learning of the flagship from files that are larger than the memory that it may take."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from fuzzyucs._util.sizes import size_text
from fuzzyucs.estimators.file_rows import FileRows
from fuzzyucs.estimators.file_training import batches_of
from fuzzyucs.estimators.learning import learn
from fuzzyucs.estimators.parts import Glance, Part, whole_of
from fuzzyucs.estimators.row_sample import N_SAMPLED
from fuzzyucs.variables.batches import Batches
from fuzzyucs.variables.table import Stored, Table

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["FIXED_BYTES", "learn_from_file", "most_rows"]

FIXED_BYTES = 480 * 2**20  # of Python with its packages, and of a sample while it is taken
GROWTH_BYTES = 1000  # of a row, while rules grow: mostly which rules it matches, and how far
BATCH_BYTES = 2**23  # of the values of a batch
CLASS_BYTES = 40  # of a row, for each class


def most_rows(batches: Batches, n_classes: int) -> int:
    """Return in how many rows rules may grow within the memory that is allowed.

    Parameters
    ----------
    batches : Batches
        The file, and the memory.
    n_classes : int
        Number of classes.

    Returns
    -------
    int
    """
    values = batches.row_bytes() * 2 + 2 * len(batches.names)
    of_row = GROWTH_BYTES + CLASS_BYTES * n_classes + values
    room = ((batches.memory or 0) - FIXED_BYTES) // of_row
    if room < N_SAMPLED:
        least = FIXED_BYTES + N_SAMPLED * of_row
        raise ValueError(
            f"memory must be at least {size_text(least)} to learn from {batches.name}, "
            f"got {size_text(batches.memory or 0)}"
        )
    return int(room)


def learn_from_file(
    clf: EvidentialRuleClassifier, X: Any, y: Any, sample_weight: Any, checkpoint: Any
) -> bool:
    """Learn from a file in batches.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        Gets everything that `fit` finds.
    X, y, sample_weight, checkpoint
        As in its `fit`.

    Returns
    -------
    bool
        False if there is no limit of memory, or if rows are so few that they stay within it.
    """
    batches = batches_of(X, y, sample_weight)
    if batches.memory is None or batches.n_rows <= N_SAMPLED:
        return False
    glances = list(_glances(batches))
    check_classification_targets(np.unique(np.concatenate([g.labels for g in glances])))
    whole = whole_of(clf, glances, is_weighted=batches.sample_weight is not None)
    room = most_rows(batches, len(whole.classes))
    if room >= batches.n_rows:
        return False
    validate_data(
        clf, batches.schema.empty_table().select(batches.names), reset=True, skip_check_array=True
    )
    clf.columns_ = batches.columns()
    batches = Batches(batches, batch_bytes=BATCH_BYTES)
    rows = FileRows(batches, clf.columns_, whole, room)
    learn(clf, rows, checkpoint)
    if batches.memory is not None and rows.n_grown < rows.n_rows:
        warnings.warn(
            f"memory: rules grew in {rows.n_grown:,} of the {rows.n_rows:,} rows of "
            f"{batches.name}, as many as fit into {size_text(batches.memory)}; all rows were "
            "counted",
            UserWarning,
            stacklevel=4,
        )
    return True


def _glances(batches: Batches) -> Any:
    """Look at labels and weights, which are read alone."""
    others = [name for name in (batches.target, batches.sample_weight) if name is not None]
    first = 0
    for frame in batches.frames(others):
        labels = np.asarray(batches.labels(frame, first))
        weight = batches.weights(frame)
        first += len(labels)
        nothing = Table([Stored(np.zeros(len(labels), dtype=np.int8))])
        weight = np.ones(len(labels)) if weight is None else np.nan_to_num(weight)
        yield Glance.of(Part(nothing, labels, weight).that_count())
