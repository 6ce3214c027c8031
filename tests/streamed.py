"""A small stream, and what models that learn it in chunks must have in common."""

import numpy as np
from numpy.testing import assert_array_equal

import fuzzyucs
from fuzzyucs.rules.rule_set import EvolvedRuleSet

SMALL = {"population_size": 150, "ga_interval": 10, "subsumption_experience": 20, "random_state": 0}
UNIT = {"ranges": [(0, 1)] * 3}


def make_stream(n_rows=600, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    y = np.minimum((X[:, 0] * n_classes).astype(int), n_classes - 1)
    noisy = rng.random(n_rows) < 0.1
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    X[rng.random(X.shape) < 0.02] = np.nan
    return X, y


X, Y = make_stream()


def assert_same_models(one, other):
    assert_array_equal(one.classes_, other.classes_)
    for name in EvolvedRuleSet.array_names():
        assert_array_equal(getattr(one.rules_, name), getattr(other.rules_, name), err_msg=name)
    for name in ("minimum", "maximum"):
        ours, theirs = (getattr(clf.rules_.variables, name) for clf in (one, other))
        assert_array_equal(ours, theirs)
    assert one.learner_state_ == other.learner_state_


def learn(clf, X, y, ends, between=lambda clf: clf, **first):
    """Learn chunks that end at some rows."""
    start = 0
    for end in [*ends, len(y)]:
        if end > start:
            clf.partial_fit(X[start:end], y[start:end], **first)
            clf, start, first = between(clf), end, {}
    return clf


def reloaded(path):
    def reload(clf):
        clf.save(path)
        return fuzzyucs.load(path)

    return reload


class BrokenBar:
    def __init__(self, detailed):
        pass

    def __call__(self, _):
        raise BrokenPipeError("nobody looks")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
