"""Grammar: rules in words, as people write them and as `to_text` prints them.

One rule per line::

    IF glucose is high AND age is at least 60 THEN diabetic, reliability 0.8, worth 50 records

Conditions are in the words of terms or in the units of the data (`fuzzyucs.variables.phrases`).
Lines that begin with a space go on with the line before; empty lines and those that begin with #
say nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.rules.tables import one_line
from fuzzyucs.variables.coding import every_terms
from fuzzyucs.variables.phrases import NUMBER, Phrase, nearest, read_phrase, terms_of
from fuzzyucs.variables.times import TimeScale

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = [
    "OPERATOR",
    "RELIABILITY",
    "WORTH",
    "Statement",
    "conditions_of",
    "read_rules",
    "rule_lines",
]

RELIABILITY = 0.8  # of a rule that does not say how reliable it is
LEAST = 1e-9  # reliability and worth, and what is left to be wrong
MOST_WORTH = 10**9
WORTH = 20.0  # records that it counts as if it does not say

_NOTES = ("Without evidence:", "Evidence without rules:")  # lines of `to_text` that are no rules
_WORDS = "is|between|at (?:least|most)|(?:more|less|greater) than|above|below|over|under"
OPERATOR = rf"\s+(?:{_WORDS})\b|\s*[<>=≤≥]"  # what follows the name of a feature


@dataclass(frozen=True)
class Statement:
    """A rule as it was written.

    Attributes
    ----------
    line : int
        Number of the line, from 1 on.
    conditions : tuple of (int, Phrase)
        Features by index, and what is asked of them.
    label : int
        Index of the class.
    is_against : bool
        Whether the rule speaks against the class.
    reliability, worth : float
        How sure the rule is of it, and how many records that counts as.
    """

    line: int
    conditions: tuple[tuple[int, Phrase], ...]
    label: int
    is_against: bool
    reliability: float
    worth: float


def rule_lines(rules: str | os.PathLike[str] | Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines of rules with their numbers.

    Parameters
    ----------
    rules : str, path or iterable of str
        The rules themselves, as one text or a sequence of lines, or the path of a file. A text of
        one line without IF and THEN is taken for a path.

    Returns
    -------
    list of (int, str)
    """
    if isinstance(rules, str | os.PathLike):
        is_text = isinstance(rules, str) and ("\n" in rules or re.search(r"(?i)\bthen\b", rules))
        text = str(rules) if is_text else _file_text(Path(rules))
        lines = text.splitlines()
    elif isinstance(rules, Iterable) and not isinstance(rules, Mapping | bytes):
        lines = [*rules]
        for line in lines:
            if not isinstance(line, str):
                raise TypeError(f"rules must be texts, got one of type {type(line).__name__}")
    else:
        raise TypeError(
            f"rules must be a text, a path or a sequence of texts, got {type(rules).__name__}"
        )
    found: list[tuple[int, str]] = []
    is_note = False
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        is_more = line[0].isspace() and not re.match(r"(?i)if\b", stripped)
        is_note = stripped.startswith(_NOTES) or (is_note and is_more)
        if is_note:
            continue
        if is_more and found:
            found[-1] = found[-1][0], f"{found[-1][1]} {stripped}"
        else:
            found.append((number, stripped))
    if not found:
        raise ValueError("rules must hold at least one rule, IF ... THEN ..., got none")
    return found


def _file_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be text in UTF-8: {error.reason}") from error
    except FileNotFoundError:
        raise FileNotFoundError(
            f"rules must be IF ... THEN ... or the path of a file, and there is no {str(path)!r}"
        ) from None


