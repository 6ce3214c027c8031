"""The command that writes a page about a model: report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyucs._util.wording import counted, percent
from fuzzyucs.cli.inputs import (
    features_for,
    form_of,
    load_model,
    open_table,
    print_summary,
    target_for,
    training_data,
)
from fuzzyucs.cli.options import (
    Dates,
    DecimalMark,
    Drop,
    DropUnusable,
    Examples,
    Force,
    ImageShape,
    KnownTarget,
    Labels,
    Markers,
    Nominal,
    Order,
    Ordered,
    Quiet,
    Separator,
    SkipUnlabelled,
    Types,
    Units,
    random_seed,
    share,
)
from fuzzyucs.cli.outputs import check_output, writing
from fuzzyucs.cli.page_options import PageOptions
from fuzzyucs.cli.terminal import print_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fuzzyucs.cli.tables.file import TableFile

__all__ = ["report"]


def report(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] DATA",
            help="CSV or Parquet file to learn from and to measure on, or a model and a file to "
            "measure it on.",
            show_default=False,
        ),
    ],
    target: KnownTarget = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    force: Force = False,
    test_size: Annotated[
        float,
        typer.Option(
            "--test-size",
            metavar="SHARE",
            callback=share,
            help="Share of the rows to measure on, if there is no model yet.",
        ),
    ] = 0.25,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            callback=random_seed,
            help="Seed of the split and the search.",
        ),
    ] = 0,
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the page (default: name of the file).")
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="Purpose of the model.")
    ] = None,
    units: Units = None,
    labels: Labels = None,
    examples: Examples = None,
    image_shape: ImageShape = None,
    nominal: Nominal = None,
    ordered: Ordered = None,
    types: Types = None,
    dates: Dates = False,
    date_order: Order = None,
    drop: Drop = None,
    drop_unusable: DropUnusable = False,
    skip_unlabelled: SkipUnlabelled = False,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    quiet: Quiet = False,
) -> None:
    """Write a page about a model, to read in a browser.

    It is one HTML file: model card, accuracy, uncertainty, rules, and a form to try the model.
    Without a model, rules are learned from a part of the table and measured on the rest.
    """
    if len(files) > 2:
        raise typer.BadParameter("expected a table, or a model and a table")
    check_output(output, files, force=force)
    asked = PageOptions(units or (), labels or (), examples, image_shape)
    *models, data = files
    if not models and data.endswith(".json"):
        raise ValueError(f"a report on {data} needs a table to measure it on, too")
    clf = load_model(Path(models[0]), data) if models else None
    target = target_for(target, clf)
    reader = open_table(data, sep, decimal, missing_marker)
    if clf is not None:
        if skip_unlabelled:
            reader.skip_unlabelled(target)
        y_test = reader.labels_for(target, clf.classes_)
        X_test = features_for(clf, reader)
        row_numbers = _row_numbers(reader.table)
        print_summary(reader, quiet)
        shown = asked.read(
            clf.deciding_rules.variables.table_variables.feature_names,
            clf.classes_.tolist(),
            len(y_test),
        )
    else:
        from sklearn.model_selection import train_test_split

        from fuzzyucs import EvidentialRuleClassifier

        verbose = int(sys.stderr.isatty() and not quiet)
        clf = EvidentialRuleClassifier(random_state=seed, verbose=verbose)
        choices = (nominal, drop, ordered, types, dates, date_order, drop_unusable)
        X, y = training_data(reader, target, choices, skip_unlabelled=skip_unlabelled)
        print_summary(reader, quiet)
        X_train, X_test, y_train, y_test, _, row_numbers = train_test_split(
            X, y, _row_numbers(reader.table), test_size=test_size, random_state=seed
        )
        shown = asked.read(list(X), sorted(set(y_train), key=str), len(y_test))
        clf.fit(X_train, y_train)
        if reader.form:
            clf.table_form_ = reader.form
    shown["units"] = {**form_of(clf).units, **shown["units"]}
    from fuzzyucs.report import write_report

    answer = clf.answer(X_test)
    accuracy = (answer.labels == y_test).mean()
    with writing(output):
        name = title or Path(reader.table.name).stem
        write_report(
            clf,
            X_test,
            y_test,
            output,
            title=name,
            description=description,
            answer=answer,
            row_numbers=row_numbers,
            held_out=not models,
            **shown,
        )
        rows = f"{len(y_test)} {'rows' if models else 'held-out rows'}"
        n_rules = counted(len(clf.deciding_rules), "rule", "rules")
        print_text(f"{output}: {n_rules}, accuracy {percent(accuracy, 1)} on {rows}")


def _row_numbers(table: TableFile) -> NDArray[np.intp]:
    """Return the number that each row has in the file, from 1."""
    import numpy as np

    rows = np.arange(table.n_rows) if table.kept is None else table.kept
    return table.first_row + rows + 1
