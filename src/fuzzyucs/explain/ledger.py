"""Explanation: the ledger of one prediction, what each rule said for and against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Reason
from fuzzyucs.explain.flips import Flip

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.plots import WaterfallDisplay

__all__ = ["Explanation"]

Array = NDArray[np.float64]
SHOWN = 10  # entries in a text
NOTABLE = 0.1  # novelty that a text gives reasons for


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a record was classified as it was.

    The amounts of all entries sum to the score of each class, whose differences decide: with
    Dempster-Shafer inference, logarithms of the odds.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    record : dict
        The values of the record, by feature; categories as they are.
    entries : list of Entry
        What rules said, the prior included. The weightiest for or against the prediction first.
    unit : str
        What amounts are: "log-odds" or "votes".
    probability : ndarray of shape (n_classes,)
        `predict_proba` of the record.
    evidence : Evidence
        `predict_evidence` of the record.
    reasons : list of Reason
        Which values make the record unusual, the most unusual first; empty without support.
    class_index : int
        Index of the predicted class.
    flips : list of Flip
        For each feature the nearest value that would change the prediction, the smallest change
        first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> explanation = clf.explain(X.iloc[[70]])
    >>> explanation.prediction, explanation.rival
    (np.int64(2), np.int64(1))
    >>> print(explanation)
    Prediction: 2 (probability 0.8..., next 1 with 0.1...)
    Belief: ... don't know ... (weak evidence ..., novelty ...); conflict ...
    For 2 against 1, in log-odds:
      ... petal width (cm) 1.8 is ...
      = ...
    """

    classes: NDArray[Any]
    record: dict[str, Any]
    entries: list[Entry]
    unit: str
    probability: Array
    evidence: Evidence
    class_index: int
    reasons: list[Reason] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)

    @property
    def prediction(self) -> Any:
        """The predicted class."""
        return self.classes[self.class_index]

    @cached_property
    def scores(self) -> Array:
        """Sum of the amounts of each class."""
        scores: Array = np.zeros(len(self.classes))
        for entry in self.entries:
            scores = scores + entry.amounts
        return scores

    @cached_property
    def rival_index(self) -> int:
        """Index of the class that comes next."""
        others = np.where(np.arange(len(self.classes)) == self.class_index, -np.inf, self.scores)
        if np.isneginf(others).all():
            return int(np.flatnonzero(np.arange(len(self.classes)) != self.class_index)[0])
        return int(others.argmax())

    @property
    def rival(self) -> Any:
        """The class that comes next."""
        return self.classes[self.rival_index]

    def contribution(self, entry: Entry) -> float:
        """Return what an entry adds to the lead of the prediction over the next class."""
        own, other = float(entry.amounts[self.class_index]), float(entry.amounts[self.rival_index])
        return 0.0 if own == other else own - other

    @cached_property
    def total(self) -> float:
        """By how much the prediction leads: the sum of what entries say for it."""
        own, other = float(self.scores[self.class_index]), float(self.scores[self.rival_index])
        return 0.0 if own == other else own - other

    @property
    def missing(self) -> list[str]:
        """Features without a value."""
        return [
            name
            for name, value in self.record.items()
            if isinstance(value, float) and np.isnan(value)
        ]

    @property
    def in_favour(self) -> list[Entry]:
        """Entries for the prediction and against the next class, the greatest first."""
        return [entry for entry in self.ordered() if self.contribution(entry) > 0]

    @property
    def against(self) -> list[Entry]:
        """Entries for the next class and against the prediction, the greatest first."""
        return [entry for entry in self.ordered() if self.contribution(entry) < 0]

    def ordered(self) -> list[Entry]:
        """Return the entries, the greatest contribution first."""
        return sorted(self.entries, key=lambda entry: -abs(self.contribution(entry)))

    def __str__(self) -> str:
        # Names with line breaks must not look like lines of the explanation.
        return "\n".join(" ".join(line.splitlines()) for line in self._lines())

    def __repr__(self) -> str:
        entries = "1 entry" if len(self.entries) == 1 else f"{len(self.entries)} entries"
        return (
            f"<Explanation: {self.prediction} with probability "
            f"{self.probability[self.class_index]:.3g}, {entries}>"
        )

    def _lines(self) -> list[str]:
        p = self.probability
        lines = [
            f"Prediction: {self.prediction} (probability {p[self.class_index]:.3f}, "
            f"next {self.rival} with {p[self.rival_index]:.3f})",
            self._belief(),
            f"For {self.prediction} against {self.rival}, in {self.unit}:",
        ]
        ordered = self.ordered()
        lines += [
            f"  {_signed(self.contribution(entry))}  {_line(entry)}" for entry in ordered[:SHOWN]
        ]
        if len(ordered) > SHOWN:
            rest = sum(self.contribution(entry) for entry in ordered[SHOWN:])
            amount = " " * 8 if np.isnan(rest) else _signed(rest)
            lines.append(f"  {amount}  {len(ordered) - SHOWN} more")
        if np.isneginf(self.scores).all():
            lines.append("  Rules exclude every class: the prediction is drawn.")
        elif self.total == 0:
            lines.append("  = 0, a tie: the prediction is drawn.")
        else:
            lines.append(f"  = {_signed(self.total).strip()}")
        if self.missing:
            lines.append(f"Missing: {', '.join(self.missing)}")
        if self.is_unusual:
            lines.append(f"Unusual: {'; '.join(map(str, self.reasons))}")
        lines.append(f"Smallest change: {self.smallest_change}")
        return lines

    @property
    def is_unusual(self) -> bool:
        """Whether the record is so unlike the training data that reasons are worth telling."""
        novelty = self.evidence.novelty
        return bool(self.reasons) and novelty is not None and bool(novelty[0] >= NOTABLE)

    @property
    def smallest_change(self) -> str:
        """The smallest change of one value that would change the answer, in words."""
        if not self.flips:
            return "no single value changes the answer"
        return str(self.flips[0])

    def _belief(self) -> str:
        evidence = self.evidence
        shares = [
            f"{label} {mass:.3f}"
            for label, mass in zip(self.classes, evidence.mass[0], strict=True)
            if mass >= 0.0005
        ]
        shares.append(f"don't know {evidence.ignorance[0]:.3f}")
        text = f"Belief: {', '.join(shares)}"
        if evidence.novelty is not None:
            text += (
                f" (weak evidence {evidence.weak_evidence[0]:.3f}, "
                f"novelty {evidence.novelty[0]:.3f})"
            )
        return f"{text}; conflict {evidence.conflict[0]:.3f}"

    def to_frame(self) -> pd.DataFrame:
        """Return the ledger as a pandas DataFrame, a row per entry, the greatest first.

        Returns
        -------
        pandas.DataFrame
            Columns ``entry``, ``conclusion``, ``degree``, ``for <prediction>`` (what it adds to the
            lead of the prediction over the next class), the amount of each class, and
            ``don't know`` if amounts are evidence.
        """
        entries = self.ordered()
        columns: dict[str, Any] = {
            "entry": [entry.text for entry in entries],
            "conclusion": [entry.conclusion for entry in entries],
            "degree": [np.nan if entry.degree is None else entry.degree for entry in entries],
            f"for {self.prediction}": [self.contribution(entry) for entry in entries],
        }
        for i, label in enumerate(self.classes):
            columns[f"{self.unit} of {label}"] = [entry.amounts[i] for entry in entries]
        if any(entry.undecided is not None for entry in entries):
            columns["don't know"] = [
                np.nan if entry.undecided is None else entry.undecided for entry in entries
            ]
        return import_pandas().DataFrame(columns)

    def to_html(self) -> str:
        """Return the explanation as a piece of HTML that fits into any page.

        Returns
        -------
        str
            Everything is escaped; colours follow the page's.
        """
        from fuzzyucs.explain.html import explanation_html

        return explanation_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, **kwargs: Any) -> WaterfallDisplay:
        """Draw the ledger as a waterfall.

        Parameters
        ----------
        **kwargs : dict
            For `fuzzyucs.plots.WaterfallDisplay.from_explanation`.

        Returns
        -------
        WaterfallDisplay
        """
        from fuzzyucs.plots import WaterfallDisplay

        return WaterfallDisplay.from_explanation(self, **kwargs)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON has it; what is infinite or unknown becomes None.

        Returns
        -------
        dict
        """
        evidence = self.evidence
        labels = self.classes.tolist()
        return {
            "prediction": labels[self.class_index],
            "rival": labels[self.rival_index],
            "unit": self.unit,
            "total": _finite(self.total),
            "record": {
                name: _finite(value) if isinstance(value, float) else value
                for name, value in self.record.items()
            },
            "probability": _by_class(labels, self.probability),
            "mass": _by_class(labels, evidence.mass[0]),
            "ignorance": float(evidence.ignorance[0]),
            "weak_evidence": float(evidence.weak_evidence[0]),
            "novelty": None if evidence.novelty is None else float(evidence.novelty[0]),
            "conflict": float(evidence.conflict[0]),
            "entries": [
                {
                    "text": entry.text,
                    "conclusion": entry.conclusion,
                    "rule": entry.rule,
                    "degree": entry.degree,
                    "contribution": _finite(self.contribution(entry)),
                    "amounts": _by_class(labels, entry.amounts),
                    "undecided": None if entry.undecided is None else _finite(entry.undecided),
                }
                for entry in self.ordered()
            ],
            "missing": self.missing,
            "unusual": [str(reason) for reason in self.reasons],
            "flips": [
                {
                    "feature": flip.feature,
                    "value": flip.value,
                    "other": flip.other,
                    "prediction": flip.label.item() if hasattr(flip.label, "item") else flip.label,
                    "distance": _finite(flip.distance),
                }
                for flip in self.flips
            ],
        }


def _by_class(labels: Sequence[Any], values: Array) -> dict[str, float | None]:
    return {str(label): _finite(value) for label, value in zip(labels, values, strict=True)}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _signed(value: float) -> str:
    return f"{value:+8.3f}"


def _line(entry: Entry) -> str:
    return f"{entry.text} THEN {entry.conclusion}" if entry.conclusion else entry.text
