"""RuleLearner: what classifiers that learn rules online share, which is training."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fuzzyucs import _core
from fuzzyucs._util.sklearn_compat import (
    Interval,
    StrOptions,
    fit_context,
)
from fuzzyucs.estimators.lazy import is_dask
from fuzzyucs.estimators.live import LearnerState, LiveLearner
from fuzzyucs.estimators.presenting import (
    TrainingRows,
    absolute_weight,
    draw_rows,
    relative_weight,
)
from fuzzyucs.estimators.progress import EpochReport, ProgressBar
from fuzzyucs.estimators.streaming import StreamLearner
from fuzzyucs.estimators.validation import (
    all_or_nothing,
    rows_that_count,
)

__all__ = ["LearnerState", "RuleLearner"]

MAX_POPULATION = 2**23  # deletion votes of larger populations could overflow 64 bits

Callback = Callable[[EpochReport], object]


class RuleLearner(StreamLearner):
    """A classifier that evolves rules from one example after the other.

    Subclasses say what their rules look like, which native learner makes them, and how they decide.
    """

    epochs: int
    shuffle: bool
    population_size: int
    rules_own_class: ClassVar[bool] = False  # else the class follows from experience
    verbose: int

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
        "forgetting": [Interval(Real, 0, 1, closed="left")],
        "as_published": ["boolean"],
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamLearner._parameter_constraints,
        **_shared_constraints,
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "ranges": [StrOptions({"moving"}), Mapping, "array-like", None],
        "new_classes": [StrOptions({"error", "add"})],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

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
            live = self._begin(X)
            rows = TrainingRows(
                live.variables.positions(X), labels.astype(np.uint32), relative_weight(weight)
            )
            for epoch in range(1, self.epochs + 1):
                self._present(live, rows, listeners, (epoch, self.epochs))
            self.rules_, self.learner_state_ = live.rules, live.state
            self._conclude(lambda: rows, self.epochs)
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
        """Go on learning: present some data once, in the order given.

        The learner stays alive between calls. So the rules after several calls are those of one
        call with all rows, however they are divided, if the first batch decides nothing: with
        ``ranges`` that are declared or "moving", and the same `classes`. With declared ranges, they
        are also those of a `fit` to all rows with ``epochs=1, shuffle=False``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data. Unless `ranges` says otherwise, the first batch sets the range of each
            feature (and its linguistic terms): later values beyond the range count as its nearest
            end, and categories that it lacks count as missing, which a warning tells. Rows of a
            batch that are sorted, by class for example, are best shuffled before.
            Parameters changed between calls take effect, but the first batch's ranges and terms
            stay (and what counts as novel), and a population that exceeds a lowered
            `population_size` only stops growing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            All class labels that will ever occur. Needed in the first call; may be left out later.
            With ``new_classes="add"``, it may always be left out.
        sample_weight : array-like of shape (n_samples,), optional
            How often to present each row: 2 is twice in succession, 0.5 in half of the cases, which
            is drawn for a batch as a whole, and 0 not at all. Unlike in `fit`, weights are not
            relative to their mean, so that batches compare with each other.

        Returns
        -------
        self
            The estimator itself.
        """
        parameters = self._check_parameters()
        with all_or_nothing(self), self._listeners(None) as listeners:
            is_first, given = self._is_first_call(classes)
            X, y, weight = rows_that_count(X, y, sample_weight)
            weight = absolute_weight(weight)
            if not is_first:
                self._warn_of_categories(X)
            X, y = self._training_data(X, y, reset=is_first)
            labels = self._labels(y, given)
            if is_first:
                self._find_support(X)
                live = self._begin(X[:1] if self._is_moving else X)
                self._warn_of_constants(live.variables)
            else:
                live = self._go_on(parameters)
                self._look_ahead(live, partial(TrainingRows.of, live.variables, X, labels, weight))
            live.parameters = parameters
            before = live.events
            drawn = ... if weight is None else draw_rows(weight, live.learner)
            live = self._train(live, X[drawn], labels[drawn])
            self.__dict__.pop("rules_", None)
            self.__dict__.pop("learner_state_", None)
            self._live = live
            rows = partial(TrainingRows.of, live.variables, X, labels, weight)
            if listeners:
                self._report(live, rows(), listeners, (1, 1), before)
            self._conclude(rows, 1)
        return self

    @contextmanager
    def _listeners(self, callback: Callback | None) -> Iterator[list[Callback]]:
        """Yield the callbacks to call after each epoch."""
        listeners = [] if callback is None else [callback]
        if not self.verbose:
            yield listeners
            return
        with ProgressBar(detailed=self.verbose > 1) as bar:
            yield [*listeners, bar]

    def _present(
        self,
        live: LiveLearner,
        rows: TrainingRows,
        listeners: Sequence[Callback],
        epoch: tuple[int, int],
    ) -> None:
        """Train for an epoch of `fit`."""
        before = live.events
        learner = live.learner
        rows.present_to(learner, shuffle=self.shuffle)
        live.events = learner.n_covered, learner.n_subsumed, learner.n_evolved
        live.forget_exports()
        self._report(live, rows, listeners, epoch, before)

    def _report(
        self,
        live: LiveLearner,
        rows: TrainingRows,
        listeners: Sequence[Callback],
        epoch: tuple[int, int],
        before: tuple[int, int, int],
    ) -> None:
        if not listeners:
            return
        model = self._snapshot()
        model.rules_, model.learner_state_ = live.rules, live.state
        covered, subsumed, evolved = (
            now - then for now, then in zip(live.events, before, strict=True)
        )
        report = EpochReport(
            epoch=epoch[0],
            epochs=epoch[1],
            n_rules=live.learner.n_rules,
            n_micro_rules=live.learner.n_micro_rules,
            n_covered=covered,
            n_subsumed=subsumed,
            n_evolved=evolved,
            model=model,
            _score=partial(model._accuracy, rows),
        )
        for listener in listeners:
            listener(report)

    def _snapshot(self) -> Self:
        """Copy the estimator as it is while training goes on."""
        return copy.copy(self)

    def _conclude(self, rows: Callable[[], TrainingRows], epochs: int) -> None:
        """Finish the fit after the rules have evolved."""

    def _look_ahead(self, live: LiveLearner, rows: Callable[[], TrainingRows]) -> None:
        """Use a batch that the rules have not been trained on yet."""
