"""Tables as JSON: one object per line, or one array of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.formats import says_model
from fuzzyucs.cli.tables.values import cells_of_values

__all__ = ["is_json", "read_records"]


def is_json(text: str) -> bool:
    """Tell whether a text holds records as JSON, not cells between separators."""
    start = text.lstrip()[:2]
    return start.startswith("{") or (start.startswith("[") and "{" in text.lstrip()[1:200])


def read_records(name: str, text: str) -> tuple[dict[str, NDArray[Any]], NDArray[np.intp] | None]:
    r"""Read records.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    text : str
        What it holds.

    Returns
    -------
    columns : dict of str to ndarray of shape (n_rows,)
        Texts, or floats where all values are numbers. A key that a record lacks is a missing value.
    lines : ndarray of shape (n_rows,) or None
        The line of each record, if each has one.

    Examples
    --------
    >>> from fuzzyucs.cli.tables.json_records import read_records
    >>> read_records("people.jsonl", '{"height": 1.65, "sex": "f"}\n{"height": null}\n')[0]
    {'height': array([1.65,  nan]), 'sex': array(['f', ''], dtype=object)}
    """
    found = list(_records(name, text))
    if not found:
        raise ValueError(f"{name} has no records")
    names = list(dict.fromkeys(key for _, record in found for key in record))
    if not all(key.strip() for key in names):
        raise ValueError(f"{name}: a record has a value without a name")

    def refused(row: int, value: Any, key: str) -> ValueError:
        return ValueError(
            f"{name}: {key!r} of record {row + 1} must be a number or text, got "
            f"{type(value).__name__}"
        )

    columns = {
        key.strip(): cells_of_values(
            [record.get(key) for _, record in found], partial(refused, key=key)
        )
        for key in names
    }
    if len(columns) < len(names):
        raise ValueError(f"{name}: names of values must differ in more than spaces")
    has_lines = not text.lstrip().startswith("[")
    lines = np.array([place for place, _ in found], dtype=np.intp) if has_lines else None
    return columns, lines


def _records(name: str, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records with their lines, or their numbers in an array."""
    if text.lstrip().startswith("["):
        records = _parsed(name, "", text)
        for number, record in enumerate(records, 1):
            yield number, _checked(name, f"record {number}", record)
        return
    _refuse_model(name, text)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = f"line {number}"
            yield number, _checked(name, place, _parsed(name, place, line))


def _parsed(name: str, place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        where = f"{name}, {place}" if place else name
        raise ValueError(f"{where}: expected JSON, one object per line: {problem}") from None


def _checked(name: str, place: str, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise ValueError(
            f'{name}, {place}: expected an object such as {{"height": 1.65}}, got '
            f"{type(record).__name__}"
        )
    return record


def _refuse_model(name: str, text: str) -> None:
    """Notice that a model was given in place of a table."""
    if says_model(text):
        raise ValueError(
            f"{name} is a model, not a table; a command that takes both has the model first: "
            "MODEL DATA"
        )
