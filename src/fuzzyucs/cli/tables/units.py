"""Numbers with units, as people write them: ``29 years``, ``$1,000.50``, ``12 %``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fuzzyucs.cli.tables.numbers import Decimal, number_in

__all__ = ["common_unit", "same_unit", "split_unit"]

CURRENCIES = "$€£¥₹₽₩₪₺₫₴₦฿"
_SIGN = r"(?P<sign>[+\-\u2212]?)"
_NUMBER = r"(?P<number>[+\-\u2212]?[0-9.,'\u2019\u00a0\u202f ]*[0-9](?:[eE][+-]?[0-9]+)?)"
_BEFORE = re.compile(rf"{_SIGN}(?P<unit>[A-Z]{{0,3}}[{CURRENCIES}]|[A-Z]{{3}}) ?{_NUMBER}")
_AFTER = re.compile(
    rf"{_NUMBER}[ \u00a0\u202f]?(?P<unit>[%‰°{CURRENCIES}]|[^\W\d_])(?:[^\W_]|[%/^·*()°. -])*"
)
LONGEST = 20  # characters of a unit
LONGEST_CELL = 60
ORDINALS = ("st", "nd", "rd", "th")


def split_unit(text: str, decimal: Decimal = ".") -> tuple[float, str] | None:
    """Divide a cell into a number and its unit.

    Parameters
    ----------
    text : str
        A cell.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    tuple of float and str, or None
        None if it is no number with a unit.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.units import split_unit
    >>> split_unit("29 years"), split_unit("$1,000.50"), split_unit("-5 %"), split_unit("29")
    ((29.0, 'years'), (1000.5, '$'), (-5.0, '%'), None)
    """
    if len(text) > LONGEST_CELL:
        return None
    if found := _BEFORE.fullmatch(text):
        number, unit = found["sign"] + found["number"], found["unit"]
    elif found := _AFTER.fullmatch(text):
        number, unit = found["number"], text[found.start("unit") :].strip()
    else:
        return None
    value = number_in(number.strip(), decimal)
    # Another number, as in 6 ft 2 in, is no part of a unit.
    is_unit = len(unit) <= LONGEST and re.search(r"\s[0-9]", unit) is None
    is_unit = is_unit and unit.casefold() not in ORDINALS
    return (value, unit) if value is not None and is_unit else None


def common_unit(texts: Sequence[str], decimal: Decimal) -> tuple[list[float | None], str] | None:
    """Read cells of which most are numbers with the same unit; others may lack it.

    Parameters
    ----------
    texts : sequence of str
        The different cells of a column.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    tuple of list and str, or None
        The numbers, None where a cell is no number or has another unit, and the unit; None if most
        cells have none.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.units import common_unit
    >>> common_unit(["1 year", "29 years", "31 years", "30", "3 days"], ".")
    ([1.0, 29.0, 31.0, 30.0, None], 'years')
    >>> common_unit(["30", "31", "32 years"], ".") is None
    True
    """
    found = [split_unit(text, decimal) for text in texts]
    units = Counter(unit.casefold().removesuffix("s") for _, unit in filter(None, found))
    if not units:
        return None
    likely = units.most_common(1)[0][0]
    own = [unit for _, unit in filter(None, found) if unit.casefold().removesuffix("s") == likely]
    longest = max(own, key=lambda unit: (len(unit), unit))
    numbers = [
        (pair[0] if same_unit(pair[1], longest) else None)
        if pair is not None
        else number_in(text, decimal)
        for text, pair in zip(texts, found, strict=True)
    ]
    n_with = sum(pair is not None and same_unit(pair[1], longest) for pair in found)
    return (numbers, longest) if 2 * n_with > len(texts) else None


def same_unit(unit: str, other: str) -> bool:
    """Tell whether two units are the same but for spaces, capitals and the plural.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.units import same_unit
    >>> same_unit("year", "Years"), same_unit("m", "ms"), same_unit("mg", "g")
    (True, False, False)
    """
    first, second = sorted(("".join(unit.split()) for unit in (unit, other)), key=len)
    if first == second:
        return True
    # Of letters, mg and Mg are not the same; of words, capitals do not matter.
    return len(first) > 2 and second.casefold() in (first.casefold(), f"{first.casefold()}s")
