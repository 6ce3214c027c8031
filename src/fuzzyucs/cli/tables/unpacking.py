"""Tables in compressed files and archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

from fuzzyucs.cli.tables.wording import listed

__all__ = ["MOST_BYTES", "is_packed", "is_workbook", "unpacked"]

MOST_BYTES = 2**32  # of an unpacked table: a small file can hold far more than memory does
CHUNK_BYTES = 2**20
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


def is_workbook(data: bytes) -> bool:
    """Tell whether a file is a workbook of Excel: an archive with certain members."""
    if not data.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def unpacked(name: str, data: bytes, most: int = MOST_BYTES) -> tuple[bytes, str]:
    """Unpack a table.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
        What the file holds: gzip, bzip2, xz, or a ZIP archive with one file.
    most : int
        Greatest number of bytes to unpack.

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
    try:
        if data.startswith(_ZIP):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                member = _only_member(name, archive)
                with archive.open(member) as file:
                    return _bounded(name, file, most), f"unpacked from {member!r}"
        opening = next(found for start, found in _SINGLE.items() if data.startswith(start))
        with opening(io.BytesIO(data)) as file:
            return _bounded(name, file, most), "unpacked"
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


def _bounded(name: str, file: IO[bytes], most: int) -> bytes:
    found = bytearray()
    while part := file.read(CHUNK_BYTES):
        found += part
        if len(found) > most:
            raise ValueError(
                f"{name} holds more than {most:,} bytes once it is unpacked; unpack it, and name "
                "--memory to read it in batches"
            )
    return bytes(found)
