"""Tempering: the same decisions with beliefs that can be taken at their word."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from fuzzyucs import FuzzyUCSClassifier, combine
from fuzzyucs.evidence.tempering import Tempering, temper
from fuzzyucs.metrics import calibration_error

RNG = np.random.default_rng(0)


def log_loss(p, y):
    return -np.log(np.maximum(p[np.arange(len(y)), y], 1e-12)).mean()


@pytest.mark.parametrize("temperature", [1.0, 3.0, 80.0])
def test_masses_are_those_of_the_combination_rule(temperature):
    mass = RNG.dirichlet(np.ones(4), size=(20, 6))[:, :, :3]
    commonality = np.append(mass + 1 - mass.sum(axis=2, keepdims=True), 0 * mass[:, :, :1], axis=2)
    commonality[:, :, -1] = 1 - mass.sum(axis=2)
    found = temper(np.log(commonality).sum(axis=1), temperature)
    expected = combine(mass, temperature=temperature)
    assert_allclose(found[0], expected.mass, rtol=1e-9, atol=1e-14)
    assert_allclose(found[1], expected.ignorance, rtol=1e-9)
    assert_allclose(found[2], expected.log_agreement, rtol=1e-9, atol=1e-12)


def test_total_conflict_leaves_everything_open():
    mass, ignorance, log_agreement = temper(np.array([[-np.inf, -np.inf, -np.inf]]), 5.0)
    assert_array_equal(mass, 0)
    assert (ignorance[0], log_agreement[0]) == (1, -np.inf)


def test_repeated_evidence_is_detected():
    """Calibrated log-odds, counted 40 times over, and a few rows with a wrong label."""
    n = 4000
    odds = RNG.normal(0, 1.5, n)
    labels = (RNG.random(n) < 1 / (1 + np.exp(-odds))).astype(int)
    logs = np.column_stack([np.zeros(n), odds, np.full(n, -np.inf)])
    logs[:, :2] -= logs[:, :2].max(axis=1, keepdims=True)
    wrong = RNG.random(n) < 0.1
    labels[wrong] = RNG.integers(2, size=wrong.sum())
    found = Tempering.fit(40 * logs, labels)
    assert found.temperature == pytest.approx(40, rel=0.15)
    assert found.discount == pytest.approx(0.1, abs=0.05)
    # Nothing on a grid is better.
    mass, ignorance, _ = found.apply(40 * logs)
    best = log_loss(mass + ignorance[:, None] / 2, labels)
    for temperature in np.geomspace(1, 1000, 40):
        for discount in np.linspace(0.001, 0.4, 40):
            mass, ignorance, _ = Tempering(temperature, discount).apply(40 * logs)
            assert best <= log_loss(mass + ignorance[:, None] / 2, labels) + 1e-4


@pytest.mark.parametrize(("load", "share"), [(load_wine, 1.0), (load_breast_cancer, 0.7)])
def test_calibration_keeps_every_decision(load, share):
    X, y = load(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, test_size=0.4)
    plain = FuzzyUCSClassifier(epochs=10, random_state=0).fit(train, y_train)
    clf = FuzzyUCSClassifier(epochs=10, random_state=0, calibrate=True).fit(train, y_train)
    assert_array_equal(clf.rules_.conditions, plain.rules_.conditions)
    assert_array_equal(clf.predict(test), plain.predict(test))
    tempered, untempered = clf.predict_proba(test), plain.predict_proba(test)
    assert_array_equal(tempered.argmax(axis=1), untempered.argmax(axis=1))
    assert log_loss(tempered, y_test) < share * log_loss(untempered, y_test)
    assert calibration_error(y_test, tempered) <= calibration_error(y_test, untempered) + 0.01
    assert clf.predict_evidence(test).ignorance.min() >= clf.tempering_.discount > 0
    assert_array_equal(clf.set_params(calibrate=False).predict_proba(test), untempered)


def test_batches_are_calibrated_before_they_are_learned():
    X, y = load_wine(return_X_y=True)
    order = RNG.permutation(len(X))
    X, y = X[order], y[order]
    clf = FuzzyUCSClassifier(random_state=0, calibrate=True)
    clf.partial_fit(X[:80], y[:80], classes=[0, 1, 2])
    first = clf.tempering_
    logs = (
        clf.rules_.experienced(clf.inference_experience)
        .freeze()
        .log_commonalities(clf.rules_.variables.positions(X[80:]))
    )
    clf.partial_fit(X[80:], y[80:])
    assert clf.tempering_ == Tempering.fit(logs, y[80:]) != first
    assert clf.fit(X, y).tempering_ != Tempering.fit(logs, y[80:])


def test_calibration_has_to_be_learned():
    X, y = load_wine(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="only a fit with calibrate=True learns"):
        clf.set_params(calibrate=True).predict_proba(X)
    clf.fit(X, y, callback=lambda report: report.model.predict_evidence(X))
    assert not hasattr(clf.set_params(calibrate=False).fit(X, y), "tempering_")


def test_other_decisions_have_tempered_evidence_too():
    X, y = load_wine(return_X_y=True)
    clf = FuzzyUCSClassifier(epochs=3, random_state=0, calibrate=True, inference="vote").fit(X, y)
    assert clf.predict_evidence(X).ignorance.min() > 0
    clf.set_params(inference="weighted").fit(X, y)
    assert not hasattr(clf, "tempering_")
