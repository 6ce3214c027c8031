"""Training of evolved rules on the partitions of a Dask collection.

Each partition is a shard: a population of its own evolves there. The union of the populations is
then counted anew over all rows, and condensed to the size of one population. All tasks are pure, so
that a worker that is lost costs nothing but time.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
from dask import delayed
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.estimators.checked_tables import table_of_numbers
from fuzzyucs.estimators.dask_predictions import like_rows, partitions_of, sample_of, whole_rows
from fuzzyucs.estimators.lazy import is_dask
from fuzzyucs.estimators.presenting import TrainingRows
from fuzzyucs.estimators.validation import class_indices, draw_seed
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.table import Table

if TYPE_CHECKING:
    from fuzzyucs.estimators.online import RuleLearner

__all__ = ["count_experience", "fit_to_shards", "joined_rules"]

ONE = 2**32  # a degree of 1 as a whole number, so that sums do not depend on the order
MOST_ROWS = 2**30  # whose degrees sum up to 63 bits
MOST_DEGREES = 2**16  # held in memory at a time, in the cache

MOST_MICRO_RULES = 2**23  # that the native learner takes
NEEDS_ALL_ROWS: dict[str, tuple[Any, ...]] = {
    "inference": ("ds", "vote", "swin"),
    "calibrate": (False,),
    "missing": ("match",),
    "support": (None,),
    "ranges": (None,),
    "forgetting": (0.0,),
}

Arrays = dict[str, NDArray[Any]]


def fit_to_shards(
    estimator: RuleLearner, X: Any, y: Any, sample_weight: Any, callback: Any
) -> tuple[EvolvedRuleSet, tuple[int, int, tuple[int, ...]]]:
    """Evolve rules on each partition, and make one population of them.

    Parameters
    ----------
    estimator : RuleLearner
        What is to be fitted; it learns columns, features and classes.
    X : dask.array.Array or dask.dataframe.DataFrame
        Training data.
    y : dask.array.Array or dask.dataframe.Series
        Class labels, in as many partitions.
    sample_weight, callback : None
        Others are refused.

    Returns
    -------
    rules : EvolvedRuleSet
    state : tuple
        Seed, number of training steps of the largest shard, and state of the random generator.
    """
    _refuse(estimator, sample_weight=sample_weight, callback=callback)
    parts = _read_partitions(estimator, whole_rows(X), y)
    found, sizes = zip(*dask.compute(*[delayed(_labels)(part) for part in parts]), strict=True)
    _check_size(estimator, sizes)
    parts = [part for part, size in zip(parts, sizes, strict=True) if size]
    classes = np.unique(np.concatenate([labels for labels in found if len(labels)]))
    check_classification_targets(classes)
    estimator.classes_ = estimator._check_classes(classes)
    table: Any = _Columnwise(parts, sum(sizes), estimator.n_features_in_)
    variables = estimator._find_variables(table, feature_names(estimator))
    seed = draw_seed(estimator.random_state)
    model = delayed((copy.copy(estimator), variables), traverse=False)
    shards = [delayed(_evolve)(model, part, [seed, i]) for i, part in enumerate(parts)]
    union = joined_rules(dask.compute(*shards), own_class=estimator.rules_own_class)
    way = getattr(estimator, "experience_update", "count")
    found_rules = EvolvedRuleSet(variables, classes, **union)
    if estimator.rules_match_everything:
        found_rules = found_rules.without_conditions()
    rules = delayed(found_rules, traverse=False)
    counts = sum(dask.compute(*[delayed(_count)(rules, part, way == "count") for part in parts]))
    learner = estimator._new_learner(variables, seed)
    learner.time = max(sizes) * estimator.epochs
    learner.restore_rules(**_recounted(union, counts, estimator))
    learner.condense()
    for name in (
        "support_",
        "tempering_",
        "weighted_rules_",
        "_live",
        "range_changes_",
    ):  # of an earlier fit
        estimator.__dict__.pop(name, None)
    condensed = EvolvedRuleSet(variables, classes, **learner.export_rules())
    return condensed, (seed, learner.time, tuple(learner.rng_state))


def joined_rules(
    populations: Sequence[Mapping[str, NDArray[Any]]], *, own_class: bool = False
) -> Arrays:
    """Join populations; rules with the same condition become one.

    Parameters
    ----------
    populations : sequence of mappings of str to ndarray
        Rules as a learner exports them.
    own_class : bool
        Whether rules with the same condition, but different classes, are different ones.

    Returns
    -------
    dict of str to ndarray
        Rules in the order in which conditions first occur. Numerosities and counts of correct sets
        are added up, mean set sizes are means over all of these, and the latest time stamp stays.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.estimators.dask_training import joined_rules
    >>> one = {
    ...     "conditions": np.array([[1], [3]], dtype=np.uint64),
    ...     "numerosity": np.array([2, 1], dtype=np.uint32),
    ...     "set_size": np.array([4.0, 1.0]),
    ...     "set_count": np.array([1, 1], dtype=np.uint64),
    ...     "time_stamp": np.array([5, 6]),
    ... }
    >>> joined = joined_rules([one, {**one, "set_size": np.array([8.0, 1.0])}])
    >>> joined["numerosity"], joined["set_size"]
    (array([4, 2], dtype=uint32), array([6., 1.]))
    """
    rules = {
        name: np.concatenate([population[name] for population in populations])
        for name in populations[0]
    }
    conditions = rules["conditions"]
    if conditions.ndim == 3:  # intervals: which bound is stored first makes no difference
        conditions = np.sort(conditions, axis=2)
    keys: dict[tuple[bytes, int], int] = {}
    labels = rules["consequent"].tolist() if own_class else [0] * len(rules["conditions"])
    owner = np.array(
        [
            keys.setdefault((condition.tobytes(), label), len(keys))
            for condition, label in zip(conditions, labels, strict=True)
        ]
    )
    _, first = np.unique(owner, return_index=True)
    joined = {name: values[first] for name, values in rules.items()}
    for name in ("numerosity", "set_count"):
        total = np.zeros(len(first), dtype=rules[name].dtype)
        np.add.at(total, owner, rules[name])
        joined[name] = total
    sizes = np.zeros(len(first))
    np.add.at(sizes, owner, np.rint(rules["set_size"] * rules["set_count"]))
    has_any = joined["set_count"] > 0
    joined["set_size"][has_any] = sizes[has_any] / joined["set_count"][has_any]
    np.maximum.at(joined["time_stamp"], owner, rules["time_stamp"])
    return joined


def count_experience(
    rules: EvolvedRuleSet,
    positions: NDArray[np.float64],
    labels: NDArray[np.uint32],
    *,
    counts_matches: bool,
) -> NDArray[np.int64]:
    """Count anew what rules match, in whole numbers.

    Parameters
    ----------
    rules : EvolvedRuleSet
        Rules.
    positions : ndarray of shape (n_samples, n_features)
        Positions of the rows on the variables.
    labels : ndarray of shape (n_samples,)
        Indices of their classes.
    counts_matches : bool
        Whether a match counts as 1, however high its degree is.

    Returns
    -------
    ndarray of shape (n_rules, n_classes)
        Sums of the degrees, in units of 2**-32. Sums of whole numbers are the same in any order.
    """
    total = np.zeros((len(rules), len(rules.classes)), dtype=np.int64)
    step = max(1, MOST_DEGREES // max(1, len(rules)))
    native = rules.freeze()
    for first in range(0, len(positions), step):
        rows = slice(first, first + step)
        degrees = native.membership(np.ascontiguousarray(positions[rows]))
        gains = (degrees > 0).astype(np.float64) if counts_matches else degrees
        np.multiply(gains, float(ONE), out=gains)
        np.rint(gains, out=gains)
        of_class = np.eye(len(rules.classes))[:, labels[rows]]
        # Exact, since all sums are whole numbers of at most 53 bits.
        total += (of_class @ gains).T.astype(np.int64)
    return total


class _Columnwise(Table):
    """A table on workers, of which one column at a time is in this process."""

    def __init__(self, parts: Sequence[Any], n_rows: int, n_features: int) -> None:
        self._parts, self._shape = parts, (n_rows, n_features)
        self._last: tuple[int, NDArray[np.float64]] | None = None

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self._shape[1]

    def column(self, feature: int) -> NDArray[np.float64]:
        """Return a column, which is collected from the workers."""
        if self._last is None or self._last[0] != feature:
            values = dask.compute(*[delayed(_column)(part, feature) for part in self._parts])
            self._last = feature, np.concatenate(values)
        return self._last[1]


@dataclass(frozen=True)
class _Rows:
    """The rows of a partition: numbers, and class labels."""

    table: NDArray[np.float64]
    y: NDArray[Any]


def _columns(X: Any) -> Columns:
    """Find out what the columns of all partitions hold, one after the other."""
    if not hasattr(X, "columns"):
        return Columns()
    categories, times = {}, {}
    for number, dtype in enumerate(X.dtypes):
        if getattr(dtype, "kind", "O") in "iuf":
            continue
        values = X.iloc[:, [number]].map_partitions(_different).compute()
        found = Columns.of(values)
        if found.categories:
            categories[number] = found.categories[0]
        if found.times:
            times[number] = found.times[0]
    return Columns(categories, times)


def _different(part: Any) -> Any:
    return part.drop_duplicates()


def _read(estimator: RuleLearner, part: Any, y: Any) -> _Rows:
    """Check a partition, and turn it into numbers."""
    if len(part) != len(y):
        raise ValueError(
            f"y must have as many rows as X in each partition, got {len(y)} and {len(part)}"
        )
    if not len(part):
        return _Rows(np.empty((0, estimator.n_features_in_)), np.asarray(y)[:0])
    numbers, labels = table_of_numbers(estimator, estimator.columns_, part, y, reset=False)
    return _Rows(numbers, labels)


def _labels(rows: _Rows) -> tuple[NDArray[Any], int]:
    return np.unique(rows.y), len(rows.y)


def _column(rows: _Rows, feature: int) -> NDArray[np.float64]:
    return rows.table[:, feature]


def _evolve(model: tuple[RuleLearner, Any], rows: _Rows, seed: list[int]) -> Arrays:
    """Evolve a population on one shard."""
    estimator, variables = model
    own = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    learner = estimator._new_learner(variables, own)
    labels = class_indices(rows.y, estimator.classes_)
    shard = TrainingRows(variables.positions(rows.table), labels, None)
    for _ in range(estimator.epochs):
        shard.present_to(learner)
    return dict(learner.export_rules())


def _count(rules: EvolvedRuleSet, rows: _Rows, counts_matches: bool) -> NDArray[np.int64]:
    labels = class_indices(rows.y, rules.classes)
    positions = rules.variables.positions(rows.table)
    return count_experience(rules, positions, labels, counts_matches=counts_matches)


def _recounted(rules: Arrays, counts: Any, estimator: RuleLearner) -> Arrays:
    """Give rules the experience of having been there from the first epoch to the last."""
    experience = counts * (estimator.epochs / ONE)
    total = experience.sum(axis=1)
    consequent = rules["consequent"]
    if not estimator.rules_own_class:
        consequent = np.where(total > 0, np.argmax(counts, axis=1), consequent).astype(np.uint32)
    return {
        **rules,
        "class_experience": experience,
        "experience": total,
        "consequent": consequent,
    }


def _refuse(estimator: RuleLearner, **given: Any) -> None:
    """Refuse what needs all rows in one place."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} must be None if X is a Dask collection, got {value!r}")
    for name, wanted in NEEDS_ALL_ROWS.items():
        value = getattr(estimator, name, wanted[0])
        if not any(value is one or (np.isscalar(value) and value == one) for one in wanted):
            raise ValueError(
                f"{name} must be {' or '.join(map(repr, wanted))} if X is a Dask collection, got "
                f"{value!r}; for others, call compute() of X and y first"
            )


