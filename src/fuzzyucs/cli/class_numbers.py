"""Numbers for classes, as options have them: LABEL=NUMBER,LABEL=NUMBER."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from fuzzyucs._util.wording import closest, listed

__all__ = ["costs_of_errors", "numbers_by_class", "read_base_rates"]


def numbers_by_class(
    option: str, texts: Sequence[str], classes: Sequence[Any], what: str = "classes"
) -> dict[Any, float]:
    """Read numbers for classes.

    Parameters
    ----------
    option : str
        Name of the option, for messages.
    texts : sequence of str
        Each of the form ``label=number``, or several of these with commas between them.
    classes : sequence
        The labels of all classes.
    what : str
        What they are, for messages.

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
                    f"{option}: the {what} are {', '.join(map(repr, labels))}, got {name!r}"
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


def read_base_rates(
    texts: Sequence[str], classes: Sequence[Any]
) -> dict[Any, float] | Literal["equal"]:
    """Read ``--base-rates``: a share for each class, or the word equal.

    Parameters
    ----------
    texts : sequence of str
        What the option was given.
    classes : sequence
        The labels of all classes.

    Returns
    -------
    dict or "equal"
        Shares by label.

    Examples
    --------
    >>> from fuzzyucs.cli.class_numbers import read_base_rates
    >>> read_base_rates(["well=0.9,ill=0.1"], ["ill", "well"])
    {'well': 0.9, 'ill': 0.1}
    >>> read_base_rates(["equal"], ["ill", "well"])
    'equal'
    """
    if list(texts) == ["equal"]:
        return "equal"
    rates = numbers_by_class("--base-rates", texts, classes)
    absent = [repr(str(label)) for label in classes if label not in rates]
    if absent:
        raise ValueError(
            f"--base-rates: {listed(absent)} {'has' if len(absent) == 1 else 'have'} no share"
        )
    if not (min(rates.values()) >= 0 and abs(sum(rates.values()) - 1) <= 1e-6):
        raise ValueError(
            f"--base-rates: shares must be at least 0 and sum to 1, got {','.join(texts)}"
        )
    return rates


def costs_of_errors(texts: Sequence[str], classes: Sequence[Any]) -> list[list[float]]:
    """Read ``--costs``: what it costs to take a class for another.

    Parameters
    ----------
    texts : sequence of str
        What the option was given. Errors cost 1 for classes that it does not name.
    classes : sequence
        The labels of all classes.

    Returns
    -------
    list of list of float
        A row for each decision and a column for each true class, as `Evidence.decide` takes them.

    Examples
    --------
    >>> from fuzzyucs.cli.class_numbers import costs_of_errors
    >>> costs_of_errors(["ill=10"], ["ill", "well"])
    [[0.0, 1.0], [10.0, 0.0]]
    """
    costs = numbers_by_class("--costs", texts, classes)
    for label, cost in costs.items():
        if not (cost >= 0 and math.isfinite(cost)):
            raise ValueError(
                f"--costs: {str(label)!r} must have a finite cost of at least 0, got {cost:g}"
            )
    return [
        [0.0 if true == named else costs.get(true, 1.0) for true in classes] for named in classes
    ]
