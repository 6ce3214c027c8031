"""Entry: a line of the ledger of one prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.short_repr import short_repr

__all__ = ["Entry"]

LONGEST = 70  # characters of a condition in a prompt


@dataclass(frozen=True, eq=False)
class Entry:
    """What one rule says, or several that ask for missing values.

    Attributes
    ----------
    text : str
        The condition, in words and with the record's own values.
    amounts : ndarray of shape (n_classes,)
        What it adds to each class; of rules with class profiles, as far as missing values let it.
    rule : int or None
        Index of the rule in `rules_`, or in `weighted_rules_` if those decide; None if it is no
        single rule.
    degree : float or None
        Degree to which the rule matches.
    conclusion : str
        What the rule concludes, and from how much.
    undecided : float or None
        What it adds to "I don't know", in the same unit: the logarithm of the commonality of all
        classes together. None if amounts are votes.
    kind : {"base rates", "matches more", "matches less", "no match", "unknown", ""}
        On what the word of a rule with a class profile rests: it matches to a higher degree than is
        expected of a record of which nothing is known, or to a lower one (or to just that, and says
        nothing); it is an expert's, which says nothing unless it matches; or it asks for values
        that are missing, and speaks as far as the others tell what they are.
        Empty for all other rules.
    aim : str
        The class that a rule with a class profile speaks for where it matches, "for benign", or
        against, "against benign". Empty for all else.
    fails : bool
        Whether a condition of such a rule is certain to hold to less than one half.
    """

    text: str
    amounts: NDArray[np.float64]
    rule: int | None = None
    degree: float | None = None
    conclusion: str = ""
    undecided: float | None = None
    kind: str = ""
    aim: str = ""
    fails: bool = False

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= LONGEST else f"{self.text[: LONGEST - 3]}..."
        return short_repr(self, text, "" if self.degree is None else f"degree {self.degree:.3g}")

    @classmethod
    def together(cls, entries: Sequence[Entry], text: str) -> Entry:
        """Return several entries of a kind as one.

        Parameters
        ----------
        entries : sequence of Entry
            At least one.
        text : str
            What they are.

        Returns
        -------
        Entry
        """
        amounts = np.sum([entry.amounts for entry in entries], axis=0)
        undecided = [entry.undecided for entry in entries if entry.undecided is not None]
        return cls(
            text, amounts, undecided=sum(undecided) if undecided else None, kind=entries[0].kind
        )

    def divided(self, by: float) -> Entry:
        """Return the same with all amounts divided by a number."""
        undecided = None if self.undecided is None else self.undecided / by
        return replace(self, amounts=self.amounts / by, undecided=undecided)
