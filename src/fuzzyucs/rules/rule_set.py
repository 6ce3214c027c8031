"""RuleSet: fitted rules as arrays. What can be done with them has files of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import select_rows
from fuzzyucs.rules import editing, tables, wording
from fuzzyucs.rules import quality as measures
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.tables import Style
from fuzzyucs.variables.variables import Inference, Variables

__all__ = ["EvolvedRuleSet", "RuleSet"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleSet:
    """Rules with what they have learned, one entry per (macro-)rule.

    Linguistic rules and rules on intervals are used alike; they differ in their variables and in
    what the array of conditions holds. Indexing with a slice, a mask or integers gives another
    RuleSet. No method changes the rules; those that edit return others.

    Parameters
    ----------
    variables : LinguisticPartition or IntervalVariables
        The features that conditions refer to.
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
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, y)
    >>> rules = clf.rules_.sort("numerosity")
    >>> len(rules[:3])
    3
    >>> print(rules[:1].to_text())
    IF ... AND petal width (cm) is {very small, small} THEN setosa (weight 1.00, ...)
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

    model_fields: ClassVar[tuple[str, ...]] = ("variables", "classes")  # not one per rule
    style: ClassVar[Style] = "terms"
    shown: ClassVar[tuple[str, ...]] = ("weight", "experience", "numerosity")
    importance_name: ClassVar[str] = "fitness x numerosity"  # of `rule_importance`

    # Editing
    sort = editing.sort
    filter = editing.filter_rules
    drop = editing.drop
    edit = editing.edit
    merge = editing.merge
    view_of = editing.view_of
    experienced = editing.experienced

    # Quality on data
    assess = measures.assess
    carried_evidence = measures.carried_evidence
    quality = measures.quality
    importance = measures.importance
    summary = measures.summary

    # Wording
    condition = wording.condition
    sentence = wording.sentence
    observe = wording.observe
    to_text = wording.to_text
    text_lines = wording.text_lines
    to_frame = wording.to_frame
    to_json = wording.to_json
    to_table = wording.to_table
    to_markdown = tables.to_markdown
    to_latex = tables.to_latex
    to_html = tables.to_html
    to_csv = tables.to_csv
    _repr_html_ = tables.repr_html

    def __len__(self) -> int:
        return len(self.experience)

    def __post_init__(self) -> None:
        self._protect()

    def __repr__(self) -> str:
        return (
            f"<RuleSet: {len(self)} rules ({int(self.numerosity.sum())} micro-rules), "
            f"{self.variables.n_features} features, {len(self.classes)} classes>"
        )

    def __getitem__(self, key: Any) -> Self:
        rows = select_rows(len(self), key)
        return replace(self, **{name: getattr(self, name)[rows] for name in self.array_names()})

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached values

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()

    def _protect(self) -> None:
        """Make the arrays read-only: inference has a copy, which would not follow a change."""
        for name in self.array_names():
            array = getattr(self, name).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def array_names(cls) -> list[str]:
        """Return the names of the arrays that have one entry per rule."""
        return [f.name for f in fields(cls) if f.name not in cls.model_fields]

    @cached_property
    def asks(self) -> NDArray[np.bool_]:
        """Whether a rule asks something of a feature; shape (n_rules, n_features)."""
        return ~self.variables.dont_cares(self.conditions)

    @property
    def asked_columns(self) -> NDArray[np.bool_]:
        """Whether a rule asks something of a column of the table; of views, of any view of it."""
        return self.variables.by_feature(self.asks)

    @cached_property
    def asked_features(self) -> list[list[int]]:
        """Indices of the features that each rule asks something of."""
        return [np.flatnonzero(asked).tolist() for asked in self.asks]

    @property
    def evidence_strength(self) -> NDArray[np.float64]:
        """How many times the evidence of each rule counts: once for each micro-rule."""
        return self.numerosity.astype(np.float64)

    @property
    def rule_ignorance(self) -> NDArray[np.float64]:
        """Mass that each rule leaves on "I don't know" where it matches fully: none."""
        return np.zeros(len(self))

    def of_own_class(self, by_class: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, of a row per rule and a column per class, the class that each rule predicts."""
        own: NDArray[np.float64] = by_class[np.arange(len(self)), self.consequent]
        return own

    @property
    def is_against(self) -> NDArray[np.bool_]:
        """Whether each rule speaks against a class and for none."""
        return np.zeros(len(self), dtype=bool)

    @property
    def named_class(self) -> NDArray[np.uint32]:
        """Index of the class that each rule speaks for, or else against."""
        return self.consequent

    @property
    def is_expert(self) -> NDArray[np.bool_]:
        """Which rules experts stated. They keep their form, and are not merged with others."""
        return np.zeros(len(self), dtype=bool)

    def label(self, rule: int) -> str:
        """Say what a rule concludes: a class, or that it is not a class."""
        label = str(self.classes[self.named_class[rule]])
        return f"not {label}" if self.is_against[rule] else label

    def shown_values(self, rule: int) -> list[str]:
        """Return the values of what `shown` names, as text."""
        return [
            f"{self.weights[rule, self.consequent[rule]]:.2f}",
            f"{self.experience[rule]:.1f}".removesuffix(".0"),
            str(self.numerosity[rule]),
        ]

    def conclusion(self, rule: int) -> str:
        """Say what a rule concludes, and from how much."""
        weight, _, numerosity = self.shown_values(rule)
        return f"{self.label(rule)} (weight {weight}, numerosity {numerosity})"

    def full_conclusion(self, rule: int) -> str:
        """Say what a rule concludes, with everything that `shown` names."""
        shown = zip(self.shown, self.shown_values(rule), strict=True)
        return f"{self.label(rule)} ({', '.join(f'{name} {value}' for name, value in shown)})"

    @property
    def note(self) -> str:
        """What is to be said besides the rules."""
        return ""

    def model_as_dict(self) -> dict[str, Any]:
        """Return what belongs to the model as a whole, besides classes and features."""
        return {}

    def rule_as_dict(self, rule: int) -> dict[str, Any]:
        """Return what a rule has learned as JSON has it."""
        return {
            "weights": self.weights[rule].tolist(),
            "fitness": float(self.fitness[rule]),
            "experience": float(self.experience[rule]),
            "numerosity": int(self.numerosity[rule]),
        }

    def rule_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame` between the rule and its weights of all classes."""
        return {
            "weight": self.of_own_class(self.weights),
            "fitness": self.fitness,
            "experience": self.experience,
            "numerosity": self.numerosity,
        }

    def rule_importance(self) -> NDArray[np.float64]:
        """Return what each rule counts in pictures: its votes where it matches fully."""
        votes: NDArray[np.float64] = np.maximum(self.fitness, 0.0) * self.numerosity
        return votes

    def by_importance(self) -> Self:
        """Return the rules, those that count most first."""
        return self.sort("numerosity")

    def for_counting(self) -> Self:
        """Return the rules as they count data: missing values match fully."""
        return self.without_beliefs()

    def with_conditions(self, conditions: NDArray[Any]) -> Self:
        """Return the rules with other conditions."""
        return replace(self, conditions=conditions)

    def without_beliefs(self) -> Self:
        """Return rules that missing values match fully."""
        if self.variables.without_beliefs() is self.variables:
            return self
        return self._without_beliefs

    @cached_property
    def _without_beliefs(self) -> Self:
        return replace(self, variables=self.variables.without_beliefs())

    @cached_property
    def _selections(self) -> dict[float, Self]:
        return {}  # of `experienced`

    def freeze(self) -> Inference:
        """Prepare the rules for fast inference.

        Returns
        -------
        Inference
            The native object, which works on positions (`variables.positions`).
        """
        return self._inference

    @cached_property
    def _inference(self) -> Inference:
        return self.variables.freeze(
            np.ascontiguousarray(self.conditions),
            np.ascontiguousarray(self.weights),
            self.fitness,
            self.evidence_strength,
            self.rule_ignorance,
            self.consequent,
        )

    def with_class_experience(self, known: NDArray[np.float64]) -> Self:
        """Return the rules with what follows from other experience with each class."""
        statistics: dict[str, Any] = measures.statistics_from(self, known)
        return replace(self, **statistics)

    def class_rows_on(self, data: LabelledRows) -> NDArray[np.float64]:
        """Return, of each rule, how many rows of each class it matches, by degrees."""
        return data.class_experience(self.without_beliefs().freeze(), len(self))

    def with_evidence_on(self, data: LabelledRows) -> Self:  # noqa: ARG002  # for subclasses
        """Return the rules with their evidence on data, if they keep that."""
        return self


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

    def without_conditions(self) -> Self:
        """Return rules that match everything, and say what these rules say."""
        return self._without_conditions

    @cached_property
    def _without_conditions(self) -> Self:
        conditions = self.conditions.copy()
        for feature in range(self.variables.n_features):
            conditions[:, feature] = self.variables.parse_condition(feature, None)
        return replace(self, conditions=conditions)
