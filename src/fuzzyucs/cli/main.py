"""The command line: from the arguments that a shell passes to an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from fuzzyucs.cli.terminal import print_message

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``fuzzyucs``.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the command; by default the arguments of the process.

    Returns
    -------
    int
        Exit status: 0, 1 if something failed, 2 for bad input, 130 if interrupted. Arguments that
        make no sense exit with 2.
    """
    # Arrow reads it when it is imported, and gives back memory at once.
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
    with warnings.catch_warnings():
        warnings.showwarning = _note
        return _status(sys.argv[1:] if arguments is None else arguments)


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as other messages, without the line of code that it comes from."""
    print_message(f"fuzzyucs: {message}")


def _status(arguments: Sequence[str]) -> int:
    try:
        run = _application()
        status = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has closed it. Python would complain when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, ImportError) as error:
        print_message(f"fuzzyucs: {error}")
        return 2
    except KeyboardInterrupt as interruption:
        # Commands that have written something say so in the interruption.
        print_message(f"fuzzyucs: interrupted; {str(interruption) or 'nothing was written'}")
        return 130
    return status


def _application() -> Callable[[Sequence[str]], int]:
    """Return the function that runs commands, or explain how to install what it needs."""
    try:
        from fuzzyucs.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich", "typer"):
            raise
        raise ImportError(
            f"the command line needs {error.name}: pip install typer rich pandas"
        ) from error
    return run
