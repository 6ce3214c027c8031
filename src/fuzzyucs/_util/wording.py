"""Numbers and lists as texts have them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from difflib import get_close_matches

__all__ = [
    "apart",
    "class_names",
    "closest",
    "counted",
    "duration",
    "listed",
    "percent",
    "shares_text",
]

MOST_CLASSES = 10  # of which a text names all
SOME_CLASSES = 5  # of more, so many
NUMBER = re.compile(r"[-+]?[0-9.][-+0-9.,eE]*")  # or a range of numbers
LEAST_LIKENESS = 0.7  # of a misspelling
MOST_DECIMALS = 4  # of percentages that are to be told apart


def percent(share: float, decimals: int | None = None) -> str:
    """Write a share with two digits, or as many as it takes to tell it from none and from all.

    Parameters
    ----------
    share : float
        From 0 to 1.
    decimals : int, optional
        How many decimals to write instead, unless they make it look like none or all.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import percent
    >>> [percent(share) for share in (0.0, 0.0004, 0.045, 0.283, 0.9996, 1.0)]
    ['0 %', '0.04 %', '4.5 %', '28 %', '99.96 %', '100 %']
    >>> percent(1e-9), percent(1 - 1e-9)
    ('under 0.01 %', 'over 99.99 %')
    >>> [percent(share, 1) for share in (0.0, 0.0004, 0.9467, 0.9996)]
    ['0.0 %', '0.04 %', '94.7 %', '99.96 %']
    """
    share = max(float(share), 0.0)  # rounding may make it a little less
    if decimals is not None:
        text = _rounded(100 * share, decimals)
        if (share == 0 or float(text) > 0) and (share >= 1 or float(text) < 100):
            return f"{text} %"
    if 0 < share < 0.0001:
        return "under 0.01 %"
    if 0.9999 < share < 1:
        return "over 99.99 %"
    if 0 < share < 0.0995:
        text = _rounded(100 * share, 1 - math.floor(math.log10(100 * share)))
        return f"{text.rstrip('0').rstrip('.')} %"
    if 0.995 <= share < 1:
        missing = f"{100 * (1 - share):.1g}"
        return f"{_rounded(100 * share, len(missing) - 2)} %"
    return f"{_rounded(100 * share, 0)} %"


def apart(share: float, other: float) -> tuple[str, str]:
    """Write two shares with as many digits as it takes to tell them apart.

    Parameters
    ----------
    share, other : float
        From 0 to 1.

    Returns
    -------
    tuple of str
        The same text twice if four decimals are not enough.

    Examples
    --------
    >>> from fuzzyucs._util.wording import apart
    >>> apart(0.61, 0.75), apart(0.7468, 0.75)
    (('61 %', '75 %'), ('74.7 %', '75.0 %'))
    """
    for decimals in (None, *range(1, MOST_DECIMALS + 1)):
        texts = percent(share, decimals), percent(other, decimals)
        if texts[0] != texts[1]:
            return texts
    return percent(share), percent(other)


def _rounded(value: float, decimals: int) -> str:
    """Write a number with some decimals. Halves are rounded up, as scripts of pages do."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def listed(names: Sequence[object]) -> str:
    """Join names by commas and "and".

    Parameters
    ----------
    names : sequence
        At least one.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import listed
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last


def class_names(labels: Iterable[object]) -> list[str]:
    """Return classes as texts name them: numbers with the word before them.

    Parameters
    ----------
    labels : iterable
        The classes, no two of which have the same text.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from fuzzyucs._util.wording import class_names
    >>> class_names([0, 1.5]), class_names(["ill", "10-20"]), class_names(["7", "class 7"])
    (['class 0', 'class 1.5'], ['ill', 'class 10-20'], ['7', 'class 7'])
    """
    texts = list(map(str, labels))
    names = [f"class {text}" if NUMBER.fullmatch(text) else text for text in texts]
    return names if len(set(names)) == len(texts) else texts


def shares_text(names: Sequence[object], shares: Sequence[float]) -> str:
    """Write the shares of classes; of many classes, those of the most frequent ones.

    Parameters
    ----------
    names : sequence
        The classes.
    shares : sequence of float
        Share of each.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import shares_text
    >>> shares_text(["ill", "well"], [0.2, 0.8])
    'ill 20 %, well 80 %'
    >>> shares_text(range(100), [0.505, *[0.005] * 99])  # doctest: +ELLIPSIS
    'class 0 51 %, ..., class 4 0.5 % and 95 others 48 % together'
    """
    names = class_names(names)
    named = list(range(len(names)))
    if len(named) > MOST_CLASSES:
        named = sorted(named, key=lambda i: -shares[i])[:SOME_CLASSES]
    text = ", ".join(f"{names[i]} {percent(shares[i])}" for i in named)
    if len(named) < len(names):
        rest = math.fsum(shares) - math.fsum(shares[i] for i in named)
        text += f" and {len(names) - len(named):,} others {percent(rest)} together"
    return text


def counted(number: int, one: str, several: str) -> str:
    """Write a number of things with the word in the right form.

    Parameters
    ----------
    number : int
        How many.
    one, several : str
        The word for one thing, and for several.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import counted
    >>> counted(1, "rule", "rules"), counted(3, "rule", "rules")
    ('1 rule', '3 rules')
    """
    return f"{number:,} {one if number == 1 else several}"


def closest(name: str, names: Iterable[str]) -> str:
    """Return a question about what a name may be a misspelling of, or nothing.

    Parameters
    ----------
    name : str
        What was written.
    names : iterable of str
        What there is.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import closest
    >>> closest("Hight", ["age", "height"])
    "; did you mean 'height'?"
    >>> closest("diag", ["age", "diagnosis"]), closest("target", ["age", "diagnosis"])
    ("; did you mean 'diagnosis'?", '')
    """
    known = {other.casefold(): other for other in names}
    said = name.casefold()
    found = get_close_matches(said, known, n=1, cutoff=LEAST_LIKENESS)
    if not found and len(said) > 2:  # a part of the name alone
        found = [other for other in known if said in other][:1]
    return f"; did you mean {known[found[0]]!r}?" if found else ""


def duration(seconds: float) -> str:
    """Write how long something takes.

    Parameters
    ----------
    seconds : float
        At least 0.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs._util.wording import duration
    >>> [duration(seconds) for seconds in (0.04, 12.34, 59.97, 75, 3700)]
    ['0.0 s', '12.3 s', '1 min 0 s', '1 min 15 s', '1 h 1 min']
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
