"""EvidentialRuleClassifier: a few dozen rules with learned evidence."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import (
    Interval,
    StrOptions,
    fit_context,
)
from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.profiled import Profiled
from fuzzyucs.decisions.weighted import Weighted
from fuzzyucs.estimators.asking_next import next_question
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.base_rates import (
    NO_BASE_RATES,
    BaseRates,
    with_base_rates,
)
from fuzzyucs.estimators.blocks import Result, in_blocks
from fuzzyucs.estimators.constraining import kept_constraints, price_of_rules
from fuzzyucs.estimators.expert_models import (
    Rules,
    assess_rules,
    from_rules,
    lines_of,
)
from fuzzyucs.estimators.file_learning import learn_from_file
from fuzzyucs.estimators.finishing import GrownPath
from fuzzyucs.estimators.fitting_rows import fit_rows
from fuzzyucs.estimators.lazy import in_memory, is_dask
from fuzzyucs.estimators.partial_fitting import partial_fit
from fuzzyucs.estimators.reservoir import Reservoir
from fuzzyucs.estimators.size_report import SizeReport, Watch
from fuzzyucs.estimators.sizes import with_size
from fuzzyucs.estimators.validation import (
    all_or_nothing,
    rows_that_count,
)
from fuzzyucs.rules.expert_report import ExpertReport
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.rules.quality import feature_shares
from fuzzyucs.variables.batches import is_source
from fuzzyucs.variables.linguistic import MAX_TERMS, Beliefs
from fuzzyucs.variables.partitioning import WAYS, Nominal, Partition
from fuzzyucs.variables.table import Table

__all__ = ["EvidentialRuleClassifier"]

# What scikit-learn checks parameters by.
CONSTRAINTS: dict[str, list[Any]] = {
    "max_rules": [Interval(Integral, 1, None, closed="left"), None],
    "max_conditions": [
        Interval(Integral, 1, 2**32 - 1, closed="both"),
        StrOptions({"auto"}),
        None,
    ],
    "n_terms": [
        Interval(Integral, 2, MAX_TERMS, closed="both"),
        StrOptions({"auto"}),
        "array-like",
    ],
    "partition": [StrOptions({"auto", *WAYS}), Mapping],
    "nominal_features": [StrOptions({"auto"}), "array-like", None],
    "missing": [StrOptions({"belief", "mean"})],
    "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "n_models": [Interval(Integral, 1, None, closed="left")],
    "base_rates": [StrOptions({"train", "equal"}), Mapping, "array-like"],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "monotonic_cst": [Mapping, "array-like", None],
    "class_order": ["array-like", None],
    "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
    "apart_features": [list, tuple, None],
    "unused_features": ["array-like", None],
    "feature_costs": [Mapping, "array-like", None],
    "cost_weight": [Interval(Real, 0, None, closed="neither")],
    "n_jobs": [Integral, None],
    "random_state": ["random_state", np.random.Generator],
    "verbose": ["verbose"],
}

MOST_THREADS = 1024  # that the native growth takes
TRAINING = ("_seen", "_grown", "_stated")  # attributes that hold training data: they are not saved

Array = NDArray[np.float64]
Interactions = Literal["pairwise", "no_interactions"] | Sequence[Iterable[Any]] | None


class EvidentialRuleClassifier(RuleClassifier):
    """Classification by a few linguistic rules with learned, calibrated evidence.

    A rule is read like a diagnostic test: it tells something where it matches more than neutral,
    the opposite where it matches less, and nothing where that is unknown. Rules grow one after the
    other, each where the evidence of the others falls short. Their profiles, what each says about
    each class, maximise the likelihood of the training data with a penalty for every rule
    (`fit_profiles`), which is chosen on held-out rows. The result is a small set of rules with
    calibrated probabilities: ``probability = belief + base rate * ignorance``.

    Parameters
    ----------
    max_rules : int or None, default=None
        Greatest number of rules of each model; None leaves it to the data.
    max_conditions : int, None or "auto", default="auto"
        Greatest number of conditions of a rule. No rule has more than 5; "auto" and None set no
        other limit.
    n_terms : int, array-like of shape (n_features,) or "auto", default="auto"
        Number of linguistic terms of features with an order, from 2 to 64, for all or for each.
        "auto" leaves it to the data if `partition` is "auto" or a dict. Else it is 5, from 500
        rows on 7, and from 1,500 rows on 9.
    partition : {"auto", "quantile", "values", "uniform"} or dict, default="auto"
        How terms divide the range of a feature. By "auto" there are many at first: one for each 50
        rows, 5 at least and 250 at most. Those that no rule tells apart are merged after the
        search, down to 5. Below 3,500 rows, four broad terms compete with them on held-out rows.
        Other ways give terms that are kept: "quantile" puts equally many values
        between any two peaks, "values" makes a term of each value where there are at most 32 (else
        as "quantile"), and "uniform" divides evenly. A dict gives some features, by name or number,
        their own peaks, with or without names:
        ``{"glucose": {"normal": 90, "elevated": 110, "high": 140}}``; the others are divided as by
        "auto". If `n_terms` is given, "auto" is "quantile".
    nominal_features : "auto", sequence or None, default="auto"
        Features without order, by name or number, or as a mask: each value is a crisp term. "auto"
        takes those with at most six different values, and other values count as the nearest of
        them; if you name the features, other values count as missing.
    missing : {"belief", "mean"}, default="belief"
        What a missing value means, in training and prediction: it matches conditions as far as the
        other values of the row make it probable, or as values do on average. A record without any
        value has the base rates as its probabilities. That a value is missing is no evidence; if it
        should be, add a column that says so.
    support : {"auto"} or None, default="auto"
        Whether answers take into account how unlike the training data a row is: probabilities,
        labels and evidence move towards the base rates and "I don't know".
    penalty : float or "auto", default="auto"
        Penalty of a rule: the greater, the fewer rules. "auto" chooses by cross-validation; from
        5,000 rows on, by a fifth of the rows (from 20,000 on, a tenth, and 32,768 different rows of
        more than 262,144) that is held out once while rules grow; all rows weigh them.
    n_models : int, default=1
        Number of models to fuse: their evidence is averaged, which gives somewhat better
        probabilities, hardly other answers, and costs readability: the rules of all are kept.
    base_rates : {"train", "equal"}, array-like of shape (n_classes,) or dict, default="train"
        How probable classes are without evidence. "train" takes their shares in the training data,
        as weighted by `class_weight` and `sample_weight`; "equal" finds rare classes as readily as
        frequent ones. If shares are others where the model will be used, give these, in the order
        of `classes_` or by label. `with_base_rates` changes them after a fit, with the same rules.
    class_weight : dict, "balanced" or None, default=None
        How much rows of each class count in the likelihood, and so in the base rates of "train";
        "balanced" gives all classes the same weight, which helps to find rare ones. The counts in
        the texts of rules are those of real rows.
    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        Directions, as in scikit-learn: 1 if the probability of the higher class must not fall as a
        feature grows, -1 if it must not rise, 0 for any; for each feature, or by name. The higher
        of two classes is the last of `classes_`. Of more classes, which are in order then, the
        probability of each class or a higher one must not fall (rise). It holds everywhere. Such a
        feature neither makes a record novel nor tells what missing values of others are, and
        evidence is not moderated where values are missing.
    class_order : array-like of shape (n_classes,) or None, default=None
        Class labels from the lowest to the highest; None takes `classes_`. More than two classes
        that are no numbers need it if `monotonic_cst` is given.
    interaction_cst : {"pairwise", "no_interactions"}, list of sets or None, default=None
        Features that rules may ask for together, as in scikit-learn: the features of a rule are all
        in one of the sets; those in none make up another set. "pairwise" allows two features in a
        rule, "no_interactions" one.
    apart_features : list of sets of features or None, default=None
        Features that must not occur together: a rule asks for one feature of each set at most.
    unused_features : list of features or None, default=None
        Features that must not occur at all: answers do not depend on them, though tables have them.
    feature_costs : array-like of shape (n_features,), dict or None, default=None
        Price of each feature, for each or by name; those that a dict leaves out cost nothing. A
        price is paid once, however many rules ask for the feature: the first rule that does has to
        be worth it. `price_` is what all features of the rules cost.
    cost_weight : float, default=0.001
        By how much the mean log-loss has to fall for a price of 1.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all cores. It does not change the result. Inside of the tasks of
        Dask, Ray and joblib, it is at most what the variable ``OMP_NUM_THREADS`` grants a task.
    random_state : int, RandomState, Generator or None, default=None
        Has no influence: the same data, in any order of the rows, give the same rules.
    verbose : int, default=0
        1 shows a progress bar; 2 writes a line per step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    columns_ : Columns
        Which columns of a data frame hold categories, dates or durations, and which.
    rules_ : ProfiledRuleSet
        The rules, those with most evidence first.
    base_rates_ : ndarray of shape (n_classes,)
        How probable classes are without evidence.
    form_ : int
        2; of a model that version 0.1.0 saved, 1: rules that are silent where they do not match,
        and a fitted prior instead of base rates; of a model that `fuzzyucs.fuse` returned, 3: rules
        of several sources.
    support_ : Support
        What the training data look like, if `support` is "auto".
    constraints_ : Constraints or None
        What the model keeps to, if something was asked of it. `constraints_.broken(rules_)` checks
        it.
    price_ : float
        What all features cost that the rules ask for.
    expert_report_ : ExpertReport
        What the training data think of each expert's rule, if the fit had `rules`.
    informative_gaps_ : list of str
        Features whose values are missing more often in some classes than in others; `fit` warns.
    penalty_ : float
        The penalty of a rule that was used.
    path_ : dict of ndarray
        What models of growing size said about held-out rows: "n_rules" (on the mean over folds),
        "accuracy", "log_loss" and "penalty" of each; `SizePathDisplay` draws it, and `with_size`
        makes smaller models.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the evidence of the rules on the training data. A rule's evidence
        is shared equally among its conditions.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had any.

    See Also
    --------
    fuzzyucs.FuzzyUCSClassifier : Rules that evolve online.
    fuzzyucs.evidence.profiles.fit_profiles : How class profiles are found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> print(clf.rules_[:1].to_text())
    IF ... THEN ... (applies to ... of 150; ...)
    Without evidence: setosa 33 %, versicolor 33 %, virginica 33 %
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleClassifier._parameter_constraints,
        **CONSTRAINTS,
    }

    max_classes = 1000  # memory grows with rows x classes
    rules_: ProfiledRuleSet
    expert_report_: ExpertReport
    _seen: Reservoir  # training data, for partial_fit
    _grown: GrownPath  # rules of all sizes, for with_size

    def __init__(
        self,
        *,
        max_rules: int | None = None,
        max_conditions: int | Literal["auto"] | None = "auto",
        n_terms: int | ArrayLike | Literal["auto"] = "auto",
        partition: Partition | Literal["auto"] = "auto",
        nominal_features: Nominal = "auto",
        missing: Beliefs = "belief",
        support: Literal["auto"] | None = "auto",
        penalty: float | Literal["auto"] = "auto",
        n_models: int = 1,
        base_rates: BaseRates = "train",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        monotonic_cst: Mapping[Any, int] | ArrayLike | None = None,
        class_order: ArrayLike | None = None,
        interaction_cst: Interactions = None,
        apart_features: Sequence[Iterable[Any]] | None = None,
        unused_features: Sequence[Any] | None = None,
        feature_costs: Mapping[Any, float] | ArrayLike | None = None,
        cost_weight: float = 0.001,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.n_terms = n_terms
        self.partition = partition
        self.nominal_features = nominal_features
        self.missing = missing
        self.support = support
        self.penalty = penalty
        self.n_models = n_models
        self.base_rates = base_rates
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.class_order = class_order
        self.interaction_cst = interaction_cst
        self.apart_features = apart_features
        self.unused_features = unused_features
        self.feature_costs = feature_costs
        self.cost_weight = cost_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        callback: Callable[[SizeReport], Any] | None = None,
        rules: Rules | None = None,
    ) -> Self:
        """Find rules and their evidence.

        Ctrl-C stops the search within a fraction of a second and leaves the estimator as it was.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features), or path
            Training data: an array, or a frame of pandas, polars or Arrow. NaN is a missing value.
        y : array-like of shape (n_samples,), Dask collection or str
            Class labels; of a file, the name of a column.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, optional
            How much each row counts in the likelihood and in the base rates of "train". Rows of
            weight 0 are left out. The counts in the texts of rules are those of real rows.
        checkpoint : path, optional
            A file. The fit of more than 262,144 rows writes down there what it has found, after
            each penalty, and goes on from there after an interruption. It is removed at the end.
        callback : callable, optional
            Gets a `SizeReport` after each penalty, of tables in memory; ends the search if it
            returns something true: ``lambda report: report.seconds > 60``.
        rules : str, path or sequence of str, optional
            Experts' rules, ``"IF glucose >= 140 THEN ill, reliability 0.8"``, one per line, or a
            file of them. They stay in the model, as reliable as the data leave them.

        Returns
        -------
        self
            The estimator itself.
        """
        with all_or_nothing(self):
            if _learns_elsewhere(self, X, y, sample_weight, checkpoint, callback, rules):
                return self
            X, y, sample_weight = in_memory(X, y, sample_weight)
            X, y, weight = rows_that_count(X, y, sample_weight)
            table, y = self._training_table(X, y, reset=True)
            self.classes_ = self._check_classes(np.unique(y), weight)
            self._seen = Reservoir.of(table, y, weight)
            self._stated = lines_of(rules)
            fit_rows(self, self._seen, checkpoint, Watch(callback))
        return self

    partial_fit = partial_fit

    def __getstate__(self) -> dict[str, Any]:
        return {k: value for k, value in super().__getstate__().items() if k not in TRAINING}

    @property
    def decision(self) -> Decision:
        """How the fitted model decides: by rules with class profiles, and base rates."""
        check_is_fitted(self, "rules_")
        rules: Any = self.rules_  # of form 1, a WeightedRuleSet
        return Profiled(rules) if self.form_ > 1 else Weighted(rules)

    @property
    def base_rates_(self) -> Array:
        """How probable classes are without evidence."""
        check_is_fitted(self, "rules_")
        if self.form_ < 2:
            raise AttributeError(f"base_rates_: {NO_BASE_RATES}")
        return self.rules_.base_rates

    next_question = next_question
    constraints_ = property(kept_constraints)
    price_ = property(price_of_rules)
    from_rules: Any = classmethod(from_rules)
    assess_rules = assess_rules
    with_base_rates = with_base_rates
    with_size = with_size

    def _in_blocks(self, work: Callable[[Array], Result], table: Table) -> list[Result]:
        return in_blocks(work, table, self.n_jobs)

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in the evidence of the rules on the training data."""
        check_is_fitted(self, "rules_")
        return feature_shares(self.rules_)


def _learns_elsewhere(
    clf: EvidentialRuleClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    checkpoint: Any,
    callback: Any,
    rules: Any,
) -> bool:
    """Learn from rows of a cluster or of a file, if there are too many for one table in memory."""
    if rules is not None and (is_dask(X) or is_source(X)):
        raise ValueError("rules are for tables in memory, got one on a cluster or in a file")
    if callback is not None and (is_dask(X) or is_source(X)):
        raise ValueError("callback is for tables in memory, got one on a cluster or in a file")
    if is_dask(X):
        from fuzzyucs.estimators.cluster_training import learn_on_cluster

        is_done = learn_on_cluster(clf, X, y, sample_weight, checkpoint)
    else:
        is_done = is_source(X) and learn_from_file(clf, X, y, sample_weight, checkpoint)
    if is_done:
        clf.__dict__.pop("expert_report_", None)
    for name in TRAINING:  # of an earlier fit
        clf.__dict__.pop(name, None)
    return is_done
