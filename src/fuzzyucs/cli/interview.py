"""An interview on a terminal: questions until the verdict is an answer."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.escaping import one_line
from fuzzyucs._util.wording import closest, counted, percent
from fuzzyucs._util.wrapping import Line
from fuzzyucs.cli.replies import read_value
from fuzzyucs.cli.terminal import print_lines, print_message, print_text

if TYPE_CHECKING:
    from fuzzyucs.questions import NextQuestion

__all__ = ["hold_interview"]

WIDTH = 40  # characters of a bar
MOST_BARS = 6
HELP = """  a value             the value of the feature, as in a table
  #1, #2, ...         one of the replies that are listed
  Enter               the value is not known; it is not asked for again
  NAME=VALUE          the value of another feature
  <                   take the last reply back
  ?                   this help, and what else could be asked
  q                   end"""


@dataclass
class _Interview:
    """What is known, what was skipped, and in which order."""

    clf: Any
    known: dict[str, Any]
    prices: dict[str, float]
    options: dict[str, Any]
    has_prices: bool
    asked: list[str] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)

    @property
    def names(self) -> tuple[str, ...]:
        """The features."""
        found: tuple[str, ...] = self.clf.rules_.variables.table_variables.feature_names
        return found

    def question(self) -> NextQuestion:
        prices = self.prices | dict.fromkeys(self.skipped, float("inf"))
        costs = prices if self.has_prices or self.skipped else None
        found: NextQuestion = self.clf.next_question(self.known, costs, **self.options)
        return found

    def take(self, name: str, value: Any) -> None:
        """Take a reply; None: it is not known."""
        self.asked.append(name)
        if value is None:
            self.skipped.add(name)
        else:
            self.skipped.discard(name)
            self.known[name] = value

    def take_back(self) -> None:
        name = self.asked.pop()
        self.skipped.discard(name)
        self.known.pop(name, None)


def hold_interview(
    clf: Any, known: dict[str, Any], prices: dict[str, float] | None, options: dict[str, Any]
) -> None:
    """Ask on standard output, and read replies from standard input, until there is an answer.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        The model.
    known : dict
        Values that are known at the beginning, by feature.
    prices : dict of str to float, optional
        What questions cost.
    options : dict
        Further arguments of `next_question`.
    """
    talk = _Interview(clf, dict(known), dict(prices or {}), options, prices is not None)
    is_told = False  # that there is an answer, and that the interview goes on
    print_text(
        "Reply with a value, #1, #2, ... for a reply that is listed, or Enter if it is not "
        "known; ? helps, q ends."
    )
    while True:
        question = talk.question()
        _show_state(question)
        if question.best is None:
            print_text(f"{question.why_nothing}.")
            break
        if question.is_answered and not is_told:
            print_text("The verdict is an answer. Enter ends, more goes on, and < takes back.")
            text = _choice({"": "", "q": "", "quit": "", "more": "more", "m": "more", "<": "<"})
            if text == "<" and talk.asked:
                talk.take_back()
                continue
            if text != "more":
                break
        is_told = question.is_answered
        _show_question(question, len(talk.asked) + 1)
        if not _reply(talk, question):
            break
    _show_end(talk)


def _read(prompt: str) -> str:
    """Return a line of standard input; at its end, "q"."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        sys.stdout.write("\n")
        return "q"
    if not sys.stdin.isatty():
        sys.stdout.write("\n")
    return line.strip()


def _choice(choices: dict[str, str]) -> str:
    """Read lines until one is among the choices; return what that means."""
    while (text := _read("> ").casefold()) not in choices:
        print_message(f"expected Enter, more or <, got {text!r}")
    return choices[text]


def _reply(talk: _Interview, question: NextQuestion) -> bool:
    """Read replies until one changes what is known; return whether to go on."""
    name = str(question.feature)
    while True:
        text = _read("> ")
        if text == "?":
            _show_help(question)
            continue
        if text == "<":
            if talk.asked:
                talk.take_back()
                return True
            print_message("nothing was replied yet")
            continue
        try:
            value = _value_of(talk, question, text)
        except ValueError as error:
            if text.casefold() in ("q", "quit"):
                return False
            print_message(str(error))
            continue
        if text.casefold() in ("q", "quit") and not _is_category(talk, name, text):
            return False
        talk.take(*value)
        return True


