"""Prediction in NumPy alone is the library's prediction."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.deployment import numpy_model
from fuzzyucs.deployment.description import model_data
from fuzzyucs.deployment.numpy_model import NumpyModel
from kinds import barely_matching, models_of_all_kinds
from test_page import MIXED, MODELS, records


def by_json(clf):
    return NumpyModel(json.loads(json.dumps(model_data(clf))))


def assert_same(model, clf, rows, table=None):
    table = rows if table is None else table
    evidence, found = clf.predict_evidence(table), model.predict_evidence(rows)
    assert_allclose(model.predict_proba(rows), clf.predict_proba(table), rtol=0, atol=1e-9)
    for name in ("mass", "ignorance", "weak_evidence"):
        assert_allclose(getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9)
    assert (found.novelty is None) == (evidence.novelty is None)
    if found.novelty is not None:
        assert_allclose(found.novelty, evidence.novelty, rtol=0, atol=1e-9)
    labels = model.predict(rows)
    assert_array_equal(labels, clf.predict(table).astype(labels.dtype))


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    clf, (frame, y) = MODELS[request.param]
    rows = records(frame)
    return clf.fit(frame, y), rows, pd.DataFrame(rows, columns=frame.columns)


def test_numbers_are_those_of_the_library(fitted):
    clf, rows, table = fitted
    assert_same(by_json(clf), clf, rows, table)


def test_rows_that_memory_does_not_hold_at_once(fitted, monkeypatch):
    clf, rows, table = fitted
    monkeypatch.setattr(numpy_model, "MOST_NUMBERS", 10_000)
    assert_same(by_json(clf), clf, rows, table)


def test_a_row_alone_is_what_it_is_among_others(fitted):
    clf, rows, _ = fitted
    model = by_json(clf)
    together = model.predict_proba(rows)
    for row in (0, 7, 100):
        assert_allclose(model.predict_proba(rows[[row]]), together[[row]], rtol=0, atol=1e-14)


def test_no_rows(fitted):
    clf, rows, _ = fitted
    model = by_json(clf)
    assert model.predict(rows[:0]).shape == (0,)
    assert model.predict_proba(rows[:0]).shape == (0, len(clf.classes_))
    assert model.predict_evidence(rows[:0]).mass.shape == (0, len(clf.classes_))


def test_values_of_any_size(fitted):
    clf, rows, table = fitted
    far = np.where(np.arange(rows.shape[1]) % 2, 1e306, -1e306)
    rows = np.vstack([far, -far, np.where(np.arange(len(far)) % 3, far, np.nan), 0 * far])
    assert_same(by_json(clf), clf, rows, pd.DataFrame(rows, columns=table.columns))


ALONE = """
import json, sys
import numpy as np
from numpy_model import NumpyModel

model = NumpyModel(json.load(open("model.json")))
rows = np.load("rows.npy")
np.savez("found.npz", label=model.predict(rows), probability=model.predict_proba(rows),
         **model.predict_evidence(rows)._asdict())
