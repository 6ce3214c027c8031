"""RuleSet: fitted rules as arrays, and as text that people can read."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.weighting import EvidenceWeights, softmax
from fuzzyucs.rules.editing import EditableRules
from fuzzyucs.rules.quality import LabelledRows, MeasuredRules
from fuzzyucs.rules.tables import Style, Tabular, TextTable, one_line
from fuzzyucs.variables.variables import Variables

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvolvedRuleSet", "RuleSet", "WeightedRuleSet"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleSet(EditableRules, MeasuredRules, Tabular):
    """Rules with what they have learned, one entry per (macro-)rule.

    Linguistic rules and rules on intervals are used alike; they differ in their variables and in
    what the array of conditions holds. Indexing with a slice, a mask or integers gives another
    RuleSet. No method changes the rules; those that edit return others.

    Parameters
    ----------
    variables : LinguisticPartition or IntervalVariables
        The features that the conditions speak of.
    classes : ndarray of shape (n_classes,)
        Class labels.
    conditions : ndarray of shape (n_rules, n_features) or (n_rules, n_features, 2)
        Condition of each rule. Linguistic: bit t is set if term t of the feature is accepted.
        Intervals: two bounds in any order, in [0, 1] over the range of the feature.
    weights : ndarray of shape (n_rules, n_classes)
        Soundness with which a rule predicts each class (v in the article): the share of the class
        in what the rule has matched. A rule that has matched nothing has the weights of its parent;
        one of UCS, whose class may differ from its parent's, has equal weights.
    class_experience : ndarray of shape (n_rules, n_classes)
        Experience with each class (cm).
    experience : ndarray of shape (n_rules,)
        Sum of the degrees to which training data matched (exp).
    fitness : ndarray of shape (n_rules,)
        How accurate the rule is (F).
    numerosity : ndarray of shape (n_rules,)
        Number of micro-rules the rule stands for (num).
    consequent : ndarray of shape (n_rules,)
        Index of the class the rule predicts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import FuzzyUCSClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, y)
    >>> rules = clf.rules_.sort("numerosity")
    >>> len(rules[:3])
    3
    >>> print(rules[:1].to_text())
    IF ... AND petal width (cm) is {very small, small} THEN 0 (weight 1.00, ...)
    """

    def __repr__(self) -> str:
        return (
            f"<RuleSet: {len(self)} rules ({int(self.numerosity.sum())} micro-rules), "
            f"{self.variables.n_features} features, {len(self.classes)} classes>"
        )

    def observe(
        self, rule: int, record: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> str:
        """Put the condition of a rule into words, with the values of a record."""
        parts = [
            self.variables.observe(
                feature, self.conditions[rule][feature], record[feature], positions[feature]
            )
            for feature in np.flatnonzero(self.asks[rule]).tolist()
        ]
        return " AND ".join(parts) if parts else "anything"

    def conclusion(self, rule: int) -> str:
        """Say what a rule concludes, and from how much."""
        consequent = self.consequent[rule]
        return (
            f"{self.classes[consequent]} (weight {self.weights[rule, consequent]:.2f}, "
            f"numerosity {self.numerosity[rule]})"
        )

    def amounts(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each rule adds to the logarithm of each class's commonality.

        Parameters
        ----------
        degrees : ndarray of shape (n_rules,)
            Degrees to which rules match a record.

        Returns
        -------
        ndarray of shape (n_rules, n_classes)
        """
        strength, doubt = self._strength_and_doubt(np.ones(len(self), dtype=bool))
        possible = 1 - degrees[:, np.newaxis] * (1 - doubt[:, np.newaxis] - self.weights)
        # Rounding may leave a little where nothing should be.
        none = (degrees[:, np.newaxis] == 1) & (self.weights == 0) & (doubt[:, np.newaxis] == 0)
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(none, 0.0, possible))
        amounts: NDArray[np.float64] = strength[:, np.newaxis] * logs
        return amounts

    def left_undecided(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each rule adds to the logarithm of the commonality of "I don't know".

        Parameters
        ----------
        degrees : ndarray of shape (n_rules,)
            Degrees to which rules match a record.

        Returns
        -------
        ndarray of shape (n_rules,)
        """
        strength, doubt = self._strength_and_doubt(np.ones(len(self), dtype=bool))
        with np.errstate(divide="ignore"):
            left: NDArray[np.float64] = strength * np.log((1 - degrees) + degrees * doubt)
        return left

    def to_text(self, style: Style | None = None) -> str:
        """Return the rules as sentences, one per line.

        The weight is that of the predicted class, the support is the rule's experience: the sum of
        the degrees to which training data matched it, over all epochs.

        Parameters
        ----------
        style : {"terms", "plain"}, optional
            How sets of terms are put into words: listed, ``size is {small, medium}``, or plain and
            with numbers, ``size is at most medium (<= 4.9)``, between which the condition holds to
            at least one half. The default is "plain" for weighted rules, "terms" for others.

        Returns
        -------
        str
        """
        return "\n".join(self.sentence(rule, style) for rule in range(len(self)))

    def to_table(self, style: Style | None = None) -> TextTable:
        """Return the rules as a table of text.

        Parameters
        ----------
        style : {"terms", "plain"}, optional
            How conditions are put into words, as in `to_text`.

        Returns
        -------
        TextTable
        """
        rows = [
            [self.condition(rule, style), self._label(rule), *self._shown_values(rule)]
            for rule in range(len(self))
        ]
        return TextTable(["if", "then", *self._shown], rows, self._note())

    def _note(self) -> str:
        """Return what is to be said besides the rules."""
        return ""

    def to_frame(self) -> pd.DataFrame:
        """Return the rules as a pandas DataFrame, one row per rule.

        Returns
        -------
        pandas.DataFrame
            Columns ``condition``, ``consequent``, ``weight``, ``fitness``, ``experience``,
            ``numerosity``, and ``weight of <class>`` for each class.
        """
        columns: dict[str, Any] = {
            "condition": [self.condition(rule) for rule in range(len(self))],
            "consequent": self.classes[self.consequent],
            "weight": self._own(self.weights),
            "fitness": self.fitness,
            "experience": self.experience,
            "numerosity": self.numerosity,
        }
        for i, label in enumerate(self.classes):
            columns[f"weight of {label}"] = self.weights[:, i]
        return import_pandas().DataFrame(columns)

    def to_json(self) -> str:
        """Return the rules as JSON, self-describing and with every digit.

        Returns
        -------
        str
            An object with ``classes``, ``features`` (name, range, terms if linguistic) and
            ``rules``. A rule lists only the features it asks something of. Ranges unknown for lack
            of data are null, as are bounds at the edge of the data; labels that JSON has no type
            for, such as dates, become strings.
        """
        document = {
            "format": "fuzzyucs rules",
            "version": 1,
            **self._of_the_model_as_dict(),
            "classes": self.classes.tolist(),
            "features": [
                self.variables.feature_as_dict(i) for i in range(self.variables.n_features)
            ],
            "rules": [self._as_dict(rule, self.classes.tolist()) for rule in range(len(self))],
        }
        return json.dumps(document, indent=1, allow_nan=False, default=str)

    def _of_the_model_as_dict(self) -> dict[str, Any]:
        """Return what belongs to the model as a whole, besides classes and features."""
        return {}

    def _as_dict(self, rule: int, labels: list[Any]) -> dict[str, Any]:
        conditions = [
            self.variables.condition_as_dict(feature, condition)
            for feature, condition in enumerate(self.conditions[rule])
            if not self.variables.is_dont_care(feature, condition)
        ]
        return {
            "if": conditions,
            "then": labels[self.consequent[rule]],
            "weights": self.weights[rule].tolist(),
            "fitness": float(self.fitness[rule]),
            "experience": float(self.experience[rule]),
            "numerosity": int(self.numerosity[rule]),
        }

    def sources(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the masses that each micro-rule gives to classes.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_rules)
            Degrees to which rules match.

        Returns
        -------
        ndarray of shape (n_samples, n_rules, n_classes)
            What they lack to 1 is mass of "I don't know".
        """
        masses: NDArray[np.float64] = degrees[:, :, np.newaxis] * self.weights
        return masses

    @property
    def source_count(self) -> NDArray[np.uint32]:
        """How many sources each rule stands for: its micro-rules."""
        return self.numerosity

    def posterior(
        self,
        plausibility: NDArray[np.float64],  # noqa: ARG002
    ) -> NDArray[np.float64] | None:
        """Return the probabilities that follow from plausibilities and a prior; here is none."""
        return None


@dataclass(frozen=True, eq=False, repr=False)
class EvolvedRuleSet(RuleSet):
    """Rules that an evolution made, with what it takes to go on.

    Parameters
    ----------
    variables, classes, conditions, weights, class_experience, experience, fitness, numerosity, \
consequent
        As in `RuleSet`.
    set_size : ndarray of shape (n_rules,)
        Mean size of the correct sets the rule has been in (cs); in UCS a moving average.
    set_count : ndarray of shape (n_rules,)
        Number of those sets.
    time_stamp : ndarray of shape (n_rules,)
        Last training step at which the rule took part in evolution (ts).
    """

    set_size: NDArray[np.float64]
    set_count: NDArray[np.uint64]
    time_stamp: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedRuleSet(RuleSet):
    """Rules whose evidence counts as often as it was found to help.

    Rule k multiplies the plausibility of class i by ``(1 - mu + mu * (v_i + t)) ** strength``,
    mu being its degree, v its weights and t what it leaves on "I don't know": the share of
    `doubt` in its experience, ``doubt / (experience + doubt)``.

    Parameters
    ----------
    variables, classes, conditions, weights, class_experience, experience, fitness, numerosity, \
consequent
        As in `RuleSet`, except that experience counts the training data once, and that the weights
        of a rule leave something to "I don't know".
    strength : ndarray of shape (n_rules,)
        How often the evidence of each rule counts (w).
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

    _of_the_model: ClassVar[tuple[str, ...]] = ("variables", "classes", "prior", "doubt")
    _style: ClassVar[Style] = "plain"
    _shown: ClassVar[tuple[str, ...]] = ("share", "support", "strength")

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
        experience = known.sum(axis=1)
        weights = known / (experience + doubt)[:, np.newaxis]
        return cls(
            variables,
            classes,
            conditions=conditions[order],
            weights=weights,
            class_experience=known,
            experience=experience,
            fitness=2 * weights.max(axis=1, initial=0.0) - 1,
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

    def beliefs(self, positions: NDArray[np.float64]) -> Evidence:
        """Combine evidence without the prior, and beside it what follows with the prior.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features)
            Where values lie on their variables (`variables.positions`).

        Returns
        -------
        Evidence
        """
        mass, log_agreement = self.freeze().masses(positions)
        posterior = self.probabilities(positions)
        return Evidence(self.classes, mass[:, :-1], mass[:, -1], log_agreement, posterior=posterior)

    def sources(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the masses of rules; the evidence of each is counted as often as it is strong.

        Parameters
        ----------
        degrees : ndarray of shape (n_samples, n_rules)
            Degrees to which rules match.

        Returns
        -------
        ndarray of shape (n_samples, n_rules, n_classes)
        """
        strength, doubt = self._strength_and_doubt(np.ones(len(self), dtype=bool))
        theta = (1 - degrees * (1 - doubt)) ** strength
        possible = 1 - degrees[:, :, np.newaxis] * (1 - doubt[:, np.newaxis] - self.weights)
        mass = np.maximum(possible ** strength[:, np.newaxis] - theta[:, :, np.newaxis], 0.0)
        masses: NDArray[np.float64] = mass / (mass.sum(axis=2) + theta)[:, :, np.newaxis]
        return masses

    @property
    def source_count(self) -> NDArray[np.uint32]:
        """How many sources each rule stands for: one."""
        return np.ones(len(self), dtype=np.uint32)

    def posterior(self, plausibility: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the probabilities that follow from plausibilities and the prior."""
        with np.errstate(divide="ignore"):
            return softmax(np.log(plausibility) + self.prior)

    @property
    def shares(self) -> NDArray[np.float64]:
        """How probable classes are before any evidence."""
        shares: NDArray[np.float64] = softmax(self.prior[np.newaxis])[0]
        return shares

    def probabilities(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Combine evidence and prior.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features)
            Where values lie on their variables (`variables.positions`).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        logs: NDArray[np.float64] = self.freeze().log_commonalities(positions, self.shares)[:, :-1]
        return softmax(logs + self.prior)

    def to_text(self, style: Style | None = None) -> str:
        """Return the rules as sentences, one per line, and the prior.

        A rule favours the class it names; "evidence x times" tells how often its evidence counts,
        the support is the sum of the degrees to which training data matched it, and the share is
        that of the class in it.

        Parameters
        ----------
        style : {"terms", "plain"}, optional
            How sets of terms are put into words, as in `RuleSet.to_text`.

        Returns
        -------
        str
        """
        return "\n".join(filter(None, [super().to_text(style), one_line(self._note())]))

    def sentence(self, rule: int, style: Style | None = None) -> str:
        """Put a rule into words.

        Parameters
        ----------
        rule : int
            Place of the rule.
        style : {"terms", "plain"}, optional
            In which words, as in `RuleSet.to_text`.

        Returns
        -------
        str
        """
        return one_line(f"IF {self.condition(rule, style)} THEN {self.conclusion(rule)}")

    def _note(self) -> str:
        shares = ", ".join(
            f"{label} {share:.2f}" for label, share in zip(self.classes, self.shares, strict=True)
        )
        return f"Without evidence: {shares}"

    def conclusion(self, rule: int) -> str:
        """Say what a rule concludes, and from how much."""
        share, support, strength = self._shown_values(rule)
        return f"{self._label(rule)} (share {share} of {support}, evidence {strength} times)"

    def _shown_values(self, rule: int) -> list[str]:
        known = self.class_experience[rule, self.consequent[rule]]
        share = known / self.experience[rule] if self.experience[rule] > 0 else 0.0
        return [f"{share:.2f}", f"{self.experience[rule]:.1f}", f"{self.strength[rule]:.2f}"]

    def carried_evidence(self) -> NDArray[np.float64]:
        """Return what each rule contributed on the training data."""
        return self.evidence

    def _with_experience(self, known: NDArray[np.float64]) -> Self:
        experience = known.sum(axis=1)
        weights = known / (experience + self.doubt)[:, np.newaxis]
        return replace(
            self,
            weights=weights,
            class_experience=known,
            experience=experience,
            fitness=2 * weights.max(axis=1, initial=0.0) - 1,
            consequent=np.where(experience > 0, known.argmax(axis=1), self.consequent).astype(
                np.uint32
            ),
        )

    def _with_evidence(self, data: LabelledRows) -> Self:
        found = EvidenceWeights(
            self.strength, self.prior, self.class_experience, self.doubt, np.nan, converged=True
        )
        evidence = np.zeros(len(self))
        for rows, degrees in data.degrees(self.without_beliefs().freeze(), len(self)):
            evidence += found.evidence(degrees, data.weight[rows])
        return replace(self, evidence=evidence)

    def to_frame(self) -> pd.DataFrame:
        """Return the rules as a pandas DataFrame, one row per rule.

        Returns
        -------
        pandas.DataFrame
            Columns as in `RuleSet.to_frame`, and ``strength`` and ``evidence``.
        """
        frame = super().to_frame()
        frame.insert(2, "evidence", self.evidence)
        frame.insert(3, "strength", self.strength)
        return frame

    def _of_the_model_as_dict(self) -> dict[str, Any]:
        return {"prior": self.prior.tolist(), "doubt": self.doubt}

    def _as_dict(self, rule: int, labels: list[Any]) -> dict[str, Any]:
        more = {"strength": float(self.strength[rule]), "evidence": float(self.evidence[rule])}
        return super()._as_dict(rule, labels) | more

    def _strength_and_doubt(
        self, ready: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.strength[ready], self.doubt / (self.experience[ready] + self.doubt)
