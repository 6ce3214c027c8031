"""How good rules are on data, and what they and their features contribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from fuzzyucs._util.checks import refuse_dates
from fuzzyucs._util.optional import import_pandas
from fuzzyucs.rules.arrays import RuleArrays
from fuzzyucs.rules.tables import one_line
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.variables import Inference, Variables

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelledRows", "MeasuredRules", "feature_shares", "fitness_like", "pair_shares"]

MOST_DEGREES = 2_000_000  # held in memory at a time

Array = NDArray[np.float64]


class LabelledRows:
    """Data with classes, as rules want them.

    Parameters
    ----------
    variables : Variables
        The features that rules speak of.
    classes : ndarray of shape (n_classes,)
        Class labels.
    X : array-like of shape (n_samples, n_features)
        Data in the units of the training data.
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    """

    def __init__(
        self,
        variables: Variables,
        classes: NDArray[Any],
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.positions = variables.positions(_checked(X, variables))
        self.labels = _numbered(y, classes)
        self.n_classes = len(classes)
        weight = np.ones(len(self.labels)) if sample_weight is None else sample_weight
        self.weight: Array = column_or_1d(np.asarray(weight, dtype=np.float64))
        check_consistent_length(self.positions, self.labels, self.weight)
        if not (np.isfinite(self.weight).all() and (self.weight >= 0).all()):
            raise ValueError("sample_weight must hold finite numbers from 0 on")

    def degrees(self, rules: Inference, n_rules: int) -> Iterator[tuple[slice, Array]]:
        """Yield degrees to which rules match, for some rows at a time."""
        step = max(1, MOST_DEGREES // max(1, n_rules))
        for first in range(0, len(self.labels), step):
            rows = slice(first, first + step)
            yield rows, rules.membership(self.positions[rows])

    def class_experience(self, rules: Inference, n_rules: int) -> Array:
        """Return the sums of the degrees to which rows of each class match each rule."""
        known = np.zeros((n_rules, self.n_classes))
        for rows, degrees in self.degrees(rules, n_rules):
            counted = degrees * self.weight[rows, np.newaxis]
            for label in range(self.n_classes):
                known[:, label] += counted[self.labels[rows] == label].sum(axis=0)
        return known

    def count_matched(self, rules: Inference, n_rules: int) -> NDArray[np.int64]:
        """Return how many rows match each rule at least half."""
        count = np.zeros(n_rules, dtype=np.int64)
        for _, degrees in self.degrees(rules, n_rules):
            count += (degrees >= 0.5).sum(axis=0)
        return count


def _checked(X: Any, variables: Variables) -> Array:
    refuse_dates(X)
    names = variables.feature_names
    columns = [str(name) for name in getattr(X, "columns", [])]
    has_names = names != tuple(f"x{i}" for i in range(len(names)))
    if columns and has_names and columns != list(names):
        raise ValueError(f"X must have the columns {list(names)[:10]}, got {columns[:10]}")
    numbers = variables.columns.numbers(X)
    checked: Array = check_array(
        numbers, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
    )
    if checked.shape[1] != len(names):
        raise ValueError(f"X must have {len(names)} features, got {checked.shape[1]}")
    return checked


def _numbered(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the numbers of class labels that have to be known."""
    number = {label: i for i, label in enumerate(classes.tolist())}
    labels = column_or_1d(y).tolist()
    unknown = [label for label in labels if label not in number]
    if unknown:
        raise ValueError(
            f"y contains labels that are not in classes: {list(dict.fromkeys(unknown))[:10]}; "
            f"known classes are {classes.tolist()[:10]}"
        )
    return np.array([number[label] for label in labels], dtype=np.intp)


