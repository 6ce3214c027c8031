"""Objects in one line, as a prompt or a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterable

from fuzzyucs._util.escaping import visible

__all__ = ["short_repr", "some"]

MOST_NAMES = 4
LONGEST_NAME = 24  # characters


def short_repr(thing: object, *facts: str) -> str:
    """Describe an object in one line.

    Parameters
    ----------
    thing : object
        The object; its class is named.
    *facts : str
        What to say about it. Empty ones are left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.short_repr import short_repr
    >>> short_repr([], "3 items", "")
    '<list: 3 items>'
    """
    return f"<{type(thing).__name__}: {', '.join(filter(None, facts))}>"


def some(names: Iterable[object]) -> str:
    """List the first names, and tell that there are more.

    Parameters
    ----------
    names : iterable
        Any number of names, of any length.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.short_repr import some
    >>> some("ab"), some(range(9))
    ('a, b', '0, 1, 2, 3, ...')
    """
    listed = [visible(" ".join(str(name).split())) for name in names]
    short = [n if len(n) <= LONGEST_NAME else f"{n[: LONGEST_NAME - 3]}..." for n in listed]
    return ", ".join(short[:MOST_NAMES] + ["..."] * (len(short) > MOST_NAMES))
