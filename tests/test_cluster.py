"""The flagship on a Dask cluster: the same file as on one machine, whatever happens to workers."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

import clusters
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import cluster, cluster_member, cluster_training
from large_tables import N_SAMPLED, mixed, numbers, small_samples

# In workers, too, samples have to be small.
PREPARE = f"""
from fuzzyucs.estimators import row_sample
row_sample.N_SAMPLED, row_sample.N_HELD_OUT = {N_SAMPLED}, {2**7}
"""


def prepare():
    exec(PREPARE)


class Prepared(WorkerPlugin):
    """Lets workers that take the place of others have small samples, too."""

    def setup(self, worker):  # noqa: ARG002
        prepare()


@pytest.fixture(autouse=True)
def few_sampled(monkeypatch):
    with small_samples():
        monkeypatch.setattr(cluster_training, "N_SAMPLED", N_SAMPLED)
        yield


@contextmanager
def local_cluster(n_workers):
    """Start workers that have small samples."""
    with clusters.cluster(n_workers, silence_logs=50) as client:
        client.register_plugin(Prepared())
        yield client


def classifier(**params):
    """Return a classifier of few rules, which take few messages."""
    return EvidentialRuleClassifier(**{"penalty": 4.0, **params})


def constrained():
    """Return a classifier whose rules keep to constraints of all kinds."""
    wish = {"monotonic_cst": [1, 0, 0, 1, 0], "class_order": [0, 1, 2], "unused_features": [4]}
    return classifier(**wish, apart_features=[[0, 2]], feature_costs=[0, 5, 5, 0, 0])


def saved(clf, path):
    clf.save(path)
    return Path(path).read_bytes()


def frames(n_partitions, seed=0):
    """Return a shuffled frame in partitions, without its target, and the target."""
    frame = mixed().sample(frac=1, random_state=seed)
    whole = dd.from_pandas(frame, npartitions=n_partitions, sort=False)
    return whole.drop(columns="ill"), whole["ill"]


def count_actors(dask_worker):
    gc.collect()
    at_work = [
        thread.name for thread in threading.enumerate() if thread.name.startswith("fuzzyucs")
    ]
    return [*dask_worker.state.actors, *at_work]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of models that one machine learned."""
    folder = tmp_path_factory.mktemp("expected")
    frame = mixed()
    with small_samples():
        mixed_model = classifier().fit(frame.drop(columns="ill"), frame["ill"])
        three = classifier().fit(*numbers(n_classes=3))
        bound = constrained().fit(*numbers(n_classes=3))
    assert bound.rules_.asks[:, [0, 3]].any(axis=0).all()
    assert min(len(mixed_model.rules_), len(three.rules_)) > 3
    return {
        "mixed": saved(mixed_model, folder / "mixed.json"),
        "three": saved(three, folder / "three.json"),
        "constrained": saved(bound, folder / "constrained.json"),
    }


@pytest.mark.parametrize(
    ("n_workers", "partitions"),
    [(1, (3,)), (2, (17,)), pytest.param(5, (3, 17), marks=pytest.mark.soak)],
)
def test_files_are_the_same_for_any_workers_and_partitions(
    n_workers, partitions, expected, tmp_path
):
    X, y = numbers(n_classes=3)
    with local_cluster(n_workers):
        for n_partitions in partitions:
            clf = classifier().fit(*frames(n_partitions, seed=n_partitions))
            assert saved(clf, tmp_path / "mixed.json") == expected["mixed"]
            order = np.random.default_rng(n_partitions).permutation(len(y))
            size = len(y) // n_partitions + 1
            arrays = da.from_array(X[order], chunks=(size, 2)), da.from_array(y[order], chunks=700)
            clf = classifier().fit(*arrays)
            assert saved(clf, tmp_path / "three.json") == expected["three"]
            clf = constrained().fit(*arrays)
            assert saved(clf, tmp_path / "constrained.json") == expected["constrained"]
            assert clf.constraints_.broken(clf.rules_) == []


