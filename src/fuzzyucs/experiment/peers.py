"""Systems of other libraries, with their defaults or, where the article has any, its settings."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np

from fuzzyucs.experiment.outcome import Answer, Labels, Outcome, Table, by_class, stopwatch

__all__ = ["boosting_sizes", "forest_sizes", "make_exstracs", "run_estimator", "run_exstracs"]


def run_estimator(name: str, clf: Any, X: Table, y: Labels, tables: dict[str, Table]) -> Outcome:
    """Fit any classifier with scikit-learn's interface, and collect its answers.

    Parameters
    ----------
    name : str
        Name of its answers.
    clf : estimator
    X, y : ndarray
        Training data.
    tables : dict of ndarray
        Tables to predict.

    Returns
    -------
    Outcome
    """
    outcome = Outcome()
    # Some libraries accept only classes that are numbered without gaps.
    classes, numbers = np.unique(y, return_inverse=True)
    with warnings.catch_warnings(action="ignore"):  # of other libraries
        with stopwatch() as watch:
            clf.fit(X, numbers)
        outcome.seconds = watch.seconds
        for split, table in tables.items():
            with stopwatch() as watch:
                labels = classes[np.asarray(clf.predict(table), dtype=int)]
            mass = by_class(np.asarray(clf.predict_proba(table), dtype=float), classes)
            outcome.answers[name, split] = Answer(labels, mass, seconds=watch.seconds)
    return outcome


def forest_sizes(clf: Any) -> dict[str, float]:
    """Measure a random forest of scikit-learn."""
    trees = [tree.tree_ for tree in clf.estimators_]
    return {
        "trees": len(trees),
        "depth": float(np.mean([tree.max_depth for tree in trees])),
        "nodes": int(np.sum([tree.node_count for tree in trees])),
    }


def boosting_sizes(clf: Any) -> dict[str, float]:
    """Measure the trees of XGBoost."""
    nodes = clf.get_booster().trees_to_dataframe()
    depths = [_depth(tree) for _, tree in nodes.groupby("Tree")]
    return {"trees": len(depths), "depth": float(np.mean(depths)), "nodes": len(nodes)}


def _depth(tree: Any) -> int:
    """Return the number of decisions on the longest path through a tree."""
    children = {
        row.ID: [child for child in (row.Yes, row.No) if isinstance(child, str)]
        for row in tree.itertuples()
    }
    level, depth = [tree["ID"].iloc[0]], -1
    while level:
        level = [child for node in level for child in children[node]]
        depth += 1
    return depth


def make_exstracs(n_steps: int, seed: int) -> Any:
    """Make scikit-ExSTraCS with the article's population and thresholds."""
    from skExSTraCS import ExSTraCS

    return ExSTraCS(
        learning_iterations=n_steps,
        N=2000,
        theta_GA=50,
        theta_del=50,
        theta_sub=50,
        theta_sel=0.4,
        do_correct_set_subsumption=True,
        rule_compaction=None,
        random_state=seed,
    )


def run_exstracs(
    X: Table, y: Labels, tables: dict[str, Table], seed: int, settings: dict[str, Any]
) -> Outcome:
    """Run scikit-ExSTraCS, which counts steps instead of epochs and prints its progress."""
    clf = make_exstracs(settings["epochs"] * len(X), seed)
    with contextlib.redirect_stdout(io.StringIO()):
        outcome = run_estimator("ExSTraCS", clf, X, y, tables)
    outcome.sizes = {"macro_rules": len(clf.population.popSet)}
    return outcome
