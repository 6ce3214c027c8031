"""RuleSet: fitted rules as arrays, and as text that people can read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._checks import select_rows
from fuzzyucs.evidence import Evidence
from fuzzyucs.linguistic import LinguisticPartition
from fuzzyucs.variables import Inference, Variables
from fuzzyucs.weighting import softmax

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvolvedRuleSet", "RuleSet", "WeightedRuleSet"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleSet:
    """Rules with what they have learned, one entry per (macro-)rule.

    Linguistic rules and rules on intervals are used alike; they differ in their variables and in
    what the array of conditions holds. Indexing with a slice, a mask or integers gives another
    RuleSet.

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

    variables: Variables
    classes: NDArray[Any]
    conditions: NDArray[Any]
    weights: NDArray[np.float64]
    class_experience: NDArray[np.float64]
    experience: NDArray[np.float64]
    fitness: NDArray[np.float64]
    numerosity: NDArray[np.uint32]
    consequent: NDArray[np.uint32]
    _frozen: dict[float, Inference] = field(default_factory=dict, init=False, kw_only=True)

    _of_the_model: ClassVar[tuple[str, ...]] = ("variables", "classes")

    def __len__(self) -> int:
        return len(self.experience)

    def __post_init__(self) -> None:
        self._protect()

    def __getitem__(self, key: Any) -> Self:
        rows = select_rows(len(self), key)
        arrays = {name: getattr(self, name)[rows] for name in self.array_names()}
        common = {name: getattr(self, name) for name in self._of_the_model}
        return type(self)(**common, **arrays)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_frozen": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()

    def _protect(self) -> None:
        """Make the arrays read-only: predictions come from a copy, which would not follow."""
        for name in self.array_names():
            array = getattr(self, name).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return (
            f"<RuleSet: {len(self)} rules ({int(self.numerosity.sum())} micro-rules), "
            f"{self.variables.n_features} features, {len(self.classes)} classes>"
        )

    @classmethod
    def array_names(cls) -> list[str]:
        """Return the names of the arrays that have one entry per rule."""
        return [f.name for f in fields(cls) if f.init and f.name not in cls._of_the_model]

    def sort(self, by: str = "numerosity") -> Self:
        """Return the rules in descending order of one of their quantities.

        Parameters
        ----------
        by : {"numerosity", "experience", "fitness", "consequent", ...}
            The quantity: any array with a number for each rule. Equal rules keep their order.

        Returns
        -------
        RuleSet
        """
        choices = [name for name in self.array_names() if getattr(self, name).ndim == 1]
        if by not in choices:
            raise ValueError(f"by must be one of {choices}, got {by!r}")
        return self[np.argsort(-getattr(self, by).astype(float), kind="stable")]

    @cached_property
    def asks(self) -> NDArray[np.bool_]:
        """Whether a rule asks something of a feature; shape (n_rules, n_features)."""
        asked = [
            [not self.variables.is_dont_care(feature, c) for feature, c in enumerate(condition)]
            for condition in self.conditions
        ]
        return np.array(asked, dtype=bool).reshape(self.conditions.shape[:2])

    def condition(self, rule: int) -> str:
        """Put the condition of a rule into words.

        Parameters
        ----------
        rule : int
            Place of the rule.

        Returns
        -------
        str
            What is asked of each feature that matters, joined by AND.
        """
        parts = [
            self._describe(feature, condition)
            for feature, condition in enumerate(self.conditions[rule])
            if not self.variables.is_dont_care(feature, condition)
        ]
        return " AND ".join(parts) if parts else "anything"

    def _describe(self, feature: int, condition: Any) -> str:
        return self.variables.describe(feature, condition)

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

    def to_text(self) -> str:
        """Return the rules as sentences, one per line.

        The weight is that of the predicted class, the support is the rule's experience: the sum of
        the degrees to which training data matched it, over all epochs.

        Returns
        -------
        str
        """
        lines = []
        for rule in range(len(self)):
            consequent = self.consequent[rule]
            support = f"{self.experience[rule]:.1f}"
            lines.append(
                f"IF {self.condition(rule)} THEN {self.classes[consequent]} "
                f"(weight {self.weights[rule, consequent]:.2f}, "
                f"support {support.removesuffix('.0')}, numerosity {self.numerosity[rule]})"
            )
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """Return the rules as a pandas DataFrame, one row per rule.

        Returns
        -------
        pandas.DataFrame
            Columns ``condition``, ``consequent``, ``weight``, ``fitness``, ``experience``,
            ``numerosity``, and ``weight of <class>`` for each class.
        """
        from fuzzyucs._optional import import_pandas

        every_rule = np.arange(len(self))
        columns: dict[str, Any] = {
            "condition": [self.condition(rule) for rule in range(len(self))],
            "consequent": self.classes[self.consequent],
            "weight": self.weights[every_rule, self.consequent],
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

    def freeze(self, least_experience: float = -1.0) -> Inference:
        """Prepare the rules with more than some experience for fast inference.

        Parameters
        ----------
        least_experience : float
            Rules with this experience or less stay out. The default lets all rules in.

        Returns
        -------
        Inference
            The native object, which works on positions (`variables.positions`).
        """
        if least_experience not in self._frozen:
            if len(self._frozen) >= 4:
                self._frozen.clear()
            ready = self.experience > least_experience
            self._frozen[least_experience] = self.variables.freeze(
                np.ascontiguousarray(self.conditions[ready]),
                np.ascontiguousarray(self.weights[ready]),
                self.fitness[ready],
                *self._strength_and_doubt(ready),
                self.consequent[ready],
            )
        return self._frozen[least_experience]

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

    def _strength_and_doubt(
        self, ready: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often the evidence of rules counts, and what they leave on "I don't know"."""
        strength = self.numerosity[ready].astype(np.float64)
        return strength, np.zeros_like(strength)


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

    def to_text(self) -> str:
        """Return the rules as sentences, one per line, and the prior.

        A rule favours the class it names; "evidence x times" tells how often its evidence counts,
        the support is the sum of the degrees to which training data matched it, and the share is
        that of the class in it.

        Returns
        -------
        str
        """
        lines = []
        for rule in range(len(self)):
            lines.append(f"IF {self.condition(rule)} THEN {self.conclusion(rule)}")
        shares = ", ".join(
            f"{label} {share:.2f}" for label, share in zip(self.classes, self.shares, strict=True)
        )
        return "\n".join([*lines, f"Without evidence: {shares}"])

    def conclusion(self, rule: int) -> str:
        """Say what a rule concludes, and from how much."""
        consequent = self.consequent[rule]
        share = self.class_experience[rule, consequent] / self.experience[rule]
        return (
            f"{self.classes[consequent]} (share {share:.2f} of {self.experience[rule]:.1f}, "
            f"evidence {self.strength[rule]:.2f} times)"
        )

    def _describe(self, feature: int, condition: Any) -> str:
        if isinstance(self.variables, LinguisticPartition):
            return self.variables.describe_run(feature, condition)
        return super()._describe(feature, condition)

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
