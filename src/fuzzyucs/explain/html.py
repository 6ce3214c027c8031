"""An explanation as a piece of HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fuzzyucs.decisions.entry import Entry
    from fuzzyucs.explain.ledger import Explanation

__all__ = ["explanation_html"]

SHOWN = 12  # entries
FOR, AGAINST, WEAK, NOVEL = "#0072B2", "#D55E00", "#999999", "#666666"
CELL = "padding:.15em .6em;text-align:left;vertical-align:top;border:0;background:none"


def explanation_html(explanation: Explanation) -> str:
    """Write the ledger of one prediction as HTML.

    Parameters
    ----------
    explanation : Explanation

    Returns
    -------
    str
        A ``<div>`` that needs nothing else. Names and labels are escaped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> print(clf.explain(X.iloc[[70]]).to_html())
    <div ...petal width (cm) 1.8 is ...</div>
    """
    p = explanation.probability
    head = (
        f"<p style='margin:.3em 0'><b>{_text(explanation.prediction)}</b> with probability "
        f"{p[explanation.class_index]:.3f}; next {_text(explanation.rival)} with "
        f"{p[explanation.rival_index]:.3f}</p>"
    )
    parts = [head, _belief_bar(explanation), _ledger(explanation), *_remarks(explanation)]
    return f"<div style='font-size:90%;max-width:60em'>{''.join(parts)}</div>"


def _text(value: object) -> str:
    return escape(str(value))


def _belief_bar(explanation: Explanation) -> str:
    evidence = explanation.evidence
    novelty = 0.0 if evidence.novelty is None else float(evidence.novelty[0])
    segments = [
        (f"{label} {mass:.3f}", float(mass), FOR if i == explanation.class_index else AGAINST)
        for i, (label, mass) in enumerate(zip(explanation.classes, evidence.mass[0], strict=True))
    ]
    weak = max(0.0, float(evidence.ignorance[0]) - novelty)
    segments += [
        (f"don't know, weak evidence {weak:.3f}", weak, WEAK),
        (f"don't know, novelty {novelty:.3f}", novelty, NOVEL),
    ]
    bars = "".join(
        f"<span title='{_text(title)}' style='display:inline-block;height:1em;"
        f"width:{100 * width:.3f}%;background:{colour};box-sizing:border-box;"
        "border-right:1px solid rgba(255,255,255,.7)'></span>"
        for title, width, colour in segments
        if width > 0
    )
    words = ", ".join(_text(title) for title, width, _ in segments if width >= 0.0005)
    return (
        f"<div style='white-space:nowrap;line-height:0;overflow:hidden'>{bars}</div>"
        f"<p style='margin:.2em 0'>Belief: {words}; conflict {evidence.conflict[0]:.3f}</p>"
    )


def _ledger(explanation: Explanation) -> str:
    ordered = explanation.ordered()
    contributions = [explanation.contribution(entry) for entry in ordered]
    finite = [abs(s) for s in contributions if np.isfinite(s)]
    greatest = max(finite, default=0.0) or 1.0
    rows = [
        _row(entry, contribution, greatest)
        for entry, contribution in zip(ordered[:SHOWN], contributions[:SHOWN], strict=True)
    ]
    if len(ordered) > SHOWN:
        rest = sum(contributions[SHOWN:])
        amount = "" if np.isnan(rest) else f"{rest:+.3f}"
        rows.append(_cells(amount, "", f"{len(ordered) - SHOWN} more"))
    rows.append(_cells(f"<b>{explanation.total:+.3f}</b>", "", "<b>sum</b>"))
    return (
        f"<p style='margin:.4em 0 .1em'>For {_text(explanation.prediction)} against "
        f"{_text(explanation.rival)}, in {_text(explanation.unit)}:</p>"
        f"<table style='border-collapse:collapse'>{''.join(rows)}</table>"
    )


def _row(entry: Entry, contribution: float, greatest: float) -> str:
    share = min(1.0, abs(contribution) / greatest) if not np.isnan(contribution) else 0.0
    colour = FOR if contribution > 0 else AGAINST
    bar = (
        f"<span style='display:inline-block;height:.8em;width:{6 * share:.3f}em;"
        f"background:{colour}'></span>"
    )
    words = _text(entry.text)
    if entry.conclusion:
        words += f" <span style='opacity:.75'>&rarr; {_text(entry.conclusion)}</span>"
    return _cells(f"{contribution:+.3f}", bar, words)


def _cells(amount: str, bar: str, words: str) -> str:
    return (
        f"<tr style='background:none'><td style='{CELL};text-align:right;white-space:nowrap;"
        f"font-variant-numeric:tabular-nums'>{amount}</td>"
        f"<td style='{CELL};width:6em'>{bar}</td><td style='{CELL}'>{words}</td></tr>"
    )


def _remarks(explanation: Explanation) -> list[str]:
    remarks = []
    if explanation.missing:
        remarks.append(f"Missing: {', '.join(map(_text, explanation.missing))}")
    if explanation.is_unusual:
        remarks.append(f"Unusual: {'; '.join(map(_text, explanation.reasons))}")
    remarks.append(f"Smallest change: {_text(explanation.smallest_change)}")
    return [f"<p style='margin:.3em 0'>{remark}</p>" for remark in remarks]
