"""A report as a LaTeX document that compiles by itself."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzyucs.experiment.content import Chapter, Content, Picture
from fuzzyucs.experiment.layout import Cell, Grid, Row

__all__ = ["render_latex"]

PREAMBLE = r"""\documentclass[a4paper,landscape]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=15mm]{geometry}
\usepackage{array,graphicx,longtable}
\usepackage[table]{xcolor}
\definecolor{best}{HTML}{CDECCB}
\definecolor{worst}{HTML}{FFDCC4}
\newsavebox{\tablebox}
% A table in the size of its text, or as wide as the page if it is wider.
\newcommand{\fitted}[1]{\sbox{\tablebox}{#1}%
  \ifdim\wd\tablebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\tablebox}}%
  \else\usebox{\tablebox}\fi}
\setlength{\parindent}{0pt}
\renewcommand{\arraystretch}{1.15}
\setcounter{secnumdepth}{0}
\setcounter{tocdepth}{1}
"""
LONGEST = 24
"""Cells with longer texts are broken into lines."""


def render_latex(content: Content) -> str:
    r"""Write a report as a LaTeX document; pdflatex needs no other files than the figures.

    Examples
    --------
    >>> from fuzzyucs.experiment.content import Chapter, Content
    >>> from fuzzyucs.experiment.latex_report import render_latex
    >>> page = render_latex(Content("2 runs.", [Chapter("In short", ["100 % agree."])]))
    >>> r"\item 100 \% agree." in page
    True
    """
    parts = [
        PREAMBLE + rf"\title{{{_text(content.title)}}}" + "\n" + r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        _text(content.preface),
        r"\tableofcontents",
    ]
    for index, chapter in enumerate(content.chapters):
        parts += [r"\clearpage"] if index else []
        parts += _chapter(chapter)
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield rf"\section{{{_text(chapter.title)}}}"
    if chapter.sentences:
        items = "\n".join(rf"\item {_text(sentence)}" for sentence in chapter.sentences)
        yield f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
    for grid in chapter.grids:
        is_long = any(len(cell.text) > LONGEST for row in grid.rows for cell in row.cells)
        is_long |= any(len(row.label) > LONGEST for row in grid.rows)
        yield _long_table(grid) if is_long else _table(grid)
    yield from map(_picture, chapter.pictures)


def _table(grid: Grid) -> str:
    """Write a table on one page, as the article prints it."""
    columns = "l" + "".join(f"|{'r' * len(titles)}" for _, titles in grid.groups)
    lines = [
        r"\begin{minipage}{\linewidth}",
        rf"\subsection{{{_text(grid.title)}}}",
        rf"\footnotesize\fitted{{\begin{{tabular}}{{{columns}}}",
        *_head(grid),
        *map(_row, grid.rows),
        r"\hline",
        *map(_row, grid.footer),
        r"\end{tabular}}",
        r"\end{minipage}\bigskip",
    ]
    return "\n".join(lines)


def _long_table(grid: Grid) -> str:
    """Write a table of texts, which may go on on the next page."""
    columns = [grid.corner, *grid.columns]
    longest = [max(len(text) for text in texts) for texts in _texts_of_columns(grid)]
    widths = [min(max(length, 4), 60) for length in longest]
    total = sum(widths) + 3 * len(columns)
    shape = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{width / total:.3f}\linewidth}}" for width in widths
    )
    lines = [
        rf"\subsection{{{_text(grid.title)}}}",
        rf"{{\footnotesize\begin{{longtable}}{{{shape}}}",
        *_head(grid),
        r"\endhead",
        *map(_row, [*grid.rows, *grid.footer]),
        r"\end{longtable}}",
    ]
    return "\n".join(lines)


def _texts_of_columns(grid: Grid) -> Iterator[list[str]]:
    rows = [[row.label, *(cell.text for cell in row.cells)] for row in grid.rows]
    for index, title in enumerate([grid.corner, *grid.columns]):
        yield [title, *(row[index] for row in rows)]


def _head(grid: Grid) -> Iterator[str]:
    if any(group for group, _ in grid.groups):
        groups = (
            rf"\multicolumn{{{len(titles)}}}{{c}}{{{_text(group)}}}"
            for group, titles in grid.groups
        )
        yield " & ".join(["", *groups]) + r" \\"
    yield " & ".join(map(_text, [grid.corner, *grid.columns])) + r" \\ \hline"


def _row(row: Row) -> str:
    return " & ".join([_text(row.label), *map(_cell, row.cells)]) + r" \\"


def _cell(cell: Cell) -> str:
    shade = rf"\cellcolor{{{cell.shade}}}" if cell.shade else ""
    mark = {"+": "$+$", "-": "$-$"}.get(cell.mark, _text(cell.mark))
    parts = [_text(cell.text), mark, r"$\neq$" if cell.far else ""]
    return shade + " ".join(part for part in parts if part)


def _picture(picture: Picture) -> str:
    lines = [
        r"\begin{minipage}{\linewidth}\centering",
        rf"\includegraphics[width=\linewidth,height=0.8\textheight,keepaspectratio]{{{picture.path}}}",
        rf"\\{_text(picture.caption)}",
        r"\end{minipage}",
    ]
    return "\n".join(lines)


SPECIAL = {
    **{character: rf"\{character}" for character in "_%#&${}"},
    "\\": r"\textbackslash{}",
    "~": r"$\sim$",
    "^": r"\^{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "[": "{[}",  # after a line break it would be taken for an option
    '"': "''",
    "\n": " ",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "†": r"\dag{}",
    "≠": r"$\neq$",
}


def _text(text: str) -> str:
    """Write a text; characters that the fonts may lack become question marks."""
    return "".join(
        SPECIAL.get(character, character if " " <= character < "\x7f" else "?")
        for character in text
    )
