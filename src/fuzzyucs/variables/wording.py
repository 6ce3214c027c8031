"""Conditions on linguistic variables in words and numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["describe", "describe_plain", "describe_run", "observe", "phrase"]


def describe(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Put a set of terms into words; bit t of the condition stands for term t.

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
    words = partition.words(feature, condition)
    listed = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
    return f"{partition.feature_names[feature]} is {listed}"


def describe_plain(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Put a condition into plain words, with numbers where the feature varied."""
    peaks = partition.peaks(feature)
    has_numbers = peaks[0] < peaks[-1]
    return (describe_run if has_numbers else describe)(partition, feature, condition)


def describe_run(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Put neighbouring terms into words and numbers; a nominal feature has values.

    Terms that are no neighbours are listed. The numbers tell where the condition holds to at
    least one half.

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
    text = f"{partition.feature_names[feature]} is {partition.phrase(feature, condition)}"
    first, last = _ends(int(condition))
    is_run = int(condition).bit_count() == last - first + 1
    if not is_run or partition.is_coded(feature) or not partition.has_order(feature):
        return text
    ends = partition.bounds(feature, first, last)
    low, high = (None if end is None else _number(partition, feature, end) for end in ends)
    if low is None:
        return f"{text} (<= {high})"
    return f"{text} (>= {low})" if high is None else f"{text} ({low} to {high})"


def phrase(partition: LinguisticPartition, feature: int, condition: int) -> str:
    """Name a set of terms in few words.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.variables.linguistic import LinguisticPartition
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> [partition.phrase(0, terms) for terms in (0b00111, 0b01110, 0b10000, 0b10001)]
    ['at most medium', 'small to large', 'very large', '{very small, very large}']
    """
    words = partition.words(feature, condition)
    if feature in partition.special and partition.special[feature].is_nominal:
        return " or ".join(words)
    first, last = _ends(int(condition))
    if len(words) == 1:
        return words[0]
    if len(words) != last - first + 1:  # evolution makes sets of any terms
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
    name, terms = partition.feature_names[feature], int(condition)
    words = partition.phrase(feature, terms)
    if math.isnan(position):
        return f"{name} (missing) is {words}"
    below = int(position)  # the terms on both sides of the value
    degree = (terms >> below & 1) * (1.0 - abs(position - below))
    degree += (terms >> below + 1 & 1) * (1.0 - abs(position - (below + 1)))
    return f"{name} {partition.write(feature, value)} is {words} ({min(1.0, degree):.2g})"


def _number(partition: LinguisticPartition, feature: int, value: float) -> str:
    """Write a value with as many digits as tell thousandths of the feature's peaks apart."""
    peaks = partition.peaks(feature)
    step = float(peaks[-1] / 1000 - peaks[0] / 1000)
    digits = -int(np.floor(np.log10(step))) if 0 < step < np.inf else 0
    if abs(value) >= 1e15 or digits > 15:
        return f"{value:.4g}"
    text = f"{value:.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _ends(condition: int) -> tuple[int, int]:
    """Return the first and the last term of a set."""
    return (condition & -condition).bit_length() - 1, condition.bit_length() - 1