def test_weights_and_class_weights_are_those_of_one_machine(tmp_path):
    X, y = numbers()
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    weight[::7] = 0
    weight[3000:4000] = 0  # a whole partition
    parameters = ({"class_weight": "balanced"}, {"class_weight": {0: 1.0, 1: 3.5}}, {"n_models": 2})
    with local_cluster(2):
        for params in parameters:
            alone = classifier(**params).fit(X, y, weight)
            rows, labels = da.from_array(X, chunks=(1000, 5)), da.from_array(y, chunks=1000)
            together = classifier(**params).fit(rows, labels, da.from_array(weight, chunks=1000))
            # Labels and weights may as well be here.
            here = classifier(**params).fit(rows, y, weight)
            files = [saved(clf, tmp_path / "model.json") for clf in (alone, together, here)]
            assert files[0] == files[1] == files[2]


def die_after(n_messages):
    """Let this worker be killed with SIGKILL when it has got so many messages."""
    left = n_messages
    real = cluster_member.ClusterMember.receive

    async def receive(member, *message):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        await real(member, *message)

    cluster_member.ClusterMember.receive = receive
    return os.getpid()


@pytest.mark.parametrize(
    ("after", "number"),
    [
        (60, 1),
        pytest.param(1, 0, marks=pytest.mark.soak),
        pytest.param(250, 0, marks=pytest.mark.soak),
    ],
)
def test_a_killed_worker_changes_nothing(after, number, expected, tmp_path):
    with local_cluster(2) as client:
        worker = sorted(client.nthreads())[number]
        killed = client.run(die_after, after, workers=[worker])[worker]
        clf = classifier().fit(*frames(5))
        assert killed not in client.run(os.getpid).values()
        assert saved(clf, tmp_path / "model.json") == expected["mixed"]


def test_an_interrupted_client_stops_the_workers(monkeypatch):
    real = cluster.Crew.run

    def run(crew, name, *arguments):
        if name == "advance":
            timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
            timer.start()
        return real(crew, name, *arguments)

    monkeypatch.setattr(cluster.Crew, "run", run)
    X, y = numbers(200_000)
    with local_cluster(2) as client:
        usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
        try:
            with pytest.raises(KeyboardInterrupt):
                classifier(penalty=0.01).fit(da.from_array(X, chunks=(50_000, 5)), da.from_array(y))
        finally:
            signal.signal(signal.SIGINT, usual)
        wait_for(lambda: not any(client.run(count_actors).values()))
        monkeypatch.setattr(cluster.Crew, "run", real)
        assert len(classifier().fit(*frames(3)).rules_) > 3


def wait_for(holds):
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert holds()


