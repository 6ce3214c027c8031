"""Time and memory of the flagship as tables grow, beside boosted trees in the same run.

    python benchmarks/scale.py [--rows 10000,100000,1000000] [--penalty 16] [--compact]
        [--systems Evidential,HistGradientBoosting,XGBoost]

Tables are generated: two classes, 30 numeric features, interactions of two of them. With
``--compact`` they are pandas frames whose columns are in turn single-precision numbers, whole
numbers of 8 bits and categories. Every run has a process of its own and one thread. Times are CPU
seconds, and predictions the best of several rounds: machines are shared and noisy, so only ratios
within a run are meaningful. Memory is the greatest ever in use less what was in use before `fit`,
which includes the table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from numpy.typing import NDArray

from class_scores import CLASS_SCORES, class_scores

N_FEATURES = 30
N_INTERACTIONS = 60
MAX_RULES = 100
BLOCK = 10_000  # rows generated at a time, so that the table is nearly all that is in memory
ROUNDS = 3
TESTED = 1_000_000  # rows to predict
CATEGORIES = list("abcdefgh")
SCORES = ("accuracy", *CLASS_SCORES)
COLUMNS = ("rows", "system", "fit", "memory", "predict", "predict_proba", *SCORES, "rules")
HEADER = (
    *("rows", "system", "fit, us/row", "memory, MiB above input", "predict, rows/s"),
    *("predict_proba, rows/s", *SCORES, "rules"),
)

Array = NDArray[np.float64]


def blocks(n_rows: int, seed: int) -> Iterator[tuple[slice, Array, NDArray[np.bool_]]]:
    """Generate rows of always the same problem."""
    rng = np.random.default_rng(seed)
    for first in range(0, n_rows, BLOCK):
        rows = slice(first, min(first + BLOCK, n_rows))
        X = rng.normal(size=(rows.stop - first, N_FEATURES))
        X[:, 1::3] += 0.7 * X[:, ::3]
        X[:, 2::5] = np.exp(X[:, 2::5])
        yield rows, X, scores(X) + rng.logistic(scale=0.5, size=len(X)) > 0


def table(n_rows: int, seed: int) -> tuple[Array, NDArray[np.int64]]:
    X, y = np.empty((n_rows, N_FEATURES)), np.empty(n_rows, dtype=np.int64)
    for rows, block, labels in blocks(n_rows, seed):
        X[rows], y[rows] = block, labels
    return X, y


def compact_table(n_rows: int, seed: int) -> tuple[Any, NDArray[np.int64]]:
    """Return the same rows in fewer bytes, and less exact."""
    import pandas as pd

    types = [np.float32 if f % 3 == 0 else np.int8 for f in range(N_FEATURES)]
    columns, y = [np.empty(n_rows, dtype=t) for t in types], np.empty(n_rows, dtype=np.int64)
    for rows, block, labels in blocks(n_rows, seed):
        y[rows] = labels
        for f, (column, x) in enumerate(zip(columns, block.T, strict=True)):
            is_category = f % 3 == 2
            rounded = np.floor(2 * x) + 3 if is_category else np.round(10 * x)
            limits = (0, len(CATEGORIES) - 1) if is_category else (-128, 127)
            column[rows] = x if f % 3 == 0 else np.clip(rounded, *limits)
    return pd.DataFrame(
        {
            f"x{f}": pd.Categorical.from_codes(column, CATEGORIES) if f % 3 == 2 else column
            for f, column in enumerate(columns)
        },
        copy=False,
    ), y


def scores(X: Array) -> Array:
    problem = np.random.default_rng(7)
    found: Array = np.sin(2 * X[:, 3]) + 0.5 * X[:, 4] * X[:, 6]
    for _ in range(N_INTERACTIONS):
        a, b = problem.choice(N_FEATURES, 2, replace=False)
        low, high, size = problem.normal(size=3)
        found += size * ((X[:, a] > low) & (X[:, b] < high))
    return found


def evidential(penalty: float | None) -> Any:
    from fuzzyucs import EvidentialRuleClassifier

    return EvidentialRuleClassifier(
        max_rules=MAX_RULES, penalty="auto" if penalty is None else penalty, random_state=0
    )


def hist_gradient_boosting(_: float | None) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


def xgboost(_: float | None) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0, enable_categorical=True)


SYSTEMS: dict[str, Callable[[float | None], Any]] = {
    "Evidential": evidential,
    "HistGradientBoosting": hist_gradient_boosting,
    "XGBoost": xgboost,
}


def in_use() -> float:
    """Return the greatest memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(system: str, n_rows: int, penalty: float | None, is_compact: bool) -> dict[str, Any]:
    """Fit and predict in this process, which should have done nothing else."""
    clf = SYSTEMS[system](penalty)
    make: Callable[[int, int], tuple[Any, NDArray[np.int64]]]
    make = compact_table if is_compact else table
    clf.fit(*make(500, 2))  # packages are imported, tables of functions are made
    X, y = make(n_rows, 0)
    before = in_use()
    seconds = cpu_seconds(lambda: clf.fit(X, y))
    memory = in_use() - before
    del X, y
    X, y = make(TESTED, 1)
    rates = {
        method.__name__: TESTED / min(cpu_seconds(partial(method, X)) for _ in range(ROUNDS))
        for method in (clf.predict, clf.predict_proba)
    }
    answer = clf.predict(X)
    return {
        "rows": n_rows,
        "system": system,
        "fit": 1e6 * seconds / n_rows,
        "memory": memory,
        **rates,
        "accuracy": 100 * float((answer == y).mean()),
        **{name: 100 * value for name, value in class_scores(y, answer).items()},
        "rules": len(clf.rules_) if hasattr(clf, "rules_") else None,
    }


def measure_apart(
    system: str, n_rows: int, penalty: float | None, is_compact: bool
) -> dict[str, Any]:
    """Do the same in a new process."""
    chosen = ["--systems", system, "--rows", str(n_rows), "--one"]
    if penalty is not None:
        chosen += ["--penalty", str(penalty)]
    if is_compact:
        chosen.append("--compact")
    done = subprocess.run([sys.executable, __file__, *chosen], stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def written(column: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.1f}" if column in ("fit", *SCORES) else f"{value:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="10000,100000,1000000")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--penalty", type=float, help="of a rule, instead of a search for it")
    parser.add_argument("--compact", action="store_true", help="frames of small types")
    parser.add_argument("--one", action="store_true", help="in this process, as JSON")
    options = parser.parse_args()
    systems = options.systems.split(",")
    sizes = [int(size) for size in options.rows.split(",")]
    if options.one:
        print(json.dumps(measure(systems[0], sizes[0], options.penalty, options.compact)))
        return
    if importlib.util.find_spec("xgboost") is None:
        systems = [system for system in systems if system != "XGBoost"]
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}", flush=True)
    for n_rows in sizes:
        for system in systems:
            found = measure_apart(system, n_rows, options.penalty, options.compact)
            print(f"| {' | '.join(written(c, found[c]) for c in COLUMNS)} |", flush=True)


if __name__ == "__main__":
    main()
