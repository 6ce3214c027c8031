"""Explanation: the ledger of one prediction, what each rule said for and against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wrapping import text_width, wrapped
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.support import Reason
from fuzzyucs.evidence.verdict_words import Verdict
from fuzzyucs.explain.flips import Flip
from fuzzyucs.variables.sketching import Sketch

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.plots import WaterfallDisplay

__all__ = ["Explanation"]

Array = NDArray[np.float64]
NOTABLE = 0.1  # novelty that a text gives reasons for


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a record was classified as it was.

    The amounts of all entries sum to the score of each class, whose differences decide: with
    Dempster-Shafer inference, logarithms of the odds. Where base rates say what the ignorance is
    worth, `total` is what base rates and rules say, and `taken_back` what novelty changes about it;
    the logarithm of the odds of the two classes is the sum of both.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    record : dict
        The values of the record, by feature; categories, dates and durations as they are.
    entries : list of Entry
        What rules said, base rates or prior included. Rules with class profiles speak where they
        match more or less than neutral, so that there is an entry for each of them.
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
        first; then values that are missing and would change it if they were known, and values
        without which it would be another one. Of these, values outside of the training data come
        before all.
    verdict : Verdict or None
        What the evidence amounts to, in words; None if the model has no base rates.
    not_seen : list of str
        Features without order whose value was not seen in training. Rules know no more of it than
        of a missing one.
    sketcher : callable, optional
        Returns what pictures of a rule show, and the class that it speaks for (`sketch_rule`).
    has_data : bool
        Whether the rules have training data, and were not all stated by experts without any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> explanation = clf.explain(X.iloc[[70]])
    >>> print(explanation.prediction, explanation.rival)
    versicolor virginica
    >>> print(explanation)
    Versicolor. ... %, well supported
    Prediction: versicolor with ... % = belief ... % + base rate 33 % x ignorance ... %
    Next: virginica with ... % = belief ... % + base rate 33 % x ignorance ... %
    Ignorance: ... % (weak evidence ... %, novelty ... %); contradiction: ... %
    For versicolor against virginica, in log-odds:
        +0.000  base rates: setosa 33 %, versicolor 33 %, virginica 33 %
      ... petal length (cm) 4.8 is ... THEN versicolor (applies to ... of other records)
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
    verdict: Verdict | None = None
    not_seen: list[str] = field(default_factory=list)
    sketcher: Callable[[int], tuple[list[Sketch], int]] | None = None
    has_data: bool = True

    @property
    def has_base_rates(self) -> bool:
        """Whether base rates say what the ignorance is worth."""
        return self.evidence.base_rates is not None

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
        scores = self.probability if self.has_base_rates else self.scores
        others = np.where(np.arange(len(self.classes)) == self.class_index, -np.inf, scores)
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

    @cached_property
    def taken_back(self) -> float:
        """What novelty changes about the lead; 0 if it does not decide."""
        own, other = self.probability[[self.class_index, self.rival_index]].tolist()
        if not self.has_base_rates or not np.isfinite(self.total) or other == 0:
            return 0.0
        return float(np.log(own / other)) - self.total

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

    def ledger(self, *, every: bool = False, most: int | None = None) -> list[Entry]:
        """Return the lines that a person reads.

        Base rates come first, then what rules say, the greatest contribution first, whether they
        match or not. The rest is gathered: rules that match less than neutral into a line for
        either class, the others into one. So are rules that do not tell the prediction from the
        next class, and rules that ask for missing values and say nothing.

        Parameters
        ----------
        every : bool
            Whether every rule has a line of its own.
        most : int, optional
            Greatest number of lines of single rules; the others are gathered, if they are several.

        Returns
        -------
        list of Entry
        """
        from fuzzyucs.explain.lines import ledger_lines

        return ledger_lines(self, every=every, most=most)

    def __str__(self) -> str:
        return self.to_text(width=text_width())

    def __repr__(self) -> str:
        entries = "1 entry" if len(self.entries) == 1 else f"{len(self.entries)} entries"
        return (
            f"<Explanation: {self.prediction} with probability "
            f"{self.probability[self.class_index]:.3g}, {entries}>"
        )

    def to_text(self, *, every: bool = False, width: int | None = None) -> str:
        """Return the explanation as text.

        Printed, an explanation is as wide as the terminal, or 88 characters without one.

        Parameters
        ----------
        every : bool
            Whether every rule has a line of its own, also those that say nothing here.
        width : int, optional
            Greatest number of characters of a line. Longer ones go on in indented lines; no word
            is cut.

        Returns
        -------
        str
        """
        from fuzzyucs.explain.text import explanation_lines

        return wrapped(explanation_lines(self, every=every), width)

    @property
    def is_unusual(self) -> bool:
        """Whether the record is so unlike the training data that reasons are worth telling."""
        novelty = self.evidence.novelty
        return bool(self.reasons) and novelty is not None and bool(novelty[0] >= NOTABLE)

    @property
    def smallest_change(self) -> str:
        """The smallest change of one value that would change the answer, in words.

        Where there is no answer, it is the smallest change that would give one.
        """
        if self.flips:
            return str(next((f for f in self.flips if f.kind == "change"), self.flips[0]))
        where = " within the training data" if self.has_base_rates and self.has_data else ""
        is_answer = self.verdict is None or self.verdict.kind == "answer"
        return f"no single value{where} {'changes the' if is_answer else 'gives an'} answer"

    def to_frame(self, *, every: bool = False) -> pd.DataFrame:
        """Return the ledger as a pandas DataFrame, a row per line.

        Parameters
        ----------
        every : bool
            Whether every rule has a line of its own, also those that say nothing here.

        Returns
        -------
        pandas.DataFrame
            Columns ``entry``, ``conclusion``, ``degree``, ``for <prediction>`` (what it adds to the
            lead of the prediction over the next class), the amount of each class,
            ``don't know`` if amounts are evidence, and ``kind`` if rules have class profiles.
        """
        from fuzzyucs.explain.lines import ledger_frame

        return ledger_frame(self, every=every)

    def to_html(self, *, every: bool = False) -> str:
        """Return the explanation as a piece of HTML that fits into any page.

        Parameters
        ----------
        every : bool
            Whether every rule has a line of its own, also those that say nothing here.

        Returns
        -------
        str
            Everything is escaped; colours follow the page's.
        """
        from fuzzyucs.explain.html import explanation_html

        return explanation_html(self, every=every)

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
        from fuzzyucs.explain.document import explanation_document

        return explanation_document(self)
