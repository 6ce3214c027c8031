"""What may be replied to questions about missing values, for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyucs.questions.replies import askable_features, reply_text, values_of_terms
from fuzzyucs.report.naming import Naming, with_unit

if TYPE_CHECKING:
    from fuzzyucs.rules import RuleSet

__all__ = ["replies_of"]


def replies_of(rules: RuleSet, naming: Naming) -> list[list[list[Any]] | None] | None:
    """Return the possible replies to a question about each feature.

    Parameters
    ----------
    rules : RuleSet
        Rules with class profiles.
    naming : Naming
        The names that the page shows.

    Returns
    -------
    list
        For each feature that may be asked for, the text and the value that stands for each of its
        terms; None for the others. None instead of the list for fused models: the page holds no
        interviews by them, since each source has beliefs of its own.
    """
    partition: Any = rules.variables
    if partition.table_variables is not partition:
        return None
    nothing = np.ones((1, partition.n_features), dtype=bool)
    is_asked = askable_features(partition, np.asarray(rules.asks.any(axis=0)), nothing)[0]
    return [
        _replies(partition, feature, naming.units.get(feature, "")) if is_asked[feature] else None
        for feature in range(partition.n_features)
    ]


def _replies(partition: Any, feature: int, unit: str) -> list[list[Any]]:
    texts = []
    for term in range(int(partition.n_terms[feature])):
        condition = f"value is {reply_text(partition, feature, term)}"
        texts.append(with_unit(condition, unit).removeprefix("value is "))
    values = values_of_terms(partition, feature).tolist()
    return [[text, value] for text, value in zip(texts, values, strict=True)]
