"""Variables of UCS in a model file: plain numbers, with intervals as conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs.deployment.model_file.part import Json
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.deployment.model_file.variables import (
    ArrayReader,
    VariablesFormat,
    number_or_none,
    read_ranges,
)
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.precision import CONTINUOUS, FINEST, RELIABLE

__all__ = ["IntervalFormat"]


class IntervalFormat(VariablesFormat):
    """How `IntervalVariables` are written and read."""

    def _written(self, variables: IntervalVariables) -> Json:
        columns = (variables.minimum, variables.maximum, variables.decimals.tolist())
        return {
            "features": [
                {
                    "minimum": number_or_none(low),
                    "maximum": number_or_none(high),
                    "decimals": digits,
                }
                for low, high, digits in zip(*columns, strict=True)
            ]
        }

    def read(self, node: Node, clf: Any) -> IntervalVariables:
        """Read variables; names and categories are those of the classifier."""
        items = node.fields(["features"])["features"].items(clf.n_features_in_)
        features = [item.fields(["minimum", "maximum", "decimals"]) for item in items]
        minimum, maximum = read_ranges(features)
        decimals = np.array([f["decimals"].integer(CONTINUOUS, RELIABLE) for f in features])
        possible = _are_writable(minimum, maximum, decimals)
        if not possible.all():
            wrong = features[int(np.argmin(possible))]
            wrong["decimals"].refuse("so few that they make a difference in the range")
        names = feature_names(clf)
        return IntervalVariables(names, minimum, maximum, decimals, columns=clf.columns_)

    def condition_reader(self, n_features: int) -> ArrayReader:
        """Return how the conditions of a rule are read: two bounds for each feature."""
        return lambda node: node.pairs(n_features, 0.0, 1.0), np.float64, (n_features, 2)

    def check_conditions(self, node: Node, conditions: NDArray[Any], variables: Any) -> None:
        """Accept all intervals."""


def _are_writable(
    minimum: NDArray[np.float64], maximum: NDArray[np.float64], decimals: NDArray[Any]
) -> NDArray[np.bool_]:
    """Tell for which features bounds can be written with so many digits.

    Bounds are put into words by a search for the nearest number with so many digits, which would
    not end if a double had fewer.
    """
    factor = 10.0 ** np.maximum(decimals, 0)
    with np.errstate(over="ignore"):
        reliable = np.maximum(abs(minimum), abs(maximum)) * factor <= 10.0**RELIABLE
        few = (maximum / 2 - minimum / 2) * factor <= FINEST / 2
    possible: NDArray[np.bool_] = (
        (reliable & (few | (decimals == 0))) | (decimals == CONTINUOUS) | np.isnan(minimum)
    )
    return possible
