"""Fuzzy-UCS on the partitions of a Dask collection, beside one population on one machine.

Writes docs/cluster_figures.md:

    .venv/bin/python benchmarks/cluster_fuzzy_ucs.py
"""

import argparse
import os
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.model_selection import train_test_split

from fuzzyucs import FuzzyUCSClassifier, UCSClassifier

PAGE = Path(__file__).parent.parent / "docs" / "cluster_figures.md"
SHARDS = (2, 4, 8)
N_TIMED, N_OTHER = 100_000, 4000  # rows of the table that is timed, and to measure the models on


def generated(n):
    return make_classification(
        n, 10, n_informative=6, n_redundant=2, n_classes=3, class_sep=1.5, random_state=0
    )


DATA = {
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "generated": lambda: generated(4000),
}


def cut(X, y, n_shards):
    rows = -(-len(X) // n_shards)
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=rows)


def accuracies(make, X, y, seeds):
    """Return the test accuracy of each seed: one machine, then each number of shards."""
    found = []
    for seed in range(seeds):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, stratify=y, test_size=0.25, random_state=seed
        )
        models = [make(seed).fit(X_train, y_train)]
        models += [make(seed).fit(*cut(X_train, y_train, n)) for n in SHARDS]
        found.append([model.score(X_test, y_test) for model in models])
    return 100 * np.array(found)


def times(client, epochs):
    """Return seconds and accuracy of fits to a large table: here, then shards on workers."""
    X, y = generated(N_TIMED + N_OTHER)
    found = []
    for n in (0, 1, *SHARDS):
        data = client.persist(cut(X[:N_TIMED], y[:N_TIMED], n)) if n else (X[:N_TIMED], y[:N_TIMED])
        begin, busy = time.perf_counter(), used(client)
        model = FuzzyUCSClassifier(epochs=epochs, random_state=0).fit(*data)
        seconds = time.perf_counter() - begin
        busiest = max(after - before for before, after in zip(busy, used(client), strict=True))
        found.append((seconds, busiest, 100 * model.score(X[N_TIMED:], y[N_TIMED:])))
    return np.transpose(found)


def used(client):
    """Return the processor time that each process has used so far."""
    return [time.process_time(), *client.run(time.process_time).values()]


def row(cells):
    return f"| {' | '.join(map(str, cells))} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    systems = {
        "Fuzzy-UCS": lambda seed: FuzzyUCSClassifier(epochs=args.epochs, random_state=seed),
        "UCS": lambda seed: UCSClassifier(epochs=args.epochs, random_state=seed),
    }
    head = ["one machine", *(f"{n} shards" for n in SHARDS)]
    lines = [
        "# Fuzzy-UCS on a cluster: figures",
        "",
        f"Written by `benchmarks/cluster_fuzzy_ucs.py` (`--seeds {args.seeds} --epochs "
        f"{args.epochs}`). Test accuracy in percent on a quarter of the rows, mean of "
        f"{args.seeds} splits and seeds, with the standard error of the mean.",
        "",
        row(["system", "data", "rows", *head]),
        row(["---"] * (3 + len(head))),
    ]
    with dask.config.set(scheduler="threads"):
        for system, make in systems.items():
            for name, load in DATA.items():
                X, y = load()
                found = accuracies(make, X, y, args.seeds)
                error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
                cells = [
                    f"{m:.1f} ± {e:.1f}" for m, e in zip(found.mean(axis=0), error, strict=True)
                ]
                lines.append(row([system, name, f"{len(X):,}", *cells]))
                print(lines[-1], flush=True)
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options) as workers,
        Client(workers) as client,
    ):
        seconds, busiest, scores = times(client, args.epochs)
    head = ["in this process", "1 shard", *(f"{n} shards" for n in SHARDS)]
    lines += [
        "",
        f"Time of one `fit` of Fuzzy-UCS to {N_TIMED:,} generated rows of 10 features, "
        f"{args.epochs} epochs, two workers with one thread each on a machine with "
        f"{os.cpu_count()} cores, which others used as well, so that the "
        "clock tells less than the processor time of the busiest process:",
        "",
        row(["", *head]),
        row(["---"] * (1 + len(head))),
        row(["seconds on the clock", *(f"{value:.1f}" for value in seconds)]),
        row(["processor seconds, busiest process", *(f"{value:.1f}" for value in busiest)]),
        row([f"accuracy on {N_OTHER:,} other rows", *(f"{value:.1f}" for value in scores)]),
        "",
    ]
    PAGE.write_text("\n".join(lines))
    print("\n".join(lines[-7:]))


if __name__ == "__main__":
    main()