assert not {"fuzzyucs", "sklearn", "scipy"} & set(sys.modules)
"""


def test_the_file_works_alone(tmp_path):
    frame, y = MIXED
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    rows = records(frame)
    shutil.copy(numpy_model.__file__, tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(model_data(clf)))
    (tmp_path / "alone.py").write_text(ALONE)
    np.save(tmp_path / "rows.npy", rows)
    subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, check=True, timeout=100)
    found = np.load(tmp_path / "found.npz")
    table = pd.DataFrame(rows, columns=frame.columns)
    evidence = clf.predict_evidence(table)
    assert_array_equal(found["label"], clf.predict(table))
    assert_allclose(found["probability"], clf.predict_proba(table), atol=1e-9)
    assert_allclose(found["mass"], evidence.mass, atol=1e-9)
    assert_allclose(found["ignorance"], evidence.ignorance, atol=1e-9)
    assert_allclose(found["novelty"], evidence.novelty, atol=1e-9)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    X[:, 3] = rng.integers(0, 9, 300)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.6)
    return X, y


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_lots_are_drawn_as_the_library_draws_them(table, inference):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=3, random_state=5, inference=inference).fit(X, y)
    rules = clf.rules_[clf.rules_.experience > clf.inference_experience]
    n = len(rules)
    # Beside every rule two others that conclude something else; all of them are undecided.
    rules = rules[np.arange(n).repeat(3)]
    consequent = np.tile(np.arange(3, dtype=np.uint32), n)
    weights = np.full((3 * n, 3), 1 / 3)
    clf = clf.with_rules(replace(rules, weights=weights, consequent=consequent))
    rows = np.random.default_rng(1).random((200, 4)) * [1, 1, 1, 9]
    rows[::3, 1] = np.nan
    rows[::5, 0] = -0.0
    labels = clf.predict(rows)
    assert len(np.unique(labels)) == 3
    assert_array_equal(NumpyModel.from_estimator(clf).predict(rows), labels)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_model_without_rules(table, inference):
    X, y = table
    clf = FuzzyUCSClassifier(
        epochs=1, random_state=0, inference=inference, inference_experience=1e9
    ).fit(X, y)
    assert_same(by_json(clf), clf, X)


def test_a_weighted_model_without_rules(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    clf = clf.with_rules(clf.rules_[:0])
    assert_same(by_json(clf), clf, X)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_rule_that_barely_matches_still_does(inference):
    clf, rows = barely_matching(inference)
    assert_same(by_json(clf), clf, rows)


def test_a_bad_rule_wins_where_no_other_matches(table):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=3, random_state=5, inference="swin").fit(X, y)
    rules = clf.rules_
    fitness = -np.linspace(0.1, 0.9, len(rules))
    clf = clf.with_rules(replace(rules, fitness=fitness))
    assert_same(by_json(clf), clf, X)


def test_features_of_all_kinds(table):
    for clf, rows in models_of_all_kinds(*table):
        assert_same(by_json(clf), clf, rows)


def test_categories_are_numbers(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["d"] = pd.Categorical.from_codes((X[:, 3] % 3).astype(int), ["x", "y", "z"])
    frame["e"] = pd.Categorical(["only"] * len(X), ordered=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    frame.loc[::9, "d"] = np.nan
    assert_same(by_json(clf), clf, clf._checked(frame), frame)


def test_tempering_of_an_earlier_life_is_forgotten(table):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, calibrate=True).fit(X, y)
    clf.set_params(inference="weighted").partial_fit(X, y)
    assert hasattr(clf, "tempering_")
    assert_same(by_json(clf), clf, X)


def test_labels_keep_their_type(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    assert by_json(clf).predict(X[:1]).dtype.kind == "U"
    assert NumpyModel.from_estimator(clf).predict(X[:1]).dtype == y.dtype
    assert by_json(clf).feature_names == ["x0", "x1", "x2", "x3"]


def test_keys_that_nobody_knows_are_ignored(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    data = model_data(clf) | {"colour": "blue"}
    data["features"] = [feature | {"unit": "mm"} for feature in data["features"]]
    data["rules"] = [rule | {"author": "me"} for rule in data["rules"]]
    assert_same(NumpyModel(data), clf, X)


def test_bad_input_is_refused(table):
    X, y = table
    with pytest.raises(NotFittedError):
        NumpyModel.from_estimator(EvidentialRuleClassifier())
    model = NumpyModel.from_estimator(UCSClassifier(epochs=1, random_state=0).fit(X, y))
    for bad in (X[:, :3], X[0]):
        with pytest.raises(ValueError, match=r"X must have the shape \(n_samples, 4\), got"):
            model.predict(bad)
    with pytest.raises(ValueError, match="infinity"):
        model.predict_proba(np.where(X > 0.5, np.inf, X))
