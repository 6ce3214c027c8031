"""The flagship's partial_fit: all rows while there is room, then rows that stand for others."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators import reservoir
from large_tables import numbers

ROOM = 500


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr(reservoir, "MOST_ROWS", ROOM)


def fed(X, y, size, **params):
    clf = EvidentialRuleClassifier(**params)
    for first in range(0, len(y), size):
        rows = slice(first, first + size)
        clf.partial_fit(X[rows], y[rows], classes=np.unique(y))
    return clf


@pytest.mark.filterwarnings("ignore:partial_fit keeps")
@pytest.mark.usefixtures("little_room")
def test_what_is_kept_does_not_depend_on_the_batches():
    X, y = numbers(3000)
    models = [fed(X, y, size, support=None) for size in (300, 700, 3000)]
    order = np.random.default_rng(0).permutation(3000)
    models.append(fed(X[order], y[order], 1000, support=None))
    for model in models:
        assert len(model._seen.y) == ROOM
        assert model._seen.n_rows == 3000
        assert_allclose(model.predict_proba(X), models[0].predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:partial_fit keeps")
@pytest.mark.usefixtures("little_room")
def test_base_rates_are_those_of_all_rows():
    X, y = numbers(3000)
    y = np.where(np.random.default_rng(0).random(3000) < 0.7, 0, y)
    clf = fed(X, y, 400)
    assert clf.base_rates_ == pytest.approx(np.bincount(y) / 3000, abs=1e-12)
    kept = np.bincount(clf._seen.y) / ROOM
    assert abs(kept - clf.base_rates_).max() > 1e-4  # rows alone would say something else


@pytest.mark.usefixtures("little_room")
def test_it_says_once_what_it_gives_up():
    X, y = numbers(1000)
    clf = EvidentialRuleClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.partial_fit(X[:500], y[:500], classes=[0, 1])
    with pytest.warns(UserWarning, match="keeps 500 of the 700 rows that it has seen"):
        clf.partial_fit(X[500:700], y[500:700])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.partial_fit(X[700:], y[700:])
    assert clf._seen.n_rows == 1000


def test_with_room_it_is_a_fit_to_all_rows():
    X, y = numbers(900)
    one, many = EvidentialRuleClassifier().fit(X, y), fed(X, y, 250)
    assert_array_equal(many.predict_proba(X), one.predict_proba(X))
    assert many._seen.class_weight is None


@pytest.mark.usefixtures("little_room")
def test_after_a_fit_it_goes_on_with_rows_that_stand_for_all():
    X, y = numbers(3000)
    clf = EvidentialRuleClassifier().fit(X[:2000], y[:2000])
    with pytest.warns(UserWarning, match="keeps 500 of the 3,000"):
        clf.partial_fit(X[2000:], y[2000:])
    assert clf.score(X, y) > 0.7
