"""Small models with all that a model file can hold, and what they must answer after reading."""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_iris

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier


def table(n_features=4, step=2):
    """Return a frame with missing values and a nominal feature, new rows, and labels."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.iloc[::step, :n_features].reset_index(drop=True)
    y = np.array(["setosa", "versicolor", "virgínica"])[y.iloc[::step]]
    X["petals"] = np.arange(len(X)) % 3 + 4.0
    X.iloc[::13, 1] = np.nan
    other = X.iloc[::4].reset_index(drop=True) * 1.07
    other.iloc[::5, 0] = np.nan
    return X, other, y


SMALL = {"epochs": 2, "population_size": 50, "random_state": 3}
ESTIMATORS = {
    "fuzzy": FuzzyUCSClassifier(**SMALL),
    "fuzzy with everything": FuzzyUCSClassifier(
        support="auto",
        missing="belief",
        calibrate=True,
        nominal_features=["petals"],
        partition={"petals": "uniform", 0: [4.5, 6, 7.5], 1: {"small": 2, "large": 4}},
        **SMALL,
    ),
    "vote": FuzzyUCSClassifier(inference="vote", n_terms=[2, 3, 4, 5, 32], **SMALL),
    "winner": FuzzyUCSClassifier(inference="swin", partition="quantile", **SMALL),
    "weighted": FuzzyUCSClassifier(inference="weighted", missing="belief", **SMALL),
    "compact": FuzzyUCSClassifier(inference="weighted", compact=True, **SMALL),
    "ucs": UCSClassifier(**SMALL),
    "ucs with support": UCSClassifier(support="auto", **SMALL),
    "evidential": EvidentialRuleClassifier(random_state=3),
    "evidential with little": EvidentialRuleClassifier(
        random_state=3,
        support=None,
        missing="mean",
        base_rates={"setosa": 0.5, "versicolor": 0.5, "virgínica": 0},
        class_weight={"setosa": 2.5, "versicolor": 1, "virgínica": 1},
    ),
    "fused": EvidentialRuleClassifier(
        random_state=3, n_models=2, penalty=4, max_rules=5, base_rates=[0.2, 0.3, 0.5]
    ),
}


def fitted_models():
    """Fit a clone of each estimator; tests that change a model copy it first."""
    X, _, y = table()
    return {name: clone(clf).fit(X, y) for name, clf in ESTIMATORS.items()}


def assert_same_answers(clf, other, X):
    for method in ("predict", "predict_proba", "membership", "predict_set"):
        ours, theirs = getattr(clf, method)(X), getattr(other, method)(X)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    for combination in ("dempster", "average"):
        ours, theirs = (c.predict_evidence(X, combination=combination) for c in (clf, other))
        for name in ("mass", "ignorance", "log_agreement", "novelty", "posterior", "probability"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        for name in ("base_rates", "contradiction", "n_missing", "verdict", "reason"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for row in range(0, len(X), 5):
        ours, theirs = (str(c.explain(X[row : row + 1])) for c in (clf, other))
        assert ours == theirs
    assert clf.rules_.to_text() == other.rules_.to_text()
    assert clf.rules_.to_json() == other.rules_.to_json()
