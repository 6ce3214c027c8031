"""RuleLearner: what classifiers that learn rules online share, which is training."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs import _core
from fuzzyucs._util.sklearn_compat import (
    Interval,
    feature_names,
    fit_context,
    is_first_partial_fit,
    validate_parameters,
)
from fuzzyucs.decisions.decision import Decision
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.lazy import is_dask
from fuzzyucs.estimators.presenting import (
    Learner,
    TrainingRows,
    absolute_weight,
    relative_weight,
)
from fuzzyucs.estimators.progress import EpochReport, ProgressBar
from fuzzyucs.estimators.validation import (
    all_or_nothing,
    class_indices,
    draw_seed,
    rows_that_count,
)
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.variables import Variables

__all__ = ["LearnerState", "RuleLearner"]

MAX_POPULATION = 2**23  # deletion votes of larger populations could overflow 64 bits

Callback = Callable[[EpochReport], object]


@dataclass(frozen=True)
class LearnerState:
    """What a learner needs besides its rules to go on where it was.

    Attributes
    ----------
    seed : int
        Of the learner, and of ties when it decides.
    time : int
        Number of training steps so far.
    random_state : tuple of int
        State of the native random generator.
    """

    seed: int
    time: int
    random_state: tuple[int, ...]


class RuleLearner(RuleClassifier):
    """A classifier that evolves rules from one example after the other.

    Subclasses say what their rules look like, which native learner makes them, and how they decide.
    """

    rules_: EvolvedRuleSet
    epochs: int
    population_size: int
    rules_own_class: ClassVar[bool] = False  # else the class follows from experience
    random_state: Any
    verbose: int
    learner_state_: LearnerState

    # Hyperparameters that mean the same in all systems; the native settings have the same names.
    _shared_constraints: ClassVar[dict[str, list[Any]]] = {
        "population_size": [Interval(Integral, 1, MAX_POPULATION, closed="both")],
        "fitness_exponent": [Interval(Real, 0, None, closed="neither")],
        "crossover_rate": [Interval(Real, 0, 1, closed="both")],
        "mutation_rate": [Interval(Real, 0, 1, closed="both")],
        "deletion_fraction": [Interval(Real, 0, 1, closed="both")],
        "ga_interval": [Interval(Real, 0, None, closed="left")],
        "deletion_experience": [Interval(Real, 0, None, closed="left")],
        "subsumption_experience": [Interval(Real, 0, None, closed="left")],
        "tournament_fraction": [Interval(Real, 0, 1, closed="both")],
        "dont_care_rate": [Interval(Real, 0, 1, closed="both")],
        "correct_set_subsumption": ["boolean"],
        "ga_subsumption": ["boolean"],
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleClassifier._parameter_constraints,
        **_shared_constraints,
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    @abstractmethod
    def _find_variables(self, X: NDArray[np.float64], names: Sequence[str]) -> Variables:
        """Find the variables of training data."""

    @abstractmethod
    def _new_learner(self, variables: Any, seed: int) -> Learner:
        """Make a native learner without rules."""

    def _settings(self, **values: Any) -> _core.Settings:
        """Put the shared hyperparameters and some more into native settings."""
        settings = _core.Settings()
        shared = {name: getattr(self, name) for name in self._shared_constraints}
        for name, value in {**shared, **values}.items():
            # NumPy's scalars become Python's.
            setattr(settings, name, type(getattr(settings, name))(value))
        return settings

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        callback: Callback | None = None,
    ) -> Self:
        """Learn rules from scratch.

        Ctrl-C stops training within a fraction of a second; the estimator is then as it was
        before the call.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data: an array, a pandas or polars frame. NaN is a missing value. Of a Dask
            array or data frame, each partition evolves a population of its own, on the workers;
            their union is counted anew over all rows (see the page "On a cluster").
        y : array-like of shape (n_samples,)
            Class labels; with a Dask collection, one that has as many partitions.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts: how often it is presented in an epoch, on average, relative to
            the mean of the weights. An epoch has as many presentations as there are rows of
            positive weight; fractions are drawn anew in every epoch, by `random_state`. Rows of
            weight 0 are left out altogether. Equal weights change nothing.
        callback : callable, optional
            Called after each epoch with an `EpochReport`, whose ``model`` can be scored on
            validation data.

        Returns
        -------
        self
            The estimator itself.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable or None, got {callback!r}")
        if is_dask(X):
            from fuzzyucs.estimators.dask_training import fit_to_shards

            with all_or_nothing(self):
                self.rules_, state = fit_to_shards(self, X, y, sample_weight, callback)
                self.learner_state_ = LearnerState(*state)
            return self
        with all_or_nothing(self), self._listeners(callback) as listeners:
            X, y, weight = rows_that_count(X, y, sample_weight)
            X, y = self._training_data(X, y, reset=True)
            classes, labels = np.unique(y, return_inverse=True)
            self.classes_ = self._check_classes(classes, weight)
            variables, learner = self._begin(X)
            rows = TrainingRows(
                variables.positions(X), labels.astype(np.uint32), relative_weight(weight)
            )
            self._train(learner, variables, rows, self.epochs, listeners)
            self._find_support(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on learning: present some data once, in random order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data. The first batch sets the range of each feature (and its linguistic
            terms): later values beyond the range count as its nearest end. Each call costs some
            milliseconds on top of learning, so batches beat single rows. Parameters changed between
            calls take effect, but the first batch's ranges and terms stay (and what counts as
            novel), and a population that exceeds a lowered `population_size` only stops growing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            All class labels that will ever occur. Needed in the first call; may be left out later.
        sample_weight : array-like of shape (n_samples,), optional
            How often to present each row: 2 is twice, 0.5 in half of the cases, which is drawn, and
            0 not at all. Unlike in `fit`, weights are not relative to their mean, so that
            batches compare with each other.

        Returns
        -------
        self
            The estimator itself.
        """
        validate_parameters(self)  # scikit-learn's decorator leaves it out after the first call
        with all_or_nothing(self), self._listeners(None) as listeners:
            is_first = is_first_partial_fit(self, classes)
            X, y, weight = rows_that_count(X, y, sample_weight)
            weight = absolute_weight(weight)
            X, y = self._training_data(X, y, reset=is_first)
            self._check_classes(self.classes_)
            labels = class_indices(y, self.classes_)
            if is_first:
                self._find_support(X)
                variables, learner = self._begin(X)
                if not (variables.maximum > variables.minimum).any():
                    warnings.warn(
                        "every feature is constant in the first batch of partial_fit, which fixes "
                        "the range of the features: all later values will look alike",
                        stacklevel=3,
                    )
            else:
                variables = self.rules_.variables
                state = self.learner_state_
                learner = self._new_learner(variables, state.seed)
                arrays = {name: getattr(self.rules_, name) for name in EvolvedRuleSet.array_names()}
                learner.restore_rules(**arrays)
                learner.time, learner.rng_state = state.time, list(state.random_state)
            rows = TrainingRows(variables.positions(X), labels, weight)
            if not is_first:
                self._look_ahead(rows)
            self._train(learner, variables, rows, 1, listeners)
        return self

    @contextmanager
    def _listeners(self, callback: Callback | None) -> Iterator[list[Callback]]:
        """Yield the callbacks to call after each epoch."""
        listeners = [] if callback is None else [callback]
        if not self.verbose:
            yield listeners
            return
        with closing(ProgressBar(detailed=self.verbose > 1)) as bar:
            yield [*listeners, bar]

    def _begin(self, X: NDArray[np.float64]) -> tuple[Variables, Learner]:
        """Find the variables and make a learner without rules."""
        variables = self._find_variables(X, feature_names(self))
        seed = draw_seed(self.random_state)
        self.learner_state_ = LearnerState(seed, 0, ())
        return variables, self._new_learner(variables, seed)

    def _train(
        self,
        learner: Learner,
        variables: Variables,
        rows: TrainingRows,
        epochs: int,
        listeners: Sequence[Callback],
    ) -> None:
        for epoch in range(1, epochs + 1):
            covered, subsumed, evolved = learner.n_covered, learner.n_subsumed, learner.n_evolved
            rows.present_to(learner)
            if not listeners:
                continue
            model = self._snapshot()
            model.rules_ = EvolvedRuleSet(variables, self.classes_, **learner.export_rules())
            model.learner_state_ = self._state_of(learner)
            report = EpochReport(
                epoch=epoch,
                epochs=epochs,
                n_rules=learner.n_rules,
                n_micro_rules=learner.n_micro_rules,
                n_covered=learner.n_covered - covered,
                n_subsumed=learner.n_subsumed - subsumed,
                n_evolved=learner.n_evolved - evolved,
                model=model,
                _score=partial(model._accuracy, rows),
            )
            for listener in listeners:
                listener(report)
        self.rules_ = EvolvedRuleSet(variables, self.classes_, **learner.export_rules())
        self.learner_state_ = self._state_of(learner)
        self._conclude(rows, epochs)

    def _snapshot(self) -> Self:
        """Copy the estimator as it is while training goes on."""
        return copy.copy(self)

    def _conclude(self, rows: TrainingRows, epochs: int) -> None:
        """Finish the fit after the rules have evolved."""

    def _look_ahead(self, rows: TrainingRows) -> None:
        """Use a batch that the rules have not been trained on yet."""

    def _state_of(self, learner: Learner) -> LearnerState:
        return LearnerState(self.learner_state_.seed, learner.time, tuple(learner.rng_state))

    def _accuracy(self, rows: TrainingRows) -> float:
        return float(np.mean(self.decision.decide(rows.positions) == rows.labels))

    def _decision_of(self, way: type[Decision], least_experience: float, **more: Any) -> Decision:
        """Decide by evolved rules with more than some experience."""
        check_is_fitted(self, "rules_")
        rules = self.rules_.experienced(least_experience)
        indices = np.flatnonzero(self.rules_.experience > least_experience)
        return way(rules, indices, self.learner_state_.seed, **more)
