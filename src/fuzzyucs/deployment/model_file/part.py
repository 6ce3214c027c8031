"""Parts of a model file: how each is written and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.model_file.strict_json import Node

__all__ = ["ROUNDING", "Attributes", "Json", "Part", "is_ascending"]

ROUNDING = 1e-6  # how far sums of many numbers may be from what they should be

Json = Any
Attributes = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A part of the fitted state: how it is written, and how it is read.

    Parameters
    ----------
    attributes : tuple of str
        The attributes of an estimator that it holds. Without the first there is nothing to write.
    write : callable
        Takes the estimator.
    read : callable
        Takes what was written and an estimator that has all parts before this one; returns the
        attributes with their values.
    """

    attributes: tuple[str, ...]
    write: Callable[[Any], Json]
    read: Callable[[Node, Any], Attributes]


def is_ascending(values: NDArray[np.float64]) -> bool:
    """Tell whether each value is greater than the one before it."""
    return bool((values[1:] > values[:-1]).all())
