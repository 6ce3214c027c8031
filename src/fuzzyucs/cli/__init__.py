"""The command line."""

from fuzzyucs.cli.main import main

__all__ = ["main"]
