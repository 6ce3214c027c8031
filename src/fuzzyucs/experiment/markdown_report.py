"""A report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fuzzyucs.experiment.content import Chapter, Content, slug
from fuzzyucs.experiment.layout import Cell, Grid, Row

__all__ = ["render_markdown"]


def render_markdown(content: Content) -> str:
    """Write a report in Markdown: the best of a row is bold, the worst in italics.

    Examples
    --------
    >>> from fuzzyucs.experiment.content import Chapter, Content
    >>> from fuzzyucs.experiment.markdown_report import render_markdown
    >>> print(render_markdown(Content("2 runs.", [Chapter("In short", ["All is well."])])))
    # Reproduction of the article
    <BLANKLINE>
    2 runs.
    <BLANKLINE>
    - [In short](#in-short)
    <BLANKLINE>
    ## In short
    <BLANKLINE>
    - All is well.
    <BLANKLINE>
    """
    contents = "\n".join(_contents(content.chapters))
    parts = [f"# {content.title}", _text(content.preface), contents]
    for chapter in content.chapters:
        parts.append(f"## {chapter.title}")
        if chapter.sentences:
            parts.append("\n".join(f"- {_text(sentence)}" for sentence in chapter.sentences))
        for grid in chapter.grids:
            parts += [f"### {grid.title}", _table(grid)]
        parts += [f"![{picture.caption}]({picture.path})" for picture in chapter.pictures]
    return "\n\n".join(parts) + "\n"


def _contents(chapters: Iterable[Chapter]) -> Iterator[str]:
    for chapter in chapters:
        yield f"- [{chapter.title}](#{slug(chapter.title)})"
        yield from (f"  - [{grid.title}](#{slug(grid.title)})" for grid in chapter.grids)


def _table(grid: Grid) -> str:
    titles = [
        f"{group}<br>{title}" if group else title
        for group, titles in grid.groups
        for title in titles
    ]
    lines = [f"| {' | '.join([grid.corner, *titles])} |", "|---|" + "---|" * len(titles)]
    lines += [_row(row) for row in [*grid.rows, *grid.footer]]
    return "\n".join(lines)


def _row(row: Row) -> str:
    return f"| {' | '.join([_text(row.label), *map(_cell, row.cells)])} |"


def _cell(cell: Cell) -> str:
    text = _text(cell.text)
    if text and cell.shade:
        stars = {"best": "**", "worst": "*"}[cell.shade]
        text = f"{stars}{text}{stars}"
    return " ".join(part for part in (text, _text(cell.mark), "≠" if cell.far else "") if part)


def _text(text: str) -> str:
    """Keep messages from ending a cell or a line of a table."""
    return " ".join(text.split("\n")).replace("|", r"\|").replace("*", r"\*")
