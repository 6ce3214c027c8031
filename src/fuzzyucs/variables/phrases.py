"""Phrases: what a condition asks of a feature, in the words of texts or in the units of the data.

A phrase is what follows the name of a feature: "is at least large (>= 697)", ">= 140", "between 40
and 60", "is red or blue". `read_phrase` tells ranges of numbers from words; `terms_of` turns either
into a set of terms, and names the nearest word if there is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.variables.coding import as_condition, every_term
from fuzzyucs.variables.reading import read_numbers
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["Phrase", "Range", "nearest", "read_phrase", "terms_of", "values_of"]

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
LEAST_LIKENESS = 0.5  # from which on a word is worth a suggestion
N_LISTED = 8  # words that a message lists

# What ranges look like; X and Y are numbers. Which bound is one that the range does not reach.
_FORMS = (
    (r"(?:at least|>=|≥) ?X", "x", ""),
    (r"(?:at most|<=|≤) ?Y", "y", ""),
    (r"(?:more than|greater than|above|over|>) ?X", "x", "x"),
    (r"(?:less than|below|under|<) ?Y", "y", "y"),
    (r"(?:between )?X (?:to|and) Y", "xy", ""),
    (r"more than X to Y", "xy", "x"),
    (r"X to less than Y", "xy", "y"),
    (r"more than X to less than Y", "xy", "xy"),
)
_OTHER_WORDS = (("low", "small"), ("high", "large"))  # for the same terms


@dataclass(frozen=True)
class Range:
    """Numbers from one to another, both included; infinite where there is no bound."""

    low: float = -math.inf
    high: float = math.inf

    @property
    def is_one(self) -> bool:
        """Whether it is a single number."""
        return self.low == self.high


@dataclass(frozen=True)
class Phrase:
    """What a condition asks of a feature.

    Attributes
    ----------
    text : str
        As it was written, without "is".
    ranges : tuple of Range or None
        Ranges of numbers, one of which has to hold; None if there are words alone.
    words : str or None
        Words, if there are any; a phrase may have both, as texts of rules have.
    """

    text: str
    ranges: tuple[Range, ...] | None
    words: str | None

    @property
    def compares(self) -> bool:
        """Whether it asks for an order of values, and not only for some of them."""
        return self.ranges is not None and not all(part.is_one for part in self.ranges)


def read_phrase(text: str, scale: TimeScale | None = None) -> Phrase:
    """Read what a condition asks of a feature.

    Parameters
    ----------
    text : str
        What follows the name of the feature.
    scale : TimeScale, optional
        If the feature holds dates or durations.

    Returns
    -------
    Phrase

    Examples
    --------
    >>> from fuzzyucs.variables.phrases import read_phrase
    >>> read_phrase("is between 40 and 60").ranges
    (Range(low=40.0, high=60.0),)
    >>> read_phrase("is at least large (>= 697)")
    Phrase(text='at least large (>= 697)', ranges=(Range(low=697.0, high=inf),), words='at least
    large')
    """
    asked = re.sub(r"^is(?= |$)\s*", "", text.strip())
    if not asked:
        raise ValueError("asks nothing")
    if (ranges := _ranges(asked, scale)) is not None:
        return Phrase(asked, ranges, None)
    if re.match("[<>=≤≥]", asked):
        what = "number" if scale is None else scale.kind
        raise ValueError(f"must have one {what} after {asked[0]!r}, got {asked!r}")
    if found := re.fullmatch(r"(.+?) \(([^()]+)\)", asked):
        ranges = _ranges(found[2], scale)
        if ranges is not None:
            return Phrase(asked, ranges, found[1])
    return Phrase(asked, None, asked)


def nearest(word: str, known: Sequence[str]) -> str:
    """Tell which known word is like another one, or which there are, to end a message.

    Examples
    --------
    >>> from fuzzyucs.variables.phrases import nearest
    >>> nearest("glucos", ["age", "glucose"]), nearest("xyz", ["age", "glucose"])
    ("; the nearest is 'glucose'", "; there are 'age' and 'glucose'")
    """
    folded = {name.casefold(): name for name in reversed(known)}
    close = get_close_matches(word.casefold(), list(folded), n=1, cutoff=LEAST_LIKENESS)
    if close:
        return f"; the nearest is {folded[close[0]]!r}"
    if not known:
        return ""
    listed = [repr(name) for name in known[:N_LISTED]]
    if len(known) > N_LISTED:
        return f"; there are {', '.join(listed)} and {len(known) - N_LISTED} more"
    *first, last = listed
    return f"; there {'are' if first else 'is'} {', '.join(first)}{' and ' * bool(first)}{last}"


def values_of(partition: LinguisticPartition, feature: int, phrase: Phrase) -> frozenset[float]:
    """Return the values of a feature without order that a phrase accepts.

    Parameters
    ----------
    partition : LinguisticPartition
        The features.
    feature : int
        Index of a feature whose values are categories without order.
    phrase : Phrase
        Words list categories; ranges accept values that are such numbers.

    Returns
    -------
    frozenset of float
    """
    values = partition.listed_values(feature).tolist()
    names = [partition.value_name(feature, value) for value in values]
    try:
        chosen = _chosen(phrase.text, names, partition.feature_names[feature])
        return frozenset(value for value, name in zip(values, names, strict=True) if name in chosen)
    except ValueError:
        if phrase.ranges is None or partition.is_coded(feature):
            raise
    found = frozenset(value for value in values if _is_in(value, phrase.ranges))
    if not found:
        listed = nearest(phrase.text, names)
        raise ValueError(
            f"no value of {partition.feature_names[feature]!r} is {phrase.text!r}{listed}"
        )
    return found


def terms_of(partition: LinguisticPartition, feature: int, phrase: Phrase) -> int:
    """Turn a phrase into a set of the terms that a feature has.

    Parameters
    ----------
    partition : LinguisticPartition
        The features.
    feature : int
        Index of the feature.
    phrase : Phrase
        Numbers have to be those of borders between terms.

    Returns
    -------
    int
        The terms that are accepted, as `fuzzyucs.variables.coding` has them.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import LinguisticPartition
    >>> from fuzzyucs.variables.phrases import read_phrase, terms_of
    >>> partition = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    >>> [bin(terms_of(partition, 0, read_phrase(t))) for t in ("at most medium", "small", ">= 7")]
    ['0b111', '0b10', '0b10000']
    """
    n_terms = int(partition.n_terms[feature])
    if not partition.has_order(feature):
        return _as_terms(partition, feature, values_of(partition, feature, phrase))
    name = partition.feature_names[feature]
    names = partition.words(feature, every_term(n_terms))
    try:
        run = _run_of_words(phrase.words or phrase.text, names, name)
    except ValueError:
        if phrase.ranges is None or not partition.has_numbers(feature):
            raise
        return _numbers(partition, feature, phrase)
    if partition.is_coded(feature):
        codes = np.flatnonzero(run).astype(float)
        return _as_terms(partition, feature, frozenset(codes.tolist()))
    found = as_condition(run)
    if phrase.words is not None and phrase.ranges is not None:
        _check_numbers(partition, feature, phrase, found)
    return found


def _check_numbers(
    partition: LinguisticPartition, feature: int, phrase: Phrase, found: int
) -> None:
    """Refuse words with other numbers than the terms have here."""
    said = partition.describe_numbers(feature, found)
    scale = partition.columns.times.get(feature)
    if not said or _ranges(said, scale) == phrase.ranges:
        return
    raise ValueError(
        f"{partition.feature_names[feature]!r} is {phrase.words!r} for {said} here, got "
        f"{phrase.text!r}"
    )


def _as_terms(partition: LinguisticPartition, feature: int, values: frozenset[float]) -> int:
    """Return the terms whose values are accepted; all values of a term have to be."""
    listed = partition.listed_values(feature)
    places = partition.special[feature].positions(listed)
    accepted = np.isin(listed, list(values)) & ~np.isnan(places)
    n_terms = int(partition.n_terms[feature])
    terms = {int(place) for place in places[accepted].tolist()}
    for value, place, is_in in zip(listed.tolist(), places.tolist(), accepted, strict=True):
        if not is_in and place in terms:
            raise ValueError(
                f"{partition.value_name(feature, value)!r} belongs to a term of "
                f"{partition.feature_names[feature]!r} with what is asked for: no rule of this "
                "model tells them apart"
            )
    n_named = len({place for place in places.tolist() if not math.isnan(place)})
    if len(terms) == n_named:
        return every_term(n_terms)
    return as_condition(np.isin(np.arange(n_terms), list(terms)))


def _numbers(partition: LinguisticPartition, feature: int, phrase: Phrase) -> int:
    """Return the terms between numbers, which have to be those of borders."""
    borders = partition.numbered_borders(feature)
    n_terms = int(partition.n_terms[feature])
    accepted = np.zeros(n_terms, dtype=bool)
    assert phrase.ranges is not None
    for part in phrase.ranges:
        firsts = np.flatnonzero(borders.at_least == part.low) + 1
        lasts = np.flatnonzero(borders.at_most == part.high)
        first = [0] if part.low == -math.inf else firsts.tolist()
        last = [n_terms - 1] if part.high == math.inf else lasts.tolist()
        # The same number may stand for several borders: the first run with room for a term.
        runs = [(a, b) for a in first for b in last if a <= b]
        if not runs:
            break
        a, b = min(runs, key=lambda run: run[1] - run[0])
        accepted[a : b + 1] = True
    else:
        return as_condition(accepted)
    # Texts have another form where no number lies between, and errors that name the nearest.
    return read_numbers(partition, feature, phrase.text if phrase.words is None else _inner(phrase))


def _inner(phrase: Phrase) -> str:
    return phrase.text[phrase.text.rindex("(") + 1 : -1]


def _ranges(text: str, scale: TimeScale | None) -> tuple[Range, ...] | None:
    """Read ranges with "or" between them; None if it is something else."""
    found = []
    for part in text.split(" or "):
        one = _range(part.strip(), scale)
        if one is None:
            return None
        found.append(one)
    return tuple(found)


def _range(text: str, scale: TimeScale | None) -> Range | None:
    number = NUMBER if scale is None else scale.pattern
    read: Callable[[str], float] = float if scale is None else scale.read
    for pattern, bounds, open_ends in _patterns(number):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        low = read(match["x"]) if "x" in bounds else -math.inf
        high = read(match["y"]) if "y" in bounds else math.inf
        if open_ends and scale is not None:
            raise ValueError(f"asks for {text!r}; dates and durations have 'at least' or 'at most'")
        low = math.nextafter(low, math.inf) if "x" in open_ends else low
        high = math.nextafter(high, -math.inf) if "y" in open_ends else high
        if low > high:
            raise ValueError(f"must have the lesser number first, got {text!r}")
        return Range(low, high)
    if match := re.fullmatch(rf"(?:==? ?)?({number})", text, re.IGNORECASE):
        value = read(match[1])
        return Range(value, value)
    return None


@cache
def _patterns(number: str) -> list[tuple[re.Pattern[str], str, str]]:
    """Return what ranges look like, if numbers look like this."""
    found = []
    for form, bounds, open_ends in _FORMS:
        text = form.replace("X", f"(?P<x>{number})").replace("Y", f"(?P<y>{number})")
        found.append((re.compile(text, re.IGNORECASE), bounds, open_ends))
    return found


def _is_in(value: float, ranges: Sequence[Range]) -> bool:
    return any(part.low <= value <= part.high for part in ranges)


def _run_of_words(text: str, names: Sequence[str], feature: str) -> NDArray[np.bool_]:
    """Tell which of some words in order a phrase accepts."""
    accepted = np.zeros(len(names), dtype=bool)
    for start, is_least in (("at least ", True), ("at most ", False)):
        if text.lower().startswith(start) and text not in names:
            place = names.index(_known(text[len(start) :], names, feature))
            accepted[place:] = is_least
            accepted[: place + 1] |= not is_least
            return accepted
    for match in re.finditer(" to ", text):
        first, last = text[: match.start()], text[match.end() :]
        if text not in names and _like(first, names) and _like(last, names):
            a, b = (names.index(_known(end, names, feature)) for end in (first, last))
            if a > b:
                raise ValueError(f"must have the lesser word of {feature!r} first, got {text!r}")
            accepted[a : b + 1] = True
            return accepted
    chosen = _chosen(text, names, feature)
    return np.array([name in chosen for name in names])


def _chosen(text: str, names: Sequence[str], feature: str) -> set[str]:
    """Return which of some names a text lists, or does not exclude."""
    if _like(text, names):
        return {_known(text, names, feature)}
    lower = text.lower()
    if text.startswith("{") and text.endswith("}"):
        return set(_listed(text[1:-1], names, feature))
    for start in ("one of ", "none of ", "not "):
        if lower.startswith(start):
            listed = set(_listed(text[len(start) :], names, feature))
            return listed if start == "one of " else set(names) - listed
    return set(_listed(text, names, feature))


def _listed(text: str, names: Sequence[str], feature: str) -> list[str]:
    """Read a list of names, which may themselves contain what stands between them."""
    rest, found = text.strip(), []
    while rest:
        starts = [n for n in names if rest.lower().startswith(n.lower()) and n]
        starts = [n for n in starts if re.match(r"$|, ?| or ", rest[len(n) :])]
        if starts:
            name = max(starts, key=len)
            found.append(name)
            rest = re.sub(r"^(?:, or |, ?| or )", "", rest[len(name) :])
            continue
        if re.fullmatch(r".* and [\d,]+ more", rest):
            raise ValueError(
                f"names only some values of {feature!r}: list all (to_text(full=True) does)"
            )
        word = re.split(r", ?| or ", rest)[0]
        found.append(_known(word, names, feature))
        rest = re.sub(r"^(?:, or |, ?| or )", "", rest[len(word) :])
    return found


def _like(word: str, names: Sequence[str]) -> bool:
    """Tell whether a word is a name, in capital letters or not, or means the same."""
    return _match(word, names) is not None


def _match(word: str, names: Sequence[str]) -> str | None:
    if word in names:
        return word
    folded = [name for name in names if name.casefold() == word.casefold()]
    if len(folded) == 1:
        return folded[0]
    for other, usual in _OTHER_WORDS:
        same = re.sub(rf"\b{other}\b", usual, word.casefold())
        if same != word.casefold() and same in names:
            return same
    return None


def _known(word: str, names: Sequence[str], feature: str) -> str:
    """Return the name that a word means."""
    found = _match(word.strip(), names)
    if found is None:
        raise ValueError(f"{feature!r} has no {word.strip()!r}{nearest(word.strip(), names)}")
    return found
