"""The command line: from what the shell says to an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

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
        Exit status: 0, 1 if something failed, 2 for bad input, 130 if interrupted. Arguments that
        make no sense exit with 2.
    """
    try:
        from fuzzyucs.cli.commands import run
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich", "typer"):
            raise
        print(
            f"fuzzyucs: the command line needs {error.name}: pip install 'fuzzyucs[cli]'",
            file=sys.stderr,
        )
        return 2
    try:
        status = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, ImportError) as error:
        print(f"fuzzyucs: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("fuzzyucs: interrupted; what is done is kept", file=sys.stderr)
        return 130
    return status
