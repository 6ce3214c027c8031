"""Classification by linguistic fuzzy rules that knows what it does not know."""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzyucs import datasets, metrics, plots
    from fuzzyucs.deployment.model_file.save_load import load
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier
    from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
    from fuzzyucs.estimators.progress import EpochReport
    from fuzzyucs.estimators.rejection import RejectOption
    from fuzzyucs.estimators.size_report import SizeReport
    from fuzzyucs.estimators.ucs import UCSClassifier
    from fuzzyucs.evidence.combination import combine
    from fuzzyucs.evidence.evidence import Evidence
    from fuzzyucs.evidence.support import Support
    from fuzzyucs.explain.ledger import Explanation
    from fuzzyucs.fusion.fuse import fuse
    from fuzzyucs.rules.profiled import ProfiledRuleSet
    from fuzzyucs.rules.rule_set import RuleSet
    from fuzzyucs.rules.weighted import WeightedRuleSet
    from fuzzyucs.variables.batches import Batches
    from fuzzyucs.variables.intervals import IntervalVariables
    from fuzzyucs.variables.linguistic import LinguisticPartition

__all__ = [
    "Batches",
    "EpochReport",
    "Evidence",
    "EvidentialRuleClassifier",
    "Explanation",
    "FuzzyUCSClassifier",
    "IntervalVariables",
    "LinguisticPartition",
    "ProfiledRuleSet",
    "RejectOption",
    "RuleSet",
    "SizeReport",
    "Support",
    "UCSClassifier",
    "WeightedRuleSet",
    "combine",
    "datasets",
    "fuse",
    "load",
    "metrics",
    "plots",
]
__version__ = _version("fuzzyucs")

# The modules that define public names. They are imported when they are first used, so that commands
# that need none of them, such as a request for help, do not wait for scikit-learn.
_HOMES = {
    "Batches": "variables.batches",
    "EpochReport": "estimators.progress",
    "Evidence": "evidence",
    "EvidentialRuleClassifier": "estimators.evidential",
    "Explanation": "explain",
    "FuzzyUCSClassifier": "estimators.fuzzy_ucs",
    "IntervalVariables": "variables",
    "LinguisticPartition": "variables",
    "ProfiledRuleSet": "rules",
    "RejectOption": "estimators.rejection",
    "RuleSet": "rules",
    "SizeReport": "estimators.size_report",
    "Support": "evidence.support",
    "UCSClassifier": "estimators.ucs",
    "WeightedRuleSet": "rules",
    "combine": "evidence.combination",
    "fuse": "fusion",
    "load": "deployment.model_file",
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
