"""An explanation as text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fuzzyucs._util.escaping import one_line
from fuzzyucs._util.wording import class_names, percent
from fuzzyucs._util.wrapping import Line

if TYPE_CHECKING:
    from fuzzyucs.decisions.entry import Entry
    from fuzzyucs.explain.flips import Flip
    from fuzzyucs.explain.ledger import Explanation

__all__ = ["entry_text", "explanation_lines", "probability_text", "remarks", "uncertainty_text"]

SHOWN = 10  # lines of single rules
MOST_FLIPS = 3  # of values that are missing before or after
AMOUNT = 8  # characters of an amount


def explanation_lines(explanation: Explanation, *, every: bool = False) -> list[Line]:
    """Write an explanation as lines of text.

    Parameters
    ----------
    explanation : Explanation
    every : bool
        Whether every rule has a line of its own.

    Returns
    -------
    list of Line
        Names with line breaks do not look like lines of the explanation.
    """
    heads = _verdict_lines if explanation.has_base_rates else _belief_lines
    lines = [
        *map(Line, heads(explanation)),
        Line(f"For {explanation.prediction} against {explanation.rival}, in {explanation.unit}:"),
        *(Line(line, AMOUNT + 4, "THEN") for line in _ledger_lines(explanation, every)),
        *(Line(line, AMOUNT + 4) for line in _sum_lines(explanation)),
        *(Line(f"{name}: {text}") for name, text in remarks(explanation)),
    ]
    return [replace(line, text=one_line(line.text)) for line in lines]


def probability_text(explanation: Explanation, index: int) -> str:
    """Say of what the probability of a class consists.

    Parameters
    ----------
    explanation : Explanation
        Of a model with base rates.
    index : int
        Index of the class.

    Returns
    -------
    str
    """
    evidence = explanation.evidence
    rate = 0.0 if evidence.base_rates is None else float(evidence.base_rates[index])
    belief, ignorance = evidence.belief[0, index], evidence.ignorance[0]
    return (
        f"{percent(explanation.probability[index])} = belief {percent(belief)} + "
        f"base rate {percent(rate)} x ignorance {percent(ignorance)}"
    )


def uncertainty_text(explanation: Explanation) -> str:
    """Say where the ignorance comes from, and how far rules contradict each other.

    Parameters
    ----------
    explanation : Explanation
        Of a model with base rates.

    Returns
    -------
    str
    """
    evidence = explanation.evidence
    text = f"Ignorance: {percent(evidence.ignorance[0])}"
    if evidence.novelty is not None:
        weak, novelty = percent(evidence.weak_evidence[0]), percent(evidence.novelty[0])
        text += f" (weak evidence {weak}, novelty {novelty})"
    return f"{text}; contradiction: {percent(evidence.contradiction[0])}"


def remarks(explanation: Explanation) -> list[tuple[str, str]]:
    """Return what else there is to say, with names: missing and unusual values, and flips.

    Parameters
    ----------
    explanation : Explanation

    Returns
    -------
    list of tuple of str
    """
    found = []
    if explanation.missing:
        found.append(("Missing", ", ".join(explanation.missing)))
    if explanation.not_seen:
        values = [f"{name} {explanation.record[name]}" for name in explanation.not_seen]
        found.append(("Not seen in training", ", ".join(values)))
    if explanation.is_unusual:
        found.append(("Unusual", "; ".join(map(str, explanation.reasons))))
    others = {
        "If known": [flip for flip in explanation.flips if flip.kind == "known"],
        "If missing": [flip for flip in explanation.flips if flip.kind == "missing"],
    }
    changes = [flip for flip in explanation.flips if flip.kind == "change"]
    if changes or not explanation.flips:
        found.append(("Smallest change", explanation.smallest_change))
    if changes and not changes[0].is_answer:
        others_first = [str(flip) for flip in changes if flip.is_answer][:1]
        found += [("Smallest change to another class", text) for text in others_first]
    return [*found, *((name, _some(flips)) for name, flips in others.items() if flips)]


def _some(flips: list[Flip]) -> str:
    rest = len(flips) - MOST_FLIPS
    more = [f"{rest} more"] if rest > 0 else []
    return "; ".join([*map(str, flips[:MOST_FLIPS]), *more])


def _verdict_lines(explanation: Explanation) -> list[str]:
    """Say in words what the evidence amounts to, and then in numbers."""
    verdict = explanation.verdict
    head = [] if verdict is None else [str(verdict), *filter(None, [verdict.guess])]
    own, rival = explanation.class_index, explanation.rival_index
    return [
        *head,
        f"Prediction: {explanation.prediction} with {probability_text(explanation, own)}",
        f"Next: {explanation.rival} with {probability_text(explanation, rival)}",
        uncertainty_text(explanation),
    ]


def _belief_lines(explanation: Explanation) -> list[str]:
    p, evidence = explanation.probability, explanation.evidence
    own, rival = explanation.class_index, explanation.rival_index
    shares = [
        f"{label} {mass:.3f}"
        for label, mass in zip(class_names(explanation.classes), evidence.mass[0], strict=True)
        if mass >= 0.0005
    ]
    shares.append(f"don't know {evidence.ignorance[0]:.3f}")
    text = f"Belief: {', '.join(shares)}"
    if evidence.novelty is not None:
        text += (
            f" (weak evidence {evidence.weak_evidence[0]:.3f}, novelty {evidence.novelty[0]:.3f})"
        )
    return [
        f"Prediction: {explanation.prediction} (probability {p[own]:.3f}, "
        f"next {explanation.rival} with {p[rival]:.3f})",
        f"{text}; conflict {evidence.conflict[0]:.3f}",
    ]


def _ledger_lines(explanation: Explanation, every: bool) -> list[str]:
    entries = explanation.ledger(every=every, most=None if every else SHOWN)
    return [_line(explanation.contribution(entry), _words(entry)) for entry in entries]


def _sum_lines(explanation: Explanation) -> list[str]:
    total = explanation.total
    if explanation.has_base_rates:
        lines = [f"  = {_signed(total).strip()}"]
        taken, novelty = explanation.taken_back, explanation.evidence.novelty
        if novelty is not None and abs(taken) >= 0.0005:
            lines.append(_line(taken, f"taken back, because of novelty {percent(novelty[0])}"))
            lines.append(f"  = {_signed(total + taken).strip()}")
        return lines
    if np.isneginf(explanation.scores).all():
        return ["  Rules exclude every class: the prediction is drawn."]
    if total == 0:
        return ["  = 0, a tie: the prediction is drawn."]
    return [f"  = {_signed(total).strip()}"]


def _line(amount: float, words: str) -> str:
    return f"  {' ' * AMOUNT if np.isnan(amount) else _signed(amount)}  {words}"


def _words(entry: Entry) -> str:
    text = entry_text(entry)
    return f"{text} THEN {entry.conclusion}" if entry.conclusion else text


def entry_text(entry: Entry) -> str:
    """Return the condition of an entry, and before it, that it does not hold.

    Parameters
    ----------
    entry : Entry
        Of a rule that matches less than neutral, or any other.

    Returns
    -------
    str
    """
    if entry.kind != "matches less" or entry.rule is None:
        return entry.text
    return f"{'does not hold' if entry.fails else 'holds too little'}: {entry.text}"


def _signed(value: float) -> str:
    return f"{value:+{AMOUNT}.3f}"
