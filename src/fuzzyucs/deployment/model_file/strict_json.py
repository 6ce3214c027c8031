"""Strict reader for untrusted JSON: errors say what is wrong, and where."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["GREATEST", "Node", "parse", "written"]

GREATEST = sys.float_info.max
GREATEST_INTEGER = 2**63
LONGEST = 60  # characters of a wrong value that are shown

Length = int | range | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document and the path to it.

    Every method returns the value in the type that is expected, or raises a ValueError that tells
    the path and the value found.

    Parameters
    ----------
    value : object
        What `parse` made of the text.
    path : str
        Where it is, ``rule_set.rules[3].weights`` for example; empty for the whole document.

    Examples
    --------
    >>> from fuzzyucs.deployment.model_file.strict_json import Node
    >>> Node({"size": [1, 2.5]}, "").fields(["size"])["size"].numbers(2, 0, 3)
    array([1. , 2.5])
    >>> Node([1, -1], "size").numbers(2, 0, 3)
    Traceback (most recent call last):
    ...
    ValueError: size[1] must be a number from 0 to 3, got -1
    """

    value: Any
    path: str

    def refuse(self, expected: str) -> NoReturn:
        """Say what was expected instead of the value."""
        raise ValueError(f"{self.path or 'it'} must be {expected}, got {_shown(self.value)}")

    def fields(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Node]:
        """Return the values of an object, which must have some keys and no unknown ones."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        where = self.path or "it"
        absent = [key for key in required if key not in self.value]
        if absent:
            raise ValueError(f"{where} must have the keys {absent[:10]}")
        unknown = [key for key in self.value if key not in required and key not in optional]
        if unknown:
            raise ValueError(f"{where} has unknown keys: {_shown(unknown)}")
        prefix = f"{self.path}." if self.path else ""
        return {key: Node(value, f"{prefix}{key}") for key, value in self.value.items()}

    def items(self, length: Length = None) -> Iterator[Node]:
        """Return the values of an array one by one, since there may be very many."""
        return (self._at(i, value) for i, value in enumerate(self._list(length)))

    def text(self) -> str:
        """Return a string that can be written again."""
        if not isinstance(self.value, str):
            self.refuse("a string")
        try:
            self.value.encode()
        except UnicodeEncodeError:
            self.refuse("a string without half characters")
        return self.value

    def choice(self, choices: Collection[str]) -> str:
        """Return one of some strings."""
        if not isinstance(self.value, str) or self.value not in choices:
            self.refuse(f"one of {list(choices)}")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def integer(self, least: int, most: int) -> int:
        """Return a whole number of a range."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return int(self.value)

    def word(self, least: int = 0) -> int:
        """Return a number of 64 bits, written as a string because many readers have only 53."""
        value = self.value
        is_number = isinstance(value, str) and value.isascii() and value.isdecimal()
        if not is_number or len(value) > 20 or not least <= int(value) < 2**64:
            self.refuse(f"a string with a whole number from {least} to 2^64 - 1")
        return int(value)

    def number(self, least: float = -GREATEST, most: float = GREATEST) -> float:
        """Return a number of a range."""
        return float(_array([self.value], lambda _: self, least, most)[0])

    def scalar(self) -> str | bool | int | float:
        """Return a string, a number, true or false."""
        if isinstance(self.value, str):
            return self.text()
        if isinstance(self.value, bool):
            return self.value
        if isinstance(self.value, int):
            return self.integer(-GREATEST_INTEGER, GREATEST_INTEGER)
        if not isinstance(self.value, float):
            self.refuse("a number, a string, true or false")
        return self.number()

    def numbers(
        self, length: Length, least: float = -GREATEST, most: float = GREATEST
    ) -> NDArray[np.float64]:
        """Return numbers of a range."""
        values = self._list(length)
        return _array(values, lambda i: self._at(i, values[i]), least, most)

    def pairs(self, length: int, least: float, most: float) -> NDArray[np.float64]:
        """Return pairs of numbers of a range."""
        values = self._list(length)
        for i, pair in enumerate(values):
            if not isinstance(pair, list) or len(pair) != 2:
                self._at(i, pair).refuse("an array of 2 numbers")
        flat = list(chain.from_iterable(values))
        array = _array(flat, lambda i: self._at(i // 2, values[i // 2]), least, most)
        return array.reshape(length, 2)

    def integers(self, length: int, least: int, most: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return whole numbers of a range."""
        values = self._list(length)
        if not all(type(value) is int and least <= value <= most for value in values):
            for item in self.items():
                item.integer(least, most)
        return np.array(values, dtype=dtype)

    def _list(self, length: Length) -> list[Any]:
        if not isinstance(self.value, list):
            self.refuse("an array")
        if isinstance(length, range) and len(self.value) not in length:
            self.refuse(f"an array of {length[0]} to {length[-1]}")
        if isinstance(length, int) and len(self.value) != length:
            self.refuse(f"an array of {length}")
        return self.value

    def _at(self, i: int, value: Any) -> Node:
        return Node(value, f"{self.path}[{i}]")


def _array(
    values: Sequence[Any], node: Callable[[int], Node], least: float, most: float
) -> NDArray[np.float64]:
    """Make an array of numbers of a range; `node` returns each of them with its path."""
    expected = "a number"
    if least > -GREATEST or most < GREATEST:
        expected += f" from {least:g} to {most:g}"
    for i, value in enumerate(values):
        # Whole numbers are compared before conversion, since some are too large for a double.
        if type(value) not in (int, float) or not least <= value <= most:
            node(i).refuse(expected)
    return np.array(values, dtype=np.float64)


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and not all(isinstance(v, str) for v in value):
        return f"an array of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = json.dumps(value[:10] if isinstance(value, list) else value, ensure_ascii=True)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def parse(text: str) -> Any:
    """Read JSON, strictly: no NaN, no key twice, no nesting that exhausts the stack.

    Parameters
    ----------
    text : str
        The document.

    Returns
    -------
    object
        The document as dicts, lists, strings, numbers, booleans and None.

    Examples
    --------
    >>> from fuzzyucs.deployment.model_file.strict_json import parse
    >>> parse('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the key "a" occurs twice
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"it must be JSON: {error}") from error
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"numbers must be finite, got {name}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {_shown(twice)} occurs twice")
    return found


def written(value: Any, indent: str = "") -> str:
    """Write JSON that is easy to read and compare: a line per key, and per object in an array.

    Parameters
    ----------
    value : object
        What JSON can hold.
    indent : str
        Start of each line but the first.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.deployment.model_file.strict_json import written
    >>> print(written({"size": [1, 2.5], "rules": [{"a": 1}, {"a": 2}]}))
    {
     "size": [1, 2.5],
     "rules": [
      {"a": 1},
      {"a": 2}
     ]
    }
    """
    inner = indent + " "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_compact(key)}: {written(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + _compact(part) for part in value) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
