"""What users are told when the results store fails: one line that names the file."""

import os
import re
import resource
import signal
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from fuzzyucs.cli.main import main
from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.store import Store
from processes import in_child

LIMIT = 200_000  # bytes of a file


def jobs(first, n=60):
    return [Job.of("ucs", "irs", seed) for seed in range(first, first + n)]


def add(store, job):
    rng = np.random.default_rng(job.seed)
    labels = rng.integers(100, size=5000)  # some kilobytes, compressed
    truth = {"test": labels}
    return store.add(job, Outcome({("UCS", "test"): Answer(labels)}), truth)


def filled(path, n=60):
    with Store(path) as store:
        assert all(add(store, job) for job in jobs(0, n))


def test_a_full_disk_is_told_and_loses_nothing(tmp_path):
    """A limit of the size of files fails as a full disk does."""
    path = tmp_path / "results.sqlite"

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))

        def fill():
            with Store(path) as store:
                for job in jobs(0):
                    add(store, job)
                    (tmp_path / "done").write_text(str(job.seed))

        with pytest.raises(OSError, match=r"results\.sqlite cannot be .* kept$"):
            fill()

    assert os.waitpid(in_child(work), 0)[1] == 0
    last = int((tmp_path / "done").read_text())
    assert 0 < last < 59
    with Store(path) as store:
        assert len(store) == last + 1
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert add(store, jobs(last + 1)[0])


def test_a_damaged_store_is_told(tmp_path):
    path = tmp_path / "results.sqlite"
    filled(path)
    content = bytearray(path.read_bytes())
    content[4096 * 8 :] = b"\xaa" * (len(content) - 4096 * 8)  # pages behind the schema
    path.write_bytes(content)

    def read():
        with Store(path) as store:
            for job in jobs(0):
                store.answer(job, "UCS", "test")
                store.truth("irs", job.seed, "test")

    with pytest.raises(ValueError, match=r"results\.sqlite is damaged: .*; move it away"):
        read()


@pytest.mark.parametrize("blob", [b"no zlib", None])
def test_an_answer_that_cannot_be_unpacked_is_told(tmp_path, blob):
    path = tmp_path / "results.sqlite"
    filled(path, 1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE answers SET mass = ?, labels = ?", (blob, blob or b""))
    with pytest.raises(ValueError, match="is damaged"), Store(path) as store:
        store.answer(jobs(0)[0], "UCS", "test")


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda path: path.write_text("no database" * 100), "is not a results store"),
        (lambda path: path.mkdir(), "unable to open database file"),
    ],
    ids=["other file", "folder"],
)
def test_the_command_says_so_in_one_line(tmp_path, capsys, break_it, message):
    path = tmp_path / "results.sqlite"
    break_it(path)
    command = ["reproduce", "--embedded", "--runs", "1", "--systems", "ucs", "--datasets", "irs"]
    assert main([*command, "--jobs", "1", "--output", str(tmp_path)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith("fuzzyucs: ")
    assert message in told
    assert re.search(r"results\. ?sqlite", told)
    assert "Traceback" not in told


def test_two_writers_never_damage_a_store(tmp_path):
    path = tmp_path / "results.sqlite"

    def work(order):
        with Store(path) as store:
            for job in jobs(0)[::order]:
                add(store, job)

    children = [in_child(lambda order=order: work(order)) for order in (1, -1)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    with Store(path) as store:
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert len(store) == 60
        for job in jobs(0):
            assert (store.answer(job, "UCS", "test").labels < 100).all()
