"""Data sets: the article's artificial problems, its CSV format, and embedded tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.utils import Bunch, check_random_state

__all__ = [
    "ARTICLE_FILES",
    "load_article",
    "load_csv",
    "load_embedded",
    "make_carry",
    "make_clouds",
    "make_grid",
    "make_majority",
    "make_multiplexer",
]

Table = tuple[NDArray[np.float64], NDArray[np.int64]]
Seed = int | np.random.RandomState | None

ARTICLE_FILES = {
    "bnk": "banknote.csv",
    "can": "cancer.csv",
    "car": "car.csv",
    "col": "column_3C_weka.csv",
    "dbt": "diabetes.csv",
    "ecl": "ecoli.csv",
    "frt": "fruit.csv",
    "gls": "glass.csv",
    "hrt": "heart.csv",
    "hpt": "hepatitis.csv",
    "hcl": "horse-colic.csv",
    "irs": "iris.csv",
    "lnd": "mine.csv",
    "mam": "mammographic_masses.csv",
    "pdy": "Paddy-Leaf.csv",
    "pis": "pistachio.csv",
    "pha": "pharyngitis.csv",
    "pre": "engagement.csv",
    "pmp": "pumpkin.csv",
    "rsn": "raisin.csv",
    "seg": "segment.csv",
    "sir": "sirtuin.csv",
    "smk": "smoker.csv",
    "tae": "tae.csv",
    "tip": "travel.csv",
    "tit": "titanic.csv",
    "wne": "wine.csv",
    "wbc": "breast-cancer-wisconsin.csv",
    "wpb": "wpbc.csv",
    "yst": "yeast.csv",
    "carry": "12carry.csv",
    "maj": "11mop.csv",
    "mux": "11mux.csv",
    "con": "sonar.csv",
    "lib": "movement_libras.csv",
    "mcd": "myocardial_infarction.csv",
    "phi": "phishing.csv",
}
"""File of each data set of the article, by its identifier there (``carry`` is the article's second
``car``: its 12-bit carry problem)."""


def make_multiplexer(
    n_samples: int = 6000, *, n_address_bits: int = 3, random_state: Seed = None
) -> Table:
    """Draw the real-valued multiplexer problem.

    A value of 0.5 or more is a 1. The first bits form an address, and the bit at that address
    among the rest is the class.

    Parameters
    ----------
    n_samples : int, default=6000
        Number of rows.
    n_address_bits : int, default=3
        Number k of address bits; there are k + 2**k features. 3 gives the article's 11.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Uniform values in [0, 1).
    y : ndarray of shape (n_samples,)
        Classes 0 and 1.

    Examples
    --------
    >>> from fuzzyucs.datasets import make_multiplexer
    >>> X, y = make_multiplexer(100, random_state=0)
    >>> X.shape
    (100, 11)
    """
    _check_at_least("n_address_bits", n_address_bits, 1)
    X, bits = _random_bits(n_samples, n_address_bits + 2**n_address_bits, random_state)
    address = _as_number(bits[:, :n_address_bits])
    return X, bits[np.arange(n_samples), n_address_bits + address]


def make_majority(n_samples: int = 6000, *, n_bits: int = 11, random_state: Seed = None) -> Table:
    """Draw the real-valued majority-on problem: the class is 1 if most bits are 1.

    Parameters
    ----------
    n_samples : int, default=6000
        Number of rows.
    n_bits : int, default=11
        Number of features; a value of 0.5 or more is a 1.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_bits)
        Uniform values in [0, 1).
    y : ndarray of shape (n_samples,)
        Classes 0 and 1. A tie, possible if the number of bits is even, is class 0.

    Examples
    --------
    >>> from fuzzyucs.datasets import make_majority
    >>> X, y = make_majority(4, n_bits=3, random_state=0)
    >>> ((X >= 0.5).sum(axis=1) >= 2) == y
    array([ True,  True,  True,  True])
    """
    _check_at_least("n_bits", n_bits, 1)
    X, bits = _random_bits(n_samples, n_bits, random_state)
    return X, (2 * bits.sum(axis=1) > n_bits).astype(np.int64)


def make_carry(n_samples: int = 6000, *, n_bits: int = 12, random_state: Seed = None) -> Table:
    """Draw the real-valued carry problem: the class is whether the sum of two numbers overflows.

    Parameters
    ----------
    n_samples : int, default=6000
        Number of rows.
    n_bits : int, default=12
        Number of features, half of them for each number, highest bit first; a value of 0.5 or more
        is a 1.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_bits)
        Uniform values in [0, 1).
    y : ndarray of shape (n_samples,)
        1 if there is a carry, else 0.

    Examples
    --------
    >>> from fuzzyucs.datasets import make_carry
    >>> X, y = make_carry(100, random_state=0)
    >>> X.shape
    (100, 12)
    """
    if n_bits < 2 or n_bits % 2:
        raise ValueError(f"n_bits must be an even number of at least 2, got {n_bits!r}")
    X, bits = _random_bits(n_samples, n_bits, random_state)
    half = n_bits // 2
    total = _as_number(bits[:, :half]) + _as_number(bits[:, half:])
    return X, (total >= 2**half).astype(np.int64)


def make_clouds(
    n_samples: int = 600, *, separation: float = 1.5, random_state: Seed = None
) -> Table:
    """Draw two oblong clouds that overlap a little, a problem like that of the article's Figure 4.

    The article describes 600 points of two balanced classes, drawn by scikit-learn, with some noisy
    points and a curved boundary, on which the three inference schemes reach a training accuracy of
    97 to 98 %, and UCS 94.65 %. It does not name the generator: this one is our choice, with a
    separation that leads to about the same accuracies of the three schemes. UCS reaches 82.2 %.

    Parameters
    ----------
    n_samples : int, default=600
        Number of rows.
    separation : float, default=1.5
        Distance of the clouds.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points in the unit square.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1.

    Examples
    --------
    >>> from fuzzyucs.datasets import make_clouds
    >>> X, y = make_clouds(random_state=0)
    >>> X.shape, float(y.mean()), float(X.min()), float(X.max())
    ((600, 2), 0.5, 0.0, 1.0)
    """
    _check_at_least("n_samples", n_samples, 2)
    X, y = make_classification(
        n_samples,
        n_features=2,
        n_informative=2,
        n_redundant=0,
        n_clusters_per_class=1,
        class_sep=separation,
        flip_y=0,
        random_state=_random_state(random_state),
    )
    return np.clip((X - X.min(axis=0)) / np.ptp(X, axis=0), 0.0, 1.0), y.astype(np.int64)


def make_grid() -> Table:
    """Return 25 points in the unit square, the problem of the article's Figures 5 and 6.

    Thirteen points of class 0 to the left and twelve of class 1 to the right meet on the line
    x1 = 0.5, where three points of class 0 and two of class 1 alternate. The points are symmetric
    to x2 = 0.5 and leave x2 < 0.25 and x2 > 0.75 empty. The article describes this much; the exact
    coordinates are ours. Its linguistic variables span the unit square, not the range of the data.

    Returns
    -------
    X : ndarray of shape (25, 2)
        Coordinates x1 and x2.
    y : ndarray of shape (25,)
        Classes 0 and 1.

    Examples
    --------
    >>> from fuzzyucs.datasets import make_grid
    >>> X, y = make_grid()
    >>> int((y == 0).sum()), y[X[:, 0] == 0.5]
    (13, array([0, 1, 0, 1, 0]))
    """
    x1, x2 = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0.25, 0.75, 5), indexing="ij")
    X = np.column_stack([x1.ravel(), x2.ravel()])
    y = (X[:, 0] > 0.5).astype(np.int64)
    y[X[:, 0] == 0.5] = [0, 1, 0, 1, 0]
    return X, y


def load_csv(path: str | os.PathLike[str]) -> Table:
    r"""Read a table in the article's CSV format.

    Parameters
    ----------
    path : path
        A file without header. The last column is the class, an integer from 0; ``?`` is a missing
        value.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features, NaN where a value is missing.
    y : ndarray of shape (n_samples,)
        Classes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from fuzzyucs.datasets import load_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "toy.csv")
    ...     _ = file.write_text("1,2.5,0\n?,3,1\n")
    ...     load_csv(file)
    (array([[1. , 2.5],
           [nan, 3. ]]), array([0, 1]))
    """
    rows: list[list[float]] = []
    for number, line in enumerate(Path(path).read_text().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = [np.nan if cell.strip() == "?" else float(cell) for cell in line.split(",")]
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: expected numbers or '?': {error}") from None
        if len(row) < 2:
            raise ValueError(f"{path}, line {number}: expected at least one feature and the class")
        if rows and len(row) != len(rows[0]):
            raise ValueError(
                f"{path}, line {number}: {len(row)} columns, but {len(rows[0])} in the first line"
            )
        if not (row[-1] >= 0 and row[-1].is_integer()):
            raise ValueError(
                f"{path}, line {number}: the class must be an integer from 0, got {row[-1]}"
            )
        rows.append(row)
    if not rows:
        raise ValueError(f"{path} holds no data")
    table = np.array(rows)
    return table[:, :-1], table[:, -1].astype(np.int64)


def load_article(name: str, data_dir: str | os.PathLike[str] | None = None) -> Table:
    """Read a data set of the article by its identifier.

    Parameters
    ----------
    name : str
        A key of `ARTICLE_FILES`, e.g. ``"irs"``.
    data_dir : path, optional
        The folder with the files; by default the environment variable ``FUZZYUCS_DATA``.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features, NaN where a value is missing.
    y : ndarray of shape (n_samples,)
        Classes.
    """
    if name not in ARTICLE_FILES:
        raise ValueError(f"name must be one of {sorted(ARTICLE_FILES)}, got {name!r}")
    folder = os.environ.get("FUZZYUCS_DATA") if data_dir is None else data_dir
    if not folder:
        raise ValueError("set data_dir or the environment variable FUZZYUCS_DATA to the folder")
    file = Path(folder) / ARTICLE_FILES[name]
    if not file.is_file():
        raise FileNotFoundError(f"no file {file} for data set {name!r}")
    return load_csv(file)


def load_embedded(name: str, *, as_frame: bool = False) -> Bunch:
    """Load a real table that needs no download.

    Parameters
    ----------
    name : {"iris", "wine", "breast_cancer"}
        One of the tables that ship with scikit-learn.
    as_frame : bool, default=False
        Whether ``data`` is a pandas DataFrame, so that rules contain the names of the features.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``.

    Examples
    --------
    >>> from fuzzyucs.datasets import load_embedded
    >>> load_embedded("wine").data.shape
    (178, 13)
    """
    loaders: dict[str, Any] = {
        "iris": load_iris,
        "wine": load_wine,
        "breast_cancer": load_breast_cancer,
    }
    if name not in loaders:
        raise ValueError(f"name must be one of {sorted(loaders)}, got {name!r}")
    return loaders[name](as_frame=as_frame)


def _random_bits(
    n_samples: int, n_bits: int, random_state: Seed
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    _check_at_least("n_samples", n_samples, 1)
    X = _random_state(random_state).random_sample((n_samples, n_bits))
    return X, (X >= 0.5).astype(np.int64)


def _random_state(random_state: Seed) -> np.random.RandomState:
    """Like scikit-learn's check, but None means fresh entropy, not NumPy's global state."""
    if random_state is None:
        return np.random.RandomState()
    state: np.random.RandomState = check_random_state(random_state)
    return state


def _as_number(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Read each row as a binary number, highest bit first."""
    powers = 2 ** np.arange(bits.shape[1], dtype=np.int64)[::-1]
    number: NDArray[np.int64] = bits @ powers
    return number


def _check_at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}")
