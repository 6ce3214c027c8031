"""StreamClassifier: evolving linguistic rules as a classifier of river."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from river.base import Classifier
except ImportError as error:
    raise ImportError("fuzzyucs.streams needs river: pip install river") from error

from fuzzyucs import _core
from fuzzyucs.estimators.live import LearnerState, LiveLearner
from fuzzyucs.estimators.streaming import MOST_CHANGES
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.streams.features import (
    MARGIN,
    StreamFeature,
    check_label,
    fixed_rules,
    grown_amounts,
    grown_conditions,
    grown_features,
    partition_of,
)
from fuzzyucs.variables.moving import RangeChange

__all__ = ["StreamClassifier"]

FADING = 0.99  # of the merits of profiles with each example
LEAST_EXPERIENCE = 10.0  # of rules whose evidence counts

Array = NDArray[np.float64]


class StreamClassifier(Classifier):
    """Linguistic fuzzy rules that evolve with a stream, for river.

    Fuzzy-UCS evolves rules, one example at a time. Each rule has an online profile: amounts that
    it adds to the logarithms of the odds where it matches. So has each linguistic term of a
    feature, as a rule with a single condition, and in a group of their own each pair of terms of
    two features, as a rule with two, unless there are more than 5,000 pairs. Profiles follow the
    stream by gradient steps on the log-loss; there are several of each rule, with steps of other
    sizes, and those that were right lately count most.

    Records are dicts with numbers and text. Features, categories (up to 64 of a feature) and
    classes are added as they come; what a record lacks, or is None or NaN, is a missing value.
    Ranges of numbers widen with their values, and conditions are rewritten so that they mean the
    same.

    Parameters
    ----------
    n_terms : int, default=8
        Number of linguistic terms of a feature of numbers, from 2 to 64; truth values have two.
    steps : sequence of float, default=(0.03, 0.2, 0.6, 1.5)
        Sizes of gradient steps, as the share of an error that is taken back. Small steps average
        over noise, large ones follow a drift.
    ranges : dict, default=None
        Declared ranges of features, by key: ``{"age": (0, 120)}``. They do not widen.
    population_size : int, default=500
        Greatest number of micro-rules, as of the next parameters in `FuzzyUCSClassifier`.
    ga_interval : float, default=25
        Mean number of steps between evolutions of a correct set.
    dont_care_rate : float, default=0.33
        Probability that covering leaves a feature open.
    forgetting : float, default=0.01
        Share of its experience that a rule forgets with each match.
    seed : int, default=None
        Of the random generator.

    See Also
    --------
    fuzzyucs.FuzzyUCSClassifier : The same rules with the article's inference, for scikit-learn.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from fuzzyucs.streams import StreamClassifier
    >>> model = StreamClassifier(seed=1)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.85
    True
    >>> print(model.rules.sort("experience")[:1].to_text())
    IF ... THEN ...
    """

    def __init__(
        self,
        n_terms: int = 8,
        steps: Sequence[float] = (0.03, 0.2, 0.6, 1.5),
        ranges: Mapping[Any, tuple[float, float]] | None = None,
        population_size: int = 500,
        ga_interval: float = 25,
        dont_care_rate: float = 0.33,
        forgetting: float = 0.01,
        seed: int | None = None,
    ) -> None:
        _check("n_terms", n_terms, 2, 64)
        _check("population_size", population_size, 1, 2**23)
        _check("ga_interval", ga_interval, 0, float("inf"))
        _check("dont_care_rate", dont_care_rate, 0, 1)
        _check("forgetting", forgetting, 0, 0.999)
        if not len(steps):
            raise ValueError("steps must have at least one number, got none")
        for step in steps:
            _check("steps", step, 1e-6, 10)
        for key, ends in (ranges or {}).items():
            if len(ends) != 2 or not ends[0] < ends[1]:
                raise ValueError(
                    f"ranges must have a least and a greatest number for {key!r}, got {ends!r}"
                )
        self.n_terms = n_terms
        self.steps = steps
        self.ranges = ranges
        self.population_size = population_size
        self.ga_interval = ga_interval
        self.dont_care_rate = dont_care_rate
        self.forgetting = forgetting
        self.seed = seed
        self._seed = int(
            np.random.SeedSequence().generate_state(1, np.uint64)[0] if seed is None else seed
        )
        self._features: list[StreamFeature] = []  # with the ranges of when the learner was made
        self._labels: list[Hashable] = []
        self._changes: tuple[RangeChange, ...] = ()  # before the learner was made
        self._native: _core.RecordLearner | None = None

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Hashable) -> None:
        """Learn from one example.

        Parameters
        ----------
        x : dict
            Its values.
        y : hashable
            Its class.
        """
        record = x if isinstance(x, dict) else _as_dict(x)
        if self._native is None or not self._native.learn(record, y, leaves_out=False):
            self._grow(record, y).learn(record, y, leaves_out=True)

    def predict_proba_one(self, x: Mapping[Any, Any], **_: Any) -> dict[Any, float]:
        """Estimate the probability of each class that has occurred.

        Parameters
        ----------
        x : dict
            A record.

        Returns
        -------
        dict
            Empty before the first example.
        """
        if self._native is None:
            return {}
        return self._native.predict(x if isinstance(x, dict) else _as_dict(x))

    def predict_evidence_one(self, x: Mapping[Any, Any]) -> Evidence:
        """Tell what evolved rules say by Dempster's rule, and what they leave undecided.

        Parameters
        ----------
        x : dict
            A record.

        Returns
        -------
        Evidence
            Of one input. Its `posterior` has the probabilities of `predict_proba_one`.
        """
        if self._native is None:
            raise ValueError("predict_evidence_one needs an example to learn from first")
        record = _as_dict(x)
        positions = self._native.positions(record)
        logs = self._native.learner.log_commonalities(positions, LEAST_EXPERIENCE)
        mass, log_agreement = _masses(logs)
        return Evidence(
            _array_of(self._labels),
            mass[np.newaxis, :-1],
            mass[-1:],
            np.array([log_agreement]),
            posterior=np.array([list(self._native.predict(record).values())]),
        )

    @property
    def range_changes(self) -> tuple[RangeChange, ...]:
        """Ranges that have widened, the latest last, 1,000 at most."""
        latest = () if self._native is None else self._native.range_changes
        changes = (
            RangeChange(time, str(self._features[feature].key), old, new)
            for time, feature, old, new in latest
        )
        return (*self._changes, *changes)[-MOST_CHANGES:]

    @property
    def rules(self) -> EvolvedRuleSet:
        """The evolved rules, as arrays and as text."""
        if self._native is None:
            raise AttributeError("rules: there are none before the first example")
        return self._live(self._native).rules

    @property
    def profiles(self) -> Array:
        """What the evolved rules say of the classes; shape (n_steps, n_rules, n_classes)."""
        if self._native is None:
            raise AttributeError("profiles: there are none before the first example")
        return self._amounts(self._native)[0][:, len(fixed_rules(self._features, False)) :]

    def _live(self, native: _core.RecordLearner) -> LiveLearner:
        variables = partition_of(self._known_features())
        return LiveLearner(native.learner, variables, _array_of(self._labels), self._seed)

    def _amounts(self, native: _core.RecordLearner) -> list[Array]:
        """Return the amounts of each group of profiles, by step, rule and class."""
        shape = len(self.steps), -1, len(self._labels)
        return [native.export_profiles(group).reshape(shape) for group in range(native.n_groups)]

    def _known_features(self) -> list[StreamFeature]:
        """Return the features with their ranges as they are."""
        if self._native is None:
            return self._features
        return [
            replace(feature, minimum=low, maximum=high)
            for feature, (low, high) in zip(self._features, self._native.ranges, strict=True)
        ]

    def _new_learner(self, n_terms: NDArray[np.uint32], n_classes: int) -> _core.LinguisticLearner:
        settings = _core.Settings()
        for name in ("population_size", "ga_interval", "dont_care_rate", "forgetting"):
            setattr(settings, name, type(getattr(settings, name))(getattr(self, name)))
        return _core.LinguisticLearner(n_terms, n_classes, settings, self._seed)

    def _grow(self, x: Mapping[Any, Any], y: Hashable) -> _core.RecordLearner:
        """Make room for what is new in an example, ranges apart, which the learner widens."""
        check_label(y)
        known = self._known_features()
        features = grown_features(known, x, self.n_terms, self.ranges or {})
        if not features:
            raise ValueError(f"x must have at least one value in the first example, got {dict(x)}")
        labels = self._labels if y in self._labels else [*self._labels, y]
        if self._native is None:
            return self._set(features, labels, None)
        if (features, labels) == (known, self._labels):
            return self._native  # of what is new, nothing can be kept
        live = self._live(self._native)
        grown = [
            grown_amounts(
                part, fixed_rules(known, group > 0), fixed_rules(features, group > 0), len(labels)
            )
            for group, part in enumerate(self._amounts(self._native))
        ]
        rules = _grown_rules(live.rules, known, features, labels)
        state = rules, live.state, grown, self._native.merits
        changes = self.range_changes
        native = self._set(features, labels, state)
        self._changes = changes
        return native

    def _set(
        self,
        features: list[StreamFeature],
        labels: list[Hashable],
        state: tuple[EvolvedRuleSet, LearnerState, list[Array], list[float]] | None,
    ) -> _core.RecordLearner:
        """Begin with some features and classes, or go on in the state of another learner."""
        reader = _core.RecordReader()
        for feature in features:
            feature.add_to(reader)
        for label in labels:
            reader.add_label(label)
        variables = partition_of(features)
        learner = self._new_learner(variables.n_terms, len(labels))
        if state is not None:
            LiveLearner(learner, variables, _array_of(labels), self._seed).restore(*state[:2])
        steps = np.array(self.steps, dtype=float)
        native = _core.RecordLearner(learner, reader, steps, FADING, MARGIN)
        if state is not None:
            # Pairs of terms appear with a second feature, and go when there are too many.
            for group, amounts in enumerate(state[2][: native.n_groups]):
                native.restore_profiles(group, amounts.reshape(-1, len(labels)))
            native.merits = (2 * state[3])[: len(native.merits)]
        self._features, self._labels, self._native = features, labels, native
        return native

    def __getstate__(self) -> dict[str, Any]:
        """Return what to copy or to pickle: arrays in place of native objects."""
        state = {name: value for name, value in vars(self).items() if name != "_native"}
        if self._native is not None:
            live = self._live(self._native)
            amounts = self._amounts(self._native)
            state["_learned"] = live.rules, live.state, amounts, self._native.merits
            state["_features"], state["_changes"] = self._known_features(), self.range_changes
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        learned = state.pop("_learned", None)
        self.__dict__.update(state)
        self._native = None
        if learned is not None:
            self._set(self._features, self._labels, learned)


def _as_dict(x: Mapping[Any, Any]) -> dict[Any, Any]:
    if not isinstance(x, Mapping):
        raise ValueError(f"x must be a dict, got {x!r}")
    return x if isinstance(x, dict) else dict(x)


def _check(name: str, value: Any, least: float, most: float) -> None:
    if not isinstance(value, Real) or not least <= float(value) <= most:
        raise ValueError(f"{name} must be a number from {least} to {most}, got {value!r}")


def _array_of(labels: list[Hashable]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _grown_rules(
    rules: EvolvedRuleSet,
    old: Sequence[StreamFeature],
    new: Sequence[StreamFeature],
    labels: list[Hashable],
) -> EvolvedRuleSet:
    more = ((0, 0), (0, len(labels) - len(rules.classes)))
    return replace(
        rules,
        variables=partition_of(new),
        classes=_array_of(labels),
        conditions=grown_conditions(rules.conditions, old, new),
        weights=np.pad(rules.weights, more),
        class_experience=np.pad(rules.class_experience, more),
    )


def _masses(logs: Array) -> tuple[Array, float]:
    """Normalise commonalities of classes and Theta, given as logarithms; and log(1 - K)."""
    greatest = logs[:-1].max()
    if np.isneginf(greatest):
        # Total conflict: everything is undecided.
        return np.append(np.zeros(len(logs) - 1), 1.0), -np.inf
    shares = np.exp(logs - greatest)
    shares[:-1] -= shares[-1]
    total = shares.sum()
    return shares / total, float(np.log(total) + greatest)
