"""Prediction in NumPy alone is the library's prediction."""

import ast
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.deployment import numpy_model
from fuzzyucs.deployment.description import describe, to_numpy
from fuzzyucs.deployment.numpy_model import NumpyModel
from kinds import (
    MIXED,
    MODELS,
    barely_matching,
    fitted_model,
    frame_with_categories,
    models_of_all_kinds,
    records,
    small_table,
    stored_rows,
)

STORED = sorted((Path(__file__).parent / "models").glob("version-*/*.json"))


def from_description(clf):
    return NumpyModel(json.loads(json.dumps(describe(clf))))


def assert_same(model, clf, rows, table=None):
    table = rows if table is None else table
    evidence, found = clf.predict_evidence(table), model.predict_evidence(rows)
    assert_allclose(model.predict_proba(rows), clf.predict_proba(table), rtol=0, atol=1e-9)
    for name in ("mass", "ignorance", "weak_evidence"):
        assert_allclose(getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9)
    assert (found.novelty is None) == (evidence.novelty is None)
    if found.novelty is not None:
        assert_allclose(found.novelty, evidence.novelty, rtol=0, atol=1e-9)
    assert_array_equal(found.belief, found.mass)
    has_rates = evidence.base_rates is not None
    for name in ("probability", "base_rates", "contradiction", "verdict", "reason"):
        assert (getattr(found, name) is not None) == has_rates
    if has_rates:
        coherent = found.belief + found.base_rates * found.ignorance[:, np.newaxis]
        assert_allclose(found.probability, coherent, rtol=0, atol=1e-12)
        assert_array_equal(found.base_rates, evidence.base_rates)
        for name in ("probability", "contradiction"):
            assert_allclose(getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9)
        for name in ("verdict", "reason"):
            assert_array_equal(getattr(found, name), getattr(evidence, name))
    labels = model.predict(rows)
    assert_array_equal(labels, clf.predict(table).astype(labels.dtype))


def assert_identical(model, other, rows):
    assert_array_equal(model.predict(rows).astype(str), other.predict(rows).astype(str))
    assert_array_equal(model.predict_proba(rows), other.predict_proba(rows))
    for ours, theirs in zip(
        model.predict_evidence(rows), other.predict_evidence(rows), strict=True
    ):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert_array_equal(ours, theirs)


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    clf, (frame, _) = fitted_model(request.param)
    rows = records(frame)
    return clf, rows, pd.DataFrame(rows, columns=frame.columns)


@pytest.fixture(scope="module")
def table():
    return small_table()


def test_numbers_are_those_of_the_library(fitted, tmp_path):
    clf, rows, table = fitted
    assert_same(NumpyModel.load(clf.save(tmp_path / "model.json")), clf, rows, table)


def test_a_saved_file_and_a_description_give_the_same_answers(fitted, tmp_path):
    clf, rows, _ = fitted
    loaded = NumpyModel.load(clf.save(tmp_path / "model.json"))
    assert_identical(loaded, from_description(clf), rows)


def test_features_of_all_kinds(table, tmp_path):
    for clf, rows in models_of_all_kinds(*table):
        loaded = NumpyModel.load(clf.save(tmp_path / "model.json"))
        assert_same(loaded, clf, rows)
        assert_identical(loaded, from_description(clf), rows)


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_files_of_all_versions_are_read(path):
    model = NumpyModel.load(path)
    answers = json.loads((path.parent / "answers" / path.name).read_text(encoding="utf-8"))
    rows = stored_rows(model.features, answers["rows"])
    assert model.predict(rows).tolist() == answers["predict"]
    evidence = model.predict_evidence(rows)
    assert_allclose(model.predict_proba(rows), answers["predict_proba"], rtol=0, atol=1e-9)
    assert_allclose(evidence.mass, answers["mass"], rtol=0, atol=1e-9)
    assert_allclose(evidence.ignorance, answers["ignorance"], rtol=0, atol=1e-9)
    if answers.get("novelty") is not None:
        assert_allclose(evidence.novelty, answers["novelty"], rtol=0, atol=1e-9)
    if evidence.base_rates is not None:
        assert_allclose(evidence.contradiction, answers["contradiction"], rtol=0, atol=1e-9)
        assert evidence.verdict.tolist() == answers["verdict"]
        assert evidence.reason.tolist() == answers["reason"]


def test_rows_that_memory_does_not_hold_at_once(fitted, monkeypatch):
    clf, rows, table = fitted
    monkeypatch.setattr(numpy_model, "MOST_NUMBERS", 10_000)
    assert_same(from_description(clf), clf, rows, table)


