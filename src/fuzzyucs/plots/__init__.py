"""Pictures of models and of their uncertainty, in scikit-learn's convention of displays."""

from fuzzyucs._util.class_colours import CLASS_COLOURS
from fuzzyucs.plots._style import OKABE_ITO
from fuzzyucs.plots.evidence import EvidenceDisplay
from fuzzyucs.plots.heatmap import RuleHeatmapDisplay
from fuzzyucs.plots.landscape import BeliefLandscapeDisplay
from fuzzyucs.plots.learning import LearningCurveDisplay
from fuzzyucs.plots.partition import PartitionDisplay
from fuzzyucs.plots.reliability import ReliabilityDisplay
from fuzzyucs.plots.risk_coverage import RiskCoverageDisplay
from fuzzyucs.plots.rule import RuleDisplay
from fuzzyucs.plots.sizes import SizePathDisplay
from fuzzyucs.plots.waterfall import WaterfallDisplay

__all__ = [
    "CLASS_COLOURS",
    "OKABE_ITO",
    "BeliefLandscapeDisplay",
    "EvidenceDisplay",
    "LearningCurveDisplay",
    "PartitionDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RuleDisplay",
    "RuleHeatmapDisplay",
    "SizePathDisplay",
    "WaterfallDisplay",
]
