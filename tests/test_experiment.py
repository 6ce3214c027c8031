"""Plan, run and store: nothing is lost, nothing is done twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.datasets import ARTICLE_FILES, load_article, load_embedded
from fuzzyucs.experiment import systems
from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.plan import Job, plan
from fuzzyucs.experiment.run import run, run_job, split
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS, System
from processes import in_child
from soaking import first

EMBEDDED = {"irs": "iris", "wne": "wine", "can": "breast_cancer"}


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    """The embedded data in the article's format."""
    folder = tmp_path_factory.mktemp("data")
    for name, embedded in EMBEDDED.items():
        data = load_embedded(embedded)
        table = np.column_stack([data.data, data.target])
        np.savetxt(folder / ARTICLE_FILES[name], table, delimiter=",", fmt="%.17g")
    return str(folder)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        yield store


def small_plan(runs=5):
    return list(plan(["ucs", "fuzzyucs"], ["irs", "wne"], runs, [{"epochs": 2}]))


def contents(store):
    """Everything in a store that does not depend on time."""
    answers = {}
    for job, sizes, _ in store.jobs():
        for name in ("VOTE", "SWIN", "DS") if job.system == "fuzzyucs" else ("UCS",):
            for part in ("train", "test"):
                answer = store.answer(job, name, part)
                arrays = (answer.labels, answer.mass, answer.ignorance, answer.log_agreement)
                answers[job, name, part] = (
                    tuple(sorted(sizes.items())),
                    *(None if array is None else array.tobytes() for array in arrays),
                )
    return answers


# Plan


def test_equal_jobs_have_equal_keys():
    first = Job.of("ucs", "irs", 1, epochs=10, mutation_rate=0.1)
    second = Job.of("ucs", "irs", 1, mutation_rate=0.1, epochs=10)
    assert first == second
    assert first.key == second.key
    assert Job.from_key(first.key) == first
    assert first.key != Job.of("ucs", "irs", 2, epochs=10, mutation_rate=0.1).key


def test_a_plan_has_every_job_once():
    jobs = list(plan(["a", "b"], ["x", "y", "z"], 4, [{"epochs": 10}, {"epochs": 50}]))
    assert len(jobs) == len(set(jobs)) == 2 * 3 * 4 * 2
    with pytest.raises(ValueError, match="runs must be at least 1"):
        list(plan(["a"], ["x"], 0))


# Systems


def test_a_job_is_what_the_estimators_do(data_dir):
    job = Job.of("fuzzyucs", "wne", 3, epochs=5)
    outcome, truth = run_job(job, data_dir)
    (X, y), (X_test, y_test) = split(*load_article("wne", data_dir), 3)
    clf = FuzzyUCSClassifier(epochs=5, random_state=3).fit(X, y)
    assert_array_equal(truth["train"], y)
    assert_array_equal(truth["test"], y_test)
    assert outcome.sizes["macro_rules"] == len(clf.rules_)
    for name in ("DS", "VOTE", "SWIN"):
        clf.set_params(inference=name.lower())
        assert_array_equal(outcome.answers[name, "test"].labels, clf.predict(X_test))
    evidence = clf.predict_evidence(X_test)
    answer = outcome.answers["DS", "test"]
    assert_array_equal(answer.mass, evidence.mass)
    assert_array_equal(answer.ignorance, evidence.ignorance)
    assert_array_equal(answer.log_agreement, evidence.log_agreement)


def test_wide_tables_leave_more_features_open():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 60)), np.arange(40) % 2
    outcome = systems.run_ucs(X, y, {"train": X}, 0, {"epochs": 2})
    clf = UCSClassifier(epochs=2, dont_care_rate=0.8, random_state=0).fit(X, y)
    assert_array_equal(outcome.answers["UCS", "train"].mass, clf.predict_proba(X))


# Systems of other libraries are tried by `make test-peers`.
ALL_SYSTEMS = [
    name
    if system.package in ("fuzzyucs", "scikit-learn")
    else pytest.param(name, marks=pytest.mark.peers)
    for name, system in SYSTEMS.items()
]


@pytest.mark.parametrize("name", ALL_SYSTEMS)
def test_every_system_answers_for_both_splits(name, data_dir):
    system = SYSTEMS[name]
    settings = {"epochs": 1} if system.has_epochs else {}
    outcome, truth = run_job(Job.of(name, "irs", 0, **settings), data_dir)
    assert outcome.seconds > 0
    assert set(outcome.answers) == set(product(system.answers, ("train", "test")))
    for (_, part), answer in outcome.answers.items():
        assert answer.labels.shape == truth[part].shape
        if part == "train":
            assert (answer.labels == truth[part]).mean() > 0.6


