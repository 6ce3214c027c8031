"""Variables of rules in a model file, and the conditions on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.variables.variables import Variables

__all__ = ["ArrayReader", "VariablesFormat", "number_or_none", "read_ranges"]

# Reads an entry of an array; dtype of the array; shape of an entry.
ArrayReader = tuple[Callable[[Node], Any], Any, tuple[int, ...]]


class VariablesFormat(ABC):
    """How one kind of variables is written and read."""

    def write(self, variables: Variables, clf: Any) -> Json:
        """Write variables; their names are those of the classifier's features."""
        if tuple(variables.feature_names) != feature_names(clf):
            raise ValueError("a model file cannot hold two names of a feature")
        return self._written(variables)

    @abstractmethod
    def _written(self, variables: Any) -> Json:
        """Write variables."""

    @abstractmethod
    def read(self, node: Node, clf: Any) -> Variables:
        """Read variables; names and categories are those of the classifier."""

    @abstractmethod
    def condition_reader(self, n_features: int) -> ArrayReader:
        """Return how the conditions of a rule are read."""

    @abstractmethod
    def check_conditions(self, node: Node, conditions: NDArray[Any], variables: Any) -> None:
        """Refuse conditions that these variables cannot have; node is the array of rules."""


def read_ranges(features: list[dict[str, Node]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read minimum and maximum of each feature; null if they are not known."""
    minimum, maximum = (
        np.array([_read_number_or_none(feature[name]) for feature in features])
        for name in ("minimum", "maximum")
    )
    is_range = (minimum <= maximum) | (np.isnan(minimum) & np.isnan(maximum))
    if not is_range.all():
        wrong = features[int(np.argmin(is_range))]
        wrong["maximum"].refuse("null if the minimum is, else not less than it")
    return minimum, maximum


def number_or_none(value: float) -> float | None:
    """Return a number as JSON has it: None instead of NaN."""
    return None if np.isnan(value) else float(value)


def _read_number_or_none(node: Node) -> float:
    return np.nan if node.value is None else node.number()
