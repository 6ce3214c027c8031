"""Sizes of memory as people write them."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

__all__ = ["bytes_in", "size_text"]

UNITS = {
    "B": 1,
    **{name: 1000**i for i, name in enumerate(("kB", "MB", "GB", "TB"), start=1)},
    **{name: 1024**i for i, name in enumerate(("KiB", "MiB", "GiB", "TiB"), start=1)},
}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)")


def bytes_in(size: Any, parameter: str = "memory") -> int:
    """Read a size of memory.

    Parameters
    ----------
    size : str or int
        A number with a unit: B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of
        1024); or a whole number of bytes.
    parameter : str
        What it was given for, for messages.

    Returns
    -------
    int
        Bytes, at least 1.

    Examples
    --------
    >>> from fuzzyucs._util.sizes import bytes_in
    >>> bytes_in("800MB"), bytes_in("1.5 GiB"), bytes_in(4096)
    (800000000, 1610612736, 4096)
    """
    if isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
        return int(size)
    found = _SIZE.fullmatch(size) if isinstance(size, str) else None
    factor = 0 if found is None else UNITS.get(found[2], 0)
    n_bytes = 0 if found is None else int(float(found[1]) * factor)
    if n_bytes < 1:
        raise ValueError(
            f"{parameter} must be a size such as 800MB or 1GiB (units: {', '.join(UNITS)}), "
            f"got {size!r}"
        )
    return n_bytes


def size_text(n_bytes: float) -> str:
    """Write a number of bytes with a unit.

    Parameters
    ----------
    n_bytes : float
        How many.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.sizes import size_text
    >>> size_text(999), size_text(3_200_000_000), size_text(25_000_000)
    ('999 B', '3.2 GB', '25 MB')
    """
    unit = "B"
    for name in ("kB", "MB", "GB", "TB"):
        if n_bytes < 999.5:
            break
        n_bytes, unit = n_bytes / 1000, name
    digits = 1 if unit != "B" and n_bytes < 9.95 else 0
    return f"{n_bytes:.{digits}f} {unit}"
