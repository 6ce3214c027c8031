"""What evaluation found, on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fuzzyucs._util.wrapping import n_cells, text_width
from fuzzyucs.cli.terminal import print_table, print_text
from fuzzyucs.cli.usefulness import ClassFigures, Usefulness, interval

__all__ = ["print_evaluation", "without_nan"]

Columns = Mapping[str, Mapping[str, Sequence[float]]]
SAID_ELSEWHERE = "accuracy_of_the_most_frequent_class"


def print_evaluation(
    useful: Usefulness, columns: Columns, verdicts: Mapping[str, Mapping[str, Any]]
) -> None:
    """Print whether a model is of use, its measures, classes and verdicts.

    Parameters
    ----------
    useful : Usefulness
        What the rows tell.
    columns : mapping of str to mapping
        Measures of the model and of others beside it: by title, then by name. Each has one number,
        or a mean and a spread.
    verdicts : mapping
        How many rows have each verdict, and how often predictions are right there.
    """
    print_text(" ".join(useful.sentences()))
    print_text("")
    _print_measures(columns)
    print_text("")
    _print_classes(useful.classes)
    if verdicts:
        print_text("")
        _print_verdicts(verdicts)
    if useful.rare is not None and 2 * useful.rare.found < useful.rare.rows:
        print_text(
            "\nRare classes are found more often with --base-rates equal or --class-weight "
            "balanced; with --costs, decisions weigh errors."
        )


def _print_measures(columns: Columns) -> None:
    """Print a row for each measure of the first column; others may lack some."""
    first = next(iter(columns.values()))
    rows = [
        [_words_of(name), *(_cell(name, measures.get(name, ())) for measures in columns.values())]
        for name in first
        if name != SAID_ELSEWHERE
    ]
    print_table(["measure", *columns], rows)


def _print_classes(classes: Sequence[ClassFigures]) -> None:
    """Print a row for each class, without intervals if they do not fit."""
    header = ["class", "rows", "recall", "95 %", "precision", "95 %", "AUC"]
    rows = [_class_row(own) for own in classes]
    widths = [max(map(n_cells, column)) for column in zip(header, *rows, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) > text_width():
        chosen = [i for i, name in enumerate(header) if name != "95 %"]
        header, *rows = [[row[i] for i in chosen] for row in [header, *rows]]
    print_table(header, rows)


def _class_row(own: ClassFigures) -> list[str]:
    return [
        own.label,
        f"{own.rows:,}",
        _share(own.recall),
        _range(*interval(own.found, own.rows)),
        _share(own.precision),
        _range(*interval(own.found, own.predicted)),
        _share(own.area),
    ]


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def _range(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def _words_of(measure: str) -> str:
    """Return the name of a measure as tables have it."""
    if measure == "auc":
        return "AUC"
    return measure.replace("_f1", " F1").replace("_", " ")


def _cell(measure: str, numbers: Sequence[float]) -> str:
    """Write a mean and its spread, with as many digits as tell something: rules are counted."""
    decimals = 3
    if measure == "rules":
        decimals = 0 if all(float(number).is_integer() for number in numbers) else 1
    return " ± ".join(f"{number:.{decimals}f}" for number in numbers if not math.isnan(number))


def _print_verdicts(verdicts: Mapping[str, Mapping[str, Any]]) -> None:
    """Print how many rows have each verdict, and how often predictions are right there."""
    rows = []
    for name, found in verdicts.items():
        right = "" if found["accuracy"] is None else f"{found['accuracy']:.3f}"
        rows.append([name, f"{found['rows']:,}", f"{found['share']:.3f}", right])
    print_table(["verdict", "rows", "share", "right"], rows)


def without_nan(measures: Mapping[str, float]) -> dict[str, float | None]:
    """Return measures for JSON, None where there is no number.

    Examples
    --------
    >>> from fuzzyucs.cli.evaluation import without_nan
    >>> without_nan({"accuracy": 0.5, "auc": float("nan")})
    {'accuracy': 0.5, 'auc': None}
    """
    return {name: None if math.isnan(value) else value for name, value in measures.items()}
