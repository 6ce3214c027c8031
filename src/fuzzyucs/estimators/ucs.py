"""UCSClassifier: the crisp learning classifier system beside which the article puts Fuzzy-UCS."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyucs import _core
from fuzzyucs._util.sklearn_compat import Interval
from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.vote import Vote
from fuzzyucs.estimators.online import RuleLearner
from fuzzyucs.estimators.streaming import Ranges
from fuzzyucs.variables.intervals import IntervalVariables

__all__ = ["UCSClassifier"]


class UCSClassifier(RuleLearner):
    """Classification by evolved rules on intervals: *IF 4.9 <= length <= 6.1 THEN ...*.

    UCS learns online like `FuzzyUCSClassifier`, but its rules match or don't, and the class is part
    of a rule from birth. It is the baseline that shows what fuzzy rules and evidence are good for.
    The default parameters are those of the article [1]_.

    Parameters
    ----------
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
        accept the same values, up to rounding; `range_changes_` tells. `fit` begins with the ranges
        of its data.
    new_classes : {"error", "add"}, default="error"
        What `partial_fit` does with labels that are not among `classes`: it refuses them, or adds
        them to `classes_`, which stays sorted. Rules know nothing of a class before it occurs.
    population_size : int, default=2000
        Greatest number of micro-rules (N in the article).
    accuracy_threshold : float, default=0.99
        Accuracy above which a rule may subsume others (acc_0).
    learning_rate : float, default=0.2
        How fast a rule's estimate of the size of its correct sets follows the latest ones (beta).
    fitness_exponent : float, default=1.0
        Pressure towards accurate rules (nu): fitness is accuracy to this power. Whole numbers give
        the same rules on any machine; other exponents depend on the last digit of the platform's
        `pow`.
    crossover_rate : float, default=0.8
        Probability that two children exchange bounds (chi).
    mutation_rate : float, default=0.04
        Probability that the bounds of a feature of a child change, and that its class does (p_mut).
    mutation_step : float, default=0.1
        Greatest change of a bound by mutation, as a share of the feature's range (m_0).
    covering_range : float, default=1.0
        Greatest distance from an example to the bounds of a rule that covering makes for it, as a
        share of the feature's range (r_0).
    deletion_fraction : float, default=0.1
        Experienced rules below this fraction of the mean fitness are deleted sooner (delta).
    ga_interval : float, default=50
        Mean number of steps between evolutions of a correct set (theta_GA).
    deletion_experience : float, default=50
        Number of matches above which low fitness counts for deletion (theta_del).
    subsumption_experience : float, default=50
        Number of matches above which a rule may subsume others (theta_sub).
    tournament_fraction : float, default=0.4
        Probability that a micro-rule enters the tournament for parents (tau).
    dont_care_rate : float, default=0.33
        Probability that covering leaves a feature open (P_#). The article uses 0.8 for data with
        60 or more features.
    correct_set_subsumption : bool, default=True
        Whether an accurate general rule absorbs more special ones of its correct set.
    ga_subsumption : bool, default=True
        Whether an accurate parent absorbs a more special child of the same class.
    support : {"auto"} or None, default=None
        Whether `predict_evidence` assesses how unlike the training data a row is; labels and
        `predict_proba` stay the same.
    forgetting : float, default=0.0
        Share of its experience that a rule forgets whenever it matches fully, and less where it
        matches less, so that rules follow a concept that drifts: 0.01 remembers about the last 100
        matches. 0 forgets nothing. The experience of a rule stays below ``1 / forgetting``, which
        should exceed the parameters that experience is compared with.
    as_published : bool, default=False
        Whether to do what the program behind the article's numbers does and the article does not
        say, for comparison with its tables: all epochs present the rows in one and the same random
        order; correct-set subsumption leaves out the rule after each one that it absorbs; and a
        child adds to the numerosity of a rule only if both bounds are stored in the same order.
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
    fuzzyucs.FuzzyUCSClassifier : The same learning algorithm with linguistic conditions.
    fuzzyucs.RuleSet : The rules, as arrays and as text.

    Notes
    -----
    A missing value (NaN) matches every rule. Values outside the training range count as its nearest
    end.

    References
    ----------
    .. [1] H. Shiraishi, H. Ishibuchi, M. Nakata, "A Class Inference Scheme With Dempster-Shafer
       Theory for Learning Fuzzy-Classifier Systems".
    .. [2] E. Bernado-Mansilla, J. M. Garrell-Guiu, "Accuracy-based learning classifier systems:
       models, analysis and applications to classification tasks", Evolutionary Computation, 2003.
    .. [3] C. Stone, L. Bull, "For real! XCS with continuous-valued inputs", Evolutionary
       Computation, 2003: intervals given by two bounds in any order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import UCSClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = UCSClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.8
    True
    >>> print(clf.rules_.sort("experience")[:1].to_text())
    IF ...
    """

    rules_own_class = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleLearner._parameter_constraints,
        "accuracy_threshold": [Interval(Real, 0, 1, closed="both")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "mutation_step": [Interval(Real, 0, 1, closed="both")],
        "covering_range": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        epochs: int = 50,
        shuffle: bool = True,
        ranges: Ranges = None,
        new_classes: Literal["error", "add"] = "error",
        population_size: int = 2000,
        accuracy_threshold: float = 0.99,
        learning_rate: float = 0.2,
        fitness_exponent: float = 1.0,
        crossover_rate: float = 0.8,
        mutation_rate: float = 0.04,
        mutation_step: float = 0.1,
        covering_range: float = 1.0,
        deletion_fraction: float = 0.1,
        ga_interval: float = 50,
        deletion_experience: float = 50,
        subsumption_experience: float = 50,
        tournament_fraction: float = 0.4,
        dont_care_rate: float = 0.33,
        correct_set_subsumption: bool = True,
        ga_subsumption: bool = True,
        support: Literal["auto"] | None = None,
        forgetting: float = 0.0,
        as_published: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.epochs = epochs
        self.shuffle = shuffle
        self.ranges = ranges
        self.new_classes = new_classes
        self.population_size = population_size
        self.accuracy_threshold = accuracy_threshold
        self.learning_rate = learning_rate
        self.fitness_exponent = fitness_exponent
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.mutation_step = mutation_step
        self.covering_range = covering_range
        self.deletion_fraction = deletion_fraction
        self.ga_interval = ga_interval
        self.deletion_experience = deletion_experience
        self.subsumption_experience = subsumption_experience
        self.tournament_fraction = tournament_fraction
        self.dont_care_rate = dont_care_rate
        self.correct_set_subsumption = correct_set_subsumption
        self.ga_subsumption = ga_subsumption
        self.support = support
        self.forgetting = forgetting
        self.as_published = as_published
        self.random_state = random_state
        self.verbose = verbose

    @property
    def decision(self) -> Decision:
        """How the fitted model decides: rules that match vote for their class."""
        return self._decision_of(Vote, -1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # With two or three features the default settings often stay below the accuracy that
        # scikit-learn's checks expect of a good classifier.
        tags.classifier_tags.poor_score = True
        return tags

    def _find_variables(self, X: NDArray[np.float64], names: Sequence[str]) -> IntervalVariables:
        return IntervalVariables.of(X, names, self.columns_)

    def _new_learner(self, variables: Any, seed: int) -> _core.IntervalLearner:
        settings = self._settings(
            fitness_threshold=self.accuracy_threshold,
            learning_rate=self.learning_rate,
            mutation_step=self.mutation_step,
            covering_range=self.covering_range,
        )
        return _core.IntervalLearner(variables.n_features, len(self.classes_), settings, seed)
