"""Entry: a line of the ledger of one prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Entry"]


@dataclass(frozen=True, eq=False)
class Entry:
    """What one rule says, or several that ask for missing values.

    Attributes
    ----------
    text : str
        The condition, in words and with the record's own values.
    amounts : ndarray of shape (n_classes,)
        What it adds to each class.
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
    kind : {"applies", "does not apply", "unknown", ""}
        On what the word of a rule with a class profile rests: it applies more than expected, it
        applies less, or it asks for values that are missing.
    """

    text: str
    amounts: NDArray[np.float64]
    rule: int | None = None
    degree: float | None = None
    conclusion: str = ""
    undecided: float | None = None
    kind: str = ""

    def divided(self, by: float) -> Entry:
        """Return the same with all amounts divided by a number."""
        undecided = None if self.undecided is None else self.undecided / by
        return replace(self, amounts=self.amounts / by, undecided=undecided)
