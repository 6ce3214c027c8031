"""The command line: parse, call, print."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``fuzzyucs``.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the command's name; by default what the shell says.

    Returns
    -------
    int
        Exit status: 0, 1 if something failed, 2 for wrong arguments.
    """
    parser = argparse.ArgumentParser(
        prog="fuzzyucs", description="Classification by rules that knows what it does not know."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_reproduce(commands)
    options = parser.parse_args(arguments)
    try:
        status: int = options.call(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"fuzzyucs: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("fuzzyucs: interrupted; what is done is kept", file=sys.stderr)
        return 130
    return status


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="repeat the article's evaluation and report it beside the published numbers",
        description="Repeat the article's evaluation. Results are kept in a store: a run that is "
        "stopped, however rudely, goes on where it was when it is started again.",
    )
    parser.set_defaults(call=_reproduce)
    parser.add_argument(
        "--only", type=_names, metavar="TABLES", help="e.g. table3, or f1_10,acc_10"
    )
    parser.add_argument("--datasets", type=_names, help="e.g. irs,wne (default: all of a table)")
    parser.add_argument("--systems", type=_names, help="e.g. fuzzyucs,ucs (default: all)")
    parser.add_argument("--epochs", type=_positive, help="only tables of so many epochs")
    parser.add_argument("--runs", type=_positive, default=30, help="splits (default: 30)")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder to write to")
    parser.add_argument("--data-dir", help="folder of the data (default: FUZZYUCS_DATA)")
    parser.add_argument("--embedded", action="store_true", help="only data that come with Python")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    parser.add_argument("--scheduler", help="address of a Dask scheduler, tcp://...")
    parser.add_argument("--no-figures", action="store_true", help="tables only")
    parser.add_argument("--list", action="store_true", help="list tables and systems, then stop")


def _reproduce(options: argparse.Namespace) -> int:
    try:
        from fuzzyucs.experiment import reproduce
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name} is missing; install what experiments need: "
            "pip install 'fuzzyucs[experiment]'"
        ) from None
    if options.list:
        print(reproduce.overview())
        return 0
    return reproduce.reproduce(
        folder=options.output,
        tables=options.only,
        datasets=options.datasets,
        systems=options.systems,
        epochs=options.epochs,
        runs=options.runs,
        data_dir=options.data_dir or os.environ.get("FUZZYUCS_DATA"),
        embedded=options.embedded,
        n_jobs=options.jobs,
        scheduler=options.scheduler,
        figures=not options.no_figures,
    )
