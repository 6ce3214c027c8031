"""An ONNX model in onnxruntime says what the library says."""

import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, __version__
from fuzzyucs.deployment.onnx import to_onnx
from kinds import barely_matching, models_of_all_kinds
from test_page import MIXED, MODELS, WINE, records

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

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
    """A model as a runtime has it."""

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
    assert found.keys() == {"label", *expected}
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
    clf, (frame, y) = ALL_MODELS[request.param]
    rows = records(frame)
    clf.fit(frame, y)
    return clf, Session(clf), rows, pd.DataFrame(rows, columns=frame.columns)


def test_numbers_are_those_of_the_library(fitted):
    clf, session, rows, table = fitted
    assert assert_same(session(rows), clf, table) > 0.5


def test_rows_without_holes(fitted):
    clf, session, rows, table = fitted
    rows = np.where(np.isnan(rows), np.nanmedian(rows, axis=0), rows)
    assert_same(session(rows), clf, pd.DataFrame(rows, columns=table.columns))


def test_a_row_alone_and_none_at_all(fitted):
    clf, session, rows, _ = fitted
    together = session(rows)
    for row in (0, 1, 50):
        for name, values in session(rows[[row]]).items():
            if name == "label":
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
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    X[:, 3] = rng.integers(0, 9, 300)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.6)
    return X, y


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


@pytest.mark.parametrize("missing", ["match", "belief"])
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


def test_a_weighted_model_without_rules(table):
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
    (entrance,) = session.get_inputs()
    assert (entrance.name, entrance.type, entrance.shape) == ("X", "tensor(double)", ["n", 4])
    described = session.get_modelmeta()
    assert described.producer_name == "fuzzyucs"
    assert proto.producer_version == __version__
    properties = {k: json.loads(v) for k, v in described.custom_metadata_map.items()}
    assert properties["feature_names"] == ["a", "b", "c", "größe"]
    assert properties["classes"] == [0, 1, 2]


def test_categories_are_places(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["d"] = pd.Categorical.from_codes((X[:, 3] % 3).astype(int), ["x", "y", "z"])
    frame["e"] = pd.Categorical(["only"] * len(X), ordered=True)
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    frame.loc[::9, "d"] = np.nan
    session = Session(clf)
    assert_same(session(clf._checked(frame)), clf, frame)
    known = session.session.get_modelmeta().custom_metadata_map["categories"]
    assert json.loads(known) == {"d": ["x", "y", "z"], "e": ["only"]}


def test_what_cannot_be_written_is_refused(table):
    X, y = table
    with pytest.raises(TypeError, match="must be a classifier of fuzzyucs, got LogisticReg"):
        to_onnx(LogisticRegression().fit(X, y))
    with pytest.raises(NotFittedError):
        to_onnx(EvidentialRuleClassifier())


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'fuzzyucs\[onnx\]'"):
        to_onnx(EvidentialRuleClassifier())
