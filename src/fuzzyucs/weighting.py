"""Another name of `fuzzyucs.evidence.weighting`."""

from fuzzyucs.evidence.weighting import (
    EvidenceWeights,
    choose_penalty,
    fit_weights,
    folds,
    held_out_loss,
    softmax,
)

__all__ = ["EvidenceWeights", "choose_penalty", "fit_weights", "folds", "held_out_loss", "softmax"]
