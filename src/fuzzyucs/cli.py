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
    _add_report(commands)
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


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, got {text}")
    return number


def _add_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="learn rules from a CSV file and write a page about them",
        description="Learn rules from a part of a CSV file, measure them on the rest, and write "
        "one HTML file: model card, accuracy and uncertainty, rules, variables, and a form to try "
        "the model. It opens in any browser and asks no server for anything.",
        epilog="example: fuzzyucs report patients.csv --target outcome -o patients.html",
    )
    parser.set_defaults(call=_report)
    parser.add_argument("data", type=Path, help="CSV file with a line of column names")
    parser.add_argument("--target", required=True, help="column that holds the class")
    parser.add_argument("--output", "-o", type=Path, default=Path("report.html"))
    parser.add_argument(
        "--test-size", type=_share, default=0.25, help="share of the rows to measure on"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the split and the search")
    parser.add_argument("--title", help="title of the page (default: name of the file)")
    parser.add_argument("--description", help="what the model is for")


def _report(options: argparse.Namespace) -> int:
    from sklearn.model_selection import train_test_split

    from fuzzyucs._optional import import_pandas
    from fuzzyucs.evidential import EvidentialRuleClassifier

    table = import_pandas().read_csv(options.data)
    if options.target not in table:
        raise ValueError(
            f"--target: {options.data} has no column {options.target!r}; "
            f"it has {list(table.columns[:10])}"
        )
    y = table.pop(options.target)
    if y.isna().any():
        raise ValueError(f"--target: {int(y.isna().sum())} rows have no {options.target!r}")
    parts = train_test_split(table, y, test_size=options.test_size, random_state=options.seed)
    X_train, X_test, y_train, y_test = parts
    clf = EvidentialRuleClassifier(random_state=options.seed, verbose=int(sys.stderr.isatty()))
    clf.fit(X_train, y_train)
    written = clf.report(
        X_test,
        y_test,
        options.output,
        title=options.title or options.data.stem,
        description=options.description,
    )
    print(f"{written}: {len(clf.rules_)} rules, {clf.score(X_test, y_test):.1%} right on held-out")
    return 0


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
