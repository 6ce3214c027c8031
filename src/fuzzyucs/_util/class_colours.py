"""Colours of classes: the same for a class in every picture, on the page and in a terminal."""

from __future__ import annotations

__all__ = ["CLASS_COLOURS", "class_colour"]

# The first six are of Okabe and Ito (2008). The others are those that differ most from all before
# them, for people who see all colours and for people who are blind to red or to green
# (Machado et al., 2009), among colours that stand out from white and from black.
CLASS_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    *("#2B1FD0", "#871E0F", "#7B7BFF", "#78E187"),
)


def class_colour(index: int) -> str:
    """Return the colour of a class.

    Parameters
    ----------
    index : int
        Position of the class in ``classes_``.

    Returns
    -------
    str
        A colour as ``#RRGGBB``. Colours repeat after ten classes: whoever shows more classes tells
        them apart by something else, too.

    Examples
    --------
    >>> from fuzzyucs._util.class_colours import class_colour
    >>> class_colour(0), class_colour(10) == class_colour(0)
    ('#0072B2', True)
    """
    return CLASS_COLOURS[index % len(CLASS_COLOURS)]
