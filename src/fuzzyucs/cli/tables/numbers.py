"""Numbers as people write them: decimal point or comma, thousands, signs, exponents."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["Decimal", "canonical", "number_in", "written"]

Decimal = Literal[".", ","]

_GROUPED = r"[1-9][0-9]{{0,2}}(?P<mark>[{marks}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
_SPACES = "'\u2019 \u00a0\u202f"


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = _GROUPED.format(marks=re.escape(thousands + _SPACES))
    point = re.escape(decimal)
    whole = rf"(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?"
    return re.compile(rf"[+-]?(?:{whole}|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")


_PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")  # the form of most numbers, matched quickly
_NUMBER = {".": _pattern(".", ","), ",": _pattern(",", ".")}
_NOISE = {
    ".": str.maketrans(dict.fromkeys("," + _SPACES)),
    ",": str.maketrans(dict.fromkeys("." + _SPACES) | {",": "."}),
}


def number_in(text: str, decimal: Decimal = ".") -> float | None:
    """Read a number as people write it.

    Parameters
    ----------
    text : str
        A cell.
    decimal : {".", ","}
        The decimal mark. The other one may stand between thousands, as may spaces and apostrophes.

    Returns
    -------
    float or None
        None if it is no number.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.numbers import number_in
    >>> number_in("1,234.5"), number_in("1.234,5", ","), number_in("1 234"), number_in("12,34")
    (1234.5, 1234.5, 1234.0, None)
    """
    if _PLAIN.fullmatch(text) and (decimal == "." or "." not in text):
        return float(text)
    text = text.replace("\u2212", "-")
    if _NUMBER[decimal].fullmatch(text) is None:
        return None
    return float(text.translate(_NOISE[decimal]))


def written(value: float) -> str:
    """Write a number, whole ones without a fraction.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.tables.numbers import written
    >>> written(3.0), written(0.25)
    ('3', '0.25')
    """
    return f"{value:.0f}" if float(value).is_integer() else repr(float(value))


def canonical(text: str) -> str:
    """Write a number in the one way that categories and labels have; leave text alone.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.cli.tables.numbers import canonical
    >>> canonical("1.0"), canonical("red")
    ('1', 'red')
    """
    number = number_in(text)
    return text if number is None else written(number)
