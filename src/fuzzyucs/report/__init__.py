"""The report: one HTML file about a model, with a form to try it, that needs nothing else."""

from __future__ import annotations

import datetime
import json
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyucs import __version__
from fuzzyucs._util.files import write_text
from fuzzyucs.deployment.description import model_data
from fuzzyucs.report.measure import feature_statistics, performance, rule_statistics
from fuzzyucs.rules.quality import feature_shares

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["report_page", "write_report"]


def write_report(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    description: str | None = None,
) -> Path:
    """Write a page about a fitted classifier.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted one.
    X : array-like of shape (n_samples, n_features)
        Data to measure it on.
    y : array-like of shape (n_samples,)
        Their class labels.
    path : path
        The file to write.
    title : str, optional
        Title of the page.
    description : str, optional
        What the model is for.

    Returns
    -------
    Path
        The file.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"path must name a file to write, got the folder {target}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path: there is no folder {target.parent} to write to")
    write_text(target, report_page(clf, X, y, title=title, description=description))
    return target


def report_page(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    description: str | None = None,
) -> str:
    """Return the page as text.

    Parameters
    ----------
    clf, X, y, title, description
        As in `write_report`.

    Returns
    -------
    str
        HTML with everything in it: data, style and program. It asks no server for anything, and
        holds no record of the data, only counts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.report import report_page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> page = report_page(clf, X, y, title="Iris")
    >>> page[:15], "<title>Iris</title>" in page, len(page) < 200_000
    ('<!doctype html>', True, True)
    """
    heading = type(clf).__name__ if title is None else str(title)
    data = report_data(clf, X, y) | {"title": heading, "description": description or ""}
    parts = {
        "title": escape(heading),
        "style": _read("style.css"),
        "model": _read("model.js"),
        "page": _read("page.js"),
        "data": _as_script(data),
    }
    page = _read("page.html")
    # Split first: what is put in may look like a mark itself.
    pieces = page.split("%%")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


def report_data(clf: RuleClassifier, X: Any, y: Any) -> dict[str, Any]:
    """Gather what the page shows.

    Parameters
    ----------
    clf, X, y
        As in `write_report`.

    Returns
    -------
    dict
        What JSON can hold.
    """
    clf._check_fitted()
    predicted, evidence = clf.predict(X), clf.predict_evidence(X)
    table, truth = clf._validate(X, y, reset=False)
    labels = clf._numbered(truth)
    rules = clf._deciding_rules()
    return {
        "model": model_data(clf),
        "card": _card(clf, len(rules), np.bincount(labels, minlength=len(clf.classes_)).tolist()),
        "performance": performance(clf, table, truth, evidence, predicted),
        "rules": rule_statistics(rules, table, truth),
        "features": feature_statistics(rules.variables, table),
        "importance": feature_shares(rules).tolist(),
    }


def _card(clf: RuleClassifier, n_rules: int, counts: list[int]) -> dict[str, Any]:
    rules = clf._deciding_rules()
    return {
        "estimator": type(clf).__name__,
        "version": __version__,
        "written": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "rules": n_rules,
        "conditions": float(rules.asks.sum(axis=1).mean()) if n_rules else 0.0,
        "counts": counts,
        "parameters": {
            name: str(value)
            for name, value in clf.get_params(deep=False).items()
            if name not in ("verbose", "n_jobs")
        },
    }


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _as_script(data: dict[str, Any]) -> str:
    """Write JSON that cannot end the script element it stands in."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
