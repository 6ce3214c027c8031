"""Classification by linguistic fuzzy rules that knows what it does not know."""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzyucs import datasets, metrics, plots
    from fuzzyucs.classifier import FuzzyUCSClassifier
    from fuzzyucs.combination import combine
    from fuzzyucs.evidence import Evidence
    from fuzzyucs.evidential import EvidentialRuleClassifier
    from fuzzyucs.explain import Explanation
    from fuzzyucs.intervals import IntervalVariables
    from fuzzyucs.linguistic import LinguisticPartition
    from fuzzyucs.model_file import load
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
    "load",
    "metrics",
    "plots",
]
__version__ = _version("fuzzyucs")

# Where names live. They are imported when they are first used, so that commands which need none of
# them, such as a request for help, do not wait for scikit-learn.
_HOMES = {
    "EpochReport": "progress",
    "Evidence": "evidence",
    "EvidentialRuleClassifier": "evidential",
    "Explanation": "explain",
    "FuzzyUCSClassifier": "classifier",
    "IntervalVariables": "intervals",
    "LinguisticPartition": "linguistic",
    "RejectOption": "rejection",
    "RuleSet": "rules",
    "Support": "support",
    "UCSClassifier": "ucs",
    "WeightedRuleSet": "rules",
    "combine": "combination",
    "load": "model_file",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"fuzzyucs.{_HOMES[name]}"), name)
    elif name in __all__:
        value = import_module(f"fuzzyucs.{name}")
    else:
        raise AttributeError(f"module 'fuzzyucs' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
