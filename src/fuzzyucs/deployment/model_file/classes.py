"""Class labels in a model file."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node

__all__ = ["read_classes", "written_classes"]

INTEGERS = [f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64)]
FRACTIONS = ["float16", "float32", "float64"]
TYPES = ["bool", *INTEGERS, *FRACTIONS, "str", "object"]


def written_classes(classes: NDArray[Any]) -> Json:
    """Return class labels and their type as JSON has them."""
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in TYPES:
        raise ValueError(
            f"a model file holds labels that are numbers, true and false, or strings; these are "
            f"of type {classes.dtype}"
        )
    return {"dtype": name, "labels": classes.tolist()}


def read_classes(node: Node, most: int) -> NDArray[Any]:
    """Read class labels, at most so many."""
    fields = node.fields(["dtype", "labels"])
    name = fields["dtype"].choice(TYPES)
    items = fields["labels"].items(range(2, most + 1))
    labels = [_read_label(item, name) for item in items]
    # NumPy cuts off zero characters at the end of strings, and short floats lose digits.
    with np.errstate(over="ignore"):
        classes = np.array(labels, dtype=name)
    if classes.tolist() != labels:
        fields["labels"].refuse(f"an array of labels that fit into {name}")
    if not all(a < b for a, b in pairwise(labels)):
        fields["labels"].refuse("an array of different labels in ascending order")
    return classes


def _read_label(node: Node, name: str) -> Any:
    if name in ("str", "object"):
        return node.text()
    if name == "bool":
        return node.flag()
    if name in INTEGERS:
        limits = np.iinfo(name)
        return node.integer(int(limits.min), int(limits.max))
    return node.number()
