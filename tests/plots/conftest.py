"""Data, fitted models and rules of behaviour that all tests of displays share."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from drawing import LABELS, NAMES
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

mpl.use("Agg")

import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def nothing_global_changes():
    """Settings stay, and a figure that was made here is closed again."""
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def bayes(iris):
    return GaussianNB().fit(*iris)


@pytest.fixture(scope="module")
def frame():
    pytest.importorskip("pandas")
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def evidential(frame):
    return EvidentialRuleClassifier(random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def evolved(frame):
    return FuzzyUCSClassifier(epochs=10, random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def crisp(frame):
    return UCSClassifier(epochs=10, random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def mixed():
    """Return data with a nominal, a constant, an unknown and an incomplete feature."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((120, 2)), np.arange(120) % 3, np.full(120, 7.0)])
    X = np.column_stack([X, np.full(120, np.nan)])
    y = (X[:, 0] + X[:, 2] / 2 > 1).astype(int)
    X[::10, 1] = np.nan
    return X, y


@pytest.fixture(scope="module")
def odd(iris):
    """Return a classifier whose features and classes have odd names, and its data."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(iris[0], columns=NAMES)
    y = np.array(LABELS)[iris[1]]
    return EvidentialRuleClassifier(random_state=0, penalty=3.0).fit(X, y), X, y
