"""What a report holds, whatever the format that it is written in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from fuzzyucs.experiment.layout import Grid

__all__ = ["Chapter", "Content", "Picture", "slug"]

TITLE = "Reproduction of the article"


class Picture(NamedTuple):
    """A figure: the name of its file in the folder ``figures`` without ending, and its caption."""

    name: str
    caption: str

    @property
    def path(self) -> str:
        """The file, from the report."""
        return f"figures/{self.name}.png"


@dataclass(frozen=True)
class Chapter:
    """A part of a report, with a heading: sentences, then tables, then figures."""

    title: str
    sentences: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.sentences or self.grids or self.pictures)


@dataclass(frozen=True)
class Content:
    """A whole report: where it comes from, and its chapters."""

    preface: str
    chapters: list[Chapter]
    title: str = TITLE


def slug(title: str) -> str:
    """Return the name by which a heading is linked to, as in Markdown.

    Examples
    --------
    >>> from fuzzyucs.experiment.content import slug
    >>> slug("Table 3: Macro F1 (30 runs)")
    'table-3-macro-f1-30-runs'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
