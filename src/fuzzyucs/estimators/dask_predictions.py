"""Predictions over Dask collections: lazy, one task for each partition, and the model sent once.

The only module that imports Dask for predictions (extra ``distributed``).
"""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from dask.base import DaskMethodsMixin
from dask.highlevelgraph import HighLevelGraph
from dask.threaded import get as threaded_get
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from fuzzyucs.decisions.decision import Answer
from fuzzyucs.estimators.lazy import is_dask
from fuzzyucs.evidence.evidence import Evidence

__all__ = [
    "LazyEvidence",
    "like_rows",
    "map_method",
    "partitions_of",
    "sample_of",
    "score",
    "whole_rows",
]


def map_method(model: Any, name: str, X: Any, options: Mapping[str, Any]) -> Any:
    """Map a method of a classifier over the rows of a collection.

    Parameters
    ----------
    model : RuleClassifier
        A fitted classifier; what is done to it later does not change the result.
    name : str
        Name of the method, whose result has an entry for each row.
    X : dask.array.Array of shape (n_samples, n_features) or dask.dataframe.DataFrame
        Data. Names, order and types of the columns are checked at once, values when they are
        computed. Partitions may be empty, and their sizes unknown.
    options : mapping of str to object
        Parameters of the method.

    Returns
    -------
    dask.array.Array, LazyEvidence or Answer
        In place of an array, a Dask array with the same chunks; in place of `Evidence`, a
        `LazyEvidence`; an `Answer` of these.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier().fit(X, y)
    >>> labels = clf.predict(da.from_array(X, chunks=(50, 2)))
    >>> labels.chunks, labels.dtype
    (((50, 50, 50),), dtype('<U10'))
    >>> (labels.compute() == clf.predict(X)).all()
    np.True_
    """
    check_is_fitted(model)
    X = whole_rows(X)
    nothing = _without_rows(getattr(model, name)(sample_of(X, model.n_features_in_), **options))
    task = _Task(name, dict(options), nothing)
    sent = _sent(model, keeps_names=_is_frame(X))
    if isinstance(nothing, np.ndarray):
        return _array(X, task, sent, nothing)
    parts = [delayed(task)(sent, part) for part in partitions_of(X)]
    if isinstance(nothing, Evidence):
        return LazyEvidence(parts, nothing)
    return Answer(
        _of_delayed(X, [part[0] for part in parts], nothing.labels),
        _of_delayed(X, [part[1] for part in parts], nothing.probability),
        LazyEvidence([part[2] for part in parts], nothing.evidence),
    )


