"""The results store: the only interface between running and reporting.

It keeps the answers of systems instead of metrics, so that any metric can be computed later. A job
is written in one transaction: after a crash at any moment the store has all of it or nothing.
Several processes may write to the same store.
"""

from __future__ import annotations

import io
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.experiment.outcome import Answer, Outcome
from fuzzyucs.experiment.plan import Job

__all__ = ["Store"]

FORMAT = 1
TIMEOUT = 60.0  # seconds to wait for another process that is writing

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    key TEXT PRIMARY KEY,
    system TEXT NOT NULL,
    dataset TEXT NOT NULL,
    seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    error TEXT,           -- NULL if the job is done
    seconds REAL,
    sizes TEXT NOT NULL,
    version TEXT,
    finished TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS answers (
    key TEXT NOT NULL REFERENCES jobs (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    split TEXT NOT NULL,
    labels BLOB NOT NULL,
    mass BLOB,
    ignorance BLOB,
    log_agreement BLOB,
    seconds REAL,
    PRIMARY KEY (key, name, split)
);
CREATE TABLE IF NOT EXISTS truth (
    dataset TEXT NOT NULL,
    seed INTEGER NOT NULL,
    split TEXT NOT NULL,
    labels BLOB NOT NULL,
    PRIMARY KEY (dataset, seed, split)
);
"""

ARRAYS = ("mass", "ignorance", "log_agreement")


class Store:
    """Results of jobs in an SQLite file.

    Parameters
    ----------
    path : path
        The file; it is made if it does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.experiment.plan import Job
    >>> from fuzzyucs.experiment.store import Store
    >>> from fuzzyucs.experiment.outcome import Answer, Outcome
    >>> store = Store(":memory:")
    >>> job = Job.of("ucs", "irs", 0, epochs=10)
    >>> outcome = Outcome({("UCS", "test"): Answer(np.array([0, 2, 1]))})
    >>> store.add(job, outcome, {"test": np.array([0, 1, 1])})
    True
    >>> job in store, len(store)
    (True, 1)
    >>> store.answer(job, "UCS", "test").labels
    array([0, 2, 1])
    >>> store.close()
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        try:
            self._connection = sqlite3.connect(self.path, timeout=TIMEOUT, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise self._told(error) from None
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            if isinstance(error, sqlite3.OperationalError):
                raise self._told(error) from None
            raise ValueError(f"{self.path} is not a results store: {error}") from None

    def __repr__(self) -> str:
        return f"Store({self.path!r})"

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
            tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if found != FORMAT and (found or tables):
                raise sqlite3.DatabaseError(f"its format is {found}, expected {FORMAT}")
            for statement in SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        self.close()
        # Of a wrong use of the store, the error tells the most as it is.
        if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
            raise self._told(error) from error

    def _told(self, error: sqlite3.DatabaseError) -> Exception:
        """Return an error that names the file, and says what to do."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return ValueError(
                f"the results store {self.path} is damaged: {error}; move it away, and the runs "
                "are done again"
            )
        if code == sqlite3.SQLITE_BUSY:
            return OSError(
                f"the results store {self.path} is in use: another process has been writing for "
                f"more than {TIMEOUT:.0f} seconds"
            )
        return OSError(
            f"the results store {self.path} cannot be read or written: {error}; what was stored "
            "before is kept"
        )

    def __len__(self) -> int:
        """Count the jobs that are done."""
        query = "SELECT count(*) FROM jobs WHERE error IS NULL"
        return int(self._connection.execute(query).fetchone()[0])

    def __contains__(self, job: Job) -> bool:
        """Tell whether a job is done."""
        query = "SELECT 1 FROM jobs WHERE key = ? AND error IS NULL"
        return self._connection.execute(query, (job.key,)).fetchone() is not None

    def missing(self, jobs: Iterable[Job]) -> list[Job]:
        """Return the jobs that are not done, in their order and each once."""
        query = "SELECT key FROM jobs WHERE error IS NULL"
        done = {key for (key,) in self._connection.execute(query)}
        return [job for job in dict.fromkeys(jobs) if job.key not in done]

    def failures(self) -> dict[Job, str]:
        """Return the jobs that failed, with the reason."""
        query = "SELECT key, error FROM jobs WHERE error IS NOT NULL ORDER BY key"
        return {Job.from_key(key): error for key, error in self._connection.execute(query)}

    def add(
        self,
        job: Job,
        outcome: Outcome,
        truth: dict[str, NDArray[Any]],
        version: str | None = None,
    ) -> bool:
        """Store the outcome of a job, unless the store has it already.

        Parameters
        ----------
        job : Job
        outcome : Outcome
        truth : dict
            True classes of the rows of each split.
        version : str, optional
            Version of the system.

        Returns
        -------
        bool
            Whether the outcome is new.
        """
        answers = [
            (
                job.key,
                name,
                split,
                _pack_labels(answer.labels),
                *(_pack(getattr(answer, array)) for array in ARRAYS),
                answer.seconds,
            )
            for (name, split), answer in outcome.answers.items()
        ]
        facts = [
            (job.dataset, job.seed, split, _pack_labels(labels)) for split, labels in truth.items()
        ]
        with self._transaction():
            if job in self:
                return False
            self._replace(job, None, outcome, version)
            self._connection.executemany(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", answers
            )
            self._connection.executemany("INSERT OR IGNORE INTO truth VALUES (?, ?, ?, ?)", facts)
        return True

    def add_failure(self, job: Job, error: str) -> None:
        """Store that a job failed; a success replaces a failure, but never the other way round."""
        with self._transaction():
            if job not in self:
                self._replace(job, error, Outcome(), None)

    def answer(self, job: Job, name: str, split: str, *, evidence: bool = True) -> Answer:
        """Return the answers of a system.

        Parameters
        ----------
        job : Job
        name : str
            The way to decide, e.g. ``"DS"``.
        split : {"train", "test"}
        evidence : bool
            Whether to read masses, ignorance and agreement, too, which takes longer.

        Returns
        -------
        Answer
        """
        arrays = ARRAYS if evidence else ("NULL",) * len(ARRAYS)
        columns = ", ".join(("labels", *arrays, "seconds"))
        query = f"SELECT {columns} FROM answers WHERE key = ? AND name = ? AND split = ?"
        row = self._connection.execute(query, (job.key, name, split)).fetchone()
        if row is None:
            raise KeyError(f"no answer of {name} for {split} data in {job}")
        labels, *blobs, seconds = row
        mass, ignorance, log_agreement = map(_unpack, blobs)
        return Answer(_unpack_labels(labels), mass, ignorance, log_agreement, _or_nan(seconds))

    def truth(self, dataset: str, seed: int, split: str) -> NDArray[Any]:
        """Return the true classes of the rows of a split."""
        query = "SELECT labels FROM truth WHERE dataset = ? AND seed = ? AND split = ?"
        row = self._connection.execute(query, (dataset, seed, split)).fetchone()
        if row is None:
            raise KeyError(f"no split {split!r} of {dataset!r} with seed {seed}")
        return _unpack_labels(row[0])

    def jobs(self) -> Iterator[tuple[Job, dict[str, float], float]]:
        """Yield the jobs that are done, with the sizes of their models and seconds of training."""
        query = "SELECT key, sizes, seconds FROM jobs WHERE error IS NULL ORDER BY rowid"
        for key, sizes, seconds in self._connection.execute(query).fetchall():
            yield Job.from_key(key), json.loads(sizes), _or_nan(seconds)

    def seconds(self) -> Iterator[tuple[Job, str, float]]:
        """Yield jobs and ways to decide with the CPU seconds of training and deciding."""
        query = (
            "SELECT jobs.key, name, jobs.seconds + sum(answers.seconds) FROM jobs "
            "JOIN answers ON jobs.key = answers.key GROUP BY jobs.key, name"
        )
        for key, name, seconds in self._connection.execute(query).fetchall():
            yield Job.from_key(key), name, _or_nan(seconds)

    def systems(self) -> list[tuple[str, str, int, int, str]]:
        """Return each system with its versions, its runs done and failed, and a reason if any."""
        query = (
            "SELECT system, group_concat(DISTINCT version), sum(error IS NULL), "
            "sum(error IS NOT NULL), coalesce(min(error), '') "
            "FROM jobs GROUP BY system ORDER BY min(rowid)"
        )
        return [
            (system, versions or "missing", done, failed, why)
            for system, versions, done, failed, why in self._connection.execute(query)
        ]

    def dates(self) -> tuple[str, str] | None:
        """Return the days of the first and of the last run, None if there is none."""
        query = "SELECT min(finished), max(finished) FROM jobs WHERE error IS NULL"
        first, last = self._connection.execute(query).fetchone()
        return None if first is None else (first[:10], last[:10])

    def _replace(self, job: Job, error: str | None, outcome: Outcome, version: str | None) -> None:
        self._connection.execute("DELETE FROM jobs WHERE key = ?", (job.key,))
        self._connection.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                job.key,
                job.system,
                job.dataset,
                job.seed,
                json.dumps(dict(job.settings)),
                error,
                outcome.seconds,
                json.dumps(outcome.sizes),
                version,
                datetime.now(UTC).isoformat(timespec="seconds"),
            ),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing; other writers wait from the beginning, so that no job comes twice."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # SQLite may have rolled back by itself, if the disk is full for example.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _or_nan(seconds: float | None) -> float:
    """Undo what SQLite does to NaN, which it keeps as NULL."""
    return float("nan") if seconds is None else seconds


def _pack_labels(labels: NDArray[Any]) -> bytes | None:
    """Pack classes, which are whole numbers from 0, into as few bytes as they need."""
    labels = np.asarray(labels)
    if labels.dtype.kind not in "iu" or labels.min(initial=0) < 0:
        raise ValueError(f"classes must be whole numbers from 0, got {labels[:10]!r}")
    return _pack(labels.astype(np.min_scalar_type(int(labels.max(initial=0)))))


def _unpack_labels(blob: bytes) -> NDArray[np.int64]:
    labels = _unpack(blob)
    if labels is None:
        raise sqlite3.DatabaseError("an answer has no labels")
    return labels.astype(np.int64)


def _pack(array: NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return zlib.compress(file.getvalue(), level=1)


def _unpack(blob: bytes | None) -> NDArray[Any] | None:
    if blob is None:
        return None
    try:
        array: NDArray[Any] = np.load(io.BytesIO(zlib.decompress(blob)), allow_pickle=False)
    except (zlib.error, ValueError, EOFError) as error:
        raise sqlite3.DatabaseError(f"an array cannot be unpacked: {error}") from error
    return array
