"""The command ``fuzzyucs`` with all of its subcommands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from fuzzyucs import __version__
from fuzzyucs.cli.ask import explain, predict, rules
from fuzzyucs.cli.asking import ask
from fuzzyucs.cli.fusing import fuse
from fuzzyucs.cli.learn import demo, evaluate, fit
from fuzzyucs.cli.reporting import report
from fuzzyucs.cli.reproduce import reproduce
from fuzzyucs.cli.terminal import print_message, print_text

__all__ = ["app", "run"]

# Depending on the version of typer this class is its own or click's.
UsageError: Any = typer.BadParameter.__bases__[0]

EXAMPLES: dict[Callable[..., Any], str] = {
    demo: "fuzzyucs demo -o iris.csv",
    fit: "fuzzyucs fit patients.csv --target outcome -o model.json",
    predict: "fuzzyucs predict model.json patients.csv > predictions.csv",
    evaluate: "fuzzyucs evaluate patients.csv --target outcome --folds 10",
    fuse: "fuzzyucs fuse north.json south.json -o fused.json",
    rules: "fuzzyucs rules model.json --class ill --top 5 --format markdown",
    explain: "fuzzyucs explain model.json patients.csv --row 3",
    ask: "fuzzyucs ask model.json --record age=63 --price scan=10",
    report: "fuzzyucs report patients.csv --target outcome -o patients.html, or with a model: "
    "fuzzyucs report model.json patients.csv",
    reproduce: "fuzzyucs reproduce --datasets irs,wne --runs 10 --epochs 10 --output results",
}

app = typer.Typer(
    help="Classification by rules that knows what it does not know.",
    epilog="Start with: fuzzyucs demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for _command, _example in EXAMPLES.items():
    app.command(epilog=f"Example: {_example}")(_command)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print_text(f"fuzzyucs {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Define the options of the command itself."""


def run(arguments: Sequence[str]) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str
        Its name and what follows.

    Returns
    -------
    int
        Exit status. Wrong arguments, and requests for help or the version, exit.
    """
    command = typer.main.get_command(app)
    try:
        with command.make_context("fuzzyucs", list(arguments) or ["--help"]) as context:
            status: int | None = command.invoke(context)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except UsageError as error:
        name = error.ctx.command_path if error.ctx is not None else "fuzzyucs"
        # Some versions of typer pass on what pydantic puts before a message.
        message = error.format_message().replace("Value error, ", "", 1)
        print_message(f"{name}: {message}\nTry '{name} --help'.")
        sys.exit(2)
    return status or 0
