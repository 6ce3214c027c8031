"""Files that are either written completely or left as they were."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["check_writable", "replacing", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a text to a temporary file in the same folder, then rename it.

    Parameters
    ----------
    path : Path
        The file. It is replaced if it exists.
    text : str
        Its content.
    """
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a temporary file in the same folder, and rename it if the block does not fail.

    Parameters
    ----------
    path : Path
        The file. It is replaced if it exists.

    Yields
    ------
    file
        The temporary file, open to write bytes.
    """
    handle, name = _temporary(path)
    try:
        with open(handle, "wb") as file:
            yield file
        # A temporary file is for its owner alone; take over who may read the old one.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        # An interruption may come after the file got its name.
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def check_writable(path: Path) -> None:
    """Find out whether `write_text` can write to the folder of a file, without touching the file.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    OSError
        If there is no such folder, or nothing can be written to it.
    """
    handle, name = _temporary(path)
    os.close(handle)
    os.unlink(name)


def _temporary(path: Path) -> tuple[int, str]:
    # A part of the name is enough: with all of it, long names would become too long.
    try:
        return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:20]}.")
    except OSError as error:
        error.filename = str(path)  # the name of the temporary file means nothing to the caller
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
