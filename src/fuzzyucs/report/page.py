"""The page: measured data, style and scripts put together to one self-contained HTML file."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.files import write_text
from fuzzyucs.report.measure import report_data

if TYPE_CHECKING:
    from fuzzyucs.decisions import Answer
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["report_page", "write_report"]

# In the order in which the browser runs them: what is needed at once comes first.
SCRIPTS = (
    *("numbers", "positions", "missing", "novelty", "ties", "scoring", "profiles"),
    *("ledger", "flips", "profile_flips"),
    *("times", "elements", "charts", "verdict", "model_card", "performance", "rules", "variables"),
    *("answer", "contributions", "what_if", "page"),
)


def write_report(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    description: str | None = None,
    answer: Answer | None = None,
) -> Path:
    """Write a page about a fitted classifier.

    Parameters
    ----------
    clf : RuleClassifier
        A fitted classifier.
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
    answer : Answer, optional
        What ``clf.answer(X)`` returns, if it is known already.

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
    page = report_page(clf, X, y, title=title, description=description, answer=answer)
    write_text(target, page)
    return target


def report_page(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    description: str | None = None,
    answer: Answer | None = None,
) -> str:
    """Return the page as text.

    Parameters
    ----------
    clf, X, y, title, description, answer
        As in `write_report`.

    Returns
    -------
    str
        HTML with data, style and scripts. It loads nothing from any server, and holds no record of
        the data, only counts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.report import report_page
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> page = report_page(clf, X, y, title="Iris")
    >>> page[:15], "<title>Iris</title>" in page, len(page) < 200_000
    ('<!doctype html>', True, True)
    """
    heading = type(clf).__name__ if title is None else str(title)
    data = report_data(clf, X, y, answer) | {"title": heading, "description": description or ""}
    parts = {
        "title": escape(heading),
        "style": _read("style.css"),
        "data": _as_json(data),
        "scripts": "\n".join(map(_script_element, SCRIPTS)),
    }
    # Split first: what is inserted may contain the marks itself.
    pieces = _read("page.html").split("%%")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


def _read(name: str) -> str:
    return resources.files("fuzzyucs.report").joinpath(name).read_text(encoding="utf-8")


def _script_element(name: str) -> str:
    return f"<script>\n{_read(f'scripts/{name}.js')}</script>"


def _as_json(data: dict[str, Any]) -> str:
    """Write JSON that cannot end the script element that contains it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
