"""Metrics of uncertainty: whether a classifier knows when it is wrong.

All functions take plain arrays, so they judge any classifier; the scorers can be handed to
scikit-learn as ``scoring=``.
"""

from fuzzyucs.metrics.calibration import calibration_error, reliability_curve
from fuzzyucs.metrics.confidence import answers_of, confidence_of, evidence_method
from fuzzyucs.metrics.risk_coverage import (
    area_under_risk_coverage,
    error_rejection_curve,
    risk_coverage_curve,
)
from fuzzyucs.metrics.scorers import (
    neg_calibration_error_scorer,
    neg_risk_coverage_scorer,
    u65_scorer,
    u80_scorer,
)
from fuzzyucs.metrics.set_valued import u65_score, u80_score, utility_discounted_accuracy

__all__ = [
    "answers_of",
    "area_under_risk_coverage",
    "calibration_error",
    "confidence_of",
    "error_rejection_curve",
    "evidence_method",
    "neg_calibration_error_scorer",
    "neg_risk_coverage_scorer",
    "reliability_curve",
    "risk_coverage_curve",
    "u65_score",
    "u65_scorer",
    "u80_score",
    "u80_scorer",
    "utility_discounted_accuracy",
]
