"""A report as one HTML page, with sortable tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from fuzzyucs.experiment.content import Chapter, Content, Picture, slug
from fuzzyucs.experiment.layout import Cell, Grid, Row

__all__ = ["render_html"]

NUMBER = re.compile(r"[-+]?[\d.]+([eE][-+]?\d+)?(/\d+)*")
MANY = 14
"""Tables with more columns have smaller letters."""
TYPOGRAPHY = {"-": "\N{MINUS SIGN}", "~": "\N{TILDE OPERATOR}"}


def render_html(content: Content) -> str:
    """Write a report as one HTML page; figures are files beside it.

    Examples
    --------
    >>> from fuzzyucs.experiment.content import Chapter, Content
    >>> from fuzzyucs.experiment.html_report import render_html
    >>> page = render_html(Content("2 runs.", [Chapter("In short", ["All is well."])]))
    >>> '<a href="#in-short">In short</a>' in page
    True
    """
    style, script = (
        files("fuzzyucs.experiment").joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js")
    )
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(content.title)}</title><style>{style}</style></head><body>",
        f"<h1>{escape(content.title)}</h1><p>{escape(content.preface)}</p>",
        f'<nav aria-label="Contents">{"".join(map(_contents, content.chapters))}</nav>',
        *(part for chapter in content.chapters for part in _chapter(chapter)),
        f"<script>{script}</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _contents(chapter: Chapter) -> str:
    link = _link(chapter.title)
    if len(chapter.grids) < 2:
        return f"<p>{link}</p>"
    items = "".join(f"<li>{_link(grid.title)}</li>" for grid in chapter.grids)
    return f"<details><summary>{link}</summary><ul>{items}</ul></details>"


def _link(title: str) -> str:
    return f'<a href="#{slug(title)}">{escape(title)}</a>'


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f'<section><h2 id="{slug(chapter.title)}">{escape(chapter.title)}</h2>'
    if chapter.sentences:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in chapter.sentences)
        yield f"<ul>{items}</ul>"
    for grid in chapter.grids:
        yield from _table(grid)
    yield from map(_picture, chapter.pictures)
    yield "</section>"


def _picture(picture: Picture) -> str:
    caption = escape(picture.caption)
    image = f'<img src="{picture.path}" alt="{caption}" loading="lazy">'
    return (
        f'<figure><a href="{picture.path}">{image}</a><figcaption>{caption}</figcaption></figure>'
    )


def _table(grid: Grid) -> Iterator[str]:
    yield f'<h3 id="{slug(grid.title)}">{escape(grid.title)}</h3><div class="wide">'
    yield f'<table class="{"dense" if len(grid.columns) > MANY else ""}"><thead>'
    if any(group for group, _ in grid.groups):
        cells = "".join(
            f'<th colspan="{len(titles)}" scope="colgroup" class="{"first" if group else ""}">'
            f"{escape(group)}</th>"
            for group, titles in grid.groups
        )
        yield f"<tr><td></td>{cells}</tr>"
    looks = _looks(grid)
    titles = "".join(
        f'<th scope="col" class="{look}"><button>{escape(title)}</button></th>'
        for title, look in zip([grid.corner, *grid.columns], ["", *looks], strict=True)
    )
    yield f"<tr>{titles}</tr></thead><tbody>"
    yield from (_row(row, looks) for row in grid.rows)
    yield "</tbody>"
    if grid.footer:
        yield "<tfoot>"
        yield from (_row(row, looks) for row in grid.footer)
        yield "</tfoot>"
    yield "</table></div>"


def _looks(grid: Grid) -> list[str]:
    """Return the classes of each column: whether a group begins with it, whether it holds texts."""
    looks = []
    for group, titles in grid.groups:
        looks += ["first" if group and not index else "" for index, _ in enumerate(titles)]
    for index, _ in enumerate(looks):
        if not all(_is_number(row.cells[index].text) for row in grid.rows):
            looks[index] += " text"
    return [look.strip() for look in looks]


def _row(row: Row, looks: list[str]) -> str:
    cells = "".join(map(_cell, row.cells, looks))
    return f'<tr><th scope="row">{escape(row.label)}</th>{cells}</tr>'


def _cell(cell: Cell, look: str) -> str:
    names = " ".join(name for name in (look, cell.shade) if name)
    note = f' title="{escape(cell.note)}"' if cell.note else ""
    mark = TYPOGRAPHY.get(cell.mark, cell.mark)
    marks = f" <small>{escape(mark)}</small>" if mark else ""
    marks += ' <small class="differs">≠</small>' if cell.far else ""
    return f'<td class="{names}"{note}>{escape(cell.text)}{marks}</td>'


def _is_number(text: str) -> bool:
    """Tell whether a text is a number, or stands for one."""
    return text in ("", "-", "no run") or NUMBER.fullmatch(text) is not None