def _is_category(talk: _Interview, name: str, text: str) -> bool:
    feature = talk.names.index(name)
    known = talk.clf.columns_.categories.get(feature)
    return known is not None and text in known.terms


def _value_of(talk: _Interview, question: NextQuestion, text: str) -> tuple[str, Any]:
    """Return the feature that a reply is about, and its value; None if it is not known."""
    name = str(question.feature)
    if not text:
        return name, None
    if text.startswith("#"):
        replies = question.replies
        number = text[1:].strip()
        if not number.isdecimal() or not 1 <= int(number) <= len(replies):
            raise ValueError(f"the replies are #1 to #{len(replies)}, got {text!r}")
        return name, replies[int(number) - 1].value
    names = talk.names
    other, sign, rest = text.rpartition("=")
    if sign and not _is_category(talk, name, text):
        other = other.strip()
        if other not in names:
            raise ValueError(f"there is no feature {other!r}{closest(other, names)}")
        return other, read_value(talk.clf, other, rest)
    return name, read_value(talk.clf, name, text)


def _show_state(question: NextQuestion) -> None:
    """Print the verdict, and how far belief has grown out of ignorance."""
    evidence, classes = question.evidence, question.classes
    lines = [Line(""), Line(str(question.verdict))]
    order = sorted((-question.probability).argsort(kind="stable")[:MOST_BARS].tolist())
    names = {index: one_line(str(classes[index])) for index in order}
    width = max([*map(len, names.values()), len("don't know")])
    for index in order:
        belief = float(evidence.belief[0, index])
        lines.append(
            Line(f"  {names[index]:<{width}} {_bar(belief, '#')} belief {percent(belief)}")
        )
    ignorance = float(evidence.ignorance[0])
    lines.append(
        Line(f"  {'don' + chr(39) + 't know':<{width}} {_bar(ignorance, '.')} {percent(ignorance)}")
    )
    if question.verdict.guess:
        lines.append(Line(question.verdict.guess))
    print_lines(lines, classes)


def _bar(share: float, sign: str) -> str:
    return (sign * round(share * WIDTH)).ljust(WIDTH)


def _show_question(question: NextQuestion, number: int) -> None:
    """Print a question, why it is asked, and the replies that are listed."""
    from fuzzyucs.questions.question_text import outcome_text, why_text

    if question.best is None:
        return
    lines = [
        Line(""),
        Line(f"{number}. What is {question.best.feature}?"),
        Line(f"   It {why_text(question, question.best)}."),
    ]
    width = max(len(reply.text) for reply in question.replies)
    for place, reply in enumerate(question.replies, 1):
        mark, share = f"#{place}", percent(reply.probability)
        text = f"  {mark:>4}  {reply.text:<{width}}  {share:>7}  {outcome_text(reply)}"
        lines.append(Line(text, width + 19))
    print_lines([Line(one_line(line.text), line.hang) for line in lines], question.classes)


def _show_help(question: NextQuestion) -> None:
    print_text(HELP)
    from fuzzyucs.questions.question_text import amount_text

    others = "; ".join(f"{c.feature} {amount_text(question, c)}" for c in question.candidates[:10])
    print_text(f"  What could be asked, and what it is expected to bring: {one_line(others)}")


def _show_end(talk: _Interview) -> None:
    """Print how many questions it took, and what is known."""
    replied = {name for name in talk.asked if name in talk.known}
    words = counted(len(replied), "reply", "replies")
    skipped = f", {counted(len(talk.skipped), 'value', 'values')} not known" if talk.skipped else ""
    print_text(f"\n{words}{skipped}, of {counted(talk.clf.n_features_in_, 'feature', 'features')}.")
