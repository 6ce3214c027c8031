"""Columns with categories, dates and durations in a model file."""

from __future__ import annotations

from typing import Any

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.part import Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.frames import Categories, Columns
from fuzzyucs.variables.times import KINDS, SIZES, TimeScale, time_zone

__all__ = ["COLUMNS", "MOST_LABELS"]

MOST_LABELS = 1_000_000


def _write(clf: Any) -> Json:
    columns: Columns = clf.columns_
    found: list[dict[str, Json]] = [
        {
            "feature": int(feature),
            "labels": _plain_labels(feature_names(clf)[feature], categories.labels),
            "is_ordered": categories.is_ordered,
        }
        for feature, categories in columns.categories.items()
    ]
    found += [{"feature": int(f), "time": scale.as_dict()} for f, scale in columns.times.items()]
    return sorted(found, key=lambda column: column["feature"])


def _plain_labels(name: str, labels: tuple[Any, ...]) -> list[Json]:
    for label in labels:
        if not isinstance(label, str | bool | int | float):
            raise ValueError(
                "a model file holds categories that are strings, numbers, or true and false; those "
                f"of column {name!r} are of type {type(label).__name__}"
            )
    return list(labels)


def _read(node: Node, clf: Any) -> Attributes:
    found: dict[int, Categories] = {}
    times: dict[int, TimeScale] = {}
    for item in node.items():
        is_time = isinstance(item.value, dict) and "time" in item.value
        fields = item.fields(["feature", *(["time"] if is_time else ["labels", "is_ordered"])])
        feature = fields["feature"].integer(0, clf.n_features_in_ - 1)
        if feature <= max([*found, *times], default=-1):
            fields["feature"].refuse("more than the one before it")
        if is_time:
            times[feature] = _read_time(fields["time"])
            continue
        items = fields["labels"].items(range(1, MOST_LABELS + 1))
        known = Categories(tuple(i.scalar() for i in items), fields["is_ordered"].flag())
        if min(len(set(known.labels)), len(set(known.terms))) < len(known.labels):
            fields["labels"].refuse("an array of different labels")
        found[feature] = known
    return {"columns_": Columns(found, times)}


def _read_time(node: Node) -> TimeScale:
    fields = node.fields(["kind", "unit", "zone"])
    kind, unit = fields["kind"].text(), fields["unit"].text()
    if kind not in KINDS:
        fields["kind"].refuse(f"one of {', '.join(KINDS)}")
    if unit not in SIZES:
        fields["unit"].refuse(f"one of {', '.join(SIZES)}")
    if fields["zone"].value is None:
        return TimeScale(kind, unit)
    zone = fields["zone"].text()
    if kind != "date":
        fields["zone"].refuse("null, since durations have no time zone")
    try:
        time_zone(zone)
    except ValueError:
        fields["zone"].refuse("a time zone that this machine knows")
    return TimeScale(kind, unit, zone)


COLUMNS = Part(("columns_",), _write, _read)
