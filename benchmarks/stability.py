"""How stable rules are: between seeds, bootstrap samples and halves of a table.

    python benchmarks/stability.py [--store stability.jsonl] [--output docs/stability.md] [--jobs 1]
        [--tables reported | design | BEPS,OJ] [--systems "Evidential,EBM"] [--most-rows 11000]
        [--pairs 3]

A quarter of each table is held out, stratified: the reference set. Two models of a system are
fitted

- *seeds*: to all other rows, with two seeds (0 and 1, 2 and 3, 4 and 5),
- *bootstrap*: to two bootstrap samples of them, drawn class by class, with seed 0; a row that was
  drawn n times has weight n, so that it is in one fold only where rows are dealt to folds,
- *halves*: to two halves of them, stratified, with seed 0,

and compared on the reference set by

1. shared rules, the Jaccard index of conditions and conclusions in the units of the data,
2. soft overlap, in [0, 1]: rules are matched one to one by the rows where both hold and by what
   they say, and weighted by their shares of the evidence,
3. the share of equal answers, and the mean absolute difference of probabilities.

`overlap.py` defines 1 and 2 exactly. The tables are those of `tables.py` (`table_data.py`). The
trees and paths that are as large as the flagship need its results, so these come first. Finished
runs are kept in a store, a line of JSON each, also those that failed: delete their lines to repeat
them. The store does not know versions: take a new one when a system has changed. The report needs
what is in `requirements.txt`, and EBM the extra `peers`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from class_scores import CLASS_SCORES, class_scores
from keeping import Row, run_missing
from overlap import (
    curve_overlap,
    overlap_by_chance,
    shared,
    soft_overlap,
    total_variation,
)
from stability_report import SETTINGS, report
from stability_systems import SYSTEMS, Fitted
from table_data import DESIGN, REPORTED, TABLES, load

REFERENCE_SHARE = 0.25
LEAST_PROBABILITY = 0.001
MOST_ROWS = 11_000
NAMES = ("table", "setting", "pair", "system")
OURS = "Evidential"

Array = NDArray[Any]
Sample = tuple[Array, Array, int]  # rows, how often each counts, and the seed of the model


def bootstrap(y: Array, seed: int) -> tuple[Array, Array]:
    """Draw as many rows of each class as there are; return those drawn, and how often."""
    rng = np.random.default_rng(seed)
    classes = [np.flatnonzero(y == label) for label in np.unique(y)]
    drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in classes])
    return np.unique(drawn, return_counts=True)


def samples(setting: str, pair: int, y: Array) -> tuple[Sample, Sample]:
    """Return what the two models of a pair are fitted to."""
    every = np.arange(len(y))
    if setting == "seeds":
        return (every, np.ones(len(y)), 2 * pair), (every, np.ones(len(y)), 2 * pair + 1)
    if setting == "bootstrap":
        (a, n), (b, m) = (bootstrap(y, 2 * pair + k) for k in (0, 1))
        return (a, n.astype(float), 0), (b, m.astype(float), 0)
    a, b = train_test_split(every, test_size=0.5, stratify=y, random_state=pair)
    return (a, np.ones(len(a)), 0), (b, np.ones(len(b)), 0)


def compare(one: Fitted, other: Fitted, X: pd.DataFrame, y: Array) -> Row:
    """Compare two models on reference rows."""
    p, q = (np.asarray(model.probability(X), dtype=float) for model in (one, other))
    own = [np.maximum(each[np.arange(len(y)), y], LEAST_PROBABILITY) for each in (p, q)]
    row: Row = {
        "same answers": float((p.argmax(axis=1) == q.argmax(axis=1)).mean()),
        "difference": total_variation(p, q),
        "accuracy": float(np.mean([(each.argmax(axis=1) == y).mean() for each in (p, q)])),
        "log-loss": float(np.mean([-np.log(each).mean() for each in own])),
    }
    both = [class_scores(y, each.argmax(axis=1)) for each in (p, q)]
    row |= {name: float(np.mean([scores[name] for scores in both])) for name in CLASS_SCORES}
    if one.statements and other.statements:
        a, b = one.statements(X), other.statements(X)
        row |= {
            "rules": [len(a.keys), len(b.keys)],
            "shared": shared(a, b),
            "overlap": soft_overlap(a, b),
            "by chance": overlap_by_chance(a, b, np.random.default_rng(0)),
            "silent": int(not a.share.any()) + int(not b.share.any()),
        }
    if one.curves and other.curves:
        row["curves"] = curve_overlap(one.curves(X), other.curves(X))
    for name in one.more or {}:
        row[name] = [(one.more or {})[name], (other.more or {})[name]]
    return row


def measure(
    table: str, setting: str, pair: int, system: str, *, sizes: Mapping[tuple[Any, ...], int]
) -> Row:
    """Fit and compare a pair of models."""
    job = dict(zip(NAMES, (table, setting, pair, system), strict=True))
    X, y = load(table)
    train, reference, y_train, y_reference = train_test_split(
        X, y, test_size=REFERENCE_SHARE, stratify=y, random_state=0
    )
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # gaps that depend on the class, classes of few rows
            size = sizes.get((table, setting, pair), 0)
            one, other = (
                SYSTEMS[system].fit(train.iloc[rows], y_train[rows], weight, seed, size)
                for rows, weight, seed in samples(setting, pair, y_train)
            )
            found = compare(one, other, reference, y_reference)
    except Exception as error:  # what any library may raise: the other runs shall go on
        return job | {"failure": f"{type(error).__name__}: {error}"[:300]}
    return job | found | {"seconds": time.process_time() - start}


def chosen(text: str, known: Mapping[str, Any], option: str) -> list[str]:
    """Return the names in an option, which may have commas themselves."""
    rest, found = text, []
    while rest:
        fitting = [name for name in known if rest == name or rest.startswith(f"{name},")]
        if not fitting:
            sys.exit(f"{option}: {rest!r} does not begin with one of {'; '.join(known)}")
        found.append(max(fitting, key=len))
        rest = rest[len(found[-1]) + 1 :]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=Path("stability.jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", default="reported", help="names, or design, reported")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--pairs", type=int, default=3, help="of models, of each kind")
    parser.add_argument("--most-rows", type=int, default=MOST_ROWS, help="of a table; 0 for any")
    options = parser.parse_args()
    groups = {"design": DESIGN, "reported": REPORTED}
    tables = list(groups.get(options.tables, ())) or chosen(options.tables, TABLES, "--tables")
    rows = {name: len(load(name)[1]) for name in tables}
    tables = [name for name in tables if rows[name] <= (options.most_rows or rows[name])]
    tables.sort(key=lambda name: rows[name])  # small ones show soon what goes wrong
    systems = chosen(options.systems, SYSTEMS, "--systems")
    pairs = list(product(SETTINGS, range(options.pairs)))

    def results(names: list[str], sizes: Mapping[tuple[Any, ...], int]) -> list[Row]:
        jobs = [(t, *pair, name) for t, name, pair in product(tables, names, pairs)]
        return run_missing(options.store, jobs, NAMES, partial(measure, sizes=sizes), options.jobs)

    ours = results([OURS], {})
    sizes = {
        (row["table"], row["setting"], row["pair"]): round(float(np.mean(row["rules"])))
        for row in ours
        if "rules" in row
    }
    others = results([name for name in systems if name != OURS], sizes)
    text = report(pd.DataFrame(ours + others), rows)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
