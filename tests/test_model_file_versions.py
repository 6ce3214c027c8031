"""Model files: what was written with a version of the format is read for ever."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fuzzyucs.deployment.model_file.save_load import VERSION

STORED = Path(__file__).parent / "models"


def stored():
    for path in sorted(STORED.glob("version-*/*.json")):
        yield pytest.param(path, id=f"{path.parent.name} {path.stem}")


@pytest.mark.parametrize("stored", list(stored()))
def test_files_of_all_versions_are_read_for_ever(stored, tmp_path):
    clf = fuzzyucs.load(stored)
    answers = json.loads((stored.parent / "answers" / stored.name).read_text(encoding="utf-8"))
    names = getattr(clf, "feature_names_in_", None)
    X = pd.DataFrame(answers["rows"], columns=names)
    X = X if names is not None else X.to_numpy(dtype=float)
    assert clf.predict(X).tolist() == answers["predict"]
    evidence = clf.predict_evidence(X)
    exact = {"rtol": 1e-12, "atol": 1e-15}
    np.testing.assert_allclose(clf.predict_proba(X), answers["predict_proba"], **exact)
    np.testing.assert_allclose(evidence.mass, answers["mass"], **exact)
    np.testing.assert_allclose(evidence.ignorance, answers["ignorance"], **exact)
    assert stored.stat().st_size < 150_000
    if stored.parent.name == f"version-{VERSION}":
        again = clf.save(tmp_path / "model.json")
        before, after = (json.loads(path.read_bytes()) for path in (stored, again))
        assert {**before, "library": ""} == {**after, "library": ""}


def test_files_of_every_estimator_are_stored():
    found = {json.loads(path.read_bytes())["estimator"] for path in STORED.glob("version-1/*.json")}
    assert found == {"FuzzyUCSClassifier", "UCSClassifier", "EvidentialRuleClassifier"}