def read_rules(
    lines: Sequence[tuple[int, str]],
    feature_names: Sequence[str],
    classes: Sequence[Any] | NDArray[Any],
    times: Mapping[int, TimeScale] | None = None,
) -> list[Statement]:
    """Read rules in words.

    Parameters
    ----------
    lines : sequence of (int, str)
        Lines with their numbers, as of `rule_lines`.
    feature_names : sequence of str
        Names of the features.
    classes : sequence
        Class labels.
    times : mapping of int to TimeScale, optional
        Features that hold dates or durations.

    Returns
    -------
    list of Statement

    Raises
    ------
    ValueError
        Names the line, the word that is wrong, and the nearest that is known.

    Examples
    --------
    >>> from fuzzyucs.rules.grammar import read_rules, rule_lines
    >>> text = "IF glucose >= 140 AND age is between 40 and 60 THEN ill, reliability 0.9"
    >>> [rule] = read_rules(rule_lines(text), ["age", "glucose"], ["ill", "well"])
    >>> [(feature, phrase.text) for feature, phrase in rule.conditions]
    [(1, '>= 140'), (0, 'between 40 and 60')]
    >>> rule.label, rule.reliability, rule.worth
    (0, 0.9, 20.0)
    """
    reader = _Reader(
        [one_line(name) for name in feature_names],
        [one_line(str(label)) for label in classes],
        times or {},
    )
    found = []
    for line, text in lines:
        try:
            found.append(reader.rule(line, text))
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None
    return found


def conditions_of(
    statements: Sequence[Statement], variables: LinguisticPartition
) -> NDArray[np.uint64]:
    """Express rules by the terms that there are.

    Parameters
    ----------
    statements : sequence of Statement
        Rules that ask for these terms or for numbers between them.
    variables : LinguisticPartition
        The features.

    Returns
    -------
    ndarray of shape (n_rules, n_features)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.rules.grammar import conditions_of, read_rules, rule_lines
    >>> iris = load_iris(as_frame=True)
    >>> rules = EvidentialRuleClassifier().fit(iris.data, iris.target).rules_
    >>> lines = rule_lines(rules.to_text())
    >>> found = read_rules(lines, rules.variables.feature_names, rules.classes)
    >>> bool((conditions_of(found, rules.variables) == rules.conditions).all())
    True
    """
    every = every_terms(variables.n_terms)
    found = np.tile(every, (len(statements), 1))
    for rule, statement in enumerate(statements):
        for feature, phrase in statement.conditions:
            try:
                terms = terms_of(variables, feature, phrase)
            except ValueError as error:
                raise ValueError(f"line {statement.line}: {error}") from None
            found[rule, feature] = terms
    return found


