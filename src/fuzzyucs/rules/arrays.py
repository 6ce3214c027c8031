"""Rules as arrays: what rules of all kinds are made of, and how they are put into words."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.checks import select_rows
from fuzzyucs.evidence.weighting import DOUBT
from fuzzyucs.rules.tables import Style, one_line
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.variables import Inference, Variables

__all__ = ["RuleArrays"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleArrays:
    """The arrays of a `RuleSet`, one entry per rule, and the sentences they stand for."""

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
    _style: ClassVar[Style] = "terms"
    _shown: ClassVar[tuple[str, ...]] = ("weight", "support", "numerosity")

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

    @classmethod
    def array_names(cls) -> list[str]:
        """Return the names of the arrays that have one entry per rule."""
        return [f.name for f in fields(cls) if f.init and f.name not in cls._of_the_model]

    @cached_property
    def asks(self) -> NDArray[np.bool_]:
        """Whether a rule asks something of a feature; shape (n_rules, n_features)."""
        asked = [
            [not self.variables.is_dont_care(feature, c) for feature, c in enumerate(condition)]
            for condition in self.conditions
        ]
        return np.array(asked, dtype=bool).reshape(self.conditions.shape[:2])

    def _own(self, by_class: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the column of the class that each rule predicts."""
        own: NDArray[np.float64] = by_class[np.arange(len(self)), self.consequent]
        return own

    def condition(self, rule: int, style: Style | None = None) -> str:
        """Put the condition of a rule into words.

        Parameters
        ----------
        rule : int
            Place of the rule.
        style : {"terms", "plain"}, optional
            In which words, as in `to_text`.

        Returns
        -------
        str
            What is asked of each feature that matters, joined by AND.
        """
        parts = [
            self._describe(feature, condition, style)
            for feature, condition in enumerate(self.conditions[rule])
            if not self.variables.is_dont_care(feature, condition)
        ]
        return " AND ".join(parts) if parts else "anything"

    def _describe(self, feature: int, condition: Any, style: Style | None) -> str:
        if style is not None and style not in get_args(Style):
            raise ValueError(f"style must be one of {list(get_args(Style))}, got {style!r}")
        variables = self.variables
        if (style or self._style) == "plain" and isinstance(variables, LinguisticPartition):
            peaks = variables.peaks(feature)
            if peaks[0] < peaks[-1]:  # a constant has no numbers to tell
                return variables.describe_run(feature, condition)
        return variables.describe(feature, condition)

    def sentence(self, rule: int, style: Style | None = None) -> str:
        """Put a rule into words.

        Parameters
        ----------
        rule : int
            Place of the rule.
        style : {"terms", "plain"}, optional
            In which words, as in `to_text`.

        Returns
        -------
        str
        """
        shown = zip(self._shown, self._shown_values(rule), strict=True)
        facts = ", ".join(f"{name} {value}" for name, value in shown)
        return one_line(f"IF {self.condition(rule, style)} THEN {self._label(rule)} ({facts})")

    def _label(self, rule: int) -> str:
        return str(self.classes[self.consequent[rule]])

    def _shown_values(self, rule: int) -> list[str]:
        """Return what people should know of a rule besides what it says, as text."""
        return [
            f"{self.weights[rule, self.consequent[rule]]:.2f}",
            f"{self.experience[rule]:.1f}".removesuffix(".0"),
            str(self.numerosity[rule]),
        ]

    def without_beliefs(self) -> Self:
        """Return rules that missing values match fully."""
        variables = self.variables
        if not isinstance(variables, LinguisticPartition) or variables.forest is None:
            return self
        return replace(self, variables=replace(variables, forest=None, is_believed=None))

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

    def _strength_and_doubt(
        self, ready: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often the evidence of rules counts, and what they leave on "I don't know"."""
        strength = self.numerosity[ready].astype(np.float64)
        return strength, np.zeros_like(strength)

    def carried_evidence(self) -> NDArray[np.float64]:
        """Return what each rule contributes, as far as its statistics tell.

        A rule that matches fully shifts the odds between the classes it has seen most and least by
        ``(most + 2) / (least + 2)``, if it grants two matches to "I don't know" as weighted rules
        do. The logarithm of that counts as often as numerosity and experience say.

        Returns
        -------
        ndarray of shape (n_rules,)
        """
        known = self.class_experience
        shift = np.log((known.max(axis=1) + DOUBT) / (known.min(axis=1) + DOUBT))
        carried: NDArray[np.float64] = self.numerosity * self.experience * shift
        return carried
