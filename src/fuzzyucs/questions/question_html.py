"""A question as a piece of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs._util.markup import (
    CELL,
    DONT_KNOW,
    paragraph,
    safe,
    stacked_bar,
    table,
    verdict_block,
)
from fuzzyucs._util.wording import counted, percent
from fuzzyucs.questions.question_text import (
    SHOWN,
    amount_text,
    likely_replies,
    outcome_text,
    why_text,
)

if TYPE_CHECKING:
    from fuzzyucs.questions.next_question import NextQuestion, Reply

__all__ = ["question_html"]


def question_html(question: NextQuestion) -> str:
    """Write a question as HTML: the verdict now, the question, and what each reply would do.

    Parameters
    ----------
    question : NextQuestion

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
    >>> "Ask for <b>petal width (cm)</b>" in clf.next_question().to_html()
    True
    """
    verdict = question.verdict
    words = paragraph(safe(verdict))
    if verdict.guess:
        words += paragraph(f"<small>{safe(verdict.guess)}</small>")
    best = int(question.probability.argmax())
    colour = class_colour(best) if question.is_answered else DONT_KNOW
    parts = [verdict_block(words, [colour])]
    if question.best is None:
        parts.append(paragraph(f"{safe(question.why_nothing)}."))
    else:
        why = safe(why_text(question, question.best))
        parts.append(paragraph(f"Ask for <b>{safe(question.best.feature)}</b>: it {why}."))
        shown = likely_replies(question.replies)
        parts.append(table([_head(), *(_row(question, reply) for reply in shown)]))
        more = len(question.replies) - len(shown)
        if more:
            said = counted(more, "less probable reply", "less probable replies")
            parts.append(paragraph(said))
        others = question.candidates[1 : 1 + SHOWN]
        if others:
            names = "; ".join(f"{safe(c.feature)} {safe(amount_text(question, c))}" for c in others)
            parts.append(paragraph(f"Less useful: {names}"))
    return f"<div style='font-size:90%;max-width:60em'>{''.join(parts)}</div>"


def _head() -> str:
    titles = ("reply", "how probable", "what the model says then", "")
    cells = "".join(f"<th style='{CELL};opacity:.8'>{title}</th>" for title in titles)
    return f"<tr style='background:none'>{cells}</tr>"


def _row(question: NextQuestion, reply: Reply) -> str:
    """Write a row: the reply, how probable it is, and the probabilities of the classes then."""
    bar = stacked_bar(
        (f"{label} {percent(p)}", float(p), class_colour(index))
        for index, (label, p) in enumerate(
            zip(question.classes, reply.class_probability, strict=True)
        )
    )
    cells = (safe(reply.text), percent(reply.probability), bar, safe(outcome_text(reply)))
    said = "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells)
    return f"<tr style='background:none'>{said}</tr>"
