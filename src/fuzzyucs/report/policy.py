"""What a page may do: run its own scripts, use its own styles, and nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

__all__ = ["page_policy"]


def page_policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """Return a content security policy that allows some styles and scripts by their digests.

    Parameters
    ----------
    styles, scripts : iterable of str
        What stands between the tags of each element.

    Returns
    -------
    str

    Examples
    --------
    >>> from fuzzyucs.report.policy import page_policy
    >>> page_policy([""], [""]).split("; ")[1]
    "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {' '.join(map(_digest, styles))}",
            f"script-src {' '.join(map(_digest, scripts))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "object-src 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
