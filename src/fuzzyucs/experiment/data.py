"""Data sets of an experiment: from a folder, from scikit-learn, or from OpenML."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fuzzyucs.datasets import ARTICLE_FILES, load_article, load_embedded
from fuzzyucs.experiment.openml import fetch

__all__ = ["EMBEDDED", "is_at_hand", "load"]

EMBEDDED = {"irs": "iris", "wne": "wine", "can": "breast_cancer"}
"""Data sets of the article that come with scikit-learn, with their names there."""


@lru_cache(maxsize=4)
def load(dataset: str, data_dir: str | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a data set: from the folder if it is there, else from scikit-learn, else from OpenML.

    A data set that is fetched from OpenML is saved in the folder.

    Parameters
    ----------
    dataset : str
        Key of `fuzzyucs.datasets.ARTICLE_FILES`.
    data_dir : str, optional
        Folder with files in the article's format.

    Returns
    -------
    X, y : ndarray
        Table and classes, whole numbers from 0.

    Examples
    --------
    >>> from fuzzyucs.experiment.data import load
    >>> X, y = load("irs")
    >>> X.shape
    (150, 4)
    """
    if _has_file(dataset, data_dir):
        return load_article(dataset, data_dir)
    if dataset in EMBEDDED:
        data = load_embedded(EMBEDDED[dataset])
        return data.data, data.target
    if data_dir is None:
        raise FileNotFoundError(
            f"data set {dataset!r} ({ARTICLE_FILES[dataset]}) needs a folder to be read from or "
            "fetched into: --data-dir or FUZZYUCS_DATA"
        )
    fetch(dataset, data_dir)
    return load_article(dataset, data_dir)


def is_at_hand(dataset: str, data_dir: str | None = None) -> bool:
    """Tell whether a data set can be loaded without a network.

    Examples
    --------
    >>> from fuzzyucs.experiment.data import is_at_hand
    >>> is_at_hand("irs"), is_at_hand("bnk")
    (True, False)
    """
    return dataset in EMBEDDED or _has_file(dataset, data_dir)


def _has_file(dataset: str, data_dir: str | None) -> bool:
    return data_dir is not None and (Path(data_dir) / ARTICLE_FILES[dataset]).exists()
