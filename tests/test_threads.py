"""Native threads inside of the tasks of joblib, Dask and Ray: as many as granted, else one."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from clusters import cluster
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs._util.threads import granted_threads


def table(n=6000):
    rng = np.random.default_rng(0)
    X = rng.random((n, 6))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.7) ^ (rng.random(n) < 0.1)
    return X, y.astype(int)


class TestWithoutCluster:
    def test_outside_of_tasks_joblib_decides(self, monkeypatch):
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        assert granted_threads(None) == 1
        assert granted_threads(3) == 3
        assert granted_threads(-1) == joblib.cpu_count()
        for backend in ("threading", "loky"):
            with joblib.parallel_config(backend, n_jobs=5):
                assert granted_threads(None) == 5

    @pytest.mark.parametrize(("told", "expected"), [("1", 1), ("2", 2), ("8", 3), ("", 3)])
    def test_nested_threads_follow_the_environment(self, monkeypatch, told, expected):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        wanted = [None, 1, 3]
        with joblib.parallel_config("threading", n_jobs=2):
            found = joblib.Parallel()(joblib.delayed(granted_threads)(n) for n in wanted)
        assert found == [1, 1, expected]

    def test_processes_of_joblib_get_what_it_grants(self):
        with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=2):
            found = joblib.Parallel()(joblib.delayed(granted_threads)(n) for n in (None, 3, 4))
        assert found == [1, 2, 2]

    def test_zero_is_refused_everywhere(self):
        with pytest.raises(ValueError, match="n_jobs"):
            granted_threads(0)


def natives():
    """Return the threads of this process that Python did not start."""
    known = {thread.native_id for thread in threading.enumerate()}
    return {int(name) for name in os.listdir("/proc/self/task")} - known


def most_native_threads(n_jobs):
    """Fit a model, and return the greatest number of native threads that it had at a time."""
    X, y = table()
    before, most, is_done, has_begun = natives(), [0], threading.Event(), threading.Event()

    def watch():
        while not is_done.is_set():
            most[0] = max(most[0], len(natives() - before))
            has_begun.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    has_begun.wait()
    EvidentialRuleClassifier(n_jobs=n_jobs).fit(X, y)
    is_done.set()
    watcher.join()
    return most[0]


@pytest.fixture(scope="module")
def client():
    with cluster() as found:
        yield found


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
class TestDask:
    def test_a_task_has_one_thread_by_default(self, client):
        wanted = [None, -1, 4]
        assert client.gather(client.map(granted_threads, wanted, pure=False)) == [1, 1, 1]
        assert client.submit(most_native_threads, 4, pure=False).result() == 0

    def test_a_task_has_as_many_threads_as_granted(self):
        with cluster(1, env={"OMP_NUM_THREADS": "3"}) as client:
            assert client.gather(client.map(granted_threads, [None, 2, 8])) == [1, 2, 3]
            assert client.submit(most_native_threads, 8).result() == 2  # and the task's own

    @pytest.mark.usefixtures("client")
    def test_the_cores_of_a_cluster_are_not_threads_of_the_client(self):
        with joblib.parallel_config("dask"):
            assert joblib.effective_n_jobs() == 2  # that of the cluster
            assert granted_threads(None) == 1
            assert granted_threads(3) == 3
            assert granted_threads(-1) == joblib.cpu_count()
            with pytest.raises(ValueError, match="n_jobs must not be 0"):
                granted_threads(0)

    @pytest.mark.usefixtures("client")
    def test_tasks_of_joblib_have_one_thread(self):
        with joblib.parallel_config("dask"):
            found = joblib.Parallel()(joblib.delayed(granted_threads)(n) for n in (None, -1, 4))
        assert found == [1, 1, 1]

    def test_a_fit_beside_a_cluster_stays_here(self, client):
        X, y = table(400)  # several folds, which share threads
        expected = EvidentialRuleClassifier().fit(X, y)
        n_tasks = len(client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.tasks))
        with joblib.parallel_config("dask"):
            found = EvidentialRuleClassifier(n_jobs=2).fit(X, y)
        assert found.rules_.to_text() == expected.rules_.to_text()
        after = len(client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.tasks))
        assert after == n_tasks

    @pytest.mark.usefixtures("client")
    def test_grid_search_finds_the_same(self):
        X, y = table(300)
        grid = {"max_rules": [1, 4]}
        search = GridSearchCV(
            EvidentialRuleClassifier(n_jobs=-1), grid, cv=3, scoring="neg_log_loss"
        )
        here = search.fit(X, y)
        expected = here.cv_results_, here.best_params_
        with joblib.parallel_config("dask"):
            there = search.fit(X, y)
        assert there.best_params_ == expected[1]
        for name, values in expected[0].items():
            if not name.endswith("_time"):
                assert np.array_equal(there.cv_results_[name], values), name


@pytest.mark.peers
def test_tasks_of_ray_have_one_thread(tmp_path):
    pytest.importorskip("ray")
    code = (
        "import joblib, ray, ray.util.joblib\n"
        "from fuzzyucs._util.threads import granted_threads\n"
        "ray.init(num_cpus=2, include_dashboard=False, _node_ip_address='127.0.0.1')\n"
        "ray.util.joblib.register_ray()\n"
        "assert granted_threads(3) == 3\n"
        "with joblib.parallel_config('ray'):\n"
        "    assert granted_threads(None) == 1 and granted_threads(3) == 3\n"
        "    parallel = joblib.Parallel(n_jobs=2)\n"
        "    found = parallel(joblib.delayed(granted_threads)(n) for n in (None, -1, 4))\n"
        "assert found == [1, 1, 1], found\n"
        "task = ray.remote(granted_threads)\n"
        "assert ray.get([task.remote(n) for n in (None, -1, 4)]) == [1, 1, 1]\n"
        "assert ray.get(task.options(num_cpus=2).remote(4)) == 2\n"
    )
    # Ray writes a token into the home folder.
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=os.environ | {"HOME": str(tmp_path)}
    )
