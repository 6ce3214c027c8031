"""Model files with random changes are refused, or are models that can do all that models can do."""

import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier, fuse
from fuzzyucs.deployment.numpy_model import NumpyModel
from model_changes import mutated
from model_files import table

EVOLVING = ("FuzzyUCSClassifier", "UCSClassifier")
OLDER = Path(__file__).parent / "models" / "version-1" / "evidential-small.json"
N_MUTATIONS = int(os.environ.get("FUZZYUCS_FUZZ") or 2000)


def fuzzed_model(name):
    """Return a small model."""
    X, _, y = table(n_features=3, step=6)
    X["colour"] = np.where(X.iloc[:, 2] > 2, "blue", "red")
    small = {"epochs": 1, "population_size": 12, "random_state": 0, "support": "auto"}
    fuzzy = {"n_terms": 3, "nominal_features": ["petals"], **small}
    numbers = X.assign(colour=X["colour"] == "red").to_numpy(dtype=float)
    weighted = {**fuzzy, "inference": "weighted", "inference_experience": 0, "support": None}
    partition = {0: {"low": 4, "high": 7.5}}
    given = {"random_state": 0, "n_terms": 3, "max_rules": 2, "partition": partition}
    sites = {
        "a": EvidentialRuleClassifier(**given).fit(X[::2], y[::2]),
        "b": EvidentialRuleClassifier(**given).fit(X[1::2], y[1::2]),
    }
    return {
        "fused": fuse(sites),
        "fuzzy": FuzzyUCSClassifier(missing="belief", calibrate=True, **fuzzy).fit(X, y),
        "weighted": FuzzyUCSClassifier(**weighted).fit(X, np.unique(y, return_inverse=True)[1]),
        "ucs": UCSClassifier(**small).fit(numbers, y),
        "evidential": EvidentialRuleClassifier(
            random_state=0, n_terms=3, max_rules=4, partition=partition
        ).fit(X, y),
    }[name]


def loaded(path):
    try:
        return fuzzyucs.load(path), ""
    except ValueError as error:
        return None, str(error)


def rows_for(clf, X):
    """Return rows of the kind that a model was trained on."""
    if not hasattr(clf, "feature_names_in_"):
        return X.to_numpy()
    columns = [
        [clf.columns_.label(feature, value) for value in X.iloc[:, feature]]
        for feature in range(X.shape[1])
    ]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(clf.feature_names_in_, axis=1)


def assert_valid(clf, X, path):
    """Check that what was read is a complete model."""
    evidence = clf.predict_evidence(X)
    everything = np.column_stack([evidence.mass, evidence.ignorance])
    assert np.isfinite(everything).all()
    assert everything.min() >= 0
    assert everything.max() <= 1
    np.testing.assert_allclose(everything.sum(axis=1), 1.0, rtol=1e-9)
    assert set(clf.predict(X).tolist()) <= set(clf.classes_.tolist())
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0, rtol=1e-9)
    clf.rules_.to_text()
    first = clf.save(path).read_bytes()
    again = fuzzyucs.load(path)
    assert again.save(path).read_bytes() == first
    if type(clf).__name__ in EVOLVING:
        labels = clf.classes_[np.arange(len(X)) % len(clf.classes_)]
        without_calibration = {"calibrate": False} if hasattr(again, "calibrate") else {}
        again.set_params(verbose=0, support=None, **without_calibration)
        again.partial_fit(X, labels)
        assert np.isfinite(again.predict_evidence(X).mass).all()


def assert_same_in_numpy(clf, X, model, rows):
    """Check that NumPy alone gives the same answers."""
    evidence, found = clf.predict_evidence(X), model.predict_evidence(rows)
    for name in ("mass", "ignorance"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9, err_msg=name
        )
    np.testing.assert_allclose(model.predict_proba(rows), clf.predict_proba(X), rtol=0, atol=1e-9)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.mark.parametrize("name", ["fuzzy", "weighted", "ucs", "evidential", "fused", "older form"])
def test_mutated_files_are_refused_or_models(name, path):
    rng = random.Random(f"{name} {N_MUTATIONS}")
    clf = fuzzyucs.load(OLDER) if name == "older form" else fuzzed_model(name)
    text = clf.save(path).read_text(encoding="utf-8")
    X = table(n_features=3, step=6)[0][:5]
    X.iloc[1, 2:] = np.nan
    X["colour"] = [0.0, 1.0, np.nan, 1.0, 0.0]
    n_read = 0
    for number in range(N_MUTATIONS // 4):
        content = mutated(text, rng)
        path.write_bytes(content)
        clf, refusal = loaded(path)
        if clf is None:
            assert refusal.startswith(f"{path} is no model file")
            continue
        n_read += 1
        try:
            assert_same_in_numpy(clf, rows_for(clf, X), NumpyModel.load(path), X.to_numpy())
            assert_valid(clf, rows_for(clf, X), path)
            if n_read % 4 == 0:
                clf.explain(rows_for(clf, X)[:1])
        except Exception as error:
            kept = path.with_name("broken.json")
            kept.write_bytes(content)
            raise AssertionError(f"mutation {number}, kept in {kept}") from error
    # Most mutations do harm, but not all of them.
    assert 0.02 < n_read / (N_MUTATIONS // 4) < 0.6
