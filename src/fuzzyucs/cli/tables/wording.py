"""Names and values in messages."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

__all__ = ["N_NAMED", "listed", "quotable", "quoted", "short"]

N_NAMED = 5  # values in a message
LONGEST = 60  # characters of a value in a message


def listed(names: Sequence[str], most: int = N_NAMED) -> str:
    """Return names in quotes, the first of them if they are many.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.wording import listed
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', ... (3)"
    """
    shown = ", ".join(map(quoted, names[:most]))
    return shown + (f", ... ({len(names)})" if len(names) > most else "")


def quoted(text: str) -> str:
    """Return a text in quotes, the beginning of it if it is long.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.wording import quoted
    >>> quoted("red"), quoted("very " * 100)
    ("'red'", "'very very very very very very very very very very very very '...")
    """
    return repr(text) if len(text) <= LONGEST else f"{text[:LONGEST]!r}..."


def quotable(text: str) -> str:
    """Return a text as a shell takes it, or a placeholder for a long one.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.wording import quotable
    >>> quotable("not known"), quotable("very " * 100)
    ("'not known'", 'TEXT')
    """
    return shlex.quote(text) if len(text) <= LONGEST else "TEXT"


def short(texts: Sequence[str]) -> str:
    r"""Return texts on one line, or their number if they are many.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.wording import short
    >>> short(["red", "dark\nblue"]), short(list("abcdefg"))
    ('red, dark blue', '7 values')
    """
    if len(texts) > N_NAMED:
        return f"{len(texts)} values"
    lines = (" ".join(text.splitlines()) for text in texts)
    return ", ".join(line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in lines)
