"""Conditions in numbers, read as texts tell them."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.coding import accepted_terms, as_condition, as_run, is_fine
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["read_numbers"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_FORMS = (
    r"(?:at most|<=) HIGH",
    r"(?:at least|>=) LOW",
    r"LOW to HIGH",
    r"between HIGH and LOW",
    r"(?:= )?BOTH",
)


_EXAMPLES = {
    "number": ("numbers", "5", "7"),
    "date": ("dates", "2013-05-12", "2014-01-01"),
    "duration": ("durations", "2 hours", "3 days 4 hours"),
}


def read_numbers(variables: LinguisticPartition, feature: int, text: str) -> int:
    """Turn numbers into a condition, as texts about features with many terms have them.

    Parameters
    ----------
    variables : LinguisticPartition
        The features.
    feature : int
        Index of a feature whose terms have no names.
    text : str
        Where the condition holds: "at most 35", "5 to 25", "at least 85", or several of these with
        "or" between them. Numbers must be those of borders between terms; of dates and durations,
        "at least 2013-05-12" and "at most 3 days 4 hours".

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.reading import read_numbers
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [90.0]]), 10, ["size"])
    >>> bin(read_numbers(partition, 0, "5 to 25 or at least 85"))
    '0b1000000110'
    """
    n_terms = int(variables.n_terms[feature])
    accepted = np.zeros(n_terms, dtype=bool)
    for part in text.split(" or "):
        run = as_run(*_ends(variables, feature, part), n_terms)
        accepted |= accepted_terms(run, n_terms)
    if is_fine(n_terms) and np.diff(accepted.astype(int), prepend=0).clip(0).sum() > 1:
        name = variables.feature_names[feature]
        raise ValueError(f"conditions on {name!r} must be one range of numbers, got {text!r}")
    return as_condition(accepted)


def _ends(variables: LinguisticPartition, feature: int, text: str) -> tuple[int, int]:
    """Return the first and the last term of a range of numbers."""
    name, borders = variables.feature_names[feature], variables.numbered_borders(feature)
    scale = variables.columns.times.get(feature)
    low, high = _bounds(name, text, scale)
    is_empty = low is not None and high is not None and low > high
    if is_empty and not text.startswith("between"):
        raise ValueError(f"conditions on {name!r} must have the lesser number first, got {text!r}")
    first, last = 0, len(borders.at_most)
    if low is not None:
        first = 1 + _border(variables, feature, borders.at_least, low)
    if high is not None:
        last = _border(variables, feature, borders.at_most, high, first)
    if first > last:
        raise ValueError(f"conditions on {name!r} must accept at least one term, got {text!r}")
    return first, last


@cache
def _forms(number: str) -> list[re.Pattern[str]]:
    """Return what ranges look like, if numbers look like this."""
    names = {"LOW": "low", "HIGH": "high", "BOTH": "both"}
    groups = {word: f"(?P<{name}>{number})" for word, name in names.items()}
    return [re.compile(re.sub("LOW|HIGH|BOTH", lambda m: groups[m[0]], form)) for form in _FORMS]


def _bounds(name: str, text: str, scale: TimeScale | None) -> tuple[float | None, float | None]:
    """Read the least and the greatest number of a range; None: no bound."""
    read = float if scale is None else scale.read
    for form in _forms(_NUMBER if scale is None else scale.pattern):
        if found := form.fullmatch(text):
            known = {end: read(number) for end, number in found.groupdict().items()}
            both = known.get("both")
            return known.get("low", both), known.get("high", both)
    what, few, many = _EXAMPLES["number" if scale is None else scale.kind]
    raise ValueError(
        f"conditions on {name!r} must be ranges of {what} such as 'at most {few}', "
        f"'{few} to {many}' or 'at least {many}', got {text!r}"
    )


def _border(
    variables: LinguisticPartition,
    feature: int,
    numbers: NDArray[np.float64],
    wanted: float,
    first: int = 0,
) -> int:
    """Find a number among those of borders, from one of them on if it is there several times."""
    equal = np.flatnonzero(numbers == wanted)
    if equal.size:
        return int(equal[min(int(np.searchsorted(equal, first)), len(equal) - 1)])
    near = np.unique(numbers)
    place = int(np.searchsorted(near, wanted))
    write = partial(variables.write_border, feature)
    nearest = " or ".join(map(write, near[max(place - 1, 0) : place + 1].tolist()))
    raise ValueError(
        f"conditions on {variables.feature_names[feature]!r} must have numbers where its terms end "
        f"or begin, got {write(wanted)}; near it there is {nearest}"
    )
