r"""Texts of unknown origin, as outputs show them.

Names of classes, columns and categories come from data. No such name may control a terminal, change
the order of the text around it, begin a line of its own, or be taken for markup or a formula.
"""

from __future__ import annotations

import html
import re
from typing import Any

__all__ = [
    "UNSAFE",
    "in_html",
    "in_latex",
    "in_markdown",
    "one_line",
    "spreadsheet_frame",
    "spreadsheet_text",
    "visible",
]

# C0 without tab and line feed, DEL, C1, line and paragraph separators, all controls of writing
# direction (Bidi_Control), and halves of characters, which cannot be encoded.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")
# Backslash and pipe as entities: renderers disagree about escapes of them in tables.
_MARKDOWN = str.maketrans(
    {character: f"\\{character}" for character in "`*_[]#~$!"}
    | {"\\": "&#92;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
# Brackets and asterisks in braces: at the beginning of a row they would be arguments.
_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\symbol{34}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "<=": r"$\leq$",
    ">=": r"$\geq$",
}
_IN_LATEX = re.compile("[<>]=|[" + re.escape("".join(c for c in _LATEX if len(c) == 1)) + "]")
# A spreadsheet computes cells that begin so. Apostrophes before it were written by us, or could be
# taken for ours. A sign by itself, and a number, are no formulas.
_FORMULA = re.compile(r"'*(?:[=@\t\r]|[+-](?=.))", re.DOTALL)
_NUMBER = re.compile(r"[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-](?:inf|nan)", re.IGNORECASE)


def visible(text: str) -> str:
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
    >>> from fuzzyucs._util.escaping import visible
    >>> print(visible("bl\x1b[31mue, größe, 大"))
    bl\x1b[31mue, größe, 大
    """
    return UNSAFE.sub(_escaped, text)


def one_line(text: str) -> str:
    r"""Replace line breaks and tabs by spaces, and other control characters by a visible form.

    Examples
    --------
    >>> from fuzzyucs._util.escaping import one_line
    >>> print(one_line("blood\nsu\x1bgar"))
    blood su\x1bgar
    """
    return visible(_BREAKS.sub(" ", text))


def in_html(text: object) -> str:
    """Return a text that is no markup of HTML, also within quotation marks.

    Examples
    --------
    >>> from fuzzyucs._util.escaping import in_html
    >>> in_html("<b>")
    '&lt;b&gt;'
    """
    return html.escape(visible(str(text)))


def in_markdown(text: str) -> str:
    """Return a text that is no markup of Markdown, in one line.

    Examples
    --------
    >>> from fuzzyucs._util.escaping import in_markdown
    >>> in_markdown("a|b < 3")
    'a&#124;b &lt; 3'
    """
    return one_line(text).translate(_MARKDOWN)


def in_latex(text: str) -> str:
    r"""Return a text that is no command of LaTeX, in one line.

    Examples
    --------
    >>> from fuzzyucs._util.escaping import in_latex
    >>> print(in_latex(r"\input{x}"))
    \textbackslash{}input\{x\}
    """
    return _IN_LATEX.sub(lambda found: _LATEX[found[0]], one_line(text))


def spreadsheet_text(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    Parameters
    ----------
    text : str
        A cell of a table. Numbers, and signs by themselves, stay as they are.

    Returns
    -------
    str
        No two texts become the same one.

    Examples
    --------
    >>> from fuzzyucs._util.escaping import spreadsheet_text
    >>> [spreadsheet_text(text) for text in ("=1+1", "-0.5", "+", "a=b", "'=1+1")]
    ["'=1+1", '-0.5', '+', 'a=b', "''=1+1"]
    """
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text) is not None:
        return text
    return f"'{text}"


def spreadsheet_frame(frame: Any) -> Any:
    """Put apostrophes before the texts of a data frame that a spreadsheet would compute.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.

    Returns
    -------
    pandas.DataFrame
        The same frame if it has no such text.
    """
    changed = {}
    for i, dtype in enumerate(frame.dtypes):
        if getattr(dtype, "kind", "O") != "O":
            continue
        cells = frame.iloc[:, i]
        shown = [spreadsheet_text(cell) if isinstance(cell, str) else cell for cell in cells]
        if any(a is not b for a, b in zip(shown, cells, strict=True)):
            changed[i] = shown
    names = [spreadsheet_text(name) if isinstance(name, str) else name for name in frame.columns]
    if not changed and names == list(frame.columns):
        return frame
    found = frame.copy()
    for i, shown in changed.items():
        found.isetitem(i, shown)
    found.columns = names
    return found


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
