"""Tables in compressed files and archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

from fuzzyucs.cli.tables.wording import listed

__all__ = [
    "CELL_BYTES",
    "CHUNK_BYTES",
    "MOST_BYTES",
    "MOST_VARIABLE",
    "bounded",
    "is_packed",
    "is_workbook",
    "most_bytes",
    "too_large",
    "unpacked",
]

MOST_BYTES = 2**32  # of a table that is read as a whole: a small file can hold more than memory
MOST_VARIABLE = "FUZZYUCS_MOST_BYTES"  # environment variable with another number
CHUNK_BYTES = 2**20
CELL_BYTES = 8  # least memory of a cell
UNPACKED = " once it is unpacked"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second has no members
_SINGLE: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


def is_packed(start: bytes) -> bool:
    """Tell whether a file is compressed or an archive, by its first bytes."""
    return start.startswith((*_ZIP, *_SINGLE))


def most_bytes() -> int:
    """Return how many bytes a table may have that is read as a whole, unpacked."""
    text = os.environ.get(MOST_VARIABLE, "")
    if not text:
        return MOST_BYTES
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{MOST_VARIABLE} must be a number of bytes, got {text!r}")
    return int(text)


def is_workbook(data: bytes) -> bool:
    """Tell whether a file is a workbook of Excel: an archive with certain members."""
    if not data.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def unpacked(name: str, data: bytes, most: int | None = None) -> tuple[bytes, str]:
    """Unpack a table.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
        What the file holds: gzip, bzip2, xz, or a ZIP archive with one file.
    most : int, optional
        Greatest number of bytes to unpack; by default what `most_bytes` returns.

    Returns
    -------
    data : bytes
        The table.
    remark : str
        How it was packed, in words.

    Raises
    ------
    ValueError
        If the file is damaged, holds more than that, or is an archive of several files.

    Examples
    --------
    >>> import gzip
    >>> from fuzzyucs.cli.tables.unpacking import unpacked
    >>> unpacked("people.csv.gz", gzip.compress(b"height,ill"))
    (b'height,ill', 'unpacked')
    """
    most = most_bytes() if most is None else most
    try:
        if data.startswith(_ZIP):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                member = _only_member(name, archive)
                with archive.open(member) as file:
                    return bounded(name, file, most, UNPACKED), f"unpacked from {member!r}"
        opening = next(found for start, found in _SINGLE.items() if data.startswith(start))
        with opening(io.BytesIO(data)) as file:
            return bounded(name, file, most, UNPACKED), "unpacked"
    except _DAMAGED as problem:
        raise ValueError(f"{name} cannot be unpacked: {problem}") from problem


def _only_member(name: str, archive: zipfile.ZipFile) -> str:
    """Return the one table of an archive; what systems add to archives is none."""
    found = [
        member
        for member in archive.namelist()
        if not member.endswith("/")
        and not any(part.startswith((".", "__MACOSX")) for part in member.split("/"))
    ]
    if len(found) != 1:
        what = f"several files: {listed(found)}" if found else "no file"
        raise ValueError(f"{name} must hold one table, but the archive has {what}")
    return found[0]


def bounded(name: str, file: IO[bytes], most: int, when: str = "", start: bytes = b"") -> bytes:
    """Read a file to its end, but not more than a number of bytes.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    file : file
        Open to read bytes; a pipe or a device, for example.
    most : int
        Greatest number of bytes.
    when : str
        What was done before they were counted.
    start : bytes
        What was read from it already.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If there are more; not more than these are held in memory.

    Examples
    --------
    >>> import io
    >>> from fuzzyucs.cli.tables.unpacking import bounded
    >>> bounded("zeros", io.BytesIO(bytes(10)), 9)
    Traceback (most recent call last):
    ...
    ValueError: zeros holds more than 9 bytes, and would be read as a whole; ...
    """
    found = bytearray(start)
    while part := file.read(CHUNK_BYTES):
        if len(found) + len(part) > most:
            raise too_large(name, f"{most:,} bytes{when}")
        found += part
    return bytes(found)


def too_large(name: str, what: str) -> ValueError:
    """Return the error about a table that is too large to be read as a whole.

    Parameters
    ----------
    name : str
        Name of the file.
    what : str
        The limit.

    Returns
    -------
    ValueError
    """
    return ValueError(
        f"{name} holds more than {what}, and would be read as a whole; write an unpacked file of "
        f"CSV or Parquet and name --memory to read it in batches, or set {MOST_VARIABLE} to a "
        "greater number of bytes"
    )
