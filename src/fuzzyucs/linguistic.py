"""Another name of `fuzzyucs.variables.linguistic`."""

from fuzzyucs.variables.linguistic import (
    MAX_FINE_TERMS,
    MAX_TERMS,
    Borders,
    LinguisticPartition,
    LinguisticVariable,
    term_names,
)

__all__ = [
    "MAX_FINE_TERMS",
    "MAX_TERMS",
    "Borders",
    "LinguisticPartition",
    "LinguisticVariable",
    "term_names",
]
