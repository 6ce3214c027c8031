"""Features that are the pixels of an image."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from fuzzyucs.report.naming import is_number, kind_of
from fuzzyucs.variables import Variables

__all__ = ["check_image_shape", "check_pixels"]


def check_image_shape(shape: Any, n_features: int) -> tuple[int, int]:
    """Check that features can be the pixels of an image.

    Parameters
    ----------
    shape : (int, int)
        Numbers of rows and of columns. Features are in the order of rows.
    n_features : int
        Number of features.

    Returns
    -------
    (int, int)
        The same.

    Examples
    --------
    >>> from fuzzyucs.report.images import check_image_shape
    >>> check_image_shape((8, 8), 64)
    (8, 8)
    >>> check_image_shape((8, 8), 60)
    Traceback (most recent call last):
    ValueError: image_shape (8, 8) has 64 pixels, but the model has 60 features
    """
    is_list = isinstance(shape, Sequence) and not isinstance(shape, str)
    if not is_list or not all(_is_size(size) for size in shape):
        raise ValueError(f"image_shape must be (rows, columns), such as (8, 8), got {shape!r}")
    if len(shape) == 3:
        raise ValueError(
            f"image_shape must be (rows, columns), got {tuple(shape)}: images in colour are not "
            "supported, since a pixel must be one feature"
        )
    if len(shape) != 2:
        raise ValueError(f"image_shape must be (rows, columns), such as (8, 8), got {shape!r}")
    rows, columns = map(int, shape)
    if rows * columns != n_features:
        raise ValueError(
            f"image_shape ({rows}, {columns}) has {rows * columns} pixels, but the model has "
            f"{n_features} features"
        )
    return rows, columns


def _is_size(size: Any) -> bool:
    return isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1


def check_pixels(variables: Variables) -> None:
    """Refuse features that cannot be pixels because they are not numbers.

    Parameters
    ----------
    variables : Variables
        The features.
    """
    for feature, name in enumerate(variables.feature_names):
        if not is_number(variables, feature):
            raise ValueError(
                f"image_shape needs features that are numbers; {name!r} holds "
                f"{kind_of(variables, feature)}"
            )
