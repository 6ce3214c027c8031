"""Commands as people run them, for tests: in a process of their own, or quickly in this one."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import numpy as np

from fuzzyucs.cli.main import main

COMMAND = [sys.executable, "-m", "fuzzyucs.cli"]


def shell(*arguments, stdin=None, cwd=None):
    """Run the command in a process of its own, as a shell would."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, timeout=600
    )


def call(capsys, *arguments):
    """Run the command in this process; return status, output and messages."""
    capsys.readouterr()
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code
    return status, *capsys.readouterr()


def fruit_table(n_rows=60, separator=",", decimal=".", marker=""):
    """Return a table about pears and plums as CSV."""
    rng = np.random.default_rng(0)
    lines = ["weight,colour,fruit"]
    for i in range(n_rows):
        is_pear = i % 2 == 0
        weight = f"{rng.normal(150 if is_pear else 40, 25):.2f}" if i else marker
        colour = rng.choice(["green", "yellow"] if is_pear else ["blue", "yellow"])
        lines.append(f"{weight},{colour},{'pear' if is_pear else 'plum'}")
    text = "\n".join(lines) + "\n"
    return text.replace(",", separator).replace(".", decimal)


def make_fruit(folder: Path) -> Path:
    """Write a table and a model of it to a folder."""
    (folder / "fruit.csv").write_text(fruit_table())
    fit = ["fit", str(folder / "fruit.csv"), "--target", "fruit", "-o", str(folder / "model.json")]
    assert main([*fit, "--max-rules", "4", "-q"]) == 0
    return folder


def rows_in(text):
    """Return the rows of a CSV table."""
    return list(csv.DictReader(io.StringIO(text)))
