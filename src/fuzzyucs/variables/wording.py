"""Conditions on linguistic variables in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.borders import (
    Borders,
    borders_between,
    short_neighbour,
    write_number,
)
from fuzzyucs.variables.coding import accepted_terms, runs
from fuzzyucs.variables.terms import FEW_NAMES, are_names, short_list, term_names

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = [
    "bounds",
    "describe",
    "describe_numbers",
    "describe_plain",
    "describe_run",
    "has_numbers",
    "is_listed",
    "listed_values",
    "numbered_borders",
    "observe",
    "phrase",
    "speaks_in_numbers",
    "term_texts",
    "value_name",
    "words",
]


def words(partition: LinguisticPartition, feature: int, condition: int) -> list[str]:
    """Return the names of the terms in a set; of categories, these and not groups of them."""
    if is_listed(partition, feature):
        values = partition.listed_values(feature)
        chosen = values[_are_accepted(partition, feature, condition, values)]
        return [partition.value_name(feature, value) for value in chosen.tolist()]
    names, accepted = partition.terms(feature), _accepted(partition, feature, condition)
    return [name for name, is_in in zip(names, accepted, strict=False) if is_in]


def is_listed(partition: LinguisticPartition, feature: int) -> bool:
    """Tell whether the values of a feature are categories, with or without order."""
    return partition.is_coded(feature) or not partition.has_order(feature)


def listed_values(partition: LinguisticPartition, feature: int) -> NDArray[np.float64]:
    """Return all values of a feature whose values are categories."""
    if partition.has_order(feature):
        return np.arange(len(partition.columns.categories[feature].labels), dtype=float)
    return partition.special[feature].peaks


def value_name(partition: LinguisticPartition, feature: int, value: float) -> str:
    """Name a value of a feature whose values are categories."""
    if partition.is_coded(feature):
        return partition.columns.categories[feature].terms[int(value)]
    variable = partition.special[feature]
    if variable.members is not None:
        return partition.write_border(feature, value)
    return variable.terms[int(np.searchsorted(variable.peaks, value))]


def _are_accepted(
    partition: LinguisticPartition, feature: int, condition: int, values: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which categories a set of terms accepts."""
    places = partition.special[feature].positions(values)
    accepted = _accepted(partition, feature, condition)
    return np.asarray(accepted[np.nan_to_num(places).astype(int)] & ~np.isnan(places))


