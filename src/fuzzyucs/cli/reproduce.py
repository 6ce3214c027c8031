"""The command that repeats the article's evaluation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fuzzyucs.cli.options import at_least
from fuzzyucs.cli.terminal import print_text

__all__ = ["reproduce"]


def reproduce(
    only: Annotated[
        str | None, typer.Option("--only", metavar="TABLES", help="E.g. table3, or f1_10,acc_10.")
    ] = None,
    datasets: Annotated[
        str | None, typer.Option("--datasets", help="E.g. irs,wne (default: all of a table).")
    ] = None,
    systems: Annotated[
        str | None, typer.Option("--systems", help="E.g. fuzzyucs,ucs (default: all).")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs", callback=at_least(1), help="Only tables with this number of epochs."
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", callback=at_least(1), help="Number of random splits.")
    ] = 30,
    output: Annotated[Path, typer.Option("--output", help="Folder to write to.")] = Path("results"),
    data_dir: Annotated[
        str | None, typer.Option("--data-dir", help="Folder of the data (default: FUZZYUCS_DATA).")
    ] = None,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Only data that come with scikit-learn.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1 takes all cores.")] = -1,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of a Dask scheduler, tcp://...")
    ] = None,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="Tables only.")] = False,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Run UCS and Fuzzy-UCS a second time, as the article's program.",
        ),
    ] = False,
    list_only: Annotated[
        bool, typer.Option("--list", help="List tables and systems, then stop.")
    ] = False,
) -> int:
    """Repeat the article's evaluation and report it beside the published numbers.

    Finished runs are kept: after an interruption, the same command continues with the rest.
    """
    try:
        from fuzzyucs.experiment import reproduce as evaluation
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name} is missing; install what experiments need: "
            "pip install matplotlib pandas rich scikit-posthocs"
        ) from None
    if list_only:
        print_text(evaluation.overview())
        return 0
    try:
        return evaluation.reproduce(
            folder=output,
            tables=_names(only),
            datasets=_names(datasets),
            systems=_names(systems),
            epochs=epochs,
            runs=runs,
            data_dir=data_dir or os.environ.get("FUZZYUCS_DATA"),
            embedded=embedded,
            n_jobs=jobs,
            scheduler=scheduler,
            figures=not no_figures,
            as_published=as_published,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"finished runs are kept in {output}; the same command continues with the rest"
        ) from None


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for name in text.split(",") if name]
