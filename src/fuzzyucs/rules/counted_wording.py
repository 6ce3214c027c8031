"""To how many rows rules apply, in words. Methods of `ProfiledRuleSet`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fuzzyucs._util.wording import MOST_CLASSES, class_names, counted, percent
from fuzzyucs.rules.expert_wording import origin

if TYPE_CHECKING:
    from fuzzyucs.rules.profiled import ProfiledRuleSet

__all__ = ["applies_to", "conclusion"]

MOST_SHARES = 3  # classes whose shares a sentence names


def conclusion(rules: ProfiledRuleSet, rule: int) -> str:
    """Say what a rule concludes, and from how much."""
    applies, total = int(rules.applies[rule].sum()), int(rules.rows_behind(rule).sum())
    text = f"{rules.label(rule)} ({origin(rules, rule)}{rules.tag(rule)}"
    text += f"applies to {applies:,} of {total:,}" if total else "without data"
    if applies:
        text += f"; {_shares(rules, rule)}"
    return f"{text})"


def _shares(rules: ProfiledRuleSet, rule: int) -> str:
    """Tell the shares of classes where a rule applies, beside those of all rows."""
    names = class_names(rules.classes)
    share = rules.applies[rule] / rules.applies[rule].sum()
    rows = rules.rows_behind(rule)
    overall = rows / rows.sum()
    own = int(rules.named_class[rule])
    if len(rules.classes) == 2 or rules.is_against[rule]:
        return f"{percent(share[own])} {names[own]}, {percent(overall[own])} overall"
    ordered = np.argsort(-share, kind="stable").tolist()
    named = [own, *(c for c in ordered if c != own and share[c] > 0)][:MOST_SHARES]
    text = "; ".join(
        f"{percent(share[c])} {names[c]}, {percent(overall[c])} overall" for c in named
    )
    n_others = int((share > 0).sum()) - len(named)
    if len(rules.classes) <= MOST_CLASSES or n_others < 1:
        return text
    return f"{text}; and {counted(n_others, 'other', 'others')}"


def applies_to(rules: ProfiledRuleSet, rule: int) -> str:
    """Say to how many rows of each class a rule applies, as one does of a diagnostic test.

    Of more than two classes, the one that the rule speaks for, or against, stands beside the
    others.
    """
    own = int(rules.named_class[rule])
    applies, rows = rules.applies[rule], rules.rows_behind(rule)
    names = class_names(rules.classes)
    name = names[1 - own] if len(names) == 2 else "other"
    parts = [
        f"{percent(count / total)} of {label}"
        for label, count, total in (
            (names[own], applies[own], rows[own]),
            (name, applies.sum() - applies[own], rows.sum() - rows[own]),
        )
        if total
    ]
    told = f"applies to {' and '.join(parts)} records" if parts else "applies to no record"
    return f"{rules.tag(rule)}{told}"
