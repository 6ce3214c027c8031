"""Files that are either written wholly or left as they were."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a text beside its place, then put it there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # A temporary file is for its owner alone; take over who may read the old one.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
