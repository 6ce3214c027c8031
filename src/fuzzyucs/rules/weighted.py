"""WeightedRuleSet: rules whose evidence counts as often as it was found to help."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.evidence.weighting import EvidenceWeights, softmax
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.rule_set import RuleSet
from fuzzyucs.rules.tables import Style
from fuzzyucs.variables.variables import Variables

__all__ = ["WeightedRuleSet"]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedRuleSet(RuleSet):
    """Rules whose evidence counts as often as it was found to help.

    Rule k multiplies the plausibility of class i by ``(1 - mu + mu * (v_i + t)) ** strength``,
    mu being its degree, v its weights and t its ignorance: the share of `doubt` in its experience,
    ``doubt / (experience + doubt)``.

    Parameters
    ----------
    variables, classes, conditions, weights, class_experience, experience, fitness, numerosity, \
consequent
        As in `RuleSet`, except that experience counts the training data once, and that the weights
        of a rule leave something to "I don't know".
    strength : ndarray of shape (n_rules,)
        How many times the evidence of each rule counts (w).
    evidence : ndarray of shape (n_rules,)
        What the rule contributed on the training data: the sum over the rows of its strength times
        the logarithm of how much it shifts the odds of the class it favours most against the class
        it favours least.
    prior : ndarray of shape (n_classes,)
        Logarithms of what classes are worth before any evidence (b).
    doubt : float
        Experience that every rule grants to "I don't know" (s).
    """

    strength: NDArray[np.float64]
    evidence: NDArray[np.float64]
    prior: NDArray[np.float64]
    doubt: float

    model_fields: ClassVar[tuple[str, ...]] = ("variables", "classes", "prior", "doubt")
    style: ClassVar[Style] = "plain"
    shown: ClassVar[tuple[str, ...]] = ("share", "experience", "strength")
    importance_name: ClassVar[str] = "evidence"

    @classmethod
    def of(
        cls,
        variables: Variables,
        classes: NDArray[Any],
        conditions: NDArray[Any],
        *,
        strength: NDArray[np.float64],
        evidence: NDArray[np.float64],
        class_experience: NDArray[np.float64],
        prior: NDArray[np.float64],
        doubt: float,
    ) -> Self:
        """Put rules together, those with most evidence first."""
        order = np.argsort(-evidence, kind="stable")
        known = class_experience[order]
        return cls(
            variables,
            classes,
            conditions=conditions[order],
            **_statistics(known, doubt),
            numerosity=np.ones(len(order), dtype=np.uint32),
            consequent=known.argmax(axis=1).astype(np.uint32),
            strength=strength[order],
            evidence=evidence[order],
            prior=prior,
            doubt=doubt,
        )

    def __repr__(self) -> str:
        return (
            f"<WeightedRuleSet: {len(self)} rules, {self.variables.n_features} features, "
            f"{len(self.classes)} classes>"
        )

    @property
    def evidence_strength(self) -> NDArray[np.float64]:
        """How many times the evidence of each rule counts."""
        return self.strength

    @property
    def rule_ignorance(self) -> NDArray[np.float64]:
        """Mass that each rule leaves on "I don't know" where it matches fully."""
        ignorance: NDArray[np.float64] = self.doubt / (self.experience + self.doubt)
        return ignorance

    @property
    def shares(self) -> NDArray[np.float64]:
        """How probable classes are before any evidence."""
        shares: NDArray[np.float64] = softmax(self.prior[np.newaxis])[0]
        return shares

    @property
    def note(self) -> str:
        """How probable classes are without evidence, in words."""
        shares = ", ".join(
            f"{label} {share:.2f}" for label, share in zip(self.classes, self.shares, strict=True)
        )
        return f"Without evidence: {shares}"

    def conclusion(self, rule: int) -> str:
        """Say what a rule concludes, and from how much."""
        share, experience, strength = self.shown_values(rule)
        return f"{self.label(rule)} (share {share} of {experience}, evidence {strength} times)"

    def full_conclusion(self, rule: int) -> str:
        """Say the same in the text of a rule."""
        return self.conclusion(rule)

    def shown_values(self, rule: int) -> list[str]:
        """Return the values of what `shown` names, as text."""
        known = self.class_experience[rule, self.consequent[rule]]
        share = known / self.experience[rule] if self.experience[rule] > 0 else 0.0
        return [f"{share:.2f}", f"{self.experience[rule]:.1f}", f"{self.strength[rule]:.2f}"]

    def rule_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame` between the rule and its weights of all classes."""
        return {"evidence": self.evidence, "strength": self.strength} | super().rule_columns()

    def model_as_dict(self) -> dict[str, Any]:
        """Return what belongs to the model as a whole, besides classes and features."""
        return {"prior": self.prior.tolist(), "doubt": self.doubt}

    def rule_as_dict(self, rule: int) -> dict[str, Any]:
        """Return what a rule has learned as JSON has it."""
        more = {"strength": float(self.strength[rule]), "evidence": float(self.evidence[rule])}
        return super().rule_as_dict(rule) | more

    def rule_importance(self) -> NDArray[np.float64]:
        """Return the evidence of each rule on the training data."""
        return self.evidence

    def by_importance(self) -> Self:
        """Return the rules as they are: those with most evidence come first."""
        return self

    def carried_evidence(self) -> NDArray[np.float64]:
        """Return the evidence of each rule on the training data."""
        return self.evidence

    def with_class_experience(self, known: NDArray[np.float64]) -> Self:
        """Return the rules with what follows from other experience with each class."""
        statistics: dict[str, Any] = _statistics(known, self.doubt)
        consequent = np.where(known.sum(axis=1) > 0, known.argmax(axis=1), self.consequent)
        return replace(self, **statistics, consequent=consequent.astype(np.uint32))

    def with_evidence_on(self, data: LabelledRows) -> Self:
        """Return the rules with their evidence on data."""
        found = EvidenceWeights(
            self.strength, self.prior, self.class_experience, self.doubt, np.nan, converged=True
        )
        evidence = np.zeros(len(self))
        for rows, degrees in data.degrees(self.without_beliefs().freeze(), len(self)):
            evidence += found.evidence(degrees, data.weight[rows])
        return replace(self, evidence=evidence)


def _statistics(known: NDArray[np.float64], doubt: float) -> dict[str, NDArray[np.float64]]:
    """Return what follows from the experience of weighted rules with each class."""
    experience = known.sum(axis=1)
    weights = known / (experience + doubt)[:, np.newaxis]
    return {
        "weights": weights,
        "class_experience": known,
        "experience": experience,
        "fitness": 2 * weights.max(axis=1, initial=0.0) - 1,
    }
