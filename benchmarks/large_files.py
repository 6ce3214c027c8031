"""Files larger than memory: time and greatest resident memory of commands on generated tables.

Run ``python benchmarks/large_files.py`` for 20 million rows of 20 features, about 3.3 GB of Parquet
in the folder of temporary files, which is removed at the end. ``--rows`` takes other numbers,
``--form csv`` or ``arrow`` other files, ``--folder`` another place, ``--keep`` leaves the files.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

N_FEATURES = 20
GROUP = 2**18  # rows that are generated and written at a time
TRAINING = 50_000  # rows of the small table that the model learns from

# The command in a process of its own, which tells its greatest resident memory at the end.
MEASURED = """
import resource, sys
from fuzzyucs.cli.main import main
status = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)
"""


def groups(n_rows: int, seed: int = 0) -> Iterator[pa.Table]:
    """Generate rows: noisy numbers, some of which tell the class, and some missing values."""
    rng = np.random.default_rng(seed)
    for first in range(0, n_rows, GROUP):
        size = min(GROUP, n_rows - first)
        values = rng.normal(size=(N_FEATURES, size))
        odds = 1.5 * values[0] - values[1] + np.where(values[2] > 0.5, values[3], -values[4])
        ill = odds + rng.logistic(size=size) > 0
        values[5][rng.random(size) < 0.05] = np.nan
        columns = {f"x{i}": values[i] for i in range(N_FEATURES)}
        yield pa.table({**columns, "ill": pa.array(ill.astype(np.int8))})


def write(path: Path, n_rows: int, form: str, seed: int = 0) -> None:
    """Write a table of generated rows, never whole in memory."""
    schema = next(groups(1)).schema
    with ExitStack() as stack:
        if form == "parquet":
            sink = stack.enter_context(pyarrow.parquet.ParquetWriter(path, schema))
        elif form == "arrow":
            sink = stack.enter_context(pa.ipc.new_file(path, schema))
        else:
            sink = stack.enter_context(pyarrow.csv.CSVWriter(path, schema))
        for group in groups(n_rows, seed):
            if form == "parquet":
                sink.write_table(group)
            else:
                sink.write_table(group, max_chunksize=2**16)


def run(*arguments: object) -> dict[str, float | str]:
    """Run a command; return its time and greatest resident memory."""
    start = time.perf_counter()
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return {
        "command": " ".join(Path(str(a)).name for a in arguments),
        "seconds": round(time.perf_counter() - start, 1),
        "resident_MiB": round(float(done.stderr.split()[-1])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--form", choices=["parquet", "arrow", "csv"], default="parquet")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--evaluate", action="store_true", help="measure fuzzyucs evaluate, too")
    parser.add_argument("--fit", metavar="SIZE", help="measure fuzzyucs fit --memory SIZE alone")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    small, model = folder / "small.parquet", folder / "model.json"
    large = folder / f"large.{options.form}"
    outputs = [folder / "predictions.parquet", folder / "predictions.csv"]
    try:
        write(small, TRAINING, "parquet", seed=1)
        print(json.dumps(run("fit", small, "--target", "ill", "-o", model, "-q")), flush=True)
        write(large, options.rows, options.form)
        n_bytes = os.stat(large).st_size
        print(json.dumps({"file": large.name, "rows": options.rows, "GB": n_bytes / 1e9}))
        if options.fit:
            size = "--memory", options.fit
            command = run("fit", large, "--target", "ill", *size, "-o", model, "-q")
            print(json.dumps(command), flush=True)
            print(json.dumps(run("evaluate", model, small, "--target", "ill", "-q")), flush=True)
            return
        for output in outputs:
            print(json.dumps(run("predict", model, large, "-q", "-o", output)), flush=True)
        if options.evaluate:
            print(json.dumps(run("evaluate", model, large, "--target", "ill", "-q")), flush=True)
    finally:
        if not options.keep:
            for path in (small, model, large, *outputs):
                path.unlink(missing_ok=True)
            folder.rmdir()


if __name__ == "__main__":
    main()
