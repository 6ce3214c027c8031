"""Evolved rules on the partitions of Dask collections: exact counts, the same on any cluster."""

import os
import signal
from fractions import Fraction

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed.diagnostics.plugin import SchedulerPlugin

from clusters import cluster
from fuzzyucs import FuzzyUCSClassifier, UCSClassifier, load
from fuzzyucs.estimators.dask_training import ONE, count_experience

CLASSIFIERS = {
    "fuzzy": lambda **options: FuzzyUCSClassifier(epochs=4, random_state=3, **options),
    "count": lambda **options: FuzzyUCSClassifier(
        epochs=4, random_state=3, experience_update="count", **options
    ),
    "crisp": lambda **options: UCSClassifier(epochs=4, random_state=3, **options),
}
each = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)


def numbers(n=240):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3)).round(2)
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def collections(X, y, rows=80):
    return da.from_array(X, chunks=(rows, 2)), da.from_array(y, chunks=rows)


def frame(n=240):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "size": rng.gamma(2, size=n).round(1),
            "colour": rng.choice(["blue", "green", "red"], n),
            "grade": pd.Categorical(rng.choice(list("ABC"), n), list("ABC"), ordered=True),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, n), "D"),
        }
    )
    table.loc[rng.random(n) < 0.1, "colour"] = None
    table.loc[: n // 2, "colour"] = table.loc[: n // 2, "colour"].replace("red", "blue")
    table["bought"] = (table["size"] > 2) ^ (table["colour"] == "red")
    return table


def contents(model):
    return {name: getattr(model.rules_, name).tobytes() for name in model.rules_.array_names()}


def count_by_hand(model, X, y):
    """Sum up degrees of all rows in whole numbers, one by one."""
    degrees = model.membership(X)
    if getattr(model, "experience_update", "count") == "count":
        degrees = (degrees > 0).astype(float)
    sums = [[0] * len(model.classes_) for _ in model.rules_.numerosity]
    for row, label in zip(degrees.tolist(), y.tolist(), strict=True):
        for rule, degree in enumerate(row):
            sums[rule][model.classes_.tolist().index(label)] += round(Fraction(degree) * ONE)
    return sums


@each
def test_experience_is_that_of_every_row_in_every_epoch(make):
    X, y = numbers()
    model = make().fit(*collections(X, y))
    rules = model.rules_
    sums = count_by_hand(model, X, y)
    expected = np.array([[float(Fraction(4 * s, ONE)) for s in row] for row in sums])
    assert np.array_equal(rules.class_experience, expected)
    assert np.allclose(rules.experience, expected.sum(axis=1), rtol=1e-15)
    known = rules.experience > 0
    assert known.sum() > 20
    assert np.allclose(rules.weights[known], (expected.T / expected.sum(axis=1)).T[known])
    if not model.rules_own_class:
        assert np.array_equal(rules.consequent[known], expected[known].argmax(axis=1))


def test_counts_do_not_depend_on_how_rows_are_cut():
    X, y = numbers()
    model = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, y)
    labels = np.searchsorted(model.classes_, y).astype(np.uint32)
    positions = model.rules_.variables.positions(X)

    def count(rows):
        return count_experience(model.rules_, positions[rows], labels[rows], counts_matches=False)

    whole = count(slice(None))
    mixed = np.random.default_rng(0).permutation(len(X))
    assert np.array_equal(count(mixed[:50]) + count(mixed[50:]), whole)
    assert np.array_equal(whole, count_by_hand(model, X, y))


@each
def test_the_limit_is_kept_and_nothing_is_left_to_subsume(make):
    X, y = numbers()
    threshold = "accuracy_threshold" if make is CLASSIFIERS["crisp"] else "fitness_threshold"
    options = {"population_size": 100, "subsumption_experience": 5, threshold: 0.6}
    model = make(**options).fit(*collections(X, y))
    rules = model.rules_
    assert 50 < rules.numerosity.sum() <= 100
    assert (model.learner_state_.time, len(model.learner_state_.random_state)) == (4 * 80, 4)
    if model.rules_own_class:
        return
    may = (rules.experience > 5) & (rules.fitness > 0.6)
    assert may.any()
    for one in np.flatnonzero(may):
        is_more_general = (rules.conditions[one] | rules.conditions) == rules.conditions[one]
        is_other = (rules.conditions != rules.conditions[one]).any(axis=1)
        same = rules.consequent == rules.consequent[one]
        assert not (is_more_general.all(axis=1) & is_other & same).any()


def as_sets(condition):
    """Intervals that differ only in which bound comes first are the same."""
    return (np.sort(condition) if condition.ndim == 2 else condition).tobytes()


@each
def test_each_partition_evolves_by_itself(make):
    """The rules of the union are those that learners find in each partition alone."""
    X, y = numbers()
    model = make(population_size=10**6, correct_set_subsumption=False).fit(*collections(X, y))
    found = {as_sets(condition) for condition in model.rules_.conditions}
    alone, total = set(), 0
    for number, first in enumerate(range(0, 240, 80)):
        rows = slice(first, first + 80)
        seed = int(np.random.SeedSequence([3, number]).generate_state(1, np.uint64)[0])
        learner = model._new_learner(model.rules_.variables, seed)
        labels = np.searchsorted(model.classes_, y[rows]).astype(np.uint32)
        for _ in range(4):
            learner.train_epoch(model.rules_.variables.positions(X[rows]), labels)
        alone |= {as_sets(condition) for condition in learner.export_rules()["conditions"]}
        total += learner.n_micro_rules
    assert found == alone
    assert model.rules_.numerosity.sum() == total


