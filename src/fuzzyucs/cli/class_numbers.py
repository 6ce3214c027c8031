"""Numbers for classes, as options have them: LABEL=NUMBER,LABEL=NUMBER."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fuzzyucs.cli.tables.wording import closest

__all__ = ["numbers_by_class"]


def numbers_by_class(option: str, texts: Sequence[str], classes: Sequence[Any]) -> dict[Any, float]:
    """Read numbers for classes.

    Parameters
    ----------
    option : str
        Name of the option, for messages.
    texts : sequence of str
        Each of the form ``label=number``, or several of these with commas between them.
    classes : sequence
        The labels of all classes.

    Returns
    -------
    dict
        The numbers, by label.

    Examples
    --------
    >>> from fuzzyucs.cli.class_numbers import numbers_by_class
    >>> numbers_by_class("--base-rates", ["0=0.9,1=0.1"], [0, 1])
    {0: 0.9, 1: 0.1}
    """
    labels = {str(label): label for label in classes}
    found: dict[Any, float] = {}
    for text in texts:
        # A label that contains a comma has an option of its own.
        whole = text.rpartition("=")[0].strip() in labels
        for part in [text] if whole else text.split(","):
            name, sign, number = part.rpartition("=")
            name = name.strip()
            if not sign:
                raise ValueError(f"{option}: expected LABEL=NUMBER, got {part!r}")
            if name not in labels:
                raise ValueError(
                    f"{option}: the classes are {', '.join(map(repr, labels))}, got {name!r}"
                    f"{closest(name, labels)}"
                )
            if labels[name] in found:
                raise ValueError(f"{option}: {name!r} is named twice")
            try:
                found[labels[name]] = float(number)
            except ValueError:
                raise ValueError(
                    f"{option}: expected a number for {name!r}, got {number!r}"
                ) from None
    return found
