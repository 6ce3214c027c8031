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

import fuzzyucs
from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.variables.moving import RangeChange

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
    assert whole.learner_state_.slots  # there are gaps, so that slots are put to the test


def test_single_rows_equal_one_fit(kind):
    whole = kind(**SMALL, **UNIT, epochs=1, shuffle=False).fit(X, Y)
    parts = learn(kind(**SMALL, **UNIT), X, Y, range(1, len(Y)), classes=[0, 1, 2])
    assert_same_models(whole, parts)


def reloaded(path):
    def reload(clf):
        clf.save(path)
        return fuzzyucs.load(path)

    return reload


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
    assert clf.rules_.experience.sum() > first.experience.sum()


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
    assert edited.learner_state_.slots
    edited.rules_ = few
    assert edited.rules_ is few
    assert edited.learner_state_.slots == ()
    assert edited.learner_state_.time == 600
    assert edited.partial_fit(X[:1], Y[:1]).rules_.experience.sum() < 2 * few.experience.sum()


class BrokenBar:
    def __init__(self, detailed):
        pass

    def __call__(self, _):
        raise BrokenPipeError("nobody looks")

    def close(self):
        pass


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


# Declared ranges


def test_declared_ranges_are_those_of_the_variables(kind):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for ranges in ({"b": (-1, 3), 0: (0.0, 2)}, [(0, 2), (-1, 3), (0, 1)]):
        for clf in (
            kind(**SMALL, ranges=ranges, epochs=1).fit(frame, Y),
            kind(**SMALL, ranges=ranges).partial_fit(frame, Y, classes=[0, 1, 2]),
        ):
            variables = clf.rules_.variables
            assert variables.minimum[:2].tolist() == [0, -1]
            assert variables.maximum[:2].tolist() == [2, 3]
            peak = [[2.0, -1.0, np.nan]]
            ends = variables.positions(np.array(peak))[0]
            assert ends[1] == 0
            assert ends[0] == variables.positions(np.array([[99.0, 0, 0]]))[0, 0]


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"d": (0, 1)}, "ranges must name features by name or number, got 'd'"),
        ({"a": (1, 1)}, r"ranges must have a least and a greater greatest .* 'a', got \(1, 1\)"),
        ({"a": (0, np.inf)}, r"for 'a', got \(0, inf\)"),
        ({"a": 3}, "for 'a', got 3"),
        ({"a": ("0", "1")}, "for 'a', got"),
        ({"a": (0, 1), 0: (0, 1)}, "ranges names the feature 'a' twice"),
        ([(0, 1)], "ranges must have a pair of numbers for each of the 3 features"),
        ({"c": (0, 1)}, "ranges has numbers for 'c', which holds categories"),
        ("wandering", "'ranges' parameter"),
    ],
)
def test_ranges_that_cannot_be_are_named(ranges, message):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(Y > 0, "u", "v")})
    clf = FuzzyUCSClassifier(ranges=ranges)
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(frame, Y, classes=[0, 1, 2])
    assert not hasattr(clf, "classes_")


# Ranges that move


def test_moving_ranges_do_not_depend_on_chunks(kind):
    grown = X * np.linspace(1, 50, len(Y))[:, np.newaxis]
    clf = kind(**SMALL, ranges="moving")
    whole = learn(clf, grown, Y, [], classes=[0, 1, 2])
    for ends in ([1, 2, 3, 300], range(1, len(Y))):
        parts = learn(kind(**SMALL, ranges="moving"), grown, Y, ends, classes=[0, 1, 2])
        assert_same_models(whole, parts)
        assert parts.range_changes_ == whole.range_changes_
    variables = whole.rules_.variables
    assert (variables.minimum <= np.nanmin(grown, axis=0)).all()
    assert (variables.maximum >= np.nanmax(grown, axis=0)).all()
    width = variables.maximum - variables.minimum
    assert (width < 1.3 * (np.nanmax(grown, axis=0) - np.nanmin(grown, axis=0))).all()


def test_changes_of_ranges_are_reported_and_kept(kind, tmp_path):
    clf = kind(**SMALL, ranges="moving", new_classes="add")
    clf.partial_fit([[1.0], [1.0], [2.0]], [0, 1, 0])
    clf.partial_fit([[1.5], [0.0]], [0, 1])
    first, second = clf.range_changes_
    assert first == RangeChange(2, "x0", (1.0, 1.0), (1.0, 2 + 1 / 9))
    assert (second.time, second.old, second.new[1]) == (4, first.new, first.new[1])
    assert second.new[0] == pytest.approx(0 - (2 + 1 / 9) / 9)
    for again in (pickle.loads(pickle.dumps(clf)), reloaded(tmp_path / "model.json")(clf)):
        assert again.range_changes_ == clf.range_changes_
        again.partial_fit([[5.0]], [1])
        assert len(again.range_changes_) == 3
    assert not hasattr(kind(**SMALL).fit(X, Y), "range_changes_")


