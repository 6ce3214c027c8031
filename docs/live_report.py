"""The report of a model, which the first page shows in a frame: written while the site is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parent.parent / "examples" / "report_page.py"


def write_report(app: Any) -> None:
    """Run the example that writes a report, into the static files of the site."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, EXAMPLE, folder / "breast_cancer.html"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("builder-inited", write_report)
    return {"parallel_read_safe": True}
