"""Metrics of uncertainty on the article's data sets, compared with other methods.

    python benchmarks/uncertainty.py [--store uncertainty.jsonl] [--output docs/uncertainty.md]

The article's 30 data sets, splits of `fuzzyucs reproduce` with the numbers 53 to 57: everything was
designed on others. Needs FUZZYUCS_DATA and the extra `experiment`. Finished runs are kept in a
store, so that a run may be stopped and continued later.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import pinvh
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from class_scores import class_scores
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.evidence.support import Support
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.run import split
from fuzzyucs.experiment.tables import datasets_of
from fuzzyucs.metrics import area_under_risk_coverage, calibration_error
from keeping import run_missing
from uncertainty_report import FEW_GAPS, KINDS, LEAST, MISSING, N_BINS, TINY, VERDICTS, report

SPLITS = range(53, 58)
Array = NDArray[Any]


def strange(kind: str, X: Array, low: Array, high: Array, rng: np.random.Generator) -> Array:
    """Return records that are unlike the table."""
    if kind == "box":
        return rng.uniform(low, high, X.shape)
    if kind == "shuffled":
        return np.column_stack([rng.permutation(column) for column in X.T])
    result = X.copy()
    width = np.where(high > low, high - low, 1.0)
    outside = np.where(rng.random(X.shape) < 0.5, low - width / 2, high + width / 2)
    if kind == "all out":
        return outside
    rows, columns = np.arange(len(X)), rng.integers(X.shape[1], size=len(X))
    result[rows, columns] = outside[rows, columns]
    return result


def in_categories(X: Array, X_train: Array, nominal: Array) -> Array:
    """Move values of nominal features to the nearest that occurs."""
    result = X.copy()
    for feature in np.flatnonzero(nominal):
        values = np.unique(X_train[~np.isnan(X_train[:, feature]), feature])
        nearest = np.abs(X[:, [feature]] - values).argmin(axis=1)
        result[:, feature] = np.where(np.isnan(X[:, feature]), np.nan, values[nearest])
    return result


class Peers:
    """Detectors of strange records that others use, fitted to a table."""

    def __init__(self, X: Array, seed: int) -> None:
        self.prepare = make_pipeline(SimpleImputer(), StandardScaler()).fit(X)
        Z = self.prepare.transform(X)
        self.neighbours = NearestNeighbors(n_neighbors=min(5, len(Z))).fit(Z)
        self.isolation = IsolationForest(random_state=seed).fit(Z)
        self.mean, self.precision = Z.mean(axis=0), pinvh(np.cov(Z.T).reshape(Z.shape[1], -1))

    def scores(self, X: Array) -> dict[str, Array]:
        """Return how strange records are, by each detector."""
        Z = self.prepare.transform(X)
        centred = Z - self.mean
        return {
            "5 nearest neighbours": self.neighbours.kneighbors(Z)[0].mean(axis=1),
            "Mahalanobis": ((centred @ self.precision) * centred).sum(axis=1),
            "IsolationForest": -self.isolation.score_samples(Z),
        }


def own_scores(clf: EvidentialRuleClassifier, X: Array) -> dict[str, Array]:
    """Return what the flagship says about its own ignorance."""
    evidence = clf.predict_evidence(X)
    return {
        "novelty": evidence.novelty,
        "total ignorance": evidence.ignorance,
        "weak evidence": evidence.weak_evidence,
    }


def separation(ordinary: dict[str, Array], odd: dict[str, Array]) -> dict[str, float]:
    """Return how well each score tells strange records from ordinary ones (AUROC)."""
    return {
        name: roc_auc_score(
            np.r_[np.zeros(len(ordinary[name])), np.ones(len(odd[name]))],
            np.r_[ordinary[name], odd[name]],
        )
        for name in ordinary
    }


def detection(
    clf: EvidentialRuleClassifier, X: Array, X_test: Array, seed: int, kinds: dict[str, Array]
) -> dict[str, float]:
    """Compare the flagship with other detectors."""
    peers = Peers(X, seed)
    ordinary = own_scores(clf, X_test) | peers.scores(X_test)
    found = {}
    for kind, odd in kinds.items():
        scores = separation(ordinary, own_scores(clf, odd) | peers.scores(odd))
        found |= {f"{kind}/{name}": value for name, value in scores.items()}
    return found


def log_loss(p: Array, classes: Array, y: Array, least: float) -> float:
    """Return the mean negative log-likelihood; a class that was never seen has probability 0."""
    own = (p * (y[:, np.newaxis] == classes)).sum(axis=1)
    return -float(np.log(np.maximum(own, least)).mean())


def before_novelty(clf: EvidentialRuleClassifier, X: Array) -> Array:
    """Return probabilities as if no record were novel."""
    return clf.decision.probabilities(clf.rules_.variables.positions(X))


def selective(clf: EvidentialRuleClassifier, X: Array, y: Array, odd: Array) -> dict[str, float]:
    """Measure rejection by confidence, probability and ignorance."""
    found = {}
    for name, table in (("clean", X), ("mixed", np.concatenate([X, odd]))):
        # Every answer about a strange record counts as an error.
        answers = clf.predict(table)
        truth = np.concatenate([y == answers[: len(y)], np.zeros(len(table) - len(y), bool)])
        evidence = clf.predict_evidence(table)
        right = np.ones(len(table), bool)
        for title, confidence in (
            ("discounted", evidence.confidence),
            ("plain", before_novelty(clf, table).max(axis=1)),
            ("ignorance", -evidence.ignorance),
        ):
            found[f"{name}/{title}"] = area_under_risk_coverage(right, truth, confidence)
    return found


def emptier(clf: EvidentialRuleClassifier, X: Array, y: Array, seed: int) -> dict[str, float]:
    """Measure the effect of missing values."""
    lost = np.where(np.random.default_rng(seed).random(X.shape) < MISSING, np.nan, X)
    p = clf.predict_proba(lost)
    answer = clf.classes_[p.argmax(axis=1)]
    return {
        "missing/ignorance complete": float(clf.predict_evidence(X).weak_evidence.mean()),
        "missing/accuracy": float((answer == y).mean()),
        **{f"missing/{name}": value for name, value in class_scores(y, answer).items()},
        "missing/log-loss": log_loss(p, clf.classes_, y, LEAST),
        "missing/ignorance": float(clf.predict_evidence(lost).weak_evidence.mean()),
    }


def empty_record(X: Array, y: Array, seed: int) -> dict[str, float]:
    """Train with a few gaps in all columns, and ask about a record without any value."""
    gaps = np.random.default_rng(seed).random(X.shape) < FEW_GAPS
    clf = EvidentialRuleClassifier(random_state=seed).fit(np.where(gaps, np.nan, X), y)
    evidence = clf.predict_evidence(np.full((1, X.shape[1]), np.nan))
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return {
        "empty/ignorance": float(evidence.ignorance[0]),
        "empty/distance": float(np.abs(evidence.probability[0] - shares).max()),
    }


def taken_at_their_word(clf: EvidentialRuleClassifier, X: Array, y: Array) -> dict[str, float]:
    """Count how often the most believed class is right, by its belief, and by verdict."""
    evidence = clf.predict_evidence(X)
    most = evidence.belief.argmax(axis=1)
    belief, right = evidence.belief.max(axis=1), clf.classes_[most] == y
    chosen = np.minimum((belief * N_BINS).astype(int), N_BINS - 1)
    found: dict[str, float] = {}
    for k in range(N_BINS):
        inside = chosen == k
        found |= {
            f"bin {k}/rows": float(inside.sum()),
            f"bin {k}/right": float(right[inside].sum()),
            f"bin {k}/belief": float(belief[inside].sum()),
        }
    answers = clf.classes_[evidence.probability.argmax(axis=1)] == y
    for verdict in VERDICTS:
        inside = evidence.verdict == verdict
        found |= {
            f"{verdict}/rows": float(inside.sum()),
            f"{verdict}/right": float(answers[inside].sum()),
        }
    relative = evidence.belief / np.maximum(1 - evidence.ignorance, 1e-9)[:, np.newaxis]
    relative = np.where(evidence.ignorance[:, np.newaxis] < 1, relative, evidence.probability)
    found["calibration/belief"] = calibration_error(y, relative, classes=clf.classes_)
    plain = before_novelty(clf, X)
    found["novelty/log-loss"] = log_loss(evidence.probability, clf.classes_, y, TINY) - log_loss(
        plain, clf.classes_, y, TINY
    )
    return found


def tempered(X: Array, y: Array, X_test: Array, y_test: Array, seed: int) -> dict[str, float]:
    """Measure the article's scheme with and without calibration."""
    clf = FuzzyUCSClassifier(random_state=seed, calibrate=True)
    if X.shape[1] >= 60:
        clf.set_params(dont_care_rate=0.8)
    clf.fit(X, y)
    found, answers = {"DS/temperature": clf.tempering_.temperature}, []
    for name in ("tempered", "plain"):
        clf.set_params(calibrate=name == "tempered")
        p = clf.predict_proba(X_test)
        answers.append((clf.predict(X_test), clf.predict_evidence(X_test).mass.argmax(axis=1)))
        found |= {
            f"DS/log-loss {name}": log_loss(p, clf.classes_, y_test, TINY),
            f"DS/calibration error {name}": calibration_error(y_test, p, classes=clf.classes_),
        }
    found["DS/rows with another answer"] = float(
        sum((a != b).sum() for a, b in zip(*answers, strict=True))
    )
    return found


