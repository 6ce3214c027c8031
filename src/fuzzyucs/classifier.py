"""FuzzyUCSClassifier: the learning fuzzy-classifier system of the article."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from fuzzyucs import _core
from fuzzyucs._checks import check_columns
from fuzzyucs.evidence import Evidence
from fuzzyucs.linguistic import MAX_TERMS, LinguisticPartition
from fuzzyucs.progress import EpochReport, ProgressBar
from fuzzyucs.rules import RuleSet

__all__ = ["FuzzyUCSClassifier"]

MAX_CLASSES = 10_000
MAX_POPULATION = 2**23  # deletion votes of larger populations could overflow 64 bits

Callback = Callable[[EpochReport], object]


# scikit-learn has no type hints, so mypy has to let its base classes and decorators pass.
class FuzzyUCSClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classification by evolved linguistic fuzzy rules, with Dempster-Shafer inference.

    Fuzzy-UCS learns online: each training example updates the rules that match it, a covering
    operator adds a rule where none explains the example, and a genetic algorithm recombines good
    rules. The default parameters are those of the article [1]_.

    Parameters
    ----------
    inference : {"ds", "vote", "swin"}, default="ds"
        How the rules that match reach a decision: Dempster-Shafer combination of their belief
        masses, a vote weighted by fitness, or the single best rule. May be changed with
        `set_params` after `fit`, without fitting anew.
    epochs : int, default=50
        Number of times `fit` presents the training data.
    n_terms : int or array-like of shape (n_features,), default=5
        Number of linguistic terms, from 2 to 32, for all features or for each.
    partition : {"uniform"}, default="uniform"
        How the terms divide the range of a feature.
    population_size : int, default=2000
        Greatest number of micro-rules (N in the article).
    fitness_threshold : float, default=0.99
        Fitness above which a rule may subsume others (F_0).
    fitness_exponent : float, default=1.0
        Pressure towards fit rules (nu). Whole numbers give the same rules on any machine; other
        exponents depend on the last digit of the platform's `pow`.
    crossover_rate : float, default=0.8
        Probability that two children exchange parts of their conditions (chi).
    mutation_rate : float, default=0.04
        Probability that a feature of a child's condition changes (p_mut).
    deletion_fraction : float, default=0.1
        Experienced rules below this fraction of the mean fitness are deleted sooner (delta).
    ga_interval : float, default=50
        Mean number of steps between evolutions of a correct set (theta_GA).
    deletion_experience : float, default=50
        Experience above which low fitness counts for deletion (theta_del).
    subsumption_experience : float, default=50
        Experience above which a rule may subsume others (theta_sub).
    inference_experience : float, default=10
        Experience above which a rule takes part in inference (theta_exploit). May be changed after
        `fit`.
    tournament_fraction : float, default=0.4
        Probability that a micro-rule enters the tournament for parents (tau).
    dont_care_rate : float, default=0.33
        Probability that covering leaves a feature open (P_#). The article uses 0.8 for data with
        60 or more features.
    correct_set_subsumption : bool, default=True
        Whether an accurate general rule absorbs more special ones of its correct set.
    ga_subsumption : bool, default=True
        Whether an accurate parent absorbs a more special child.
    fitness_range : {"signed", "unsigned"}, default="signed"
        Fitness in (-1, 1], or in (0, 1] (the article's Appendix A).
    experience_update : {"membership", "count"}, default="membership"
        Whether a match adds its membership degree or 1 to the experience (Appendix B).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the learner. The same data and integer give the same rules everywhere.
    verbose : int, default=0
        1 shows a progress bar; 2 writes a line per epoch with the training accuracy.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    rules_ : RuleSet
        The evolved rules.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had any.

    See Also
    --------
    fuzzyucs.RuleSet : The rules, as arrays and as text.
    fuzzyucs.Evidence : What `predict_evidence` returns.

    Notes
    -----
    A missing value (NaN) is a value like any other: it matches every rule fully. Values outside
    the training range count as its nearest end.

    References
    ----------
    .. [1] H. Shiraishi, H. Ishibuchi, M. Nakata, "A Class Inference Scheme With Dempster-Shafer
       Theory for Learning Fuzzy-Classifier Systems".
    .. [2] A. Orriols-Puig, J. Casillas, E. Bernado-Mansilla, "Fuzzy-UCS: A Michigan-style learning
       fuzzy-classifier system for supervised learning", IEEE Transactions on Evolutionary
       Computation, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import FuzzyUCSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> evidence = clf.predict_evidence(X[:1])
    >>> evidence.mass.round(3), evidence.ignorance.round(3)
    (array([[1., 0., 0.]]), array([0.]))
    >>> clf.set_params(inference="vote").predict(X[:1])
    array([0])
    """

    classes_: NDArray[Any]
    rules_: RuleSet
    _seed: int
    _learner_state: tuple[int, list[int]]  # time and random state, to go on from

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "inference": [StrOptions({"ds", "vote", "swin"})],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "n_terms": [Interval(Integral, 2, MAX_TERMS, closed="both"), "array-like"],
        "partition": [StrOptions({"uniform"})],
        "population_size": [Interval(Integral, 1, MAX_POPULATION, closed="both")],
        "fitness_threshold": [Interval(Real, -1, 1, closed="both")],
        "fitness_exponent": [Interval(Real, 0, None, closed="neither")],
        "crossover_rate": [Interval(Real, 0, 1, closed="both")],
        "mutation_rate": [Interval(Real, 0, 1, closed="both")],
        "deletion_fraction": [Interval(Real, 0, 1, closed="both")],
        "ga_interval": [Interval(Real, 0, None, closed="left")],
        "deletion_experience": [Interval(Real, 0, None, closed="left")],
        "subsumption_experience": [Interval(Real, 0, None, closed="left")],
        "inference_experience": [Interval(Real, 0, None, closed="left")],
        "tournament_fraction": [Interval(Real, 0, 1, closed="both")],
        "dont_care_rate": [Interval(Real, 0, 1, closed="both")],
        "correct_set_subsumption": ["boolean"],
        "ga_subsumption": ["boolean"],
        "fitness_range": [StrOptions({"signed", "unsigned"})],
        "experience_update": [StrOptions({"membership", "count"})],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        inference: Literal["ds", "vote", "swin"] = "ds",
        epochs: int = 50,
        n_terms: int | ArrayLike = 5,
        partition: Literal["uniform"] = "uniform",
        population_size: int = 2000,
        fitness_threshold: float = 0.99,
        fitness_exponent: float = 1.0,
        crossover_rate: float = 0.8,
        mutation_rate: float = 0.04,
        deletion_fraction: float = 0.1,
        ga_interval: float = 50,
        deletion_experience: float = 50,
        subsumption_experience: float = 50,
        inference_experience: float = 10,
        tournament_fraction: float = 0.4,
        dont_care_rate: float = 0.33,
        correct_set_subsumption: bool = True,
        ga_subsumption: bool = True,
        fitness_range: Literal["signed", "unsigned"] = "signed",
        experience_update: Literal["membership", "count"] = "membership",
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.inference = inference
        self.epochs = epochs
        self.n_terms = n_terms
        self.partition = partition
        self.population_size = population_size
        self.fitness_threshold = fitness_threshold
        self.fitness_exponent = fitness_exponent
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.deletion_fraction = deletion_fraction
        self.ga_interval = ga_interval
        self.deletion_experience = deletion_experience
        self.subsumption_experience = subsumption_experience
        self.inference_experience = inference_experience
        self.tournament_fraction = tournament_fraction
        self.dont_care_rate = dont_care_rate
        self.correct_set_subsumption = correct_set_subsumption
        self.ga_subsumption = ga_subsumption
        self.fitness_range = fitness_range
        self.experience_update = experience_update
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, *, callback: Callback | None = None) -> Self:
        """Learn rules from scratch.

        Ctrl-C stops training within a fraction of a second; the estimator is then as it was
        before the call.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data: an array, a pandas or polars frame. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Class labels.
        callback : callable, optional
            Called after each epoch with an `EpochReport`, whose ``model`` can be scored on
            validation data.

        Returns
        -------
        FuzzyUCSClassifier
            The estimator itself.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable or None, got {callback!r}")
        with _all_or_nothing(self), self._listeners(callback) as listeners:
            X, y = self._validate(X, y, reset=True)
            classes, labels = np.unique(y, return_inverse=True)
            self.classes_ = self._check_classes(classes)
            partition, learner = self._begin(X)
            self._train(learner, partition, X, labels.astype(np.uint32), self.epochs, listeners)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Go on learning: present some data once, in random order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data. The first batch sets the range of each feature, and with `n_terms` its
            linguistic terms: later values beyond the range count as its nearest end. Each call
            costs some milliseconds on top of learning, so batches beat single rows. Parameters
            changed between calls take effect, but `n_terms` is fixed, and a population that
            exceeds a lowered `population_size` only stops growing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            All class labels that will ever occur. Needed in the first call; may be left out later.

        Returns
        -------
        FuzzyUCSClassifier
            The estimator itself.
        """
        with _all_or_nothing(self), self._listeners(None) as listeners:
            is_first = _check_partial_fit_first_call(self, classes)
            X, y = self._validate(X, y, reset=is_first)
            self._check_classes(self.classes_)
            unknown = np.setdiff1d(y, self.classes_)
            if unknown.size:
                raise ValueError(
                    f"y contains labels that are not in classes: {unknown.tolist()[:10]}; "
                    f"known classes are {self.classes_.tolist()[:10]}"
                )
            labels = np.searchsorted(self.classes_, y).astype(np.uint32)
            if is_first:
                partition, learner = self._begin(X)
                if not (partition.maximum > partition.minimum).any():
                    warnings.warn(
                        "every feature is constant in the first batch of partial_fit, which fixes "
                        "the range of the features: all later values will look alike",
                        stacklevel=3,
                    )
            else:
                partition = self.rules_.partition
                learner = self._new_learner(partition)
                arrays = {name: getattr(self.rules_, name) for name in RuleSet.array_names()}
                learner.restore_rules(**arrays)
                learner.time, learner.rng_state = self._learner_state
            self._train(learner, partition, X, labels, 1, listeners)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Classify.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels. Where classes tie or no rule matches, the label is drawn by the model's
            seed and the row's own values: the same row always gets the same answer.
        """
        rules, positions = self._prepare(X)
        labels: NDArray[Any] = self.classes_[rules.predict(positions, self._scheme(), self._seed)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        With ``inference="ds"`` these are the pignistic probabilities of `predict_evidence`. A vote
        gives the shares of the positive votes, a single winner the pignistic probabilities of its
        own belief masses. If no rule matches, all classes are equally probable.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities that sum to 1, classes in the order of `classes_`.
        """
        rules, positions = self._prepare(X)
        scheme = self._scheme()
        if scheme == _core.Scheme.vote:
            return _vote_shares(rules.votes(positions))
        if scheme == _core.Scheme.swin:
            return self._winner_probability(rules, positions)
        return self._evidence(rules, positions).pignistic

    def predict_evidence(self, X: Any) -> Evidence:
        """Combine the rules by Dempster's rule, whatever ``inference`` says.

        Every micro-rule that matches with degree mu is a source that gives the mass mu * v to the
        classes, v being its weights, and 1 - mu to "I don't know".

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        Evidence
            Belief masses, ignorance and conflict of each row. If no rule matches, ignorance is 1.
        """
        return self._evidence(*self._prepare(X))

    def membership(self, X: Any) -> NDArray[np.float64]:
        """Degrees to which the rules match.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            Degrees in [0, 1], rules in the order of `rules_`, those of little experience included.
        """
        positions = self._positions(X)
        degrees: NDArray[np.float64] = self.rules_.freeze().membership(positions)
        return degrees

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        check_columns(X)
        X, y = validate_data(
            self, X, y, reset=reset, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        return X, y

    def _check_classes(self, classes: NDArray[Any]) -> NDArray[Any]:
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, got only one class: "
                f"{classes.tolist()}"
            )
        if len(classes) > MAX_CLASSES:
            raise ValueError(
                f"{type(self).__name__} handles at most {MAX_CLASSES:,} classes, got "
                f"{len(classes):,}; is the target an identifier or a quantity?"
            )
        return classes

    @contextmanager
    def _listeners(self, callback: Callback | None) -> Iterator[list[Callback]]:
        """Those who want to hear of each epoch."""
        listeners = [] if callback is None else [callback]
        if not self.verbose:
            yield listeners
            return
        with closing(ProgressBar(detailed=self.verbose > 1)) as bar:
            yield [*listeners, bar]

    def _begin(self, X: NDArray[np.float64]) -> tuple[LinguisticPartition, _core.LinguisticLearner]:
        """Partition the features and make a learner without rules."""
        names = _check_feature_names_in(self)
        partition = LinguisticPartition.uniform(X, self.n_terms, names)
        self._seed = _draw_seed(self.random_state)
        return partition, self._new_learner(partition)

    def _new_learner(self, partition: LinguisticPartition) -> _core.LinguisticLearner:
        settings = _core.Settings()
        for name in (
            "population_size",
            "fitness_threshold",
            "fitness_exponent",
            "crossover_rate",
            "mutation_rate",
            "deletion_fraction",
            "ga_interval",
            "deletion_experience",
            "subsumption_experience",
            "tournament_fraction",
            "dont_care_rate",
            "correct_set_subsumption",
            "ga_subsumption",
        ):
            # NumPy's scalars become Python's.
            value = getattr(self, name)
            setattr(settings, name, type(getattr(settings, name))(value))
        settings.signed_fitness = self.fitness_range == "signed"
        settings.membership_experience = self.experience_update == "membership"
        return _core.LinguisticLearner(partition.n_terms, len(self.classes_), settings, self._seed)

    def _train(
        self,
        learner: _core.LinguisticLearner,
        partition: LinguisticPartition,
        X: NDArray[np.float64],
        labels: NDArray[np.uint32],
        epochs: int,
        listeners: Sequence[Callback],
    ) -> None:
        positions = partition.positions(X)
        for epoch in range(1, epochs + 1):
            covered, subsumed, evolved = learner.n_covered, learner.n_subsumed, learner.n_evolved
            learner.train_epoch(positions, labels)
            if not listeners:
                continue
            model = copy.copy(self)
            model.rules_ = RuleSet(partition, self.classes_, **learner.export_rules())
            model._learner_state = learner.time, learner.rng_state
            report = EpochReport(
                epoch=epoch,
                epochs=epochs,
                n_rules=learner.n_rules,
                n_micro_rules=learner.n_micro_rules,
                n_covered=learner.n_covered - covered,
                n_subsumed=learner.n_subsumed - subsumed,
                n_evolved=learner.n_evolved - evolved,
                model=model,
                _score=partial(model._accuracy, positions, labels),
            )
            for listener in listeners:
                listener(report)
        self.rules_ = RuleSet(partition, self.classes_, **learner.export_rules())
        self._learner_state = learner.time, learner.rng_state

    def _accuracy(self, positions: NDArray[np.float64], labels: NDArray[np.uint32]) -> float:
        rules = self.rules_.freeze(self.inference_experience)
        return float(np.mean(rules.predict(positions, self._scheme(), self._seed) == labels))

    def _scheme(self) -> _core.Scheme:
        schemes = {
            "ds": _core.Scheme.ds,
            "vote": _core.Scheme.vote,
            "swin": _core.Scheme.swin,
        }
        return schemes[self.inference]

    def _positions(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "rules_")
        changeable = ("inference", "inference_experience")
        validate_parameter_constraints(
            {name: self._parameter_constraints[name] for name in changeable},
            {name: getattr(self, name) for name in changeable},
            caller_name=type(self).__name__,
        )
        check_columns(X)
        X = validate_data(
            self, X, reset=False, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        return self.rules_.partition.positions(X)

    def _prepare(self, X: Any) -> tuple[_core.Inference, NDArray[np.float64]]:
        positions = self._positions(X)
        return self.rules_.freeze(self.inference_experience), positions

    def _evidence(self, rules: _core.Inference, positions: NDArray[np.float64]) -> Evidence:
        mass, log_agreement = rules.masses(positions)
        return Evidence(self.classes_, mass[:, :-1], mass[:, -1], log_agreement)

    def _winner_probability(
        self, rules: _core.Inference, positions: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        winner, degree = rules.winners(positions, self._seed)
        n_classes = len(self.classes_)
        mass = np.zeros((len(winner), n_classes))
        found = winner >= 0
        ready = self.rules_.experience > self.inference_experience
        mass[found] = self.rules_.weights[ready][winner[found]] * degree[found, np.newaxis]
        probability: NDArray[np.float64] = mass + (1 - degree[:, np.newaxis]) / n_classes
        return probability


def _vote_shares(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the positive votes; without any, equal shares of the best classes."""
    shares = np.maximum(votes, 0.0)
    undecided = shares.sum(axis=1) == 0
    best = votes == votes.max(axis=1, keepdims=True)
    shares[undecided] = best[undecided]
    # Scaling first, because a sum of tiny votes may have no inverse.
    shares /= shares.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return result


def _draw_seed(random_state: Any) -> int:
    """Draw a 64-bit seed: None takes entropy from the system, not from NumPy's global state."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**64, dtype=np.uint64))
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**64, dtype=np.uint64))


@contextmanager
def _all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Undo all changes to an estimator if the block fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
