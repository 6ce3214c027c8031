"""Files that commands write: checked before the work, written completely or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzzyucs._util.files import check_writable
from fuzzyucs._util.formats import says_model

__all__ = ["check_output", "writing"]

START_BYTES = 2**14
DEMO_HEADER = "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm),species"


def check_output(path: Path, inputs: Iterable[str | Path] = (), *, force: bool = False) -> None:
    """Refuse a file that cannot or must not be written, before any work is done.

    Parameters
    ----------
    path : Path
        The file to write.
    inputs : iterable of path
        The files that the command reads, ``"-"`` for standard input. The output must not replace
        any of them, whatever name it goes by.
    force : bool
        Whether any other file may be replaced. Without it, only what such a command has written
        may be.

    Raises
    ------
    ValueError
        If it is an input, exists and is no file, or is a file of another kind.
    OSError
        If its folder does not exist or cannot be written to.
    """
    for source in inputs:
        if _is_same_file(path, source):
            name = "standard input" if str(source) == "-" else source
            raise ValueError(
                f"--output: writing {path} would replace the input {name}; name another file"
            )
    if path.exists() and not path.is_file():
        raise ValueError(f"--output must name a file, but {path} is something else")
    if path.exists() and not force and not _is_ours(path):
        raise ValueError(
            f"--output: {path} exists and was not written by fuzzyucs; name another file, or "
            "replace it with --force"
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(f"--output: there is no folder {path.parent} to write to")
    try:
        check_writable(path)
    except OSError as error:
        raise OSError(
            f"--output: the folder {path.parent} cannot be written to: {error.strerror}"
        ) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Let an interruption say whether a file was written within the block.

    Parameters
    ----------
    path : Path
        The file that is written, and replaced as a whole if it exists.
    """
    before = _identity(path)
    try:
        yield
    except KeyboardInterrupt:
        if _identity(path) == before:
            raise
        raise KeyboardInterrupt(f"{path} was written") from None


def _is_ours(path: Path) -> bool:
    """Tell whether a file is a model, a page, a table of predictions or the demo's table."""
    try:
        with path.open("rb") as file:
            start = file.read(START_BYTES)
    except OSError:
        return False
    if not start:
        return True
    if start.startswith(b"PAR1"):
        return _has_predictions(path)
    text = start.decode("utf-8", errors="replace")
    head = text.partition("\n")[0]
    return (
        says_model(text)
        or '<meta name="generator" content="fuzzyucs">' in text
        or {"prediction", "ignorance"} <= set(head.split(","))
        or (text.startswith("[") and '"prediction":' in text and '"ignorance":' in text)
        or head == DEMO_HEADER
    )


def _has_predictions(path: Path) -> bool:
    try:
        import pyarrow.parquet as pq

        return {"prediction", "ignorance"} <= set(pq.read_schema(path).names)
    except (ImportError, OSError, ValueError):
        return False


def _is_same_file(path: Path, source: str | Path) -> bool:
    """Tell whether two names belong to one file, through links and other spellings as well."""
    try:
        status = os.fstat(sys.stdin.fileno()) if str(source) == "-" else os.stat(source)
        return os.path.samestat(os.stat(path), status)
    except (OSError, ValueError):  # one of them does not exist, or input comes from memory
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is replaced."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
