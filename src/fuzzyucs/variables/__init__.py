"""Features of a table: columns of data frames, linguistic partitions, intervals, dependences."""

from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.variables import Variables

__all__ = ["IntervalVariables", "LinguisticPartition", "Variables"]
