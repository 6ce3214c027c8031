"""StreamLearner: how learning begins with a first batch, and goes on with the next ones."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyucs._util.sklearn_compat import (
    feature_names,
    is_first_partial_fit,
    validate_parameters,
)
from fuzzyucs.estimators.evolved import EvolvedRulesClassifier
from fuzzyucs.estimators.live import LearnerState, LiveLearner
from fuzzyucs.estimators.presenting import Learner
from fuzzyucs.estimators.validation import class_indices, draw_seed, more_classes
from fuzzyucs.rules.rewriting import with_classes, with_moved_ranges
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.moving import (
    RangeChange,
    first_beyond,
    range_changes,
    widen,
    with_declared_ranges,
)
from fuzzyucs.variables.variables import Variables

__all__ = ["BELIEFS_STAY", "Ranges", "StreamLearner"]

MOST_CHANGES = 1000  # of ranges, that are kept

BELIEFS_STAY = (
    "ranges must not be 'moving' if missing is 'belief': what known values tell about missing ones "
    "is learned from the first batch, for its ranges"
)

Ranges = Literal["moving"] | Mapping[Any, Any] | ArrayLike | None


class StreamLearner(EvolvedRulesClassifier):
    """A classifier by evolved rules whose learner goes on from batch to batch.

    Its ranges may be declared or move, and classes may be added.
    """

    ranges: Ranges
    new_classes: Literal["error", "add"]
    random_state: Any
    range_changes_: tuple[RangeChange, ...]

    @abstractmethod
    def _find_variables(self, X: NDArray[np.float64], names: Sequence[str]) -> Variables:
        """Find the variables of training data."""

    @abstractmethod
    def _new_learner(self, variables: Any, seed: int) -> Learner:
        """Make a native learner without rules."""

    @property
    def _is_moving(self) -> bool:
        return isinstance(self.ranges, str)

    def _check_parameters(self) -> Mapping[str, Any]:
        """Check the parameters, unless they are those of the last call, and return them."""
        present = {name: getattr(self, name) for name in self._parameter_constraints}
        last = self._live.parameters if "_live" in vars(self) else {}
        if present.keys() == last.keys() and all(last[k] is v for k, v in present.items()):
            return last
        validate_parameters(self)  # scikit-learn's decorator leaves it out after the first call
        return present

    def _is_first_call(self, classes: ArrayLike | None) -> tuple[bool, ArrayLike | None]:
        """Tell whether learning begins, and which classes may be added."""
        if self.new_classes == "error":
            return is_first_partial_fit(self, classes), None
        return getattr(self, "classes_", None) is None, classes

    def _labels(self, y: NDArray[Any], given: ArrayLike | None) -> NDArray[np.uint32]:
        """Return the indices of class labels, and learn of new classes if there may be any."""
        if self.new_classes == "add":
            found = more_classes(getattr(self, "classes_", None), y, given)
            if found is not None:
                self.classes_ = found
            self._check_classes(self.classes_, least=1)
        else:
            self._check_classes(self.classes_)
        return class_indices(y, self.classes_)

    def _begin(self, X: NDArray[np.float64]) -> LiveLearner:
        """Find the variables and make a learner without rules."""
        for name in ("_live", "range_changes_"):
            self.__dict__.pop(name, None)
        if self._is_moving:
            self.range_changes_ = ()
        variables = self._find_variables(X, feature_names(self))
        if self.ranges is not None and not self._is_moving:
            variables = with_declared_ranges(variables, self.ranges)
        seed = draw_seed(self.random_state)
        return LiveLearner(self._new_learner(variables, seed), variables, self.classes_, seed)

    def _warn_of_constants(self, variables: Variables) -> None:
        if not self._is_moving and not (variables.maximum > variables.minimum).any():
            warnings.warn(
                "every feature is constant in the first batch of partial_fit, which fixes "
                "the range of the features: all later values will look alike",
                stacklevel=4,
            )

    def _go_on(self, parameters: Mapping[str, Any]) -> LiveLearner:
        """Return a learner to train, in the state of the last call; that one stays as it is."""
        live = vars(self).get("_live")
        if live is None or live.parameters is not parameters or live.classes is not self.classes_:
            rules = self.rules_
            if len(rules.classes) < len(self.classes_):
                rules = with_classes(rules, self.classes_)
            return self._restored(rules, self.learner_state_)
        found: LiveLearner = live.copy()
        return found

    def _restored(self, rules: EvolvedRuleSet, state: LearnerState) -> LiveLearner:
        """Make a learner with some rules."""
        learner = self._new_learner(rules.variables, state.seed)
        live = LiveLearner(learner, rules.variables, self.classes_, state.seed)
        live.restore(rules, state)
        return live

    def _train(
        self, live: LiveLearner, X: NDArray[np.float64], labels: NDArray[np.uint32]
    ) -> LiveLearner:
        """Present rows in their order; ranges widen before a row that exceeds them."""
        if self._is_moving:
            if live.variables.without_beliefs() is not live.variables:
                raise ValueError(BELIEFS_STAY)
            movable = live.variables.movable
            while (row := first_beyond(live.variables, movable, X)) is not None:
                live.train(X[:row], labels[:row])
                X, labels = X[row:], labels[row:]
                live = self._widened(live, movable, X[0])
        live.train(X, labels)
        return live

    def _widened(
        self, live: LiveLearner, movable: NDArray[np.bool_], record: NDArray[np.float64]
    ) -> LiveLearner:
        """Rewrite the rules for ranges that hold a record, and take a note of the change."""
        variables = widen(live.variables, movable, record)
        assert variables is not None
        changes = range_changes(live.variables, variables, live.learner.time)
        known = getattr(self, "range_changes_", ())  # none if ranges did not move at first
        self.range_changes_ = (*known, *changes)[-MOST_CHANGES:]
        moved = self._restored(with_moved_ranges(live.rules, variables), live.state)
        moved.events, moved.parameters = live.events, live.parameters
        return moved
