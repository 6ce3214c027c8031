"""The systems that can be evaluated, all registered here.

A system is a function that learns from a training split and answers for both splits. One training
may answer in several ways: Fuzzy-UCS decides by Dempster-Shafer, vote and single winner with the
same rules.
"""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from fuzzyucs.classifier import FuzzyUCSClassifier
from fuzzyucs.learning import RuleLearner
from fuzzyucs.ucs import UCSClassifier

__all__ = ["SYSTEMS", "Answer", "Outcome", "System"]

Table = NDArray[np.float64]
Labels = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Answer:
    """What a trained system says about the rows of a split.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Classes.
    mass : ndarray of shape (n, n_classes), optional
        Belief masses or probabilities of the classes, if the system has any.
    ignorance, log_agreement : ndarray of shape (n,), optional
        As in `fuzzyucs.Evidence`.
    seconds : float
        CPU time.
    """

    labels: Labels
    mass: Table | None = None
    ignorance: Table | None = None
    log_agreement: Table | None = None
    seconds: float = float("nan")


@dataclass
class Outcome:
    """What came of a job.

    Attributes
    ----------
    answers : dict
        An `Answer` for every (name of the way to decide, split).
    sizes : dict
        Complexity of the model, e.g. ``macro_rules``.
    seconds : float
        CPU time of the training.
    """

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    seconds: float = float("nan")


@dataclass(frozen=True)
class System:
    """A system that can be evaluated.

    Attributes
    ----------
    run : callable
        Called with training data, training labels, a dict of tables to answer for, the seed and the
        settings of the job.
    package : str
        What must be installed.
    """

    run: Callable[[Table, Labels, dict[str, Table], int, dict[str, Any]], Outcome]
    package: str = "fuzzyucs"

    @property
    def version(self) -> str | None:
        """Version of the package, None if it is missing."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


class _Watch:
    seconds = float("nan")


@contextlib.contextmanager
def _stopwatch() -> Iterator[_Watch]:
    watch, start = _Watch(), time.process_time()
    yield watch
    watch.seconds = time.process_time() - start


def _with_enough_open(settings: dict[str, Any], n_features: int) -> dict[str, Any]:
    """Leave more features open in wide tables, as in the article."""
    return {"dont_care_rate": 0.8, **settings} if n_features >= 60 else settings


def _fit(clf: RuleLearner, X: Table, y: Labels) -> Outcome:
    with _stopwatch() as watch:
        clf.fit(X, y)
    n_rules, n_micro_rules = len(clf.rules_), int(clf.rules_.numerosity.sum())
    return Outcome({}, {"macro_rules": n_rules, "micro_rules": n_micro_rules}, watch.seconds)


def run_fuzzyucs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """Fuzzy-UCS: one population, three ways to decide."""
    clf = FuzzyUCSClassifier(random_state=seed, **_with_enough_open(settings, X.shape[1]))
    outcome = _fit(clf, X, y)
    for name, scheme in (("VOTE", "vote"), ("SWIN", "swin"), ("DS", "ds")):
        clf.set_params(inference=scheme)
        for split, table in tables.items():
            with _stopwatch() as watch:
                labels = clf.predict(table)
            evidence: dict[str, Table] = {}
            if scheme == "ds":
                found = clf.predict_evidence(table)
                evidence = {
                    "mass": found.mass,
                    "ignorance": found.ignorance,
                    "log_agreement": found.log_agreement,
                }
            outcome.answers[name, split] = Answer(labels, **evidence, seconds=watch.seconds)
    return outcome


def run_ucs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """UCS, the crisp baseline."""
    clf = UCSClassifier(random_state=seed, **_with_enough_open(settings, X.shape[1]))
    outcome = _fit(clf, X, y)
    for split, table in tables.items():
        with _stopwatch() as watch:
            labels = clf.predict(table)
        outcome.answers["UCS", split] = Answer(
            labels, clf.predict_proba(table), seconds=watch.seconds
        )
    return outcome


def _run_peer(name: str, clf: Any, X: Table, y: Labels, tables: dict[str, Table]) -> Outcome:
    """Fit a classifier from elsewhere; its classes are numbered in the order of the labels."""
    outcome = Outcome()
    classes, numbers = np.unique(y, return_inverse=True)
    with _stopwatch() as watch:
        clf.fit(X, numbers)
    outcome.seconds = watch.seconds
    for split, table in tables.items():
        with _stopwatch() as watch:
            labels = classes[np.asarray(clf.predict(table), dtype=int)]
        outcome.answers[name, split] = Answer(labels, seconds=watch.seconds)
    return outcome


def run_random_forest(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """scikit-learn's random forest with its defaults; it takes missing values as they are."""
    clf = RandomForestClassifier(random_state=seed, n_jobs=1, **settings)
    outcome = _run_peer("RandomForest", clf, X, y, tables)
    trees = [tree.tree_ for tree in clf.estimators_]
    outcome.sizes = {
        "trees": len(trees),
        "depth": float(np.mean([tree.max_depth for tree in trees])),
        "nodes": int(np.sum([tree.node_count for tree in trees])),
    }
    return outcome


def run_xgboost(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """XGBoost with its defaults."""
    from xgboost import XGBClassifier

    clf = XGBClassifier(random_state=seed, n_jobs=1, **settings)
    outcome = _run_peer("XGBoost", clf, X, y, tables)
    nodes = clf.get_booster().trees_to_dataframe()
    outcome.sizes = {"trees": int(nodes["Tree"].nunique()), "nodes": len(nodes)}
    outcome.sizes["depth"] = float(np.mean([_depth(tree) for _, tree in nodes.groupby("Tree")]))
    return outcome


def _depth(tree: Any) -> int:
    """Return the number of decisions on the longest way through a tree."""
    children = {
        row.ID: [child for child in (row.Yes, row.No) if isinstance(child, str)]
        for row in tree.itertuples()
    }
    level, depth = [tree["ID"].iloc[0]], -1
    while level:
        level = [child for node in level for child in children[node]]
        depth += 1
    return depth


def run_exstracs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """scikit-ExSTraCS with the article's population and thresholds."""
    from skExSTraCS import ExSTraCS

    clf = ExSTraCS(
        learning_iterations=settings["epochs"] * len(X),
        N=2000,
        theta_GA=50,
        theta_del=50,
        theta_sub=50,
        theta_sel=0.4,
        do_correct_set_subsumption=True,
        rule_compaction=None,
        random_state=seed,
    )
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        outcome = _run_peer("ExSTraCS", clf, X, y, tables)
    outcome.sizes = {"macro_rules": len(clf.population.popSet)}
    return outcome


SYSTEMS: dict[str, System] = {
    "fuzzyucs": System(run_fuzzyucs),
    "ucs": System(run_ucs),
    "random_forest": System(run_random_forest, "scikit-learn"),
    "xgboost": System(run_xgboost, "xgboost"),
    "exstracs": System(run_exstracs, "scikit-ExSTraCS"),
}
