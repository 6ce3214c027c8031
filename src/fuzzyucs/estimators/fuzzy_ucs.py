"""FuzzyUCSClassifier: the learning fuzzy-classifier system of the article."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from fuzzyucs._util.sklearn_compat import Interval, StrOptions
from fuzzyucs.decisions import (
    Decision,
    DempsterShafer,
    FirstVote,
    SingleWinner,
    StepwiseDempsterShafer,
    Vote,
    Weighted,
)
from fuzzyucs.estimators.linguistic_rules import LinguisticRuleLearner
from fuzzyucs.estimators.streaming import Ranges
from fuzzyucs.variables.linguistic import MAX_TERMS
from fuzzyucs.variables.partitioning import WAYS, Nominal, Partition

__all__ = ["FuzzyUCSClassifier"]


class FuzzyUCSClassifier(LinguisticRuleLearner):
    """Classification by evolved linguistic fuzzy rules, with Dempster-Shafer inference.

    Fuzzy-UCS learns online: each training example updates the rules that match it, a covering
    operator adds a rule where none explains the example, and a genetic algorithm recombines good
    rules. The default parameters are those of the article [1]_.

    Parameters
    ----------
    inference : {"ds", "vote", "swin", "weighted"}, default="ds"
        How the rules that match reach a decision: Dempster-Shafer combination of their belief
        masses, a vote weighted by fitness, the single best rule, or Dempster-Shafer combination
        with learned evidence weights, which is calibrated and needs few of the rules. May be
        changed with `set_params` after `fit`, without fitting anew; but weights are learned only
        by a `fit` with "weighted".
    compact : bool, default=False
        Whether to drop the rules that "weighted" does not need.
    epochs : int, default=50
        Number of times `fit` presents the training data.
    shuffle : bool, default=True
        Whether `fit` presents the rows in random order, another one in each epoch. `partial_fit`
        keeps to the order given.
    ranges : dict, array-like of shape (n_features, 2), "moving" or None, default=None
        Least and greatest value of features. None takes them from the data of `fit` or of the first
        `partial_fit`. They may be declared for some features, by name or number, or for all:
        ``{"age": (0, 120)}``. "moving" begins `partial_fit` with the first row: the range of a
        feature widens when a value exceeds it, and conditions are rewritten so that they go on to
        accept the same values, as far as terms can express them; `range_changes_` tells. `fit`
        begins with the ranges of its data.
    new_classes : {"error", "add"}, default="error"
        What `partial_fit` does with labels that are not among `classes`: it refuses them, or adds
        them to `classes_`, which stays sorted. Rules know nothing of a class before it occurs.
    n_terms : int, array-like of shape (n_features,) or "auto", default=5
        Number of linguistic terms, from 2 to 64, for all features or for each. "auto" is 5, from
        500 rows on 7, and from 1,500 rows on 9.
    partition : {"uniform", "quantile", "values"} or dict, default="uniform"
        How the terms divide the range of a feature: evenly, so that equally many values lie between
        any two peaks, or with a term for each value where there are at most 32 (else as
        "quantile"). A dict gives some features, by name or number, their own peaks,
        with or without names: ``{"glucose": {"normal": 90, "elevated": 110, "high": 140}}``.
    nominal_features : "auto", sequence or None, default=None
        Features without order, by name or number, or as a mask: each value is a crisp term. "auto"
        takes those with at most six different values. An unknown value counts as missing.
    missing : {"match", "belief"}, default="match"
        What a missing value means at prediction: it matches every condition fully, as in the
        article, or as far as the other values of the row make it probable. Features that were
        missing in more than 1 % of the training data always match.
    calibrate : bool, default=False
        Whether to temper beliefs, which count the same evidence many times over, so that they
        are calibrated; the decisions stay the same. It takes four more trainings, on three
        quarters of the data each. Weighted rules need no tempering and get none.
    support : {"auto"} or None, default=None
        Whether `predict_evidence` assesses how unlike the training data a row is; labels and
        `predict_proba` stay the same.
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
    forgetting : float, default=0.0
        Share of its experience that a rule forgets whenever it matches fully, and less where it
        matches less, so that rules follow a concept that drifts: 0.01 remembers about the last 100
        matches. 0 forgets nothing. The experience of a rule stays below ``1 / forgetting``, which
        should exceed the parameters that experience is compared with.
    as_published : bool, default=False
        Whether to do what the program behind the article's numbers does and the article does not
        say, for comparison with its tables: all epochs present the rows in one and the same random
        order; correct-set subsumption leaves out the rule after each one that it absorbs; mutation
        that shifts a term puts it beside its rank among the terms present, not beside itself; "ds"
        (without `calibrate`) combines one micro-rule after the other, normalises after each, and
        draws the class where a step loses all mass to rounding; ties of "vote" go to the first
        class; and with ``experience_update="count"`` every rule matches everything. Changed after
        `fit`, it changes the inference alone.
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
    weighted_rules_ : WeightedRuleSet
        The rules with their evidence weights, those with most evidence first; after a `fit` with
        ``inference="weighted"``. Their experience counts the training data once.
    tempering_ : Tempering
        How many times over evidence is counted without calibration, and what else to take back;
        after a `fit` with ``calibrate=True``.
    support_ : Support
        What the training data look like, if `support` is "auto".
    range_changes_ : tuple of RangeChange
        Ranges that have widened in `partial_fit`, the latest last, 1,000 at most; with
        ``ranges="moving"``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had any.

    See Also
    --------
    fuzzyucs.UCSClassifier : The same learning algorithm with intervals as conditions.
    fuzzyucs.RuleSet : The rules, as arrays and as text.
    fuzzyucs.Evidence : What `predict_evidence` returns.

    Notes
    -----
    A missing value (NaN) is a value like any other when rules are learned: it matches every rule
    fully. Values outside the training range count as its nearest end; `support` tells them apart.

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
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = FuzzyUCSClassifier(epochs=10, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> evidence = clf.predict_evidence(X[:1])
    >>> evidence.mass.round(3), evidence.ignorance.round(3)
    (array([[1., 0., 0.]]), array([0.]))
    >>> clf.set_params(inference="vote").predict(X[:1])
    array(['setosa'], dtype='<U10')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinguisticRuleLearner._parameter_constraints,
        "inference": [StrOptions({"ds", "vote", "swin", "weighted"})],
        "compact": ["boolean"],
        "n_terms": [
            Interval(Integral, 2, MAX_TERMS, closed="both"),
            StrOptions({"auto"}),
            "array-like",
        ],
        "partition": [StrOptions(set(WAYS)), Mapping],
        "nominal_features": [StrOptions({"auto"}), "array-like", None],
        "missing": [StrOptions({"match", "belief"})],
        "calibrate": ["boolean"],
        "fitness_threshold": [Interval(Real, -1, 1, closed="both")],
        "inference_experience": [Interval(Real, 0, None, closed="left")],
        "fitness_range": [StrOptions({"signed", "unsigned"})],
        "experience_update": [StrOptions({"membership", "count"})],
    }
    _changeable = (
        *LinguisticRuleLearner._changeable,
        "inference",
        "inference_experience",
        "calibrate",
        "as_published",
    )

    def __init__(
        self,
        *,
        inference: Literal["ds", "vote", "swin", "weighted"] = "ds",
        compact: bool = False,
        epochs: int = 50,
        shuffle: bool = True,
        ranges: Ranges = None,
        new_classes: Literal["error", "add"] = "error",
        n_terms: int | ArrayLike | Literal["auto"] = 5,
        partition: Partition = "uniform",
        nominal_features: Nominal = None,
        missing: Literal["match", "belief"] = "match",
        calibrate: bool = False,
        support: Literal["auto"] | None = None,
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
        forgetting: float = 0.0,
        as_published: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.inference = inference
        self.compact = compact
        self.epochs = epochs
        self.shuffle = shuffle
        self.ranges = ranges
        self.new_classes = new_classes
        self.n_terms = n_terms
        self.partition = partition
        self.nominal_features = nominal_features
        self.missing = missing
        self.calibrate = calibrate
        self.support = support
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
        self.forgetting = forgetting
        self.as_published = as_published
        self.random_state = random_state
        self.verbose = verbose

    @property
    def decision(self) -> Decision:
        """How the fitted model decides."""
        if self.inference == "weighted":
            self._check_learned("weighted_rules_", "inference='weighted'")
            return Weighted(self.weighted_rules_, seed=self.learner_state_.seed)
        if self.calibrate:
            self._check_learned("tempering_", "calibrate=True")
        tempering = self.tempering_ if self.calibrate else None
        ways: dict[str, type[Decision]] = {"ds": DempsterShafer, "vote": Vote, "swin": SingleWinner}
        if self.as_published and tempering is None:
            ways |= {"ds": StepwiseDempsterShafer, "vote": FirstVote}
        way = ways[self.inference]
        return self._decision_of(way, self.inference_experience, tempering=tempering)

    @property
    def _deciding_attribute(self) -> str:
        return "weighted_rules_" if self.inference == "weighted" else "rules_"
