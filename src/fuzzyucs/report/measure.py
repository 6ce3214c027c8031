"""Measurements for the report: the model on the data given, its rules and its features."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

from fuzzyucs import __version__
from fuzzyucs._util.class_colours import class_colour
from fuzzyucs._util.wording import percent
from fuzzyucs.decisions import Answer
from fuzzyucs.deployment.description import model_data
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.verdict import REASONS, VERDICTS
from fuzzyucs.metrics import (
    area_under_risk_coverage,
    calibration_error,
    reliability_curve,
    risk_coverage_curve,
)
from fuzzyucs.report.answers import answer_statistics, answers_by_class
from fuzzyucs.report.kinds import KINDS, kinds_of_records
from fuzzyucs.report.naming import Naming, name_model, read_naming
from fuzzyucs.report.replies import replies_of
from fuzzyucs.rules import RuleSet
from fuzzyucs.rules.expert_report import assess_table
from fuzzyucs.rules.labelled_rows import LabelledRows
from fuzzyucs.rules.quality import feature_shares
from fuzzyucs.rules.wording import condition_texts
from fuzzyucs.variables import IntervalVariables, Variables
from fuzzyucs.variables.coding import accepted_terms

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = [
    "feature_statistics",
    "kind_statistics",
    "performance",
    "report_data",
    "rule_statistics",
    "verdict_statistics",
    "wilson",
]

LEAST_PROBABILITY = 1e-3  # in the log-loss, so that no single row dominates it
MOST_POINTS = 200  # of a curve
N_BARS = 24
MOST_BARS = 32  # whose rows are counted by class
N_BINS = 10  # of belief
Z = 1.96  # 95 %
UNSHOWN_PARAMETERS = ("n_jobs", "verbose")

Array = NDArray[np.float64]
Indices = NDArray[np.integer[Any]]


def report_data(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    answer: Answer | None = None,
    naming: Naming | None = None,
    *,
    held_out: bool = False,
) -> dict[str, Any]:
    """Collect the data that the page shows.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Data to measure it on.
    y : array-like of shape (n_samples,)
        Their class labels.
    answer : Answer, optional
        What ``clf.answer(X)`` returns, if it is known already.
    naming : Naming, optional
        What the page calls features and classes.
    held_out : bool, default=False
        Whether the model has not learned from these data, for certain.

    Returns
    -------
    dict
        What JSON can hold.
    """
    check_is_fitted(clf, "rules_")
    table, labels = clf.check_data(X, y)
    rules, named = clf.deciding_rules, naming or read_naming(clf)
    given = clf.answer(X) if answer is None else answer
    kinds = kinds_of_records(
        table,
        given.evidence.novelty,
        getattr(clf, "support_", None),
        rules.variables.table_variables,
    )
    model = _with_digits(model_data(clf))
    for index, rule in enumerate(model["rules"]):
        rule["texts"] = condition_texts(rules, index)
    return {
        "model": name_model(model, rules, named),
        "colours": [class_colour(index) for index in range(len(clf.classes_))],
        "card": _card(clf, rules, labels, named.classes),
        "performance": performance(given, labels, clf.classes_)
        | {"kinds": kind_statistics(given, labels, clf.classes_, kinds)}
        | {"rows_are": _what_rows_are(rules, table, labels, held_out)},
        "rules": rule_statistics(rules, table, labels)
        | {"evidence": rules.carried_evidence().tolist()},
        "features": feature_statistics(
            rules.variables.table_variables, table, labels, len(clf.classes_)
        ),
        "importance": feature_shares(rules).tolist(),
        "replies": replies_of(rules, named) if model["scheme"] == "profile" else None,
        "experts": _experts(rules, table, labels, named),
    }


def _experts(rules: Any, table: Array, labels: Indices, naming: Naming) -> list[dict[str, Any]]:
    """Say what the data think of experts' rules, in the names of the page."""
    stated = np.flatnonzero(rules.is_expert).tolist()
    if not stated:
        return []
    named = replace(
        rules,
        variables=replace(rules.variables, feature_names=naming.features),
        classes=np.array(naming.classes, dtype=object),
    )
    found = zip(stated, assess_table(named, table, labels), strict=True)
    return [{"rule": rule, "sentences": finding.sentences()} for rule, finding in found]


