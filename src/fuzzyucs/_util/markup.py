"""Pieces of HTML for notebooks: readable on light and dark pages, and nothing else is needed."""

from __future__ import annotations

from collections.abc import Iterable

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs._util.escaping import in_html

__all__ = [
    "CELL",
    "DONT_KNOW",
    "class_mark",
    "dont_know_mark",
    "paragraph",
    "safe",
    "stacked_bar",
    "table",
    "verdict_block",
]

CELL = "padding:.15em .6em;text-align:left;vertical-align:top;border:0;background:none"
DONT_KNOW = "#555555"
EDGE = "rgba(128,128,128,.8)"  # is seen on white and on black


def safe(value: object) -> str:
    """Return a value as text that is no markup."""
    return in_html(value)


def paragraph(content: str) -> str:
    """Return a paragraph of HTML."""
    return f"<p style='margin:.3em 0'>{content}</p>"


def table(rows: Iterable[str]) -> str:
    """Return a table without lines."""
    style = "border-collapse:collapse;border:0;font-variant-numeric:tabular-nums"
    return f"<table style='{style}'>{''.join(rows)}</table>"


def class_mark(index: int) -> str:
    """Return a small square in the colour of a class."""
    return _mark(class_colour(index))


def dont_know_mark() -> str:
    """Return a small square in the colour of "I don't know"."""
    return _mark(DONT_KNOW)


def _mark(colour: str) -> str:
    return (
        "<span style='display:inline-block;width:.7em;height:.7em;margin-right:.3em;"
        f"border:1px solid {EDGE};border-radius:.15em;background:{colour}'></span>"
    )


def stacked_bar(parts: Iterable[tuple[str, float, str]], width: float = 12.0) -> str:
    """Return a bar of several parts.

    Parameters
    ----------
    parts : iterable of tuple of str, float and str
        What a part is, its share and its background.
    width : float
        Width of the whole bar, in the size of letters.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from fuzzyucs._util.markup import stacked_bar
    >>> stacked_bar([("ill 50 %", 0.5, "#0072B2")]).count("width:6.000em")
    1
    """
    spans = "".join(
        f"<span title='{safe(title)}' style='display:inline-block;height:1em;"
        f"width:{width * share:.3f}em;background:{colour}'></span>"
        for title, share, colour in parts
        if share > 0
    )
    return (
        f"<div style='width:{width:g}em;height:1em;white-space:nowrap;line-height:0;"
        f"overflow:hidden;border:1px solid {EDGE};border-radius:.15em'>{spans}</div>"
    )


def verdict_block(content: str, colours: Iterable[str]) -> str:
    """Return a block with a strip of colours at its left.

    Parameters
    ----------
    content : str
        HTML.
    colours : iterable of str
        Those of the classes that the verdict names, or of "I don't know".

    Returns
    -------
    str
        HTML.
    """
    listed = list(colours)
    step = 100 / len(listed)
    stops = ",".join(
        f"{colour} {i * step:.0f}% {(i + 1) * step:.0f}%" for i, colour in enumerate(listed)
    )
    return (
        "<div style='padding:.1em 0 .1em .9em;margin:.3em 0;background:"
        f"linear-gradient({stops}) left/.45em 100% no-repeat'>{content}</div>"
    )
