"""Whether a model is of use: beside the shares of the classes alone, and class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.wording import percent

__all__ = ["ClassFigures", "Usefulness", "areas", "class_figures", "interval", "macro_area"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClassFigures:
    """What became of the rows of one class.

    Attributes
    ----------
    label : str
        The class.
    rows : int
        Rows of the class.
    predicted : int
        Rows that are said to be of the class.
    found : int
        Rows of the class that are said to be so.
    area : float
        Area under the ROC curve of the class against all others; NaN if that is not known.
    """

    label: str
    rows: int
    predicted: int
    found: int
    area: float = math.nan

    @property
    def recall(self) -> float:
        """Share of the rows of the class that are found; NaN without rows."""
        return self.found / self.rows if self.rows else math.nan

    @property
    def precision(self) -> float:
        """Share of right ones among the answers with this class; NaN without answers."""
        return self.found / self.predicted if self.predicted else math.nan

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON, None where there are none."""
        figures: dict[str, Any] = {
            "class": self.label,
            "rows": self.rows,
            "recall": self.recall,
            "recall_interval": list(interval(self.found, self.rows)),
            "precision": self.precision,
            "precision_interval": list(interval(self.found, self.predicted)),
            "auc": self.area,
        }
        return {name: _none_for_nan(value) for name, value in figures.items()}


def class_figures(
    labels: Sequence[Any], confusion: NDArray[np.int64], auc: Sequence[float]
) -> list[ClassFigures]:
    """Return the figures of all classes.

    Parameters
    ----------
    labels : sequence
        The classes.
    confusion : ndarray of shape (n_classes, n_classes)
        Numbers of rows, by true class and predicted class.
    auc : sequence of float
        Area under the ROC curve of each class.

    Returns
    -------
    list of ClassFigures

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.usefulness import class_figures
    >>> ill, well = class_figures(["ill", "well"], np.array([[2, 1], [2, 15]]), [0.9, 0.9])
    >>> ill.rows, round(ill.recall, 2), ill.precision
    (3, 0.67, 0.5)
    """
    return [
        ClassFigures(
            str(label),
            int(confusion[i].sum()),
            int(confusion[:, i].sum()),
            int(confusion[i, i]),
            float(auc[i]),
        )
        for i, label in enumerate(labels)
    ]


def interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, as Wilson (1927) found it.

    Parameters
    ----------
    part, whole : int
        Counts.

    Returns
    -------
    tuple of float
        NaN if the whole is 0.

    Examples
    --------
    >>> from fuzzyucs.cli.usefulness import interval
    >>> [round(end, 3) for end in interval(3, 20)]
    [0.052, 0.36]
    """
    if not whole:
        return math.nan, math.nan
    from scipy.stats import binomtest

    found = binomtest(part, whole).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def areas(truth: NDArray[np.intp], probability: Array) -> list[float]:
    """Return the area under the ROC curve of each class against all others.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,)
        Index of the true class.
    probability : ndarray of shape (n_rows, n_classes)
        Probabilities.

    Returns
    -------
    list of float
        NaN for classes of none or all of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.cli.usefulness import areas
    >>> areas(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]))
    [1.0, 1.0]
    """
    from sklearn.metrics import roc_auc_score

    found = []
    for i in range(probability.shape[1]):
        is_own = truth == i
        has_both = is_own.any() and not is_own.all()
        found.append(float(roc_auc_score(is_own, probability[:, i])) if has_both else math.nan)
    return found


def macro_area(truth: NDArray[np.intp], probability: Array) -> float:
    """Return the mean of `areas`; NaN if there is none."""
    known = [area for area in areas(truth, probability) if not math.isnan(area)]
    return float(np.mean(known)) if known else math.nan


@dataclass(frozen=True)
class Usefulness:
    """Whether probabilities are better than the shares of the classes alone.

    Attributes
    ----------
    loss, loss_of_shares : float
        Mean log loss of the model, and of the shares.
    error : float
        Standard error of the difference.
    classes : list of ClassFigures
        What became of the rows of each class.
    accuracy : float
        Share of right answers.
    """

    loss: float
    loss_of_shares: float
    error: float
    classes: list[ClassFigures]
    accuracy: float

    @property
    def is_useful(self) -> bool:
        """Whether the model is better by more than two standard errors."""
        return self.loss_of_shares - self.loss > 2 * self.error

    @property
    def rare(self) -> ClassFigures | None:
        """The rarest class, if it has less than half of an equal share of the rows."""
        rarest = min(self.classes, key=lambda own: own.rows)
        n_rows = sum(own.rows for own in self.classes)
        return rarest if 0 < rarest.rows < 0.5 * n_rows / len(self.classes) else None

    def sentences(self) -> list[str]:
        """Tell in words whether the model is of use, and what becomes of the rarest class.

        Examples
        --------
        >>> from fuzzyucs.cli.usefulness import ClassFigures, Usefulness
        >>> well, ill = ClassFigures("well", 980, 985, 970), ClassFigures("ill", 20, 15, 5)
        >>> for sentence in Usefulness(0.06, 0.098, 0.01, [well, ill], 0.975).sentences():
        ...     print(sentence)
        Of use: log loss 0.060, with the shares of the classes alone 0.098.
        Always answering 'well' would be right in 98.0 % of the rows, the model is in 97.5 %.
        'ill' is rare, 2 % of the rows: 5 of 20 are found, and 5 of 15 answers 'ill' are right.
        """
        n_rows = sum(own.rows for own in self.classes)
        frequent = max(self.classes, key=lambda own: own.rows)
        verdict = (
            "Of use"
            if self.is_useful
            else "Not shown to be of use"
            if self.loss < self.loss_of_shares
            else "Of no use"
        )
        found = [
            f"{verdict}: log loss {self.loss:.3f}, with the shares of the classes alone "
            f"{self.loss_of_shares:.3f}.",
            f"Always answering {frequent.label!r} would be right in "
            f"{percent(frequent.rows / n_rows, 1)} of the rows, the model is in "
            f"{percent(self.accuracy, 1)}.",
        ]
        if (rare := self.rare) is not None:
            found.append(
                f"{rare.label!r} is rare, {percent(rare.rows / n_rows)} of the rows: "
                f"{rare.found:,} of {rare.rows:,} are found, and {rare.found:,} of "
                f"{rare.predicted:,} answers {rare.label!r} are right."
            )
        return found


def _none_for_nan(value: Any) -> Any:
    if isinstance(value, list):
        return None if any(map(math.isnan, value)) else value
    return None if isinstance(value, float) and math.isnan(value) else value
