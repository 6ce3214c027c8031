"""The systems that can be evaluated, all registered here.

A system learns from a training split and answers for both splits. One training may answer in
several ways: Fuzzy-UCS decides by Dempster-Shafer, vote and single winner with the same rules.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
from fuzzyucs.estimators.online import RuleLearner
from fuzzyucs.estimators.ucs import UCSClassifier
from fuzzyucs.experiment.outcome import Answer, Labels, Outcome, Table, by_class, stopwatch
from fuzzyucs.experiment.peers import (
    boosting_sizes,
    forest_sizes,
    run_estimator,
    run_exstracs,
)
from fuzzyucs.experiment.plan import Job
from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["SYSTEMS", "System", "classifier", "settings_of"]

Run = Callable[[Table, Labels, dict[str, Table], int, dict[str, Any]], Outcome]


@dataclass(frozen=True)
class System:
    """A system that can be evaluated.

    Attributes
    ----------
    run : callable
        Called with training data, training labels, a dict of tables to answer for, the seed and the
        settings of the job; returns an `Outcome`.
    answers : tuple of str
        The ways to decide: names of its columns in tables.
    package : str
        Package that must be installed.
    has_epochs : bool
        Whether it is presented the data as often as a setting ``epochs`` says.
    most_runs : int
        Slow systems run fewer splits.
    """

    run: Run = field(repr=False)
    answers: tuple[str, ...]
    package: str = "fuzzyucs"
    has_epochs: bool = False
    most_runs: int = 1_000_000

    @property
    def version(self) -> str | None:
        """Version of the package, None if it is missing."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


# Shares of don't-cares that the article's program evidently had where its text has another.
PUBLISHED_DONT_CARE_RATES = {("ucs", "lib"): 0.33}


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings to run a job with.

    With ``as_published=True`` UCS and Fuzzy-UCS behave as the article's program does. Where that
    evidently had another parameter than the text says, so have they.

    Parameters
    ----------
    job : Job

    Returns
    -------
    dict

    Examples
    --------
    >>> from fuzzyucs.experiment.plan import Job
    >>> from fuzzyucs.experiment.systems import settings_of
    >>> settings_of(Job.of("ucs", "lib", 0, epochs=10))
    {'epochs': 10}
    >>> settings_of(Job.of("ucs", "lib", 0, as_published=True))
    {'dont_care_rate': 0.33, 'as_published': True}
    """
    settings = dict(job.settings)
    rate = PUBLISHED_DONT_CARE_RATES.get((job.system, job.dataset))
    if rate is None or not settings.get("as_published"):
        return settings
    return {"dont_care_rate": rate, **settings}


def _with_dont_care_rate(settings: dict[str, Any], n_features: int) -> dict[str, Any]:
    """Use more don't-care conditions in wide tables, as in the article."""
    return {"dont_care_rate": 0.8, **settings} if n_features >= 60 else settings


def _fit(clf: RuleLearner, X: Table, y: Labels) -> Outcome:
    with stopwatch() as watch:
        clf.fit(X, y)
    n_rules, n_micro_rules = len(clf.rules_), int(clf.rules_.numerosity.sum())
    return Outcome({}, {"macro_rules": n_rules, "micro_rules": n_micro_rules}, watch.seconds)


def rule_sizes(rules: RuleSet) -> dict[str, float]:
    """Count the rules, and their conditions on average."""
    conditions = float(rules.asks.sum(axis=1).mean()) if len(rules) else 0.0
    return {"macro_rules": len(rules), "conditions": conditions}


def run_fuzzyucs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """Fuzzy-UCS: one population, three ways to decide."""
    clf = FuzzyUCSClassifier(random_state=seed, **_with_dont_care_rate(settings, X.shape[1]))
    outcome = _fit(clf, X, y)
    for name, scheme in (("VOTE", "vote"), ("SWIN", "swin"), ("DS", "ds")):
        clf.set_params(inference=scheme)
        for split, table in tables.items():
            with stopwatch() as watch:
                labels = clf.predict(table)
            evidence: dict[str, Table] = {}
            if scheme == "ds":
                found = clf.predict_evidence(table)
                evidence = {
                    "mass": by_class(found.mass, clf.classes_),
                    "ignorance": found.ignorance,
                    "log_agreement": found.log_agreement,
                }
            outcome.answers[name, split] = Answer(labels, **evidence, seconds=watch.seconds)
    return outcome


