"""An ONNX model in onnxruntime says what the library says."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, __version__
from fuzzyucs.deployment.description import describe
from fuzzyucs.deployment.onnx import to_onnx
from kinds import (
    MIXED,
    MODELS,
    WINE,
    barely_matching,
    fitted_model,
    frame_with_categories,
    models_of_all_kinds,
    records,
    small_table,
    stored_rows,
)

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

STORED = sorted((Path(__file__).parent / "models").glob("version-*/evidential*.json"))
MORE_MODELS = {
    "flagship, 13 features": (EvidentialRuleClassifier(random_state=0), WINE),
    "calibrated": (
        FuzzyUCSClassifier(epochs=5, random_state=0, calibrate=True, missing="belief"),
        WINE,
    ),
    "vote, beliefs": (
        FuzzyUCSClassifier(epochs=5, random_state=0, inference="vote", missing="belief"),
        MIXED,
    ),
}
ALL_MODELS = MODELS | MORE_MODELS


class Session:
    """A model in onnxruntime."""

    def __init__(self, clf):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        proto = to_onnx(clf)
        onnx.checker.check_model(proto, full_check=True)
        self.session = onnxruntime.InferenceSession(
            proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, rows):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(None, {"X": rows}), strict=True))


def assert_same(found, clf, table):
    evidence, probability = clf.predict_evidence(table), clf.predict_proba(table)
    expected = {
        "probabilities": probability,
        "mass": evidence.mass,
        "ignorance": evidence.ignorance,
    }
    if evidence.novelty is not None:
        expected["novelty"] = evidence.novelty
    judged = {}
    if evidence.base_rates is not None:
        expected["contradiction"] = evidence.contradiction
        judged = {"verdict": evidence.verdict, "reason": evidence.reason}
        coherent = found["mass"] + evidence.base_rates * found["ignorance"][:, np.newaxis]
        assert_allclose(found["probabilities"], coherent, rtol=0, atol=1e-12)
    assert found.keys() == {"label", *expected, *judged}
    for name, values in judged.items():
        assert_array_equal(found[name], values)
    for name, values in expected.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-9, err_msg=name)
    ordered = np.sort(probability, axis=1)
    is_clear = ordered[:, -1] - ordered[:, -2] > 1e-9
    assert_array_equal(found["label"][is_clear], clf.predict(table)[is_clear])
    own = probability[np.arange(len(probability)), np.searchsorted(clf.classes_, found["label"])]
    assert_allclose(own, ordered[:, -1], atol=1e-9)
    return is_clear.mean()


@pytest.fixture(scope="module", params=ALL_MODELS)
def fitted(request):
    if request.param in MODELS:
        clf, (frame, _) = fitted_model(request.param)
    else:
        clf, (frame, y) = MORE_MODELS[request.param]
        clf = clone(clf).fit(frame, y)
    rows = records(frame)
    return clf, Session(clf), rows, pd.DataFrame(rows, columns=frame.columns)


def test_numbers_are_those_of_the_library(fitted):
    clf, session, rows, table = fitted
    assert assert_same(session(rows), clf, table) > 0.5


def test_rows_without_missing_values(fitted):
    clf, session, rows, table = fitted
    rows = np.where(np.isnan(rows), np.nanmedian(rows, axis=0), rows)
    assert_same(session(rows), clf, pd.DataFrame(rows, columns=table.columns))


def test_a_row_alone_and_none_at_all(fitted):
    clf, session, rows, _ = fitted
    together = session(rows)
    for row in (0, 1, 50):
        for name, values in session(rows[[row]]).items():
            if name in ("label", "verdict", "reason"):
                assert_array_equal(values, together[name][[row]])
            else:
                assert_allclose(values, together[name][[row]], rtol=0, atol=1e-14)
    nothing = session(rows[:0])
    assert nothing["probabilities"].shape == (0, len(clf.classes_))
    assert nothing["label"].shape == nothing["ignorance"].shape == (0,)


def test_values_of_any_size(fitted):
    clf, session, rows, table = fitted
    far = np.where(np.arange(rows.shape[1]) % 2, 1e306, -1e306)
    rows = np.vstack([far, -far, np.where(np.arange(len(far)) % 3, far, np.nan), 0 * far])
    assert_same(session(rows), clf, pd.DataFrame(rows, columns=table.columns))


@pytest.fixture(scope="module")
def table():
    return small_table()


def holes(X):
    return np.where(np.random.default_rng(2).random(X.shape) < 0.3, np.nan, X)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_rule_that_barely_matches_still_does(inference):
    clf, rows = barely_matching(inference)
    assert_same(Session(clf)(rows), clf, rows)


def test_a_bad_rule_wins_where_no_other_matches(table):
    X, y = table
    clf = FuzzyUCSClassifier(epochs=3, random_state=5, inference="swin").fit(X, y)
    rules = clf.rules_
    fitness = -np.linspace(0.1, 0.9, len(rules))
    clf = clf.with_rules(replace(rules, fitness=fitness))
    assert_same(Session(clf)(X), clf, X)


def test_features_of_all_kinds(table):
    for clf, rows in models_of_all_kinds(*table):
        assert_same(Session(clf)(rows), clf, rows)


@pytest.mark.parametrize("missing", ["mean", "belief"])
def test_one_feature(missing):
    X = np.linspace(0, 1, 100)[:, np.newaxis]
    y = X[:, 0] > 0.4
    clf = EvidentialRuleClassifier(random_state=0, missing=missing).fit(X, y)
    rows = np.vstack([X, [[np.nan]]])
    assert_same(Session(clf)(rows), clf, rows)


def test_features_that_do_not_depend_on_each_other(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X[:, :3], y)
    assert clf.rules_.variables.forest.parent.max() == -1
    rows = holes(X[:, :3])
    assert_same(Session(clf)(rows), clf, rows)


@pytest.mark.parametrize("inference", ["ds", "vote", "swin"])
def test_a_model_without_rules_answers_the_first_class(table, inference):
    X, y = table
    clf = FuzzyUCSClassifier(
        epochs=1, random_state=0, inference=inference, inference_experience=1e9
    ).fit(X, y)
    found = Session(clf)(X)
    assert_allclose(found["probabilities"], 1 / 3)
    assert_allclose(found["ignorance"], 1)
    assert (found["label"] == 0).all()


def test_a_flagship_without_rules(table):
    X, y = table
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    clf = clf.with_rules(clf.rules_[:0])
    assert_same(Session(clf)(X), clf, X)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([3, -1, 7], "i"),
        (["a", "ü", "日"], "O"),
        ([1.0, 2.0, 3.0], "i"),
        ([True, False, True], "i"),
    ],
)
def test_labels(table, labels, kind):
    X, y = table
    y = np.array(labels)[y]
    clf = EvidentialRuleClassifier(random_state=0, max_rules=5).fit(X, y)
    found = Session(clf)(X)["label"]
    assert found.dtype.kind == kind
    expected = clf.predict(X)
    assert_array_equal(found, expected if kind == "i" else expected.astype(str))


def test_a_file_that_tells_what_it_is(table, tmp_path):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c", "größe"])
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    path = tmp_path / "model.onnx"
    proto = to_onnx(clf, path)
    assert path.read_bytes() == proto.SerializeToString()
    session = onnxruntime.InferenceSession(path)
    (given,) = session.get_inputs()
    assert (given.name, given.type, given.shape) == ("X", "tensor(double)", ["n", 4])
    described = session.get_modelmeta()
    assert described.producer_name == "fuzzyucs"
    assert proto.producer_version == __version__
    properties = {k: json.loads(v) for k, v in described.custom_metadata_map.items()}
    assert properties["feature_names"] == ["a", "b", "c", "größe"]
    assert properties["classes"] == [0, 1, 2]
    assert properties["base_rates"] == clf.base_rates_.tolist()
    assert properties["form"] == 2


def test_categories_are_indices(table):
    X, y = table
    frame = frame_with_categories(X)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    frame.loc[::9, "d"] = np.nan
    session = Session(clf)
    assert_same(session(clf.columns_.numbers(frame).to_numpy()), clf, frame)
    known = session.session.get_modelmeta().custom_metadata_map["categories"]
    assert json.loads(known) == {"d": ["x", "y", "z"], "e": ["only"]}


def test_a_model_that_was_saved_gives_the_same_graph(fitted, tmp_path):
    clf, _, _, _ = fitted
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    assert to_onnx(loaded).SerializeToString() == to_onnx(clf).SerializeToString()


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_models_of_all_versions_answer_as_they_did(path):
    clf = fuzzyucs.load(path)
    answers = json.loads((path.parent / "answers" / path.name).read_text(encoding="utf-8"))
    found = Session(clf)(stored_rows(describe(clf)["features"], answers["rows"]))
    assert found["label"].tolist() == answers["predict"]
    for name in ("predict_proba", "mass", "ignorance", "novelty", "contradiction"):
        values = found.get({"predict_proba": "probabilities"}.get(name, name))
        if answers.get(name) is not None:
            assert_allclose(values, answers[name], rtol=0, atol=1e-9, err_msg=name)
    assert ("verdict" in found) == ("verdict" in answers)
    for name in ("verdict", "reason"):
        assert name not in found or found[name].tolist() == answers[name]


def test_what_cannot_be_written_is_refused(table):
    X, y = table
    with pytest.raises(TypeError, match="must be a classifier of fuzzyucs, got LogisticReg"):
        to_onnx(LogisticRegression().fit(X, y))
    with pytest.raises(NotFittedError):
        to_onnx(EvidentialRuleClassifier())


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="pip install onnx onnxruntime"):
        to_onnx(EvidentialRuleClassifier())


def test_labels_that_onnx_cannot_hold_are_refused():
    X, y = np.arange(20.0)[:, np.newaxis], np.repeat(np.array([1, 2**63], dtype=np.uint64), 10)
    with pytest.raises(ValueError, match="class labels of an ONNX model must be at most"):
        to_onnx(EvidentialRuleClassifier().fit(X, y))
    greatest = np.where(y > 1, np.uint64(2**63 - 1), y)
    clf = EvidentialRuleClassifier().fit(X, greatest)
    label, _ = Session(clf).session.run(["label", "probabilities"], {"X": X})
    assert_array_equal(label, clf.predict(X))


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-50, 1e-30, 1e307, np.finfo(float).max])
def test_tiny_and_vast_numbers_are_refused_or_the_same(size):
    x = np.random.default_rng(0).normal(size=300)
    X, y = np.clip(x / 3, -1, 1)[:, np.newaxis] * size, (x > 0).astype(int)
    clf = EvidentialRuleClassifier(penalty=3.0).fit(X, y)
    if size < 1e-37:
        with pytest.raises(
            ValueError, match=r"column .x0. has numbers up to .* cannot tell from 0"
        ):
            to_onnx(clf)
        return
    probability = Session(clf).session.run(["probabilities"], {"X": X})[0]
    assert_allclose(probability, clf.predict_proba(X), rtol=0, atol=1e-9)