def test_a_row_alone_is_what_it_is_among_others(fitted):
    clf, rows, _ = fitted
    model = from_description(clf)
    together = model.predict_proba(rows)
    for row in (0, 7, 100):
        assert_allclose(model.predict_proba(rows[[row]]), together[[row]], rtol=0, atol=1e-14)


def test_no_rows(fitted):
    clf, rows, _ = fitted
    model = from_description(clf)
    assert model.predict(rows[:0]).shape == (0,)
    assert model.predict_proba(rows[:0]).shape == (0, len(clf.classes_))
    assert model.predict_evidence(rows[:0]).mass.shape == (0, len(clf.classes_))


def test_values_of_any_size(fitted):
    clf, rows, table = fitted
    far = np.where(np.arange(rows.shape[1]) % 2, 1e306, -1e306)
    rows = np.vstack([far, -far, np.where(np.arange(len(far)) % 3, far, np.nan), 0 * far])
    assert_same(from_description(clf), clf, rows, pd.DataFrame(rows, columns=table.columns))


ALONE = """
import sys
import numpy as np
from numpy_model import NumpyModel

model = NumpyModel.load("model.json")
rows = np.load("rows.npy")
np.savez("found.npz", label=model.predict(rows), estimate=model.predict_proba(rows),
         **model.predict_evidence(rows)._asdict())
assert not {"fuzzyucs", "sklearn", "scipy"} & set(sys.modules)
"""


def test_the_file_works_alone(tmp_path):
    frame, y = MIXED
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    rows = records(frame)
    shutil.copy(numpy_model.__file__, tmp_path)
    clf.save(tmp_path / "model.json")
    (tmp_path / "alone.py").write_text(ALONE)
    np.save(tmp_path / "rows.npy", rows)
    subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, check=True, timeout=600)
    found = np.load(tmp_path / "found.npz")
    table = pd.DataFrame(rows, columns=frame.columns)
    evidence = clf.predict_evidence(table)
    assert_array_equal(found["label"], clf.predict(table))
    assert_allclose(found["estimate"], clf.predict_proba(table), atol=1e-9)
    assert_allclose(found["mass"], evidence.mass, atol=1e-9)
    assert_allclose(found["ignorance"], evidence.ignorance, atol=1e-9)
    assert_allclose(found["novelty"], evidence.novelty, atol=1e-9)
    assert_array_equal(found["verdict"], evidence.verdict)


def test_the_file_imports_nothing_of_ours():
    nodes = list(ast.walk(ast.parse(Path(numpy_model.__file__).read_text(encoding="utf-8"))))
    imported = {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    third_party = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    assert third_party == {"numpy"}


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_ties_are_broken_as_the_library_breaks_them(table, inference):
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
    assert_array_equal(to_numpy(clf).predict(rows), labels)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_model_without_rules(table, inference):
    X, y = table
    clf = FuzzyUCSClassifier(
        epochs=1, random_state=0, inference=inference, inference_experience=1e9
    ).fit(X, y)
    assert_same(from_description(clf), clf, X)


def test_a_flagship_without_rules(table, tmp_path):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    clf = clf.with_rules(clf.rules_[:0])
    assert_same(from_description(clf), clf, X)
    assert_same(NumpyModel.load(clf.save(tmp_path / "model.json")), clf, X)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_rule_that_barely_matches_still_does(inference):
    clf, rows = barely_matching(inference)
    assert_same(from_description(clf), clf, rows)


def test_a_bad_rule_wins_where_no_other_matches(table):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=3, random_state=5, inference="swin").fit(X, y)
    rules = clf.rules_
    fitness = -np.linspace(0.1, 0.9, len(rules))
    clf = clf.with_rules(replace(rules, fitness=fitness))
    assert_same(from_description(clf), clf, X)


def test_weighted_rules_with_variables_of_their_own(table, tmp_path):
    X, y = table
    options = {"inference": "weighted", "missing": "belief"}
    clf = FuzzyUCSClassifier(epochs=3, random_state=0, **options).fit(X, y)
    edited = clf.with_rules(clf.deciding_rules.without_beliefs())
    rows = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    assert not np.allclose(clf.predict_proba(rows), edited.predict_proba(rows))
    for model in (clf, edited):
        assert_same(NumpyModel.load(model.save(tmp_path / "model.json")), model, rows)