def run_ucs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """UCS, the crisp baseline."""
    clf = UCSClassifier(random_state=seed, **_with_dont_care_rate(settings, X.shape[1]))
    outcome = _fit(clf, X, y)
    for split, table in tables.items():
        with stopwatch() as watch:
            labels = clf.predict(table)
        mass = by_class(clf.predict_proba(table), clf.classes_)
        outcome.answers["UCS", split] = Answer(labels, mass, seconds=watch.seconds)
    return outcome


def classifier(
    name: str,
    path: str,
    package: str = "fuzzyucs",
    *,
    sizes: Callable[[Any], dict[str, float]] | None = None,
    takes_missing: bool = True,
    most_runs: int = System.most_runs,
    **defaults: Any,
) -> System:
    """Describe a system that is a class with scikit-learn's interface.

    Parameters
    ----------
    name : str
        Name of its column.
    path : str
        Module and class, like ``"sklearn.svm:SVC"``.
    package : str
        Package that must be installed.
    sizes : callable
        Measures the fitted model.
    takes_missing : bool
        Otherwise missing values become the median of the training data.
    most_runs : int
        Slow systems run fewer splits.
    **defaults
        Parameters other than ``random_state``.

    Returns
    -------
    System
    """

    def run(
        X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
    ) -> Outcome:
        clf = pkgutil.resolve_name(path)(random_state=seed, **defaults | settings)
        whole = clf if takes_missing else make_pipeline(SimpleImputer(strategy="median"), clf)
        outcome = run_estimator(name, whole, X, y, tables)
        outcome.sizes = {} if sizes is None else sizes(clf)
        return outcome

    return System(run, (name,), package, most_runs=most_runs)


SYSTEMS: dict[str, System] = {
    "fuzzyucs": System(run_fuzzyucs, ("VOTE", "SWIN", "DS"), has_epochs=True),
    "ucs": System(run_ucs, ("UCS",), has_epochs=True),
    "exstracs": System(
        run_exstracs, ("ExSTraCS",), "scikit-ExSTraCS", has_epochs=True, most_runs=5
    ),
    "random_forest": classifier(
        "RandomForest",
        "sklearn.ensemble:RandomForestClassifier",
        "scikit-learn",
        sizes=forest_sizes,
        n_jobs=1,
    ),
    "xgboost": classifier(
        "XGBoost", "xgboost:XGBClassifier", "xgboost", sizes=boosting_sizes, n_jobs=1
    ),
    "ferl": classifier(
        "FERL",
        "ex_fuzzy.ferl:FERL",
        "ex-fuzzy",
        sizes=lambda clf: {"macro_rules": clf.tree_rules},
        takes_missing=False,
        max_rules=30,
    ),
    "ebm": classifier(
        "EBM",
        "interpret.glassbox:ExplainableBoostingClassifier",
        "interpret-core",
        most_runs=1,
        n_jobs=1,
        outer_bags=4,  # of 14, which would take three times as long
    ),
    "weighted": classifier(
        "WEIGHTED",
        "fuzzyucs:FuzzyUCSClassifier",
        sizes=lambda clf: rule_sizes(clf.weighted_rules_),
        inference="weighted",
    ),
    "evidential": classifier(
        "Evidential",
        "fuzzyucs:EvidentialRuleClassifier",
        sizes=lambda clf: rule_sizes(clf.rules_),
    ),
    "fused": classifier(
        "Fused5",
        "fuzzyucs:EvidentialRuleClassifier",
        sizes=lambda clf: rule_sizes(clf.rules_),
        n_models=5,
    ),
}
