"""Decision: what every way to decide offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import counted
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.sources import sources
from fuzzyucs.evidence.combination import combine
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.evidence_html import evidence_html
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["Answer", "Decision"]

MOST_MASSES = 2_000_000  # held in memory at a time

Array = NDArray[np.float64]
Classes = NDArray[np.uint32]


class Answer(NamedTuple):
    """What a model says of records, all of it from one inference.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Class labels, as `predict` returns them; indices of the classes in a `Decision`.
    probability : ndarray of shape (n_samples, n_classes)
        Probabilities, as `predict_proba` returns them.
    evidence : Evidence
        Belief masses, as `predict_evidence` returns them; in a `Decision`, before novelty.
    """

    labels: NDArray[np.generic]
    probability: Array
    evidence: Evidence

    def __repr__(self) -> str:
        values, counts = np.unique(self.labels, return_counts=True)
        each = [f"{label} {count:,}" for label, count in zip(values, counts, strict=True)]
        return short_repr(self, counted(len(self.labels), "input", "inputs"), some(each))

    def _repr_html_(self) -> str:
        return evidence_html(self.evidence)


@dataclass(frozen=True, eq=False, repr=False)
class Decision(ABC):
    """A way to decide by rules.

    It works on positions of values on their variables (`rules.variables.positions`).

    Parameters
    ----------
    rules : RuleSet
        The rules that take part.
    rule_indices : ndarray of shape (n_rules,), optional
        Their indices in the estimator's rule set; by default all of it.
    seed : int
        By which ties are drawn: the same row always gets the same answer.
    tempering : Tempering, optional
        How far belief masses may be trusted; None takes them as they are.
    """

    rules: RuleSet
    rule_indices: NDArray[np.intp] = None  # type: ignore[assignment]  # filled in below
    seed: int = 0
    tempering: Tempering | None = None

    scheme: ClassVar[str]
    unit: ClassVar[str] = "log-odds"  # of the amounts in entries
    draws_ties: ClassVar[bool] = True  # by the seed and the values of a row
    novelty_decides: ClassVar[bool] = False  # whether probabilities and labels follow from it, too

    def __post_init__(self) -> None:
        if self.rule_indices is None:
            object.__setattr__(self, "rule_indices", np.arange(len(self.rules)))

    def __repr__(self) -> str:
        rules, classes = len(self.rules), len(self.rules.classes)
        return short_repr(self, f"{counted(rules, 'rule', 'rules')}", f"{classes} classes")

    @abstractmethod
    def answer(self, positions: Array) -> Answer:
        """Return class indices, probabilities and evidence of records."""

    def decide(self, positions: Array) -> NDArray[np.generic]:
        """Return the indices of the classes that records are given."""
        return self.answer(positions).labels

    def probabilities(self, positions: Array) -> Array:
        """Return the probabilities of the classes."""
        return self.answer(positions).probability

    def evidence(self, positions: Array) -> Evidence:
        """Return belief masses by Dempster's rule, however the decision is reached."""
        return self.answer(positions).evidence

    @abstractmethod
    def entries(self, record: Array, positions: Array) -> list[Entry]:
        """Return what rules add to the score of each class, for one record.

        Parameters
        ----------
        record : ndarray of shape (n_features,)
            Values of the record.
        positions : ndarray of shape (1, n_features)
            Where they lie on their variables.
        """

    def combined(self, positions: Array, combination: str) -> Evidence:
        """Return belief masses by another rule of combination than Dempster's."""
        rules = self.rules
        step = max(1, MOST_MASSES // max(1, len(rules) * len(rules.classes)))
        parts = []
        for first in range(0, len(positions), step):
            masses, count = self.sources(positions[first : first + step])
            parts.append(combine(masses, rule=combination, count=count, classes=rules.classes))
        return self.completed(Evidence.join(parts))

    def sources(self, positions: Array) -> tuple[Array, NDArray[np.uint32]]:
        """Return the masses that each rule gives to classes, and how many sources it stands for.

        Parameters
        ----------
        positions : ndarray of shape (n_samples, n_features)
            Positions of records.

        Returns
        -------
        masses : ndarray of shape (n_samples, n_rules, n_classes)
        count : ndarray of shape (n_samples, n_rules)
        """
        rules = self.rules
        degrees = rules.without_beliefs().freeze().membership(positions)
        # Evidence that depends on a missing value is discounted: it may not be there.
        belief = rules.freeze().membership(positions) / np.where(degrees > 0, degrees, 1.0)
        masses = sources(rules, degrees, self.source_count()) * belief[:, :, np.newaxis]
        return masses, self.source_count() * (degrees > 0)

    def source_count(self) -> NDArray[np.uint32]:
        """Return how many sources each rule stands for: its micro-rules."""
        return self.rules.numerosity

    def completed(self, evidence: Evidence) -> Evidence:
        """Return evidence with what probabilities follow from, if that is more than masses."""
        return evidence

    def rule_entries(
        self,
        amounts: Array,
        degrees: Array,
        record: Array,
        positions: Array,
        undecided: Array | None = None,
    ) -> list[Entry]:
        """Return an entry for each rule that matches.

        Parameters
        ----------
        amounts : ndarray of shape (n_rules, n_classes)
            What rules add to each class.
        degrees : ndarray of shape (n_rules,)
            Degrees to which they match.
        record, positions
            As in `entries`.
        undecided : ndarray of shape (n_rules,), optional
            What rules add to "I don't know".
        """
        return [
            Entry(
                self.rules.observe(rule, record, positions[0]),
                amounts[rule],
                int(self.rule_indices[rule]),
                float(degrees[rule]),
                self.rules.conclusion(rule),
                None if undecided is None else float(undecided[rule]),
            )
            for rule in np.flatnonzero(degrees > 0).tolist()
        ]
