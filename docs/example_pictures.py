"""Order and pictures of the examples in the gallery."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:  # noqa: ARG001
    """Return the arguments of an example: a picture file beside it, which `take_picture` moves."""
    script = Path(script_vars["src_file"])
    script_vars["example_globals"]["__file__"] = str(script)  # the gallery does not set it
    return [script.with_suffix(".png").name]


def take_picture(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:  # noqa: ARG001
    """Move the picture that an example wrote to the folder of the gallery."""
    written = Path(block_vars["src_file"]).with_suffix(".png")
    if not written.exists():
        return ""
    target = Path(next(block_vars["image_path_iterator"]))
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(written, target)
    text: str = figure_rst([str(target)], gallery_conf["src_dir"])
    return text


class QuickstartFirst:
    """Order of the examples: the quickstart, then by name."""

    def __init__(self, src_dir: str) -> None:
        pass

    def __call__(self, filename: str) -> tuple[bool, str]:
        """Return the sort key."""
        return filename != "quickstart.py", filename
