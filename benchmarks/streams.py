"""Streams: accuracy, cost and memory beside river's learners, and drift alarms.

Writes docs/streams.md: python benchmarks/streams.py --output docs/streams.md
Results are kept in a file, so that a run may be stopped and continued.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from river import drift, forest, tree

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.streams import EvidenceAlarm, StreamClassifier
from keeping import Row, run_missing
from stream_data import STREAMS, examples
from streams_report import write_page

LEAST = 1e-15
BLOCK = 250_000  # examples between two looks at memory
CHUNK = 1000
LEARNERS = {
    "StreamClassifier": lambda seed: StreamClassifier(seed=seed),
    "Hoeffding adaptive tree": lambda seed: tree.HoeffdingAdaptiveTreeClassifier(seed=seed),
    "adaptive random forest": lambda seed: forest.ARFClassifier(seed=seed),
}


def prequential(stream: str, learner: str, seed: int, n: int) -> Row:
    """Predict each example, then learn from it."""
    data = list(examples(stream, n, seed))
    model = LEARNERS[learner](seed)
    right, loss = 0, 0.0
    for x, y in data:
        said = model.predict_proba_one(x)
        model.learn_one(x, y)
        right += bool(said) and max(said, key=said.get) == y
        loss -= math.log(max(said.get(y, 0.0), LEAST)) if said else math.log(0.5)
    return {
        "stream": stream,
        "learner": learner,
        "seed": seed,
        "n": n,
        "accuracy": right / n,
        "log_loss": loss / n,
    }


def costs(stream: str, n: int) -> Row:
    """Measure the time per example of all learners, which take turns."""
    data = list(examples(stream, n, 0))
    models = {name: make(0) for name, make in LEARNERS.items()}
    seconds = dict.fromkeys(models, 0.0)
    for first in range(0, n, 100):
        for name, model in models.items():
            start = time.process_time()
            for x, y in data[first : first + 100]:
                model.predict_proba_one(x)
                model.learn_one(x, y)
            seconds[name] += time.process_time() - start
    return {"stream": stream, "n": n} | {name: 1e6 * s / n for name, s in seconds.items()}


def resident() -> float:
    """Return the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def _blocks(n: int, size: int) -> Any:
    """Yield tables and labels of a concept that changes with every block."""
    rng = np.random.default_rng(0)
    for block in range(n // size):
        X = rng.random((size, 6)) * 10
        threshold = (8.0, 9.5, 7.0, 12.0)[block % 4]
        y = (X[:, block % 3] + X[:, 3] > threshold).astype(int)
        y = np.where(rng.random(size) < 0.05, 1 - y, y)
        yield X, y


def endurance(way: str, n: int) -> list[Row]:
    """Stream many examples, and look at time, memory and accuracy of each block."""
    names = [f"x{i}" for i in range(6)]
    clf = FuzzyUCSClassifier(
        ranges=[(0, 10)] * 6, forgetting=0.005, inference="vote", random_state=0
    )
    model = StreamClassifier(seed=0)
    rows = []
    for X, y in _blocks(n, BLOCK):
        right, n_judged, seconds = 0, 0, 0.0
        for first in range(0, BLOCK, CHUNK):
            chunk, labels = X[first : first + CHUNK], y[first : first + CHUNK]
            is_judged = way == "learn_one" or first >= BLOCK - 20 * CHUNK
            n_judged += CHUNK * is_judged
            if way == "partial_fit":
                start = time.perf_counter()
                right += int((clf.predict(chunk) == labels).sum()) if is_judged else 0
                clf.partial_fit(chunk, labels, classes=[0, 1])
            else:
                records = [dict(zip(names, row, strict=True)) for row in chunk.tolist()]
                start = time.perf_counter()
                for x, label in zip(records, labels.tolist(), strict=True):
                    said = model.predict_proba_one(x)
                    model.learn_one(x, label)
                    right += bool(said) and max(said, key=said.get) == label
            seconds += time.perf_counter() - start
        row = {
            "way": way,
            "examples": BLOCK * (len(rows) + 1),
            "per_second": BLOCK / seconds,
            "memory": resident(),
            "accuracy": right / n_judged,
        }
        rows.append(row)
        print(row, flush=True)
    return rows


def _shifted(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training data, and a stream whose first half is like them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7000, 5))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int)
    late = slice(4500, None)
    if kind == "records move":
        X[late, :2] += 1.5
        y[late] = (X[late, 0] + X[late, 1] ** 2 > 0.7).astype(int)
    elif kind == "new kind of record":
        odd = rng.random(2500) < 0.3
        X[late][odd] = rng.normal(4.0, 0.5, (int(odd.sum()), 5))
    elif kind == "concept alone":
        y[late] = 1 - y[late]
    return X[:2000], y[:2000], X[2000:], y[2000:]


KINDS = ("nothing", "records move", "new kind of record", "concept alone")
WATCHED = ("novelty", "ignorance", "conflict", "error (needs labels)")


def alarms(kind: str, seed: int) -> Row:
    """Watch a trained model: no more learning, alarms only."""
    X, y, later, labels = _shifted(kind, seed)
    clf = EvidentialRuleClassifier().fit(X, y)
    evidence, wrong = clf.predict_evidence(later), clf.predict(later) != labels
    row: Row = {"kind": kind, "seed": seed}
    for watched in WATCHED:
        false, delay = 0, None
        alarm = None if watched.startswith("error") else EvidenceAlarm(watched)
        adwin = drift.ADWIN()
        for i in range(len(later)):
            if alarm is None:
                before = adwin.estimation
                adwin.update(float(wrong[i]))
                rung = adwin.drift_detected and adwin.estimation > before
            else:
                rung = alarm.update(evidence[i : i + 1]).drift_detected
            if rung and i < 2500:
                false += 1
            elif rung and delay is None and kind != "nothing":
                delay = i - 2500
            elif rung and kind == "nothing":
                false += 1
        row[watched] = {"false": false, "delay": delay}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("docs/streams.md"))
    parser.add_argument("--store", type=Path, default=Path("build/streams"))
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--endurance", type=int, default=5_000_000)
    parser.add_argument("--n-jobs", type=int, default=1)
    arguments = parser.parse_args()
    arguments.store.mkdir(parents=True, exist_ok=True)
    jobs = [
        (stream, learner, seed, arguments.examples)
        for stream in STREAMS
        for seed in range(arguments.seeds)
        for learner in LEARNERS
    ]
    names = ["stream", "learner", "seed", "n"]
    store = arguments.store / "prequential.jsonl"
    found = run_missing(store, jobs, names, prequential, arguments.n_jobs)
    cost = run_missing(
        arguments.store / "costs.jsonl",
        [(stream, min(5000, arguments.examples)) for stream in STREAMS],
        ["stream", "n"],
        costs,
        1,
    )
    seeds = [(kind, seed) for kind in KINDS for seed in range(10)]
    alarmed = run_missing(
        arguments.store / "alarms.jsonl", seeds, ["kind", "seed"], alarms, arguments.n_jobs
    )
    endured = run_missing(
        arguments.store / "endurance.jsonl",
        [(way, arguments.endurance) for way in ("partial_fit", "learn_one")],
        ["way", "n"],
        lambda way, n: {"way": way, "n": n, "blocks": endurance(way, n)},
        1,
    )
    by_stream: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in found:
        by_stream[row["stream"]][row["learner"]].append(row)
    write_page(arguments.output, by_stream, cost, endured, alarmed, WATCHED)


if __name__ == "__main__":
    main()
