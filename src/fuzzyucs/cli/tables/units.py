"""Numbers with units, as people write them: ``29 years``, ``$1,000.50``, ``12 %``."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    return (value, unit) if value is not None and is_unit else None


def common_unit(texts: Iterable[str], decimal: Decimal) -> tuple[list[float], str] | None:
    """Read cells that are numbers of one unit; single ones may lack it.

    Parameters
    ----------
    texts : iterable of str
        The different cells of a column.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    tuple of list of float and str, or None
        The numbers and the unit; None if some are no numbers, or units differ.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.units import common_unit
    >>> common_unit(["1 year", "29 years", "30"], ".")
    ([1.0, 29.0, 30.0], 'years')
    >>> common_unit(["5 mg", "1 g"], ".") is None
    True
    """
    numbers, units = [], []
    for text in texts:
        plain = number_in(text, decimal)
        found = split_unit(text, decimal) if plain is None else (plain, "")
        if found is None:
            return None
        numbers.append(found[0])
        units.append(found[1])
    named = {unit for unit in units if unit}
    # Most cells have to say what the others mean.
    if not named or 2 * sum(map(bool, units)) <= len(units):
        return None
    longest = max(named, key=lambda unit: (len(unit), unit))
    return (numbers, longest) if all(same_unit(unit, longest) for unit in named) else None


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