def _what_rows_are(rules: RuleSet, X: Array, labels: Indices, held_out: bool) -> str:
    """Say whether the model learned from the rows: "held out", "learned" or "given" (not known)."""
    if held_out:
        return "held out"
    counted = getattr(
        rules, "applies", None
    )  # rows of each class that the text of a rule is true of
    if counted is None:
        return "given"
    data = LabelledRows(rules.variables, rules.classes, X, rules.classes[labels])
    rows = np.bincount(labels, minlength=len(rules.classes)).tolist()
    same = np.array_equal(rules.class_rows_on(data), counted)
    return "learned" if same and rows == rules.model_as_dict()["class_rows"] else "given"


def _with_digits(model: dict[str, Any]) -> dict[str, Any]:
    """Write conditions as a digit for each term, since numbers in JavaScript have too few bits."""
    views = model["views"]
    for rule in model["rules"]:
        for condition in rule["if"]:
            asked = (views or model["features"])[condition[0]]
            if "n_terms" in asked:
                accepted = accepted_terms(condition[1], asked["n_terms"])
                condition[1] = "".join("01"[is_in] for is_in in accepted.tolist())
            if views is not None:  # in pages, conditions are on features, seen by views
                condition[:] = [asked["feature"], condition[1], condition[0]]
    return model


def _card(
    clf: RuleClassifier, rules: RuleSet, labels: Indices, class_names: Sequence[str]
) -> dict[str, Any]:
    return {
        "estimator": type(clf).__name__,
        "version": __version__,
        "written": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "rules": len(rules),
        "conditions": float(rules.asks.sum(axis=1).mean()) if len(rules) else 0.0,
        "counts": np.bincount(labels, minlength=len(clf.classes_)).tolist(),
        "base_rates_are": _origin_of_base_rates(clf, rules, class_names),
        "parameters": {
            name: str(value)
            for name, value in clf.get_params(deep=False).items()
            if name not in UNSHOWN_PARAMETERS
        },
    }


def _origin_of_base_rates(clf: Any, rules: RuleSet, class_names: Sequence[str]) -> str | None:
    """Say where the base rates come from; None if a model has none."""
    known = rules.model_as_dict()
    if "base_rates" not in known:
        return None
    if not isinstance(clf.base_rates, str):
        return "given"
    if clf.base_rates == "equal":
        return "the same for all classes"
    shares = np.array(known["class_rows"]) / sum(known["class_rows"])
    if np.allclose(known["base_rates"], shares, rtol=0, atol=1e-9):
        return "shares of the training data"
    by = "sample weights" if clf.class_weight is None else f"class_weight={clf.class_weight!r}"
    rows = ", ".join(
        f"{label} {percent(share)}" for label, share in zip(class_names, shares, strict=True)
    )
    return f"shares of the training data as weighted by {by}; of its rows: {rows}"


def performance(given: Answer, labels: Indices, classes: NDArray[Any]) -> dict[str, Any]:
    """Measure accuracy and uncertainty.

    Parameters
    ----------
    given : Answer
        Labels, probabilities and evidence that a classifier gives.
    labels : ndarray of shape (n_samples,)
        Indices of the true classes.
    classes : ndarray of shape (n_classes,)
        Class labels.

    Returns
    -------
    dict
    """
    truth, p, evidence = classes[labels], given.probability, given.evidence
    own = p[np.arange(len(truth)), labels]
    right = given.labels == truth
    confidence, ignorance = evidence.confidence, evidence.ignorance
    coverage, risk, _ = risk_coverage_curve(truth, given.labels, confidence)
    chosen = np.unique(np.linspace(0, len(coverage) - 1, MOST_POINTS).astype(int))
    accuracy, mean, share = reliability_curve(truth, p, classes=classes)
    return {
        "rows": len(truth),
        "accuracy": float(right.mean()),
        "interval": wilson(int(right.sum()), len(truth)),
        "log_loss": float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean()),
        "calibration_error": calibration_error(truth, p, classes=classes),
        "risk_coverage": area_under_risk_coverage(truth, given.labels, confidence),
        "ignorance": float(ignorance.mean()),
        "ignorance_right": _mean(ignorance[right]),
        "ignorance_wrong": _mean(ignorance[~right]),
        "novelty": None if evidence.novelty is None else float(evidence.novelty.mean()),
        "confusion": confusion_matrix(truth, given.labels, labels=classes).tolist(),
        "coverage": coverage[chosen].tolist(),
        "risk": risk[chosen].tolist(),
        "reliability": [accuracy.tolist(), mean.tolist(), share.tolist()],
        **_of_base_rates(evidence, right, labels),
    }


