"""Rules as tables of text: Markdown, LaTeX, HTML and CSV, with every name escaped."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fuzzyucs._util.escaping import in_html, in_latex, in_markdown, one_line, spreadsheet_frame
from fuzzyucs._util.files import write_text
from fuzzyucs._util.markup import class_mark

if TYPE_CHECKING:
    from fuzzyucs.rules.rule_set import RuleSet

__all__ = [
    "Style",
    "TextTable",
    "one_line",
    "repr_html",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
]

N_SHOWN = 20  # rules in a notebook

Style = Literal["terms", "plain"]


@dataclass(frozen=True)
class TextTable:
    r"""A table of text.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    rows : list of list of str
        Cells.
    note : str
        What to say below it.
    n_texts : int
        So many columns are text, aligned at the left; the others are numbers.
    classes : list of int, optional
        Of each row, the class in its second column, which has a mark of its colour in HTML.

    Examples
    --------
    >>> from fuzzyucs.rules.tables import TextTable
    >>> print(TextTable(["if", "then", "weight"], [["a|b < 3", "50%", "0.9"]]).to_markdown())
    | if | then | weight |
    | :--- | :--- | ---: |
    | a&#124;b &lt; 3 | 50% | 0.9 |
    """

    header: list[str]
    rows: list[list[str]]
    note: str = ""
    n_texts: int = 2
    classes: list[int] | None = None

    def to_markdown(self) -> str:
        """Return a pipe table."""
        lines = [_markdown_row(map(in_markdown, row)) for row in [self.header, *self.rows]]
        ways = [":---" if self._is_text(i) else "---:" for i in range(len(self.header))]
        lines.insert(1, _markdown_row(ways))
        return "\n".join(lines + (["", in_markdown(self.note)] if self.note else []))

    def to_latex(self) -> str:
        """Return a tabular for the package booktabs."""
        n_columns = len(self.header)
        others = "".join("l" if self._is_text(i) else "r" for i in range(1, n_columns))
        head, *body = (" & ".join(map(in_latex, row)) + r" \\" for row in [self.header, *self.rows])
        note = rf"\multicolumn{{{n_columns}}}{{l}}{{{in_latex(self.note)}}} \\"
        return "\n".join(
            [
                rf"\begin{{tabular}}{{p{{0.6\linewidth}}{others}}}",
                *(r"\toprule", head, r"\midrule", *body),
                *((r"\midrule", note) if self.note else ()),
                *(r"\bottomrule", r"\end{tabular}"),
            ]
        )

    def to_html(self) -> str:
        """Return a table that fits into any page."""
        note = f"<caption>{in_html(one_line(self.note))}</caption>\n" if self.note else ""
        marks = ["" if index is None else class_mark(index) for index in self._classes]
        body = "\n".join(
            self._html_row("td", row, mark) for row, mark in zip(self.rows, marks, strict=True)
        )
        return (
            f'<table class="fuzzyucs-rules">\n{note}'
            f"<thead>\n{self._html_row('th', self.header)}\n</thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>"
        )

    @property
    def _classes(self) -> Sequence[int | None]:
        return [None] * len(self.rows) if self.classes is None else self.classes

    def _html_row(self, tag: str, row: list[str], mark: str = "") -> str:
        cells = (
            f'<{tag} style="text-align: {"left" if self._is_text(i) else "right"}'
            f'{"; white-space: nowrap" * (i > 0)}">{mark * (i == 1)}'
            f"{in_html(one_line(cell))}</{tag}>"
            for i, cell in enumerate(row)
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _is_text(self, column: int) -> bool:
        return column < self.n_texts


def to_markdown(rules: RuleSet, style: Style | None = None) -> str:
    """Return the rules as a Markdown table.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        How conditions are put into words, as in `to_text`.

    Returns
    -------
    str
    """
    return rules.to_table(style).to_markdown()


def to_latex(rules: RuleSet, style: Style | None = None) -> str:
    """Return the rules as a LaTeX tabular, which needs the package booktabs.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        How conditions are put into words, as in `to_text`.

    Returns
    -------
    str
    """
    return rules.to_table(style).to_latex()


def to_html(rules: RuleSet, style: Style | None = None) -> str:
    """Return the rules as an HTML table that fits into any page.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        How conditions are put into words, as in `to_text`.

    Returns
    -------
    str
    """
    return rules.to_table(style).to_html()


def to_csv(rules: RuleSet, path: str | PathLike[str] | None = None) -> str | None:
    """Return the rules as CSV, a rule per row, or write them to a file.

    Parameters
    ----------
    path : path, optional
        The file to write.

    Returns
    -------
    str or None
        The columns of `to_frame`, numbers with every digit; None if a file was written. Texts
        that a spreadsheet would compute begin with an apostrophe.
    """
    text: str = spreadsheet_frame(rules.to_frame()).to_csv(
        index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    if path is None:
        return text
    write_text(Path(path), text)
    return None


def repr_html(rules: RuleSet) -> str:
    """Return the first rules as an HTML table, for notebooks."""
    more = len(rules) - N_SHOWN
    table = rules[:N_SHOWN].to_html()
    return table if more <= 0 else f"{table}\n<p>and {more} more rule{'s' * (more > 1)}</p>"


def _markdown_row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"