def score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Compute the accuracy of a classifier, a partition at a time if the labels allow it.

    Parameters
    ----------
    model : RuleClassifier
        A fitted classifier.
    X : array-like or Dask collection of shape (n_samples, n_features)
        Data.
    y : array-like or Dask collection of shape (n_samples,)
        True labels. If X is a collection, too, it has as many partitions.
    sample_weight : array-like or Dask collection of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    float

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier().fit(X, y)
    >>> far, near = da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50)
    >>> clf.score(far, near) == clf.score(X, y)
    True
    """
    given = [part for part in (y, sample_weight) if part is not None]
    if not is_dask(X) or not all(map(is_dask, given)):
        labels = model.predict(X)
        here = [_in_memory(part) for part in (y, labels, sample_weight)]
        return float(accuracy_score(here[0], here[1], sample_weight=here[2]))
    names = ["y", "sample_weight"]
    columns = [like_rows(X, part, name) for part, name in zip(given, names, strict=False)]
    labels = model.predict(X)
    found = delayed(_sums)(
        [delayed(_right)(*parts) for parts in zip(partitions_of(labels), *columns, strict=True)]
    )
    right, whole = found.compute()
    if not whole:
        raise ValueError("X must have at least one row of positive weight to score, got none")
    return float(right / whole)


def like_rows(X: Any, y: Any, name: str) -> list[Any]:
    """Return the partitions of labels or weights, after a check that they fit those of the rows.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        Rows.
    y : dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
        Something about each row. Arrays are cut as the rows are, if both sizes are known.
    name : str
        Of the parameter, for messages.

    Returns
    -------
    list of Delayed
    """
    if _is_array(y) and y.ndim != 1 and not (y.ndim == 2 and y.shape[1] == 1):
        raise ValueError(f"{name} must have one dimension, got a Dask array of shape {y.shape}")
    if _is_array(y) and y.ndim == 2:
        y = y[:, 0]
    rows = X.chunks[0] if _is_array(X) else (np.nan,) * X.npartitions
    are_known = not np.isnan([*rows, *(y.chunks[0] if _is_array(y) else [np.nan])]).any()
    if are_known and sum(rows) != y.shape[0]:
        raise ValueError(f"{name} must have as many rows as X, {sum(rows)}, got {y.shape[0]}")
    if are_known:
        y = y.rechunk({0: rows})
    parts = partitions_of(y)
    if len(parts) != len(rows):
        raise ValueError(
            f"{name} must have as many partitions as X, {len(rows)}, got {len(parts)}; derive both "
            "from the same collection, or repartition them"
        )
    return parts


class LazyEvidence(DaskMethodsMixin):  # type: ignore[misc]
    """Evidence about the rows of a Dask collection, to be computed.

    It is a collection itself: ``compute()`` gives an `Evidence`, ``persist()`` keeps the parts on
    the workers, and ``dask.compute`` takes it together with others.

    Parameters
    ----------
    parts : sequence of Delayed
        The evidence of each partition.
    nothing : Evidence
        Of no row, which tells the classes and the fields.

    See Also
    --------
    fuzzyucs.Evidence : What is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier().fit(X, y)
    >>> lazy = clf.predict_evidence(da.from_array(X, chunks=(50, 4)))
    >>> lazy
    <LazyEvidence: 3 partitions, 3 classes>
    >>> len(lazy.compute())
    150
    >>> lazy.to_frame().columns[-2:].tolist()
    ['verdict', 'reason']
    """

    __dask_scheduler__ = staticmethod(threaded_get)
    __dask_optimize__ = staticmethod(lambda graph, *_, **__: graph)

    def __init__(self, parts: Sequence[Any], nothing: Evidence) -> None:
        self.parts = list(parts)
        self.nothing = nothing

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels."""
        return self.nothing.classes

    @property
    def npartitions(self) -> int:
        """Number of partitions."""
        return len(self.parts)

    def to_delayed(self) -> list[Any]:
        """Return the evidence of each partition as a Delayed object."""
        return list(self.parts)

    def to_frame(self) -> Any:
        """Return a Dask data frame with the columns of `Evidence.to_frame`.

        Returns
        -------
        dask.dataframe.DataFrame
            Each partition counts its rows from 0, since their numbers are not known.
        """
        import dask.dataframe as dd

        frames = [delayed(_text_frame)(part) for part in self.parts]
        return dd.from_delayed(frames, meta=_text_frame(self.nothing), verify_meta=False)

    def __dask_graph__(self) -> Any:
        return HighLevelGraph.merge(*(part.__dask_graph__() for part in self.parts))

    def __dask_keys__(self) -> list[Any]:
        return [part.key for part in self.parts]

    def __dask_tokenize__(self) -> Any:
        return self.__dask_keys__()

    def __dask_postcompute__(self) -> tuple[Callable[..., Evidence], tuple[()]]:
        return Evidence.join, ()

    def __dask_postpersist__(self) -> tuple[Callable[..., LazyEvidence], tuple[Any, ...]]:
        return _rebuilt, (self.__dask_keys__(), self.nothing)

    def __repr__(self) -> str:
        return f"<LazyEvidence: {self.npartitions} partitions, {len(self.classes)} classes>"


def _rebuilt(
    graph: Any, keys: Sequence[Any], nothing: Evidence, *, rename: Mapping[Any, Any] | None = None
) -> LazyEvidence:
    """Make lazy evidence of computed or remembered parts."""
    from dask.delayed import Delayed

    names = rename or {}
    return LazyEvidence([Delayed(names.get(key, key), graph) for key in keys], nothing)


class _Task:
    """What is done to a partition."""

    def __init__(self, name: str, options: Mapping[str, Any], nothing: Any) -> None:
        self.name, self.options, self.nothing = name, options, nothing
        self.__name__ = name  # by which Dask's dashboard shows it

    def __call__(self, model: Any, part: Any) -> Any:
        return getattr(model, self.name)(part, **self.options) if len(part) else self.nothing

    def __dask_tokenize__(self) -> Any:
        return type(self).__name__, self.name, sorted(self.options.items())

    def on_partition(self, part: Any, model: Any) -> Any:
        """Do it with the arguments in the order that data frames need."""
        return self(model, part)


def _sent(model: Any, *, keeps_names: bool) -> Any:
    """Return a copy of the model as one task, which all others depend on."""
    kept = copy.copy(model)
    if "n_jobs" in kept.get_params(deep=False):
        kept.n_jobs = 1  # partitions are what is done in parallel
    if not keeps_names:
        # scikit-learn has said once that an array has no names; no task has to say it again.
        vars(kept).pop("feature_names_in_", None)
    digest = hashlib.sha256(pickle.dumps(kept)).hexdigest()
    return delayed(kept, name=f"{type(kept).__name__}-{digest}", traverse=False)


