"""Commands that ask a model: predict, rules, explain."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyucs.cli.class_numbers import costs_of_errors, read_base_rates
from fuzzyucs.cli.inputs import (
    features_for,
    load_model,
    open_table,
    print_summary,
    read_pieces,
)
from fuzzyucs.cli.options import (
    AsJson,
    Costs,
    Data,
    DecimalMark,
    Force,
    Keep,
    Markers,
    Model,
    OtherBaseRates,
    Quiet,
    Separator,
    at_least,
)
from fuzzyucs.cli.outputs import check_output
from fuzzyucs.cli.terminal import (
    escaped_json,
    print_data,
    print_explanation,
    print_json,
    print_lines,
    print_message,
    print_text,
)

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.cli.tables.file import TableFile
    from fuzzyucs.estimators.base import RuleClassifier
    from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["at_base_rates", "explain", "predict", "rules"]


class Format(StrEnum):
    """Formats of rules."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    csv = "csv"
    json = "json"


def predict(
    model: Model,
    data: Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write (default: standard output)."
        ),
    ] = None,
    force: Force = False,
    keep: Keep = None,
    base_rates: OtherBaseRates = None,
    costs: Costs = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Classify the rows of a table: class, verdict, probabilities, ignorance and novelty of each.

    Evidential models: probability = belief + base rate x ignorance. The verdict tells what that
    amounts to: an answer, torn between classes, or unknown, with the reason. Rare classes are found
    more often with --base-rates equal, or by decisions with --costs.
    """
    if output is not None:
        check_output(output, [model, data], force=force)
    clf = at_base_rates(load_model(model, data), base_rates)
    table = None if costs is None else costs_of_errors(costs, clf.classes_.tolist())
    from fuzzyucs.cli.predictions import open_writer

    options = (sep, decimal, missing_marker)
    others = [name.strip() for entry in keep or () for name in (entry, *entry.split(","))]
    with open_writer(output, as_json=as_json) as writer:
        for reader in read_pieces(clf, data, *options, others=others, quiet=quiet):
            X, kept = features_for(clf, reader), reader.kept(keep or ())
            writer.add(_predictions(clf, X, table, kept, with_rates=as_json))
        print_summary(reader, quiet)


def at_base_rates(clf: Any, base_rates: list[str] | None) -> RuleClassifier:
    """Return the model, with the base rates of an option if they are given.

    Parameters
    ----------
    clf : RuleClassifier
        The model.
    base_rates : list of str, optional
        What the option was given.

    Returns
    -------
    RuleClassifier
    """
    if base_rates is not None:
        if not hasattr(clf, "base_rates_"):
            raise ValueError("--base-rates: the model has no base rates")
        clf = clf.with_base_rates(read_base_rates(base_rates, clf.classes_.tolist()))
    model: RuleClassifier = clf
    return model


def _predictions(
    clf: RuleClassifier,
    X: Any,
    costs: list[list[float]] | None,
    kept: dict[str, Any] | None = None,
    *,
    with_rates: bool,
) -> pd.DataFrame:
    from fuzzyucs._util.optional import import_pandas

    found = clf.answer(X)
    evidence = found.evidence
    columns: dict[str, Any] = {"prediction": found.labels}
    if costs is not None:
        columns["decision"] = evidence.decide(costs)
    if evidence.base_rates is not None:
        columns |= {"verdict": evidence.verdict, "reason": evidence.reason}
    for label, probability in zip(clf.classes_, found.probability.T, strict=True):
        columns[f"probability of {label}"] = probability
    if evidence.base_rates is not None:
        for label, belief in zip(clf.classes_, evidence.belief.T, strict=True):
            columns[f"belief of {label}"] = belief
        if with_rates:
            for label, rate in zip(clf.classes_, evidence.base_rates, strict=True):
                columns[f"base rate of {label}"] = rate
    columns["ignorance"] = evidence.ignorance
    if evidence.base_rates is not None:
        columns["contradiction"] = evidence.contradiction
    columns["novelty"] = evidence.novelty
    kept = kept or {}
    twice = [name for name in kept if name in columns]
    if twice:
        raise ValueError(f"--keep: {twice[0]!r} is the name of an answer, too; rename the column")
    return import_pandas().DataFrame(kept | columns)


def rules(
    model: Model,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="NUMBER", callback=at_least(1), help="Greatest number of rules."
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--class", metavar="LABEL", help="Only rules for this class.")
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            metavar="NAME",
            help="Only rules with a condition on this feature. May be repeated.",
        ),
    ] = None,
    style: Annotated[
        Format,
        typer.Option("--format", metavar="NAME", help="text, markdown, latex, html, csv or json."),
    ] = Format.text,
) -> None:
    """Write the rules of a model, the most important first."""
    chosen = _choose_rules(load_model(model), label, feature)[:top]
    if not len(chosen):
        print_message(f"fuzzyucs: {model} has no such rule")
    if style is Format.text:
        print_lines(chosen.text_lines(), chosen.classes)
    elif style is Format.json:
        print_json(chosen.to_json())
    else:
        writers: dict[Format, Callable[[], str | None]] = {
            Format.markdown: chosen.to_markdown,
            Format.latex: chosen.to_latex,
            Format.html: chosen.to_html,
            Format.csv: chosen.to_csv,
        }
        print_data((writers[style]() or "").rstrip("\n") + "\n")


def _choose_rules(clf: RuleClassifier, label: str | None, features: list[str] | None) -> RuleSet:
    from fuzzyucs._util.wording import closest

    found = clf.deciding_rules.by_importance()
    labels = {str(known): known for known in clf.classes_.tolist()}
    if label is not None and label not in labels:
        raise ValueError(
            f"--class: the model knows {', '.join(map(repr, labels))}, got {label!r}"
            f"{closest(label, labels)}"
        )
    names = found.variables.table_variables.feature_names
    for name in features or ():
        if name not in names:
            raise ValueError(
                f"--feature: the model has no feature {name!r}{closest(name, names)}\n  "
                f"it has {', '.join(map(repr, names))}"
            )
    return found.filter(feature=features, label=None if label is None else labels[label])


def explain(
    model: Model,
    data: Data,
    row: Annotated[
        str,
        typer.Option(
            "--row",
            metavar="NUMBERS",
            help="Row of the table, from 1, or several: 3, 2-5, 1,4,7-9, or all.",
        ),
    ] = "1",
    base_rates: OtherBaseRates = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write a piece of HTML.")] = False,
    every: Annotated[
        bool,
        typer.Option("--every", help="A line for every rule, however little it says."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Explain the classification of rows: the verdict, and what each rule contributes to it.

    With --json, several rows become an object per line.
    """
    if as_json and as_html:
        raise typer.BadParameter("--json and --html exclude each other")
    clf = at_base_rates(load_model(model, data), base_rates)
    reader = open_table(data, sep, decimal, missing_marker)
    numbers = rows_named(row, reader.table)
    X = features_for(clf, reader)
    print_summary(reader, quiet)
    is_one = len(numbers) == 1
    for number in numbers:
        explanation = clf.explain(X[number - 1 : number])
        heading = "" if is_one else f"Row {number}"
        if as_json and is_one:
            print_json(explanation.to_dict())
        elif as_json:
            print_data(escaped_json(json.dumps({"row": number, **explanation.to_dict()}) + "\n"))
        elif as_html:
            title = "" if is_one else f"<h3>{heading}</h3>\n"
            print_data(f"{title}{explanation.to_html(every=every)}\n")
        else:
            if heading:
                print_text(heading if number == numbers[0] else f"\n{heading}")
            print_explanation(explanation, every=every)


def rows_named(text: str, table: TableFile) -> list[int]:
    """Read the numbers of rows.

    Parameters
    ----------
    text : str
        Numbers and ranges such as ``1,4,7-9``, or ``all``.
    table : TableFile
        The table.

    Returns
    -------
    list of int
        From 1, in the order in which they are named.
    """
    if text.strip() == "all":
        return list(range(1, table.n_rows + 1))
    found: list[int] = []
    for part in text.split(","):
        first, mark, last = (end.strip() for end in part.partition("-"))
        if not first.isdecimal() or (mark and not last.isdecimal()):
            raise ValueError(f"--row: expected numbers such as 3, 2-5 or 1,4,7-9, got {text!r}")
        ends = int(first), int(last or first)
        if not 1 <= ends[0] <= ends[1] <= table.n_rows:
            raise ValueError(
                f"--row: {table.name} has rows 1 to {table.n_rows}, got {part.strip()}"
            )
        found += range(ends[0], ends[1] + 1)
    return found
