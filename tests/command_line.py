"""Commands as people run them, for tests: in a process of their own, or quickly in this one."""

import csv
import io
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fuzzyucs.cli.main import main

LOOKS = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM"}  # ask for other outputs
COMMAND = [sys.executable, "-m", "fuzzyucs.cli"]


def shell(*arguments, stdin=None, cwd=None):
    """Run the command in a process of its own, as a shell would."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, timeout=600
    )


def in_terminal(*arguments, width=200, cwd=None, output=None, **environment):
    """Run the command in a terminal of its own, and return what that is sent.

    Standard output may go to a file instead.
    """
    pty = pytest.importorskip("pty")
    import fcntl
    import termios

    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in LOOKS}
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=end if output is None else output,
        stderr=end,
        env=usual | {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | environment,
    )
    os.close(end)
    parts = []
    while part := _read(terminal):
        parts.append(part)
    os.close(terminal)
    text = b"".join(parts).decode().replace("\r\n", "\n")  # which a terminal makes of line feeds
    assert process.wait(timeout=600) == 0, text
    return text


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other end is closed
        return b""


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
