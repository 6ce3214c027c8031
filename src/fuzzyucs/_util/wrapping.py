"""Lines that are wrapped between words, with hanging indents."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Line", "n_cells", "terminal_width", "text_width", "wrapped"]

USUAL_WIDTH = 88  # of text that is not printed on a terminal
WIDEST = 120  # longer lines are hard to read
NARROWEST = 20  # of what is left beside an indent
# A number and its per cent sign stay together.
_WORD = re.compile(r"[^ ]+(?: %[^ ]*)?")


@dataclass(frozen=True)
class Line:
    r"""A line of text that may be too long for a terminal.

    Parameters
    ----------
    text : str
        The line.
    hang : int
        How far the lines are indented that it goes on in.
    new_line_before : str
        A word that begins a line of its own if all of it does not fit into one.

    Examples
    --------
    >>> from fuzzyucs._util.wrapping import Line
    >>> print("|\n".join(Line("IF it is red or green THEN apple (5 of 7)", 3, "THEN").at(26)))
    IF it is red or green|
       THEN apple (5 of 7)
    """

    text: str
    hang: int = 2
    new_line_before: str = ""

    def at(self, width: int | None) -> list[str]:
        """Return the lines that it takes at a width; None takes one."""
        return [" " * indent + self.text[part] for indent, part in self.parts(width)]

    def parts(self, width: int | None) -> list[tuple[int, slice]]:
        """Return the indent and the part of the text of each line.

        No word is cut. One that is longer than a line has a line of its own.

        Parameters
        ----------
        width : int, optional
            Greatest number of cells of a line; None for a line of any length.

        Returns
        -------
        list of tuple of int and slice
        """
        if width is None or n_cells(self.text) <= width:
            return [(0, slice(0, len(self.text)))]
        mark = f" {self.new_line_before} "
        end = self.text.rfind(mark) if self.new_line_before else -1
        if end < 0:
            return self._filled(0, len(self.text), 0, self.hang, width)
        return [
            *self._filled(0, end, 0, self.hang, width),
            *self._filled(end + 1, len(self.text), self.hang, self.hang + 2, width),
        ]

    def _filled(
        self, start: int, stop: int, first: int, hang: int, width: int
    ) -> list[tuple[int, slice]]:
        """Fill lines with the words of a part of the text."""
        hang = min(hang, max(0, width - NARROWEST))
        first = min(first, hang)
        found: list[tuple[int, slice]] = []
        begin, end, indent = start, start, first
        for word in _WORD.finditer(self.text, start, stop):
            if end > begin and indent + n_cells(self.text[begin : word.end()]) > width:
                found.append((indent, slice(begin, end)))
                begin, indent = word.start(), hang
            end = word.end()
        return [*found, (indent, slice(begin, end))]


def wrapped(lines: Iterable[Line], width: int | None) -> str:
    """Write lines one below the other.

    Parameters
    ----------
    lines : iterable of Line
        The lines.
    width : int, optional
        Greatest number of cells of a line; None wraps nothing.

    Returns
    -------
    str
    """
    return "\n".join(part for line in lines for part in line.at(width))


def text_width(stream: TextIO | None = None) -> int:
    """Return how wide a text may be: as the terminal that it is printed on, or 88 without one.

    Parameters
    ----------
    stream : file, optional
        Where it is printed; standard output by default.

    Returns
    -------
    int
    """
    stream = sys.stdout if stream is None else stream
    return min(WIDEST, terminal_width(stream)) if stream.isatty() else USUAL_WIDTH


def terminal_width(stream: TextIO) -> int:
    """Return how many cells a line of a terminal has.

    Parameters
    ----------
    stream : file
        The terminal: standard output may be none while standard error is one. The variable
        COLUMNS is asked first, as usual.

    Returns
    -------
    int
    """
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except OSError:  # something that only behaves like a terminal
        return USUAL_WIDTH


def n_cells(text: str) -> int:
    r"""Return how many cells of a terminal a text takes: wide letters take two, accents none.

    Examples
    --------
    >>> from fuzzyucs._util.wrapping import n_cells
    >>> n_cells("ash"), n_cells("大小"), n_cells("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