def unseen_class(X: Array, y: Array, seed: int, X_test: Array, y_test: Array) -> dict[str, float]:
    """Leave a class out of training and measure whether its records are detected."""
    classes = np.unique(y)
    if len(classes) < 3:
        return {}
    hidden = classes[seed % len(classes)]
    known, odd = y != hidden, np.concatenate([X[y == hidden], X_test[y_test == hidden]])
    ordinary = X_test[y_test != hidden]
    if len(ordinary) < 5 or len(odd) < 5 or len(np.unique(y[known])) < 2:
        return {}
    clf = EvidentialRuleClassifier(random_state=seed).fit(X[known], y[known])
    return detection(clf, X[known], ordinary, seed, {"unseen class": odd})


def measure(dataset: str, seed: int, data_dir: str) -> dict[str, Any]:
    """Run everything on one split of one data set."""
    (X, y), (X_test, y_test) = split(*load(dataset, data_dir), seed)
    rng = np.random.default_rng(seed)
    start = time.process_time()
    clf = EvidentialRuleClassifier(random_state=seed).fit(X, y)
    fit_seconds = time.process_time() - start
    start = time.process_time()
    support = Support.fit(X, clf.rules_.variables.feature_names)
    found: dict[str, Any] = {"fit (s)": fit_seconds, "support (s)": time.process_time() - start}
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    low, high = np.nan_to_num(low), np.nan_to_num(high)
    kinds = {kind: strange(kind, X_test, low, high, rng) for kind in KINDS}
    kinds["box"] = in_categories(kinds["box"], X, support.partition.is_nominal)
    found |= detection(clf, X, X_test, seed, kinds)
    found |= {
        "ordinary/novelty": float(clf.predict_evidence(X_test).novelty.mean()),
        "ordinary/ignorance": float(clf.predict_evidence(X_test).ignorance.mean()),
    }
    moved = kinds["one out"]
    changed = (moved != X_test) & ~(np.isnan(moved) & np.isnan(X_test))
    top = clf.support_.parts(moved).argmax(axis=1)
    found["one out/first reason is right"] = float(changed[np.arange(len(top)), top].mean())
    which = rng.integers(len(KINDS), size=len(X_test))
    odd = np.stack([kinds[kind] for kind in KINDS])[which, np.arange(len(X_test))]
    found |= selective(clf, X_test, y_test, odd)
    if np.isnan(X).mean(axis=0).max() < 0.01:
        found |= emptier(clf, X_test, y_test, seed)
    found |= empty_record(X, y, seed)
    found |= taken_at_their_word(clf, X_test, y_test)
    p = clf.predict_proba(X_test)
    found["log-loss/flagship"] = log_loss(p, clf.classes_, y_test, LEAST)
    found["calibration/flagship"] = calibration_error(y_test, p, classes=clf.classes_)
    least = np.unique(y, return_counts=True)[1].min()
    forest: Any = RandomForestClassifier(random_state=seed)
    if least >= 2:
        forest = CalibratedClassifierCV(forest, method="isotonic", cv=int(min(5, least)))
    p = forest.fit(X, y).predict_proba(X_test)
    found["log-loss/forest"] = log_loss(p, forest.classes_, y_test, LEAST)
    found["calibration/forest"] = calibration_error(y_test, p, classes=forest.classes_)
    found |= tempered(X, y, X_test, y_test, seed)
    found |= unseen_class(X, y, seed, X_test, y_test)
    return {"dataset": dataset, "split": seed, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("uncertainty.jsonl"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--splits", default=",".join(map(str, SPLITS)))
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--data-dir", default=os.environ.get("FUZZYUCS_DATA"))
    options = parser.parse_args()
    splits = [int(seed) for seed in options.splits.split(",")]
    jobs = [(name, seed) for seed in splits for name in datasets_of("acc_10")]
    one = partial(measure, data_dir=options.data_dir)
    rows = run_missing(options.store, jobs, ("dataset", "split"), one, options.jobs)
    text = report(pd.DataFrame(rows))
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
