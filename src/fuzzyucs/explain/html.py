"""An explanation as a piece of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs._util.markup import (
    CELL,
    DONT_KNOW,
    class_mark,
    paragraph,
    safe,
    stacked_bar,
    table,
    verdict_block,
)
from fuzzyucs._util.wording import percent
from fuzzyucs.explain.rule_picture import rule_picture
from fuzzyucs.explain.text import entry_text, probability_text, remarks, uncertainty_text

if TYPE_CHECKING:
    from fuzzyucs.decisions.entry import Entry
    from fuzzyucs.explain.ledger import Explanation

__all__ = ["explanation_html"]

SHOWN = 12  # entries
CLASSES = 8  # bars
WEAK = "#999999"


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
        *(paragraph(f"{name}: {safe(text)}") for name, text in remarks(explanation)),
    ]
    return f"<div style='font-size:90%;max-width:60em'>{''.join(parts)}</div>"


def _prediction(explanation: Explanation) -> str:
    p, own, rival = explanation.probability, explanation.class_index, explanation.rival_index
    words = (
        f"<b style='font-size:120%'>{safe(explanation.prediction)}</b> with probability "
        f"{p[own]:.3f}; next {safe(explanation.rival)} with {p[rival]:.3f}"
    )
    return verdict_block(paragraph(words), [class_colour(own)]) + _belief_bar(explanation)


def _verdict(explanation: Explanation) -> str:
    """Write the verdict in words, then a bar for each class: belief + base rate * ignorance."""
    verdict, parts = explanation.verdict, []
    order = np.argsort(-explanation.probability, kind="stable").tolist()
    if verdict is not None:
        whole, end = str(verdict), len(verdict.headline) + 1  # a full stop, or a colon
        head = f"<b style='font-size:120%'>{safe(whole[:end])}</b>"
        words = paragraph(f"{head}{safe(whole[end:])}")
        if verdict.guess:
            words += paragraph(f"<small>{safe(verdict.guess)}</small>")
        n_named = {"answer": 1, "torn": 2}.get(verdict.kind, 0)
        named = [class_colour(index) for index in order[:n_named]]
        parts.append(verdict_block(words, named or [DONT_KNOW]))
    parts.append(table(_class_row(explanation, index) for index in order[:CLASSES]))
    if len(order) > CLASSES:
        rest = float(explanation.probability[order[CLASSES:]].sum())
        parts.append(paragraph(f"{len(order) - CLASSES} other classes {percent(rest)}"))
    return "".join([*parts, paragraph(safe(uncertainty_text(explanation)))])


def _class_row(explanation: Explanation, index: int) -> str:
    """Write a row: the class, its bar, and of what its probability consists."""
    p, belief = float(explanation.probability[index]), float(explanation.evidence.belief[0, index])
    colour = class_colour(index)
    hatched = f"repeating-linear-gradient(135deg,{colour} 0 1px,transparent 1px 4px)"
    bar = stacked_bar(
        [
            (f"belief {percent(belief)}", belief, colour),
            ("base rate x ignorance", max(p - belief, 0.0), hatched),
        ]
    )
    return (
        f"<tr style='background:none'><td style='{CELL};text-align:right'>"
        f"{safe(explanation.classes[index])}</td><td style='{CELL}'>{bar}</td>"
        f"<td style='{CELL}'>{safe(probability_text(explanation, index))}</td></tr>"
    )


def _belief_bar(explanation: Explanation) -> str:
    evidence = explanation.evidence
    novelty = 0.0 if evidence.novelty is None else float(evidence.novelty[0])
    parts = [
        (f"{label} {mass:.3f}", float(mass), class_colour(i))
        for i, (label, mass) in enumerate(zip(explanation.classes, evidence.mass[0], strict=True))
    ]
    weak = max(0.0, float(evidence.ignorance[0]) - novelty)
    parts += [
        (f"don't know, weak evidence {weak:.3f}", weak, WEAK),
        (f"don't know, novelty {novelty:.3f}", novelty, DONT_KNOW),
    ]
    words = ", ".join(safe(title) for title, share, _ in parts if share >= 0.0005)
    conflict = f"conflict {evidence.conflict[0]:.3f}"
    return stacked_bar(parts, width=36) + paragraph(f"Belief: {words}; {conflict}")


def _ledger(explanation: Explanation, every: bool) -> str:
    entries = explanation.ledger(every=every, most=None if every else SHOWN)
    contributions = [explanation.contribution(entry) for entry in entries]
    finite = [abs(s) for s in contributions if np.isfinite(s)]
    greatest = max(finite, default=0.0) or 1.0
    rows = [_row(explanation, *pair, greatest) for pair in zip(entries, contributions, strict=True)]
    rows.append(_cells(f"<b>{explanation.total:+.3f}</b>", "", "<b>sum</b>"))
    rows += _taken_back(explanation, greatest)
    head = (
        f"For {class_mark(explanation.class_index)}{safe(explanation.prediction)} against "
        f"{class_mark(explanation.rival_index)}{safe(explanation.rival)}, in "
        f"{safe(explanation.unit)}:"
    )
    return paragraph(head) + table(rows)


def _taken_back(explanation: Explanation, greatest: float) -> list[str]:
    """Return the rows of what novelty takes back, if that is noticeable."""
    taken, novelty = explanation.taken_back, explanation.evidence.novelty
    if novelty is None or abs(taken) < 0.0005:
        return []
    whole = f"<b>{explanation.total + taken:+.3f}</b>"
    words = f"taken back, because of novelty {percent(novelty[0])}"
    return [
        _cells(f"{taken:+.3f}", _bar(explanation, taken, greatest), words),
        _cells(whole, "", "<b>sum after novelty</b>"),
    ]


def _row(explanation: Explanation, entry: Entry, contribution: float, greatest: float) -> str:
    words = safe(entry_text(entry))
    if entry.conclusion:
        words += f" <span style='opacity:.8'>&rarr; {safe(entry.conclusion)}</span>"
    if entry.rule is not None and explanation.sketcher is not None:
        sketches, index = explanation.sketcher(entry.rule)
        words += rule_picture(sketches, class_colour(index))
    amount = "" if np.isnan(contribution) else f"{contribution:+.3f}"
    return _cells(amount, _bar(explanation, contribution, greatest), words)


def _bar(explanation: Explanation, contribution: float, greatest: float) -> str:
    """Draw a contribution in the colour of the class that it favours."""
    share = min(1.0, abs(contribution) / greatest) if not np.isnan(contribution) else 0.0
    favoured = explanation.class_index if contribution > 0 else explanation.rival_index
    return (
        f"<span style='display:inline-block;height:.8em;width:{6 * share:.3f}em;"
        f"background:{class_colour(favoured)}'></span>"
    )


def _cells(amount: str, bar: str, words: str) -> str:
    return (
        f"<tr style='background:none'><td style='{CELL};text-align:right;white-space:nowrap;"
        f"font-variant-numeric:tabular-nums'>{amount}</td>"
        f"<td style='{CELL};width:6em'>{bar}</td><td style='{CELL}'>{words}</td></tr>"
    )