def _of_base_rates(evidence: Evidence, right: NDArray[np.bool_], labels: Indices) -> dict[str, Any]:
    """Measure verdicts and belief, where base rates make one coherent answer of both."""
    if evidence.base_rates is None:
        names = ["verdicts", "answers_by_class", "belief_reliability", "belief_calibration_error"]
        return dict.fromkeys(names)
    best = evidence.probability.argmax(axis=1)
    believed = evidence.belief[np.arange(len(best)), best]
    curve = _curve_of_belief(believed, right)
    return {
        "verdicts": verdict_statistics(evidence.verdict, evidence.reason, right),
        "answers_by_class": answers_by_class(evidence.verdict, best, labels, len(evidence.classes)),
        "belief_reliability": [part.tolist() for part in curve],
        "belief_calibration_error": float(np.abs(curve[0] - curve[1]) @ curve[2]),
    }


def _curve_of_belief(believed: Array, right: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """Return the share of right answers, mean belief and share of rows, in bins of belief."""
    bins = np.searchsorted(np.arange(1, N_BINS) / N_BINS, believed)
    size = np.bincount(bins, minlength=N_BINS)
    filled = size > 0
    count = size[filled]
    accuracy = np.bincount(bins, right, N_BINS)[filled] / count
    return accuracy, np.bincount(bins, believed, N_BINS)[filled] / count, count / len(bins)


def verdict_statistics(
    verdict: NDArray[np.str_], reason: NDArray[np.str_], right: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """Count verdicts, and how often the most probable class is right with each.

    Parameters
    ----------
    verdict, reason : ndarray of shape (n_samples,)
        As in `Evidence`.
    right : ndarray of shape (n_samples,)
        Whether the most probable class is the true one.

    Returns
    -------
    list of dict
        ``verdict``, ``reason``, ``rows`` and ``right`` (a number of rows), for each that occurs.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.report.measure import verdict_statistics
    >>> verdicts, reasons = np.array(["answer", "torn", "answer"]), np.array(["", "", ""])
    >>> verdict_statistics(verdicts, reasons, np.array([True, True, False]))[0]
    {'verdict': 'answer', 'reason': '', 'rows': 2, 'right': 1}
    """
    found = []
    for name in VERDICTS:
        for why in REASONS:
            own = (verdict == name) & (reason == why)
            if own.any():
                counts = {"rows": int(own.sum()), "right": int(right[own].sum())}
                found.append({"verdict": name, "reason": why} | counts)
    return found


def kind_statistics(
    given: Answer, labels: Indices, classes: NDArray[Any], kinds: Indices
) -> dict[str, Any]:
    """Count rows, verdicts and answers, and how often they are right, by the kind of the record.

    Parameters
    ----------
    given : Answer
        Labels, probabilities and evidence that a classifier gives.
    labels : ndarray of shape (n_samples,)
        Indices of the true classes.
    classes : ndarray of shape (n_classes,)
        Class labels.
    kinds : ndarray of shape (n_samples,)
        What `kinds_of_records` returns.

    Returns
    -------
    dict
        ``rows``, ``right`` and, of models with base rates, ``verdicts`` and ``answers``, for each
        of `KINDS`.
    """
    evidence = given.evidence
    found: dict[str, dict[str, Any]] = {}
    right, best = given.labels == classes[labels], evidence.probability.argmax(axis=1)
    for index, name in enumerate(KINDS):
        own = kinds == index
        found[name] = {"rows": int(own.sum()), "right": int(right[own].sum())}
        if evidence.base_rates is not None:
            verdict, reason = evidence.verdict[own], evidence.reason[own]
            found[name] |= {
                "verdicts": verdict_statistics(verdict, reason, right[own]),
                "answers": answer_statistics(verdict, best[own], right[own], len(classes)),
            }
    return found


def wilson(successes: int, trials: int) -> list[float]:
    """Return Wilson's 95 % interval of a share.

    Examples
    --------
    >>> from fuzzyucs.report.measure import wilson
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    share, scale = successes / trials, 1 + Z**2 / trials
    middle = (share + Z**2 / (2 * trials)) / scale
    half = Z * np.sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2)) / scale
    return [float(max(0.0, middle - half)), float(min(1.0, middle + half))]


def _mean(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None


def rule_statistics(rules: RuleSet, X: Array, labels: Indices) -> dict[str, Any]:
    """Measure how often each rule matches, and how often it is right.

    Parameters
    ----------
    rules : RuleSet
        Rules.
    X : ndarray of shape (n_samples, n_features)
        Data.
    labels : ndarray of shape (n_samples,)
        Indices of the true classes.

    Returns
    -------
    dict
        ``coverage``, the mean degree, and ``accuracy``, the share of the rule's class in what it
        matches (None if it matches nothing), of each rule. For rules with class profiles, rows
        of which the text of the rule is true count as matched, and its class is the one that its
        conclusion names.
    """
    data = LabelledRows(rules.variables, rules.classes, X, rules.classes[labels])
    matched = rules.class_rows_on(data)
    own, all_rows = matched[np.arange(len(rules)), rules.named_class], matched.sum(axis=1)
    return {
        "coverage": (all_rows / len(labels)).tolist(),
        "accuracy": [float(o / m) if m > 0 else None for o, m in zip(own, all_rows, strict=True)],
    }


def feature_statistics(
    variables: Variables, X: Array, labels: Indices, n_classes: int
) -> list[dict[str, Any]]:
    """Describe the values of each feature: histogram, share of missing values, typical value.

    Parameters
    ----------
    variables : Variables
        The features.
    X : ndarray of shape (n_samples, n_features)
        Data.
    labels : ndarray of shape (n_samples,)
        Indices of the true classes.
    n_classes : int
        Number of classes.

    Returns
    -------
    list of dict
        Counts of rows are given by class, too (``class_counts``, one list for each class), unless a
        feature has too many categories to draw.
    """
    return [
        _statistics(variables, feature, X[:, feature], labels, n_classes)
        for feature in range(X.shape[1])
    ]


def _statistics(
    variables: Variables, feature: int, x: Array, labels: Indices, n_classes: int
) -> dict[str, Any]:
    is_known = np.isfinite(x)
    known = x[is_known]
    missing = {"missing": float(np.isnan(x).mean())}
    if not len(known):
        return missing | {"usual": None, "edges": [], "counts": [], "class_counts": None}
    if variables.is_coded(feature) or not variables.has_order(feature):
        edges = variables.values_to_try(feature)
        bars = np.searchsorted(edges, known).clip(0, len(edges) - 1)
        is_counted = edges[bars] == known
        n_bars = len(edges)
    else:
        edges, bars = _histogram(known)
        is_counted = np.ones(len(known), dtype=bool)
        n_bars = len(edges) - 1
    cells = labels[is_known][is_counted] * n_bars + bars[is_counted]
    by_class = np.bincount(cells, minlength=n_classes * n_bars).reshape(n_classes, n_bars)
    counts = by_class.sum(axis=0)
    return missing | {
        "usual": _usual(variables, feature, known, edges, counts),
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "class_counts": by_class.tolist() if n_bars <= MOST_BARS else None,
    }


def _usual(
    variables: Variables, feature: int, known: Array, edges: Array, counts: Indices
) -> float:
    """Return the most frequent category, or the median of numbers."""
    if variables.is_coded(feature) or not variables.has_order(feature):
        return float(edges[int(np.argmax(counts))])
    usual = float(np.sort(known)[len(known) // 2])
    if isinstance(variables, IntervalVariables) and variables.decimals[feature] >= 0:
        usual = round(usual, int(variables.decimals[feature]))
    return usual


def _histogram(known: Array) -> tuple[Array, Indices]:
    """Return the edges of the bars of a histogram, and the bar of each value."""
    low, high = known.min(), known.max()
    # Halves, because the difference of two doubles may exceed the largest one.
    if not 0 < high / 2 - low / 2 < np.inf:
        return np.array([low, low]), np.zeros(len(known), dtype=np.intp)
    steps = np.linspace(0.0, 1.0, N_BARS + 1)
    edges = low * (1 - steps) + high * steps
    bars = np.searchsorted(edges, known, side="right") - 1
    return edges, bars.clip(0, N_BARS - 1)
