"""Sample weights of the classifiers that learn online: how often a row is presented."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import accuracy_score, make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import fuzzyucs
from fuzzyucs import FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.estimators.presenting import MOST_PRESENTATIONS
from fuzzyucs.estimators.validation import check_sample_weight
from fuzzyucs.rules.rule_set import RuleSet

X, Y = load_iris(return_X_y=True)

UNEVEN = np.random.default_rng(7).uniform(0.2, 4.0, len(Y))


def assert_same_rules(first, second):
    assert len(first) == len(second)
    for name in type(first).array_names():
        assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


def differ(first, second):
    return len(first) != len(second) or any(
        not np.array_equal(getattr(first, name), getattr(second, name))
        for name in RuleSet.array_names()
    )


@pytest.fixture(params=[FuzzyUCSClassifier, UCSClassifier], ids=lambda kind: kind.__name__)
def estimator(request):
    return request.param(epochs=4, random_state=0)


# fit


@pytest.mark.parametrize("value", [1, 0.1, 3.0, 1e-300, 1e8])
def test_equal_weights_change_nothing(estimator, value):
    without = clone(estimator).fit(X, Y)
    for weight in (np.full(len(Y), value), value):
        clf = clone(estimator).fit(X, Y, sample_weight=weight)
        assert_same_rules(clf.rules_, without.rules_)
        assert clf.learner_state_ == without.learner_state_


def test_equal_weights_take_no_more_from_a_generator(estimator):
    first, second = np.random.default_rng(3), np.random.default_rng(3)
    clone(estimator).set_params(random_state=first).fit(X, Y)
    clone(estimator).set_params(random_state=second).fit(X, Y, UNEVEN)
    assert first.random() == second.random()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"support": "auto"},
        {"calibrate": True},
        {"inference": "weighted"},
        {"missing": "belief"},
    ],
)
def test_rows_of_weight_zero_are_as_good_as_removed(more):
    outliers = np.vstack([X, X[:30] + 100])  # they would change ranges, terms and support
    y = np.concatenate([Y, Y[:30]])
    weight = np.repeat([2.0, 0.0], [len(Y), 30])
    order = np.random.default_rng(0).permutation(len(y))
    kept = order[order < len(Y)]
    clf = FuzzyUCSClassifier(epochs=4, random_state=0, partition="quantile", **more)
    without = clone(clf).fit(X[kept], Y[kept])
    clf.fit(outliers[order], y[order], sample_weight=weight[order])
    assert_same_rules(clf.rules_, without.rules_)
    assert_array_equal(clf.predict_proba(X), without.predict_proba(X))
    assert_array_equal(clf.predict_evidence(X).mass, without.predict_evidence(X).mass)


def test_rows_of_weight_zero_are_removed_from_uneven_weights_too(estimator):
    weight = np.where(np.arange(len(Y)) % 5 == 0, 0, UNEVEN)
    kept = weight > 0
    clf = clone(estimator).fit(X, Y, weight)
    assert_same_rules(clf.rules_, clone(estimator).fit(X[kept], Y[kept], weight[kept]).rules_)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "list"])
def test_categories_and_classes_of_rows_of_weight_zero_are_unknown(kind):
    estimator = FuzzyUCSClassifier(epochs=4, random_state=0)
    table = pd.DataFrame({"size": X[:, 0], "colour": np.array(["red", "green", "blue"])[Y]})
    table.loc[149, "colour"] = "never"
    y = np.array(["a", "b", "b"])[Y].astype(object)
    y[148] = "nobody"
    weight = np.ones(len(y))
    weight[148:] = 0
    data = {
        "pandas": lambda: (table, pd.Series(y, index=np.arange(150) + 7)),
        "polars": lambda: (pl.from_pandas(table), pl.Series(y.tolist())),
        "arrow": lambda: (pa.Table.from_pandas(table), pa.array(y.tolist())),
        "list": lambda: (X[:, :2].tolist(), y.tolist()),
    }[kind]
    columns, labels = data()
    clf = clone(estimator).fit(columns, labels, pd.Series(weight))
    assert clf.classes_.tolist() == ["a", "b"]
    rows = X[:148, :2].tolist() if kind == "list" else table[:148]
    assert_same_rules(clf.rules_, clone(estimator).fit(rows, y[:148]).rules_)
    assert "never" not in clf.rules_.to_text()


def test_weights_set_how_often_classes_are_presented(estimator):
    """All rows look alike, so that an old rule has seen nearly every step."""
    alike, y = np.zeros((50, 1)), np.repeat([0, 1], [40, 10])
    clf = clone(estimator).set_params(epochs=20)
    for weight, share in ((None, 10 / 50), (3.0, 30 / 70), (0.25, 2.5 / 42.5)):
        weights = None if weight is None else np.where(y == 1, weight, 1.0)
        clf.fit(alike, y, weights)
        seen = clf.rules_.class_experience[np.argmax(clf.rules_.experience)]
        assert clf.learner_state_.time == 20 * 50
        assert seen.sum() > 900
        assert seen[1] / seen.sum() == pytest.approx(share, abs=0.01)


def test_a_rare_class_with_more_weight_is_found_more_often(estimator):
    table, y = make_classification(
        1200, 5, n_informative=4, n_redundant=0, weights=[0.9], class_sep=0.7, random_state=1
    )
    weight = np.where(y == 1, 6.0, 1.0)
    train, test = slice(600), slice(600, None)
    gains = []
    for seed in range(12):
        clf = clone(estimator).set_params(epochs=20, random_state=seed)
        plain = recall_score(y[test], clf.fit(table[train], y[train]).predict(table[test]))
        clf.fit(table[train], y[train], sample_weight=weight[train])
        gains.append(recall_score(y[test], clf.predict(table[test])) - plain)
    standard_error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert np.mean(gains) > 0.05 + 3 * standard_error


def test_the_same_seed_gives_the_same_rules_and_another_does_not(estimator):
    first, second = (clone(estimator).fit(X, Y, UNEVEN) for _ in range(2))
    assert_same_rules(first.rules_, second.rules_)
    assert differ(first.rules_, clone(estimator).fit(X, Y).rules_)
    assert differ(
        first.rules_, clone(estimator).set_params(random_state=1).fit(X, Y, UNEVEN).rules_
    )
    scaled = clone(estimator).fit(X, Y, 4 * UNEVEN)  # a power of two: no digit is lost
    assert_same_rules(first.rules_, scaled.rules_)


def test_the_global_random_state_is_not_touched(estimator):
    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    clone(estimator).set_params(random_state=None).fit(X, Y, UNEVEN).partial_fit(X, Y, None, UNEVEN)
    assert_array_equal(np.random.get_state()[1], before)


def test_weights_are_left_as_they_are(estimator):
    weight = UNEVEN.copy()
    weight[::7] = 0
    copy = weight.copy()
    weight.setflags(write=False)
    estimator.fit(X, Y, weight).partial_fit(X, Y, sample_weight=weight)
    assert_array_equal(weight, copy)


def test_reports_and_bars_go_by_epochs_as_ever(estimator, capsys):
    reports = []
    estimator.set_params(verbose=1).fit(X, Y, UNEVEN, callback=reports.append)
    assert [report.epoch for report in reports] == [1, 2, 3, 4]
    assert [report.model.learner_state_.time for report in reports] == [150, 300, 450, 600]
    predicted = reports[-1].model.predict(X)
    assert reports[-1].training_accuracy() == pytest.approx(np.mean(predicted == Y))
    assert "epoch 4 of 4" in capsys.readouterr().err


# partial_fit


def test_whole_weights_present_rows_that_many_times(estimator):
    """The same as a batch in which rows are repeated, to the last bit."""
    times = np.random.default_rng(2).integers(0, 4, len(Y))
    weighted, repeated = clone(estimator), clone(estimator)
    for first in range(0, len(Y), 50):
        rows = np.arange(first, first + 50)
        again = np.repeat(rows, times[rows])
        weighted.partial_fit(X[rows], Y[rows], [0, 1, 2], sample_weight=times[rows])
        repeated.partial_fit(X[again], Y[again], [0, 1, 2])
        assert_same_rules(weighted.rules_, repeated.rules_)
        assert weighted.learner_state_ == repeated.learner_state_


def test_weights_of_one_change_nothing_in_batches(estimator):
    weighted, plain = clone(estimator), clone(estimator)
    for rows in np.array_split(np.random.default_rng(0).permutation(len(Y)), 4):
        weighted.partial_fit(X[rows], Y[rows], [0, 1, 2], np.ones(len(rows)))
        plain.partial_fit(X[rows], Y[rows], [0, 1, 2])
        assert_same_rules(weighted.rules_, plain.rules_)
        assert weighted.learner_state_ == plain.learner_state_


def test_weights_of_batches_are_absolute(estimator):
    estimator.partial_fit(X, Y, [0, 1, 2], 0.5)
    assert estimator.learner_state_.time == 75
    estimator.partial_fit(X, Y, sample_weight=np.full(len(Y), 2.5))
    assert estimator.learner_state_.time == 75 + 375


def test_single_rows_of_small_weight_are_presented_now_and_then(estimator):
    estimator.partial_fit(X, Y, [0, 1, 2])
    for i in range(200):
        estimator.partial_fit(X[i % 150, None], Y[i % 150, None], sample_weight=[0.3])
    assert 35 < estimator.learner_state_.time - len(Y) < 85


def test_a_first_batch_of_which_nothing_is_presented(estimator):
    estimator.partial_fit(X[::50], Y[::50], [0, 1, 2], [1e-9, 1e-9, 1e-9])
    assert len(estimator.rules_) == estimator.learner_state_.time == 0
    assert estimator.predict(X).shape == Y.shape
    estimator.partial_fit(X, Y)
    assert len(estimator.rules_) > 0
    assert_array_equal(estimator.rules_.variables.maximum, X[::50].max(axis=0))


@pytest.mark.parametrize("way", ["pickle", "save"])
def test_a_stored_model_goes_on_drawing_as_the_original_would(estimator, way, tmp_path):
    estimator.partial_fit(X, Y, [0, 1, 2], UNEVEN)
    if way == "pickle":
        stored = pickle.loads(pickle.dumps(estimator))
    else:
        stored = fuzzyucs.load(estimator.save(tmp_path / "model.json"))
    for clf in (estimator, stored):
        clf.partial_fit(X, Y, sample_weight=UNEVEN)
    assert_same_rules(estimator.rules_, stored.rules_)


# Errors


BAD = {
    "NaN": (np.where(np.arange(150) == 3, np.nan, 1), "sample_weight contains NaN"),
    "infinite": (np.where(np.arange(150) == 3, np.inf, 1), "sample_weight contains infinity"),
    "a number that is none": (np.nan, "sample_weight must be finite"),
    "negative": (
        np.where(np.arange(150) == 3, -0.5, 1),
        "sample_weight must not be negative.*-0.5",
    ),
    "a negative number": (-2, "sample_weight must not be negative"),
    "zero": (np.zeros(150), "sample_weight.*zero"),
    "too few": (np.ones(149), r"sample_weight.*149"),
    "too many": (np.ones(151).tolist(), r"sample_weight.*151"),
    "a table": (np.ones((150, 1)), "sample_weight.*1D"),
    "text": (["heavy"] * 150, "sample_weight.*heavy"),
    "absurd": (np.full(150, 1.1e9), "sample_weight must be at most"),
    "overflowing": (np.full(150, 1.7e308), "sample_weight must be at most"),
}


@pytest.mark.parametrize(("weight", "message"), BAD.values(), ids=BAD)
def test_bad_weights_are_refused(estimator, weight, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, Y, sample_weight=weight)
    with pytest.raises(ValueError, match=message):
        estimator.partial_fit(X, Y, [0, 1, 2], sample_weight=weight)
    assert not hasattr(estimator, "classes_")
    with pytest.raises(ValueError, match=message):
        check_sample_weight(weight, X)


def test_good_weights_become_an_array_of_numbers():
    for weight in ([1, 2, 0], pd.Series([1, 2, 0], dtype="Int64"), pl.Series([1, 2, 0])):
        checked = check_sample_weight(weight, X[:3])
        assert checked.dtype == np.float64
        assert_array_equal(checked, [1, 2, 0])
    assert_array_equal(check_sample_weight(None, X[:3]), np.ones(3))
    assert_array_equal(check_sample_weight(2, X[:3]), np.full(3, 2.0))


def test_errors_of_data_stay_what_they_are(estimator):
    weight = np.where(np.arange(150) < 9, 0.0, 1.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator.fit(X, Y[:140], weight)
    with pytest.raises(ValueError, match="requires y"):
        estimator.fit(X, None, weight)


def test_a_class_of_weight_zero_is_named_as_the_reason(estimator):
    with pytest.raises(
        ValueError, match=r"one class among the rows of positive sample_weight: \[2"
    ):
        estimator.fit(X, Y, sample_weight=Y == 2)


def test_batches_refuse_weights_that_take_for_ever(estimator):
    weight = np.full(len(Y), MOST_PRESENTATIONS / len(Y) * 1.01)
    with pytest.raises(ValueError, match=r"sample_weight sums to 1.01e\+07, and partial_fit"):
        estimator.partial_fit(X, Y, [0, 1, 2], weight)
    estimator.fit(X, Y, weight)


# scikit-learn's tools


def test_pipelines_and_searches_pass_weights_along(estimator):
    expected = clone(estimator).fit(X, Y, UNEVEN).rules_
    pipeline = make_pipeline("passthrough", estimator)
    name = f"{type(estimator).__name__.lower()}__sample_weight"
    pipeline.fit(X, Y, **{name: UNEVEN})
    assert_same_rules(pipeline[-1].rules_, expected)
    grid = GridSearchCV(estimator, {"epochs": [4]}, cv=3).fit(X, Y, sample_weight=UNEVEN)
    assert_same_rules(grid.best_estimator_.rules_, expected)


def test_metadata_routing(estimator):
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True)
        expected = clone(estimator).fit(X, Y, UNEVEN).rules_
        pipeline = make_pipeline("passthrough", clone(asking)).fit(X, Y, sample_weight=UNEVEN)
        assert_same_rules(pipeline[-1].rules_, expected)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        found = cross_validate(
            make_pipeline(MinMaxScaler(), asking),
            X,
            Y,
            cv=[(np.arange(150), np.arange(150))],
            scoring=scorer,
            params={"sample_weight": UNEVEN},
            return_estimator=True,
        )["estimator"][0]
        scaled = MinMaxScaler().fit_transform(X)
        assert_same_rules(found[-1].rules_, clone(estimator).fit(scaled, Y, UNEVEN).rules_)
        grid = GridSearchCV(asking, {"epochs": [4]}, scoring=scorer, cv=3)
        grid.fit(X, Y, sample_weight=UNEVEN)
        assert_same_rules(grid.best_estimator_.rules_, expected)
        assert estimator.set_partial_fit_request(sample_weight=True) is estimator
