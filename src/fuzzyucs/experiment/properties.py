"""The article's tables without results: properties of the data sets, and hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from fuzzyucs.estimators.fuzzy_ucs import FuzzyUCSClassifier
from fuzzyucs.estimators.ucs import UCSClassifier
from fuzzyucs.experiment.data import is_at_hand, load
from fuzzyucs.experiment.layout import ARTICLE, Cell, Grid, Row

__all__ = ["PROPERTIES", "count_properties", "print_datasets", "print_hyperparameters"]

TITLES = {
    1: "Properties of the 30 data sets",
    11: "Properties of the artificial problems",
    14: "Properties of the larger data sets",
}
COLUMNS = {
    "instances": "rows",
    "features": "features",
    "classes": "classes",
    "missing": "missing %",
    "majority": "largest class %",
    "minority": "smallest class %",
}
COUNTED = "counted in the data"


def count_properties(dataset: str, data_dir: str | None = None) -> dict[str, float]:
    """Count what the article's tables of data sets state.

    Parameters
    ----------
    dataset : str
        Identifier of a data set.
    data_dir : str, optional
        Folder of the article's data.

    Returns
    -------
    dict
        Rows, features, classes, and percentages of missing values and of the rows of the largest
        and of the smallest class.

    Examples
    --------
    >>> from fuzzyucs.experiment.properties import count_properties
    >>> count_properties("wne")["instances"]
    178.0
    """
    X, y = load(dataset, data_dir)
    shares = 100 * np.unique(y, return_counts=True)[1] / len(y)
    return {
        "instances": float(len(y)),
        "features": float(X.shape[1]),
        "classes": float(len(shares)),
        "missing": float(100 * np.isnan(X).mean()),
        "majority": float(shares.max()),
        "minority": float(shares.min()),
    }


def print_datasets(
    number: int, data_dir: str | None = None, datasets: Iterable[str] | None = None
) -> Grid:
    """Print a table of data sets: what the article states, and what the data have.

    Parameters
    ----------
    number : {1, 11, 14}
        Number of the table in the article.
    data_dir : str, optional
        Folder of the article's data. Nothing is fetched.
    datasets : iterable of str, optional
        Only these data sets.

    Returns
    -------
    Grid
    """
    with files("fuzzyucs.experiment").joinpath("published_datasets.csv").open() as file:
        published = pd.read_csv(file, index_col="dataset")
    published = published[published["table"] == number]
    if datasets is not None:
        published = published.loc[published.index.isin(list(datasets))]
    rows = []
    for dataset, stated in published.iterrows():
        at_hand = is_at_hand(str(dataset), data_dir)
        counted = count_properties(str(dataset), data_dir) if at_hand else None
        cells = [Cell(str(stated["name"]))]
        cells += [Cell(_number(name, stated[name])) for name in COLUMNS]
        for name in COLUMNS:
            text = "" if counted is None else _number(name, counted[name])
            cells.append(Cell(text, far=bool(text) and text != _number(name, stated[name])))
        rows.append(Row(str(dataset), cells))
    titles = list(COLUMNS.values())
    groups = [("", ["name"]), (ARTICLE, titles), (COUNTED, titles)]
    return Grid(f"Table {number}: {TITLES[number]}", "data", groups, rows)


def _number(name: str, value: float) -> str:
    whole = name in ("instances", "features", "classes")
    return f"{value:.0f}" if whole else f"{value:.2f}"


HYPERPARAMETERS = [  # description, symbol, parameter here, values in the article
    ("Greatest number of micro-rules", "N", "population_size", 2000, 2000),
    ("Accuracy threshold", "acc0", "accuracy_threshold", 0.99, None),
    ("Fitness threshold", "F0", "fitness_threshold", None, 0.99),
    ("Learning rate", "beta", "learning_rate", 0.2, None),
    ("Fitness exponent", "nu", "fitness_exponent", 1, 1),
    ("Crossover probability", "chi", "crossover_rate", 0.8, 0.8),
    ("Mutation probability", "p_mut", "mutation_rate", 0.04, 0.04),
    ("Fraction of mean fitness for deletion", "delta", "deletion_fraction", 0.1, 0.1),
    ("Greatest change by mutation", "m0", "mutation_step", 0.1, None),
    ("Greatest range of covering", "r0", "covering_range", 1.0, None),
    ("Steps between evolutions", "theta_GA", "ga_interval", 50, 50),
    ("Experience for deletion", "theta_del", "deletion_experience", 50, 50),
    ("Experience for subsumption", "theta_sub", "subsumption_experience", 50, 50),
    ("Experience for inference", "theta_exploit", "inference_experience", None, 10),
    ("Tournament size", "tau", "tournament_fraction", 0.4, 0.4),
    ("Probability of don't care", "P#", "dont_care_rate", 0.33, 0.33),
    ("Correct-set subsumption", "", "correct_set_subsumption", True, True),
    ("Subsumption in evolution", "", "ga_subsumption", True, True),
]


def print_hyperparameters() -> Grid:
    """Print the article's Table 2 beside the defaults of our classifiers.

    Returns
    -------
    Grid

    Examples
    --------
    >>> from fuzzyucs.experiment.properties import print_hyperparameters
    >>> grid = print_hyperparameters()
    >>> [cell.text for cell in grid.rows[0].cells]
    ['N', 'population_size', '2000', '2000', '2000', '2000']
    """
    defaults = (UCSClassifier().get_params(), FuzzyUCSClassifier().get_params())
    rows = []
    for description, symbol, name, *stated in HYPERPARAMETERS:
        ours = [params.get(name) for params in defaults]
        cells = [Cell(symbol), Cell(name), *(Cell(_setting(value)) for value in stated)]
        cells += [
            Cell(_setting(value), far=value != other)
            for value, other in zip(ours, stated, strict=True)
        ]
        rows.append(Row(description, cells))
    systems = ["UCS", "Fuzzy-UCS"]
    groups = [("", ["symbol", "parameter"]), (ARTICLE, systems), ("our defaults", systems)]
    return Grid("Table 2: Hyperparameters", "description", groups, rows)


def _setting(value: Any) -> str:
    if value is None:
        return "-"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value:g}"


PROPERTIES: dict[int, Callable[[str | None, list[str] | None], Grid]] = {
    1: lambda data_dir, datasets: print_datasets(1, data_dir, datasets),
    2: lambda *_: print_hyperparameters(),
    11: lambda data_dir, datasets: print_datasets(11, data_dir, datasets),
    14: lambda data_dir, datasets: print_datasets(14, data_dir, datasets),
}
"""The tables by their numbers in the article."""