def test_a_lost_client_goes_on_from_a_checkpoint(expected, tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    real = cluster.ClusterRows.advance
    stages = []

    def advance(rows, search, stage):
        if len(stages) == 3:
            raise KeyboardInterrupt
        real(rows, search, stage)
        stages.append(stage)

    with local_cluster(2):
        monkeypatch.setattr(cluster.ClusterRows, "advance", advance)
        with pytest.raises(KeyboardInterrupt):
            classifier().fit(*frames(3), checkpoint=path)
    assert path.exists()
    monkeypatch.setattr(cluster.ClusterRows, "advance", real)
    with local_cluster(1):  # another cluster
        clf = classifier().fit(*frames(7, seed=3), checkpoint=path)
    assert saved(clf, tmp_path / "model.json") == expected["mixed"]
    assert not path.exists()


def test_workers_that_were_started_by_hand(expected, tmp_path):
    started = []
    try:
        scheduler = tmp_path / "scheduler.json"
        file = f"--scheduler-file={scheduler}"
        tool = [sys.executable, "-m", "distributed.cli"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(
            subprocess.Popen(
                [*tool[:2], "distributed.cli.dask_scheduler", file, "--host=127.0.0.1",
                 "--port=0", "--no-dashboard"],
                **quiet,
            )
        )  # fmt: skip
        prepared = tmp_path / "prepare.py"
        prepared.write_text(PREPARE)
        started += [
            subprocess.Popen(
                [*tool[:2], "distributed.cli.dask_worker", file, "--host=127.0.0.1",
                 "--nthreads=1", "--no-dashboard", "--nanny", f"--preload={prepared}",
                 f"--local-directory={tmp_path}"],
                **quiet,
            )
            for _ in range(2)
        ]  # fmt: skip
        with Client(scheduler_file=str(scheduler), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            clf = classifier().fit(*frames(4))
            assert saved(clf, tmp_path / "model.json") == expected["mixed"]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def test_without_a_cluster_or_with_few_rows_one_machine_learns(expected, tmp_path):
    clf = classifier().fit(*frames(3))
    assert saved(clf, tmp_path / "model.json") == expected["mixed"]
    X, y = numbers(500)
    with local_cluster(1):
        clf = classifier().fit(da.from_array(X), da.from_array(y))
    alone = classifier().fit(X, y)
    assert saved(clf, tmp_path / "a.json") == saved(alone, tmp_path / "b.json")


def test_workers_forget_their_rows_afterwards():
    with local_cluster(1) as client:
        clf = classifier().fit(*frames(3))
        # Dask lets go of actors a moment later.
        wait_for(lambda: list(client.run(count_actors).values()) == [[]])
    with pytest.raises(ValueError, match="with_size cannot go on"):
        clf.with_size(1)


@pytest.fixture(scope="module")
def one_worker():
    """A cluster for tests that leave it as it was."""
    with local_cluster(1) as client:
        yield client


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, y.partitions[:2]), "y must have as many partitions as X"),
        (lambda X, _: (X, [0, 1]), "y must have as many rows as X, 6000, got 2"),
        (lambda X, _: (X, X["age"] * 0), "at least 2 classes"),
        (lambda X, y: (X.assign(age=X["age"] / 0), y), "infinity"),
        (lambda X, y: (X["age"], y), "X must be an array or a data frame of Dask"),
        (lambda X, y: (X, y.where(y == "no")), "y must have a label in each row"),
    ],
)
@pytest.mark.usefixtures("one_worker")
def test_bad_input_is_refused(change, message):
    clf = classifier()
    with pytest.raises((ValueError, TypeError), match=message):
        clf.fit(*change(*frames(3)))
    assert not hasattr(clf, "classes_")


@pytest.mark.usefixtures("one_worker")
def test_weights_are_not_zero_in_all_partitions():
    X, y = numbers()
    rows, labels = da.from_array(X, chunks=(1000, 5)), da.from_array(y, chunks=1000)
    with pytest.raises(ValueError, match="must not be zero in all rows"):
        classifier().fit(rows, labels, da.zeros(len(y), chunks=1000))


def ask_for_more():
    """Let this worker send one sum too many."""
    real = cluster_member.Exchange.add_others
    cluster_member.Exchange.add_others = lambda own, sums: real(own, np.append(sums, 0))


def test_workers_that_do_not_agree_end_the_fit():
    with local_cluster(2) as client:
        client.run(ask_for_more, workers=[min(client.nthreads())])
        with pytest.raises(RuntimeError, match="workers ask for different sums"):
            classifier().fit(*frames(3))
        wait_for(lambda: not any(client.run(count_actors).values()))


def test_an_asynchronous_client_is_refused():
    async def fit():
        workers = LocalCluster(
            1, processes=False, asynchronous=True, dashboard_address="127.0.0.1:0"
        )
        async with workers, Client(workers, asynchronous=True):
            classifier().fit(*frames(3))

    with pytest.raises(TypeError, match="use a client without asynchronous=True"):
        asyncio.run(fit())