class _Reader:
    """Reads rules about some features and classes."""

    def __init__(
        self, features: list[str], classes: list[str], times: Mapping[int, TimeScale]
    ) -> None:
        self.features, self.classes, self.times = features, classes, times
        # The longest first: "age at onset" before "age".
        self.by_length = sorted(range(len(features)), key=lambda f: -len(features[f]))

    def rule(self, line: int, text: str) -> Statement:
        begins = re.match(r"(?i)if\b\s*", text)
        if not begins:
            raise ValueError(f"a rule must begin with IF, got {_start(text)!r}")
        thens = list(re.finditer(r"(?i)\s+then\s+", text))
        if not thens:
            raise ValueError(f"a rule must have THEN and a class, got {_start(text)!r}")
        # A name may contain "then": the last after which a class follows.
        problem: ValueError | None = None
        for then in reversed(thens):
            try:
                conclusion = self._conclusion(text[then.end() :].strip())
            except ValueError as error:
                problem = problem or error
                continue
            conditions = self._conditions(text[begins.end() : then.start()].strip())
            return Statement(line, conditions, *conclusion)
        assert problem is not None
        raise problem

    def _conclusion(self, text: str) -> tuple[int, bool, float, float]:
        label, is_against, rest = self._label(text)
        # What texts of rules say in brackets is about the data that they were learned from.
        rest = re.sub(r"\s*\(.*\)$", "", rest)
        said = {"reliability": RELIABILITY, "worth": WORTH}
        known: set[str] = set()
        for part in filter(None, (p.strip() for p in re.split(r"[,;]", rest))):
            word, _, value = part.partition(" ")
            name = word.lower().rstrip(":=")
            if name not in said:
                raise ValueError(
                    f"after the class there may be a reliability and a worth, got {part!r}"
                    f"{nearest(word, list(said))}"
                )
            if name in known:
                raise ValueError(f"{name} is there twice")
            known.add(name)
            said[name] = _number(name, value.strip().lstrip("=:").strip())
        if not LEAST <= said["reliability"] <= 1 - LEAST:
            raise ValueError(
                f"reliability must be above 0 and below 1, got {said['reliability']:g}; a rule "
                "that is never wrong has no place for data"
            )
        if not LEAST <= said["worth"] <= MOST_WORTH:
            raise ValueError(
                f"worth must be a number of records above 0, at most {MOST_WORTH:,}, got "
                f"{said['worth']:g}"
            )
        return label, is_against, said["reliability"], said["worth"]

    def _label(self, text: str) -> tuple[int, bool, str]:
        """Find the class that a conclusion begins with."""
        for start, is_against in (("", False), ("not ", True)):
            if not text.lower().startswith(start):
                continue
            rest = text[len(start) :]
            fits = [
                i
                for i, label in enumerate(self.classes)
                if rest.casefold().startswith(label.casefold())
                and re.match(r"$|\s*[,;(]", rest[len(label) :])
            ]
            exact = [i for i in fits if rest.startswith(self.classes[i])]
            if fits:
                label = max(exact or fits, key=lambda i: len(self.classes[i]))
                rest = rest[len(self.classes[label]) :]
                if is_against and len(self.classes) == 2:
                    return 1 - label, False, rest
                return label, is_against, rest
        word = re.split(r"[,;(]", re.sub(r"(?i)^not ", "", text))[0].strip()
        raise ValueError(f"there is no class {word!r}{nearest(word, self.classes)}")

    def _conditions(self, text: str) -> tuple[tuple[int, Phrase], ...]:
        if text.lower() == "anything":
            return ()
        if re.search(r"(?i)(?:^|\s)and$", text):
            raise ValueError("there must be a condition after AND")
        found: list[tuple[int, Phrase]] = []
        rest = text
        while rest:
            feature, after = self._feature(rest)
            end, following = self._end(after)
            name, scale = self.features[feature], self.times.get(feature)
            try:
                phrase = read_phrase(after[:end], scale)
            except ValueError as error:
                raise ValueError(f"the condition on {name!r} {error}") from None
            if feature in [f for f, _ in found]:
                raise ValueError(
                    f"there are two conditions on {name!r}; make them one, such as 'between 40 "
                    "and 60'"
                )
            found.append((feature, phrase))
            rest = following
        if not found:
            raise ValueError("there must be a condition between IF and THEN")
        return tuple(found)

    def _starting(self, text: str) -> int | None:
        """Return the feature whose name and an operator a text begins with."""
        for feature in self.by_length:
            name = self.features[feature]
            for is_same in (text.startswith(name), text.casefold().startswith(name.casefold())):
                if is_same and re.match(OPERATOR, text[len(name) :]):
                    return feature
        return None

    def _feature(self, text: str) -> tuple[int, str]:
        feature = self._starting(text)
        if feature is not None:
            return feature, text[len(self.features[feature]) :].strip()
        before = re.split(rf"{OPERATOR}| AND ", text)
        word = before[0].strip()
        if word in self.features:
            raise ValueError(
                f"after {word!r} there must be 'is' and a word, or a number such as '>= 5', got "
                f"{_start(text[len(word) :].strip())!r}"
            )
        raise ValueError(f"there is no feature {word!r}{nearest(word, self.features)}")

    def _end(self, text: str) -> tuple[int, str]:
        """Return where a condition ends, and what follows it."""
        capital = None
        for match in re.finditer(r"\s+and\s+", text, re.IGNORECASE):
            following = text[match.end() :]
            if self._starting(following) is not None:
                return match.start(), following
            if capital is None and match[0].strip() == "AND":
                capital = match
        if capital is not None and not re.match(rf"{NUMBER}\b", text[capital.end() :]):
            self._feature(text[capital.end() :])  # what follows AND has to be a condition
        return len(text), ""


def _number(name: str, text: str) -> float:
    """Read a reliability, perhaps in per cent, or a number of records."""
    pattern = rf"({NUMBER})\s*(%)?" if name == "reliability" else rf"({NUMBER})\s*()(?:records?)?"
    match = re.fullmatch(pattern, text, re.IGNORECASE)
    if match is None:
        example = "0.8 or 80 %" if name == "reliability" else "50 records"
        raise ValueError(f"{name} must be a number such as {example}, got {text!r}")
    return float(match[1]) / (100 if match[2] else 1)


def _start(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