def test_categories_are_numbers(table, tmp_path):
    X, y = table
    frame = frame_with_categories(X)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    frame.loc[::9, "d"] = np.nan
    model = NumpyModel.load(clf.save(tmp_path / "model.json"))
    assert_same(model, clf, clf.columns_.numbers(frame).to_numpy(), frame)
    assert model.features[3]["labels"] == ["x", "y", "z"]


def test_tempering_of_rules_without_weights_is_not_used(table, tmp_path):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=2, random_state=0, calibrate=True).fit(X, y)
    clf.set_params(inference="weighted").partial_fit(X, y)
    assert hasattr(clf, "tempering_")
    assert_same(NumpyModel.load(clf.save(tmp_path / "model.json")), clf, X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-3, 0, 7], dtype=np.int32),
        np.array([False, True, True]),
        np.array([0.0, 1.0, 2.0], dtype=np.float32),
        np.array(["a", "bb", "ü"]),
        np.array(["a", "bb", "ü"], dtype=object),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_labels_of_a_saved_model_keep_their_type(table, labels, tmp_path):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, labels[y])
    found = NumpyModel.load(clf.save(tmp_path / "model.json")).predict(X)
    assert found.dtype == clf.classes_.dtype
    assert_array_equal(found, clf.predict(X))
    assert from_description(clf).predict(X).tolist() == [str(label) for label in clf.predict(X)]


def test_columns_have_names(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    assert from_description(clf).feature_names == ["x0", "x1", "x2", "x3"]


def test_unknown_keys_are_ignored(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    data = describe(clf) | {"colour": "blue"}
    data["features"] = [feature | {"unit": "mm"} for feature in data["features"]]
    data["rules"] = [rule | {"author": "me"} for rule in data["rules"]]
    assert_same(NumpyModel(data), clf, X)


def test_bad_input_is_refused(table):
    X, y = table
    model = to_numpy(UCSClassifier(epochs=1, random_state=0).fit(X, y))
    for bad in (X[:, :3], X[0]):
        with pytest.raises(ValueError, match=r"X must have the shape \(n_samples, 4\), got"):
            model.predict(bad)
    with pytest.raises(ValueError, match=r"indices of categories .* 'red'"):
        model.predict([["red", 1, 2, 3]])
    with pytest.raises(ValueError, match="infinity"):
        model.predict_proba(np.where(X > 0.5, np.inf, X))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Expecting value"),
        (b"\x80\x04", "can't decode"),
        (b"[1, 2]", '"format": "fuzzyucs model", as clf.save writes it'),
        (b'{"format": "fuzzyucs rules", "version": 1}', '"format": "fuzzyucs model"'),
        (b'{"format": ["fuzzyucs model"], "version": 1}', '"format": "fuzzyucs model"'),
        (b'{"format": "fuzzyucs model"}', "version must be a whole number from 1 on, got None"),
        (b'{"format": "fuzzyucs model", "version": 0}', "version must be"),
        (b'{"format": "fuzzyucs model", "version": true}', "version must be"),
        (b'{"format": "fuzzyucs model", "version": 3}', "version 3 .* is newer .* up to 2; copy"),
        (b'{"format": "fuzzyucs description", "version": 3}', "version 3 .* is newer"),
        (b'{"format": "fuzzyucs model", "version": 1}', "it lacks 'estimator'"),
        (
            b'{"format": "fuzzyucs model", "version": 1, "estimator": "Tree"}',
            "estimator must be one of .*, got 'Tree'",
        ),
        (b"[" * 200_000, "recursion"),
    ],
)
def test_files_that_are_something_else_are_refused(content, message, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        NumpyModel.load(path)
    assert str(caught.value).startswith(f"{path} is no model file that can be read: ")


def test_a_file_that_does_not_exist(tmp_path):
    with pytest.raises(FileNotFoundError):
        NumpyModel.load(tmp_path / "model.json")


NOT_NEEDED = {"library", "feature_names", "penalty", "path", "informative_gaps"}


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_files_that_lack_something_are_refused(path, tmp_path):
    document = json.loads(path.read_text(encoding="utf-8"))
    damaged = tmp_path / "damaged.json"
    for key in document:
        damaged.write_text(json.dumps({k: v for k, v in document.items() if k != key}))
        if key in NOT_NEEDED:
            assert len(NumpyModel.load(damaged).classes) == len(document["classes"]["labels"])
        else:
            with pytest.raises(ValueError, match="is no model file that can be read"):
                NumpyModel.load(damaged)