# Store


def test_what_is_stored_comes_back(store):
    job = Job.of("fuzzyucs", "irs", 0, epochs=10)
    rng = np.random.default_rng(0)
    answer = Answer(
        rng.integers(0, 300, 50), rng.random((50, 3)), rng.random(50), -rng.random(50), 2
    )
    outcome = Outcome(
        {("DS", "train"): answer, ("VOTE", "test"): Answer(np.arange(4))}, {"n": 7}, 3
    )
    assert store.add(job, outcome, {"train": np.arange(50)}, "1.0")
    again = store.answer(job, "DS", "train")
    for name in ("labels", "mass", "ignorance", "log_agreement", "seconds"):
        assert_array_equal(getattr(again, name), getattr(answer, name))
    assert store.answer(job, "VOTE", "test").mass is None
    assert_array_equal(store.truth("irs", 0, "train"), np.arange(50))
    assert list(store.jobs()) == [(job, {"n": 7}, 3)]


def test_the_first_outcome_of_a_job_stays(store):
    job = Job.of("ucs", "irs", 0)
    first, second = (Outcome({("UCS", "test"): Answer(np.array([k]))}) for k in (1, 2))
    assert store.add(job, first, {})
    assert not store.add(job, second, {})
    store.add_failure(job, "too late")
    assert store.answer(job, "UCS", "test").labels.tolist() == [1]
    assert store.failures() == {}


def test_a_failure_is_kept_until_the_job_succeeds(store):
    job = Job.of("ucs", "irs", 0)
    store.add_failure(job, "no memory")
    assert store.failures() == {job: "no memory"}
    assert job not in store
    assert store.missing([job, job]) == [job]
    store.add(job, Outcome({("UCS", "test"): Answer(np.array([1]))}), {})
    assert store.failures() == {}
    assert store.missing([job]) == []


def test_a_job_is_stored_as_a_whole_or_not_at_all(store):
    job = Job.of("ucs", "irs", 0)
    outcome = Outcome(
        {("UCS", "test"): Answer(np.array([1])), ("UCS", None): Answer(np.array([1]))}
    )
    with pytest.raises(sqlite3.IntegrityError):
        store.add(job, outcome, {})
    assert job not in store
    with pytest.raises(KeyError, match="no answer of UCS"):
        store.answer(job, "UCS", "test")
    with pytest.raises(ValueError, match="whole numbers from 0"):
        store.add(job, Outcome({("UCS", "test"): Answer(np.array([-1]))}), {})


def test_other_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be looked at as one" * 20)
    with pytest.raises(ValueError, match=r"notes.txt is not a results store"):
        Store(text)
    assert text.read_text().startswith("not a database")
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE jobs (a)")
    with pytest.raises(ValueError, match="its format is 0, expected 1"):
        Store(other)


# Run


def test_a_run_does_what_is_missing_and_nothing_else(store, data_dir):
    seen = []
    jobs = small_plan(2)
    assert run(jobs[:3], store, data_dir=data_dir, n_jobs=1) == 0
    assert run(jobs, store, data_dir=data_dir, n_jobs=2, listener=lambda *a: seen.append(a)) == 0
    assert len(store) == len(jobs)
    assert sorted(n for n, *_ in seen) == list(range(1, len(jobs) - 2))
    assert {job for _, _, job, _ in seen} == set(jobs[3:])
    assert run(jobs, store, data_dir=data_dir, listener=pytest.fail) == 0


def test_results_do_not_depend_on_the_number_of_processes(store, tmp_path, data_dir):
    run(small_plan(2), store, data_dir=data_dir, n_jobs=1)
    with Store(tmp_path / "other.sqlite") as other:
        run(small_plan(2), other, data_dir=data_dir, n_jobs=2)
        assert contents(store) == contents(other)


def test_a_system_that_crashes_or_is_missing_becomes_a_failure(store, data_dir, monkeypatch):
    def crash(*_):
        raise RuntimeError("boom")

    monkeypatch.setitem(SYSTEMS, "crashing", System(crash, ("X",)))
    monkeypatch.setitem(SYSTEMS, "missing", System(crash, ("X",), "no-such-package"))
    jobs = [Job.of(name, "irs", 0) for name in ("crashing", "missing", "random_forest")]
    assert run(jobs, store, data_dir=data_dir, n_jobs=1) == 2
    assert store.failures() == {
        jobs[0]: "RuntimeError: boom",
        jobs[1]: "ModuleNotFoundError: no-such-package is not installed",
    }
    assert jobs[2] in store


