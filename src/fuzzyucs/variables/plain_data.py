"""Linguistic variables and conditions as JSON has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzzyucs.variables.variables import Variables

if TYPE_CHECKING:
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["condition_as_dict", "feature_as_dict"]


def feature_as_dict(partition: LinguisticPartition, feature: int) -> dict[str, Any]:
    """Return name, range and terms of a feature, borders, and where terms are that are not even."""
    known = Variables.feature_as_dict(partition, feature)
    known["terms"] = list(partition.terms(feature))
    if feature in partition.special:
        variable = partition.special[feature]
        known |= {"peaks": variable.peaks.tolist(), "nominal": variable.is_nominal}
        if variable.has_plateaus:
            known["ends"] = variable.ends.tolist()
        if variable.members is not None:
            known["members"] = [
                [partition.value_name(feature, value) for value in group]
                for group in variable.members
            ]
    if feature in partition.borders:
        known["borders"] = partition.borders[feature].as_dict()
    return known


def condition_as_dict(
    partition: LinguisticPartition, feature: int, condition: int
) -> dict[str, Any]:
    """Return the feature and the terms accepted."""
    return {"feature": feature, "terms": partition.words(feature, condition)}
