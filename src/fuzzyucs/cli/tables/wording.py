"""Names and values in messages."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["N_NAMED", "listed", "short"]

N_NAMED = 5  # values in a message


def listed(names: Sequence[str], most: int = N_NAMED) -> str:
    """Return names in quotes, the first of them if they are many.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.wording import listed
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', ... (3)"
    """
    shown = ", ".join(map(repr, names[:most]))
    return shown + (f", ... ({len(names)})" if len(names) > most else "")


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
    return ", ".join(" ".join(text.splitlines()) for text in texts)