def fitness_like(fitness: Array, weight: Array, new_weight: Array, *, is_accuracy: bool) -> Array:
    """Return the fitness that follows from new weights as the present one does from its own.

    Parameters
    ----------
    fitness, weight : ndarray of shape (n_known,)
        Fitness of rules with experience, and the weight of the class that they predict.
    new_weight : ndarray of shape (n_rules,)
        Other weights.
    is_accuracy : bool
        Whether fitness is a power of the weight, as in UCS. Otherwise it is ``2 * weight - 1`` or,
        if that is nearer, the weight itself.

    Returns
    -------
    ndarray of shape (n_rules,)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.rules.quality import fitness_like
    >>> new = np.array([0.9])
    >>> fitness_like(np.array([0.5]), np.array([0.75]), new, is_accuracy=False)
    array([0.8])
    >>> fitness_like(np.array([0.25]), np.array([0.5]), new, is_accuracy=True)
    array([0.81])
    """
    if not is_accuracy:
        is_signed = np.abs(fitness - (2 * weight - 1)).sum() <= np.abs(fitness - weight).sum()
        return 2 * new_weight - 1 if is_signed else new_weight.copy()
    telling = (weight > 0) & (weight < 1) & (fitness > 0)
    exponent = 1.0
    if telling.any():
        exponent = float(np.median(np.log(fitness[telling]) / np.log(weight[telling])).round(9))
    powered: Array = new_weight**exponent
    return powered


def feature_shares(rules: RuleArrays) -> Array:
    """Share the evidence of rules out among features, in equal parts for each condition.

    Parameters
    ----------
    rules : RuleSet
        Rules.

    Returns
    -------
    ndarray of shape (n_features,)
        Shares that sum to 1, or zeros if there is no evidence.
    """
    asks = rules.asks
    shares = asks / np.maximum(asks.sum(axis=1, keepdims=True), 1)
    importance: Array = rules.carried_evidence() @ shares
    total = importance.sum()
    return importance / total if total > 0 else importance


def pair_shares(rules: RuleArrays) -> Array:
    """Share the evidence of rules out among pairs of features.

    Parameters
    ----------
    rules : RuleSet
        Rules.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric; the upper triangle with the diagonal, where rules with one condition are, sums
        to 1, or to 0 if there is no evidence.
    """
    evidence, asked = rules.carried_evidence(), rules.asks.astype(float)
    n_conditions = asked.sum(axis=1)
    n_pairs = np.maximum(n_conditions * (n_conditions - 1) / 2, 1)
    upper: Array = np.triu(asked.T @ (asked * (evidence / n_pairs)[:, np.newaxis]), 1)
    is_alone = n_conditions == 1
    alone = np.diag(evidence[is_alone] @ asked[is_alone])
    total = upper.sum() + alone.sum()
    shares: Array = upper + upper.T + alone
    return shares / total if total > 0 else shares


