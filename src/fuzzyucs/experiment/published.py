"""The article's numbers: means over 30 runs, as printed in its tables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd

__all__ = ["load_published", "published_marks", "published_means"]


@cache
def _read() -> pd.DataFrame:
    with files("fuzzyucs.experiment").joinpath("published.csv").open() as file:
        return pd.read_csv(file, keep_default_na=False)


def load_published() -> pd.DataFrame:
    """Return every number of the article's result tables, one per row.

    Returns
    -------
    pandas.DataFrame
        Columns ``table``, ``dataset``, ``epochs``, ``metric``, ``split``, ``system``, ``value``,
        ``mark`` (significantly better ``+``, worse ``-`` or neither ``~`` than Dempster-Shafer
        inference) and ``erratum``: what was corrected where the printed table is wrong. The test
        columns of the larger data sets at 10 epochs are printed one row too high or low, as the
        table for 50 epochs shows.

    Examples
    --------
    >>> from fuzzyucs.experiment.published import load_published
    >>> table = load_published()
    >>> table.query("table == 'f1_10' and dataset == 'irs' and split == 'test'").value.tolist()
    [70.1, 92.71, 93.56, 92.93]
    """
    return _read().copy()


def published_means(
    table: str, split: str, epochs: int | None = None, metric: str | None = None
) -> pd.DataFrame:
    """Return one of the article's tables, a row for each data set and a column for each system.

    Parameters
    ----------
    table : str
        Its name, e.g. ``"f1_10"``.
    split : {"train", "test", "model"}
        Training data, test data, or neither (sizes, times).
    epochs : int, optional
        For tables that have several numbers of epochs.
    metric : str, optional
        For tables of several metrics.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> from fuzzyucs.experiment.published import published_means
    >>> published_means("f1_10", "test").loc["irs", "DS"].item()
    92.93
    """
    return _pivot("value", table, split, epochs, metric)


def published_marks(
    table: str, split: str, epochs: int | None = None, metric: str | None = None
) -> pd.DataFrame:
    """Return the marks of one of the article's tables.

    Parameters
    ----------
    table, split, epochs, metric
        As of `published_means`.

    Returns
    -------
    pandas.DataFrame
        A row for each data set and a column for each system: ``+``, ``-`` or ``~``, and nothing
        for the system that the others are compared with.

    Examples
    --------
    >>> from fuzzyucs.experiment.published import published_marks
    >>> published_marks("f1_50", "train")["UCS"].value_counts().to_dict()
    {'+': 16, '-': 10, '~': 4}
    """
    return _pivot("mark", table, split, epochs, metric)


def _pivot(
    values: str, table: str, split: str, epochs: int | None, metric: str | None
) -> pd.DataFrame:
    return _pivoted(values, table, split, epochs, metric).copy()


@cache
def _pivoted(
    values: str, table: str, split: str, epochs: int | None, metric: str | None
) -> pd.DataFrame:
    rows = _read()
    tables = sorted(set(rows["table"]))
    if table not in tables:
        raise ValueError(f"table must be one of {tables}, got {table!r}")
    rows = rows[(rows["table"] == table) & (rows["split"] == split)]
    if epochs is not None:
        rows = rows[rows["epochs"] == epochs]
    if metric is not None:
        rows = rows[rows["metric"] == metric]
    if rows.empty or rows.duplicated(["dataset", "system"]).any():
        raise ValueError(
            f"table {table!r} has no single value for split={split!r} and epochs={epochs!r}"
        )
    order = {name: list(dict.fromkeys(rows[name])) for name in ("dataset", "system")}
    found = rows.pivot(index="dataset", columns="system", values=values)
    return found.loc[order["dataset"], order["system"]]
