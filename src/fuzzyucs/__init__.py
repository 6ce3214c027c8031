"""Classification by linguistic fuzzy rules that knows what it does not know."""

from importlib.metadata import version as _version

from fuzzyucs import datasets, metrics, plots
from fuzzyucs.classifier import FuzzyUCSClassifier
from fuzzyucs.combination import combine
from fuzzyucs.evidence import Evidence
from fuzzyucs.evidential import EvidentialRuleClassifier
from fuzzyucs.explain import Explanation
from fuzzyucs.intervals import IntervalVariables
from fuzzyucs.linguistic import LinguisticPartition
from fuzzyucs.progress import EpochReport
from fuzzyucs.rejection import RejectOption
from fuzzyucs.rules import RuleSet, WeightedRuleSet
from fuzzyucs.support import Support
from fuzzyucs.ucs import UCSClassifier

__all__ = [
    "EpochReport",
    "Evidence",
    "EvidentialRuleClassifier",
    "Explanation",
    "FuzzyUCSClassifier",
    "IntervalVariables",
    "LinguisticPartition",
    "RejectOption",
    "RuleSet",
    "Support",
    "UCSClassifier",
    "WeightedRuleSet",
    "combine",
    "datasets",
    "metrics",
    "plots",
]
__version__ = _version("fuzzyucs")
