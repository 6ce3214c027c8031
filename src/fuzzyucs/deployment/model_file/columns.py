"""Columns with categories in a model file."""

from __future__ import annotations

from typing import Any

from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.frames import Categories, Columns

__all__ = ["COLUMNS", "MOST_LABELS"]

MOST_LABELS = 1_000_000


def _write(clf: Any) -> Json:
    return [
        {
            "feature": int(feature),
            "labels": _plain_labels(categories.labels),
            "is_ordered": categories.is_ordered,
        }
        for feature, categories in sorted(clf.columns_.categories.items())
    ]


def _plain_labels(labels: tuple[Any, ...]) -> list[Json]:
    for label in labels:
        if not isinstance(label, str | bool | int | float):
            raise ValueError(
                "a model file holds categories that are strings, numbers, or true and false; these "
                f"are of type {type(label).__name__}"
            )
    return list(labels)


def _read(node: Node, clf: Any) -> Attributes:
    found: dict[int, Categories] = {}
    for item in node.items():
        fields = item.fields(["feature", "labels", "is_ordered"])
        feature = fields["feature"].integer(0, clf.n_features_in_ - 1)
        if feature <= next(reversed(found), -1):
            fields["feature"].refuse("more than the one before it")
        items = fields["labels"].items(range(1, MOST_LABELS + 1))
        known = Categories(tuple(i.scalar() for i in items), fields["is_ordered"].flag())
        if min(len(set(known.labels)), len(set(known.terms))) < len(known.labels):
            fields["labels"].refuse("an array of different labels")
        found[feature] = known
    return {"columns_": Columns(found)}


COLUMNS = Part(("columns_",), _write, _read)
