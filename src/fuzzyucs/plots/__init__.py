"""Pictures of doubt and of models, in scikit-learn's convention of displays."""

from fuzzyucs.plots._style import OKABE_ITO
from fuzzyucs.plots.doubt import EvidenceDisplay, ReliabilityDisplay, RiskCoverageDisplay
from fuzzyucs.plots.heatmap import RuleHeatmapDisplay
from fuzzyucs.plots.landscape import BeliefLandscapeDisplay
from fuzzyucs.plots.learning import LearningCurveDisplay
from fuzzyucs.plots.partition import PartitionDisplay
from fuzzyucs.plots.waterfall import WaterfallDisplay

__all__ = [
    "OKABE_ITO",
    "BeliefLandscapeDisplay",
    "EvidenceDisplay",
    "LearningCurveDisplay",
    "PartitionDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RuleHeatmapDisplay",
    "WaterfallDisplay",
]
