"""The method `report` of classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["report"]


def report(
    clf: Any,
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
) -> Path:
    """Write a page about the model that needs nothing but a browser.

    It holds a model card, accuracy and uncertainty on the data given, the rules, the linguistic
    variables, and a form to try what the model says of any record.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data to measure the model on, best such that it has not seen.
    y : array-like of shape (n_samples,)
        Their class labels.
    path : path
        The file to write, ``report.html`` for example. It is replaced if it exists.
    title : str, optional
        Title of the page; by default the class of the estimator.
    description : str, optional
        What the model is for, who made it, what it must not be used for.
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

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X[::2], y[::2])
    >>> folder = Path(tempfile.mkdtemp())
    >>> names = {0: "setosa", 1: "versicolor", 2: "virginica", "petal width (cm)": "petal width"}
    >>> page = clf.report(
    ...     X[1::2],
    ...     y[1::2],
    ...     folder / "iris.html",
    ...     labels=names,
    ...     units={"petal width (cm)": "cm"},
    ...     examples=6,
    ... )
    >>> page.name
    'iris.html'
    """
    from fuzzyucs.report import write_report

    return write_report(
        clf,
        X,
        y,
        path,
        title=title,
        description=description,
        units=units,
        labels=labels,
        examples=examples,
        image_shape=image_shape,
    )
