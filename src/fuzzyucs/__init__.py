"""Classification by linguistic fuzzy rules that knows what it does not know."""

from importlib.metadata import version as _version

from fuzzyucs import datasets
from fuzzyucs.classifier import FuzzyUCSClassifier
from fuzzyucs.evidence import Evidence
from fuzzyucs.intervals import IntervalVariables
from fuzzyucs.linguistic import LinguisticPartition
from fuzzyucs.progress import EpochReport
from fuzzyucs.rules import RuleSet
from fuzzyucs.ucs import UCSClassifier

__all__ = [
    "EpochReport",
    "Evidence",
    "FuzzyUCSClassifier",
    "IntervalVariables",
    "LinguisticPartition",
    "RuleSet",
    "UCSClassifier",
    "datasets",
]
__version__ = _version("fuzzyucs")
