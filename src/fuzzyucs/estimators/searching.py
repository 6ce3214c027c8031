"""Searching: the native growth of rules, from fine terms and rows in codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.codes import Codes, FineFeature

__all__ = ["SearchSettings", "SearchStage", "advance", "begin_search", "warn_of_partners"]

# Features among which further conditions of a rule are looked for; time grows with them.
MOST_PARTNERS = 1000


@dataclass(frozen=True)
class SearchSettings:
    """Parameters of a search.

    Attributes
    ----------
    condition_cost : float
        How much a condition adds to the penalty of a rule.
    max_conditions : int or None
        Greatest number of conditions of a rule, if there is another limit than the usual one.
    n_threads : int
        Number of threads, which does not change the result.
    monotone : tuple of int
        For each feature the direction in which it has to move the classes, or 0; may be empty.
    class_order : tuple of int
        The classes from the lowest to the highest; may be empty.
    together, apart : tuple of tuple of int
        Sets of features of which one has all features of a rule, and those of which a rule has one
        at most.
    fees : tuple of float
        For each feature by how much its first rule has to raise the mean log-likelihood; may be
        empty.
    """

    condition_cost: float
    max_conditions: int | None = None
    n_threads: int = 1
    monotone: tuple[int, ...] = ()
    class_order: tuple[int, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    fees: tuple[float, ...] = ()

    def constrained(self, constraints: Constraints | None) -> SearchSettings:
        """Return the settings of a search that keeps to constraints."""
        if constraints is None:
            return self
        monotone, order = constraints.directed
        return replace(
            self,
            monotone=monotone if constraints.is_monotonic else (),
            class_order=order if constraints.is_monotonic else (),
            together=constraints.together,
            apart=constraints.apart,
            fees=tuple(cost * constraints.cost_weight for cost in constraints.costs),
        )

    def of_features(self, numbers: Sequence[int]) -> SearchSettings:
        """Return the settings of a search among some of the features."""
        place = {feature: i for i, feature in enumerate(numbers)}

        def kept(sets: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(place[f] for f in group if f in place) for group in sets)

        return replace(
            self,
            monotone=tuple(self.monotone[f] for f in numbers) if self.monotone else (),
            together=kept(self.together),
            apart=kept(self.apart),
            fees=tuple(self.fees[f] for f in numbers) if self.fees else (),
        )

    @property
    def native(self) -> _core.GrowthSettings:
        """The same for the native engine."""
        settings = _core.GrowthSettings()
        settings.condition_cost = self.condition_cost
        settings.most_partners = MOST_PARTNERS
        if self.max_conditions is not None:
            settings.max_conditions = self.max_conditions
        for name in ("monotone", "class_order", "together", "apart", "fees"):
            setattr(settings, name, getattr(self, name))
        return settings


@dataclass(frozen=True)
class SearchStage:
    """One stage of a search.

    Attributes
    ----------
    penalty : float
        The penalty of a rule.
    most : int
        How many rules may grow.
    tolerance : float
        By how much the log-likelihood may be less than the greatest one.
    most_sweeps : int
        Greatest number of Newton steps for each class.
    relaxed : float
        Share of the penalty that is left once rules are chosen.
    """

    penalty: float
    most: int
    tolerance: float
    most_sweeps: int
    relaxed: float


def begin_search(
    features: Sequence[FineFeature],
    codes: Codes,
    labels: NDArray[np.uint32],
    weight: NDArray[np.float64],
    n_classes: int,
    settings: SearchSettings,
    shared: _core.SharedRows | None = None,
) -> _core.RuleGrowth:
    """Begin to grow rules.

    Parameters
    ----------
    features : sequence of FineFeature
        Features with two terms and more.
    codes : ndarray of shape (n_features, n_samples)
        The rows, by feature.
    labels, weight : ndarray of shape (n_samples,)
        Their classes and weights.
    n_classes : int
        Number of classes.
    settings : SearchSettings
        Parameters of the search.
    shared : SharedRows, optional
        If these are the rows of one of several machines.

    Returns
    -------
    RuleGrowth
    """
    return _core.RuleGrowth(
        np.ascontiguousarray(codes),
        np.array([len(f.variable.terms) for f in features], dtype=np.uint32),
        np.array([f.variable.is_nominal for f in features]),
        np.array([f.steps for f in features], dtype=np.uint32),
        labels,
        weight,
        n_classes,
        settings.native,
        np.concatenate([f.shares for f in features]),
        settings.n_threads,
        shared,
    )


def advance(search: _core.RuleGrowth, stage: SearchStage) -> None:
    """Grow rules with a lower penalty, and fit their profiles."""
    search.set_penalty(stage.penalty)
    search.grow(stage.most)
    search.settle(stage.tolerance, stage.most_sweeps, stage.relaxed)


def warn_of_partners(n_features: int, max_conditions: int | None, *, stacklevel: int) -> None:
    """Warn if further conditions of rules were not looked for among all features.

    Parameters
    ----------
    n_features : int
        Number of features that vary.
    max_conditions : int, optional
        Greatest number of conditions of a rule, if there is a limit.
    stacklevel : int
        Whose line to blame; 1 is this function's own.
    """
    if n_features <= MOST_PARTNERS or max_conditions == 1:
        return
    warnings.warn(
        f"of {n_features:,} features that vary, the first condition of a rule may be on any, and "
        f"others are looked for among the {MOST_PARTNERS:,} that tell most about the classes by "
        "themselves. Select features first if others matter only together",
        UserWarning,
        stacklevel=stacklevel,
    )