@pytest.mark.parametrize("partition", ["uniform", "quantile", "values"])
def test_variables_are_those_of_the_whole_table(partition):
    table = frame()
    X, y = table.drop(columns="bought"), table["bought"]
    options = {"partition": partition, "nominal_features": "auto", "n_terms": "auto", "epochs": 1}
    expected = FuzzyUCSClassifier(random_state=0, **options).fit(X, y)
    lazy = dd.from_pandas(table, npartitions=3)
    found = FuzzyUCSClassifier(random_state=0, **options).fit(
        lazy.drop(columns="bought"), lazy["bought"]
    )
    assert found.columns_ == expected.columns_
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert found.feature_names_in_.tolist() == X.columns.tolist()
    for feature in range(4):
        assert found.rules_.variables.feature_as_dict(
            feature
        ) == expected.rules_.variables.feature_as_dict(feature)
    assert found.score(X, y) > 0.6


def test_ranges_of_intervals_are_those_of_the_whole_table():
    X, y = numbers()
    expected = UCSClassifier(epochs=1, random_state=0).fit(X, y).rules_.variables
    found = UCSClassifier(epochs=1, random_state=0).fit(*collections(X, y)).rules_.variables
    for feature in range(3):
        assert found.feature_as_dict(feature) == expected.feature_as_dict(feature)


def test_partitions_may_be_empty_and_their_sizes_unknown():
    X, y = numbers()
    keep = np.r_[np.ones(80, bool), np.zeros(80, bool), X[160:, 2] > 0]
    lazy, labels = collections(X, y)
    mask = da.from_array(keep, chunks=80)
    found = CLASSIFIERS["fuzzy"]().fit(lazy.rechunk((80, 3))[mask], labels[mask])
    sizes = (80, int(keep[160:].sum()))
    known = da.from_array(X[keep], chunks=(sizes, 3)), da.from_array(y[keep], chunks=(sizes,))
    assert contents(found) == contents(CLASSIFIERS["fuzzy"]().fit(*known))


@each
def test_training_can_go_on_and_models_can_be_saved(make, tmp_path):
    X, y = numbers()
    model = make().fit(*collections(X, y))
    kept = load(model.save(tmp_path / "model.json"))
    assert np.array_equal(kept.predict_proba(X), model.predict_proba(X))
    steps = model.learner_state_.time
    assert model.partial_fit(X[:50], y[:50]).learner_state_.time == steps + 50


@pytest.fixture(scope="module")
def client():
    with cluster(2) as found:
        yield found


@each
def test_any_number_of_workers_gives_the_same_rules(make, client):
    X, y = numbers()
    found = contents(make().fit(*collections(X, y)))
    client.run(os.getpid)  # the cluster is what has just been used
    with dask.config.set(scheduler="sync"):
        assert contents(make().fit(*collections(X, y))) == found
    with dask.config.set(scheduler="threads"):
        assert contents(make().fit(*collections(X, y))) == found


class KillOnce(SchedulerPlugin):
    """Kills the worker that has trained the first shard, with all that it holds."""

    def __init__(self, pids):
        self.pids = pids
        self.killed = []

    def transition(self, key, start, finish, *args, worker=None, **kwargs):  # noqa: ARG002
        is_trained = "_evolve" in str(key) and (start, finish) == ("processing", "memory")
        if is_trained and not self.killed:
            self.killed.append(worker)
            os.kill(self.pids[worker], signal.SIGKILL)


def test_a_killed_worker_changes_nothing():
    X, y = numbers()
    lazy = collections(X, y, rows=30)
    with dask.config.set(scheduler="sync"):
        expected = contents(CLASSIFIERS["fuzzy"]().fit(*lazy))
    with cluster(2) as client:
        plugin = KillOnce(client.run(os.getpid))
        client.cluster.scheduler.add_plugin(plugin)
        assert contents(CLASSIFIERS["fuzzy"]().fit(*lazy)) == expected
        assert len(plugin.killed) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inference": "weighted"}, "inference must be 'ds' or 'vote' or 'swin'"),
        ({"calibrate": True}, "calibrate must be False"),
        ({"missing": "belief"}, "missing must be 'match'"),
        ({"support": "auto"}, "support must be None"),
        ({"population_size": 2**23}, "population_size times the number of partitions"),
    ],
)
def test_what_needs_all_rows_is_refused(options, message):
    model = FuzzyUCSClassifier(**options)
    with pytest.raises(ValueError, match=message):
        model.fit(*collections(*numbers()))
    assert not hasattr(model, "classes_")


def test_wrong_input_is_refused():
    X, y = collections(*numbers())
    model = FuzzyUCSClassifier(epochs=1)
    with pytest.raises(TypeError, match="y must be a Dask collection as X is, got a ndarray"):
        model.fit(X, numbers()[1])
    with pytest.raises(ValueError, match="y must have as many rows as X, 240, got 239"):
        model.fit(X, y[1:])
    with pytest.raises(ValueError, match="sample_weight must be None"):
        model.fit(X, y, da.ones(240))
    with pytest.raises(ValueError, match="callback must be None"):
        model.fit(X, y, callback=print)
    with pytest.raises(ValueError, match="needs at least 2 classes"):
        model.fit(X, da.zeros(240, chunks=80, dtype=int))
    with pytest.raises(ValueError, match="at least one row"):
        model.fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="infinity"):
        model.fit(da.where(X > 1, np.inf, X), y)
    with pytest.raises(TypeError, match="X must be in memory, got a Dask Array"):
        model.partial_fit(X, y, classes=["no", "yes"])
