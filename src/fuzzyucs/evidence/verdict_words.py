"""Verdicts in words: what a person reads first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fuzzyucs._util.wording import apart, class_names, counted, listed, percent
from fuzzyucs.evidence.evidence import Evidence

__all__ = ["Verdict", "put_into_words"]

WELL_SUPPORTED = 0.1  # greatest ignorance
NO_EVIDENCE = 0.95  # least ignorance
EXCLUDED = 4.0  # odds of the evidence against a class, beside the most probable one
SEPARATED = 1.5  # odds from which on rules do tell classes apart
MOST_NAMES = 5  # of classes in a sentence
MOST_EXCLUDED = 3
MOST_MISSING = 3  # names of missing values
ONLY_IF_CERTAIN = "this model answers only if it is certain"  # a threshold of 1


@dataclass(frozen=True)
class Verdict:
    """What evidence about a record amounts to, in words.

    Attributes
    ----------
    kind : {"answer", "torn", "unknown"}
        One of three states.
    reason : str
        Why it is no answer, as in `Evidence.reason`.
    headline : str
        The answer: a class, or "I don't know", for example.
    sentence : str
        What it rests on, or why there is none.
    guess : str
        What `predict` says although the verdict is no answer; empty if it is one.

    Examples
    --------
    >>> from fuzzyucs.evidence.verdict_words import Verdict
    >>> print(Verdict("answer", "", "Benign", "97 %, well supported"))
    Benign. 97 %, well supported
    """

    kind: str
    reason: str
    headline: str
    sentence: str
    guess: str = ""

    def __str__(self) -> str:
        if self.kind == "torn":
            return f"{self.headline}: {self.sentence[:1].lower()}{self.sentence[1:]}"
        return f"{self.headline}. {self.sentence}"


def put_into_words(
    evidence: Evidence,
    *,
    missing: Sequence[str] = (),
    unusual: Sequence[str] = (),
    unseen: Sequence[str] = (),
    outside: Mapping[str, str] | None = None,
) -> Verdict:
    """Say what evidence about one record amounts to.

    Parameters
    ----------
    evidence : Evidence
        Of one record. Without base rates, classes count as equally probable.
    missing : sequence of str
        Names of the missing values that rules ask for, the most important first.
    unusual : sequence of str
        What makes the record unlike the training data, the most unusual first.
    unseen : sequence of str
        Which of the missing values are known, but were not seen in training.
    outside : mapping of str to str, optional
        Sentences about the values outside of what the training data had, by feature. An answer is
        not called well supported then.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> from fuzzyucs.evidence.verdict_words import put_into_words
    >>> def say(mass, ignorance, **words):
    ...     evidence = Evidence(
    ...         np.array(["benign", "malignant"]),
    ...         np.array([mass]),
    ...         np.array([ignorance]),
    ...         np.zeros(1),
    ...         base_rates=np.array([0.63, 0.37]),
    ...         n_missing=np.array([len(words.get("missing", ()))]),
    ...     )
    ...     return put_into_words(evidence, **words)
    >>> print(say([0.94, 0.01], 0.05))
    Benign. 97 %, well supported
    >>> print(say([0.94, 0.01], 0.05, outside={"age": "age 300 is outside 18 to 90"}))
    Benign. 97 %, although age 300 is outside 18 to 90
    >>> print(say([0.0, 0.0], 1.0, missing=["worst area"]))
    I don't know. No evidence: worst area is missing
    >>> say([0.0, 0.0], 1.0).guess
    'Without evidence: benign 63 %'
    """
    if len(evidence) != 1:
        raise ValueError(f"evidence must be about one record, got {len(evidence)}")
    kind, reason = str(evidence.verdict[0]), str(evidence.reason[0])
    evidence = replace(evidence, classes=np.array(class_names(evidence.classes), dtype=object))
    strange = list((outside or {}).values())
    if kind == "answer":
        return Verdict(kind, reason, _headline(evidence), _support(evidence, strange))
    if kind == "torn":
        p = evidence.probability[0]
        labels = listed([f"{evidence.classes[c]} ({percent(p[c])})" for c in _order(p)[:2]])
        sentence = ", and ".join(["Rules contradict each other", *_outside(strange)])
        return Verdict(kind, reason, f"Between {labels}", sentence, _guess(evidence))
    if reason == "undecided":
        sentence = _undecided(evidence)
    elif reason == "novelty":
        sentence = "Unlike anything seen" + (f": {unusual[0]}" if unusual else "")
        strange = [text for text in strange if text not in unusual[:1]]
    elif reason == "missing":
        sentence = f"{_amount(evidence)}: {_missing(evidence, missing, unseen)}"
        strange = [text for name, text in (outside or {}).items() if name not in unseen]
    else:
        sentence = "The rules say too little"
    sentence = ", and ".join([sentence, *_outside(strange)])
    return Verdict(kind, reason, "I don't know", sentence, _guess(evidence))


def _headline(evidence: Evidence) -> str:
    """Return the answer, with a capital letter unless that makes it another class."""
    labels = list(map(str, evidence.classes))
    label = labels[int(evidence.probability[0].argmax())]
    capital = label[:1].upper() + label[1:]
    return label if label != label.lower() or capital in labels else capital


def _support(evidence: Evidence, strange: Sequence[str]) -> str:
    """Say how probable an answer is, and how well it is supported."""
    text, ignorance = percent(evidence.confidence[0]), float(evidence.ignorance[0])
    doubts, little = _outside(strange), _little(evidence)
    doubts += [little] if little else []
    if evidence.contradiction[0] >= evidence.thresholds.contradiction:
        doubts.append("rules contradict each other")
    elif ignorance > WELL_SUPPORTED and not little:
        doubts.append(f"the evidence leaves {percent(ignorance)} open")
    return f"{text}, although {', and '.join(doubts)}" if doubts else f"{text}, well supported"


def _little(evidence: Evidence) -> str:
    """Say that an answer is owed to the base rate, if the evidence does not speak for it."""
    share = float(evidence.confidence[0])
    rate = float(_rates(evidence)[int(evidence.probability[0].argmax())])
    if percent(share) == percent(rate):
        how = "nothing" if share <= rate else "next to nothing"
        return f"the evidence adds {how} to the base rate of {percent(rate)}"
    return (
        f"the evidence speaks against it: the base rate is {percent(rate)}" if share < rate else ""
    )


def _order(p: np.ndarray) -> list[int]:
    """Return the indices of the classes, the most probable first."""
    order: list[int] = np.argsort(-p, kind="stable").tolist()
    return order


def _outside(sentences: Sequence[str]) -> list[str]:
    """Tell the first value outside of the training data, and how many more there are."""
    more = len(sentences) - 1
    if more < 1:
        return list(sentences)
    are = counted(more, "more value is", "more values are")
    return [sentences[0], f"{are} outside of the training data"]


def _amount(evidence: Evidence) -> str:
    return "No evidence" if evidence.ignorance[0] >= NO_EVIDENCE else "Too little evidence"


def _missing(evidence: Evidence, names: Sequence[str], unseen: Sequence[str]) -> str:
    """Say how many values are missing, and name those that matter most."""
    number = len(names) if evidence.n_missing is None else int(evidence.n_missing[0])
    if names and number <= MOST_MISSING:
        named = names[:number]
        missing = [name for name in named if name not in unseen]
        new = [name for name in named if name in unseen]
        parts = []
        if missing:
            parts.append(f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        if new:
            verb = "value of" if len(new) == 1 else "values of"
            was = "was" if len(new) == 1 else "were"
            parts.append(f"the {verb} {listed(new)} {was} not seen in training")
        return ", and ".join(parts)
    why = "missing or were not seen in training" if set(names) & set(unseen) else "missing"
    text = counted(
        number, f"value that rules ask for is {why}", f"values that rules ask for are {why}"
    )
    return f"{text}, above all {listed(names[:MOST_MISSING])}" if names else text


def _rates(evidence: Evidence) -> np.ndarray:
    n = len(evidence.classes)
    return np.full(n, 1 / n) if evidence.base_rates is None else evidence.base_rates


def _undecided(evidence: Evidence) -> str:
    """Say which class is the most probable, or which are left, and which are excluded.

    What counts is the evidence, the ratio of probability and base rate: a class that is rare
    anyway is not excluded by that.
    """
    rates, p = _rates(evidence), evidence.probability[0]
    possible = rates > 0
    lift = np.where(possible, p / np.where(possible, rates, 1.0), 0.0)
    order = _order(p)
    top, needed = order[0], _below(p[order[0]], evidence.thresholds.answer)
    is_left = possible & (lift * EXCLUDED > lift[top])
    left = [c for c in order if is_left[c]]
    excluded = [c for c in order if possible[c] and not is_left[c]]
    if possible.sum() < 3 and percent(p[top]) == percent(p[order[1]]):
        return f"Undecided between {_classes(evidence, order[:2], [])}: {percent(p[top])} each"
    is_separated = lift[left].max() >= SEPARATED * lift[left].min()
    if len(left) < 2 or possible.sum() < 3 or (is_separated and len(left) > MOST_NAMES):
        return f"Rather {evidence.classes[top]}: {needed}"
    if is_separated:
        *others, last = (str(evidence.classes[c]) for c in sorted(left) if c != top)
        names = f"{', '.join(others)} or {last}" if others else last
        return f"Rather {evidence.classes[top]} than {names}{_but(evidence, excluded)}: {needed}"
    why = "the evidence hardly separates them"
    return f"Undecided between {_classes(evidence, left, excluded)}: {why}"


def _below(share: float, least: float) -> str:
    """Say how far a probability is below what an answer needs."""
    text, needed = apart(share, least)
    if least >= 1:
        return f"{percent(share)}, and {ONLY_IF_CERTAIN}"
    if text == needed:
        return f"just below the {needed} that an answer needs"
    return f"{text}, and an answer needs {needed}"


def _classes(evidence: Evidence, left: list[int], excluded: list[int]) -> str:
    """Name the classes that are left, and those that are excluded, as far as they are few."""
    names = evidence.classes
    if len(left) <= MOST_NAMES:
        return listed([names[c] for c in sorted(left)]) + _but(evidence, excluded)
    if len(excluded) > MOST_EXCLUDED:
        return f"{len(left)} of {len(left) + len(excluded)} classes"
    without = listed(sorted(str(names[c]) for c in excluded)) if excluded else ""
    return f"all classes but {without}" if excluded else f"all {len(left)} classes"


def _but(evidence: Evidence, excluded: list[int]) -> str:
    """Name the classes that are excluded, in brackets, if they are few."""
    without = sorted(str(evidence.classes[c]) for c in excluded)
    return f" (not {listed(without)})" if 0 < len(without) <= MOST_EXCLUDED else ""


def _guess(evidence: Evidence) -> str:
    """Say what `predict` answers all the same, and how much of that is the base rate."""
    rates, p = _rates(evidence), evidence.probability[0]
    own = int(p.argmax())
    usual = [c for c, rate in enumerate(rates) if rate >= rates.max() - 1e-9]
    names = "each class" if len(usual) == len(p) else listed([evidence.classes[c] for c in usual])
    if MOST_NAMES < len(usual) < len(p):
        names = f"each of {len(usual)} classes"
    text = f"ithout evidence: {names} {percent(rates.max())}"
    if own in usual and abs(p[own] - rates[own]) < 0.005:
        return f"W{text}"
    return f"Forced guess: {evidence.classes[own]} {percent(p[own])}; w{text}"
