"""Ranges of features that are declared, or that move with a stream."""

import pickle

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.variables.moving import RangeChange
from streamed import SMALL, BrokenBar, X, Y, assert_same_models, learn, reloaded


@pytest.fixture(params=[FuzzyUCSClassifier, UCSClassifier], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


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
