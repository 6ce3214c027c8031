"""A question as text, and as JSON has it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyucs._util.escaping import one_line
from fuzzyucs._util.wording import counted, percent
from fuzzyucs._util.wrapping import Line
from fuzzyucs.explain.flips import WHY_NONE

if TYPE_CHECKING:
    from fuzzyucs.questions.next_question import Candidate, NextQuestion, Reply

__all__ = [
    "amount_text",
    "likely_replies",
    "outcome_text",
    "question_document",
    "question_lines",
    "why_text",
]

SHOWN = 4  # candidates after the best one
MOST_REPLIES = 12  # with a line each; of more, the most probable ones


def question_lines(question: NextQuestion) -> list[Line]:
    """Write a question as lines of text.

    Parameters
    ----------
    question : NextQuestion

    Returns
    -------
    list of Line
    """
    lines = [Line(f"{question.verdict}")]
    if question.verdict.guess:
        lines.append(Line(question.verdict.guess))
    if question.best is None:
        lines.append(Line(f"{question.why_nothing}."))
        return [replace(line, text=one_line(line.text)) for line in lines]
    lines.append(Line(f"Ask for {question.best.feature}: it {why_text(question, question.best)}."))
    replies = likely_replies(question.replies)
    width = max(len(reply.text) for reply in replies)
    lines += [
        Line(
            f"  {percent(reply.probability):>7}  {reply.text:<{width}}  {outcome_text(reply)}",
            width + 13,
        )
        for reply in replies
    ]
    more = len(question.replies) - len(replies)
    if more:
        lines.append(Line(f"  {counted(more, 'less probable reply', 'less probable replies')}"))
    others = question.candidates[1 : 1 + SHOWN]
    if others:
        said = "; ".join(f"{c.feature} {amount_text(question, c)}" for c in others)
        rest = len(question.candidates) - 1 - len(others)
        said += f"; {rest} more" if rest else ""
        lines.append(Line(f"Less useful: {said}"))
    return [replace(line, text=one_line(line.text)) for line in lines]


def likely_replies(replies: list[Reply]) -> list[Reply]:
    """Return the most probable replies, in the order of the terms.

    Parameters
    ----------
    replies : list of Reply

    Returns
    -------
    list of Reply
    """
    if len(replies) <= MOST_REPLIES:
        return replies
    shares = np.array([reply.probability for reply in replies])
    chosen = np.sort(np.argsort(-shares, kind="stable")[:MOST_REPLIES])
    return [replies[index] for index in chosen.tolist()]


def why_text(question: NextQuestion, candidate: Candidate) -> str:
    """Say what a question is expected to do.

    Parameters
    ----------
    question : NextQuestion
    candidate : Candidate
        One of its candidates.

    Returns
    -------
    str
    """
    name, unit = question.uncertainty.name, question.uncertainty.unit
    now, then = question.left, question.left - candidate.reduction
    if question.uncertainty.is_information:
        text = f"is expected to tell {candidate.reduction:.2g} bits about the class"
    elif abs(candidate.reduction) < 1e-10:
        text = f"is not expected to change the {name} of {now:.3g}{unit} by itself"
    else:
        verb = "reduce" if candidate.reduction > 0 else "raise"
        text = f"is expected to {verb} the {name} from {now:.3g} to {then:.3g}{unit}"
    return f"{text}, at a price of {candidate.price:g}" if question.has_prices else text


def outcome_text(reply: Reply) -> str:
    """Say what the model would say after a reply.

    Parameters
    ----------
    reply : Reply

    Returns
    -------
    str
    """
    likely = f"{reply.label} {percent(reply.confidence)}"
    if reply.verdict == "answer":
        return f"answer: {likely}"
    return f"no answer ({WHY_NONE[reply.reason]}), {likely}"


def amount_text(question: NextQuestion, candidate: Candidate) -> str:
    """Say by how much a question is expected to reduce the uncertainty, and its price.

    Parameters
    ----------
    question : NextQuestion
    candidate : Candidate
        One of its candidates.

    Returns
    -------
    str
    """
    amount = f"{candidate.reduction:.2g}{question.uncertainty.unit}"
    return f"{amount} (price {candidate.price:g})" if question.has_prices else amount


def question_document(question: NextQuestion) -> dict[str, Any]:
    """Return a question as JSON has it.

    Parameters
    ----------
    question : NextQuestion

    Returns
    -------
    dict
    """
    labels = [str(label) for label in question.classes]
    return {
        "feature": question.feature,
        "why_nothing": question.why_nothing or None,
        "measure": question.uncertainty.measure,
        "uncertainty": question.left,
        "verdict": question.verdict.kind,
        "reason": question.verdict.reason,
        "words": str(question.verdict),
        "guess": question.verdict.guess,
        "probability": dict(zip(labels, question.probability.tolist(), strict=True)),
        "candidates": [
            {
                "feature": candidate.feature,
                "reduction": candidate.reduction,
                "price": candidate.price,
                "per_price": candidate.per_price,
            }
            for candidate in question.candidates
        ],
        "replies": [
            {
                "text": reply.text,
                "value": _plain(reply.value),
                "probability": reply.probability,
                "verdict": reply.verdict,
                "reason": reply.reason,
                "label": str(reply.label),
                "class_probability": dict(
                    zip(labels, reply.class_probability.tolist(), strict=True)
                ),
                "ignorance": reply.ignorance,
                "uncertainty": reply.uncertainty,
            }
            for reply in question.replies
        ],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; dates and durations as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value
