"""Scores in which rare classes count as much as frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, f1_score

__all__ = ["CLASS_SCORES", "class_scores", "without_parts"]

CLASS_SCORES = ("macro F1", "balanced accuracy")


def class_scores(truth: NDArray[Any], answer: NDArray[Any]) -> dict[str, float]:
    """Return the mean F1 score of the classes, and the mean share of each that is recognised.

    Classes that occur nowhere do not count; one without a right answer counts as 0.
    """
    values = (
        f1_score(truth, answer, average="macro", zero_division=0),
        balanced_accuracy_score(truth, answer),
    )
    return {name: float(value) for name, value in zip(CLASS_SCORES, values, strict=True)}


def without_parts(
    runs: pd.DataFrame, names: Sequence[str] = CLASS_SCORES, beside: str = "accuracy"
) -> pd.DataFrame:
    """Leave out scores of systems of which some runs lack them: they were kept by older programs.

    Parameters
    ----------
    runs : DataFrame
        Runs as a store has them, with the column "system".
    names : sequence of str
        Scores; columns of them need not be there.
    beside : str
        A score of every run that was finished.
    """
    found = runs.copy()
    for name in names:
        if name not in found:
            found[name] = float("nan")
        lacking = set(found.loc[found[beside].notna() & found[name].isna(), "system"])
        found.loc[found["system"].isin(lacking), name] = float("nan")
    return found