class MeasuredRules(RuleArrays):
    """Rules that can be measured."""

    def assess(self, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> Self:
        """Find the statistics of the rules anew on data, which are counted once.

        Experience becomes the sum of the degrees to which data match, missing values matching
        fully; weights, fitness and the class predicted follow from it. (A rule of UCS keeps its
        class.) Rules that match nothing lose their experience and keep the rest; weighted ones,
        which then fall silent, keep only their class. How often rules count stays the same.

        Evolved rules have experience from all epochs before. Afterwards more of them may be below
        the `inference_experience` of their classifier, which leaves them out of decisions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        RuleSet
        """
        data = LabelledRows(self.variables, self.classes, X, y, sample_weight)
        known = data.class_experience(self.without_beliefs().freeze(), len(self))
        return self._with_experience(known)._with_evidence(data)

    def _with_experience(self, known: NDArray[np.float64]) -> Self:
        """Return the rules with what follows from experience with each class."""
        experience = known.sum(axis=1)
        used = experience > 0
        weights = self.weights.copy()
        weights[used] = known[used] / experience[used, np.newaxis]
        consequent = self.consequent.copy()
        is_ucs = isinstance(self.variables, IntervalVariables)
        if not is_ucs:
            consequent[used] = known[used].argmax(axis=1)
        fitness = self.fitness.copy()
        before = self.experience > 0
        fitness[used] = fitness_like(
            self.fitness[before],
            self._own(self.weights)[before],
            weights[used, consequent[used]],
            is_accuracy=is_ucs,
        )
        return replace(
            self,
            weights=weights,
            class_experience=known,
            experience=experience,
            fitness=fitness,
            consequent=consequent,
        )

    def _with_evidence(self, data: LabelledRows) -> Self:  # noqa: ARG002
        """Return the rules with what they contribute on data, if they know it."""
        return self

    def quality(self, X: Any, y: Any) -> pd.DataFrame:
        """Measure each rule on data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data. Missing values match fully.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        pandas.DataFrame
            A row per rule: ``sentence``; ``class`` that it predicts; ``coverage``, the mean degree
            to which data match; ``matched``, the number of rows that match at least half;
            ``accuracy``, the share of its class in what it matches; ``recall``, the share of its
            class that it matches; ``lift``, the accuracy as a multiple of how frequent its class
            is; ``conditions``, their number. NaN where there is nothing to divide by.
        """
        data = LabelledRows(self.variables, self.classes, X, y)
        frozen = self.without_beliefs().freeze()
        known = data.class_experience(frozen, len(self))
        own, matched = self._own(known), known.sum(axis=1)
        n_rows = len(data.labels)
        of_class = np.bincount(data.labels, minlength=len(self.classes))[self.consequent]
        with np.errstate(invalid="ignore", divide="ignore"):
            accuracy = own / matched
            columns = {
                "sentence": [self._statement(rule) for rule in range(len(self))],
                "class": self.classes[self.consequent],
                "coverage": matched / n_rows,
                "matched": data.count_matched(frozen, len(self)),
                "accuracy": accuracy,
                "recall": own / of_class,
                "lift": np.where(of_class > 0, accuracy / (of_class / n_rows), np.nan),
                "conditions": self.asks.sum(axis=1),
            }
        return import_pandas().DataFrame(columns)

    def _statement(self, rule: int) -> str:
        return one_line(f"IF {self.condition(rule)} THEN {self._label(rule)}")

    def importance(self, *, pairs: bool = False) -> pd.Series | pd.DataFrame:
        """Tell what share features have in the evidence of the rules.

        Evidence of weighted rules is what they contributed on the training data. That of others is
        numerosity times experience times the logarithm of how far a rule can shift the odds
        (`carried_evidence`). A rule shares it equally among its conditions.

        Parameters
        ----------
        pairs : bool
            Whether to share it among pairs of conditions instead.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Shares by feature, which sum to 1. Of pairs a symmetric table, rules with a single
            condition on its diagonal; the upper triangle with the diagonal sums to 1. Without any
            evidence, zeros.
        """
        names = list(self.variables.feature_names)
        if pairs:
            return import_pandas().DataFrame(pair_shares(self), index=names, columns=names)
        return import_pandas().Series(feature_shares(self), index=names, name="importance")

    def summary(self) -> str:
        """Describe the rules as a whole, in a few lines.

        Returns
        -------
        str
            How many there are, for which classes and with how many conditions; which features
            matter most, and how many rules carry 80 % of the evidence (see `importance`).
        """
        if not len(self):
            return "No rules"
        counts = self.asks.sum(axis=1)
        few, many = int(counts.min()), int(counts.max())
        per_class = np.bincount(self.consequent, minlength=len(self.classes))
        span = f"{few}" if few == many else f"{few} to {many}"
        mean = "" if few == many else f" (mean {counts.mean():.1f})"
        lines = [
            f"{len(self)} rule{'s' * (len(self) > 1)} with {span} "
            f"condition{'s' * (many != 1)}{mean}",
            "Rules per class: "
            + ", ".join(f"{label} {n}" for label, n in zip(self.classes, per_class, strict=True)),
        ]
        shares = feature_shares(self)
        best = [k for k in np.argsort(-shares, kind="stable")[:5].tolist() if shares[k] > 0]
        if best:
            features = (f"{self.variables.feature_names[k]} {shares[k]:.0%}" for k in best)
            lines.append(f"Most important features: {', '.join(features)}")
        carried = np.cumsum(np.sort(self.carried_evidence())[::-1])
        if carried[-1] > 0:
            n_needed = int(np.searchsorted(carried, 0.8 * carried[-1])) + 1
            lines.append(f"80% of the evidence: {n_needed} rule{'s' * (n_needed > 1)}")
        return "\n".join(map(one_line, lines))
