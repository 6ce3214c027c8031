"""The command ask: which missing value would tell most, and an interview on a terminal."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from fuzzyucs.cli.ask import at_base_rates, rows_named
from fuzzyucs.cli.class_numbers import costs_of_errors
from fuzzyucs.cli.inputs import features_for, load_model, open_table, print_summary
from fuzzyucs.cli.interview import hold_interview
from fuzzyucs.cli.options import (
    AsJson,
    DecimalMark,
    Markers,
    Model,
    OtherBaseRates,
    Quiet,
    Separator,
)
from fuzzyucs.cli.replies import named_texts, read_prices, read_value
from fuzzyucs.cli.terminal import print_json, print_lines, print_message

__all__ = ["ask"]


def ask(
    model: Model,
    record: Annotated[
        list[str] | None,
        typer.Option(
            "--record",
            metavar="FEATURE=VALUE",
            help="A value that is known. May be repeated; other values are missing.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="DATA", help="A table with a row of known values."),
    ] = None,
    row: Annotated[
        str, typer.Option("--row", metavar="NUMBER", help="Which row of the table, from 1.")
    ] = "1",
    price: Annotated[
        list[str] | None,
        typer.Option(
            "--price",
            metavar="FEATURE=NUMBER,...",
            help="What it costs to find out a value, such as scan=10, or inf if it cannot be found "
            "out; 1 for features that are not named. May be repeated.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="What questions are meant for: information about the class (default), or to "
            "reduce entropy, ignorance, error or brier.",
        ),
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            "--costs",
            metavar="LABEL=NUMBER,...",
            help="What it costs to take a class for another, such as malignant=10; 1 for classes "
            "that are not named. Questions are then meant to reduce the expected cost.",
        ),
    ] = None,
    base_rates: OtherBaseRates = None,
    interview: Annotated[
        bool | None,
        typer.Option(
            "--interview/--once",
            help="Ask until there is an answer, or write the next question only (default: an "
            "interview on a terminal).",
        ),
    ] = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the missing value that would tell most about the class, until there is an answer.

    On a terminal it is an interview, which begins with what is known. Otherwise the next question
    is written, with its possible replies and what the model would say after each.
    """
    if as_json and interview:
        raise typer.BadParameter("--json and --interview exclude each other")
    clf: Any = at_base_rates(load_model(model, data), base_rates)
    if not hasattr(clf, "next_question"):
        raise ValueError(f"ask needs an evidential model, got a {type(clf).__name__}")
    names = list(clf.rules_.variables.table_variables.feature_names)
    known: dict[str, Any] = {}
    if data is not None:
        reader = open_table(data, sep, decimal, missing_marker)
        known = _row_of(features_for(clf, reader), rows_named(row, reader.table), names)
        print_summary(reader, quiet)
    known |= {
        name: read_value(clf, name, text)
        for name, text in named_texts("--record", record or (), names).items()
    }
    options: dict[str, Any] = {"measure": measure}
    if costs is not None:
        options["losses"] = costs_of_errors(costs, clf.classes_.tolist())
    prices = None if price is None else read_prices(price, names)
    if interview is None:
        interview = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    if interview:
        hold_interview(clf, known, prices, options)
        return
    question = clf.next_question(known, prices, **options)
    if as_json:
        print_json(question.to_dict())
        return
    from fuzzyucs.questions.question_text import question_lines

    print_lines(question_lines(question), question.classes)
    if not quiet and question.best is not None and sys.stdout.isatty():
        print_message("fuzzyucs: --interview goes on asking")


def _row_of(table: Any, numbers: list[int], names: list[str]) -> dict[str, Any]:
    """Return the known values of a row of a table."""
    if len(numbers) != 1:
        raise ValueError(f"--row: ask takes one row, got {len(numbers)}")
    row = table[numbers[0] - 1 : numbers[0]]
    values = row.iloc[0].tolist() if hasattr(row, "iloc") else row[0].tolist()
    # NaN and NaT are not equal to themselves.
    pairs = zip(names, values, strict=True)
    return {name: value for name, value in pairs if value is not None and value == value}
