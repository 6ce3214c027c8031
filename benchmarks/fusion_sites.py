"""Tables cut into sites, and the models that sites and all of them together would have."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# One thread each, whatever the library; must be set before they are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.experiment.data import load

__all__ = ["LACKING", "MOST_ROWS", "SCENARIOS", "SHARES", "Cut", "cut", "model_of"]

N_SITES = 5
MOST_ROWS = 2000  # of a table, so that all of it takes an hour
LACKING = 0.3  # of the features of a site
SHARES = {
    "balanced": (0.2, 0.2, 0.2, 0.2, 0.2),
    "unbalanced": (0.5, 0.25, 0.12, 0.08, 0.05),
    "features missing": (0.2, 0.2, 0.2, 0.2, 0.2),
}
SCENARIOS = tuple(SHARES)
TEST, HELD_OUT = 0.25, 0.15

Array = NDArray[Any]


@dataclass(frozen=True)
class Cut:
    """One table in parts: rows to test on, rows held out, and the rows and columns of each site."""

    X: pd.DataFrame
    y: Array
    test: Array
    held_out: Array
    rows: list[Array]
    columns: list[list[str]]

    @property
    def pooled(self) -> Array:
        """The rows of all sites."""
        return np.sort(np.concatenate(self.rows))


def cut(dataset: str, number: int, scenario: str, folder: str) -> Cut:
    """Cut a table of the article; every class is dealt out in the same shares."""
    X, y = load(dataset, folder)
    rng = np.random.default_rng([number, *dataset.encode()])
    some = np.sort(rng.permutation(len(y))[:MOST_ROWS])
    frame = pd.DataFrame(X[some], columns=[f"x{i}" for i in range(X.shape[1])])
    y = y[some]
    shares = [TEST, HELD_OUT, *(s * (1 - TEST - HELD_OUT) for s in SHARES[scenario])]
    # Where in (0, 1) each row lies among those of its class.
    place = np.empty(len(y))
    for label in np.unique(y):
        own = rng.permutation(np.flatnonzero(y == label))
        place[own] = (np.arange(len(own)) + rng.random()) / len(own)
    part = np.searchsorted(np.cumsum(shares)[:-1], place, side="right")
    rows = [np.flatnonzero(part == 2 + site) for site in range(N_SITES)]
    columns = [list(frame.columns)] * N_SITES
    if scenario == "features missing":
        columns = _some_columns(list(frame.columns), rng)
    return Cut(frame, y, np.flatnonzero(part == 0), np.flatnonzero(part == 1), rows, columns)


def _some_columns(names: list[str], rng: np.random.Generator) -> list[list[str]]:
    """Leave some columns out at each site, none at all of them."""
    n_lacking = min(max(1, round(LACKING * len(names))), len(names) - 1)
    while True:
        lacking = [set(rng.permutation(len(names))[:n_lacking].tolist()) for _ in range(N_SITES)]
        if not set.intersection(*lacking):
            return [[n for i, n in enumerate(names) if i not in absent] for absent in lacking]


def model_of(file: Path, found: Cut, rows: Array, columns: list[str]) -> Any:
    """Return the model of some rows and columns, which is kept in a file."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Names all classes, also those of which a site has no rows.
            clf = EvidentialRuleClassifier(random_state=0).partial_fit(
                found.X.iloc[rows][columns], found.y[rows], classes=np.unique(found.y)
            )
        clf.save(file)
    return fuzzyucs.load(file)