@pytest.mark.parametrize("n_terms", [2, 5, 9])
def test_rewritten_conditions_mean_the_same_values(n_terms):
    """Of all conditions on one feature: brute force over the values at the new peaks."""
    old = fuzzyucs.LinguisticPartition.uniform(np.array([[0.0], [8.0]]), n_terms, ["size"])
    conditions = np.arange(1, 2**n_terms, dtype=np.uint64)[:, np.newaxis]
    for low, high in [(0, 16), (-3, 8), (-1, 9.5), (0, 8.1), (-100, 100)]:
        new = old.with_range(np.array([float(low)]), np.array([float(high)]))
        rewritten = new.rewrite(conditions, old)
        peaks = [[peak] for peak in new.peaks(0).tolist()]
        for (before,), (after,) in zip(conditions.tolist(), rewritten.tolist(), strict=True):
            degrees = [
                sum(
                    max(0.0, 1 - abs(place - term)) for term in range(n_terms) if before >> term & 1
                )
                for (place,) in old.positions(np.array(peaks)).tolist()
            ]
            wanted = {term for term, degree in enumerate(degrees) if degree > 0.5 + 1e-9}
            allowed = {term for term, degree in enumerate(degrees) if degree > 0.5 - 1e-9}
            terms = {term for term in range(n_terms) if after >> term & 1}
            if allowed:
                assert wanted <= terms <= allowed
            else:
                middle = np.mean([8 * t / (n_terms - 1) for t in range(n_terms) if before >> t & 1])
                (nearest,) = terms
                distances = np.abs(np.ravel(peaks) - middle)
                assert distances[nearest] == pytest.approx(distances.min())


def test_rewritten_intervals_accept_the_same_values():
    rng = np.random.default_rng(0)
    table = rng.uniform(-3, 5, (50, 2))
    old = fuzzyucs.IntervalVariables.of(table, ["a", "b"])
    new = old.with_range(old.minimum - 2, old.maximum + 10)
    bounds = np.sort(rng.random((40, 2, 2)), axis=2)
    bounds[:5, 0, 1], bounds[5:10, 1, 0] = 1.0, 0.0
    rewritten = new.rewrite(bounds, old)
    values = rng.uniform(-8, 20, (500, 2))
    for unit, conditions in ((old, bounds), (new, rewritten)):
        place = unit.positions(values)[:, np.newaxis]
        accepted = (conditions[..., 0] <= place) & (place <= conditions[..., 1])
        if unit is old:
            expected = accepted
    assert (accepted == expected).mean() > 0.9999


def test_knowledge_survives_a_wider_range(kind):
    """Rules learned in a narrow range go on to tell its classes apart when it has doubled."""
    rng = np.random.default_rng(0)
    rows = rng.random((4000, 1))
    labels = (rows[:, 0] > 0.5).astype(int)
    clf = kind(ranges="moving", random_state=0)
    clf.partial_fit(rows, labels, classes=[0, 1])
    before, n_changes = clf.score(rows, labels), len(clf.range_changes_)
    assert before > 0.85
    clf.partial_fit([[1.9]], [1])
    assert len(clf.range_changes_) == n_changes + 1
    assert clf.score(rows, labels) > before - 0.05


def test_a_range_begins_with_the_first_value_of_a_feature(kind):
    rows = np.array([[np.nan, 1.0], [np.nan, 2.0], [7.0, 3.0], [8.0, np.nan]])
    clf = kind(**SMALL, ranges="moving").partial_fit(rows, [0, 1, 0, 1], classes=[0, 1])
    changes = [change for change in clf.range_changes_ if change.feature == "x0"]
    assert np.isnan(changes[0].old).all()
    assert changes[0].new == (7.0, 7.0)
    assert changes[1].old == (7.0, 7.0)
    assert changes[1].new == (7.0, pytest.approx(8 + 1 / 9))


def test_enormous_values_do_no_harm(kind):
    rows = np.array([[0.0], [1e308], [-1e308], [1.7e308], [np.nan]])
    clf = kind(**SMALL, ranges="moving").partial_fit(rows, [0, 1, 0, 1, 0], classes=[0, 1])
    assert np.isfinite(clf.rules_.variables.maximum).all()
    assert np.isfinite(clf.predict_proba(rows)).all()


def test_moving_ranges_and_beliefs_exclude_each_other():
    clf = FuzzyUCSClassifier(ranges="moving", missing="belief")
    with pytest.raises(ValueError, match="ranges must not be 'moving' if missing is 'belief'"):
        clf.partial_fit(X, Y, classes=[0, 1, 2])
    clf.set_params(ranges=None).partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="ranges must not be 'moving' if missing is 'belief'"):
        clf.set_params(ranges="moving").partial_fit(X, Y)


def test_ranges_may_begin_to_move_later(kind):
    clf = kind(**SMALL).fit(X, Y).set_params(ranges="moving")
    clf.partial_fit(X[:1] + 5, Y[:1])
    assert {change.time for change in clf.range_changes_} == {50 * len(Y)}
    assert clf.rules_.variables.maximum.max() > 5


def test_reports_count_what_happened_before_and_after_a_range_widened(kind, monkeypatch):
    reports = []

    class Bar(BrokenBar):
        def __call__(self, report):
            reports.append(report)

    monkeypatch.setattr("fuzzyucs.estimators.online.ProgressBar", Bar)
    grown = X * np.linspace(1, 50, len(Y))[:, np.newaxis]
    clf = kind(**SMALL, ranges="moving", verbose=1).partial_fit(grown, Y, classes=[0, 1, 2])
    assert len(clf.range_changes_) > 5
    (report,) = reports
    assert report.n_rules == len(clf.rules_)
    assert report.n_covered > 0
    # Every rule was made by covering or is a child.
    assert report.n_rules <= report.n_covered + 2 * report.n_evolved
    assert clf.rules_.numerosity.sum() <= report.n_covered + 2 * report.n_evolved


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
