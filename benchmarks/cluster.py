"""The flagship on a Dask cluster: time, speed-up, messages, and what that means for more rows.

Run ``python benchmarks/cluster.py`` to write ``docs/cluster_cost.md``. It starts workers on this
machine alone, one thread each, and takes a few minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import tempfile
import time
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators.cluster_training import rows_on_cluster
from fuzzyucs.estimators.learning import learn

PAGE = Path(__file__).parents[1] / "docs" / "cluster_cost.md"
N_FEATURES = 30
N_PARTITIONS = 16
PENALTY = 8.0  # the same number of rules grows, whatever the number of rows
N_RULES = 100
LATENCY = 0.5e-3  # seconds, a round trip in a data centre with much to spare
BANDWIDTH = 1e9  # bytes per second, 10 Gbit/s less overhead


def generate(n_rows: int) -> tuple[Any, Any]:
    """Return rows of which five features tell the class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    odds = 1.5 * X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] + (X[:, 4] > 1)
    return X, (odds + rng.logistic(size=n_rows) > 0.5).astype(np.int8)


def digest(clf: EvidentialRuleClassifier) -> str:
    """Return a fingerprint of the saved model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        clf.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def classifier() -> EvidentialRuleClassifier:
    return EvidentialRuleClassifier(penalty=PENALTY, max_rules=N_RULES, n_jobs=1)


def alone(n_rows: int) -> dict[str, Any]:
    """Fit in this process."""
    X, y = generate(n_rows)
    start = time.perf_counter()
    clf = classifier().fit(X, y)
    seconds = time.perf_counter() - start
    return {"rows": n_rows, "workers": 0, "seconds": seconds, **result(clf)}


def result(clf: EvidentialRuleClassifier) -> dict[str, Any]:
    return {
        "grown": round(clf.path_["n_rules"][-1]),
        "stages": len(clf.path_["penalty"]),
        "rules": len(clf.rules_),
        "file": digest(clf),
    }


def together(n_rows: int, n_workers: int) -> dict[str, Any]:
    """Fit on a cluster of worker processes."""
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as workers,
        Client(workers) as client,
    ):
        size = -(-n_rows // N_PARTITIONS)
        X, y = generate(n_rows)
        rows = da.from_array(X, chunks=(size, N_FEATURES)).persist()
        labels = da.from_array(y, chunks=size).persist()
        client.wait_for_workers(n_workers)
        rows.sum().compute()
        clf = classifier()
        start = time.perf_counter()
        held = rows_on_cluster(clf, client, rows, labels, None)  # as `fit` does
        if held is None:
            raise SystemExit(f"{n_rows} rows are too few for a cluster")
        with closing(held):
            learn(clf, held)
        seconds = time.perf_counter() - start
        crew = held.crew
        return {
            "rows": n_rows,
            "workers": n_workers,
            "seconds": seconds,
            "messages": crew.n_messages,
            "bytes": crew.n_bytes,
            **result(clf),
        }


def page(runs: list[dict[str, Any]]) -> str:
    """Write the figures and what follows from them."""
    largest = max(run["rows"] for run in runs)
    by = {(run["rows"], run["workers"]): run for run in runs}
    one, two = by[largest, 1], by[largest, 2]
    in_process = by[largest, 0]
    smaller = by[min(run["rows"] for run in runs), 1]
    # From two numbers of rows: what a row costs, and what does not depend on rows.
    per_row = (one["seconds"] - smaller["seconds"]) / (one["rows"] - smaller["rows"])
    fixed = max(one["seconds"] - per_row * one["rows"], 0.0)
    messages = one["messages"] / one["grown"]
    kilobytes = one["bytes"] / one["grown"] / 1000
    files = {run["rows"]: {r["file"] for r in runs if r["rows"] == run["rows"]} for run in runs}
    same = all(len(found) == 1 for found in files.values())
    lines = [
        "# Cost on a cluster",
        "",
        f"Written by `benchmarks/cluster.py` on {time.strftime('%Y-%m-%d')} "
        f"(fuzzyucs {version('fuzzyucs')}, distributed {version('distributed')}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores).",
        "",
        f"Generated tables of {N_FEATURES} features (floats of 32 bits) and two classes, in "
        f"{N_PARTITIONS} partitions; penalty {PENALTY:g}, at most {N_RULES} rules. Workers are "
        "processes of this machine with one thread each; the client has no rows. "
        f"The machine has {os.cpu_count()} cores, which the client shares with the workers. One "
        "run each, seconds on the clock.",
        "",
        "| rows | in this process | 1 worker | 2 workers | speed-up | rules grown | messages "
        "| bytes of a message, mean |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rows in sorted({run["rows"] for run in runs}):
        a, b, c = by[rows, 0], by[rows, 1], by[rows, 2]
        lines.append(
            f"| {rows:,} | {a['seconds']:.1f} | {b['seconds']:.1f} | {c['seconds']:.1f} "
            f"| {b['seconds'] / c['seconds']:.2f} | {b['grown']} | {b['messages']:,} "
            f"| {b['bytes'] / b['messages']:,.0f} |"
        )
    verdict = (
        "The saved models of all runs with the same rows are the same, byte for byte."
        if same
        else "**The saved models differ**, which must not be."
    )
    compute = per_row * 1e9
    latency = one["messages"] * LATENCY
    traffic = one["bytes"] / BANDWIDTH
    lines += [
        "",
        f"{verdict} Two workers are {one['seconds'] / two['seconds']:.2f} times as fast as one at "
        f"{largest:,} rows, and {in_process['seconds'] / two['seconds']:.2f} times as fast as a "
        "fit in one process without a cluster.",
        "",
        "## Messages",
        "",
        f"A message is a sum over the rows of a worker, which it sends to all others. Each sent "
        f"{one['messages']:,} of them, {messages:.0f} for each rule that grew, with "
        f"{kilobytes:,.0f} kB for each rule and other worker. Most bytes are "
        "histograms: a feature has 256 codes, each with 4 sums of 8 bytes for two classes, or "
        f"8 kB; {N_FEATURES} features are {N_FEATURES * 8} kB. The first condition of a rule takes "
        "one such message; each further condition takes one for up to three candidates together. "
        "Of K classes up to 8, sums are 1 + 3 K, rounded up to a multiple of 4, instead of 4. "
        "The size of messages does not depend on the number of rows, and their number hardly does.",
        "",
        "## A billion rows",
        "",
        "What follows is arithmetic, not a measurement. From the smallest and the largest table "
        "above, with one worker:",
        "",
        f"- what a row costs: ({one['seconds']:.1f} - {smaller['seconds']:.1f}) s / "
        f"({one['rows']:,} - {smaller['rows']:,}) = {per_row * 1e6:.1f} µs",
        f"- what does not depend on rows: {one['seconds']:.1f} s - {one['rows']:,} x "
        f"{per_row * 1e6:.1f} µs = {fixed:.1f} s, messages on this machine included",
        "",
        f"A billion rows of the same kind cost 10^9 x {per_row * 1e6:.1f} µs = {compute:,.0f} s of "
        "workers' time, if as many rules grow. They are shared; messages are not:",
        "",
        f"- latency: {one['messages']:,} messages x {LATENCY * 1e3:g} ms = {latency:.1f} s",
        f"- traffic of each of W workers: (W - 1) x {one['bytes'] / 1e6:,.0f} MB / "
        f"{BANDWIDTH / 1e9:g} GB/s = (W - 1) x {traffic:.2f} s, in both directions at once",
        "",
        "| workers (cores) | rows each | work (s) | latency (s) | traffic (s) | fixed (s) "
        "| together (min) |",
        "|---|---|---|---|---|---|---|",
    ]
    for n in (16, 64, 256):
        parts = [compute / n, latency, (n - 1) * traffic, fixed]
        lines.append(
            f"| {n} | {10**9 // n:,} | {parts[0]:,.0f} | {parts[1]:.1f} | {parts[2]:.1f} "
            f"| {parts[3]:.1f} | {sum(parts) / 60:.1f} |"
        )
    lines += [
        "",
        "Beyond some hundred workers, connections are the limit: each worker gets the sums of all "
        "others. A worker needs memory for its rows, for their codes (a byte for each value), "
        "and about 1,000 bytes of a row while a hundred rules grow.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[300_000, 1_000_000, 3_000_000])
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    runs = []
    for n_rows in options.rows:
        for n_workers in (0, 1, 2):
            run = alone(n_rows) if n_workers == 0 else together(n_rows, n_workers)
            print(json.dumps(run), flush=True)
            runs.append(run)
    options.page.write_text(page(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