def describe(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Put a set of terms into words.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"])
    >>> partition.describe(0, 0b011)
    'size is {small, medium}'
    >>> partition.describe(0, 0b100)
    'size is large'
    """
    if speaks_in_numbers(partition, feature):
        return describe_run(partition, feature, condition)
    words = partition.words(feature, condition)
    listed = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
    return f"{partition.feature_names[feature]} is {listed}"


def describe_plain(
    partition: LinguisticPartition, feature: int, condition: int, *, full: bool = False
) -> str:
    """Put a condition into plain words, with numbers where the feature varied.

    Parameters
    ----------
    feature : int
        Index of the feature.
    condition : int
        A set of terms.
    full : bool
        Whether to list all categories, however many.

    Returns
    -------
    str
    """
    peaks = partition.peaks(feature)
    if peaks[0] < peaks[-1]:
        return describe_run(partition, feature, condition, full=full)
    return describe(partition, feature, condition)


def describe_run(
    partition: LinguisticPartition, feature: int, condition: int, *, full: bool = False
) -> str:
    """Put neighbouring terms into words and numbers; a nominal feature has values.

    Terms that are no neighbours are listed. The numbers tell where the condition holds to at
    least one half. Of many categories a few are named, unless all are asked for with `full`.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> partition.describe_run(0, 0b00111)
    'size is at most medium (<= 5)'
    >>> partition.describe_run(0, 0b01110)
    'size is small to large (1 to 7)'
    >>> partition.describe_run(0, 0b10000)
    'size is very large (>= 7)'
    """
    phrase = partition.phrase(feature, condition, full=full)
    text = f"{partition.feature_names[feature]} is {phrase}"
    if speaks_in_numbers(partition, feature):
        return text
    numbers = partition.describe_numbers(feature, condition)
    is_said = not numbers or _are_the_numbers(partition, feature, condition)
    return text if is_said else f"{text} ({numbers})"


def describe_numbers(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Tell in numbers where neighbouring terms hold; empty if there is no such range.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[1.0], [5.0], [3.0]]), 3, ["children"])
    >>> [partition.describe_numbers(0, terms) for terms in (0b001, 0b010, 0b110, 0b101)]
    ['<= 2', '2 to 4', '>= 2', '']
    """
    found = _runs(partition, feature, condition)
    if len(found) != 1 or not partition.has_numbers(feature):
        return ""
    return _numbers(partition, feature, *found[0])


def _numbers(partition: LinguisticPartition, feature: int, first: int, last: int) -> str:
    """Tell in numbers where a run of terms holds."""
    low, high = partition.bounds(feature, first, last)
    from_, to = (
        "" if end is None else partition.write_border(feature, end, is_end=end is high)
        for end in (low, high)
    )
    # Borders that a range does not reach, where people ask in numbers.
    is_number = feature not in partition.columns.times and speaks_in_numbers(partition, feature)
    above = short_neighbour(low, -math.inf) if is_number and low is not None else None
    below = short_neighbour(high, math.inf) if is_number and high is not None else None
    if low is None or high is None:
        if high is None:
            at_least = f">= {from_}" if above is None else f"> {write_number(above)}"
            return "" if low is None else at_least
        return f"<= {to}" if below is None else f"< {write_number(below)}"
    if low == high:
        return f"= {to}"
    if low > high:  # no number lies between two neighbouring doubles
        return f"between {to} and {from_}"
    from_ = from_ if above is None else f"more than {write_number(above)}"
    to = to if below is None else f"less than {write_number(below)}"
    return f"{from_} to {to}"


def speaks_in_numbers(partition: LinguisticPartition, feature: int) -> bool:
    """Tell whether texts about a feature have numbers alone: with many terms, and of dates."""
    terms = partition.terms(feature)
    is_date = feature in partition.columns.times and terms == term_names(len(terms))
    return (is_date or not are_names(terms)) and partition.has_numbers(feature)


def term_texts(partition: LinguisticPartition, feature: int) -> list[str]:
    """Return the terms of a feature as people read them: names, or else numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 3, ["size"]).term_texts(0)
    ['small', 'medium', 'large']
    >>> LinguisticPartition.uniform(np.array([[0.0], [90.0]]), 10, ["size"]).term_texts(0)[:2]
    ['<= 5', '5 to 15']
    """
    names = partition.terms(feature)
    if not speaks_in_numbers(partition, feature):
        return list(names)
    return [_numbers(partition, feature, term, term) for term in range(len(names))]


def bounds(
    partition: LinguisticPartition, feature: int, first: int, last: int
) -> tuple[float | None, float | None]:
    """Return between which values a run of terms is at least half true; None: no bound."""
    borders = partition.numbered_borders(feature)
    low = None if first == 0 else float(borders.at_least[first - 1])
    high = None if last == len(borders.at_most) else float(borders.at_most[last])
    return low, high


def numbered_borders(partition: LinguisticPartition, feature: int) -> Borders:
    """Return the numbers between the terms of an ordered feature, as texts tell them."""
    if feature in partition.borders:
        return partition.borders[feature]
    peaks, ends = partition.peaks(feature), partition.ends(feature)
    scale = partition.columns.times.get(feature)
    if scale is not None or (ends > peaks).any():
        return borders_between(peaks, ends, scale)
    exact = peaks[:-1] / 2 + peaks[1:] / 2
    rounded = np.array([_rounded(value, peaks) for value in exact.tolist()])
    return Borders(rounded, rounded)


def has_numbers(partition: LinguisticPartition, feature: int) -> bool:
    """Tell whether the terms of a feature have an order, and numbers as borders."""
    peaks = partition.peaks(feature)
    is_varied = bool(peaks[0] < peaks[-1])
    return is_varied and partition.has_order(feature) and not partition.is_coded(feature)


def phrase(
    partition: LinguisticPartition, feature: int, condition: int, *, full: bool = False
) -> str:
    """Name a set of terms in few words, or all categories with `full`.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> [partition.phrase(0, terms) for terms in (0b00111, 0b01110, 0b10000, 0b10001)]
    ['at most medium', 'small to large', 'very large', '{very small, very large}']

    From ten terms on there are numbers instead of names.

    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [90.0]]), 10, ["size"])
    >>> partition.phrase(0, 0b1111), partition.phrase(0, 0b1000000110)
    ('at most 35', '5 to 25 or at least 85')
    """
    found = _runs(partition, feature, condition)
    if speaks_in_numbers(partition, feature):
        numbers = [_numbers(partition, feature, *run) for run in found]
        return " or ".join(map(_spelt, numbers))
    if not partition.has_order(feature):
        return _phrase_of_categories(partition, feature, condition, full)
    words = partition.words(feature, condition)
    if len(words) == 1:
        return words[0]
    first, last = found[0]
    if len(found) > 1:  # evolution makes sets of any terms
        return "{" + ", ".join(words) + "}"
    if first == 0:
        return f"at most {words[-1]}"
    if last == int(partition.n_terms[feature]) - 1:
        return f"at least {words[0]}"
    return f"{words[0]} to {words[-1]}"


def observe(
    partition: LinguisticPartition, feature: int, condition: int, value: float, position: float
) -> str:
    """Put a condition into words, with a record's value and how far it fulfils them."""
    name, words = partition.feature_names[feature], partition.phrase(feature, condition)
    if math.isnan(position):
        why = "missing" if math.isnan(value) else "not seen in training"
        return f"{name} ({why}) is {words}"
    below = int(position)  # the terms on both sides of the value
    around = _accepted(partition, feature, condition)[below : below + 2].tolist()
    degree = sum(is_in * (1.0 - abs(position - below - k)) for k, is_in in enumerate(around))
    return f"{name} {partition.write(feature, value)} is {words} ({min(1.0, degree):.2g})"


def _are_the_numbers(partition: LinguisticPartition, feature: int, condition: int) -> bool:
    """Tell whether the names of terms are the very numbers between which they hold."""
    names = partition.terms(feature)
    [(first, last)] = _runs(partition, feature, condition)
    ends = partition.bounds(feature, first, last)
    if None in ends and first == last:  # "0" and not "at most 0"
        return False
    said = zip(ends, (names[first], names[last]), strict=True)
    return all(end is None or name == partition.write_border(feature, end) for end, name in said)


def _rounded(value: float, peaks: NDArray[np.float64]) -> float:
    """Round a value to as many digits as tell thousandths of the way between peaks apart."""
    step = float(peaks[-1] / 1000 - peaks[0] / 1000)
    digits = -int(np.floor(np.log10(step))) if 0 < step < np.inf else 0
    if abs(value) >= 1e15 or digits > 15:
        return float(f"{value:.4g}")
    return float(f"{value:.{max(digits, 0)}f}")


def _phrase_of_categories(
    partition: LinguisticPartition, feature: int, condition: int, full: bool
) -> str:
    """Name the categories that a set accepts, or else does not if those are much fewer."""
    variable = partition.special[feature]
    values, counts = variable.peaks, variable.counts
    is_in = _are_accepted(partition, feature, condition, values)

    def names(which: NDArray[np.bool_], by_count: bool) -> list[str]:
        order = np.flatnonzero(which)
        if counts is not None and by_count:
            order = order[np.argsort(-counts[order], kind="stable")]
        return [partition.value_name(feature, value) for value in values[order].tolist()]

    def listed(which: NDArray[np.bool_]) -> str:
        is_short = which.sum() <= FEW_NAMES
        found = names(which, by_count=not is_short)
        return ", ".join(found) if full else short_list(found, ", ")

    n_in, n_out = int(is_in.sum()), int((~is_in).sum())
    # Categories without a term fulfil no condition.
    is_complete = len(values) == len(_known_values(partition, feature))
    if is_complete and 0 < 2 * n_out < n_in:
        return f"{'not' if n_out == 1 else 'none of'} {listed(~is_in)}"
    if n_in <= FEW_NAMES:
        return " or ".join(names(is_in, by_count=False))
    return f"one of {listed(is_in)}"


def _known_values(partition: LinguisticPartition, feature: int) -> Sized:
    """Return all values that a nominal feature may have, also those without a term."""
    if partition.is_coded(feature):
        return partition.columns.categories[feature].labels
    return partition.special[feature].peaks


def _spelt(numbers: str) -> str:
    """Put numbers into words that can follow "is"."""
    words = numbers.replace("<= ", "at most ").replace(">= ", "at least ")
    words = words.replace("< ", "less than ").replace("> ", "more than ")
    return words.removeprefix("= ")


def _accepted(partition: LinguisticPartition, feature: int, condition: int) -> NDArray[np.bool_]:
    """Tell which terms a condition accepts."""
    return accepted_terms(condition, int(partition.n_terms[feature]))


def _runs(partition: LinguisticPartition, feature: int, condition: int) -> list[tuple[int, int]]:
    """Return the ends of the runs of neighbouring terms that a condition accepts."""
    return runs(condition, int(partition.n_terms[feature]))
