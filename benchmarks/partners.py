"""Wide tables with the limit on columns for further conditions, and without it.

Run ``python benchmarks/partners.py``. Two sets of seeds: the limit was set before either was run.
Writes ``docs/partners.md``. ``--columns`` and ``--seeds`` (of each set) take other
sizes, ``--output`` another file; ``--kept`` names a file of results to go on with.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import searching

N_ROWS, N_TEST = 100, 1000
SETS = {"first": 10, "second": 200}  # where the seeds of each set begin
LIMITS = {"1,000 columns": 1000, "all columns": 10**9}
DOCS = Path(__file__).parents[1] / "docs" / "partners.md"

Rows = tuple[np.ndarray, np.ndarray]

HEAD = """# Further conditions in wide tables

Written by `python benchmarks/partners.py`; do not edit.

In [tables of more than 1,000 columns](wide.md#limits) rules may begin with any column, and their
further conditions are looked for among the 1,000 columns that tell most by themselves. These are
models with that limit and without it, of {rows} generated rows with {columns:,} columns, and two
sets of seeds: means, with the standard deviation of the seeds. Accuracy and log-loss are those on
{test:,} further rows; seconds are those of the processor. The limit was set before any of it was
run.

- **shift**: 10 columns are greater in one of two classes, by a standard deviation.
- **pairs**: one class is where both columns of at least one of two pairs are great; one in twenty
  labels is wrong. Conditions on two columns have to meet.
- **blocks**: 20 columns each go back to one cause, as genes that act together do; three causes
  decide.
"""


def shift(rng: np.random.Generator, n: int, n_columns: int) -> Rows:
    """Generate rows in which columns differ between classes."""
    X, y = rng.normal(size=(n, n_columns)), rng.integers(2, size=n)
    X[:, :10] += y[:, np.newaxis]
    return X, y


def pairs(rng: np.random.Generator, n: int, n_columns: int) -> Rows:
    """Generate rows in which pairs of columns decide."""
    X = rng.normal(size=(n, n_columns))
    is_one = (X[:, :2] > 0).all(axis=1) | (X[:, 2:4] > 0.3).all(axis=1)
    return X, (is_one ^ (rng.random(n) < 0.05)).astype(int)


def blocks(rng: np.random.Generator, n: int, n_columns: int) -> Rows:
    """Generate rows in which columns go back to causes."""
    causes = rng.normal(size=(n, n_columns // 20))
    X = 0.8 * np.repeat(causes, 20, axis=1) + 0.6 * rng.normal(size=(n, n_columns // 20 * 20))
    score = causes[:, 0] + causes[:, 1] - causes[:, 2] + 0.5 * rng.normal(size=n)
    return X, (score > 0).astype(int)


TABLES: dict[str, Callable[[np.random.Generator, int, int], Rows]] = {
    "shift": shift,
    "pairs": pairs,
    "blocks": blocks,
}


def measure(name: str, seed: int, n_columns: int, limit: int) -> dict[str, float]:
    """Train and test a model."""
    rng = np.random.default_rng(seed)
    X, y = TABLES[name](rng, N_ROWS, n_columns)
    X_test, y_test = TABLES[name](rng, N_TEST, n_columns)
    searching.MOST_PARTNERS = limit
    start = time.process_time()
    clf = EvidentialRuleClassifier(n_jobs=1, support=None, missing="mean").fit(X, y)
    seconds = time.process_time() - start
    probability = clf.predict_proba(X_test)
    return {
        "accuracy": 100 * float((probability.argmax(axis=1) == y_test).mean()),
        "loss": float(log_loss(y_test, probability)),
        "rules": len(clf.rules_),
        "seconds": seconds,
    }


def seeds_of(n_seeds: list[int]) -> dict[str, list[int]]:
    """Return the seeds of each set."""
    pairs = zip(SETS.items(), n_seeds, strict=True)
    return {name: list(range(first, first + n)) for (name, first), n in pairs}


def page(found: dict[str, dict[str, float]], n_columns: int, n_seeds: list[int]) -> str:
    """Write the page."""
    lines = [
        HEAD.format(rows=N_ROWS, columns=n_columns, test=N_TEST),
        "| tables | seeds | further conditions among | accuracy (%) | log-loss | rules | fit (s) |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for name in TABLES:
        for of_set, seeds in seeds_of(n_seeds).items():
            for limit in LIMITS:
                own = [found[f"{name} {seed} {limit}"] for seed in seeds]

                def mean(what: str, digits: int, own: list[dict[str, float]] = own) -> str:
                    values = np.array([one[what] for one in own])
                    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"

                seconds = np.mean([one["seconds"] for one in own])
                lines.append(
                    f"| {name} | {len(own)} of the {of_set} set | {limit} | "
                    f"{mean('accuracy', 1)} | {mean('loss', 3)} | {mean('rules', 0)} | "
                    f"{seconds:.1f} |"
                )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=2000)
    parser.add_argument("--seeds", type=int, nargs=len(SETS), default=[3, 2])
    parser.add_argument("--output", type=Path, default=DOCS)
    parser.add_argument("--kept", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    if options.kept and options.kept.exists():
        found = json.loads(options.kept.read_text())
    for seeds in seeds_of(options.seeds).values():
        for seed in seeds:
            for name in TABLES:
                for limit, most in LIMITS.items():
                    key = f"{name} {seed} {limit}"
                    if key in found:
                        continue
                    found[key] = measure(name, seed, options.columns, most)
                    print(key, found[key], file=sys.stderr, flush=True)
                    if options.kept:
                        options.kept.write_text(json.dumps(found))
    options.output.write_text(page(found, options.columns, options.seeds))


if __name__ == "__main__":
    main()
