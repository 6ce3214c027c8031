"""Another name of `fuzzyucs.variables.frames`."""

from fuzzyucs.variables.frames import Categories, Columns

__all__ = ["Categories", "Columns"]
