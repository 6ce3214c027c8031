"""Conditions in numbers, read as texts tell them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.borders import write_number
from fuzzyucs.variables.coding import accepted_terms, as_condition, as_run, is_fine

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["read_numbers"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_FORMS = [
    re.compile(form.replace("LOW", f"(?P<low>{_NUMBER})").replace("HIGH", f"(?P<high>{_NUMBER})"))
    for form in (
        r"(?:at most|<=) HIGH",
        r"(?:at least|>=) LOW",
        r"LOW to HIGH",
        r"between HIGH and LOW",
    )
]
_ONE_NUMBER = re.compile(rf"(?:= )?({_NUMBER})")


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
        "or" between them. Numbers must be those of borders between terms.

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
    low, high = _bounds(name, text)
    is_empty = low is not None and high is not None and low > high
    if is_empty and not text.startswith("between"):
        raise ValueError(f"conditions on {name!r} must have the lesser number first, got {text!r}")
    first, last = 0, len(borders.at_most)
    if low is not None:
        first = 1 + _border(name, borders.at_least, low)
    if high is not None:
        last = _border(name, borders.at_most, high, first)
    if first > last:
        raise ValueError(f"conditions on {name!r} must accept at least one term, got {text!r}")
    return first, last


def _bounds(name: str, text: str) -> tuple[float | None, float | None]:
    """Read the least and the greatest number of a range; None: no bound."""
    if one := _ONE_NUMBER.fullmatch(text):
        return float(one[1]), float(one[1])
    for form in _FORMS:
        if found := form.fullmatch(text):
            known = found.groupdict()
            low, high = known.get("low"), known.get("high")
            return None if low is None else float(low), None if high is None else float(high)
    raise ValueError(
        f"conditions on {name!r} must be ranges of numbers such as 'at most 5', '5 to 7' or "
        f"'at least 7', got {text!r}"
    )


def _border(name: str, numbers: NDArray[np.float64], wanted: float, first: int = 0) -> int:
    """Find a number among those of borders, from one of them on if it is there several times."""
    equal = np.flatnonzero(numbers == wanted)
    if equal.size:
        return int(equal[min(int(np.searchsorted(equal, first)), len(equal) - 1)])
    near = np.unique(numbers)
    place = int(np.searchsorted(near, wanted))
    nearest = " or ".join(map(write_number, near[max(place - 1, 0) : place + 1].tolist()))
    raise ValueError(
        f"conditions on {name!r} must have numbers where its terms end or begin, got "
        f"{write_number(wanted)}; near it there is {nearest}"
    )
