"""The command that fuses models."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzzyucs._util.wrapping import Line
from fuzzyucs.cli.class_numbers import numbers_by_class, read_base_rates
from fuzzyucs.cli.inputs import features_for, load_model, open_table, print_summary
from fuzzyucs.cli.options import (
    AsJson,
    BaseRates,
    DecimalMark,
    Force,
    Markers,
    Quiet,
    Separator,
    SkipUnlabelled,
)
from fuzzyucs.cli.outputs import check_output, writing
from fuzzyucs.cli.terminal import print_json, print_lines, print_text

__all__ = ["fuse"]


def fuse(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...",
            help="Files written by fuzzyucs fit, one for each source, which is called by the name "
            "of its file.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File to write the model to."),
    ] = Path("fused.json"),
    reliability: Annotated[
        list[str] | None,
        typer.Option(
            "--reliability",
            metavar="NAME=NUMBER,...",
            help="How far to rely on sources, from 0 (not at all) to 1 (the default).",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="Table that no model has seen, to estimate the reliability on.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="NAME", help="Column of the table that holds the class."),
    ] = None,
    base_rates: BaseRates = None,
    skip_unlabelled: SkipUnlabelled = False,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make one model of several, of different sites for example, without their data."""
    names = _names(models)
    if (data is None) != (target is None):
        raise ValueError("--data and --target must be given together")
    if data is not None and reliability is not None:
        raise ValueError("--reliability is not needed if it is estimated on --data")
    check_output(output, [*models, *([] if data is None else [data])], force=force)
    from fuzzyucs.fusion import estimate_reliability
    from fuzzyucs.fusion import fuse as fused

    members = {name: load_model(path) for name, path in zip(names, models, strict=True)}
    given: Any = (
        None
        if reliability is None
        else numbers_by_class("--reliability", reliability, names, "sources")
    )
    if data is not None and target is not None:
        model = fused(members)
        reader = open_table(data, sep, decimal, missing_marker)
        if skip_unlabelled:
            reader.skip_unlabelled(target)
        y = reader.labels_for(target, model.classes_)
        X = features_for(model, reader)
        print_summary(reader, quiet)
        given = estimate_reliability(members, X, y)
    clf = fused(members, given)
    if base_rates is not None:
        classes = clf.classes_.tolist()
        rates = read_base_rates(base_rates, classes)
        clf = clf.with_base_rates("equal" if rates == "equal" else [rates[c] for c in classes])
    rules: Any = clf.rules_
    with writing(output):
        clf.save(output)
        if as_json:
            shown = {"model": str(output), "rules": len(rules), **rules.model_as_dict()}
            print_json(shown | {"features": clf.n_features_in_, "classes": clf.classes_.tolist()})
            return
        n_rules, n_sources = len(rules), len(rules.sources)
        print_text(f"{output}: {n_rules} rule{'s' * (n_rules != 1)} of {n_sources} sources")
        print_lines([Line(rules.note)], clf.classes_)


def _names(models: list[Path]) -> list[str]:
    """Call sources by their files; those of the same name by their paths."""
    stems = Counter(path.stem for path in models)
    return [path.stem if stems[path.stem] == 1 else str(path) for path in models]
