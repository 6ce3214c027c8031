"""Helpers for tests of the report in a browser."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def table_of_categories(n: int = 300) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return a table with text, an order, and truths."""
    rng = np.random.default_rng(5)
    sizes = ["S", "M", "L", "XL"]
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(rng.choice(sizes, n), categories=sizes, ordered=True),
            "colour": rng.choice(["red", "<i>blue</i>", "green"], n),
            "weight": rng.normal(size=n),
            "old": rng.random(n) < 0.5,
        }
    )
    hot = (frame["colour"] == "red") & (frame["size"] >= "L") | (frame["weight"] > 1)
    return frame, np.where(hot, "yes", "no")


def as_json(rows: NDArray[np.float64]) -> list[list[float | None]]:
    """Return records as the page takes them."""
    return [[None if np.isnan(value) else float(value) for value in row] for row in rows]


# What the page says of records, all at once.
EVALUATE = """rows => rows.map(row => {
    const record = row.map(value => value === null ? NaN : value);
    const r = MODEL.evaluate(record);
    const entries = ledgerEntries(MODEL, r);
    const flips = record.flatMap((_, f) => flipsAlong(MODEL, record, f, r.matched, outcomeOf(r)));
    return {mass: r.mass, ignorance: r.ignorance, weak: r.weak, novelty: r.novelty, best: r.best,
            probability: r.probability, contradiction: r.contradiction,
            verdict: r.verdict, reason: r.reason, missing: r.nMissing,
            words: r.verdict ? verdictWords(MODEL, record, r) : null,
            degrees: r.matched.rules.map(e => [e.index, e.degree * e.believed]),
            reasons: r.reasons.map(e => e.feature),
            kinds: entries.map(e => [e.index, e.kind]),
            rival: rivalOf(MODEL, r),
            flips: flips.sort(compareFlips).map(flip => ({...flip,
                words: flipWords(MODEL.features[flip.feature], record[flip.feature], flip) +
                    " gives " + flipOutcome(MODEL, record, flip).join("")})),
            sums: r.scores.map((_, c) => entries.reduce((t, e) => t + e.amounts[c], 0))};
})"""


def named_rules(explanation: Any) -> list[Any]:
    """Return the entries of rules that the page names beside the verdict."""

    def first(entries: list[Any]) -> list[Any]:
        return entries[:1]

    ours, theirs = explanation.in_favour, explanation.against
    if explanation.verdict.kind == "unknown":
        found = []
    elif explanation.verdict.kind == "torn":
        found = first(ours) + first(theirs)
    elif ours and ours[0].kind == "base rates":
        is_alone = explanation.total < 2 * explanation.contribution(ours[0])
        found = [] if is_alone else ours[1:2]
    else:
        found = first(ours)
    return [entry for entry in found if entry.rule is not None]


def page_ledger(explanation: Any, most: int = 12) -> tuple[list[float], list[str]]:
    """Return amounts of the lines of the page, and texts of those that several rules share.

    They are those of the library, but rules that are named beside the verdict come first, and those
    that do not tell the two classes apart are left out.
    """
    named = named_rules(explanation)
    names = [entry.rule for entry in named]
    others = replace(
        explanation,
        entries=[e for e in explanation.entries if e.rule is None or e.rule not in names],
    )
    others.__dict__["rival_index"] = explanation.rival_index
    base, *lines = others.ledger(most=most - len(named))
    idle = re.compile(r"\d+ rules? (about other classes|that says? nothing)")
    lines = [line for line in lines if line.rule is not None or not idle.fullmatch(line.text)]
    entries = [base, *named, *lines]
    texts = [entry.text for entry in lines if entry.rule is None]
    return [explanation.contribution(entry) for entry in entries], texts


def listed_flips(explanation: Any) -> list[Any]:
    """Return the flips that the page lists: to forget a value is none, unless it is outside."""
    known = explanation.flips
    first = next((k for k, flip in enumerate(known) if flip.kind != "missing"), len(known))
    return [flip for k, flip in enumerate(known) if flip.kind != "missing" or k < first]


def plain(text: str) -> str:
    """Return a text of the page as Python writes it."""
    text = text.replace("\xa0", " ").replace("→", "->").replace("\u2019", "'")
    return re.sub(r"e([+-])(\d)\b", r"e\g<1>0\2", text)


def serious(page: Any) -> list[tuple[str, list[str]]]:
    """Return the serious violations of accessibility that axe-core finds."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["html"][:150] for node in violation["nodes"]][:5])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]
