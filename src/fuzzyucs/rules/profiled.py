"""ProfiledRuleSet: rules that speak where they match more or less than neutral."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import percent, shares_text
from fuzzyucs.rules import counted_wording
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.rules.expert_wording import stated_as_dict
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.rules.tables import Style
from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = ["ProfiledRuleSet"]

Array = NDArray[np.float64]
R = TypeVar("R", bound="ProfiledRuleSet")


@dataclass(frozen=True, eq=False, repr=False)
class ProfiledRuleSet(RuleSet):
    """Rules that speak where they match more or less than neutral.

    Rule k adds ``(mu - neutral) * profile`` to the logarithms of the odds of the classes, mu being
    the degree to which it matches: like a diagnostic test, it tells something if it is positive,
    the opposite if it is negative, and nothing if it was not made.

    Parameters
    ----------
    variables, classes, conditions, weights, class_experience, experience, fitness, numerosity, \
consequent
        As in `RuleSet`, except that experience counts the training data once, and that the
        consequent is the class that a rule favours most where it matches.
    profile : ndarray of shape (n_rules, n_classes)
        What each rule says about each class (beta).
    neutral : ndarray of shape (n_rules,)
        Degree at which the rule says nothing (see `fuzzyucs.evidence.profiles.neutral_degrees`),
        and so the degree to which it counts as matched by a record of which nothing is known.
    evidence : ndarray of shape (n_rules,)
        How far the rule shifted the log-odds between the classes that it favours most and least,
        summed over the training data; without any, in one record that it matches.
    applies : ndarray of shape (n_rules, n_classes)
        Number of rows of each class in the training data of which the text of the rule is true.
    base_rates : ndarray of shape (n_classes,)
        How probable classes are without evidence.
    class_rows : ndarray of shape (n_classes,)
        Number of rows of each class in the training data.
    answer_threshold : float
        Least probability of an answer (see `fuzzyucs.evidence.verdict`).
    constraints : Constraints, optional
        What the rules have to keep to.
    reliability, worth : ndarray of shape (n_rules,), optional
        Of rules that experts stated, what they say; NaN of learned ones.
    """

    variables: LinguisticPartition
    profile: Array
    neutral: Array
    evidence: Array
    applies: NDArray[np.int64]
    base_rates: Array
    class_rows: NDArray[np.int64]
    answer_threshold: float
    constraints: Constraints | None = field(default=None, kw_only=True)
    reliability: Array = field(default=None, kw_only=True)  # type: ignore[arg-type]  # filled in below
    worth: Array = field(default=None, kw_only=True)  # type: ignore[arg-type]  # filled in below

    model_fields: ClassVar[tuple[str, ...]] = (
        *("variables", "classes", "base_rates", "class_rows", "answer_threshold", "constraints"),
    )
    style: ClassVar[Style] = "plain"
    shown: ClassVar[tuple[str, ...]] = ("applies to", "share", "overall", "log-odds")
    importance_name: ClassVar[str] = "evidence"

    # Wording
    conclusion = counted_wording.conclusion
    applies_to = counted_wording.applies_to

    @classmethod
    def of(
        cls,
        variables: LinguisticPartition,
        classes: NDArray[Any],
        conditions: NDArray[Any],
        *,
        profile: Array,
        neutral: Array,
        evidence: Array,
        class_experience: Array,
        applies: NDArray[np.int64],
        base_rates: Array,
        class_rows: NDArray[np.int64],
        answer_threshold: float,
        constraints: Constraints | None = None,
        reliability: Array | None = None,
        worth: Array | None = None,
    ) -> Self:
        """Put rules together, those with most evidence first."""
        order = np.argsort(-evidence, kind="stable")
        known = class_experience[order]
        return cls(
            variables,
            classes,
            conditions=conditions[order],
            **_statistics(known),
            numerosity=np.ones(len(order), dtype=np.uint32),
            consequent=_favoured(profile[order], known, class_rows),
            profile=profile[order],
            neutral=neutral[order],
            evidence=evidence[order],
            applies=applies[order],
            base_rates=base_rates,
            class_rows=class_rows,
            answer_threshold=answer_threshold,
            constraints=constraints,
            **({} if reliability is None else {"reliability": reliability[order]}),
            **({} if worth is None else {"worth": worth[order]}),
        )

    def _protect(self) -> None:
        for name in ("reliability", "worth"):
            if getattr(self, name, None) is None:  # also of rules that were pickled without them
                object.__setattr__(self, name, np.full(len(self), np.nan))
        super()._protect()

    @property
    def is_expert(self) -> NDArray[np.bool_]:
        """Which rules experts stated."""
        return ~np.isnan(self.reliability)

    def __repr__(self) -> str:
        return (
            f"<ProfiledRuleSet: {len(self)} rules, {self.variables.n_features} features, "
            f"{len(self.classes)} classes>"
        )

    @property
    def log_odds(self) -> Array:
        """How far each rule shifts the log-odds between the classes it favours most and least."""
        shift: Array = self.profile.max(axis=1) - self.profile.min(axis=1)
        return shift

    @property
    def note(self) -> str:
        """How probable classes are without evidence, in words."""
        return f"Without evidence: {shares_text(list(self.classes), self.base_rates.tolist())}"

    @cached_property
    def _inference(self) -> Any:
        dependence = self.variables.dependence(self.conditions, self.neutral)
        return self.variables.rule_degrees(self.conditions, dependence)

    def with_base_rates(self, base_rates: Array) -> Self:
        """Return the rules with other base rates."""
        return replace(self, base_rates=base_rates)

    @cached_property
    def is_against(self) -> NDArray[np.bool_]:
        """Whether each rule speaks against a class and for none, of more than two."""
        is_against: NDArray[np.bool_] = self.profile.max(axis=1) <= 0
        return is_against & (len(self.classes) > 2)

    @cached_property
    def named_class(self) -> NDArray[np.uint32]:
        """Index of the class that each rule speaks for, or else against, most."""
        least = self.profile.argmin(axis=1).astype(np.uint32)
        return np.where(self.is_against, least, self.consequent)

    def are_borne_out(self, applies: Array, class_rows: Array) -> NDArray[np.bool_]:
        """Tell whether the class that a rule names is more frequent where it applies than overall.

        Of a rule against a class, less frequent. Rules speak by degrees, their texts apply or do
        not; so it may happen that a text tells the opposite of what the rule says.

        Parameters
        ----------
        applies : ndarray of shape (n_rules, n_classes)
            Rows of each class that the texts apply to, as `applies` or weighted.
        class_rows : ndarray of shape (n_classes,)
            Rows of each class, as `class_rows` or weighted.

        Returns
        -------
        ndarray of shape (n_rules,)
        """
        named = self.named_class
        total = applies.sum(axis=1)
        share = applies[np.arange(len(self)), named] / np.where(total > 0, total, 1.0)
        excess = share - class_rows[named] / class_rows.sum()
        return np.asarray(np.where(self.is_against, -excess, excess) > 0)

    def full_conclusion(self, rule: int) -> str:
        """Say the same in the text of a rule."""
        return self.conclusion(rule)

    def rows_behind(self, rule: int) -> NDArray[np.int64]:  # noqa: ARG002  # for rules of sources
        """Return the rows of each class among which it was counted to how many a rule applies."""
        return self.class_rows

    def tag(self, rule: int) -> str:  # noqa: ARG002  # for rules of sources
        """Say where a rule was learned and counted, if there are several such places."""
        return ""

    def shown_values(self, rule: int) -> list[str]:
        """Return the values of what `shown` names, as text."""
        own, applies = int(self.named_class[rule]), self.applies[rule].sum()
        share = percent(self.applies[rule, own] / applies) if applies else ""
        rows = self.rows_behind(rule)
        overall = percent(rows[own] / rows.sum()) if rows.any() else ""
        return [f"{applies:,}", share, overall, f"{self.log_odds[rule]:.2f}"]

    def rule_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame` between the rule and its weights of all classes."""
        columns: dict[str, NDArray[Any]] = {
            "evidence": self.evidence,
            "log-odds": self.log_odds,
            "applies to": self.applies.sum(axis=1),
            "neutral": self.neutral,
        }
        if self.is_expert.any():
            columns |= {"expert's reliability": self.reliability, "worth": self.worth}
        for i, label in enumerate(self.classes):
            columns[f"profile of {label}"] = self.profile[:, i]
        return columns | super().rule_columns()

    def model_as_dict(self) -> dict[str, Any]:
        """Return what belongs to the model as a whole, besides classes and features."""
        found: dict[str, Any] = {
            "base_rates": self.base_rates.tolist(),
            "class_rows": self.class_rows.tolist(),
            "answer_threshold": self.answer_threshold,
        }
        if self.constraints is not None:
            found["constraints"] = self.constraints.as_dict()
        return found

    @property
    def moderates(self) -> bool:
        """Whether missing values make evidence count less than once.

        They do not where features have a direction: how much other values leave open depends on
        these features, too, and answers would not follow them any more.
        """
        return self.constraints is None or not self.constraints.is_monotonic

    def rule_as_dict(self, rule: int) -> dict[str, Any]:
        """Return what a rule has learned as JSON has it."""
        more = {
            "profile": self.profile[rule].tolist(),
            "neutral": float(self.neutral[rule]),
            "evidence": float(self.evidence[rule]),
            "applies": self.applies[rule].tolist(),
        }
        return super().rule_as_dict(rule) | more | stated_as_dict(self, rule)

    def rule_importance(self) -> Array:
        """Return the evidence of each rule on the training data."""
        return self.evidence

    def by_importance(self) -> Self:
        """Return the rules as they are: those with most evidence come first."""
        return self

    def carried_evidence(self) -> Array:
        """Return the evidence of each rule on the training data."""
        return self.evidence

    def for_counting(self) -> Self:
        """Return the rules as they are: a missing value counts as it does in decisions."""
        return self

    def with_conditions(self, conditions: NDArray[Any]) -> Self:
        """Return the rules with other conditions, and the degrees that are expected of these."""
        found = replace(self, conditions=conditions, neutral=_expected(self, conditions))
        _warn_of_broken(self, found)
        return found

    def with_class_experience(self, known: Array) -> Self:
        """Return the rules with what follows from other experience with each class."""
        return replace(self, **_statistics(known))

    def class_rows_on(self, data: LabelledRows) -> Array:
        """Return, of each rule, how many rows of each class its text is true of."""
        return data.count_applies(self.variables, self.conditions).astype(np.float64)

    def with_evidence_on(self, data: LabelledRows) -> Self:
        """Return the rules with their evidence on data, and the rows that they apply to."""
        return _with_evidence_on(self, data)


