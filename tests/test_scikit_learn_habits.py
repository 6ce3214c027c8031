"""Habits of people who know scikit-learn: text in arrays, logarithms, pipelines, ensembles."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.variables.object_arrays import objects_in

ESTIMATORS = [
    EvidentialRuleClassifier(),
    FuzzyUCSClassifier(epochs=3, random_state=0),
    UCSClassifier(epochs=3, random_state=0),
]


def fruit(n_rows=200):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue"], n_rows)
    size = rng.normal(size=n_rows).round(2)
    size[::17] = np.nan
    frame = pd.DataFrame({"colour": colour, "size": size})
    return frame, np.where((size > 0) ^ (colour == "red"), "plum", "pear")


@pytest.mark.parametrize("clf", ESTIMATORS, ids=lambda clf: type(clf).__name__)
def test_an_array_of_objects_is_the_same_as_a_frame(clf):
    frame, y = fruit()
    cells = frame.to_numpy(dtype=object)
    expected = clf.fit(frame, y).predict_proba(frame)
    rules = clf.rules_.to_text().replace("colour", "x0").replace("size", "x1")
    clf.fit(cells, y)
    assert clf.rules_.to_text() == rules
    assert_array_equal(clf.predict_proba(cells), expected)
    assert_array_equal(clf.predict_proba(cells.tolist()), expected)
    # A category that is not known is a missing value.
    new, missing = (np.array([[colour, 1.0]], dtype=object) for colour in ("violet", None))
    assert_array_equal(clf.predict_proba(new), clf.predict_proba(missing))


def test_an_array_of_strings_holds_numbers_and_categories():
    frame, y = fruit()
    known = frame["size"].notna()
    frame, y = frame[known], y[known]
    texts = frame.astype(str).to_numpy(dtype=str)
    clf = EvidentialRuleClassifier().fit(texts, y)
    assert list(clf.columns_.categories) == [0]
    expected = EvidentialRuleClassifier().fit(frame, y).predict_proba(frame)
    assert_array_equal(clf.predict_proba(texts), expected)


def test_columns_of_text_pass_through_a_column_transformer_and_bagging():
    frame, y = fruit()
    scaled = make_column_transformer((StandardScaler(), ["size"]), remainder="passthrough")
    assert make_pipeline(scaled, EvidentialRuleClassifier()).fit(frame, y).score(frame, y) > 0.9
    bag = BaggingClassifier(EvidentialRuleClassifier(), n_estimators=2, random_state=0)
    assert bag.fit(frame, y).score(frame, y) > 0.9


@pytest.mark.parametrize(
    "X",
    [
        np.ones((2, 2)),
        np.array([[1.0, 2.0]], dtype=object),
        np.array(["a", "b"], dtype=object),
        np.empty((0, 2), dtype=object),
        [[1.0, 2.0]],
        [["a", 1.0], ["b"]],
        "text",
        None,
        pd.DataFrame({"a": ["x"]}),
    ],
)
def test_what_holds_no_rows_with_text_is_left_alone(X):
    assert objects_in(X) is None


def test_cells_that_are_neither_numbers_nor_text_are_refused():
    X = np.array([["red", {"a": 1}], ["blue", [2]]], dtype=object)
    with pytest.raises(ValueError, match=r"column 1 must hold numbers, text, .*got a mixture of"):
        EvidentialRuleClassifier().fit(X, [0, 1])


@pytest.mark.parametrize("clf", ESTIMATORS, ids=lambda clf: type(clf).__name__)
def test_logarithms_of_probabilities(clf):
    frame, y = fruit()
    with pytest.raises(NotFittedError):
        type(clf)().decision_function(frame)
    clf.fit(frame, y)
    p = clf.predict_proba(frame)
    with np.errstate(divide="ignore"):
        assert_array_equal(clf.predict_log_proba(frame), np.log(p))
    odds = clf.decision_function(frame)
    assert odds.shape == (len(frame),)
    assert np.isfinite(odds).all()
    inner = (p > 0).all(axis=1)
    assert_allclose(odds[inner], np.log(p[inner, 1] / p[inner, 0]), atol=1e-9)
    assert_array_equal(odds > 0, p[:, 1] > p[:, 0])
    assert roc_auc_score(y, odds) == pytest.approx(roc_auc_score(y, p[:, 1]), abs=1e-3)


def test_more_than_two_classes_have_logarithms():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    clf = EvidentialRuleClassifier().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert_array_equal(clf.decision_function(X), clf.predict_log_proba(X))
    assert clf.predict_log_proba(X).shape == (90, 3)


def test_log_odds_can_be_calibrated():
    frame, y = fruit()
    calibrated = CalibratedClassifierCV(EvidentialRuleClassifier(), cv=2).fit(frame, y)
    assert calibrated.score(frame, y) > 0.8


def test_reasons_take_records_as_people_have_them():
    frame, y = fruit()
    clf = EvidentialRuleClassifier().fit(frame, y)
    odd = pd.DataFrame({"colour": ["red"], "size": [50.0]})
    expected = list(map(str, clf.support_.reasons(odd)))
    assert "size 50" in expected[0]
    for record in (odd.iloc[0], ["red", 50.0], odd.iloc[0].to_numpy(), np.array([1.0, 50.0])):
        assert list(map(str, clf.support_.reasons(record))) == expected
    unknown = clf.support_.reasons(["violet", 50.0])
    assert list(map(str, unknown)) == list(map(str, clf.support_.reasons([None, 50.0])))
    with pytest.raises(ValueError, match="x must be one record with 2 values, got 400"):
        clf.support_.reasons(frame)


def test_weights_are_routed_to_fit():
    frame, y = fruit()
    weight = np.where(y == "plum", 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        clf = EvidentialRuleClassifier().set_fit_request(sample_weight=True)
        clf.set_score_request(sample_weight=False)
        pipe = make_pipeline(FunctionTransformer(), clf)
        pipe.set_output(transform="pandas").fit(frame, y, sample_weight=weight)
        expected = EvidentialRuleClassifier().fit(frame, y, sample_weight=weight)
        assert_array_equal(pipe.predict_proba(frame), expected.predict_proba(frame))
        found = cross_validate(clf, frame, y, cv=2, params={"sample_weight": weight})
    assert (found["test_score"] > 0.8).all()
    assert list(pipe[-1].feature_names_in_) == ["colour", "size"]


@pytest.mark.parametrize("clf", ESTIMATORS, ids=lambda clf: type(clf).__name__)
def test_sparse_data_are_refused_with_advice(clf):
    X = scipy.sparse.random(40, 3, 0.5, format="csr", random_state=0)
    with pytest.raises(TypeError, match=r"dense data is required.*toarray\(\)"):
        clf.fit(X, np.arange(40) % 2)
