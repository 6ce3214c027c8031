"""All that commands print: results on standard output, messages on standard error.

Names of classes, columns and files come from data of unknown origin. What is printed for people has
no control codes, so that no name can move the cursor, hide text or change its order.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from fuzzyucs._util.escaping import UNSAFE, one_line, visible
from fuzzyucs._util.wrapping import Line, n_cells, terminal_width, text_width, wrapped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from fuzzyucs.explain.ledger import Explanation

__all__ = [
    "escaped_json",
    "print_data",
    "print_explanation",
    "print_json",
    "print_lines",
    "print_message",
    "print_table",
    "print_text",
    "print_verdict",
]


def print_text(text: str, *, is_command: bool = False) -> None:
    """Print a result for people on standard output.

    Parameters
    ----------
    text : str
        The result.
    is_command : bool
        Whether it is to be copied, and so to be left in one line.
    """
    _print_lines(_lines_of(text), sys.stdout, None if is_command else _width(sys.stdout))


def print_message(text: str) -> None:
    """Print a message about the work on standard error.

    Parameters
    ----------
    text : str
        The message.
    """
    _print_lines(_lines_of(text), sys.stderr, _width(sys.stderr))


def print_lines(lines: Iterable[Line], classes: Iterable[Any]) -> None:
    """Print lines on standard output. A terminal wraps them, and classes have their colours.

    Parameters
    ----------
    lines : iterable of Line
        The lines.
    classes : iterable
        The classes that they name, in their order.
    """
    from fuzzyucs.cli.colouring import colour_classes

    # Rules have spaces in place of line breaks.
    names = {
        visible(way(str(label))): i for i, label in enumerate(classes) for way in (str, one_line)
    }
    _print_coloured((line, lambda text: colour_classes(text, names)) for line in lines)


def print_explanation(explanation: Explanation, *, every: bool = False) -> None:
    """Print an explanation on standard output. In a terminal, its verdict stands out.

    Parameters
    ----------
    explanation : Explanation
        The explanation.
    every : bool
        Whether every rule has a line of its own.
    """
    from fuzzyucs.explain.text import explanation_lines

    verdict, lines = explanation.verdict, explanation_lines(explanation, every=every)
    if verdict is not None:
        print_verdict(explanation)
        lines = lines[1:]
    print_lines(lines, explanation.classes)


def print_verdict(explanation: Explanation) -> None:
    """Print the verdict of an explanation on standard output, so that it stands out.

    Parameters
    ----------
    explanation : Explanation
        Of a model with base rates.
    """
    from fuzzyucs.cli.colouring import colour_verdict

    verdict = explanation.verdict
    if verdict is None:
        return
    said = replace(verdict, headline=visible(verdict.headline), sentence=visible(verdict.sentence))
    names = [visible(str(label)) for label in explanation.classes]
    index = int(explanation.probability.argmax())
    _print_coloured([(Line(str(said)), lambda text: colour_verdict(text, said, names, index))])


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
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    styles: Iterable[Sequence[Any]] | None = None,
    texts: Collection[int] = (0,),
) -> None:
    """Print a table on standard output, texts at the left, numbers at the right.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        Cells. Numbers of a column stand below each other by their decimal points.
    styles : iterable of sequence, optional
        Style of each cell, for a terminal.
    texts : collection of int
        Which columns are texts.
    """
    from rich.table import Table
    from rich.text import Text

    whole = [[_printable(cell, sys.stdout) for cell in row] for row in [header, *rows]]
    columns = enumerate(zip(*whole, strict=True))
    head, *body = zip(*(c if i in texts else _at_points(c) for i, c in columns), strict=True)
    table = Table(box=None, pad_edge=False)
    for i, name in enumerate(head):
        table.add_column(Text(name), no_wrap=i not in texts)
    for row, style in zip(body, styles or [[""] * len(head)] * len(body), strict=True):
        table.add_row(*(Text(cell, style=look) for cell, look in zip(row, style, strict=True)))
    console = _console(sys.stdout)
    with console.capture() as captured:
        console.print(table)
    _write(sys.stdout, captured.get())


def _at_points(column: Sequence[str]) -> list[str]:
    """Fill up a header and numbers: decimal points stand below each other, all at the right."""
    header, *cells = column
    tails = [n_cells(cell) - cell.rfind(".") if "." in cell else 0 for cell in cells]
    filled = [cell + " " * (max(tails) - tail) for cell, tail in zip(cells, tails, strict=True)]
    width = max(map(n_cells, [header, *filled]))
    return [" " * (width - n_cells(cell)) + cell for cell in [header, *filled]]


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    is_terminal = stream.isatty()
    width = terminal_width(stream) if is_terminal else None
    return Console(file=stream, highlight=False, force_terminal=is_terminal, width=width)


def _width(stream: TextIO) -> int | None:
    """Return how wide text may be: as the terminal, or as wide as it is without one."""
    return text_width(stream) if stream.isatty() else None


def _lines_of(text: str) -> list[Line]:
    return [Line(line, 2 + len(line) - len(line.lstrip(" "))) for line in text.split("\n")]


def _print_lines(lines: Iterable[Line], stream: TextIO, width: int | None) -> None:
    clear = [replace(line, text=_printable(line.text, stream)) for line in lines]
    _write(stream, wrapped(clear, width) + "\n")


def _print_coloured(lines: Iterable[tuple[Line, Callable[[str], Text]]]) -> None:
    """Print lines on standard output, coloured if that is a terminal."""
    stream = sys.stdout
    width = _width(stream)
    if width is None:
        _print_lines([line for line, _ in lines], stream, None)
        return
    console = _console(stream)
    with console.capture() as captured:
        for line, colour in lines:
            line = replace(line, text=_printable(line.text, stream))
            text = colour(line.text)
            for indent, part in line.parts(width):
                console.print(" " * indent, text[part], sep="", soft_wrap=True)
    _write(stream, captured.get())


def _printable(text: str, stream: TextIO) -> str:
    """Return a text without control characters and what the stream cannot encode."""
    encoding = stream.encoding or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the output is incomplete") from None