def _warn_of_broken(before: ProfiledRuleSet, after: ProfiledRuleSet) -> None:
    """Warn of constraints that held before rules were edited."""
    if before.constraints is None:
        return
    known = before.constraints.broken(before)
    broken = [text for text in before.constraints.broken(after) if text not in known]
    if broken:
        warnings.warn(f"a constraint does not hold any more: {'; '.join(broken)}", stacklevel=4)


def _with_evidence_on(rules: R, data: LabelledRows) -> R:
    """Return rules with their evidence on data, and the rows that they apply to."""
    evidence = np.zeros(len(rules))
    for own, degrees in data.degrees(rules.freeze(), len(rules)):
        evidence += data.weight[own] @ np.abs(degrees - rules.neutral) * rules.log_odds
    rows_of_class = np.bincount(data.labels, minlength=len(rules.classes))
    return replace(
        rules,
        evidence=evidence,
        applies=data.count_applies(rules.variables, rules.conditions),
        class_rows=rows_of_class,
        consequent=_favoured(rules.profile, rules.class_experience, rows_of_class),
    )


def _expected(rules: ProfiledRuleSet, conditions: NDArray[Any]) -> Array:
    """Return the neutral degrees of rules with other conditions, as they are expected by chance."""
    nothing = np.full((1, rules.variables.n_features), np.nan)
    by_chance = rules.variables.degrees(conditions, nothing)[0]
    is_same = (conditions == rules.conditions).all(axis=1)
    # An expert's rule says nothing where it does not match.
    neutral: Array = np.where(is_same | rules.is_expert, rules.neutral, by_chance)
    return neutral


def _statistics(known: Array) -> dict[str, Any]:
    """Return what follows from the experience of rules with each class."""
    experience = known.sum(axis=1)
    weights = known / np.where(experience > 0, experience, 1.0)[:, np.newaxis]
    return {
        "weights": weights,
        "class_experience": known,
        "experience": experience,
        "fitness": 2 * weights.max(axis=1, initial=0.0) - 1,
    }


def _favoured(profile: Array, known: Array, class_rows: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the class that each rule favours most; of several, the one overrepresented most."""
    lift = known / np.maximum(class_rows, 1)
    is_most = profile >= profile.max(axis=1, keepdims=True)
    best: NDArray[np.uint32] = np.where(is_most, lift, -1.0).argmax(axis=1).astype(np.uint32)
    return best
