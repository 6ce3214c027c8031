"""FusedRuleSet: rules of several models, each of which knows where it was learned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import counted
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.views import ViewedPartition

__all__ = ["FusedRuleSet", "Source"]


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A model that others were fused with, and the data that it was learned from.

    Attributes
    ----------
    name : str
        What texts call it.
    class_rows : ndarray of shape (n_classes,)
        Number of rows of each class in its training data.
    reliability : float
        How far it is relied on, from 0 to 1.
    weight : float
        How many times its evidence counts.
    """

    name: str
    class_rows: NDArray[np.int64]
    reliability: float = 1.0
    weight: float = 1.0

    def __repr__(self) -> str:
        return f"<Source: {self}>"

    @property
    def n_rows(self) -> int:
        """Number of rows in its training data."""
        return int(self.class_rows.sum())

    def __str__(self) -> str:
        records = counted(self.n_rows, "record", "records")
        return f"{self.name} ({records}, evidence counted {self.weight:.2f} times)"


@dataclass(frozen=True, eq=False, repr=False)
class FusedRuleSet(ProfiledRuleSet):
    """Rules of several models, each of which knows where it was learned.

    Parameters
    ----------
    variables, classes, conditions, weights, class_experience, experience, fitness, numerosity, \
consequent, profile, neutral, evidence, applies, base_rates, class_rows, answer_threshold
        As in `ProfiledRuleSet`. Profiles are those of the models, as often as their evidence
        counts; experience and the rows that a rule applies to are those of its own sources. No
        rule is an expert's, and they keep to no constraints.
    sources : tuple of Source
        The models.
    origin : ndarray of bool of shape (n_rules, n_sources)
        Which sources each rule is from.
    is_recounted : bool
        Whether it was counted anew on other data to how many rows rules apply.
    """

    variables: ViewedPartition
    sources: tuple[Source, ...]
    origin: NDArray[np.bool_]
    is_recounted: bool = False

    model_fields: ClassVar[tuple[str, ...]] = (
        *ProfiledRuleSet.model_fields,
        *("sources", "is_recounted"),
    )
    shown: ClassVar[tuple[str, ...]] = ("source", *ProfiledRuleSet.shown)

    def __repr__(self) -> str:
        features = self.variables.table_variables.n_features
        return (
            f"<FusedRuleSet: {len(self)} rules of {len(self.sources)} sources, {features} "
            f"features, {len(self.classes)} classes>"
        )

    def source_names(self, rule: int) -> list[str]:
        """Return the names of the sources of a rule."""
        return [self.sources[s].name for s in np.flatnonzero(self.origin[rule]).tolist()]

    def tag(self, rule: int) -> str:
        """Say where a rule was learned and counted."""
        names = f"[{', '.join(self.source_names(rule))}]"
        return f"{names} on data given later, " if self.is_recounted else f"{names} "

    def rows_behind(self, rule: int) -> NDArray[np.int64]:
        """Return the rows of each class at the sources of a rule."""
        if self.is_recounted:
            return self.class_rows
        rows = np.array([source.class_rows for source in self.sources])
        return np.asarray(rows[self.origin[rule]].sum(axis=0), dtype=np.int64)

    def view_of(self, rule: int, column: int) -> int:
        """Return the view of a column that a rule's condition is on."""
        asked = np.flatnonzero(self.asks[rule] & (self.variables.feature_of_view == column))
        if not len(asked):
            name = self.variables.table_variables.feature_names[column]
            raise ValueError(
                f"conditions: rule {rule} asks nothing of {name!r}; of a rule of a fused model, "
                "conditions can be changed and dropped, not added"
            )
        return int(asked[0])

    def shown_values(self, rule: int) -> list[str]:
        """Return the values of what `shown` names, as text."""
        return [", ".join(self.source_names(rule)), *super().shown_values(rule)]

    @property
    def note(self) -> str:
        """How probable classes are without evidence, and the sources, in words."""
        return f"{super().note}. Sources: {'; '.join(map(str, self.sources))}"

    def rule_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame` between the rule and its weights of all classes."""
        names = [", ".join(self.source_names(rule)) for rule in range(len(self))]
        return {"source": np.array(names, dtype=object)} | super().rule_columns()

    def model_as_dict(self) -> dict[str, Any]:
        """Return what belongs to the model as a whole, besides classes and features."""
        sources = [
            {
                "name": source.name,
                "class_rows": source.class_rows.tolist(),
                "reliability": float(source.reliability),
                "weight": float(source.weight),
            }
            for source in self.sources
        ]
        return super().model_as_dict() | {"sources": sources, "is_recounted": self.is_recounted}

    def rule_as_dict(self, rule: int) -> dict[str, Any]:
        """Return what a rule has learned as JSON has it."""
        return super().rule_as_dict(rule) | {"origin": self.origin[rule].tolist()}

    def with_evidence_on(self, data: LabelledRows) -> Self:
        """Return the rules with their evidence on data, and the rows that they apply to."""
        return replace(super().with_evidence_on(data), is_recounted=True)
