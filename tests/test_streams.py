"""Learning from streams: batches of any size, ranges that move, new classes, forgetting."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from streamed import SMALL, UNIT, BrokenBar, X, Y, assert_same_models, learn, reloaded


@pytest.fixture(params=[FuzzyUCSClassifier, UCSClassifier], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


# Chunks


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(ends=st.lists(st.integers(1, len(Y)), max_size=8).map(sorted))
def test_any_chunks_equal_one_fit(kind, ends):
    whole = kind(**SMALL, **UNIT, epochs=1, shuffle=False).fit(X, Y)
    parts = learn(kind(**SMALL, **UNIT), X, Y, ends, classes=[0, 1, 2])
    assert_same_models(whole, parts)


def test_single_rows_equal_one_fit(kind):
    whole = kind(**SMALL, **UNIT, epochs=1, shuffle=False).fit(X, Y)
    parts = learn(kind(**SMALL, **UNIT), X, Y, range(1, len(Y)), classes=[0, 1, 2])
    assert_same_models(whole, parts)


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy", "file"])
def test_stored_models_go_on_as_if_they_had_never_stopped(kind, way, tmp_path):
    ways = {
        "pickle": lambda clf: pickle.loads(pickle.dumps(clf)),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "file": reloaded(tmp_path / "model.json"),
    }
    whole = learn(kind(**SMALL, **UNIT), X, Y, [], classes=[0, 1, 2])
    parts = learn(kind(**SMALL, **UNIT), X, Y, [200, 210, 400], ways[way], classes=[0, 1, 2])
    assert_same_models(whole, parts)


def test_a_copy_and_its_original_go_their_own_ways(kind):
    clf = kind(**SMALL, **UNIT).partial_fit(X[:300], Y[:300], classes=[0, 1, 2])
    other = copy.copy(clf)
    other.partial_fit(X[:50], Y[:50])
    assert_same_models(
        clf.partial_fit(X[300:], Y[300:]),
        learn(kind(**SMALL, **UNIT), X, Y, [], classes=[0, 1, 2]),
    )


def test_whole_weights_do_not_depend_on_chunks(kind):
    weight = np.random.default_rng(1).integers(0, 3, len(Y)).astype(float)
    weight[:3] = 1

    def learn_weighted(ends):
        clf, start = kind(**SMALL, **UNIT), 0
        for end in [*ends, len(Y)]:
            rows = slice(start, end)
            clf.partial_fit(X[rows], Y[rows], [0, 1, 2], sample_weight=weight[rows])
            start = end
        return clf

    assert_same_models(learn_weighted([]), learn_weighted([100, 250, 251]))


def test_rows_are_presented_in_the_order_given(kind):
    order = np.random.default_rng(3).permutation(len(Y))
    one = kind(**SMALL, **UNIT, epochs=2, shuffle=False).fit(X, Y)
    other = kind(**SMALL, **UNIT, epochs=2, shuffle=False).fit(X[order], Y[order])
    twice = learn(
        kind(**SMALL, **UNIT), *(np.concatenate([a, a]) for a in (X, Y)), [], classes=[0, 1, 2]
    )
    assert_same_models(one, twice)
    assert one.learner_state_ != other.learner_state_


# The live learner


def test_rules_are_exported_once_for_each_state(kind):
    clf = kind(**SMALL).partial_fit(X, Y, classes=[0, 1, 2])
    before = dict(vars(clf))
    first = clf.rules_
    clf.predict_proba(X)
    assert clf.rules_ is first
    assert vars(clf) == before
    clf.partial_fit(X[:5], Y[:5])
    assert clf.rules_ is not first
    assert clf.rules_.experience.max() > first.experience.max()


def test_changed_parameters_take_effect_at_once(kind):
    clf = kind(**SMALL, **UNIT).partial_fit(X[:300], Y[:300], classes=[0, 1, 2])
    restored = pickle.loads(pickle.dumps(clf))
    same = pickle.loads(pickle.dumps(clf)).partial_fit(X[300:], Y[300:])
    for model in (clf, restored):
        model.set_params(ga_interval=0, mutation_rate=0.5).partial_fit(X[300:], Y[300:])
    assert_same_models(clf, restored)
    assert clf.learner_state_ != same.learner_state_


def test_rules_set_by_hand_are_gone_on_with(kind):
    clf = kind(**SMALL, **UNIT).partial_fit(X, Y, classes=[0, 1, 2])
    few = clf.rules_.sort("experience")[:10]
    edited = copy.copy(clf)
    edited.rules_ = few
    assert edited.rules_ is few
    assert edited.learner_state_.time == 600
    assert edited.partial_fit(X[:1], Y[:1]).rules_.experience.sum() < 2 * few.experience.sum()


def test_a_batch_that_fails_leaves_no_trace(kind, monkeypatch):
    clf = kind(**SMALL, **UNIT).partial_fit(X[:300], Y[:300], classes=[0, 1, 2])
    before = dict(vars(clf))
    for rows, labels, message in [
        (X[300:310], [0] * 9 + [7], "labels that are not in classes"),
        (X[300:310, :2], Y[300:310], "2 features, but"),
        (np.full((1, 3), np.inf), [0], "infinity"),
        (X[300:310], Y[300:309], "inconsistent numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            clf.partial_fit(rows, np.array(labels))
        assert vars(clf) == before
    monkeypatch.setattr("fuzzyucs.estimators.online.ProgressBar", BrokenBar)
    with pytest.raises(BrokenPipeError):  # after the learner has seen the batch
        clf.set_params(verbose=1).partial_fit(X[300:], Y[300:])
    clf.set_params(verbose=0).partial_fit(X[300:], Y[300:])
    assert_same_models(clf, learn(kind(**SMALL, **UNIT), X, Y, [], classes=[0, 1, 2]))


INTERRUPTED = """
import signal, threading
import numpy as np
from fuzzyucs import {kind}

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.random((400_000, 8)), rng.integers(0, 5, 400_000)
make = lambda: {kind}(random_state=0, ranges=[(0, 1)] * 8)
clf = make().partial_fit(X[:500], y[:500], classes=range(5))
before, live = clf.rules_, clf._live
threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
try:
    while True:
        clf.partial_fit(X, y)
        clf = make().partial_fit(X[:500], y[:500], classes=range(5))
        before, live = clf.rules_, clf._live
