"""The ledger of evidence: what each rule adds to the logarithms of commonalities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.sources import log_commonalities

__all__ = ["evidence_entries"]

Array = NDArray[np.float64]


def evidence_entries(
    decision: Decision, record: Array, positions: Array, prior: Array | None = None
) -> list[Entry]:
    """Return what each rule adds to the logarithm of each class's commonality.

    Rules that ask for missing values are combined, so that they share an entry.

    Parameters
    ----------
    decision : Decision
        Whose rules to list.
    record : ndarray of shape (n_features,)
        Values of the record.
    positions : ndarray of shape (1, n_features)
        Where they lie on their variables.
    prior : ndarray of shape (n_classes,), optional
        How probable classes are before any evidence, if that counts.

    Returns
    -------
    list of Entry
    """
    rules = decision.rules
    degrees = rules.without_beliefs().freeze().membership(positions)[0]
    missing = np.isnan(positions[0]) & rules.variables.believed_features
    is_open = (rules.asks & missing).any(axis=1) & (degrees > 0)
    logs = log_commonalities(rules, degrees)
    amounts, undecided = logs[:, :-1], logs[:, -1]
    entries = decision.rule_entries(amounts, degrees * ~is_open, record, positions, undecided)
    if is_open.any():
        is_known = (degrees > 0) & ~is_open
        together = rules.freeze().log_commonalities(positions, prior)[0, :-1]
        theta = rules.freeze().log_commonalities(positions)[0, -1]
        whole = np.append(together, theta)
        known = logs[is_known].sum(axis=0)
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isneginf(known), 0.0, whole - known)
        n = int(is_open.sum())
        text = "1 rule that asks" if n == 1 else f"{n} rules that ask"
        entries.append(Entry(f"{text} for missing values", rest[:-1], undecided=float(rest[-1])))
    return entries
