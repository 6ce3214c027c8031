"""Evidence as a piece of HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fuzzyucs._util.class_colours import class_colour
from fuzzyucs._util.markup import (
    CELL,
    DONT_KNOW,
    class_mark,
    dont_know_mark,
    paragraph,
    safe,
    stacked_bar,
    table,
)
from fuzzyucs._util.wording import class_names, counted, percent

if TYPE_CHECKING:
    from fuzzyucs.evidence.evidence import Evidence

__all__ = ["evidence_html"]

N_SHOWN = 10  # inputs
N_NAMED = 10  # classes in the legend
OF_SETS = "#AAAAAA"


def evidence_html(evidence: Evidence) -> str:
    """Write the first rows of evidence as HTML: the verdict in words, and a bar of the masses.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    str
        A ``<div>`` that needs nothing else. Labels are escaped.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs import Evidence
    >>> evidence = Evidence(
    ...     np.array(["<b>", "well"]), np.array([[0.7, 0.1]]), np.array([0.2]), np.array([0.0])
    ... )
    >>> "&lt;b&gt; 80 %" in evidence._repr_html_()
    True
    """
    head = f"<b>{counted(len(evidence), 'input', 'inputs')}</b> &ensp; {_legend(evidence)}"
    said = "verdict" if evidence.base_rates is not None else "most probable"
    names = {"": "left", said: "left", "belief": "left", "don't know": "right"}
    titles = "".join(
        f"<th style='{CELL};text-align:{side};opacity:.8'>{safe(name)}</th>"
        for name, side in names.items()
    )
    rows = [f"<tr style='background:none'>{titles}</tr>"] if len(evidence) else []
    rows += [_row(evidence, row) for row in range(min(len(evidence), N_SHOWN))]
    rest = len(evidence) - N_SHOWN
    more = paragraph(f"and {counted(rest, 'more input', 'more inputs')}") if rest > 0 else ""
    return f"<div style='font-size:90%'>{paragraph(head)}{table(rows)}{more}</div>"


def _legend(evidence: Evidence) -> str:
    labels = evidence.classes.tolist()
    marks = [f"{class_mark(i)}{safe(label)}" for i, label in enumerate(labels[:N_NAMED])]
    if len(labels) > N_NAMED:
        marks.append(counted(len(labels) - N_NAMED, "other class", "other classes"))
    return " &ensp; ".join([*marks, f"{dont_know_mark()}don't know"])


def _row(evidence: Evidence, row: int) -> str:
    one = evidence[row : row + 1]
    ignorance = float(one.ignorance[0])
    parts = [
        (f"{label} {percent(mass)}", mass, class_colour(i))
        for i, (label, mass) in enumerate(zip(one.classes, one.mass[0].tolist(), strict=True))
    ]
    if one.set_mass is not None:
        shared = float(one.set_mass[0].sum())
        parts.append((f"several classes {percent(shared)}", shared, OF_SETS))
    parts.append((f"don't know {percent(ignorance)}", ignorance, DONT_KNOW))
    cells = [
        (f"{row}", ";text-align:right;opacity:.7"),
        (_words(one), ""),
        (stacked_bar(parts), ""),
        (percent(ignorance), ";text-align:right;white-space:nowrap"),
    ]
    inside = "".join(f"<td style='{CELL}{style}'>{content}</td>" for content, style in cells)
    return f"<tr style='background:none'>{inside}</tr>"


def _words(one: Evidence) -> str:
    """Say what the evidence about an input amounts to."""
    from fuzzyucs.evidence.verdict_words import put_into_words

    if one.base_rates is not None:
        verdict = put_into_words(one)
        whole, end = str(verdict), len(verdict.headline)
        return f"<b>{safe(whole[:end])}</b>{safe(whole[end:])}"
    best = int(np.argmax(one.probability[0]))
    return f"{safe(class_names(one.classes)[best])} {percent(one.confidence[0])}"
