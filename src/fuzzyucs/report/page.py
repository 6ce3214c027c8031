"""The page: measured data, style and scripts put together to one self-contained HTML file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyucs._util.files import write_text
from fuzzyucs._util.wording import counted
from fuzzyucs.report.examples import example_records
from fuzzyucs.report.images import check_image_shape, check_pixels
from fuzzyucs.report.measure import report_data
from fuzzyucs.report.naming import read_naming
from fuzzyucs.report.policy import page_policy

if TYPE_CHECKING:
    from fuzzyucs.decisions import Answer
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["report_page", "write_report"]

# In the order in which the browser runs them: what is needed at once comes first.
SCRIPTS = (
    *("numbers", "positions", "missing", "novelty", "ties", "scoring", "profiles"),
    *("ledger", "flips", "profile_flips", "questions", "marks"),
    *("times", "units", "elements", "histograms", "charts", "verdict", "sentences"),
    *("class_colours", "text_width", "rule_picture", "picture_folds"),
    *("model_card", "performance", "class_tables", "rules", "experts", "variables"),
    *("answer", "trust", "contributions", "controls", "what_if", "interview"),
    *("looks", "verdict_picture", "record_links", "sharing", "example_menu"),
    *("strokes", "drawing_pad", "page"),
)
STYLES = ("style.css", "pictures.css", "interview.css", "drawing_pad.css")


def write_report(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    description: str | None = None,
    units: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    examples: Any = None,
    image_shape: tuple[int, int] | None = None,
    answer: Answer | None = None,
    row_numbers: Sequence[int] | NDArray[np.intp] | None = None,
    held_out: bool = False,
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
    units : dict, optional
        Units of features, by their name or number: ``{"age": "years"}``. They stand behind
        values, and in the conditions of rules.
    labels : dict, optional
        Texts to show instead of class labels and names of features:
        ``{0: "healthy", 1: "ill", "bp": "blood pressure"}``.
    examples : int or array-like of shape (n_examples, n_features), optional
        Example records to choose from in the page: how many rows of ``X`` (classes take turns), or
        the records themselves, named by the index of a data frame if that holds texts. By default
        no record of the data is in the page.
    image_shape : (int, int), optional
        If features are the pixels of an image, row by row: its numbers of rows and of columns. The
        page has a drawing pad then.
    answer : Answer, optional
        What ``clf.answer(X)`` returns, if it is known already.
    row_numbers : sequence of int, optional
        By which numbers to name rows of ``X`` among the examples: those that they have in a file.
        By default they have the labels of a data frame's index, or are counted from 1.
    held_out : bool, default=False
        Whether the model has not learned from these data, for certain. If not, the page says
        whether it evidently did.

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
    page = report_page(
        clf,
        X,
        y,
        title=title,
        description=description,
        units=units,
        labels=labels,
        examples=examples,
        image_shape=image_shape,
        answer=answer,
        row_numbers=row_numbers,
        held_out=held_out,
    )
    write_text(target, page)
    return target


def report_page(
    clf: RuleClassifier,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    description: str | None = None,
    units: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    examples: Any = None,
    image_shape: tuple[int, int] | None = None,
    answer: Answer | None = None,
    row_numbers: Sequence[int] | NDArray[np.intp] | None = None,
    held_out: bool = False,
) -> str:
    """Return the page as text.

    Parameters
    ----------
    clf, X, y, title, description, units, labels, examples, image_shape, answer
        As in `write_report`.
    row_numbers, held_out
        As in `write_report`.

    Returns
    -------
    str
        HTML with data, style and scripts. It loads nothing from any server, and holds no record of
        the data, only counts, unless examples are asked for.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.report import report_page
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> page = report_page(clf, X, y, title="Iris")
    >>> page[:15], "<title>Iris</title>" in page, len(page) < 300_000
    ('<!doctype html>', True, True)

    With names that people know, units, and records to try:

    >>> page = report_page(
    ...     clf, X, y, labels={"setosa": "I. setosa"}, units={"petal width (cm)": "cm"}, examples=3
    ... )
    >>> "Row 1, true class I. setosa" in page, "3 example records" in page
    (True, True)
    """
    check_is_fitted(clf, "rules_")
    heading = type(clf).__name__ if title is None else str(title)
    naming = read_naming(clf, units, labels)
    if image_shape is not None:
        image_shape = check_image_shape(image_shape, clf.n_features_in_)
        check_pixels(clf.deciding_rules.variables)
    records = example_records(clf, X, y, examples, naming.classes, row_numbers)
    data = report_data(clf, X, y, answer, naming, held_out=held_out) | {
        "title": heading,
        "description": description or "",
        "examples": records,
        "image_shape": image_shape,
    }
    style = "\n" + "".join(map(_read, STYLES)) + "\n"
    scripts = ["\n" + _read(f"scripts/{name}.js") for name in SCRIPTS]
    parts = {
        "policy": page_policy([style], scripts),
        "title": escape(heading),
        "style": style,
        "footer": _footer(len(records)),
        "data": _as_json(data),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    # Split first: what is inserted may contain the marks itself.
    pieces = _read("page.html").split("%%")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


def _footer(n_examples: int) -> str:
    """Say what the page holds."""
    held = "the model and counts of the data, but no record of them,"
    if n_examples:
        records = counted(n_examples, "example record", "example records")
        held = f"the model, counts of the data and {records},"
    return f"This page is self-contained: it holds {held} and loads nothing from any server."


def _read(name: str) -> str:
    return resources.files("fuzzyucs.report").joinpath(name).read_text(encoding="utf-8")


def _as_json(data: dict[str, Any]) -> str:
    """Write JSON that cannot end the script element that contains it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
