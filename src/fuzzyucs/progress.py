"""Another name of `fuzzyucs.estimators.progress`."""

from fuzzyucs.estimators.progress import EpochReport, ProgressBar

__all__ = ["EpochReport", "ProgressBar"]
