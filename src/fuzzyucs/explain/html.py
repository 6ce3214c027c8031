"""An explanation as a piece of HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from fuzzyucs._util.wording import percent
from fuzzyucs.explain.text import probability_text, remarks, uncertainty_text

if TYPE_CHECKING:
    from fuzzyucs.decisions.entry import Entry
    from fuzzyucs.explain.ledger import Explanation

__all__ = ["explanation_html"]

SHOWN = 12  # entries
CLASSES = 8  # bars
FOR, AGAINST, WEAK, NOVEL = "#0072B2", "#D55E00", "#999999", "#666666"
CELL = "padding:.15em .6em;text-align:left;vertical-align:top;border:0;background:none"


def explanation_html(explanation: Explanation, *, every: bool = False) -> str:
    """Write the ledger of one prediction as HTML.

    Parameters
    ----------
    explanation : Explanation
    every : bool
        Whether every rule has a line of its own.

    Returns
    -------
    str
        A ``<div>`` that needs nothing else. Names and labels are escaped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> print(clf.explain(X.iloc[[70]]).to_html())
    <div ...petal width (cm) 1.8 is ...</div>
    """
    head = _verdict if explanation.has_base_rates else _prediction
    parts = [
        head(explanation),
        _ledger(explanation, every),
        *(_paragraph(f"{name}: {_text(text)}") for name, text in remarks(explanation)),
    ]
    return f"<div style='font-size:90%;max-width:60em'>{''.join(parts)}</div>"


def _prediction(explanation: Explanation) -> str:
    p = explanation.probability
    return (
        f"<p style='margin:.3em 0'><b>{_text(explanation.prediction)}</b> with probability "
        f"{p[explanation.class_index]:.3f}; next {_text(explanation.rival)} with "
        f"{p[explanation.rival_index]:.3f}</p>"
    ) + _belief_bar(explanation)


def _verdict(explanation: Explanation) -> str:
    """Write the verdict in words, then a bar for each class: belief + base rate * ignorance."""
    verdict, parts = explanation.verdict, []
    if verdict is not None:
        whole, end = str(verdict), len(verdict.headline) + 1  # a full stop, or a colon
        head = f"<b style='font-size:120%'>{_text(whole[:end])}</b>"
        parts.append(_paragraph(f"{head}{_text(whole[end:])}"))
        if verdict.guess:
            parts.append(_paragraph(f"<small>{_text(verdict.guess)}</small>"))
    order = np.argsort(-explanation.probability, kind="stable").tolist()
    rows = "".join(_class_row(explanation, index) for index in order[:CLASSES])
    parts.append(f"<table style='border-collapse:collapse'>{rows}</table>")
    if len(order) > CLASSES:
        rest = float(explanation.probability[order[CLASSES:]].sum())
        parts.append(_paragraph(f"{len(order) - CLASSES} other classes {percent(rest)}"))
    return "".join([*parts, _paragraph(_text(uncertainty_text(explanation)))])


def _class_row(explanation: Explanation, index: int) -> str:
    """Write a row: the class, its bar, and of what its probability consists."""
    p, belief = float(explanation.probability[index]), float(explanation.evidence.belief[0, index])
    colour = FOR if index == explanation.class_index else AGAINST
    solid = (
        f"<span title='belief' style='display:inline-block;height:1em;width:{12 * belief:.3f}em;"
        f"background:{colour}'></span>"
    )
    hatched = (
        "<span title='base rate x ignorance' style='display:inline-block;height:1em;"
        f"width:{12 * max(p - belief, 0.0):.3f}em;background:repeating-linear-gradient("
        f"135deg,{colour} 0 1px,transparent 1px 4px)'></span>"
    )
    return (
        f"<tr style='background:none'><td style='{CELL};text-align:right'>"
        f"{_text(explanation.classes[index])}</td>"
        f"<td style='{CELL};width:12em;white-space:nowrap;line-height:0'>{solid}{hatched}</td>"
        f"<td style='{CELL}'>{_text(probability_text(explanation, index))}</td></tr>"
    )


def _paragraph(content: str) -> str:
    return f"<p style='margin:.3em 0'>{content}</p>"


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


def _ledger(explanation: Explanation, every: bool) -> str:
    entries = explanation.ledger(every=every, most=None if every else SHOWN)
    contributions = [explanation.contribution(entry) for entry in entries]
    finite = [abs(s) for s in contributions if np.isfinite(s)]
    greatest = max(finite, default=0.0) or 1.0
    rows = [_row(*pair, greatest) for pair in zip(entries, contributions, strict=True)]
    rows.append(_cells(f"<b>{explanation.total:+.3f}</b>", "", "<b>sum</b>"))
    rows += _taken_back(explanation, greatest)
    return (
        f"<p style='margin:.4em 0 .1em'>For {_text(explanation.prediction)} against "
        f"{_text(explanation.rival)}, in {_text(explanation.unit)}:</p>"
        f"<table style='border-collapse:collapse'>{''.join(rows)}</table>"
    )


def _taken_back(explanation: Explanation, greatest: float) -> list[str]:
    """Return the rows of what novelty takes back, if that is noticeable."""
    taken, novelty = explanation.taken_back, explanation.evidence.novelty
    if novelty is None or abs(taken) < 0.0005:
        return []
    whole = f"<b>{explanation.total + taken:+.3f}</b>"
    words = f"taken back, because of novelty {percent(novelty[0])}"
    return [
        _cells(f"{taken:+.3f}", _bar(taken, greatest), words),
        _cells(whole, "", "<b>sum after novelty</b>"),
    ]


def _row(entry: Entry, contribution: float, greatest: float) -> str:
    words = _text(entry.text)
    if entry.conclusion:
        words += f" <span style='opacity:.75'>&rarr; {_text(entry.conclusion)}</span>"
    amount = "" if np.isnan(contribution) else f"{contribution:+.3f}"
    return _cells(amount, _bar(contribution, greatest), words)


def _bar(contribution: float, greatest: float) -> str:
    share = min(1.0, abs(contribution) / greatest) if not np.isnan(contribution) else 0.0
    colour = FOR if contribution > 0 else AGAINST
    return (
        f"<span style='display:inline-block;height:.8em;width:{6 * share:.3f}em;"
        f"background:{colour}'></span>"
    )


def _cells(amount: str, bar: str, words: str) -> str:
    return (
        f"<tr style='background:none'><td style='{CELL};text-align:right;white-space:nowrap;"
        f"font-variant-numeric:tabular-nums'>{amount}</td>"
        f"<td style='{CELL};width:6em'>{bar}</td><td style='{CELL}'>{words}</td></tr>"
    )