@pytest.mark.parametrize("n_doomed", first(1, [1, 2]))
def test_a_system_that_crashes_its_worker_process_becomes_a_failure(
    n_doomed, store, data_dir, monkeypatch
):
    jobs = small_plan(2)
    doomed = [Job.of("random_forest", "irs", seed) for seed in range(n_doomed)]
    order = [*jobs[:3], doomed[0], *jobs[3:5], *doomed[1:], *jobs[5:]]

    def crash(job, folder):  # as native code does, without an exception
        if job.system == "random_forest":
            os.kill(os.getpid(), signal.SIGKILL)
        return job, run_job(job, folder)

    monkeypatch.setattr("fuzzyucs.experiment.run._try", crash)
    assert run(order, store, data_dir=data_dir, n_jobs=2) == n_doomed
    assert store.failures() == dict.fromkeys(doomed, "random_forest crashed its worker process")
    assert len(store) == len(jobs)


def test_unknown_systems_are_named(store):
    with pytest.raises(ValueError, match=r"systems must be among .* got \['abacus'\]"):
        run([Job.of("abacus", "irs", 0)], store)


@pytest.mark.parametrize(("n_kills", "n_seeds"), first(1, [(12, 20), (50, 60)]))
def test_kills_lose_nothing_and_repeat_nothing(n_kills, n_seeds, tmp_path, data_dir):
    """The kills come at random moments of a run, however fast or slow the machine is."""
    path, log = tmp_path / "results.sqlite", tmp_path / "started"
    log.touch()
    jobs = small_plan(n_seeds)
    original = SYSTEMS["ucs"].run, SYSTEMS["fuzzyucs"].run

    def work(most=None):
        n_left = len(jobs) if most is None else most

        def watch(system):
            def watched(X, y, tables, seed, settings):
                nonlocal n_left
                if not n_left:
                    signal.pause()  # until the kill comes
                n_left -= 1
                with log.open("a") as file:
                    file.write("x")
                return original[system](X, y, tables, seed, settings)

            return watched

        SYSTEMS["ucs"], SYSTEMS["fuzzyucs"] = System(watch(0), ()), System(watch(1), ())
        with Store(path) as store:
            run(jobs, store, data_dir=data_dir, n_jobs=1)

    rng = random.Random(0)
    done = set()
    for _ in range(n_kills):
        n_before, n_wanted = log.stat().st_size, rng.randrange(4)
        child = in_child(lambda: work(most=4))
        while log.stat().st_size < n_before + n_wanted:
            assert os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.01))  # into the midst of a job, or of writing its outcome
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        with Store(path) as store:
            now = {job for job, *_ in store.jobs()}
            # The last job that was started need not be done, all before it are.
            assert len(now) >= len(done) + n_wanted - 1
            assert done <= now
            done = now
    assert 0 < len(done) < len(jobs)
    assert os.waitpid(in_child(work), 0)[1] == 0
    n_started = log.stat().st_size
    assert len(jobs) <= n_started <= len(jobs) + n_kills  # only jobs in flight were done again
    with Store(path) as store, Store(tmp_path / "calm.sqlite") as calm:
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert len(store) == len(jobs)
        run(jobs, calm, data_dir=data_dir, n_jobs=1)
        assert contents(store) == contents(calm)


def test_two_runs_at_once_share_a_store(tmp_path, data_dir):
    path = tmp_path / "results.sqlite"

    def work():
        with Store(path) as store:
            run(small_plan(), store, data_dir=data_dir, n_jobs=1)

    children = [in_child(work) for _ in range(3)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    with Store(path) as store:
        assert len(store) == len(small_plan())
        assert len(contents(store)) == sum(
            6 if job.system == "fuzzyucs" else 2 for job in small_plan()
        )


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_dask_cluster_survives_the_death_of_a_worker(store, tmp_path, data_dir):
    """Real scheduler, real workers; one is killed while it has work."""
    file = tmp_path / "scheduler.json"
    flags = ["--scheduler-file", str(file), "--no-dashboard"]
    processes = [start("dask_scheduler", *flags, "--host", "127.0.0.1", "--port", "0")]
    try:
        while not (file.exists() and file.read_text().endswith("}")):
            assert processes[0].poll() is None, processes[0].stderr.read()
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        worker_flags = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        processes += [start("dask_worker", address, *worker_flags) for _ in range(2)]
        jobs = list(plan(["fuzzyucs"], ["can"], 30, [{"epochs": 10}]))

        def kill_one(n_done, *_):
            if n_done == 5:
                os.killpg(processes[1].pid, signal.SIGKILL)

        assert run(jobs, store, data_dir=data_dir, scheduler=address, listener=kill_one) == 0
        assert len(store) == len(jobs)
        assert processes[1].wait() == -signal.SIGKILL
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stderr.close()
