"""Options by which users tell what a model has to keep to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from fuzzyucs._util.wording import closest

__all__ = ["Apart", "ClassOrder", "Interact", "Monotonic", "Price", "PriceWeight", "constraints_in"]

Monotonic = Annotated[
    list[str] | None,
    typer.Option(
        "--monotonic",
        metavar="NAME=SIGN,...",
        help="Directions, such as age=1,dose=-1: the greater a column, the more (1) or the less "
        "(-1) probable is the last class, or are higher classes (evidential). May be repeated.",
    ),
]
ClassOrder = Annotated[
    str | None,
    typer.Option(
        "--class-order",
        metavar="LABEL,...",
        help="Classes from the lowest to the highest, such as low,medium,high, for --monotonic "
        "(default: as numbers or letters are ordered; more than two words need it).",
    ),
]
Apart = Annotated[
    list[str] | None,
    typer.Option(
        "--apart",
        metavar="NAME+NAME+...",
        help="Columns that must not occur together in a rule (evidential). May be repeated.",
    ),
]
Interact = Annotated[
    list[str] | None,
    typer.Option(
        "--interact",
        metavar="NAME+NAME+...",
        help="Columns that may occur together in a rule; those that are not named make up another "
        "such set (evidential). May be repeated.",
    ),
]
Price = Annotated[
    list[str] | None,
    typer.Option(
        "--price",
        metavar="NAME=NUMBER,...",
        help="Prices of columns, such as scan=10,age=0.5; the others cost nothing. Dear columns "
        "are used only if they are worth it (evidential). May be repeated.",
    ),
]
PriceWeight = Annotated[
    float | None,
    typer.Option(
        "--price-weight",
        metavar="NUMBER",
        help="By how much the mean log-loss has to fall for a price of 1 (default: 0.001).",
    ),
]


def constraints_in(
    names: Sequence[str],
    classes: Sequence[Any],
    *,
    monotonic: Sequence[str] | None,
    class_order: str | None,
    apart: Sequence[str] | None,
    interact: Sequence[str] | None,
    price: Sequence[str] | None,
    price_weight: float | None,
) -> dict[str, Any]:
    """Return parameters of the estimator for what the options were given.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    classes : sequence
        Class labels.
    monotonic, class_order, apart, interact, price, price_weight
        What the options of these names were given.

    Examples
    --------
    >>> from fuzzyucs.cli.constraint_options import constraints_in
    >>> constraints_in(
    ...     ["age", "dose"],
    ...     [0, 1],
    ...     monotonic=["age=1,dose=-1"],
    ...     class_order=None,
    ...     apart=["age+dose"],
    ...     interact=None,
    ...     price=None,
    ...     price_weight=None,
    ... )
    {'monotonic_cst': {'age': 1, 'dose': -1}, 'apart_features': [['age', 'dose']]}
    """
    found: dict[str, Any] = {}
    if monotonic:
        found["monotonic_cst"] = _by_name("--monotonic", monotonic, names, _sign)
    if class_order is not None:
        found["class_order"] = _labels(class_order, classes)
    if apart:
        found["apart_features"] = [_set("--apart", text, names, 2) for text in apart]
    if interact:
        found["interaction_cst"] = [_set("--interact", text, names, 1) for text in interact]
    if price:
        found["feature_costs"] = _by_name("--price", price, names, _number)
    if price_weight is not None:
        if not 0 < price_weight < float("inf"):
            raise ValueError(f"--price-weight must be greater than 0, got {price_weight:g}")
        found["cost_weight"] = price_weight
    return found


def _by_name(
    option: str, texts: Sequence[str], names: Sequence[str], read: Callable[[str, str], Any]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        # A name that contains a comma has an option of its own.
        whole = text.rpartition("=")[0].strip() in names
        for part in [text] if whole else text.split(","):
            name, sign, value = part.rpartition("=")
            name = name.strip()
            if not sign:
                raise ValueError(f"{option}: expected NAME=NUMBER, got {part!r}")
            _check(option, name, names)
            if name in found:
                raise ValueError(f"{option}: {name!r} is named twice")
            found[name] = read(name, value.strip())
    return found


def _check(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ValueError(f"{option}: there is no column {name!r}{closest(name, names)}")


def _sign(name: str, text: str) -> int:
    signs = {"1": 1, "+1": 1, "-1": -1, "0": 0}
    if text not in signs:
        raise ValueError(f"--monotonic: expected 1, -1 or 0 for {name!r}, got {text!r}")
    return signs[text]


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"--price: expected a number for {name!r}, got {text!r}") from None
    if not 0 <= number < float("inf"):
        raise ValueError(f"--price: expected a number from 0 on for {name!r}, got {text!r}")
    return number


def _set(option: str, text: str, names: Sequence[str], least: int) -> list[str]:
    # A name that contains a plus stands alone, or its set cannot be told from others.
    found = [text.strip()] if text.strip() in names else [part.strip() for part in text.split("+")]
    for name in found:
        _check(option, name, names)
    if len(set(found)) < least:
        raise ValueError(f"{option}: expected two columns and more, as in a+b, got {text!r}")
    return found


def _labels(text: str, classes: Sequence[Any]) -> list[Any]:
    labels = {str(label): label for label in classes}
    found = [part.strip() for part in text.split(",")]
    if sorted(found) != sorted(labels):
        raise ValueError(
            f"--class-order: expected each of the classes {', '.join(map(repr, labels))} once, got "
            f"{text!r}"
        )
    return [labels[name] for name in found]
