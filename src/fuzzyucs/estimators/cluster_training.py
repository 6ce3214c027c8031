"""Training data in Dask collections: checked where they are, and learned from by all workers.

Needs Dask (extra ``distributed``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import dask.array as da
import numpy as np
from dask import delayed
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from fuzzyucs._util.memory import keeps_memory
from fuzzyucs.estimators.checked_tables import compact_training_data
from fuzzyucs.estimators.cluster import ClusterRows
from fuzzyucs.estimators.dask_predictions import like_rows, partitions_of, whole_rows
from fuzzyucs.estimators.lazy import in_memory, is_dask
from fuzzyucs.estimators.learning import learn
from fuzzyucs.estimators.parts import Glance, Part, whole_of
from fuzzyucs.estimators.row_sample import N_SAMPLED
from fuzzyucs.estimators.validation import check_sample_weight, plain_labels
from fuzzyucs.variables.excerpts import Excerpt, merged_columns
from fuzzyucs.variables.frames import Columns

if TYPE_CHECKING:
    from distributed import Client

    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["learn_on_cluster", "rows_on_cluster"]


def learn_on_cluster(
    clf: EvidentialRuleClassifier, X: Any, y: Any, sample_weight: Any, checkpoint: Any
) -> bool:
    """Let the workers of a cluster learn.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        Gets everything that `fit` finds.
    X, y, sample_weight, checkpoint
        As in its `fit`.

    Returns
    -------
    bool
        False if there is no cluster, or if rows are so few that one machine is faster.
    """
    if (client := _current_client()) is None:
        return False
    if (rows := rows_on_cluster(clf, client, X, y, sample_weight)) is None:
        return False
    with closing(rows):
        learn(clf, rows, checkpoint)
    return True


def rows_on_cluster(
    clf: EvidentialRuleClassifier, client: Client, X: Any, y: Any, sample_weight: Any
) -> ClusterRows | None:
    """Check training data that workers hold, and prepare to learn from them.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        It learns the names of the features, what columns hold, and the classes.
    client : distributed.Client
        The client of the cluster.
    X : dask.array.Array of shape (n_samples, n_features) or dask.dataframe.DataFrame
        Rows.
    y : Dask collection or array-like of shape (n_samples,)
        Class labels.
    sample_weight : Dask collection or array-like of shape (n_samples,), or None
        How much each row counts.

    Returns
    -------
    ClusterRows or None
        None if there are so few rows that one machine is faster.
    """
    X = whole_rows(X)
    columns = _beside(X, y, "y")
    weights = [None] * len(columns)
    if sample_weight is not None:
        weights = _beside(X, sample_weight, "sample_weight")
    raw = [delayed(_Raw)(*part) for part in zip(partitions_of(X), columns, weights, strict=True)]
    held = client.compute(raw)
    sizes = client.gather(client.map(_size, held, pure=False))
    if sum(sizes) <= N_SAMPLED:
        return None
    filled = [number for number, size in enumerate(sizes) if size]
    clf.columns_ = _columns(clf, client, X, [held[number] for number in filled])
    name = f"X of {type(clf).__name__}"

    def load(kept: Sequence[Any] | None = None) -> list[Any]:
        futures = kept or client.compute([raw[number] for number in filled])
        about = {"columns": clf.columns_, "n_features": clf.n_features_in_, "name": name}
        parts: list[Any] = client.map(_checked, futures, **about, pure=False)
        return parts

    parts = load([held[number] for number in filled])
    glances = client.gather(client.map(Glance.of, parts, pure=False))
    del held
    whole = whole_of(clf, glances, is_weighted=sample_weight is not None)
    filled = [number for number, glance in zip(filled, glances, strict=True) if glance.n_rows]
    ready = [part for part, glance in zip(parts, glances, strict=True) if glance.n_rows]
    return ClusterRows(client, _first(ready, load), whole)


def _current_client() -> Client | None:
    """Return the client of the cluster that is in use, if there is one."""
    from distributed import get_client

    try:
        client = get_client()
    except ValueError:
        return None
    if client.asynchronous:
        raise TypeError(
            "fit waits for the workers of a cluster, which an asynchronous client of Dask cannot; "
            "use a client without asynchronous=True"
        )
    return client


def _first(ready: list[Any], load: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
    """Return what is ready the first time, and load it anew later."""

    def parts() -> list[Any]:
        if ready:
            found = list(ready)
            ready.clear()
            return found
        return load()

    return parts


class _Raw(NamedTuple):
    """A partition as it came."""

    X: Any
    y: Any
    weight: Any


def _size(raw: _Raw) -> int:
    n = len(raw.X)
    for name, given in (("y", raw.y), ("sample_weight", raw.weight)):
        if given is not None and len(given) != n:
            raise ValueError(
                f"{name} must have as many rows as X in each partition, got {len(given)} and {n}"
            )
    return n


def _beside(X: Any, values: Any, name: str) -> list[Any]:
    """Return labels or weights by partition of X; such as are in memory are cut."""
    if is_dask(values):
        return like_rows(X, values, name)
    if isinstance(X, da.Array) and not np.isnan(X.chunks[0]).any():
        sizes = np.array(X.chunks[0])
    else:
        sizes = np.array(in_memory(*[delayed(len)(part) for part in partitions_of(X)]))
    if len(values) != sizes.sum():
        raise ValueError(f"{name} must have as many rows as X, {sizes.sum()}, got {len(values)}")
    array = np.asarray(plain_labels(values) if name == "y" else values)
    return list(np.split(array, np.cumsum(sizes)[:-1]))


def _columns(clf: EvidentialRuleClassifier, client: Client, X: Any, held: list[Any]) -> Columns:
    """Find out what the columns hold, and learn their names and number."""
    if isinstance(X, da.Array):
        n_features = in_memory(delayed(lambda raw: raw.X.shape[1])(held[0]))[0]
        validate_data(clf, np.zeros((1, n_features)), reset=True)
        return Columns()
    validate_data(clf, X._meta, reset=True, skip_check_array=True)
    return merged_columns(client.gather(client.map(_excerpt, held, pure=False)))


def _excerpt(raw: _Raw) -> Excerpt:
    return Excerpt.of(raw.X)


@keeps_memory
def _checked(raw: _Raw, columns: Columns, n_features: int, name: str) -> Part:
    """Check a partition as `fit` checks a table in memory."""
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

    X, y = raw.X, raw.y
    weight = np.ones(len(X))
    if raw.weight is not None:
        weight = check_sample_weight(raw.weight, X, is_part=True)
    table, labels = compact_training_data(EvidentialRuleClassifier(), columns, X, y, reset=True)
    if table.n_features != n_features:
        raise ValueError(f"{name} has {table.n_features} features in a partition, not {n_features}")
    check_classification_targets(labels)
    return Part(table, labels, weight).that_count()