def _array(X: Any, task: _Task, sent: Any, nothing: NDArray[Any]) -> Any:
    if _is_frame(X):
        return X.map_partitions(task.on_partition, sent, meta=nothing)
    changed: dict[str, Any] = (
        {"drop_axis": 1} if nothing.ndim == 1 else {"chunks": (X.chunks[0], nothing.shape[1:])}
    )
    return X.map_blocks(task.on_partition, sent, dtype=nothing.dtype, meta=nothing, **changed)


def _of_delayed(X: Any, parts: Sequence[Any], nothing: NDArray[Any]) -> Any:
    sizes = X.chunks[0] if _is_array(X) else (np.nan,) * len(parts)
    return da.concatenate(
        [
            da.from_delayed(part, (size, *nothing.shape[1:]), meta=nothing)
            for size, part in zip(sizes, parts, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def _without_rows(result: Any) -> Any:
    if isinstance(result, Answer):
        return Answer(result.labels[:0], result.probability[:0], result.evidence[:0])
    return result[:0]


def _is_array(X: Any) -> bool:
    return isinstance(X, da.Array)


def _is_frame(X: Any) -> bool:
    return not _is_array(X)


def whole_rows(X: Any) -> Any:
    """Check the kind of a collection; an array gets chunks of whole rows."""
    if _is_array(X):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got a Dask array of shape {X.shape}")
        if not isinstance(X._meta, np.ndarray):
            kind = type(X._meta).__name__
            raise TypeError(f"X must be a Dask array of NumPy arrays, got chunks of type {kind}")
        return X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    if (kind := type(X).__name__) != "DataFrame":
        raise TypeError(f"X must be an array or a data frame of Dask, got a Dask {kind}")
    return X


def partitions_of(X: Any) -> list[Any]:
    """Return the partitions of a collection as Delayed objects."""
    return list(np.ravel(X.to_delayed()))


def sample_of(X: Any, n_known: int | None) -> Any:
    """Return a small table in memory that has the columns and types of a collection.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        The collection.
    n_known : int or None
        How many columns it has to have, if it does not know how many it has.

    Returns
    -------
    ndarray or pandas.DataFrame
    """
    if _is_array(X):
        # If the number of columns is unknown, chunks are checked when they are computed.
        n_features = n_known if np.isnan(X.shape[1]) else X.shape[1]
        if n_features is None:
            raise ValueError("X must know its number of columns: call its compute_chunk_sizes()")
        return np.zeros((1, n_features), dtype=np.int8).astype(X.dtype)
    from dask.dataframe.utils import meta_nonempty

    sample = meta_nonempty(X._meta)
    for number, dtype in enumerate(X._meta.dtypes):
        if _may_hold_anything(dtype):
            sample.isetitem(number, np.full(len(sample), None, dtype=object))
    return sample


def _may_hold_anything(dtype: Any) -> bool:
    """Tell whether only the values show what a column holds: text, or categories not known yet."""
    from dask.dataframe.utils import UNKNOWN_CATEGORIES

    if hasattr(dtype, "categories"):
        return UNKNOWN_CATEGORIES in dtype.categories
    return getattr(dtype, "kind", "O") in "OUT"


def _text_frame(evidence: Evidence) -> Any:
    """Return evidence as a data frame whose texts have the type that Dask gives to texts."""
    frame = evidence.to_frame()
    return frame.astype({name: "object" for name in ("verdict", "reason") if name in frame})


def _in_memory(X: Any) -> Any:
    return X.compute() if is_dask(X) else X


def _right(labels: NDArray[Any], y: Any, weight: Any = None) -> tuple[float, float]:
    """Return how much the rows of a partition count that are classified right, and all rows."""
    for name, given in {"y": y, "sample_weight": weight}.items():
        if given is not None and len(given) != len(labels):
            raise ValueError(
                f"{name} must have as many rows as X in each partition, got {len(given)} and "
                f"{len(labels)}"
            )
    if not len(labels):
        return 0.0, 0.0
    counts = np.ones(len(labels)) if weight is None else np.ravel(np.asarray(weight, dtype=float))
    normalised = accuracy_score(np.ravel(y), labels, normalize=False, sample_weight=counts)
    return float(normalised), float(counts.sum())


def _sums(parts: Iterator[tuple[float, float]]) -> tuple[float, float]:
    return sum(part[0] for part in parts), sum(part[1] for part in parts)