def _read_partitions(estimator: RuleLearner, X: Any, y: Any) -> list[Any]:
    """Return the rows of each partition, checked, as they are kept by the workers."""
    if not is_dask(y):
        raise TypeError(f"y must be a Dask collection as X is, got a {type(y).__name__}")
    targets = like_rows(X, y, "y")
    estimator.columns_ = _columns(X)
    sample = sample_of(X, None)
    table_of_numbers(estimator, estimator.columns_, sample, np.zeros(len(sample)), reset=True)
    model = delayed(copy.copy(estimator), traverse=False)
    pairs = zip(partitions_of(X), targets, strict=True)
    return list(dask.persist(*[delayed(_read)(model, *pair) for pair in pairs]))


def _check_size(estimator: RuleLearner, sizes: Sequence[int]) -> None:
    n_shards = sum(size > 0 for size in sizes)
    if not n_shards:
        raise ValueError("X must have at least one row, got 0 in all partitions")
    if sum(sizes) > MOST_ROWS:
        raise ValueError(f"X must have at most {MOST_ROWS:,} rows, got {sum(sizes):,}")
    if n_shards * estimator.population_size > MOST_MICRO_RULES:
        raise ValueError(
            "population_size times the number of partitions must be at most "
            f"{MOST_MICRO_RULES:,}, got "
            f"{estimator.population_size:,} times {n_shards:,}; repartition X"
        )
