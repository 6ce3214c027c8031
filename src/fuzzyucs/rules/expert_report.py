"""ExpertReport: what data think of experts' rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.short_repr import short_repr
from fuzzyucs._util.wording import counted, percent
from fuzzyucs._util.wrapping import Line, wrapped
from fuzzyucs.rules.expert_wording import present_reliability, shown_reliability
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.rules.tables import TextTable
from fuzzyucs.rules.wording import statement
from fuzzyucs.variables.table import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExpertFinding", "ExpertReport", "assess_table", "wilson"]

Z = 1.959963984540054  # of an interval that holds 95 %
LONGEST = 80  # text of a rule in a short description
MOST_TRUTHS = 10_000_000  # in memory at a time


@dataclass(frozen=True, repr=False)
class ExpertFinding:
    """What data think of one expert's rule.

    Attributes
    ----------
    rule : str
        The rule in words, ``IF ... THEN ...``.
    label : str
        What it says: a class, or "not" and a class.
    n_rows : int
        Number of records.
    n_applies : int
        Number of those that its text is true of.
    n_right : int
        Number of these that have the class, or do not have the class that it speaks against.
    overall : float
        The share of all records of which its conclusion is true.
    reliability : float
        The reliability that was stated.
    worth : float
        How many records that counts as.
    present : float
        The reliability that the rule has in the model, by the prior, the training data and the
        other rules together.
    opponent : str or None
        The learned rule with another conclusion that applies to most of the same records.
    n_disputed : int
        Number of records that both apply to.
    n_conceded : int
        Number of these of which the expert's rule is not right.
    """

    rule: str
    label: str
    n_rows: int
    n_applies: int
    n_right: int
    overall: float
    reliability: float
    worth: float
    present: float
    opponent: str | None = None
    n_disputed: int = 0
    n_conceded: int = 0

    def __repr__(self) -> str:
        text = self.rule if len(self.rule) <= LONGEST else f"{self.rule[: LONGEST - 3]}..."
        return short_repr(self, text, self.verdict)

    @property
    def share(self) -> float:
        """How often it is right where it applies; NaN if it does not apply."""
        return self.n_right / self.n_applies if self.n_applies else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Between which shares 95 % of such intervals hold the true one (Wilson)."""
        return wilson(self.n_right, self.n_applies)

    @property
    def expected(self) -> float:
        """How often it would be right by the stated reliability, if no other rule spoke."""
        others = (1 - self.overall) * (1 - self.reliability)
        total = self.overall + others
        return self.overall / total if total > 0 else math.nan

    @property
    def observed(self) -> float:
        """The reliability by these records alone, 0 at least; NaN if they cannot tell.

        It makes the odds of the conclusion what they are where the rule applies.
        """
        if not self.n_applies or not 0 < self.overall < 1:
            return math.nan
        if self.n_right == self.n_applies:
            return 1.0
        odds, usual = self.share / (1 - self.share), self.overall / (1 - self.overall)
        return max(0.0, 1 - usual / odds) if odds > 0 else 0.0

    @property
    def verdict(self) -> str:
        """What the data think of the rule, in a few words."""
        if not self.n_applies:
            return "no record tells"
        low, high = self.interval
        if high < self.overall:
            return "contradicted"
        if math.isnan(self.observed):
            return "cannot be told"
        if low > self.expected:
            return "right more often than stated"
        if high < self.expected:
            return "right less often than stated"
        return "as stated, within chance"

    def sentences(self) -> list[str]:
        """Say it in full.

        Returns
        -------
        list of str
        """
        said = f"{self.reliability:.2g}"
        rows = counted(self.n_rows, "record", "records")
        if not self.n_applies:
            found = [f"Applies to none of {rows}: these say nothing about it."]
            found.append(f"Reliability {said} as stated, {self._present} in the model.")
            return found
        low, high = self.interval
        what = f"{self.n_right:,} of them" if self.n_right < self.n_applies else "all of them"
        what = what if self.n_right else "none of them"
        found = [
            f"Applies to {self.n_applies:,} of {rows}, and is right in {what} "
            f"({percent(self.share)}; 95 % interval {percent(low)} to {percent(high)}). Overall "
            f"its conclusion is true of {percent(self.overall)}.",
            f"{self.verdict[0].upper()}{self.verdict[1:]}: {self._comparison()}",
            f"Reliability {said} as stated, {self._present} in the model.",
        ]
        if self.opponent is not None:
            found.append(
                f"Contradicted most by {self.opponent}, which applies to {self.n_disputed:,} of "
                f"the same records; of these, the expert's rule is not right in "
                f"{self.n_conceded:,}."
            )
        else:
            found.append("No learned rule with another conclusion applies to any of them.")
        return found

    @property
    def _present(self) -> str:
        return shown_reliability(self.present)

    def _comparison(self) -> str:
        said = f"{self.reliability:.2g}"
        if math.isnan(self.observed):
            return "its conclusion is true of all records or of none."
        expected = f"a reliability of {said} means right in {percent(self.expected)}"
        if self.n_right == self.n_applies:
            return f"{expected}; these records have no exception."
        if self.observed == 0:
            return f"{expected}; these records give it no reliability."
        return f"{expected}; these records alone mean {shown_reliability(self.observed)}."

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it, NaN as None."""
        low, high = self.interval
        found = asdict(self) | {
            "share": self.share,
            "interval_low": low,
            "interval_high": high,
            "expected": self.expected,
            "observed": self.observed,
        }
        found = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in found.items()}
        return found | {"verdict": self.verdict}


@dataclass(frozen=True, repr=False)
class ExpertReport:
    """What data think of the experts' rules of a model, those with most evidence first.

    Indexing gives an `ExpertFinding`.

    Parameters
    ----------
    findings : tuple of ExpertFinding
        One for each expert's rule.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> rule = "IF petal width (cm) < 0.8 THEN setosa, reliability 0.9"
    >>> clf = EvidentialRuleClassifier().fit(X, y, rules=rule)
    >>> print(clf.expert_report_)
    IF petal width (cm) is less than 0.8 THEN setosa
      Applies to 50 of 150 records, and is right in all of them (100 %; ... is true of 33 %.
      Right more often than stated: a reliability of 0.9 means right in 83 %; these records ...
    >>> clf.expert_report_[0].n_applies
    50
    """

    findings: tuple[ExpertFinding, ...]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[ExpertFinding]:
        return iter(self.findings)

    def __getitem__(self, index: int) -> ExpertFinding:
        return self.findings[index]

    def __repr__(self) -> str:
        return short_repr(self, counted(len(self), "expert's rule", "experts' rules"))

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, width: int | None = None) -> str:
        """Return the report as text.

        Parameters
        ----------
        width : int, optional
            Greatest number of characters of a line.

        Returns
        -------
        str
        """
        return wrapped(self.text_lines(), width)

    def text_lines(self) -> list[Line]:
        """Return the lines of `to_text`."""
        if not self.findings:
            return [Line("The model has no expert's rule.")]
        lines = []
        for finding in self.findings:
            lines.append(Line(finding.rule, len("IF "), "THEN"))
            lines += [Line(f"  {sentence}", 4) for sentence in finding.sentences()]
        return lines

    def to_table(self) -> TextTable:
        """Return the report as a table of text."""
        header = [
            *("expert's rule", "applies to", "right", "share", "expected"),
            *("stated", "in the data", "in the model", "verdict"),
        ]
        rows = [
            [
                f.rule,
                f"{f.n_applies:,}",
                f"{f.n_right:,}",
                percent(f.share) if f.n_applies else "",
                "" if math.isnan(f.expected) else percent(f.expected),
                f"{f.reliability:.2g}",
                "" if math.isnan(f.observed) else shown_reliability(f.observed),
                shown_reliability(f.present),
                f.verdict,
            ]
            for f in self.findings
        ]
        return TextTable(header, rows, "")

    def to_frame(self) -> pd.DataFrame:
        """Return the report as a pandas DataFrame, one row per rule."""
        return import_pandas().DataFrame(self.as_dicts())

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the report as JSON has it, one object per rule."""
        return [finding.as_dict() for finding in self.findings]

    def _repr_html_(self) -> str:
        return self.to_table().to_html()


def wilson(n_right: int, n: int) -> tuple[float, float]:
    """Return the interval of Wilson that holds a share with a probability of 95 %.

    Examples
    --------
    >>> from fuzzyucs.rules.expert_report import wilson
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    if not n:
        return math.nan, math.nan
    share, square = n_right / n, Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    spread = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    low = 0.0 if n_right == 0 else max(0.0, middle - spread)
    return low, 1.0 if n_right == n else min(1.0, middle + spread)


def assess_table(rules: ProfiledRuleSet, X: Any, labels: NDArray[Any]) -> ExpertReport:
    """Find out what records think of the experts' rules among others.

    Parameters
    ----------
    rules : ProfiledRuleSet
        All rules of a model.
    X : ndarray of shape (n_samples, n_features) or Table
        Records.
    labels : ndarray of shape (n_samples,)
        Indices of their classes.

    Returns
    -------
    ExpertReport
    """
    stated, learned = np.flatnonzero(rules.is_expert), np.flatnonzero(~rules.is_expert)
    own = rules.named_class
    is_against = rules.is_against
    table = Table.of(X)
    applies, right = np.zeros((2, len(stated)), dtype=np.int64)
    together, conceded = np.zeros((2, len(stated), len(learned)))
    step = max(1, MOST_TRUTHS // max(1, len(rules)))
    for first in range(0, len(table), step):
        rows = slice(first, first + step)
        holds = rules.variables.holds(rules.conditions, table.part(rows))
        of_experts, of_others = holds[:, stated], holds[:, learned].astype(float)
        is_right = (labels[rows, np.newaxis] == own[stated]) != is_against[stated]
        applies += of_experts.sum(axis=0)
        right += (of_experts & is_right).sum(axis=0)
        together += of_experts.astype(float).T @ of_others
        conceded += (of_experts & ~is_right).astype(float).T @ of_others
    shares = np.bincount(labels, minlength=len(rules.classes)) / max(len(labels), 1)
    found = []
    for k, rule in enumerate(stated.tolist()):
        same = own[learned] == own[rule]
        disputes = same == (is_against[learned] != is_against[rule])
        # A rule against one class and a rule for another do not contradict each other.
        disputes &= same | ~(is_against[learned] | is_against[rule])
        shared = np.where(disputes, together[k], 0)
        most = int(shared.argmax()) if len(shared) and shared.max() > 0 else None
        share = float(shares[own[rule]])
        found.append(
            ExpertFinding(
                rule=statement(rules, rule),
                label=rules.label(rule),
                n_rows=len(table),
                n_applies=int(applies[k]),
                n_right=int(right[k]),
                overall=1 - share if is_against[rule] else share,
                reliability=float(rules.reliability[rule]),
                worth=float(rules.worth[rule]),
                present=float(present_reliability(rules)[rule]),
                opponent=None if most is None else statement(rules, int(learned[most])),
                n_disputed=0 if most is None else int(shared[most]),
                n_conceded=0 if most is None else int(conceded[k, most]),
            )
        )
    return ExpertReport(tuple(found))


# What a file holds of a finding.
FIELDS = tuple(field.name for field in fields(ExpertFinding))
