"""Threads that train, ask and change models at the same time get what one after the other gets.

``make sanitize-threads`` runs these tests under the thread sanitizer, which reports every race of
the native code, whether it did harm or not.
"""

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier, _core

SMALL = {"epochs": 1, "population_size": 60, "random_state": 0}
MODELS = {
    "fuzzy": FuzzyUCSClassifier(missing="belief", **SMALL),
    "ucs": UCSClassifier(**SMALL),
    "evidential": EvidentialRuleClassifier(n_jobs=2, max_rules=4, random_state=0),
}


def table(n=700):
    """Return rows with gaps."""
    rng = np.random.default_rng(5)
    X = rng.random((n, 4))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.7)).astype(int)
    X[rng.random(X.shape) < 0.03] = np.nan
    return X, y


def at_once(*works):
    """Do works in threads that begin together; return what they return, in the same order."""
    barrier = threading.Barrier(len(works))
    found = [None] * len(works)

    def run(i):
        barrier.wait()
        try:
            found[i] = works[i]()
        except Exception as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in found:
        if isinstance(result, Exception):
            raise result
    return found


def everything(clf, X):
    """Return all that a model says of rows."""
    evidence = clf.predict_evidence(X)
    return np.column_stack([evidence.mass, evidence.ignorance, clf.predict_proba(X)])


@pytest.mark.parametrize("name", MODELS)
def test_one_model_answers_several_threads(name):
    X, y = table()
    clf = clone(MODELS[name]).fit(X, y)
    expected = everything(clf, X)
    for found in at_once(*[lambda: everything(clf, X)] * 3):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("name", MODELS)
def test_models_are_trained_at_once_from_the_same_rows(name):
    X, y = table()
    expected = everything(clone(MODELS[name]).fit(X, y), X)
    for found in at_once(*[lambda: everything(clone(MODELS[name]).fit(X, y), X)] * 2):
        assert_array_equal(found, expected)


def test_a_model_answers_while_copies_of_it_go_on_learning():
    X, y = table()
    clf = clone(MODELS["fuzzy"]).fit(X, y)
    expected = everything(clf, X)

    def learned():
        return everything(clone(clf).fit(X[:300], y[:300]).partial_fit(X[300:], y[300:]), X)

    alone = learned()
    asked, first, second = at_once(lambda: everything(clf, X), learned, learned)
    assert_array_equal(asked, expected)
    assert_array_equal(first, alone)
    assert_array_equal(second, alone)


def test_prediction_is_shared_among_threads():
    # A block of rows is a piece of work: there have to be several.
    X, y = table()
    clf = clone(MODELS["evidential"]).fit(X, y)
    many = np.tile(X, (60, 1))
    shared = everything(clf, many)
    assert_array_equal(shared, everything(clf.set_params(n_jobs=1), many))


def test_workers_of_growths_that_live_at_once_do_not_meet():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (6, 40_000)).astype(np.uint8)
    y = ((codes[0] > 2) ^ (codes[1] > 1)).astype(np.uint32)

    def grown(n_threads):
        growth = _core.RuleGrowth(
            codes,
            np.full(6, 5, np.uint32),
            np.zeros(6, bool),
            np.ones(6, np.uint32),
            y,
            np.ones(len(y)),
            2,
            _core.GrowthSettings(),
            np.full(30, 0.2),
            n_threads,
        )
        growth.set_penalty(5.0)
        growth.grow(3)
        growth.settle(1e-3, 3, 1.0)
        return np.concatenate([part.ravel() for part in growth.rules()])

    expected = grown(1)
    assert len(expected) > 0
    for found in at_once(lambda: grown(2), lambda: grown(3)):
        assert_array_equal(found, expected)
