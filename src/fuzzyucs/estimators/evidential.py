"""EvidentialRuleClassifier: a few dozen rules with learned strengths."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.sklearn_compat import (
    Interval,
    StrOptions,
    feature_names,
    fit_context,
    is_first_partial_fit,
)
from fuzzyucs.decisions.decision import Decision
from fuzzyucs.decisions.weighted import Weighted
from fuzzyucs.estimators.base import RuleClassifier
from fuzzyucs.estimators.candidates import candidate_partitions, candidate_searches
from fuzzyucs.estimators.penalty_path import find_models
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.search import SearchTask
from fuzzyucs.estimators.validation import all_or_nothing, class_indices, draw_seed
from fuzzyucs.rules.quality import feature_shares
from fuzzyucs.rules.weighted import WeightedRuleSet
from fuzzyucs.variables.linguistic import MAX_TERMS
from fuzzyucs.variables.partitioning import WAYS, Nominal, Partition

__all__ = ["EvidentialRuleClassifier"]

MAX_CLASS_WEIGHT = 1e9  # far beyond any use, and sums over all rows stay exact enough

Array = NDArray[np.float64]


class EvidentialRuleClassifier(RuleClassifier):
    """Classification by a few linguistic rules with learned, calibrated evidence.

    Rules are searched where evidence is missing. Their strengths, how many times the evidence of
    each counts, maximise the likelihood of the training data with a penalty for every rule
    (`fit_weights`); the penalty is chosen by cross-validation. The result is a small set of rules
    with calibrated probabilities.

    Parameters
    ----------
    max_rules : int or None, default=None
        Greatest number of rules of each model; None leaves it to the data.
    max_conditions : int, None or "auto", default="auto"
        Greatest number of conditions of a rule; None sets no limit. "auto" sets none either, unless
        there are fewer than 500 rows and rules of a single condition predict held-out ones clearly
        better.
    n_terms : int, array-like of shape (n_features,) or "auto", default="auto"
        Number of linguistic terms, from 2 to 32, for all features or for each. "auto" is 5, from
        500 rows on 7, and from 1,500 rows on 9.
    partition : {"auto", "quantile", "values", "uniform"} or dict, default="auto"
        How the terms divide the range of a feature: so that equally many values lie between any
        two peaks; with a term for each value where there are at most 32 (else as "quantile"); or
        evenly. "auto" is "quantile", unless "values" predicts held-out data clearly better and
        `n_terms` is "auto" too. A dict gives some features, by name or number, their own peaks,
        with or without names: ``{"glucose": {"normal": 90, "elevated": 110, "high": 140}}``; the
        others are divided as by "auto".
    nominal_features : "auto", sequence or None, default="auto"
        Features without order, by name or number, or as a mask: each value is a crisp term. "auto"
        takes those with at most six different values, and other values count as the nearest of
        them; if you name the features, other values count as missing.
    missing : {"belief", "match"}, default="belief"
        What a missing value means at prediction: it matches conditions as far as the other values
        of the row make it probable, or every condition fully. Features that were missing in more
        than 1 % of the training data always match.
    support : {"auto"} or None, default="auto"
        Whether `predict_evidence` assesses how unlike the training data a row is.
    penalty : float or "auto", default="auto"
        Penalty of a rule: the greater, the fewer rules. "auto" chooses by cross-validation.
    n_models : int, default=1
        Number of models to fuse: their evidence is averaged, which gives somewhat better
        probabilities, hardly other answers, and costs readability: the rules of all are kept.
    class_weight : dict, "balanced" or None, default=None
        How much rows of each class count; "balanced" gives all classes the same weight, which helps
        to find rare ones but takes the prior out of the probabilities.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all cores. It does not change the result.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the search. The same data and integer give the same rules everywhere.
    verbose : int, default=0
        1 shows a progress bar; 2 writes a line per step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    columns_ : Columns
        Which columns of a data frame hold categories, and which.
    rules_ : WeightedRuleSet
        The rules, those with most evidence first.
    support_ : Support
        What the training data look like, if `support` is "auto".
    penalty_ : float
        The penalty of a rule that was used; of several models, the mean.
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
    fuzzyucs.weighting.fit_weights : How evidence weights are found.

    Notes
    -----
    When rules are searched, a missing value (NaN) matches every condition fully.
    `predict_evidence` tells what the rules say; `predict_proba` combines it with the prior.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> print(clf.rules_[:1].to_text())
    IF ... THEN ... (share ... of ..., evidence ... times)
    Without evidence: ...
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleClassifier._parameter_constraints,
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
        "missing": [StrOptions({"match", "belief"})],
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_models": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    max_classes = 100  # time and memory grow with rows x rules x classes

    rules_: WeightedRuleSet
    _seen: tuple[Any, ...]  # training data, for partial_fit

    def __init__(
        self,
        *,
        max_rules: int | None = None,
        max_conditions: int | Literal["auto"] | None = "auto",
        n_terms: int | ArrayLike | Literal["auto"] = "auto",
        partition: Partition | Literal["auto"] = "auto",
        nominal_features: Nominal = "auto",
        missing: Literal["match", "belief"] = "belief",
        support: Literal["auto"] | None = "auto",
        penalty: float | Literal["auto"] = "auto",
        n_models: int = 1,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
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
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Find rules and their evidence.

        Ctrl-C stops the search within a fraction of a second; the estimator is then as it was
        before the call.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data: an array, a pandas or polars frame. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            The estimator itself.
        """
        with all_or_nothing(self):
            X, y = self._training_data(X, y, reset=True)
            self.classes_ = self._check_classes(np.unique(y))
            self._seen = X.copy(), y.copy()
            self._fit(X, y)
        return self

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Fit anew to these data and those of all earlier calls.

        The estimator holds on to its training data for that, since a model this small forgets too
        much of them. It does not save them: after pickling, only `fit` is possible. Each call takes
        as long as a `fit` to all data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            All class labels that will ever occur. Needed in the first call; may be left out later.

        Returns
        -------
        self
            The estimator itself.
        """
        with all_or_nothing(self):
            is_first = is_first_partial_fit(self, classes)
            X, y = self._training_data(X, y, reset=is_first)
            self._check_classes(self.classes_)
            class_indices(y, self.classes_)
            if not is_first and "_seen" not in self.__dict__:
                raise ValueError(
                    "partial_fit cannot go on with a model that was saved or copied: its training "
                    "data stayed behind; fit to all data at once"
                )
            earlier = [] if is_first else [self._seen]
            columns = zip(*earlier, (X, y), strict=True)
            self._seen = tuple(np.concatenate(parts) for parts in columns)
            self._fit(*self._seen)
        return self

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_seen"}

    def _fit(self, X: Array, y: NDArray[Any]) -> None:
        seed = draw_seed(self.random_state)
        seeds = np.random.SeedSequence(seed).generate_state(self.n_models, np.uint64).tolist()
        penalty = None if self.penalty == "auto" else float(self.penalty)
        bar = ProgressBar(detailed=self.verbose > 1) if self.verbose else None
        with closing(bar) if bar else nullcontext():
            models = find_models(
                self._tasks(X, y), seeds, penalty=penalty, n_jobs=self.n_jobs, bar=bar
            )
        self.penalty_ = float(np.mean([model.penalty for model in models]))
        task = models[0].task
        rules = task.fuse([model.finish(self.max_rules) for model in models])
        if self.missing == "belief":
            rules = replace(rules, variables=task.variables.with_beliefs(X))
        self.rules_ = rules
        self._find_support(X)

    @property
    def decision(self) -> Decision:
        """How the fitted model decides: by weighted rules and a prior."""
        check_is_fitted(self, "rules_")
        return Weighted(self.rules_)

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in the evidence of the rules on the training data."""
        check_is_fitted(self, "rules_")
        return feature_shares(self.rules_)

    def _sample_weight(self, y: NDArray[Any]) -> Array:
        weight: Array = compute_sample_weight(self.class_weight, y).astype(float)
        # Of NaN, both comparisons are false.
        if not (weight.min() >= 0 and 0 < weight.max() <= MAX_CLASS_WEIGHT):
            raise ValueError(
                f"class_weight must hold numbers from 0 to {MAX_CLASS_WEIGHT:g}, not all of them "
                f"0, got {self.class_weight!r}"
            )
        return weight

    def _tasks(self, X: Array, y: NDArray[Any]) -> dict[str, SearchTask]:
        """Return candidate configurations of the search, the usual one first, with their names."""
        partitions = candidate_partitions(
            X,
            feature_names(self),
            partition=self.partition,
            n_terms=self.n_terms,
            nominal_features=self.nominal_features,
            columns=self.columns_,
        )
        return candidate_searches(
            X,
            class_indices(y, self.classes_),
            self._sample_weight(y),
            self.classes_,
            partitions,
            self.max_conditions,
        )
