"""Fetch data sets of the article from OpenML into a folder."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_openml

from fuzzyucs._util.files import write_text
from fuzzyucs.datasets import ARTICLE_FILES

__all__ = ["SOURCES", "Source", "fetch"]


class Source(NamedTuple):
    """OpenML's number of a data set, and the shape that the article's data set has."""

    data_id: int
    n_samples: int
    n_features: int
    n_classes: int


SOURCES = {
    "bnk": Source(1462, 1372, 4, 2),
    "can": Source(1510, 569, 30, 2),
    "dbt": Source(37, 768, 8, 2),
    "ecl": Source(39, 336, 7, 8),
    "gls": Source(41, 214, 9, 6),
    "hpt": Source(55, 155, 19, 2),
    "irs": Source(61, 150, 4, 3),
    "seg": Source(36, 2310, 19, 7),
    "tae": Source(48, 151, 5, 3),
    "wbc": Source(15, 699, 9, 2),
    "wne": Source(187, 178, 13, 3),
    "yst": Source(181, 1484, 8, 10),
    "con": Source(40, 208, 60, 2),
    "lib": Source(299, 360, 90, 15),
    "phi": Source(4534, 11055, 30, 2),
}
"""Sources of the article's data sets. The shape of fetched data is checked."""


def fetch(dataset: str, folder: str | Path) -> Path:
    """Fetch a data set and save it in the article's format.

    Words become numbers in alphabetical order. The file appears as a whole or not at all.

    Parameters
    ----------
    dataset : str
        Key of `SOURCES`.
    folder : path
        Where to save it.

    Returns
    -------
    path
        The file.
    """
    if dataset not in SOURCES:
        raise FileNotFoundError(
            f"data set {dataset!r} cannot be fetched; put {ARTICLE_FILES[dataset]} into {folder}"
        )
    source = SOURCES[dataset]
    with tempfile.TemporaryDirectory() as cache:
        X, y = fetch_openml(
            data_id=source.data_id,
            as_frame=True,
            return_X_y=True,
            data_home=cache,
            parser="liac-arff",
        )
    table = pd.DataFrame({name: _numbers(column) for name, column in X.items()})
    classes = np.unique(_numbers(y), return_inverse=True)[1]
    found = (*table.shape, len(np.unique(classes)))
    if found != source[1:]:
        raise ValueError(
            f"OpenML's data set {source.data_id} is not the article's {dataset!r}: it has "
            f"(rows, features, classes) = {found}, expected {tuple(source[1:])}"
        )
    table["class"] = classes
    path = Path(folder) / ARTICLE_FILES[dataset]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, table.to_csv(header=False, index=False, na_rep="?", lineterminator="\n"))
    return path


def _numbers(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes
        return codes.astype(float).where(codes >= 0)
    return pd.to_numeric(column).astype(float)
