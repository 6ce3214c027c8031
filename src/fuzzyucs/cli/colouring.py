"""Colours of classes and verdicts in a terminal, whose background is unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.class_colours import class_colour

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text

    from fuzzyucs.evidence.verdict_words import Verdict

__all__ = ["class_style", "colour_classes", "colour_verdict", "text_colour"]

UNKNOWN = "#555555"  # what "I don't know" stands on
# Luminance of text that stands out from white, and from the dark grey of usual dark terminals,
# with a contrast of at least 3.
DARKEST, BRIGHTEST = 0.14, 0.30
EQUALLY_FAR = 0.179  # luminance from which on black stands out more than white

# What stands before and behind the name of a class; names such as 1 are found anywhere else, too.
_SHARE = r"(?:under |over )?[\d.]+ %"
_AROUND = (
    (r"THEN (?:not )?", r" \("),
    (r"% ", rf", {_SHARE} overall"),
    (r"% of ", r" (?:and|records)"),
    (r"(?:: |, |; )", rf" {_SHARE}"),
    (r"(?:: |, )", r" \d\.\d{3}\b"),
    (r"^(?:Prediction|Next): ", r" (?:with|\()"),
    (r", next ", r" with"),
    (r"^For ", r" against "),
    (r" against ", r", in "),
    (r" gives ", r"(?:$|;)"),
)


def colour_classes(text: str, names: Mapping[str, int]) -> Text:
    """Give the names of classes their colours.

    Parameters
    ----------
    text : str
        A line of rules or an explanation, without control characters.
    names : mapping of str to int
        Positions of all classes in ``classes_``, by the names that they have in the text.

    Returns
    -------
    rich.text.Text

    Examples
    --------
    >>> from fuzzyucs.cli.colouring import colour_classes
    >>> line = "IF size is 1 THEN 1 (applies to 9 of 50; 80 % class 1, 30 % overall)"
    >>> [line[span.start : span.end] for span in colour_classes(line, {"0": 0, "1": 1}).spans]
    ['1', '1']
    """
    from rich.text import Text

    found = Text(text)
    any_name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for before, behind in _AROUND:
        for match in re.finditer(f"{before}(?:class )?({any_name})(?={behind})", text):
            found.stylize(class_style(names[match[1]]), *match.span(1))
    return found


def colour_verdict(text: str, verdict: Verdict, classes: Sequence[Any], index: int) -> Text:
    """Make a verdict stand out.

    Parameters
    ----------
    text : str
        The verdict as a line, without control characters.
    verdict : Verdict
        The verdict.
    classes : sequence
        All classes, in their order.
    index : int
        The most probable one.

    Returns
    -------
    rich.text.Text
        An answer stands on the colour of the class, "I don't know" on grey; of a verdict that is
        torn, the names of the two classes have their colours.
    """
    from rich.text import Text

    found = Text(text)
    end = len(text) - len(verdict.sentence) - 2  # a full stop or a colon, and a space
    if verdict.kind != "torn":
        ground = class_colour(index) if verdict.kind == "answer" else UNKNOWN
        found.stylize(_chip(ground), 0, end)
        return found
    found.stylize("bold", 0, end)
    for number, label in enumerate(classes):
        named = rf"(?:Between | and )(?:class )?({re.escape(str(label))})(?= and |$)"
        for match in re.finditer(named, text[:end]):
            found.stylize(_chip(class_colour(number)), *match.span(1))
    return found


def class_style(index: int) -> Style:
    """Return the style of the name of a class.

    Parameters
    ----------
    index : int
        Position of the class in ``classes_``.

    Returns
    -------
    rich.style.Style
    """
    from rich.style import Style

    return Style(color=text_colour(class_colour(index)), bold=True)


def text_colour(colour: str) -> str:
    """Return a colour, darker or brighter if text would not stand out in it.

    Parameters
    ----------
    colour : str
        As ``#RRGGBB``.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.colouring import text_colour
    >>> text_colour("#0072B2"), text_colour("#000000"), text_colour("#ffffff")
    ('#0072B2', '#696969', '#949494')
    """
    luminance = _luminance(_parts(colour))
    if DARKEST <= luminance <= BRIGHTEST:
        return colour
    goal, end = (DARKEST, 1.0) if luminance < DARKEST else (BRIGHTEST, 0.0)
    shares = [step / 256 for step in range(257)]
    mixed = ([(1 - s) * part + s * end for part in _parts(colour)] for s in shares)
    best = min(mixed, key=lambda parts: abs(_luminance(parts) - goal))
    return "#" + "".join(f"{round(255 * part):02x}" for part in best)


def _chip(ground: str) -> Style:
    """Return the style of bold text on a coloured ground."""
    from rich.style import Style

    is_bright = _luminance(_parts(ground)) > EQUALLY_FAR
    return Style(color="#000000" if is_bright else "#ffffff", bgcolor=ground, bold=True)


def _parts(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def _luminance(parts: Sequence[float]) -> float:
    """Return the relative luminance of a colour, as guidelines for contrast define it (WCAG 2)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
