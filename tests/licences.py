"""Licences of what the library needs at run time: python tests/licences.py [extra ...].

Follows the requirements of the package as they are installed. Fails if a licence is of the GPL
family (GPL, AGPL; the weaker LGPL is told apart), or is not known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

COPYLEFT = re.compile(r"(?<![a-z])(a?gpl|(affero )?(gnu )?general public)", re.IGNORECASE)
OTHERS_TOO = re.compile(r"(?i)with.{0,40}exception")  # of GCC's run time, which may be linked
LONGEST = 60  # characters of a licence; longer texts are the licence itself
EXTRAS = ("cli", "distributed", "experiment", "files", "onnx", "plot", "river")


def licence_of(found: Distribution) -> str:
    """Return the name of a licence: what a package says of itself, in the order of precision."""
    head = found.metadata
    marks = [line for line in head.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [line.rpartition(" :: ")[2] for line in marks if not line.endswith("OSI Approved")]
    text = (head.get("License") or "").strip()
    short = text if text and "\n" not in text and len(text) <= LONGEST else ""
    first = text.partition("\n")[0].strip()[:LONGEST]
    return head.get("License-Expression") or short or ", ".join(named) or first or "unknown"


def is_refused(licence: str) -> bool:
    """Tell whether a licence is not known or asks users to publish their own programs.

    Examples
    --------
    >>> [is_refused(text) for text in ("BSD-3-Clause", "GPL-3.0-or-later", "unknown", "LGPL-2.1")]
    [False, True, True, False]
    """
    # Of "A OR B", users may choose.
    return all(
        part.strip() in ("", "unknown")
        or (COPYLEFT.search(part) is not None and OTHERS_TOO.search(part) is None)
        for part in re.split(r"\bOR\b", licence)
    )


def required(package: str, extras: Iterable[str] = ()) -> dict[str, str]:
    """Return the licences of a package and all that it requires and is installed, by name."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(package, extra) for extra in ("", *extras)]
    while todo:
        name, extra = todo.pop()
        if (name.lower(), extra) in seen:
            continue
        seen.add((name.lower(), extra))
        try:
            own = distribution(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed
        found[own.metadata["Name"]] = licence_of(own)
        for line in own.requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                todo += [(requirement.name, more) for more in ("", *requirement.extras)]
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def main() -> int:
    found = required("fuzzyucs", sys.argv[1:] or EXTRAS)
    for name, licence in found.items():
        print(f"{name:24} {licence}")
    refused = [name for name, licence in found.items() if is_refused(licence)]
    if refused:
        print(f"GPL or unknown: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
