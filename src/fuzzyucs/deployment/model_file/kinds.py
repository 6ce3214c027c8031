"""The estimators that a model file can hold, and the parts that each consists of.

What an estimator learns needs a part here; attributes without one are refused when saving.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from fuzzyucs.deployment.model_file.columns import COLUMNS
from fuzzyucs.deployment.model_file.expert_report import EXPERT_REPORT
from fuzzyucs.deployment.model_file.forms import forms
from fuzzyucs.deployment.model_file.intervals import IntervalFormat
from fuzzyucs.deployment.model_file.learner import LEARNER, RANGE_CHANGES
from fuzzyucs.deployment.model_file.linguistic import LinguisticFormat
from fuzzyucs.deployment.model_file.part import Json, Part
from fuzzyucs.deployment.model_file.rules import (
    EvolvedFormat,
    FusedFormat,
    ProfiledFormat,
    WeightedFormat,
    rule_set,
    weighted_rule_set,
)
from fuzzyucs.deployment.model_file.scalars import (
    INFORMATIVE_GAPS,
    PATH,
    PENALTY,
    TEMPERING,
)
from fuzzyucs.deployment.model_file.support import SUPPORT
from fuzzyucs.deployment.model_file.table_form import TABLE_FORM
from fuzzyucs.deployment.model_file.views import ViewsFormat
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.evidential import EvidentialRuleClassifier
from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
from fuzzyucs.estimators.ucs import UCSClassifier

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True)
class Kind:
    """An estimator that a file can hold.

    Parameters
    ----------
    estimator : type
        The class.
    required : dict of str to Part
        Parts that a file must have, by key.
    optional : dict of str to Part
        Parts that it may have.
    older : dict of str to tuple
        Values of parameters that no fit takes any more, but models of the first form may have.
    """

    estimator: type[RuleClassifier]
    required: Mapping[str, Part]
    optional: Mapping[str, Part] = field(default_factory=dict)
    older: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, Part]:
        """All parts, in the order of reading."""
        return {**self.required, **self.optional}

    def write(self, clf: Any, keys: Collection[str] | None = None) -> dict[str, Json]:
        """Write the parts that a fitted classifier has, or some of them."""
        return {
            key: part.write(clf)
            for key, part in self.parts.items()
            if hasattr(clf, part.attributes[0]) and (keys is None or key in keys)
        }


_LINGUISTIC, _INTERVALS = LinguisticFormat(), IntervalFormat()

KINDS = {
    "FuzzyUCSClassifier": Kind(
        FuzzyUCSClassifier,
        required={
            "columns": COLUMNS,
            "rule_set": rule_set(EvolvedFormat(_LINGUISTIC)),
            "learner": LEARNER,
        },
        optional={
            "weighted_rule_set": weighted_rule_set(WeightedFormat(_LINGUISTIC)),
            "tempering": TEMPERING,
            "range_changes": RANGE_CHANGES,
            "support": SUPPORT,
            "table_form": TABLE_FORM,
        },
    ),
    "UCSClassifier": Kind(
        UCSClassifier,
        required={
            "columns": COLUMNS,
            "rule_set": rule_set(EvolvedFormat(_INTERVALS)),
            "learner": LEARNER,
        },
        optional={
            "range_changes": RANGE_CHANGES,
            "support": SUPPORT,
            "table_form": TABLE_FORM,
        },
    ),
    "EvidentialRuleClassifier": Kind(
        EvidentialRuleClassifier,
        required={
            "columns": COLUMNS,
            "rule_set": forms(
                {
                    1: WeightedFormat(_LINGUISTIC),
                    2: ProfiledFormat(_LINGUISTIC),
                    3: FusedFormat(ViewsFormat()),
                }
            ),
        },
        optional={
            "penalty": PENALTY,
            "path": PATH,
            "expert_report": EXPERT_REPORT,
            "informative_gaps": INFORMATIVE_GAPS,
            "support": SUPPORT,
            "table_form": TABLE_FORM,
        },
        older={"missing": ("match",)},
    ),
}
