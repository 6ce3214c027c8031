"""An index of all public names with one line each, made of the pages of the reference.

The first page of the reference lists the others in toctrees. Below each of these, this extension
writes a table of the names that the pages document, with the first sentences of their docstrings.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INDEX = "api/index"
DIRECTIVE = re.compile(r"^\.\. ([\w:]+)::(?: (\S+))?\n((?:   .*\n|\n)*)", re.MULTILINE)


def entries(page: str) -> Iterator[tuple[str, str]]:
    """Yield the full names that the source of a page documents, and what they are."""
    module = "fuzzyucs"
    for directive, argument, content in DIRECTIVE.findall(page):
        if directive == "currentmodule":
            module = argument
        elif directive == "py:data":
            yield f"{module}.{argument}", " ".join(content.split())
        elif directive == "autosummary":
            names = [line.strip() for line in content.splitlines()]
            for name in [f"{module}.{line}" for line in names if line and line[0] != ":"]:
                yield name, first_sentence(find(name))


def find(name: str) -> Any:
    """Return the object of a full name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def first_sentence(documented: Any) -> str:
    """Return the first sentence of a docstring, without its full stop."""
    paragraph = (inspect.getdoc(documented) or "").split("\n\n")[0]
    return re.split(r"\.(?: |$)", " ".join(paragraph.split()))[0]


def title(page: str) -> str:
    """Return the heading of a page."""
    return page.split("\n", 1)[0]


def table(name: str, page: str) -> list[str]:
    """Return a section of the index: the heading of a page as a link, and its names."""
    heading = f":doc:`{title(page)} <{name}>`"
    lines = [heading, "-" * len(heading), ""]
    lines += [".. list-table::", "   :class: api-overview", "   :widths: 36 64", ""]
    for full_name, summary in entries(page):
        shown = full_name.removeprefix("fuzzyucs.")
        lines += [f"   * - :py:obj:`{shown} <{full_name}>`", f"     - {summary}"]
    return [*lines, ""]


def write_tables(app: Any, name: str, source: list[str]) -> None:
    """Add the tables to the source of the index."""
    if name != INDEX:
        return
    folder = Path(app.srcdir) / "api"
    pages = re.findall(r"^   (\w+)$", source[0], re.MULTILINE)
    lines = [line for page in pages for line in table(page, (folder / f"{page}.rst").read_text())]
    source[0] = "\n".join([source[0], *lines])


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", write_tables)
    return {"parallel_read_safe": True}
