"""Rows are presented as often as their weights say; what follows training counts them likewise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from fuzzyucs import FuzzyUCSClassifier
from fuzzyucs.estimators.presenting import TrainingRows, draw_counts, relative_weight
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.evidence.weighting import choose_penalty

X, Y = load_iris(return_X_y=True)
UNEVEN = np.random.default_rng(7).uniform(0.2, 4.0, len(Y))


class Spy:
    """Stands for a learner and notes which rows it is shown."""

    def __init__(self, state=(1, 2, 3, 4)):
        self.rng_state = list(state)
        self.shown = []

    def train_epoch(self, positions, labels):
        assert positions.flags.c_contiguous
        assert_array_equal(positions[:, 0], labels)
        self.shown.append(np.bincount(labels, minlength=1))


def rows_of(weight):
    n = len(weight)
    return TrainingRows(np.arange(n, dtype=float)[:, None], np.arange(n, dtype=np.uint32), weight)


def presentations(weight, epochs):
    """Count how often rows are presented in each epoch."""
    spy = Spy()
    for _ in range(epochs):
        rows_of(weight).present_to(spy)
    return np.array([np.pad(shown, (0, len(weight) - len(shown))) for shown in spy.shown])


# How often rows are drawn


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_weights_rounded_down_or_up_and_sum_to_their_sum(seed):
    rng = np.random.default_rng(seed)
    weight = rng.exponential(1.5, 1 + seed * 3) * rng.integers(0, 2, 1 + seed * 3)
    counts = draw_counts(weight, rng)
    assert (counts >= np.floor(weight)).all()
    assert (counts <= np.ceil(weight)).all()
    assert abs(counts.sum() - weight.sum()) < 1


def test_rows_are_presented_as_often_as_their_weights_say_on_average():
    weight = np.array([0.1, 0.5, 1.0, 1.25, 2.9, 0.25])
    counts = presentations(weight, 4000)
    assert_allclose(counts.mean(axis=0), weight, atol=0.05)
    assert (counts[:, 2] == 1).all()


def test_neighbours_do_not_exclude_each_other():
    counts = presentations(np.full(40, 0.5), 400)
    assert (counts.sum(axis=1) == 20).all()
    together = (counts[:, :-1] & counts[:, 1:]).mean()
    assert together == pytest.approx(0.5 * 19 / 39, abs=0.02)  # as if 20 of 40 were drawn


def test_fractions_are_drawn_anew_in_every_epoch():
    counts = presentations(np.full(30, 0.5), 10)
    assert len({tuple(row) for row in counts.tolist()}) == 10


def test_a_batch_of_which_nothing_is_drawn_does_not_stop_later_ones():
    counts = presentations(np.array([0.05]), 1000)
    assert 20 < counts.sum() < 90


def test_tiny_and_great_weights_are_relative_to_their_mean():
    for factor in (1e-300, 1.0, 1e8):
        assert_allclose(relative_weight(factor * np.array([1.0, 3.0])), [0.5, 1.5])
    assert relative_weight(np.full(3, 0.1)) is None
    assert relative_weight(None) is None


# What follows the evolution of rules


def test_tempering_goes_by_the_weighted_likelihood():
    rng = np.random.default_rng(0)
    logs = np.log(rng.dirichlet([1, 1, 0.1], 300))
    logs[:, -1] = logs[:, :-1].min(axis=1) - 1
    labels = rng.integers(0, 2, 300)
    times = rng.integers(1, 4, 300)
    weighted = Tempering.fit(logs, labels, times.astype(float))
    repeated = Tempering.fit(np.repeat(logs, times, axis=0), np.repeat(labels, times))
    assert weighted.temperature == pytest.approx(repeated.temperature, rel=0.01)
    assert weighted.discount == pytest.approx(repeated.discount, abs=0.01)
    plain = Tempering.fit(logs, labels)
    assert Tempering.fit(logs, labels, np.full(300, 2.0)).temperature == pytest.approx(
        plain.temperature, rel=1e-3
    )


def test_calibration_listens_to_weights():
    """Where the wrong labels weigh more, beliefs must be weaker."""
    rng = np.random.default_rng(1)
    table = rng.random((400, 2))
    truth = (table[:, 0] > 0.5).astype(int)
    y = np.where(rng.random(400) < 0.15, 1 - truth, truth)
    clf = FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=True)
    belief = {}
    for weight in (0.5, 3.0):
        clf.fit(table, y, np.where(y != truth, weight, 1.0))
        belief[weight] = clf.predict_evidence(table).mass.max(axis=1).mean()
    assert belief[3.0] < belief[0.5] - 0.1


def test_rules_that_calibrate_see_weights_too(monkeypatch):
    shown = []

    class Noting:
        def __init__(self, learner):
            self.__dict__["learner"] = learner

        def train_epoch(self, positions, labels):
            shown.append(np.bincount(labels))
            self.learner.train_epoch(positions, labels)

        def __getattr__(self, name):
            return getattr(self.learner, name)

        def __setattr__(self, name, value):
            setattr(self.learner, name, value)

    make = FuzzyUCSClassifier._new_learner
    monkeypatch.setattr(FuzzyUCSClassifier, "_new_learner", lambda *a: Noting(make(*a)))
    clf = FuzzyUCSClassifier(epochs=4, random_state=0, calibrate=True)
    clf.fit(X, Y, np.where(Y == 0, 3.0, 1.0))
    assert len(shown) == 5 * 4  # with all data, and without each of four parts
    assert all(seen[0] / seen.sum() == pytest.approx(3 / 5, abs=0.1) for seen in shown)


def test_a_batch_with_weights_is_looked_at_before_it_is_learned():
    clf = FuzzyUCSClassifier(random_state=0, calibrate=True, inference_experience=3)
    clf.partial_fit(X[::2], Y[::2], classes=[0, 1, 2])
    rows, y, weight = X[1::2], np.roll(Y[1::2], 5), UNEVEN[1::2]
    logs = (
        clf.rules_.experienced(3)
        .freeze()
        .log_commonalities(np.ascontiguousarray(clf.rules_.variables.positions(rows)))
    )
    clf.partial_fit(rows, y, sample_weight=weight)
    assert clf.tempering_ == Tempering.fit(logs, y, weight) != Tempering.fit(logs, y)


def test_evidence_weights_count_rows_with_their_weights():
    clf = FuzzyUCSClassifier(epochs=10, random_state=0, inference="weighted")
    clf.fit(X, Y, UNEVEN)
    share = UNEVEN / UNEVEN.mean()
    degrees = clf.weighted_rules_.freeze().membership(clf.rules_.variables.positions(X))
    for label in range(3):
        own = np.equal(Y, label)
        expected = (degrees[own] * share[own, None]).sum(axis=0)
        assert_allclose(clf.weighted_rules_.class_experience[:, label], expected, rtol=1e-9)
    rules = clf.weighted_rules_
    against = (rules.experience[:, None] - rules.class_experience) / (rules.experience + 2)[:, None]
    shift = np.log(1 - degrees[:, :, None] * against)
    carried = rules.strength * (share @ (shift.max(axis=2) - shift.min(axis=2)))
    assert_allclose(rules.evidence, carried, rtol=1e-6)


def test_the_penalty_is_chosen_with_weights(monkeypatch):
    used = []

    def choose(*data, sample_weight, seed):
        used.append(sample_weight)
        return choose_penalty(*data, sample_weight=sample_weight, seed=seed)

    monkeypatch.setattr("fuzzyucs.estimators.concluding.choose_penalty", choose)
    clf = FuzzyUCSClassifier(epochs=4, random_state=0, inference="weighted")
    clf.fit(X, Y, UNEVEN)
    assert_allclose(used[0], UNEVEN / UNEVEN.mean())
    clf.partial_fit(X, Y, sample_weight=UNEVEN)
    assert_array_equal(used[1], UNEVEN)
