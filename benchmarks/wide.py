"""Tables with many columns: time and greatest resident memory, beside forests and boosted trees.

Run ``python benchmarks/wide.py`` for tables of 100 rows and 500, 2,000, 10,000 and 50,000 columns.
Every system has a process and one thread of its own. Writes ``docs/wide.md``. ``--columns`` and
``--rows`` take other sizes, ``--output`` another file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = (500, 2000, 10_000, 50_000)
N_ROWS = 100
N_TEST = 200
N_INFORMATIVE = 10
SHIFT = 1.0  # of informative columns between the classes, in standard deviations
SYSTEMS = {"Evidential": "fuzzyucs", "RandomForest": "scikit-learn", "XGBoost": "xgboost"}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
DOCS = Path(__file__).parents[1] / "docs" / "wide.md"

HEAD = """# Tables with many columns

Written by `python benchmarks/wide.py`; do not edit.

Generated tables of {rows} rows, as genomic data have them: {informative} columns are greater in
one of the two classes, by a standard deviation; all others are noise. Each system ran in a process
of its own with one thread and its defaults, all of them one after the other in one run. Seconds are
those of the processor, because other programs ran beside; memory is the greatest resident memory
above that before training, the table itself ({megabytes} MB) not counted. Accuracy is that on
{test} further rows; with so few rows it differs by several points between seeds.
"""

TAIL = """
Our explanation tells what would change the answer; no other system here has one. The model file
holds what `predict`, `explain` and `report` need, with every column in words and numbers.

## Limits

- **Conditions.** A rule may begin with any column. Of more than 1,000 columns that vary, its
  further conditions are looked for among 1,000: with each penalty, those on which a rule of one
  condition would gain most beside the rules that there are, if it cost nothing. A column that tells
  nothing by itself, but something together with another one, may be missed; a warning says so. Up
  to 1,000 columns nothing is left out. [What the limit changes](partners.md) was measured.
- **Dependences.** Novelty and beliefs about missing values rest on a forest in which each column
  depends on another one at most. To find it, all pairs of columns are compared. Of more than
  1,000 columns that vary none is compared, each counts by itself, and a warning says so. Up to
  1,000 columns nothing is left out.
- **Flips.** An explanation of a record with more than 1,000 columns tries other values of those
  columns that rules ask for, and of the 20 most unusual ones.
- **Model files** hold at most 2^24 columns.
"""


def table(n_rows: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Generate rows: some columns are greater in one of the classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = rng.integers(2, size=n_rows)
    X[:, :N_INFORMATIVE] += SHIFT * y[:, np.newaxis]
    return X, y


def resident() -> float:
    """Return the greatest resident memory so far, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def model(system: str) -> Any:
    """Return an untrained model with its defaults and one thread."""
    if system == "Evidential":
        from fuzzyucs import EvidentialRuleClassifier

        return EvidentialRuleClassifier(random_state=0)
    if system == "RandomForest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(random_state=0, n_jobs=1)
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=0, n_jobs=1)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor that some work takes, and its result."""
    start = time.process_time()
    result = work()
    return round(time.process_time() - start, 2), result


def measure(system: str, n_rows: int, n_columns: int) -> dict[str, Any]:
    """Train, predict, explain, save and load in this process."""
    warnings.simplefilter("ignore")
    X, y = table(n_rows, n_columns, 0)
    clf = model(system)
    clf.fit(X[:50, :20], y[:50])  # imports what it needs
    before = resident()
    fit, _ = seconds(lambda: clf.fit(X, y))
    found = {"fit": fit, "fit_MB": round(resident() - before)}
    del X
    X, y = table(N_TEST, n_columns, 1)
    found["predict"], predicted = seconds(lambda: clf.predict(X))
    found["accuracy"] = round(100 * float((predicted == y).mean()), 1)
    if system == "Evidential":
        import fuzzyucs

        found["rules"] = len(clf.rules_)
        found["explain"], _ = seconds(lambda: str(clf.explain(X[0])))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            found["save"], _ = seconds(lambda: clf.save(path))
            found["file_MB"] = round(path.stat().st_size / 1e6, 1)
            found["load"], loaded = seconds(lambda: fuzzyucs.load(path))
        assert (loaded.predict_proba(X) == clf.predict_proba(X)).all()
    found["peak_MB"] = round(resident() - before)
    return found


def in_process(system: str, n_rows: int, n_columns: int) -> dict[str, Any]:
    """Measure in a new process."""
    command = [sys.executable, __file__, "--one", system, str(n_rows), str(n_columns)]
    environment = os.environ | dict.fromkeys(THREADS, "1")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{n_columns:,} columns, {system}: {found}", file=sys.stderr, flush=True)
    return found


def page(rows: int, results: dict[int, dict[str, dict[str, Any]]]) -> str:
    """Write the page."""
    megabytes = ", ".join(f"{n * rows * 8 / 1e6:.0f}" for n in results)
    parts = [
        HEAD.format(rows=rows, informative=N_INFORMATIVE, test=N_TEST, megabytes=megabytes),
        "| columns | system | training (s) | memory (MB) | prediction of "
        f"{N_TEST} rows (s) | accuracy (%) |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for n, systems in results.items():
        for system, found in systems.items():
            parts.append(
                f"| {n:,} | {system} | {found['fit']:.1f} | {found['fit_MB']} | "
                f"{found['predict']:.2f} | {found['accuracy']:.1f} |"
            )
    parts += [
        "",
        "| columns | rules | explanation (s) | saving (s) | file (MB) | loading (s) | "
        "greatest memory of all (MB) |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for n, systems in results.items():
        own = systems["Evidential"]
        parts.append(
            f"| {n:,} | {own['rules']} | {own['explain']:.1f} | {own['save']:.1f} | "
            f"{own['file_MB']:.1f} | {own['load']:.1f} | {own['peak_MB']} |"
        )
    used = {package for name, package in SYSTEMS.items() if name in next(iter(results.values()))}
    versions = ", ".join(f"{package} {version(package)}" for package in sorted(used))
    parts += [TAIL, f"Versions: {versions}, Python {platform.python_version()}."]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--output", type=Path, default=DOCS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        system, n_rows, n_columns = options.one
        print(json.dumps(measure(system, int(n_rows), int(n_columns))))
        return
    systems = [name for name in SYSTEMS if name != "XGBoost" or importlib.util.find_spec("xgboost")]
    results = {
        n: {system: in_process(system, options.rows, n) for system in systems}
        for n in options.columns
    }
    options.output.write_text(page(options.rows, results))


if __name__ == "__main__":
    main()