except KeyboardInterrupt:
    clf.partial_fit(X[500:600], y[500:600])
    other = make().partial_fit(X[:600], y[:600], classes=range(5))
    assert (clf.rules_.experience == other.rules_.experience).all()
    assert clf.learner_state_ == other.learner_state_
    print("as before")
"""


def test_ctrl_c_amid_a_batch_leaves_the_learner_as_it_was(kind):
    script = INTERRUPTED.format(kind=kind.__name__)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "as before\n", done.stdout + done.stderr


def test_data_frames_with_categories_stream():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0.5, "u", "v")})
    clf = FuzzyUCSClassifier(**SMALL, ranges={"a": (0, 1)})
    parts = learn(clf, frame, Y, [100, 101, 300], classes=[0, 1, 2])
    whole = FuzzyUCSClassifier(**SMALL, ranges={"a": (0, 1)}, epochs=1, shuffle=False)
    assert_same_models(parts, whole.fit(frame, Y))


# New classes


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(ends=st.lists(st.integers(1, len(Y)), max_size=5).map(sorted))
def test_classes_that_come_later_change_nothing_of_fuzzy_rules(ends):
    """Bit for bit what is learned by a model that knew of them."""
    labels = np.where(Y == 0, "m", np.where(Y == 1, "z", "a"))
    order = np.argsort(labels == "a", kind="stable")  # the first class of all comes last
    rows, labels = X[order], labels[order]
    knew = FuzzyUCSClassifier(**SMALL, **UNIT)
    learn(knew, rows, labels, [], classes=["a", "m", "z"])
    clf = FuzzyUCSClassifier(**SMALL, **UNIT, new_classes="add")
    parts = learn(clf, rows, labels, ends)
    assert_same_models(knew, parts)


def test_new_classes_are_added(kind):
    clf = kind(**SMALL, **UNIT, new_classes="add").partial_fit(X[:10], np.full(10, 4))
    assert clf.classes_.tolist() == [4]
    assert clf.predict(X[:3]).tolist() == [4, 4, 4]
    assert clf.predict_proba(X[:3]).tolist() == [[1], [1], [1]]
    clf.partial_fit(X, Y * 3)
    assert clf.classes_.tolist() == [0, 3, 4, 6]
    assert clf.rules_.weights.shape[1] == 4
    assert clf.score(X, Y * 3) > 0.5
    clf.partial_fit(X[:2], Y[:2] * 3, classes=[9])
    assert clf.classes_.tolist() == [0, 3, 4, 6, 9]
    assert_array_equal(clf.predict_proba(X)[:, 4] > 0.5, False)


def test_new_classes_have_limits(kind):
    clf = kind(**SMALL, new_classes="add").partial_fit(X, Y)
    before = dict(vars(clf))
    with pytest.raises(ValueError, match="labels of one kind, numbers or text"):
        clf.partial_fit(X[:2], ["a", "b"])
    with pytest.raises(ValueError, match="at most 10,000 classes"):
        clf.partial_fit(X[:1], Y[:1], classes=np.arange(10_001))
    with pytest.raises(ValueError, match="Unknown label type"):
        clf.partial_fit(X[:2], [0.5, 1.5])
    assert vars(clf) == before
    with pytest.raises(ValueError, match="labels that are not in classes"):
        clf.set_params(new_classes="error").partial_fit(X[:1], [7])


def test_a_failed_batch_adds_no_class(kind):
    clf = kind(**SMALL, new_classes="add").partial_fit(X, Y)
    before = dict(vars(clf))
    with pytest.raises(ValueError, match="infinity"):
        clf.partial_fit(np.full((1, 3), np.inf), [7])
    assert vars(clf) == before


def test_weights_and_tempering_follow_new_classes():
    clf = FuzzyUCSClassifier(**SMALL, new_classes="add", inference="weighted")
    clf.partial_fit(X[Y < 2], Y[Y < 2]).partial_fit(X, Y)
    assert clf.weighted_rules_.classes.tolist() == [0, 1, 2]
    clf = FuzzyUCSClassifier(**SMALL, new_classes="add", calibrate=True)
    clf.partial_fit(X[Y < 2], Y[Y < 2]).partial_fit(X, Y)
    assert clf.predict_proba(X).shape == (len(Y), 3)


# Forgetting


def accuracy_after_a_switch(kind, forgetting):
    rng = np.random.default_rng(5)
    rows = rng.random((6000, 2))
    labels = (rows[:, 0] > 0.5).astype(int)
    labels[3000:] = 1 - labels[3000:]
    clf = kind(ranges=[(0, 1)] * 2, forgetting=forgetting, random_state=0)
    clf.partial_fit(rows[:5000], labels[:5000], classes=[0, 1])
    return clf.score(rows[5000:], labels[5000:])


def test_rules_that_forget_follow_a_switch():
    forgetful, faithful = (
        accuracy_after_a_switch(FuzzyUCSClassifier, rate) for rate in (0.01, 0.0)
    )
    assert forgetful > 0.95
    assert forgetful > faithful + 0.02


def test_experience_stays_below_what_is_remembered(kind):
    clf = kind(**SMALL, **UNIT, forgetting=0.02).partial_fit(X, Y, classes=[0, 1, 2])
    assert 20 < clf.rules_.experience.max() <= 50
    np.testing.assert_allclose(
        clf.rules_.class_experience.sum(axis=1), clf.rules_.experience, rtol=1e-9
    )


def test_forgetting_models_are_saved_and_go_on(kind, tmp_path):
    clf = kind(**SMALL, **UNIT, forgetting=0.02).partial_fit(X, Y, classes=[0, 1, 2])
    again = reloaded(tmp_path / "model.json")(clf)
    assert_same_models(clf.partial_fit(X, Y), again.partial_fit(X, Y))


@pytest.mark.parametrize("forgetting", [-0.1, 1, np.nan, "much"])
def test_forgetting_out_of_range_is_named(kind, forgetting):
    with pytest.raises(ValueError, match="'forgetting' parameter"):
        kind(forgetting=forgetting).fit(X, Y)
