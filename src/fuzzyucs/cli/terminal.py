"""All that commands print: results on standard output, messages on standard error.

Names of classes, columns and files come from data of unknown origin. What is printed for people has
no control codes, so that no name can move the cursor, hide text or change its order.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

__all__ = [
    "clean",
    "escaped_json",
    "print_data",
    "print_json",
    "print_message",
    "print_table",
    "print_text",
]

# C0 without tab and line feed, DEL, C1, line and paragraph separators, embeddings, overrides and
# isolates of writing direction, and halves of characters, which cannot be encoded.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    r"""Replace control characters by a visible form.

    Parameters
    ----------
    text : str
        Any text. Tabs, line feeds and letters of all languages stay.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.terminal import clean
    >>> print(clean("bl\x1b[31mue, größe, 大"))
    bl\x1b[31mue, größe, 大
    """
    return _UNSAFE.sub(_visible, text)


def print_text(text: str) -> None:
    """Print a result for people on standard output.

    Parameters
    ----------
    text : str
        The result.
    """
    _write(sys.stdout, _printable(text, sys.stdout) + "\n")


def print_message(text: str) -> None:
    """Print a message about the work on standard error.

    Parameters
    ----------
    text : str
        The message.
    """
    _write(sys.stderr, _printable(text, sys.stderr) + "\n")


def print_data(text: str) -> None:
    """Print a result for programs on standard output, such as CSV or HTML.

    Parameters
    ----------
    text : str
        The result. A file or a pipe gets it as it is, a terminal without control characters.
    """
    _write(sys.stdout, _printable(text, sys.stdout) if sys.stdout.isatty() else text)


def print_json(document: Any) -> None:
    """Print JSON on standard output, control characters escaped.

    Parameters
    ----------
    document : object or str
        What JSON can hold, or JSON as text.
    """
    if not isinstance(document, str):
        document = json.dumps(document, indent=1, allow_nan=False, default=str)
    _write(sys.stdout, escaped_json(document).rstrip("\n") + "\n")


def escaped_json(text: str) -> str:
    r"""Escape control characters in JSON.

    Parameters
    ----------
    text : str
        JSON, or a part of it.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.terminal import escaped_json
    >>> print(escaped_json('"a\x7fb"'))
    "a\u007fb"
    """
    # Between the values of JSON there are only spaces and line feeds, so these are in strings.
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on standard output, the first column at the left, all others at the right.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        Cells.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(Text(clean(name)), justify="right" if i else "left")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    Console(highlight=False).print(table)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _printable(text: str, stream: TextIO) -> str:
    """Return a text without control characters and what the stream cannot encode."""
    encoding = stream.encoding or "utf-8"
    return clean(text).encode(encoding, "backslashreplace").decode(encoding)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the output is incomplete") from None
